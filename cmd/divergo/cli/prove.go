//go:build !js

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"divergo/blocks"
	"divergo/internal/nearest"
	"divergo/internal/table"
)

func newProve() *cobra.Command {
	var quick, list bool
	c := &cobra.Command{
		Use:   "prove [BLOCK...]",
		Short: "Prove properties of the blocks that print themselves as Verilog",
		Long: `Prove properties of blocks, in the Verilog that "rtl print" prints, for every input and for ever, by
induction. yosys and ABC do it: apt-get install yosys berkeley-abc. A line gives the size, the result
and the processor time. Without a BLOCK, prove all, in some minutes. Exit code 1: a property does
not hold.`,
		Example: `  divergo prove arbiter
  divergo prove --quick
  divergo prove --list`,
		RunE: func(c *cobra.Command, args []string) error {
			chosen, err := chooseProperties(args)
			if err != nil {
				return err
			}
			if list {
				t := table.New("block", "property", "meaning")
				for _, p := range chosen {
					t.Row(p.Block.Name, p.Name, p.Doc)
				}
				_, err := t.WriteTo(c.OutOrStdout())
				return err
			}
			return proveAll(c, chosen, quick)
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "prove each property for its smallest sizes only")
	c.Flags().BoolVar(&list, "list", false, "list the properties")
	return c
}

// chooseProperties returns the properties of some blocks, or all.
func chooseProperties(names []string) ([]*blocks.Property, error) {
	all := blocks.Properties()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, p := range all {
		known = append(known, p.Block.Name)
	}
	var list []*blocks.Property
	for _, name := range names {
		if !slices.Contains(known, name) {
			if b, err := blocks.Find(name); err == nil {
				return nil, fmt.Errorf("block %s has no property; those that have some: %s", b.Name,
					strings.Join(slices.Compact(known), ", "))
			}
			return nil, nearest.Unknown("block", name, slices.Compact(known))
		}
		for _, p := range all {
			if p.Block.Name == name {
				list = append(list, p)
			}
		}
	}
	return list, nil
}

// proveAll prints a line for each proof as it ends.
func proveAll(c *cobra.Command, list []*blocks.Property, quick bool) error {
	var failed error
	for _, p := range list {
		sizes := p.Sizes
		if quick {
			sizes = sizes[:1]
		}
		for _, s := range sizes {
			used, err := p.Prove(s)
			if err != nil && !errors.Is(err, blocks.ErrFailed) {
				return err
			}
			result := "holds for ever"
			if err != nil {
				failed, result = errors.Join(failed, err), "does not hold"
			}
			_, werr := fmt.Fprintf(c.OutOrStdout(), "%-22s %-30s %-16s %5.1f s\n", p.Name, p.Block.Describe(s), result,
				used.Round(100*time.Millisecond).Seconds())
			if werr != nil {
				return werr
			}
		}
	}
	if failed != nil {
		return errors.Join(errCheck, failed)
	}
	return nil
}
