//go:build !js

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"divergo/sm/divergence/verilog"
)

func newRTL() *cobra.Command {
	c := &cobra.Command{
		Use:   "rtl",
		Short: "Use your own Verilog divergence unit as a mechanism, or print blocks of the model as Verilog",
		Long: `Use your own Verilog divergence unit as a mechanism: init writes a unit that works, build makes a model
of it with Verilator. The folder is then the name of a mechanism, with a slash in it: "divergo run
bitonic --mech ./unit", "divergo check ./unit". docs/howto/your-own-rtl.md is a tutorial,
docs/reference/rtl-interface.md the specification of the ports.

Or print a block of the model as synthesizable Verilog: see docs/howto/verilog.md.`,
		Args: verbs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRTLInit(), newRTLBuild(), newRTLPrint())
	return c
}

func newRTLInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init DIR",
		Short: "Write a Verilog unit that works into a new folder",
		Long: `Write a Verilog unit that works into a new folder: unit.sv, a reconvergence stack for each warp, and
divergo.sv, the constants of the port specification.`,
		Example: `  divergo rtl init unit`,
		Args:    exactly(1, "the name of a new folder"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := verilog.Init(args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "wrote %s; \"divergo rtl build %[1]s\" builds it\n", args[0])
			return err
		},
	}
}

func newRTLBuild() *cobra.Command {
	var isolated bool
	c := &cobra.Command{
		Use:   "build DIR",
		Short: "Make a model of a Verilog unit with Verilator",
		Long: `Make a model of the unit in the folder, DIR/unit.model, with Verilator, make and g++: of all files *.v
and *.sv in it, divergo.sv first. Verilator's warnings are printed; they do not stop the build.

The model is a shared object that divergo loads. With --isolate it is a program that divergo runs as a
child process, one for each SM: ten times as slow, but its crash ends only the run.`,
		Example: `  divergo rtl build unit
  divergo run bitonic --mech ./unit`,
		Args: exactly(1, "the folder of a unit"),
		RunE: func(c *cobra.Command, args []string) error {
			messages, err := verilog.Build(args[0], isolated)
			if messages != "" {
				fmt.Fprintln(c.ErrOrStderr(), messages)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "built %s; its name as a mechanism is %s\n", args[0], verilog.Name(args[0]))
			return err
		},
	}
	c.Flags().BoolVar(&isolated, "isolate", false, "make a program that runs as a child process")
	return c
}
