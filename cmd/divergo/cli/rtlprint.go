//go:build !js

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"divergo/blocks"
	"divergo/internal/output"
	"divergo/internal/table"
)

// sizeFlags are the flags for the sizes of blocks.
type sizeFlags struct {
	command *cobra.Command
	values  map[string]*int
}

// add adds a flag for each size that a block has.
func (f *sizeFlags) add(c *cobra.Command) {
	f.command, f.values = c, map[string]*int{}
	users := map[string][]string{}
	for _, b := range blocks.All() {
		for _, s := range b.Sizes {
			users[s.Name] = append(users[s.Name], b.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		f.values[name] = c.Flags().Int(name, 0, "size of "+strings.Join(users[name], ", ")+"; 0: its default")
	}
}

// chosen returns the sizes that have been given.
func (f *sizeFlags) chosen() blocks.Sizes {
	s := blocks.Sizes{}
	for name, v := range f.values {
		if f.command.Flags().Changed(name) && *v != 0 {
			s[name] = *v
		}
	}
	return s
}

func newRTLPrint() *cobra.Command {
	var sizes sizeFlags
	var list bool
	var file string
	c := &cobra.Command{
		Use:   "print BLOCK",
		Short: "Print a block of the model as Verilog",
		Long: `Print a block of the model as synthesizable Verilog. The text comes from the Go code that the simulator
runs; its comments name the Go statements. It needs no other tool. With --list, list the blocks and
their sizes.`,
		Example: `  divergo rtl print --list
  divergo rtl print compactor --lanes 16 --warps 8
  divergo rtl print pdom -o pdom.v`,
		Args: func(c *cobra.Command, args []string) error {
			if list {
				return exactly(0, "nothing behind --list")(c, args)
			}
			return exactly(1, "the name of a block; --list lists them")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if list {
				return listBlocks(c)
			}
			b, err := blocks.Find(args[0])
			if err != nil {
				return err
			}
			text, err := b.Print(sizes.chosen())
			if err != nil {
				return err
			}
			if file != "" {
				return output.WriteFile(file, []byte(text.Verilog))
			}
			_, err = fmt.Fprint(c.OutOrStdout(), text.Verilog)
			return err
		},
	}
	sizes.add(c)
	c.Flags().BoolVar(&list, "list", false, "list the blocks and their sizes")
	c.Flags().StringVarP(&file, "output", "o", "", "write the Verilog to this file")
	return c
}

// listBlocks prints a line for each block.
func listBlocks(c *cobra.Command) error {
	t := table.New("block", "sizes", "what", "source")
	for _, b := range blocks.All() {
		var sizes []string
		for _, s := range b.Sizes {
			sizes = append(sizes, fmt.Sprintf("%s=%d", s.Name, s.Default))
		}
		t.Row(b.Name, strings.Join(sizes, " "), b.Doc, b.Source)
	}
	_, err := t.WriteTo(c.OutOrStdout())
	return err
}
