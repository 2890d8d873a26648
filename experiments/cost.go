package experiments

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"divergo/internal/papers"
	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
)

func init() { Register(papers.Cost, costFigures, costClaims) }

// costClaims are the claims about the cost of divergence with synchronisation tokens. If a claim
// names no other listing of the paper, it runs kernels loop1 and loop2 on the presets, with M = 0
// to 31.
var costClaims = []Claim{
	{
		ID: "COST-01", Place: "section IV", Benchmarks: true,
		Statement: "single loop: tokens pushed and popped, and the longest stack, are M+1",
		Theirs:    always,
		Ours: eachPattern(1, func(m uint64, r *loopRun) string {
			return unless(r.stats.Pushes == m+1 && r.stats.Pops == m+1 && r.stats.MaxDepth == m+1, "%d, %d and %d",
				r.stats.Pushes, r.stats.Pops, r.stats.MaxDepth)
		}),
	},
	{
		ID: "COST-02", Place: "section IV", Benchmarks: true,
		Statement: "single loop: executed instructions that a thread which leaves early adds",
		Theirs:    "1", Ours: steps("kepler", 1, patterns-1, func(r *loopRun) uint64 { return r.issued }),
	},
	{
		ID: "COST-03", Place: "section IV, listing 3, figure 3",
		Statement: "walk-through, M = 2: active threads, and the stack as threads@PC with its top first, after each change",
		Theirs: "ffffffff; ffffffff: ffffffff@128; 7fffffff: 80000000@120 ffffffff@128; 3fffffff: 40000000@120 80000000@120 ffffffff@128; " +
			"40000000: 80000000@120 ffffffff@128; 80000000: ffffffff@128; ffffffff",
		Ours: walkThrough,
	},
	{
		ID: "COST-04", Place: "section IV", Statement: "single loop: least M with a spill", Benchmarks: true,
		Theirs: "16", Ours: leastSpill(1),
	},
	{
		ID: "COST-05", Place: "section IV", Statement: "single loop: spills from M = 16 on, one more every 4 steps", Benchmarks: true,
		Theirs: "1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4", Ours: values(1, 16,
			func(r *loopRun) uint64 { return r.stats.Spills }),
	},
	{
		ID: "COST-06", Place: "sections IV and V", Benchmarks: true,
		Statement: "double loop: the longest stack is M+2; least M with a spill, so that 14 threads may diverge without one",
		Theirs:    always + "; 15",
		Ours: both(
			eachPattern(2, func(m uint64, r *loopRun) string {
				return unless(r.stats.MaxDepth == m+2, "%d",
					r.stats.MaxDepth)
			}),
			leastSpill(2)),
	},
	{
		ID: "COST-07", Place: "section IV, listing 4", Benchmarks: true,
		Statement: "double loop: tokens pushed are 33 + M(65-M)/2 (the paper's formula is lost; this is that of its listing)",
		Theirs:    always,
		Ours: eachPattern(2, func(m uint64, r *loopRun) string {
			return unless(r.stats.Pushes == 33+m*(65-m)/2, "%d", r.stats.Pushes)
		}),
	},
	{
		ID: "COST-08", Place: "section IV, figure 6", Benchmarks: true,
		Statement: "double loop: spills from M = 15 on, if 4 tokens come back when the first of them is popped (by the paper's emulator; the figure is lost)",
		Theirs:    "20 19 18 17 36 34 32 30 48 45 42 39 56 52 48 44 60", Ours: values(2, 15,
			func(r *loopRun) uint64 { return r.stats.Spills }),
	},
	{
		ID: "COST-09", Place: "section IV, figure 6", Benchmarks: true,
		Statement: "both loops: instructions that spill, which the paper takes to be issued again and counted as branches, are as many as spills",
		Theirs:    always + "; " + always, Ours: both(eachPattern(1, spillsOnce), eachPattern(2, spillsOnce)),
	},
	{
		ID: "COST-10", Place: "section IV, figure 1", Benchmarks: true,
		Statement: "single loop, M up to 15: cycles for each diverging branch, Kepler and Maxwell (a cost of the presets)",
		Theirs:    "32; 26", Mark: Set, Ours: both(steps("kepler", 1, 15, cycles), steps("maxwell", 1, 15, cycles)),
	},
	{
		ID: "COST-11", Place: "section IV", Benchmarks: true,
		Statement: "single loop, M = 16: cycles beyond that for the spill and its way back, Kepler and Maxwell (costs of the presets)",
		Theirs:    "84; 176", Mark: Set, Ours: both(spillCost("kepler"), spillCost("maxwell")),
	},
	{
		ID: "COST-12", Place: "section IV-A", Benchmarks: true,
		Statement: "single loop on Kepler, M up to 15: cycles that a round of the loop takes longer when its branch diverges; cycles of an unwinding step",
		Mark:      Set, Theirs: "0; 32", Ours: func() (string, error) { return timeline(1, 15) },
	},
	{
		ID: "COST-13", Place: "section IV-A", Benchmarks: true,
		Statement: "single loop on Kepler, M from 16 on: the same with a spill, and beyond the 32 with a way back: the paper's 42 or so, and of its 84 what is left for the branch, 40 or so (costs of the preset)",
		Mark:      Set, Theirs: "0 42; 32 74", Ours: func() (string, error) { return timeline(16, patterns-1) },
	},
	{
		ID: "COST-14", Place: "section IV-A, listings 5 and 6",
		Statement: "unwinding steps before thread 0 reads the clock behind the loop: without and with __syncthreads",
		Theirs:    "0; M+1", Ours: lastReading,
	},
	{
		ID: "COST-16", Place: "section IV, figures 1, 2 and 7", Benchmarks: true,
		Statement: "cycles beyond those of M = 0 on Kepler and Maxwell, predicted from COST-10 and COST-11: single loop, M = 31; double loop, M = 14; double loop, M = 31",
		Mark:      Set, Theirs: "1328 1510; 11424 9282; 21904 24262", Ours: predictions,
	},
	{
		ID: "COST-17", Place: "sections III and IV",
		Statement: "bits of a token in memory, and of its mask; bytes that move together",
		Theirs:    "64 32; 32", Ours: tokenBits,
	},
}

