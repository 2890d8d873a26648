package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"divergo/experiments"
	"divergo/internal/chart"
	"divergo/internal/output"
	"divergo/internal/table"
)

func newReproduce() *cobra.Command {
	var svg string
	var asJSON bool
	c := &cobra.Command{
		Use:   "reproduce [FIGURE]",
		Short: "Make a figure of a paper again, from runs of the model",
		Long: `Run what a figure of a paper shows and print the numbers; with --svg draw them. Without FIGURE the figures are
listed, as by "divergo list figures".`,
		Example: `  divergo reproduce s3-time
  divergo reproduce s3-fig5 --svg fig5.svg`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && svg == "" {
				return printCatalogue(c, "figures", nil, asJSON)
			}
			if err := exactly(1, "a figure (\"divergo list figures\")")(c, args); err != nil {
				return err
			}
			figure, err := experiments.FindFigure(args[0])
			if err != nil {
				return err
			}
			return reproduce(c, figure, svg, asJSON)
		},
	}
	c.Flags().StringVar(&svg, "svg", "", "draw a picture in `FILE`")
	c.Flags().BoolVar(&asJSON, "json", false, "print the numbers as JSON")
	return c
}

// reproduce creates the picture before the runs, so that a path that cannot be
// written is found first.
func reproduce(c *cobra.Command, figure experiments.Figure, svg string, asJSON bool) error {
	var files output.Set
	defer files.Discard()
	picture, err := newPicture(&files, "--svg", svg, ".svg")
	if err != nil {
		return err
	}
	d, err := figure.Draw()
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

func printFigure(w io.Writer, figure experiments.Figure, d *experiments.Drawing) error {
	fmt.Fprintf(w, "%s: %s\n%s\n\n", figure.Name, figure.Doc, figure.Source)
	t := table.New(d.Header...)
	for _, row := range d.Rows {
		t.Row(row...)
	}
	_, err := t.WriteTo(w)
	for i, note := range d.Notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, note)
	}
	return err
}

// figureJSON has the numbers of the pictures, and those of the table by column.
func figureJSON(figure experiments.Figure, d *experiments.Drawing) map[string]any {
	charts := []map[string]any{}
	for _, part := range d.Charts {
		c, numbers := part.(*chart.Lines)
		if !numbers {
			continue
		}
		series := []map[string]any{}
		for _, s := range c.Series {
			series = append(series, map[string]any{"name": s.Name, "x": s.X, "y": s.Y})
		}
		charts = append(charts, map[string]any{"title": c.Title, "x": c.X, "y": c.Y, "series": series})
	}
	return map[string]any{
		"schema": schema("reproduce"), "figure": figure.Name, "doc": figure.Doc, "source": figure.Source,
		"header": d.Header, "rows": d.Rows, "charts": charts, "notes": append([]string{}, d.Notes...),
	}
}
