package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"divergo/gpu"
	"divergo/internal/nearest"
	"divergo/testbench"
	"divergo/testbench/verify"
)

// The exit codes of the command's documentation.
const (
	exitOK          = 0
	exitCheck       = 1
	exitUsage       = 2
	exitProgram     = 4
	exitInterrupted = 130
)

// errCheck marks a result that differs from its reference.
var errCheck = errors.New("the result is wrong")

// errInterrupted ends a check after Ctrl-C.
var errInterrupted = errors.New("interrupted")

// exitCode maps an error to the exit code of its kind.
func exitCode(err error) int {
	var outcome *testbench.Outcome
	var mismatch *verify.Mismatch
	var program programExit
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted), errors.As(err, &outcome) && outcome.End == gpu.Stopped:
		return exitInterrupted
	case errors.As(err, &program):
		return program.code
	case isFailure(err):
		return exitCheck
	case errors.As(err, &outcome):
		return exitProgram
	case errors.Is(err, errCheck), errors.Is(err, errRaces), errors.Is(err, errDiffers), errors.As(err, &mismatch):
		return exitCheck
	}
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "divergo",
		Short: "Clocked models of SIMT divergence hardware",
		Long: `divergo runs PTX kernels on clocked models of the hardware that GPUs use, or could use, when the
threads of a warp take different paths. It gives exact results, cycle counts, statistics and
waveforms.

The answer goes to standard output, everything else to standard error. Exit codes: 0 done; 1 a check
failed; 2 usage, configuration or PTX error, or a file that could not be written; 4 the simulated
program failed (fault, deadlock, endless loop, watchdog); 130 interrupted.`,
		Example: `  divergo run vecadd
  divergo run k.ptx --grid 4 --block 256 --arg buf:iota:u32:1024 --arg u32:1024 --dump 0=out.bin
  divergo compare bitonic
  divergo check tbc --runs 100
  divergo list kernels`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          verbs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommand(newHelp())
	root.AddCommand(newRun(), newCompare(), newList(), newDis(), newWave(), newTrace(), newView(),
		newCuda(), newReproduce(), newHerd(), newCost(), newBench(), newVersion())
	root.AddCommand(localVerbs()...)
	return root
}

// verbs reports a misspelt verb and suggests others.
func verbs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return nearest.Unknown("verb", args[0], names)
}

// flagError explains a misspelt flag or a value that does not fit its flag.
func flagError(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		name := "--" + missing.GetSpecifiedName()
		if short := missing.GetSpecifiedShortnames(); short != "" {
			name = "-" + short
		}
		if others := verbsWith(c, missing.GetSpecifiedName()); others != "" && nearest.Word(name, names) == "" {
			return fmt.Errorf("%s has no %s; %s", c.CommandPath(), name, others)
		}
		return nearest.Unknown("flag", name, names)
	case errors.As(err, &value):
		want := value.GetFlag().Value.Type()
		if words, ok := flagTypes[want]; ok {
			want = words
		}
		return fmt.Errorf("--%s %q: want %s", value.GetFlag().Name, value.GetValue(), want)
	}
	return fmt.Errorf("%w; \"%s --help\" explains the flags", err, c.CommandPath())
}

// verbsWith names the other verbs with a flag; "" if there are none.
func verbsWith(c *cobra.Command, flag string) string {
	var have []string
	var visit func(v *cobra.Command)
	visit = func(v *cobra.Command) {
		if v != c && v.IsAvailableCommand() && v.Flags().Lookup(flag) != nil {
			have = append(have, strings.TrimPrefix(v.CommandPath(), c.Root().Name()+" "))
		}
		for _, sub := range v.Commands() {
			visit(sub)
		}
	}
	visit(c.Root())
	if len(have) == 0 {
		return ""
	}
	return "it is a flag of " + strings.Join(have, ", ")
}

// flagTypes describes the values of flags, by pflag's type name.
var flagTypes = map[string]string{
	"int": "a whole number", "intSlice": "whole numbers, as in 8,16,32", "uint32": "a number from 0 on", "uint64": "a number from 0 on",
	"bool": "true or false", "duration": "a time such as 90s or 10m",
}

// newHelp returns cobra's help, which also explains a misspelt verb.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Explain a verb",
		RunE: func(c *cobra.Command, args []string) error {
			verb, rest, err := c.Root().Find(args)
			switch {
			case err != nil || verb == c.Root() && len(rest) > 0:
				return verbs(c.Root(), args)
			case len(rest) > 0 && verb.HasAvailableSubCommands():
				return verbs(verb, rest)
			case len(rest) > 0:
				return fmt.Errorf("%s: found %q behind %q", c.CommandPath(), rest[0], verb.CommandPath())
			}
			return verb.Help()
		},
	}
}

// exactly requires n arguments; what describes them.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return fmt.Errorf("%s: want %s", c.CommandPath(), what)
		case len(args) > n:
			return fmt.Errorf("%s: found %q behind %s; names in a list have a comma between them, no space", c.CommandPath(), args[n], what)
		}
		return nil
	}
}
