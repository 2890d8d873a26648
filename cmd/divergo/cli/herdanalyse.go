package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"divergo/isa"
	"divergo/isa/safety"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/ptx"
)

func newHerd() *cobra.Command {
	c := &cobra.Command{
		Use:   "herd analyse|profile",
		Short: "Find the branches and loads of a kernel that can be herded, and those that pay",
		Long: `Herding leads all threads of a warp where most of them want to go, or to the block of memory that
most of them want to read, and accepts errors in the result (Sartori & Kumar, Branch and Data
Herding, 2012). "analyse" finds what can be herded without a fault, a deadlock or an endless loop;
"profile" measures which of that makes a kernel faster, and what it costs.`,
		Example: `  divergo herd analyse mandelbrot
  divergo herd profile mandelbrot --out mandelbrot.json
  divergo run mandelbrot --herd mandelbrot.json`,
		Args: verbs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newAnalyse(), newProfile())
	return c
}

func newAnalyse() *cobra.Command {
	var kernel string
	var asJSON bool
	c := &cobra.Command{
		Use:   "analyse KERNEL|FILE.ptx",
		Short: "Say of each branch and load whether it is safe to herd, or what depends on it",
		Long: `Say of each branch and load whether herding it can only change the results, or can lead to a fault,
a deadlock or an endless loop: then the chain of instructions follows from it to an operation that
is vulnerable. All safe ones are safe together.

A link of a chain says how an instruction depends on the one before: "value" reads what it writes,
"selects" reads one of several definitions, as the branch decides, "controls" is executed or not, as
the branch decides, "memory" loads from the array that it writes, "warp" depends on which threads
are together.`,
		Example: `  divergo herd analyse mandelbrot
  divergo herd analyse k.ptx --kernel scale --json`,
		Args: exactly(1, "a PTX file or a kernel (\"divergo list kernels\")"),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := targetPrograms(args[0], kernel)
			if err != nil {
				return err
			}
			var reports []*safety.Report
			for _, p := range list {
				reports = append(reports, safety.Analyze(p))
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), analysisJSON(args[0], reports))
			}
			for i, r := range reports {
				if i > 0 {
					fmt.Fprintln(c.OutOrStdout())
				}
				printAnalysis(c.OutOrStdout(), r)
			}
			return nil
		},
	}
	c.Flags().StringVar(&kernel, "kernel", "", "entry `NAME` to analyse; all if not given")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// targetPrograms returns the named entry of a file or built-in kernel, or all entries.
func targetPrograms(target, kernel string) ([]*isa.Program, error) {
	k, unknown := kernels.Find(target)
	if unknown != nil {
		if !isFile(target) {
			return nil, unknown
		}
		return programs(target, kernel)
	}
	module := k.Name + ".ptx"
	names := []string{kernel}
	if kernel == "" {
		var err error
		if names, err = runner.Entries(k); err != nil {
			return nil, err
		}
	}
	var list []*isa.Program
	built := make(runner.Programs)
	for _, name := range names {
		p, err := built.Program(module, name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// printAnalysis writes the verdicts about a kernel. Each unsafe instruction comes with its chain of
// dependences.
func printAnalysis(w io.Writer, r *safety.Report) {
	branches, loads := r.Safe()
	fmt.Fprintf(w, "kernel %s: %d of %d branches and %d of %d loads are safe to herd\n", ptx.Demangled(r.Prog.Name),
		len(branches), len(r.Branches), len(loads), len(r.Loads))
	line := func(indent string, word string, pc uint32) {
		left := fmt.Sprintf("%s%-9s %5d  %s", indent, word, pc, r.Prog.Mnemonic(pc))
		fmt.Fprintf(w, "%-68s  %s\n", left, r.Prog.Where(pc))
	}
	section := func(name string, list []safety.Verdict) {
		if len(list) > 0 {
			fmt.Fprintf(w, "\n%s\n", name)
		}
		for i := range list {
			v := &list[i]
			if v.Safe {
				line("  ", "safe", v.PC)
				continue
			}
			line("  ", "unsafe", v.PC)
			for _, s := range v.Chain[min(1, len(v.Chain)):] {
				line("    ", s.Link.String(), s.PC)
			}
			fmt.Fprintf(w, "      because of: %v\n", v.Danger)
		}
	}
	section("branches", r.Branches)
	section("loads", r.Loads)
}

// verdictJSON is a branch or load of an analysis.
type verdictJSON struct {
	PC      uint32     `json:"pc"`
	Text    string     `json:"text"`
	Where   string     `json:"where"`
	Safe    bool       `json:"safe"`
	Uniform bool       `json:"uniform,omitempty"` // never diverges in a CTA
	Danger  string     `json:"danger,omitempty"`
	Chain   []stepJSON `json:"chain,omitempty"`
}

// stepJSON is an instruction of a chain.
type stepJSON struct {
	PC    uint32 `json:"pc"`
	Link  string `json:"link,omitempty"` // how the instruction depends on the one before
	Text  string `json:"text"`
	Where string `json:"where"`
}

func analysisJSON(target string, reports []*safety.Report) map[string]any {
	list := []map[string]any{}
	for _, r := range reports {
		verdicts := func(of []safety.Verdict) []verdictJSON {
			all := []verdictJSON{}
			for _, v := range of {
				j := verdictJSON{
					PC: v.PC, Text: r.Prog.Mnemonic(v.PC), Where: r.Prog.Where(v.PC), Safe: v.Safe,
					Uniform: r.Prog.Insts[v.PC].Uniform, Danger: v.Danger.String(),
				}
				for i, s := range v.Chain {
					step := stepJSON{PC: s.PC, Text: r.Prog.Mnemonic(s.PC), Where: r.Prog.Where(s.PC)}
					if i > 0 {
						step.Link = s.Link.String()
					}
					j.Chain = append(j.Chain, step)
				}
				all = append(all, j)
			}
			return all
		}
		list = append(list, map[string]any{
			"name": r.Prog.Name, "demangled": ptx.Demangled(r.Prog.Name), "branches": verdicts(r.Branches),
			"loads": verdicts(r.Loads),
		})
	}
	return map[string]any{"schema": schema("herd.analyse"), "target": target, "kernels": list}
}
