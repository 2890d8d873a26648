//go:build !js

package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"divergo/internal/table"
	"divergo/properties"
	"divergo/properties/draw"
)

// print writes the report as text, on one screen if nothing was found.
func (f *checkFlags) print(w io.Writer, r *properties.Report, _ string) error {
	fmt.Fprintf(w, "%s\n\n", r)
	if len(r.Causes) == 1 {
		x := r.Failure
		_, err := fmt.Fprintf(w, "%s fails checker %s with seed %d; %s\n", x.Mechanism, x.Checker, x.Case.Seed,
			f.smallest(&r.Causes[0], f.found[0]))
		return err
	}
	if len(r.Causes) > 0 {
		t := table.New("mechanism", "checker", "failures", "first seed", "threads", "folder")
		for i := range r.Causes {
			c, folder := &r.Causes[i], "could not be written"
			if b := f.found[i]; b != nil {
				folder = filepath.ToSlash(b.Folder)
			}
			x := c.Failure
			t.Row(x.Mechanism, x.Checker, len(c.Seeds), c.Seeds[0], x.Case.Threads(), folder)
		}
		_, err := t.WriteTo(w)
		return err
	}
	total := r.Total()
	show := summarize
	if f.coverage {
		show = printCoverage
	}
	if err := show(w, &total); err != nil {
		return err
	}
	next := fmt.Sprintf("--seed %d goes on", r.Next)
	if f.options.Shard.N > 1 {
		next = "shard " + f.options.Shard.String()
	}
	if f.options.Corpus != "" {
		if err := f.printSituations(w, r.Situations); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nnothing found; %s\n", next)
	return err
}

// printSituations writes the number of situations in the corpus, or all of them with --coverage.
func (f *checkFlags) printSituations(w io.Writer, list []properties.Situation) error {
	fmt.Fprintf(w, "\n%d situations are in the corpus\n", len(list))
	if !f.coverage {
		return nil
	}
	t := table.New("mechanism", "kind", "situation", "kernels")
	for _, s := range list {
		t.Row(s.Mechanism, s.Kind, s.Name, s.Kernels)
	}
	_, err := t.WriteTo(w)
	return err
}

// smallest says where the smallest case of a cause is.
func (f *checkFlags) smallest(c *properties.Cause, b *properties.Bucket) string {
	text := fmt.Sprintf("the smallest case found, on %d threads, ", c.Failure.Case.Threads())
	if len(c.Seeds) > 1 {
		text = fmt.Sprintf("failures: %d; %s", len(c.Seeds), text)
	}
	switch {
	case b == nil:
		return text + "could not be written"
	case b.New:
		return text + "is in " + filepath.ToSlash(b.Folder)
	}
	return fmt.Sprintf("%s has a case of the same cause, which was found %d times", filepath.ToSlash(b.Folder), b.Count)
}

// kinds are the kinds of coverage bins, in order of the summary.
func kinds(c *properties.Coverage) (list []*binKind) {
	of := map[string]*binKind{}
	for _, bins := range []func() ([]string, []uint64){c.Bins, c.Hardware} {
		names, counts := bins()
		for i, name := range names {
			kind, bin, _ := strings.Cut(name, ": ")
			k := of[kind]
			if k == nil {
				k = &binKind{name: kind}
				of[kind], list = k, append(list, k)
			}
			if k.bins++; counts[i] == 0 {
				k.never = append(k.never, bin)
			}
		}
	}
	return list
}

// binKind is a kind of coverage bins: their number, and those never reached.
type binKind struct {
	name  string
	bins  int
	never []string
}

// neverWidth limits the columns for bins that were never reached.
const neverWidth = 60

// summarize writes a line for each kind of coverage bins.
func summarize(w io.Writer, c *properties.Coverage) error {
	t := table.New("reached", "bins", "of", "never, for example")
	for _, k := range kinds(c) {
		never := strings.Join(k.never, "; ")
		if len(never) > neverWidth {
			never = never[:strings.LastIndex(never[:neverWidth], " ")+1] + "..."
		}
		t.Row(k.name, k.bins-len(k.never), k.bins, never)
	}
	_, err := t.WriteTo(w)
	return err
}

// printCoverage writes the tables of all bins, and lists those never reached.
func printCoverage(w io.Writer, c *properties.Coverage) error {
	if err := c.Print(w); err != nil {
		return err
	}
	if missed := c.Missed(); len(missed) > 0 {
		fmt.Fprintf(w, "\nnever reached: %s\n", strings.Join(missed, "; "))
	}
	return printHardware(w, c)
}

// printHardware writes the coverage bins of hardware events, one line for each kind. It marks the
// bins that were never reached.
func printHardware(w io.Writer, c *properties.Coverage) error {
	names, counts := c.Hardware()
	t := table.New("", "bin", "reached")
	var never []string
	for i, name := range names {
		kind, bin, _ := strings.Cut(name, ": ")
		t.Row(kind, bin, counts[i])
		if counts[i] == 0 {
			never = append(never, name)
		}
	}
	fmt.Fprintln(w)
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nof %d bins %d were never reached: %s\nopcodes that no kernel has: %s\n",
		len(names), len(never), strings.Join(never, "; "), strings.Join(draw.Undrawn(), "; "))
	return err
}

// printJSON writes the report as JSON.
func (f *checkFlags) printJSON(w io.Writer, r *properties.Report, program string) error {
	total := r.Total()
	bins := map[string]uint64{}
	names, counts := total.Bins()
	for i, n := range names {
		bins[n] = counts[i]
	}
	missed := append([]string{}, total.Missed()...)
	if f.coverage {
		names, counts := total.Hardware()
		for i, n := range names {
			if bins[n] = counts[i]; counts[i] == 0 {
				missed = append(missed, n)
			}
		}
	}
	seeds := [][2]uint64{}
	for _, s := range r.Seeds {
		seeds = append(seeds, [2]uint64{s.From, s.To - 1})
	}
	failures := []map[string]any{}
	for i := range r.Causes {
		failures = append(failures, f.causeJSON(&r.Causes[i], f.found[i], program))
	}
	answer := map[string]any{
		"schema": schema("check"), "mechanisms": r.Mechanisms, "first_seed": f.options.Seed, "next_seed": r.Next,
		"seeds": seeds, "kernels": r.Cases, "runs": r.Runs, "thread_instructions": r.Lanes, "seconds": r.Spent.Seconds(),
		"runs_per_second": r.Rate(),
		"situations":      len(r.Situations),
		"coverage":        bins, "missed": missed, "failure": nil, "failures": failures,
	}
	if len(failures) > 0 {
		answer["failure"] = failures[0]
	}
	return printJSON(w, answer)
}

// causeJSON describes a cause and its bucket, which is nil if it could not be written.
func (f *checkFlags) causeJSON(c *properties.Cause, b *properties.Bucket, program string) map[string]any {
	x := c.Failure
	failure := map[string]any{
		"mechanism": x.Mechanism, "checker": x.Checker, "seed": x.Case.Seed, "what": x.What,
		"grid": x.Case.Grid, "block": x.Case.Block, "threads": x.Case.Threads(),
		"statements": x.Case.Kernel.Statements(), "seeds": c.Seeds,
		"folder": "", "command": "", "place": "", "count": 0,
	}
	if b != nil {
		failure["folder"], failure["place"], failure["count"] = filepath.ToSlash(b.Folder), b.Place, b.Count
		failure["command"] = program + " check --replay " + quoted(filepath.ToSlash(b.Folder))
	}
	return failure
}
