package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"divergo/gpu"
	"divergo/gpu/area"
	"divergo/internal/papers"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/paths"
	"divergo/units"
)

func init() { Register(papers.PPC, ppcFigures, slices.Concat(ppcClaims, ppcNumbers)) }

// ppcClaims are the claims of paired-path comparison.
var ppcClaims = []Claim{
	{
		ID: "PPC-01", Place: "figures 3 to 5",
		Statement: "PC and threads of a warp of 8, one branch, and one nested in another's path: the smaller PC first; a pair of equal PCs is deleted, and its PC goes to the path below; one pair for each instruction",
		Theirs:    "0/ff 1/0f 2/f0 3/ff; 0/ff 1/0f 2/03 3/03 4/0c 5/0c 7/0f 6/f0 7/f0 8/ff 9/ff",
		Ours: func() (string, error) {
			one, err := trace(micro.Seq(
				micro.At("A", micro.When(micro.FromThread(4), "C")),
				micro.At("B", micro.To("D")),
				micro.At("C", micro.Nop),
				micro.At("D", micro.Exit)))
			if err != nil {
				return "", err
			}
			nested, err := trace(micro.Kernels["K2"])
			return one + "; " + nested, err
		},
	},
	{
		ID: "PPC-02", Place: "section III-A, figure 2",
		Statement: "comparators for equal PCs of a warp of 8: paired-path comparison, a PC for each thread; in brackets the gates of both, synthesized from their Verilog",
		Theirs:    "1 8", Mark: Reconstruction,
		Ours: func() (string, error) {
			var list, gates []int
			for _, mechanism := range []string{"ppc", "ptpc"} {
				c, err := cost(mechanism, divergence.Geometry{Lanes: 8, Warps: 1, CTAs: 1})
				if err != nil {
					return "", err
				}
				n := 0
				for _, l := range c.Logic {
					if l.Kind == units.Equality {
						n += l.Count
					}
				}
				list = append(list, n)
				found, _ := area.Synthesized(c.Logic, 8)
				for _, g := range found {
					gates = append(gates, int(g.Count.Mid))
				}
			}
			return fmt.Sprintf("%s (%s)", spaced(list), spaced(gates)), nil
		},
	},
	{
		ID: "PPC-03", Place: "section IV, figure 6", Benchmarks: true,
		Statement: "activity factor of kernels with unstructured control flow, paired paths against post-dominators: the mean; kernels on which it is below",
		Theirs:    "above; none", Ours: early,
	},
	{
		ID: "PPC-04", Place: "section IV, figure 7",
		Statement: "activity factor of structured kernels, implicit reconvergence against explicit, whose instructions count: the mean",
		Theirs:    "above",
		Ours: func() (string, error) {
			var lanes, all [2]int
			for sample := range uint64(40) {
				for i, mechanism := range []string{"ppc-explicit", "ppc"} {
					r, err := structured(mechanism, sample)
					if err != nil {
						return "", err
					}
					lanes[i], all[i] = lanes[i]+r.Lanes+r.AddedLanes, all[i]+8*(len(r.Issues)+r.Added)
				}
			}
			explicit, implicit := float64(lanes[0])/float64(all[0]), float64(lanes[1])/float64(all[1])
			return fmt.Sprintf("%s (%.1f %%, explicit %.1f %%, 40 random kernels)", order(implicit, explicit),
				100*implicit, 100*explicit), nil
		},
	},
	{
		ID: "PPC-05", Place: "section IV, figure 8",
		Statement: "structured kernels: what the implicit scheme saves are the reconvergence instructions that the explicit one executes",
		Theirs:    always,
		Ours: func() (string, error) {
			saved, all := 0, 0
			verdict, err := forAll(40, func(sample uint64) (string, error) {
				implicit, err := structured("ppc", sample)
				if err != nil {
					return "", err
				}
				explicit, err := structured("ppc-explicit", sample)
				saved, all = saved+explicit.Added, all+explicit.Added+len(explicit.Issues)
				if len(explicit.Issues) != len(implicit.Issues) {
					return fmt.Sprintf("%d instructions of the kernel, explicit %d", len(implicit.Issues),
						len(explicit.Issues)), err
				}
				return "", err
			})
			return fmt.Sprintf("%s (%.1f %% of the instructions of 40 random kernels)", verdict,
				100*float64(saved)/float64(all)), err
		},
	},
	{
		ID: "PPC-06", Place: "section III", Benchmarks: true,
		Statement: "no reconvergence instruction is needed: results of the kernels, instructions inserted",
		Theirs:    "right; 0", Mark: Reconstruction, Ours: implicit,
	},
	{
		ID: "PPC-07", Place: "section III",
		Statement: "structured kernels, laid out in topological order: the warp instructions, each with its threads, are those of a stack with post-dominators",
		Theirs:    always,
		Ours: func() (string, error) {
			verdict, err := forAll(40, func(sample uint64) (string, error) {
				pairs, err := structured("ppc", sample)
				if err != nil {
					return "", err
				}
				stack, err := structured("pdom", sample)
				if !slices.EqualFunc(sorted(pairs.Issues), sorted(stack.Issues),
					func(a, b micro.Issue) bool { return a == b }) {
					return fmt.Sprintf("%d warp instructions, %d with a stack", len(pairs.Issues),
						len(stack.Issues)), err
				}
				return "", err
			})
			return verdict + " (40 random kernels)", err
		},
	},
}

