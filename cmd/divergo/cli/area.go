//go:build !js

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"divergo/blocks"
	"divergo/internal/table"
)

func newArea() *cobra.Command {
	var sizes sizeFlags
	var process string
	c := &cobra.Command{
		Use:   "area [BLOCK...]",
		Short: "Measure the cells, area and delay of the blocks that print themselves as Verilog",
		Long: `Synthesize blocks, in the Verilog that "rtl print" prints, with the standard cells that Debian has. Bits of
memories have no cells and are counted apart. The delay is that of the longest path through gates. The
area at 65 nm is scaled by the square of the feature size. From 0.35 to 0.18 um that rule gives 4 to 9
percent more than these cells have; for cells of 65 nm the error is not known.
Needs yosys, berkeley-abc and qflow-tech-osu018, -osu035 or -osu050. Without a BLOCK, measure all.`,
		Example: `  divergo area majority
  divergo area compactor --lanes 16 --warps 16 --process osu035`,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := blocks.FindProcess(process)
			if err != nil {
				return err
			}
			list := blocks.All()
			if len(args) > 0 {
				list = nil
				for _, name := range args {
					b, err := blocks.Find(name)
					if err != nil {
						return err
					}
					list = append(list, b)
				}
			}
			for _, b := range list {
				if err := b.Check(sizes.chosen()); err != nil {
					return err
				}
			}
			t := table.New("block", "sizes", "cells", "flip-flops", "memory bits", "um2", "at 65 nm", "delay ps")
			for _, b := range list {
				a, err := b.Area(sizes.chosen(), p)
				if err != nil {
					return err
				}
				t.Row(b.Name, b.Describe(sizes.chosen()), a.Cells, a.FlipFlops, a.Memory, fmt.Sprintf("%.0f", a.Um2),
					fmt.Sprintf("%.0f", a.ScaledTo65(p)), fmt.Sprintf("%.0f", a.Ps))
			}
			_, err = t.WriteTo(c.OutOrStdout())
			return err
		},
	}
	sizes.add(c)
	c.Flags().StringVar(&process, "process", "osu018", "standard cells: osu018, osu035 or osu050")
	return c
}
