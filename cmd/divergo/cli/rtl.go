//go:build !js

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"divergo/blocks"
	"divergo/gpu"
	"divergo/sm/divergence"
	"divergo/sm/divergence/verilog"
)

func newRTL() *cobra.Command {
	c := &cobra.Command{
		Use:   "rtl",
		Short: "Use your own Verilog divergence unit as a mechanism, or print blocks of the model as Verilog",
		Long: `Use your own Verilog divergence unit as a mechanism: init writes a unit that works, build makes a model
of it with Verilator. The folder is then the name of a mechanism, with a slash in it: "divergo run
bitonic --mech ./unit", "divergo check ./unit". score compares what another simulator has recorded.
docs/howto/your-own-rtl.md is a tutorial, docs/reference/rtl-interface.md the specification of the
ports.

Or print a block of the model as synthesizable Verilog: see docs/howto/verilog.md.`,
		Args: verbs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRTLInit(), newRTLBuild(), newRTLScore(), newRTLPrint())
	return c
}

func newRTLInit() *cobra.Command {
	var printed string
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a Verilog unit that works into a new folder",
		Long: `Write a Verilog unit that works into a new folder: unit.sv, a reconvergence stack for each warp;
divergo.sv, the constants of the port specification; and bench/bench.sv, a bench for other simulators.

With --printed the unit is a mechanism of the model in the Verilog that "rtl print" prints. One with
other ports than the unit of a stack has no bench.`,
		Example: `  divergo rtl init unit
  divergo rtl init stack --printed pdom`,
		Args: exactly(1, "the name of a new folder"),
		RunE: func(c *cobra.Command, args []string) error {
			err := error(nil)
			if printed == "" {
				err = verilog.Init(args[0])
			} else if shape, files, e := blocks.Unit(printed); e != nil {
				err = e
			} else {
				err = verilog.InitFrom(args[0], shape, files)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "wrote %s; \"divergo rtl build %[1]s\" builds it\n", args[0])
			return err
		},
	}
	c.Flags().StringVar(&printed, "printed", "", "print this mechanism: "+strings.Join(blocks.Mechanisms(), ", "))
	return c
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

func newRTLScore() *cobra.Command {
	o := gpu.Default().Divergence
	c := &cobra.Command{
		Use:   "score TRACE.csv",
		Short: "Compare what a bench in another simulator has recorded of a unit",
		Long: `Compare what a bench in another simulator has recorded of a unit: the ports at each clock edge. A golden
model moves each thread by itself. With --mech a mechanism in Go gets the same events, and its slots
must be the same in each cycle. The first difference is printed with both sides.

TRACE.csv has the names of the ports in its first line, in any order, without clk, busy and those of
debug. Each further line is an edge, with hexadecimal numbers. bench/bench.sv of "divergo rtl init"
writes one.

Exit codes: 1 the unit differs, 2 the trace is wrong, or breaks a rule of the ports.`,
		Example: `  divergo rtl score trace.csv
  divergo rtl score trace.csv --mech pdom`,
		Args: exactly(1, "a trace"),
		RunE: func(c *cobra.Command, args []string) error {
			var mech *divergence.Mechanism
			if c.Flags().Changed("mech") {
				m, err := divergence.Open(o.Mechanism)
				if err != nil {
					return err
				}
				mech = &m
			}
			s, err := verilog.Score(args[0], mech, o)
			var unlike *verilog.Difference
			switch {
			case errors.As(err, &unlike):
				return fmt.Errorf("%w: %w", errCheck, err)
			case err != nil:
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "equal: %d clock edges, %d instructions, %d warps, %d of them not retired\n",
				s.Edges, s.Issued, s.Warps, s.Left)
			return err
		},
	}
	c.Flags().StringVar(&o.Mechanism, "mech", "", "compare with mechanism `NAME` in each cycle; \"divergo list mechanisms\"")
	return c
}