// bench runs a kernel under a mechanism.
func bench(b micro.Bench, o divergence.Options, k micro.Kernel) (micro.Result, error) {
	m, ok := divergence.Find(o.Mechanism)
	if !ok {
		return micro.Result{}, fmt.Errorf("no mechanism %s", o.Mechanism)
	}
	r, err := b.Run(m, o, k, 200_000)
	if err == nil && !r.Done {
		err = fmt.Errorf("%s: threads are left", o.Mechanism)
	}
	return r, err
}

// cost returns the hardware of a mechanism.
func cost(mechanism string, g divergence.Geometry) (divergence.Cost, error) {
	m, ok := divergence.Find(mechanism)
	if !ok {
		return divergence.Cost{}, fmt.Errorf("no mechanism %s", mechanism)
	}
	return m.Cost(gpu.Default().Divergence, g)
}

// trace lists the PC and threads of each instruction of a warp of 8, under paired-path comparison
// as in the paper.
func trace(k micro.Kernel) (string, error) {
	r, err := bench(micro.Bench{Lanes: 8, Warps: 1},
		paths.PPCKeys.With(divergence.Options{Mechanism: "ppc"}, paths.PPCParams{Verbatim: true}), k)
	var list []string
	for _, i := range r.Issues {
		list = append(list, fmt.Sprintf("%d/%02x", i.PC, i.Mask))
	}
	return strings.Join(list, " "), err
}

// structured runs a random kernel with two warps of 8 under a mechanism.
func structured(mechanism string, sample uint64) (micro.Result, error) {
	k := micro.Random(sample, 16, micro.Shape{Structured: true})
	return bench(micro.Bench{Lanes: 8, Warps: 2},
		divergence.Options{Mechanism: mechanism, PathOrder: divergence.TakenFirst}, k)
}

// sorted orders issued instructions by row, PC and threads.
func sorted(issues []micro.Issue) []micro.Issue {
	return slices.SortedFunc(slices.Values(issues), func(a, b micro.Issue) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.PC, b.PC), cmp.Compare(a.Mask, b.Mask))
	})
}

// early compares the activity factor of the unstructured kernels.
func early() (string, error) {
	var below []string
	var mean [2]float64
	for _, kernel := range unstructuredKernels {
		var factor [2]float64
		for i, mechanism := range []string{"pdom", "ppc"} {
			c, err := paired(mechanism).run(kernel, size)
			if err != nil {
				return "", err
			}
			factor[i] = activity(&c)
			mean[i] += factor[i] / float64(len(unstructuredKernels))
		}
		if factor[1] < factor[0] {
			below = append(below, kernel)
		}
	}
	return fmt.Sprintf("%s; %s (%.1f %%; theirs 13.36 %%)", order(mean[1], mean[0]), listed(below),
		100*(mean[1]/mean[0]-1)), nil
}
