package experiments

import (
	"encoding/binary"
	"fmt"
	"strings"

	"divergo/gpu"
	"divergo/isa"
	"divergo/testbench"
	"divergo/units"
)

// herdingHardware are the claims about branch and data herding hardware that depend on logic only.
var herdingHardware = []Claim{
	{
		ID: "HERDING-02", Place: "sections III-A and III-B",
		Statement: "a full warp of 32: taken when 17 threads want to take the branch, when 16 do",
		Theirs:    "true false", Ours: func() (string, error) {
			m, err := units.NewMajority(units.TieNotTaken)
			return fmt.Sprint(m.Taken(1<<17-1, 1<<32-1, true), m.Taken(1<<16-1, 1<<32-1, true)), err
		},
	},
	{
		ID: "HERDING-03", Place: "section III",
		Statement: "a warp of 32 that parts at each of 5 branches, under a stack: branches that diverge, and entries pushed beyond the first, if the branches are herded",
		Theirs:    "0 0", Ours: func() (string, error) {
			herded, err := herdedRun(ladder(5, 16), 32, 0, func(h *units.HerdConfig) { h.BranchFraction = 100 })
			if err != nil {
				return "", err
			}
			plain, err := herdedRun(ladder(5, 16), 32, 0, nil)
			h, p := &herded.Divergence, &plain.Divergence
			return fmt.Sprintf("%d %d (not herded %d %d)", h.Divergent, h.Pushes-1, p.Divergent, p.Pushes-1), err
		},
	},
	{
		ID: "HERDING-05", Place: "section VII-A, figure 12",
		Statement: "a warp that agrees at each of 5 branches: cycles for each of them if they are herded, expected (0) and conservative (1)",
		Theirs:    "0 1", Ours: func() (string, error) {
			var cycles [3]uint64
			for i, change := range []func(h *units.HerdConfig){
				nil,
				func(h *units.HerdConfig) { h.BranchFraction = 100 },
				func(h *units.HerdConfig) { h.BranchFraction, h.BranchLatency = 100, 1 },
			} {
				c, err := herdedRun(ladder(5, 0), 32, 0, change)
				if err != nil {
					return "", err
				}
				cycles[i] = c.Cycles
			}
			return fmt.Sprint(float64(cycles[1]-cycles[0])/5, " ", float64(cycles[2]-cycles[0])/5), nil
		},
	},
	{
		ID: "HERDING-06", Place: "section IV",
		Statement: "a warp of 32 loads words that are 256 bytes apart, lines of 128 bytes: requests if the load is herded",
		Theirs:    "1", Ours: func() (string, error) {
			herded, err := herdedRun(scattered, 32, 0, func(h *units.HerdConfig) { h.LoadFraction = 100 })
			if err != nil {
				return "", err
			}
			plain, err := herdedRun(scattered, 32, 0, nil)
			return fmt.Sprintf("%d (not herded %d)", herded.Coalescer.Lines, plain.Coalescer.Lines), err
		},
	},
	{
		ID: "HERDING-20", Place: "section II-A",
		Statement: "the 32 threads of a warp take a way each through a switch: warp instructions of their ways, over those if all take one",
		Theirs:    "32", Ours: func() (string, error) {
			apart, err := herdedRun(ways("%r0"), 32, 0, nil)
			if err != nil {
				return "", err
			}
			together, err := herdedRun(ways("7"), 32, 0, nil)
			return fmt.Sprint(1 + float64(apart.Instructions-together.Instructions)/wayLength), err
		},
	},
	{
		ID: "HERDING-21", Place: "section V, figure 11",
		Statement: "5 branches of each of 4 warps are herded: herding stops at thresholds of 1 to 20",
		Theirs:    always, Ours: func() (string, error) {
			return forAll(20, func(i uint64) (string, error) {
				c, err := herdedRun(ladder(5, 16), 128, int(i+1), func(h *units.HerdConfig) { h.BranchFraction = 100 })
				return unless(c.Herd.Branches == i+1 && c.Divergence.Divergent == 20-c.Herd.Branches,
					"%d herded, %d diverge", c.Herd.Branches, c.Divergence.Divergent), err
			})
		},
	},
}

// herdedRun runs a CTA of a kernel of this package. The machine has one SM with a stack, lines of
// 128 bytes, and herding hardware that change configures. The run herds until threshold
// instructions are herded; 0 means all drawn ones.
func herdedRun(body string, threads uint32, threshold int, change func(h *units.HerdConfig)) (testbench.Counters,
	error,
) {
	p, err := assemble(body)
	if err != nil {
		return testbench.Counters{}, err
	}
	return herdedProgram(p, threads, threshold, change)
}

// herdedProgram is herdedRun for a program.
func herdedProgram(p *isa.Program, threads uint32, threshold int, change func(h *units.HerdConfig)) (testbench.Counters,
	error,
) {
	cfg := gpu.Default()
	cfg.GPU.SMs, cfg.Divergence.Mechanism = 1, "pdom"
	cfg.L1.Line, cfg.L2.Line = 128, 128
	if change != nil {
		change(&cfg.Herd)
	}
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 100_000})
	if err != nil {
		return testbench.Counters{}, err
	}
	if threshold > 0 {
		p.HerdLimit = threshold
	}
	addr := s.Alloc(256 * int(threads))
	err = s.Launch(testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{
			threads, 1,
			1,
		}, Params: binary.LittleEndian.AppendUint64(nil, addr),
	})
	return s.Counters(), err
}

// ladder returns the given number of branches, which the threads with low numbers in each warp
// take.
func ladder(branches, below int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "	and.b32 %%r2, %%r0, 31;\n	setp.lt.u32 %%p0, %%r2, %d;\n", below)
	for i := range branches {
		fmt.Fprintf(&b, "	@%%p0 bra L%d;\n	add.u32 %%r4, %%r4, 1;\nL%d:\n", i, i)
	}
	return b.String() + "	exit;"
}

// scattered makes each thread load a word of another block.
const scattered = `
	mul.wide.u32 %rd1, %r0, 256;
	add.u64 %rd2, %rd0, %rd1;
	ld.global.u32 %r2, [%rd2];
	exit;`

// wayLength is the number of instructions of each path of ways.
const wayLength = 8

// ways has 32 paths. An operand selects the path of a thread.
func ways(number string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "	mov.u32 %%r2, %s;\n", number)
	for i := range 32 {
		fmt.Fprintf(&b, "	setp.ne.u32 %%p0, %%r2, %d;\n	@%%p0 bra W%d;\n", i, i)
		for range wayLength {
			b.WriteString("	add.u32 %r4, %r4, 1;\n")
		}
		fmt.Fprintf(&b, "W%d:\n", i)
	}
	return b.String() + "	exit;"
}
