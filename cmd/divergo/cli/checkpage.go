//go:build !js

package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/coverage"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/output"
	"divergo/properties"
	"divergo/properties/page"
)

// The files of --html.
const (
	pageFile      = "index.html"
	campaignsFile = "campaigns.json" // the trend
	pageList      = ".divergo-check.json"
)

// withoutFiles says how the page gets statements.
const withoutFiles = "This program does not count them. One that does: go build -cover -coverpkg=./... -o divergo-cover ./cmd/divergo"

// checkPage is the folder of --html; nil without it.
type checkPage struct {
	tree      *output.Tree
	campaigns []page.Campaign // the earlier ones
}

// openPage looks at the folder before the campaign. It refuses one with files of others.
func openPage(folder string) (*checkPage, error) {
	if folder == "" {
		return nil, nil
	}
	tree, err := output.OpenTree(folder, pageList, false)
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	p := &checkPage{tree: tree}
	name := filepath.Join(folder, campaignsFile)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("--html: %w", err)
	default:
		if err := json.Unmarshal(text, &p.campaigns); err != nil {
			return nil, fmt.Errorf("--html: %s: is no list of campaigns: %w", name, err)
		}
	}
	return p, nil
}

// write writes the page and adds the campaign to the trend.
func (p *checkPage) write(f *checkFlags, r *properties.Report) error {
	if p == nil {
		return nil
	}
	total := r.Total()
	files, err := statements()
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	report := page.Report{
		Title: "divergo check", Summary: r.String(), Files: files,
	}
	c := page.Campaign{Version: release, Seeds: r.SeedsText(), Kernels: r.Cases, Runs: r.Runs, Causes: len(r.Causes)}
	at := map[string]int{}
	for _, bins := range []func() ([]string, []uint64){total.Bins, total.Hardware} {
		names, counts := bins()
		for i, name := range names {
			kind, bin, _ := strings.Cut(name, ": ")
			k, there := at[kind]
			if !there {
				k, at[kind] = len(report.Kinds), len(report.Kinds)
				report.Kinds = append(report.Kinds, page.Kind{Name: kind})
			}
			report.Kinds[k].Bins = append(report.Kinds[k].Bins, bin)
			report.Kinds[k].Counts = append(report.Kinds[k].Counts, counts[i])
			if c.Bins++; counts[i] > 0 {
				c.Reached++
			}
		}
	}
	for _, f := range files {
		c.Lines += f.Executed
		c.Of += f.Of
	}
	if len(files) == 0 {
		report.WithoutFiles = withoutFiles
	}
	for i := range r.Causes {
		x := r.Causes[i].Failure
		cause := page.Cause{
			Mechanism: x.Mechanism, Checker: x.Checker, What: x.What, Failures: len(r.Causes[i].Seeds),
			Seed: r.Causes[i].Seeds[0],
		}
		if b := f.found[i]; b != nil {
			cause.Place, cause.Folder = b.Place, filepath.ToSlash(b.Folder)
		}
		report.Causes = append(report.Causes, cause)
	}
	report.Campaigns = append(p.campaigns, c)
	trend, err := json.MarshalIndent(report.Campaigns, "", "  ")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := page.Write(&text, &report); err != nil {
		return err
	}
	err = p.tree.Write(map[string][]byte{pageFile: text.Bytes(), campaignsFile: append(trend, '\n')})
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// statements returns the statements of each source file and which of them have been executed, if the
// program was built with counters ("go build -cover") and the go command is there.
func statements() ([]page.File, error) {
	var counters bytes.Buffer
	if coverage.WriteMeta(&counters) != nil { // a build without counters
		return nil, nil
	}
	folder, err := output.TempFolder()
	if err != nil {
		return nil, err
	}
	defer folder.Remove()
	if err := errors.Join(coverage.WriteMetaDir(folder.Path(".")), coverage.WriteCountersDir(folder.Path("."))); err != nil {
		return nil, err
	}
	said, err := output.Run(exec.Command("go", "tool", "covdata", "textfmt", "-i="+folder.Path("."), "-o="+folder.Path("profile")))
	if err != nil {
		return nil, fmt.Errorf("go tool covdata: %w\n%s", err, said)
	}
	profile, err := os.ReadFile(folder.Path("profile"))
	if err != nil {
		return nil, err
	}
	return statementsOf(string(profile))
}

// statementsOf reads a profile of the go command: a line for each block, with its statements and how
// often they were executed.
func statementsOf(profile string) (list []page.File, err error) {
	type lines struct{ from, to int }
	never, files := map[string][]lines{}, map[string]*page.File{}
	for line := range strings.Lines(profile) {
		name, block, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "mode" {
			continue
		}
		var l lines
		var column, n, count int
		if _, err := fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &l.from, &column, &l.to, &column, &n, &count); err != nil {
			return nil, fmt.Errorf("go tool covdata: found %q, want a block with its counts", line)
		}
		f := files[name]
		if f == nil {
			f = &page.File{Name: strings.TrimPrefix(name, "divergo/")}
			files[name] = f
		}
		if f.Of += n; count > 0 {
			f.Executed += n
		} else if n > 0 {
			never[name] = append(never[name], l)
		}
	}
	for name, f := range files {
		slices.SortFunc(never[name], func(a, b lines) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
		})
		last := lines{}
		var ranges []string
		add := func() {
			if text := strconv.Itoa(last.from); last.from > 0 && last.to > last.from {
				ranges = append(ranges, text+"-"+strconv.Itoa(last.to))
			} else if last.from > 0 {
				ranges = append(ranges, text)
			}
		}
		for _, l := range never[name] {
			if l.from <= last.to+1 {
				last.to = max(last.to, l.to)
				continue
			}
			add()
			last = l
		}
		add()
		f.Never = strings.Join(ranges, ", ")
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b page.File) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}
