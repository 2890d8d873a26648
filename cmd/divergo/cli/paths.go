package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"divergo/experiments"
	"divergo/internal/table"
	"divergo/isa"
	"divergo/units"
)

// runsNothing refuses the flags of a simulated machine, for an analysis that runs none.
func runsNothing(c *cobra.Command) error {
	for _, name := range []string{
		"vcd", "svg", "verify", "lanes", "workers", "max-cycles", "mech", "profile", "fast",
		"sample", "pad",
	} {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--paths runs the golden model, with all lane permutations: --%s has no meaning for it",
				name)
		}
	}
	return nil
}

// comparePaths prints what compaction can gain at the branches of a kernel.
func (f *compareFlags) comparePaths(c *cobra.Command, of *subject, warpSize int) error {
	if err := runsNothing(c); err != nil {
		return err
	}
	p, err := of.paths(warpSize)
	if err != nil {
		return err
	}
	w := c.OutOrStdout()
	if f.json {
		totals := map[string]any{}
		for _, class := range branchClasses {
			t := p.Total(class)
			totals[class.String()] = tallyJSON(&t)
		}
		branches := []map[string]any{}
		for i := range p.Branches {
			b := &p.Branches[i]
			j := tallyJSON(&b.Tally)
			j["kernel"], j["pc"], j["where"], j["text"], j["class"] = b.Prog.Name, b.PC, b.Prog.Where(b.PC),
				b.Prog.Mnemonic(b.PC), b.Class.String()
			branches = append(branches, j)
		}
		return printJSON(w, map[string]any{
			"schema": schema("compare.paths"), "kernel": of.name, "size": of.size, "seed": f.seed,
			"warp_size": p.WarpSize,
			"branches":  branches, "totals": totals,
		})
	}
	fmt.Fprintf(w, "%s: %s\n", strings.TrimSpace(of.name+" "+of.size), of.doc)
	return printPaths(w, p)
}

// branchClasses are the classes of branches that threads can take or not take.
var branchClasses = []isa.Class{isa.ClassProgrammatic, isa.ClassData}

// printPaths writes the warps of the paths of each branch and class. The compaction rates follow.
func printPaths(w io.Writer, p *experiments.Paths) error {
	warps := table.New(append(pathHeader("branch", "pc", "class", "executed", "divergent", "paths", "static"),
		"ideal")...)
	rates := table.New(append(pathHeader("branch", "pc", "class", "paths"), "ideal")...)
	row := func(name string, pc any, class isa.Class, executed, divergent any, n *experiments.Warps) {
		sum, rate := []any{name, pc, class, executed, divergent, n.Paths, n.Static}, []any{name, pc, class, n.Paths}
		for _, need := range append(n.Compacted[:len(n.Compacted):len(n.Compacted)], n.Ideal) {
			sum, rate = append(sum, need.Warps), append(rate, n.Rate(need))
		}
		warps.Row(sum...)
		rates.Row(rate...)
	}
	for i := range p.Branches {
		if b := &p.Branches[i]; b.Divergent > 0 {
			row(b.Prog.Where(b.PC), b.PC, b.Class, b.Instances, b.Divergent, &b.All)
		}
	}
	for _, class := range branchClasses {
		t := p.Total(class)
		if t.Divergent == 0 {
			continue
		}
		row("total", "-", class, t.Instances, t.Divergent, &t.All)
		row("  that do not wait at the join", "-", class, "-", "-", &t.Work)
		for i := range t.Quartiles {
			if t.Quartiles[i].Paths > 0 {
				row(fmt.Sprintf("  with %d to %d %% of the threads", 25*i, 25*(i+1)), "-", class, "-", "-",
					&t.Quartiles[i])
			}
		}
	}
	fmt.Fprintf(w, "\nWarps of %d that the paths of divergent branches need, in sum:\n\n", p.WarpSize)
	if _, err := warps.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nCompaction rate, the part of the paths that need fewer warps than without compaction:\n\n")
	_, err := rates.WriteTo(w)
	return err
}

func pathHeader(columns ...string) []string {
	for _, p := range units.Permutations() {
		columns = append(columns, string(p))
	}
	return columns
}

func tallyJSON(t *experiments.Tally) map[string]any {
	var quartiles []any
	for i := range t.Quartiles {
		quartiles = append(quartiles, warpsJSON(&t.Quartiles[i]))
	}
	return map[string]any{
		"executed": t.Instances, "divergent": t.Divergent,
		"paths": warpsJSON(&t.All), "paths_off_join": warpsJSON(&t.Work), "paths_by_quartile": quartiles,
	}
}

func warpsJSON(n *experiments.Warps) map[string]any {
	warps := map[string]int{"static": n.Static, "ideal": n.Ideal.Warps}
	rate := map[string]float64{"ideal": n.Rate(n.Ideal)}
	for i, p := range units.Permutations() {
		if n.Paths > 0 {
			warps[string(p)], rate[string(p)] = n.Compacted[i].Warps, n.Rate(n.Compacted[i])
		}
	}
	return map[string]any{"paths": n.Paths, "warps": warps, "rate": rate}
}
