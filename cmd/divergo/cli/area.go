//go:build !js

package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"divergo/blocks"
	"divergo/gpu/area"
	"divergo/internal/chart"
	"divergo/internal/output"
	"divergo/internal/table"
)

// areaFlags are the flags of the verb area. A size can have several values.
type areaFlags struct {
	sizes        map[string]*[]int
	process, svg string
}

func newArea() *cobra.Command {
	f := areaFlags{sizes: map[string]*[]int{}}
	c := &cobra.Command{
		Use:   "area [BLOCK...]",
		Short: "Measure the cells, area and delay of the blocks that print themselves as Verilog",
		Long: `Synthesize blocks, in the Verilog that "rtl print" prints, with the standard cells that Debian has. A size
may have several values: there is a line for each, and --svg FILE draws them. Bits of memories have no
cells and are counted apart. Gates are those without flip-flops, as NAND gates of two inputs. The delay
is that of the longest path through gates.

The area at 65 nm is that of the cells times the ratio of the NAND gates, 1.44 um2 (1.25 to 1.67) at
65 nm, see docs/reference/area.md. These are its low, middle and high values. Cells are not placed yet.
Needs yosys, berkeley-abc and qflow-tech-osu018, -osu035 or -osu050. Without a BLOCK, measure all.`,
		Example: `  divergo area majority
  divergo area compactor --lanes 16 --warps 16 --process osu035
  divergo area majority path-pair --lanes 4,8,16,32 --svg area.svg`,
		RunE: f.run,
	}
	users := map[string][]string{}
	for _, b := range blocks.All() {
		for _, s := range b.Sizes {
			users[s.Name] = append(users[s.Name], b.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		f.sizes[name] = c.Flags().IntSlice(name, nil, "`LIST` of sizes of "+strings.Join(users[name], ", "))
	}
	c.Flags().StringVar(&f.process, "process", "osu018", "standard cells: osu018, osu035 or osu050")
	c.Flags().StringVar(&f.svg, "svg", "", "draw the area over the first size with several values into `FILE`")
	return c
}

func (f *areaFlags) run(c *cobra.Command, names []string) error {
	process, err := blocks.FindProcess(f.process)
	if err != nil {
		return err
	}
	node, err := area.FindNode(65)
	if err != nil {
		return err
	}
	list := blocks.All()
	if len(names) > 0 {
		list = nil
		for _, name := range names {
			b, err := blocks.Find(name)
			if err != nil {
				return err
			}
			list = append(list, b)
		}
	}
	for _, b := range list {
		for _, s := range f.points(b) {
			if err := b.Check(s); err != nil {
				return err
			}
		}
		if f.svg != "" && f.axis(b) == "" {
			return errors.New("--svg draws the area over a size: give one several values, as in --lanes 8,16,32")
		}
	}
	var files output.Set
	defer files.Discard()
	drawn, err := newPicture(&files, "--svg", f.svg, ".svg")
	if err != nil {
		return err
	}
	t := table.New("block", "sizes", "cells", "flip-flops", "gates", "memory bits", "um2", "um2 at 65 nm", "delay ps")
	p := &chart.Lines{Title: "Area of blocks", Y: "um2 at 65 nm"}
	for _, b := range list {
		for _, s := range f.points(b) {
			a, err := b.Area(s, process)
			if err != nil {
				return err
			}
			at := func(nand float64) float64 { return a.Equal * nand }
			gate := node.Gate.Range
			t.Row(b.Name, b.Describe(s), a.Cells, a.FlipFlops, fmt.Sprintf("%.0f", a.Gates), a.Memory, fmt.Sprintf("%.0f", a.Um2),
				fmt.Sprintf("%.0f (%.0f to %.0f)", at(gate.Mid), at(gate.Low), at(gate.High)), fmt.Sprintf("%.0f", a.Ps))
			if f.svg != "" {
				f.point(p, b, s, at(gate.Mid))
			}
		}
	}
	if err := drawn.keep(func(w io.Writer) error {
		_, err := chart.Column{p}.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	_, err = t.WriteTo(c.OutOrStdout())
	return err
}

// points lists all combinations of the sizes that were given. A size that the block lacks is one of
// them, so that Check reports it.
func (f *areaFlags) points(b *blocks.Block) []blocks.Sizes {
	list := []blocks.Sizes{{}}
	for _, name := range f.order(b) {
		var more []blocks.Sizes
		for _, s := range list {
			for _, v := range *f.sizes[name] {
				x := maps.Clone(s)
				x[name] = v
				more = append(more, x)
			}
		}
		list = more
	}
	return list
}

// order lists the sizes that were given: those of the block in its order, then others.
func (f *areaFlags) order(b *blocks.Block) (names []string) {
	for _, s := range b.Sizes {
		names = append(names, s.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(f.sizes)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return len(*f.sizes[name]) == 0 })
}

// axis is the first size with several values, over which areas are drawn.
func (f *areaFlags) axis(b *blocks.Block) string {
	for _, name := range f.order(b) {
		if len(*f.sizes[name]) > 1 {
			return name
		}
	}
	return ""
}

// point adds a point to the line of a block and of its other sizes that have several values.
func (f *areaFlags) point(p *chart.Lines, b *blocks.Block, s blocks.Sizes, um2 float64) {
	x, name := f.axis(b), b.Name
	if p.X != "" && p.X != x {
		p.X = "size"
	} else {
		p.X = x
	}
	for _, other := range f.order(b) {
		if other != x && len(*f.sizes[other]) > 1 {
			name += fmt.Sprintf(" %s=%d", other, s[other])
		}
	}
	i := slices.IndexFunc(p.Series, func(l chart.Series) bool { return l.Name == name })
	if i < 0 {
		i = len(p.Series)
		p.Series = append(p.Series, chart.Series{Name: name})
	}
	l := &p.Series[i]
	l.X, l.Y = append(l.X, float64(s[x])), append(l.Y, um2)
}
