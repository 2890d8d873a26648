package experiments

import (
	"cmp"
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/kernels"
	"divergo/testbench"
	"divergo/units"
)

// tallied returns the benchmarks that have paths of a class, with their tallies.
func tallied(class isa.Class) (names []string, of []Tally, err error) {
	measured, err := measureAll()
	if err != nil {
		return nil, nil, err
	}
	for i, b := range benchmarks {
		if t := measured[i].Total(class); t.Divergent > 0 {
			names, of = append(names, b.name), append(of, t)
		}
	}
	return names, of, nil
}

// ratesOf returns the compaction rates of a benchmark in per cent, under permutations. The ideal
// rate comes last.
func ratesOf(w *Warps, perms ...units.Permutation) (list []float64) {
	for _, p := range perms {
		list = append(list, 100*w.Rate(w.Under(p)))
	}
	return append(list, 100*w.Rate(w.Ideal))
}

// classed counts the benchmarks with divergent branches of each class.
func classed() (string, error) {
	p, _, err := tallied(isa.ClassProgrammatic)
	if err != nil {
		return "", err
	}
	d, _, err := tallied(isa.ClassData)
	return fmt.Sprintf("%s (P in %d, D in %d of %d: %s; theirs 15 and 9 of 18)",
		order(float64(len(p)), float64(len(d))), len(p), len(d), len(benchmarks), spaced(d)), err
}

// unmatched lists the benchmarks with compactable P-paths that Balanced does not compact.
func unmatched() (string, error) {
	names, of, err := tallied(isa.ClassProgrammatic)
	var list []string
	var detail []float64
	for i, name := range names {
		if r := ratesOf(&of[i].All, units.Balanced); r[0] < r[1] {
			list, detail = append(list, name), append(detail, r...)
		}
	}
	return fmt.Sprintf("%s (%.1f)", listed(list), detail), err
}

// crowded compares Rev_WID with Balanced on the P-paths with at least half of a CTA's threads.
func crowded(list ...string) (string, error) {
	names, of, err := tallied(isa.ClassProgrammatic)
	var words []string
	var detail []float64
	for _, name := range list {
		i := slices.Index(names, name)
		if i < 0 {
			return name + " has no P-branches", err
		}
		half := of[i].Quartiles[2]
		half.Add(&of[i].Quartiles[3])
		r := ratesOf(&half, units.RevWID, units.Balanced)
		words, detail = append(words, order(r[0], r[1])), append(detail, r[:2]...)
	}
	return fmt.Sprintf("%s (%.1f)", spaced(words), detail), err
}

// dataRates returns the mean rates of D-branches over the benchmarks of a list that have
// compactable ones. An empty list means all.
func dataRates(list []string, perms ...units.Permutation) (mean []float64, none []string, err error) {
	names, of, err := tallied(isa.ClassData)
	mean = make([]float64, len(perms)+1)
	n := 0.0
	for i, name := range names {
		r := ratesOf(&of[i].All, perms...)
		if r[len(perms)] == 0 || list != nil && !slices.Contains(list, name) {
			continue
		}
		if r[0] == 0 {
			none = append(none, name)
		}
		for k := range mean {
			mean[k] += r[k]
		}
		n++
	}
	for k := range mean {
		mean[k] /= n
	}
	return mean, none, err
}

// behind lists two groups of benchmarks. In the first, Balanced compacts fewer than 97.9 % of the
// D-paths of the best permutation. In the second, its rate is more than a point below that of no
// permutation.
func behind() (string, error) {
	names, of, err := tallied(isa.ClassData)
	var list, impaired []string
	for i, name := range names {
		all := &of[i].All
		best, balanced := 0.0, all.Rate(all.Under(units.Balanced))
		for _, p := range permuted {
			best = max(best, all.Rate(all.Under(p)))
		}
		if balanced < .979*best {
			list = append(list, name)
		}
		if balanced < all.Rate(all.Under(units.Sequential))-.01 {
			impaired = append(impaired, name)
		}
	}
	return fmt.Sprintf("%s; %s", listed(list), listed(impaired)), err
}

// lanesUsed returns the SIMD utilization of each benchmark on the paper's machine: without
// compaction, ideally compacted, and under each permutation of the figures.
func lanesUsed() (of [][]float64, err error) {
	for _, b := range benchmarks {
		var row []float64
		for _, s := range append([]setup{slp("pdom", units.Sequential), slp("tbc-ideal", units.Sequential)},
			lanes("tbc")...) {
			o, err := b.run(s)
			if err != nil {
				return nil, err
			}
			row = append(row, efficiency(&o.Counters))
		}
		of = append(of, row)
	}
	return of, nil
}

// The columns of lanesUsed.
const (
	withoutTBC = iota
	ideally
	permutedFirst
)

// column returns the column of a permutation.
func column(p units.Permutation) int { return permutedFirst + slices.Index(permuted, p) }

// coherentOnes lists the benchmarks that use 99 % of their lanes.
func coherentOnes() (string, error) {
	of, err := lanesUsed()
	var list []string
	lowest, highest := 1., 0.
	for i, row := range of {
		if row[withoutTBC] > .99 {
			list = append(list, benchmarks[i].name)
		}
		lowest, highest = min(lowest, row[withoutTBC]), max(highest, row[withoutTBC])
	}
	return fmt.Sprintf("%s (%d benchmarks, %.1f to %.1f %%)", listed(list), len(of), 100*lowest, 100*highest), err
}

