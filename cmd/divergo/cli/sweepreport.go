//go:build !js

package cli

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"divergo/gpu/area"
	"divergo/internal/output"
	"divergo/internal/sample"
	"divergo/sweep/report"
)

// reportFlags are the flags of sweep report.
type reportFlags struct {
	sweepFlags
	out, latex, mean string
	baseline         []string
	budget           float64
	node             int
	json             bool
}

func newSweepReport() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report PLAN.toml",
		Short: "Compare the machines of a sweep: speed against area",
		Long: `Say which machine of a sweep is the fastest within a budget of area, which ones are on the Pareto front
of speed and area, and how much of the variance of speed each axis explains. -o writes a page for a
browser with every machine, its speed on each kernel and the commands that run it. The page is one
file, which needs neither a server nor a network.

Speed is relative to a baseline, the first machine of the plan unless --baseline names values of it.
The mean over kernels is geometric unless --mean names another one. With several seeds, intervals
have a confidence of 95 % (Student's t over seeds). Areas are those of "divergo cost".

A machine is compared if each kernel has finished on it with each seed. What is left out is listed.

Exit codes: 2 the plan is wrong, there are no results, or a file could not be written.`,
		Example: `  divergo sweep report plan.toml -o plan.html
  divergo sweep report plan.toml --budget 150 --baseline mechanism=pdom
  divergo sweep report plan.toml --mean harmonic --latex best.tex`,
		Args: exactly(1, "a plan file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.addStore(c)
	c.Flags().StringVarP(&f.out, "output", "o", "", "write the page to `FILE.html`")
	c.Flags().StringVar(&f.latex, "latex", "", "write a table of the fastest machines to `FILE.tex`")
	c.Flags().Float64Var(&f.budget, "budget", 0, "largest `AREA` in mm2 of the fastest machines; 0: no limit")
	c.Flags().StringVar(&f.mean, "mean", string(sample.Geometric), "mean over kernels and seeds: `geometric|harmonic|arithmetic`")
	c.Flags().StringSliceVar(&f.baseline, "baseline", nil,
		"compare with the first machine that has these values: `AXIS=VALUE,...`; the first of the plan if not given")
	c.Flags().IntVar(&f.node, "node", 28, "process technology of the areas in `NM`: 65, 28 or 7")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return c
}

func (f *reportFlags) run(c *cobra.Command, name string) error {
	if !(f.budget >= 0) || math.IsInf(f.budget, 0) {
		return fmt.Errorf("--budget %g: want an area in mm2, or 0 for no limit", f.budget)
	}
	mean, err := sample.FindMean(f.mean)
	if err != nil {
		return fmt.Errorf("--mean: %w", err)
	}
	node, err := area.FindNode(f.node)
	if err != nil {
		return fmt.Errorf("--node: %w", err)
	}
	var files output.Set
	defer files.Discard()
	files.Reads("the plan", name)
	plan, store, err := f.look(name)
	if err != nil {
		return err
	}
	study, err := report.Read(plan, store, node)
	if err != nil {
		return err
	}
	r, err := report.New(study, report.Options{Budget: f.budget, Mean: mean, Baseline: f.baseline})
	if err != nil {
		return err
	}
	page, err := newPicture(&files, "-o", f.out, ".html")
	if err != nil {
		return err
	}
	latex, err := newPicture(&files, "--latex", f.latex, ".tex")
	if err != nil {
		return err
	}
	if err := errors.Join(page.keep(r.WritePage), latex.keep(r.WriteLaTeX)); err != nil {
		return err
	}
	if f.json {
		return printJSON(c.OutOrStdout(), r.Answer(schema("sweep-report")))
	}
	return r.WriteText(c.OutOrStdout())
}