// unless returns "" if ok, else the formatted violation.
func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// both measures two values.
func both(a, b func() (string, error)) func() (string, error) {
	return func() (string, error) {
		x, err := a()
		if err != nil {
			return "", err
		}
		y, err := b()
		return x + "; " + y, err
	}
}

// eachPattern tests a property on the runs with the given number of loops, on both presets.
func eachPattern(loops int, hold func(m uint64, r *loopRun) string) func() (string, error) {
	return func() (string, error) {
		return forAll(2*patterns, func(sample uint64) (string, error) {
			m := sample % patterns
			runs, err := sweep{[]string{"kepler", "maxwell"}[sample/patterns], loops}.all()
			if err != nil {
				return "", err
			}
			return hold(m, runs[m]), nil
		})
	}
}

func cycles(r *loopRun) uint64 { return r.cycles }

// steps lists the different increments of a number between consecutive patterns, up to the last.
func steps(preset string, loops, last int, number func(*loopRun) uint64) func() (string, error) {
	return func() (string, error) {
		runs, err := sweep{preset, loops}.all()
		if err != nil {
			return "", err
		}
		var list []uint64
		for m := range last {
			list = append(list, number(runs[m+1])-number(runs[m]))
		}
		return different(list), nil
	}
}

// different returns the distinct numbers of a list, ascending.
func different(list []uint64) string {
	slices.Sort(list)
	return strings.Trim(fmt.Sprint(slices.Compact(list)), "[]")
}

// values lists a number for each pattern, starting at first.
func values(loops, first int, number func(*loopRun) uint64) func() (string, error) {
	return func() (string, error) {
		runs, err := sweep{"kepler", loops}.all()
		if err != nil {
			return "", err
		}
		var list []uint64
		for _, r := range runs[first:] {
			list = append(list, number(r))
		}
		return strings.Trim(fmt.Sprint(list), "[]"), nil
	}
}

func leastSpill(loops int) func() (string, error) {
	return func() (string, error) {
		runs, err := sweep{"kepler", loops}.all()
		if err != nil {
			return "", err
		}
		return fmt.Sprint(slices.IndexFunc(runs, func(r *loopRun) bool { return r.stats.Spills > 0 })), nil
	}
}

func spillsOnce(_ uint64, r *loopRun) string {
	return unless(r.extra == r.stats.Spills, "%d instructions, %d spills", r.extra, r.stats.Spills)
}

// spillCost measures the cycles that M = 16 takes beyond the cost of another diverging branch.
func spillCost(preset string) func() (string, error) {
	return func() (string, error) {
		runs, err := sweep{preset, 1}.all()
		if err != nil {
			return "", err
		}
		return fmt.Sprint(runs[16].cycles - runs[15].cycles - (runs[15].cycles - runs[14].cycles)), nil
	}
}

