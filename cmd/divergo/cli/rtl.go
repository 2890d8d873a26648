package cli

import "github.com/spf13/cobra"

func newRTL() *cobra.Command {
	c := &cobra.Command{
		Use:   "rtl",
		Short: "Print blocks of the model as Verilog",
		Args:  verbs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRTLPrint())
	return c
}
