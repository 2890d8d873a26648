//go:build !js

package cli

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"divergo/properties"
)

// suites are the elements of a JUnit file, as CI servers read it (the schema of Apache Ant's JUnitReport,
// and its outer element of Maven's Surefire).
type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Time     string   `xml:"time,attr,omitempty"` // in seconds
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name       string     `xml:"name,attr"`
	Tests      int        `xml:"tests,attr"`
	Failures   int        `xml:"failures,attr"`
	Properties []property `xml:"properties>property,omitempty"`
	Cases      []testCase `xml:"testcase"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"` // the checker
	Text    string `xml:",chardata"`
}

// campaignSuites has a suite for each mechanism, with a test for each checker.
func (f *checkFlags) campaignSuites(r *properties.Report) *suites {
	all := &suites{Name: "divergo check", Time: strconv.FormatFloat(r.Spent.Seconds(), 'f', 3, 64)}
	for _, m := range r.Mechanisms {
		s := suite{Name: m, Properties: []property{{"kernels", strconv.FormatUint(r.Cases, 10)}, {"seeds", r.SeedsText()}}}
		for _, k := range properties.Checkers() {
			test := testCase{Class: "divergo.check." + m, Name: k.Name}
			for i := range r.Causes {
				if c := &r.Causes[i]; c.Failure.Mechanism == m && c.Failure.Checker == k.Name {
					test.fails(c.Failure, f.causeText(c, i))
				}
			}
			s.Cases = append(s.Cases, test)
		}
		all.add(s)
	}
	return all
}

// replaySuites has one suite, with a test for each counterexample that was checked.
func replaySuites(cases []string, failures []*properties.Failure) *suites {
	s := suite{Name: "replay"}
	for i, x := range failures {
		test := testCase{Class: "divergo.replay", Name: filepath.ToSlash(cases[i])}
		if x != nil {
			test.fails(x, x.What)
		}
		s.Cases = append(s.Cases, test)
	}
	all := &suites{Name: "divergo check"}
	all.add(s)
	return all
}

// causeText describes a cause.
func (f *checkFlags) causeText(c *properties.Cause, i int) string {
	text := fmt.Sprintf("%s\nfailures: %d, smallest seed %d\n", c.Failure.What, len(c.Seeds), c.Seeds[0])
	if b := f.found[i]; b != nil {
		text += "counterexample: " + filepath.ToSlash(b.Folder) + "\n"
	}
	return text
}

// fails adds a failure to a test.
func (t *testCase) fails(x *properties.Failure, text string) {
	if t.Failure == nil {
		first, _, _ := strings.Cut(x.What, "\n")
		t.Failure = &junitFailure{Message: first, Type: x.Checker}
	}
	t.Failure.Text += text
}

// add adds a suite with its counts.
func (all *suites) add(s suite) {
	for _, t := range s.Cases {
		s.Tests++
		if t.Failure != nil {
			s.Failures++
		}
	}
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Suites = append(all.Suites, s)
}

// write writes the file.
func (all *suites) write(w io.Writer) error {
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