// timeline lists the different costs of diverging branches and of unwinding steps, in the single
// loop on Kepler.
func timeline(first, last int) (string, error) {
	runs, err := sweep{"kepler", 1}.all()
	if err != nil {
		return "", err
	}
	var branch, unwind []uint64
	for _, r := range runs[first : last+1] {
		rounds, before := uint64(0), -1 // cycles of a round without divergence; index of the branch before
		for i, at := range r.trace {
			switch {
			case at.op == isa.OpBra && before >= 0:
				took := at.cycle - r.trace[before].cycle
				if rounds == 0 {
					rounds = took
				}
				if r.trace[before+1].depth > r.trace[before].depth {
					branch = append(branch, took-rounds)
				}
				before = i
			case at.op == isa.OpBra && at.depth > 0 && r.trace[i-1].op != isa.OpSSY:
				before = i
			case at.op == isa.OpSync:
				unwind = append(unwind, r.trace[i+1].cycle-at.cycle)
			}
		}
	}
	return different(branch) + "; " + different(unwind), nil
}

// walkThrough traces listing 3, whose line 1 is at address 0xd0.
func walkThrough() (string, error) {
	var list []string
	token, _ := divergence.Find("token")
	b := micro.Bench{Lanes: 32, Warps: 1, Each: func(p divergence.Policy, _ []micro.Issue) {
		s := p.Slots().At(0)
		if !s.Valid {
			return
		}
		step, separator := fmt.Sprintf("%08x", s.Mask), ":"
		for _, t := range slices.Backward(token.Stack(p, 0, nil)) {
			step += fmt.Sprintf("%s %08x@%x", separator, t.Mask, 0xd0+isa.InstBytes*t.At.PC)
			separator = ""
		}
		if len(list) == 0 || list[len(list)-1] != step {
			list = append(list, step)
		}
	}}
	_, err := bench(b, divergence.Options{Mechanism: "token"}, micro.Listing3(2))
	return strings.Join(list, "; "), err
}

// lastReading counts the synchronisations before thread 0 last reads the clock.
func lastReading() (string, error) {
	var counts [2][]uint64
	for m := range patterns {
		for i, k := range []micro.Kernel{micro.Listing6(m), micro.Listing5(m)} {
			reading := []int{len(k) - 3, len(k) - 2}[i]
			r, err := bench(micro.Bench{Lanes: 32, Warps: 1}, divergence.Options{Mechanism: "token"}, k)
			if err != nil {
				return "", err
			}
			syncs := uint64(0)
			for _, issue := range r.Issues {
				if int(issue.PC) == reading && issue.Mask&1 != 0 {
					break
				}
				if k[issue.PC].Op == isa.OpSync {
					syncs++
				}
			}
			if i == 1 {
				syncs -= uint64(m)
			}
			counts[i] = append(counts[i], syncs)
		}
	}
	return fmt.Sprintf("%s; M+%s", different(counts[0]), different(counts[1])), nil
}

func predictions() (string, error) {
	var list []string
	for _, c := range []struct{ loops, m int }{{1, 31}, {2, 14}, {2, 31}} {
		var by []string
		for _, preset := range []string{"kepler", "maxwell"} {
			runs, err := sweep{preset, c.loops}.all()
			if err != nil {
				return "", err
			}
			by = append(by, fmt.Sprint(runs[c.m].cycles-runs[0].cycles))
		}
		list = append(list, strings.Join(by, " "))
	}
	return strings.Join(list, "; "), nil
}

// tokenBits examines the first tokens that are filled back into the stack of the single loop. They
// belong to the threads that left first, one each. Each token has one bit of the mask and the PC of
// the instruction behind the branch.
func tokenBits() (string, error) {
	var words []uint64
	var left uint64 // pops before tokens are filled back
	b := micro.Bench{
		Lanes: 32, Warps: 1,
		Refill: func(t *divergence.Transferred) { words = append(words, t.Data[:]...) },
		Each: func(p divergence.Policy, _ []micro.Issue) {
			if s := p.Stats(); s.Fills == 0 {
				left = s.Pops
			}
		},
	}
	r, err := bench(b, divergence.Options{Mechanism: "token"}, micro.Listing3(16))
	if err != nil {
		return "", err
	}
	const pc = 10
	if words[1]^words[2] != 1<<31^1<<30 || words[1]>>32 != pc {
		return fmt.Sprintf("%x", words), nil
	}
	bytes, together := 8*len(words), int(r.Stats.Pops-left)
	return fmt.Sprintf("%d %d; %d", 8*bytes/together, bits.Len64(words[1]^pc<<32), bytes), nil
}