// gains counts the benchmarks that gain by ideal compaction.
func gains() (string, error) {
	of, err := lanesUsed()
	noticeable, little := 0, 0
	for _, row := range of {
		switch gain := row[ideally] / row[withoutTBC]; {
		case gain >= 1.02:
			noticeable++
		case gain > 1.001:
			little++
		}
	}
	return fmt.Sprintf("%s half (%d, and %d less, of %d; theirs 11 and 3 of 18)",
		order(float64(noticeable), float64(len(of))/2), noticeable, little, len(of)), err
}

// idealGains compares two benchmarks.
func idealGains() (string, error) {
	of, err := lanesUsed()
	gain := func(name string) float64 {
		row := of[slices.IndexFunc(benchmarks, func(b benchmark) bool { return b.name == name })]
		return 100 * (row[ideally]/row[withoutTBC] - 1)
	}
	if err != nil {
		return "", err
	}
	fdtd3d, lps := gain("FDTD3D"), gain("LPS")
	return fmt.Sprintf("%s; %s (%.0f %% %.0f %%; theirs 17 %% 13 %%)", order(lps, 0), order(fdtd3d, lps), fdtd3d,
		lps), nil
}

// usedMost orders the permutations by mean SIMD utilization. For each benchmark of the list it
// compares Rev_WID with Balanced.
func usedMost(list ...string) (string, error) {
	of, err := lanesUsed()
	perms := []units.Permutation{units.Sequential, units.OddEven, units.RevWID, units.Balanced}
	mean := make([]float64, len(perms))
	var words []string
	none := 0.0
	for i, row := range of {
		for k, p := range perms {
			mean[k] += row[column(p)]
		}
		none += row[withoutTBC]
		if slices.Contains(list, benchmarks[i].name) {
			words = append(words, order(row[column(units.RevWID)], row[column(units.Balanced)]))
		}
	}
	at := []int{0, 1, 2, 3}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	var sorted []units.Permutation
	var over []float64
	for k := range perms {
		sorted, over = append(sorted, perms[at[k]]), append(over, 100*(mean[k]/none-1))
	}
	return fmt.Sprintf("%s; %s (+%.1f %% over none; theirs 3.9 6 8.8 11.3)", spaced(sorted), spaced(words), over), err
}

// notBest lists two groups of benchmarks. In the first, Balanced uses less than 99.4 % of the lanes
// of the best permutation. In the second, its utilization is more than 0.001 below that of no
// permutation.
func notBest() (string, error) {
	of, err := lanesUsed()
	var list, harmed []string
	for i, row := range of {
		balanced := row[column(units.Balanced)]
		if balanced < .994*slices.Max(row[permutedFirst:]) {
			list = append(list, benchmarks[i].name)
		}
		if balanced < row[column(units.Sequential)]-.001 {
			harmed = append(harmed, benchmarks[i].name)
		}
	}
	return fmt.Sprintf("%s; %s", listed(list), listed(harmed)), err
}

// missed measures the growth of L1 and L2 misses with Balanced on CAPRI, in per cent, as the mean
// of the benchmarks.
func missed(list ...string) (string, error) {
	var l1, l2 []float64
	for _, b := range timed {
		if !slices.Contains(list, b.name) {
			continue
		}
		none, err := slp("pdom", units.Sequential).run(b.kernel, size)
		if err != nil {
			return "", err
		}
		balanced, err := slp("capri", units.Balanced).run(b.kernel, size)
		if err != nil {
			return "", err
		}
		misses := func(c *testbench.Counters) float64 { return float64(c.L1.LoadMisses + c.L1.Merges) }
		l1 = append(l1, 100*(misses(&balanced)/misses(&none)-1))
		l2 = append(l2, 100*(float64(balanced.L2.Misses)/float64(none.L2.Misses)-1))
	}
	most := slices.Index(l1, slices.Max(l1))
	var names []string
	for _, b := range timed {
		if slices.Contains(list, b.name) {
			names = append(names, b.name)
		}
	}
	a, b := arithmetic(l1), arithmetic(l2)
	return fmt.Sprintf("%s 0; %s; %s 5 %% (L1 %+.1f %%, L2 %+.1f %%; theirs 6.9, at most 20, and 1.3; %s %+.1f)",
		order(a, 0), names[most], order(b, 5), a, b, spaced(names), l1), nil
}

// consistently lists the kernels that run slower with CAPRI than with TBC on the paper's machine.
// It also lists the unstructured ones that do on another machine.
func consistently() (string, error) {
	var list []string
	var ratios []float64
	for _, kernel := range slices.Concat(kernelsOf(timed), []string{"vecadd", "histogram", "sobelfilter"}) {
		r, err := faster(kernel, slp("tbc", units.Balanced), slp("capri", units.Balanced))
		if err != nil {
			return "", err
		}
		if ratios = append(ratios, r); r < .99 {
			list = append(list, fmt.Sprintf("%s %.3f", kernel, r))
		}
	}
	var unstructured []string
	var others []float64
	c, err := capriMachine("tbc", 0)
	if err != nil {
		return "", err
	}
	for _, name := range unstructuredKernels {
		k, err := kernels.Find(name)
		if err != nil {
			return "", err
		}
		medium, err := k.Size(size)
		if err != nil {
			return "", err
		}
		r, err := overTBC(c, medium)
		if err != nil {
			return "", err
		}
		if others = append(others, r); r < .99 {
			unstructured = append(unstructured, name)
		}
	}
	return fmt.Sprintf("%s; %s (%d kernels, %.3f to %.3f; %.3f)", listed(list), listed(unstructured), len(ratios),
		slices.Min(ratios), slices.Max(ratios), others), nil
}

// kernelsOf returns the kernels of benchmarks.
func kernelsOf(list []benchmark) (names []string) {
	for _, b := range list {
		names = append(names, b.kernel)
	}
	return names
}
