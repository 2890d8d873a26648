package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"divergo/experiments"
	"divergo/experiments/page"
	"divergo/internal/chart"
	"divergo/internal/output"
	"divergo/internal/table"
)

func newReproduce() *cobra.Command {
	var svg, journal, html string
	var asJSON, quick bool
	c := &cobra.Command{
		Use:   "reproduce [FIGURE... | machine PRESET... | all]",
		Short: "Make figures of the papers again, from runs of the model",
		Long: `Run what a figure of a paper shows and print the numbers; with --svg draw them. Without FIGURE the
figures are listed, as by "divergo list figures".

"machine PRESET" measures a machine with micro-benchmarks.

Several figures share runs. With --journal figures, and runs of the plan, are kept as lines of JSON when
they are made. A command that was interrupted goes on from there when it is given again, as do others
for figures of the same plan. --html puts the figures on one page.

Figures of speed run what fills the SMs, for three inputs; all of them take a night. --quick runs less,
in minutes, and says so. docs/explanation/experiments.md has the plan.`,
		Example: `  divergo reproduce cost-time
  divergo reproduce machine volta
  divergo reproduce cost-fig5 --svg fig5.svg
  divergo reproduce tbc-fig12 --quick
  divergo reproduce all --journal figures.jsonl --html figures.html`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && svg+journal+html == "" {
				return printCatalogue(c, []string{"figures"}, nil, asJSON)
			}
			figures, err := chosenFigures(args)
			if err != nil {
				return err
			}
			plan := experiments.Full
			if quick {
				plan = experiments.Quick
			}
			if len(figures) == 1 && journal+html == "" {
				return reproduce(c, figures[0], plan, svg, asJSON)
			}
			if svg != "" {
				return errors.New("--svg draws one figure; want --html for several, or for a page")
			}
			return reproduceAll(c, figures, plan, journal, html, asJSON)
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "smaller runs, for one input, on two SMs")
	c.Flags().StringVar(&svg, "svg", "", "draw a picture in `FILE`")
	c.Flags().StringVar(&journal, "journal", "", "keep figures and runs in `FILE` when they are made, and go on from there")
	c.Flags().StringVar(&html, "html", "", "put the figures on a page in `FILE`")
	c.Flags().BoolVar(&asJSON, "json", false, "print the numbers as JSON")
	return c
}

// machineFigures is the word before the names of presets: "machine volta" is machine-volta.
const machineFigures = "machine"

// chosenFigures returns the named figures, or all of them for "all". A repeated name is an error.
func chosenFigures(args []string) (list []experiments.Figure, err error) {
	if len(args) == 0 {
		return nil, errors.New("want a figure (\"divergo list figures\") or all")
	}
	if len(args) == 1 && args[0] == "all" {
		return experiments.Figures(), nil
	}
	if len(args) > 1 && args[0] == machineFigures {
		for i := range args[1:] {
			args[1+i] = machineFigures + "-" + args[1+i]
		}
		args = args[1:]
	}
	seen := map[string]bool{}
	for _, name := range args {
		figure, err := experiments.FindFigure(name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		seen[name], list = true, append(list, figure)
	}
	return list, nil
}

// reproduce makes one figure. It creates the picture's file before the runs, so that an unwritable
// path is reported first.
func reproduce(c *cobra.Command, figure experiments.Figure, plan experiments.Plan, svg string, asJSON bool,
) error {
	var files output.Set
	defer files.Discard()
	picture, err := newPicture(&files, "--svg", svg, ".svg")
	if err != nil {
		return err
	}
	d, err := figure.Make(plan)
	if err != nil {
		return fmt.Errorf("%s: %w", figure.Name, err)
	}
	unkept := picture.keep(func(w io.Writer) error {
		_, err := d.Charts.WriteTo(w)
		return err
	})
	if asJSON {
		return errors.Join(printJSON(c.OutOrStdout(), figureJSON(figure, d)), unkept)
	}
	return errors.Join(printFigure(c.OutOrStdout(), figure, d), unkept)
}

// reproduceAll makes the figures that the journal does not hold yet.
func reproduceAll(c *cobra.Command, figures []experiments.Figure, plan experiments.Plan, journal, html string,
	asJSON bool,
) error {
	var files output.Set
	defer files.Discard()
	document, err := newPicture(&files, "--html", html, ".html")
	if err != nil {
		return err
	}
	made := map[string]json.RawMessage{}
	var kept *output.Journal
	if journal != "" {
		if err := files.Claim("--journal", journal); err != nil {
			return fmt.Errorf("--journal: %w", err)
		}
		kept, err = output.OpenJournal(journal, map[string]any{"schema": schema("reproduce"), "plan": plan.String()})
		if err != nil {
			return fmt.Errorf("--journal: %w", err)
		}
		defer kept.Close()
		var runs []experiments.Run
		if made, runs, err = splitJournal(kept.Records); err != nil {
			return fmt.Errorf("--journal: %s: %w", journal, err)
		}
		experiments.Keep(runs, func(r experiments.Run) error {
			if err := kept.Add(r); err != nil {
				return fmt.Errorf("--journal: %w", err)
			}
			return nil
		})
		defer experiments.Keep(nil, nil)
	}
	missing := slices.DeleteFunc(slices.Clone(figures), func(f experiments.Figure) bool { return made[f.Name] != nil })
	line, start := newProgress(c.ErrOrStderr(), "reproduce"), time.Now()
	for i, f := range missing {
		left := "?"
		if i > 0 {
			each := time.Since(start) / time.Duration(i)
			left = (each * time.Duration(len(missing)-i)).Round(time.Second).String()
		}
		line.say(fmt.Sprintf("%s, %d of %d, %s left", f.Name, i+1, len(missing), left))
		d, err := f.Make(plan)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		values := figureJSON(f, d)
		if plan == experiments.Quick && f.Planned != nil {
			values["quick"] = true
		}
		var svg strings.Builder
		if _, err := d.Charts.WriteTo(&svg); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		values["svg"] = svg.String()
		record, err := json.Marshal(values)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		made[f.Name] = record
		if kept != nil {
			if err := kept.Add(json.RawMessage(record)); err != nil {
				return fmt.Errorf("--journal: %w", err)
			}
		}
	}
	line.clear()
	records, list := make([]json.RawMessage, len(figures)), make([]page.Figure, len(figures))
	for i, f := range figures {
		records[i] = made[f.Name]
		if list[i], err = page.Read(records[i]); err != nil {
			return err
		}
	}
	unkept := document.keep(func(w io.Writer) error { return page.Write(w, list) })
	if asJSON {
		return errors.Join(printJSON(c.OutOrStdout(),
			map[string]any{"schema": schema("reproduce"), "figures": records}), unkept)
	}
	for i := range list {
		if i > 0 {
			fmt.Fprintln(c.OutOrStdout())
		}
		if err := printRows(c.OutOrStdout(), &list[i]); err != nil {
			return err
		}
	}
	return unkept
}

// splitJournal returns the figures of a journal by name, and its runs.
func splitJournal(records []json.RawMessage) (figures map[string]json.RawMessage, runs []experiments.Run, err error) {
	figures = map[string]json.RawMessage{}
	for i, text := range records {
		if !bytes.HasPrefix(text, []byte(`{"run":`)) {
			f, err := page.Read(text)
			if err != nil {
				return nil, nil, fmt.Errorf("record %d: %w", i+1, err)
			}
			figures[f.Name] = text
			continue
		}
		var r experiments.Run
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, nil, fmt.Errorf("record %d: want a run as divergo writes it: %w", i+1, err)
		}
		runs = append(runs, r)
	}
	return figures, runs, nil
}

