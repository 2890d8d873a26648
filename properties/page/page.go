// Package page writes what a campaign of random kernels reached as a page for a browser: the bins of
// each kind, the statements of the model's source, failures by cause, and the trend over campaigns.
//
//	page.Write(file, &page.Report{Title: "night", Campaigns: campaigns, Kinds: kinds})
package page

import (
	_ "embed" // the files of the page
	"encoding/json"
	"fmt"
	"io"

	"divergo/internal/webpage"
)

// The files of the page.
var (
	//go:embed page.html
	layout string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Report is the data of the page.
type Report struct {
	Title     string     `json:"title"`
	Summary   string     `json:"summary"` // of the last campaign, in a line
	Campaigns []Campaign `json:"campaigns"`
	Kinds     []Kind     `json:"kinds"`
	Files     []File     `json:"files"`
	// WithoutFiles says how to get Files, if there are none.
	WithoutFiles string  `json:"withoutFiles"`
	Causes       []Cause `json:"causes"`
}

// Campaign is one of the campaigns of the trend, in order.
type Campaign struct {
	Version string `json:"version"` // of the program
	Seeds   string `json:"seeds"`
	Kernels uint64 `json:"kernels"`
	Runs    uint64 `json:"runs"`
	Reached int    `json:"reached"` // bins
	Bins    int    `json:"bins"`
	Lines   int    `json:"lines"`    // statements executed; 0 without a build that counts them
	Of      int    `json:"of_lines"` // all statements
	Causes  int    `json:"causes"`   // of failures
}

// Kind is a kind of coverage bins.
type Kind struct {
	Name   string   `json:"name"`
	Bins   []string `json:"bins"`
	Counts []uint64 `json:"counts"` // one for each of Bins
}

// File is a source file: its statements, those executed, and the ranges of lines without any executed
// statement.
type File struct {
	Name     string `json:"name"`
	Of       int    `json:"of"`
	Executed int    `json:"executed"`
	Never    string `json:"never"`
}

// Cause is a cause of failures.
type Cause struct {
	Mechanism string `json:"mechanism"`
	Checker   string `json:"checker"`
	Place     string `json:"place"`
	What      string `json:"what"`
	Failures  int    `json:"failures"`
	Seed      uint64 `json:"seed"` // the smallest
	Folder    string `json:"folder"`
}

// Write writes the page. Equal reports give equal bytes.
func Write(w io.Writer, r *Report) error {
	text, err := json.Marshal(r) // escapes the characters that HTML gives a meaning
	if err != nil {
		return err
	}
	page := webpage.Page{Layout: layout, Style: style, Script: script}
	_, err = page.Write(w, r.Title, func(w io.Writer) {
		fmt.Fprintf(w, "<script type=\"application/json\" id=\"data\">%s</script>\n", text)
	})
	return err
}