func printFigure(w io.Writer, figure experiments.Figure, d *experiments.Drawing) error {
	return printRows(w, &page.Figure{
		Name: figure.Name, Doc: figure.Doc, Source: figure.Source(), Header: d.Header,
		Rows: d.Rows, Notes: d.Notes, Caption: d.Caption,
	})
}

func printRows(w io.Writer, f *page.Figure) error {
	fmt.Fprintf(w, "%s: %s\n%s\n\n", f.Name, f.Doc, f.Source)
	t := table.New(f.Header...)
	for _, row := range f.Cells() {
		cells := make([]any, len(row))
		for i, cell := range row {
			cells[i] = cell
		}
		t.Row(cells...)
	}
	_, err := t.WriteTo(w)
	if f.Caption != "" {
		fmt.Fprintf(w, "\n%s\n", f.Caption)
	}
	for i, note := range f.Notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, note)
	}
	return err
}

// figureJSON returns the numbers of the pictures, and those of the table by column.
func figureJSON(figure experiments.Figure, d *experiments.Drawing) map[string]any {
	charts := []map[string]any{}
	for _, part := range d.Charts {
		switch c := part.(type) {
		case *chart.Lines:
			series := []map[string]any{}
			for _, s := range c.Series {
				series = append(series, map[string]any{"name": s.Name, "x": s.X, "y": s.Y})
			}
			charts = append(charts, map[string]any{"title": c.Title, "x": c.X, "y": c.Y, "series": series})
		case *chart.Groups:
			groups := []map[string]any{}
			for _, g := range c.Groups {
				theirs := make([]any, len(g.Theirs))
				for i, v := range g.Theirs {
					if !math.IsNaN(v) {
						theirs[i] = v
					}
				}
				group := map[string]any{"name": g.Name, "values": g.Values, "theirs": theirs}
				if g.Spread != nil {
					group["spread"] = g.Spread
				}
				groups = append(groups, group)
			}
			charts = append(charts, map[string]any{
				"title": c.Title, "y": c.Y, "bars": c.Bars,
				"layers": append([]string{}, c.Layers...), "groups": groups,
			})
		}
	}
	values := map[string]any{
		"schema": schema("reproduce"), "figure": figure.Name, "doc": figure.Doc, "source": figure.Source(),
		"header": d.Header, "rows": d.Rows, "charts": charts, "notes": append([]string{}, d.Notes...),
	}
	if d.Caption != "" {
		values["caption"] = d.Caption
	}
	if d.Table {
		values["table"] = true
	}
	return values
}
