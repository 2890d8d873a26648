package properties

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"divergo/isa"
	"divergo/isa/safety"
	"divergo/properties/draw"
	"divergo/testbench"

	"github.com/stretchr/testify/require"
)

var (
	herdRuns = flag.Uint64("herd.runs", 300, "random kernels to herd")
	herdSeed = flag.Uint64("herd.seed", 1, "seed of the first one")
)

// herdings is the number of kernels to herd, a third with -short.
func herdings() uint64 {
	if testing.Short() {
		return *herdRuns / 3
	}
	return *herdRuns
}

// TestHerdingWhatIsSafe herds everything that the analysis calls safe at once. A kernel then never
// faults, never deadlocks and always ends (claim HERDING-18), on random machines and mechanisms.
func TestHerdingWhatIsSafe(t *testing.T) {
	var herded, forced, diverted, kernels int
	runs := herdings()
	mechanisms := shipped()
	for seed := *herdSeed; seed < *herdSeed+runs; seed++ {
		c := draw.New(seed, plainFeatures)
		k, err := c.Compile()
		require.NoError(t, err)
		mechanism := mechanisms[seed%uint64(len(mechanisms))]
		k, err = k.For(mechanism)
		require.NoError(t, err)
		branches, loads := safety.Analyze(k.Prog).Safe()
		if len(branches)+len(loads) == 0 {
			continue
		}
		kernels++
		h := isa.Herding{Branches: branches, Loads: loads}
		made, err := h.Apply(k.Prog)
		require.NoError(t, err, "seed %d", seed)

		cfg := k.Machine.Under(mechanism)
		cfg.Herd.Enable = true
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 4 * maxCycles})
		require.NoError(t, err)
		s.Herd = func(*isa.Program) (*isa.Program, error) { return made, nil }
		err = k.Launch(s, s.Launch)
		require.NoError(t, err, "seed %d under %s, herded: branches %v, loads %v\n%s", seed, mechanism, branches, loads,
			k.Text)
		n := s.Counters()
		herded += int(n.Herd.Branches + n.Coalescer.Herd.Loads)
		forced += int(n.Herd.Forced)
		diverted += int(n.Coalescer.Herd.Diverted)
	}
	t.Logf("seeds %d to %d: %d kernels with something safe, %d instructions herded, %d lanes led another way, %d to another block",
		*herdSeed, *herdSeed+runs-1, kernels, herded, forced, diverted)
	require.Greater(t, kernels, int(runs/4))
	require.Positive(t, forced)
	require.Positive(t, diverted)
}

// tempting draws kernels whose branches prevent a fault or an endless loop: loads with a tested
// index, and loops bounded by data.
type tempting struct {
	*rand.Rand
	strings.Builder
	labels, left int
}

func (g *tempting) reg() int { return g.IntN(4) }

func (g *tempting) block(depth int) {
	for range 1 + g.IntN(5) {
		if g.left--; g.left < 0 {
			return
		}
		g.labels++
		n, a, b := g.labels, g.reg(), g.reg()
		line := func(format string, args ...any) { fmt.Fprintf(g, format+"\n", args...) }
		load := func() {
			line("mul.wide.u32 %%at, %%v%d, 4; add.u64 %%at, %%in, %%at; ld.global.u32 %%v%d, [%%at];", a, b)
		}
		switch kind := g.IntN(8); {
		case kind == 0:
			line("setp.ge.u32 %%p, %%v%d, 64; @%%p bra S%d;", a, n)
			load()
			line("S%d:", n)
		case kind == 1:
			line("and.b32 %%v%d, %%v%d, 63;", a, a)
			load()
		case kind == 2 && depth < 3:
			line("setp.lt.u32 %%p, %%v%d, %d; @%%p bra S%d;", a, g.IntN(128), n)
			g.block(depth + 1)
			line("S%d:", n)
		case kind == 3 && depth < 3:
			line("and.b32 %%t%d, %%v%d, 127; L%d: shr.u32 %%t%d, %%t%d, 1;", depth, a, n, depth, depth)
			g.block(depth + 1)
			line("setp.ne.u32 %%p, %%t%d, 0; @%%p bra L%d;", depth, n)
		case kind == 4 && depth < 3:
			line("mov.u32 %%t%d, %d; L%d: sub.u32 %%t%d, %%t%d, 1;", depth, 2+g.IntN(4), n, depth, depth)
			g.block(depth + 1)
			line("setp.gt.u32 %%p, %%v%d, %d; @%%p bra S%d; setp.ne.u32 %%p, %%t%d, 0; @%%p bra L%d; S%d:", b,
				g.IntN(128), n, depth, n, n)
		case kind == 5:
			line("st.global.u32 [%%own+%d], %%v%d;", 4*g.reg(), a)
		case kind == 6:
			line("ld.global.u32 %%v%d, [%%own+%d];", a, 4*g.reg())
		default:
			line("%s %%v%d, %%v%d, %%v%d; and.b32 %%v%d, %%v%d, 127;",
				[]string{"add.u32", "xor.b32", "mul.lo.u32"}[g.IntN(3)], a, a, b, a, a)
		}
	}
}

// tempt draws such a kernel, ready to run on a machine with herding.
func tempt(t *testing.T, seed uint64) *draw.Compiled {
	g := &tempting{Rand: rand.New(rand.NewPCG(seed, 11)), left: 25}
	g.block(0)
	body := g.String()
	text := `.version 7.6
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 input, .param .u64 private)
{
	.reg .pred %p; .reg .b32 %v<4>; .reg .b32 %t<4>; .reg .b32 %i; .reg .b64 %at; .reg .b64 %in; .reg .b64 %own;
	ld.param.u64 %in, [input]; ld.param.u64 %own, [private];
	mov.u32 %i, %tid.x; mul.wide.u32 %at, %i, 16; add.u64 %own, %own, %at;
	mul.wide.u32 %at, %i, 4; add.u64 %at, %in, %at; ld.global.u32 %v0, [%at];
	and.b32 %v0, %v0, 127; mov.u32 %v1, %i; xor.b32 %v2, %v0, 77; mov.u32 %v3, 9;
` + body + "st.global.u32 [%own], %v0; st.global.u32 [%own+4], %v1; exit;\n}\n"
	c := &draw.Case{Seed: seed, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Machine: draw.Plain(32)}
	k, err := c.CompileText(text, []draw.Buffer{
		{Name: "input", Spec: "buf:rand:u32:64"},
		{Name: "private", Spec: "buf:zero:1024"},
	})
	require.NoError(t, err, text)
	return k
}

// TestHerdingWhatTempts is TestHerdingWhatIsSafe with these kernels, which fail when everything is
// herded.
func TestHerdingWhatTempts(t *testing.T) {
	runs, forced, broken := herdings(), uint64(0), 0
	for seed := *herdSeed; seed < *herdSeed+runs; seed++ {
		k := tempt(t, seed)
		run := func(mechanism string, branches, loads []int) (uint64, error) {
			h := isa.Herding{Branches: branches, Loads: loads}
			made, err := h.Apply(k.Prog)
			require.NoError(t, err)
			cfg := k.Machine.Under(mechanism)
			cfg.Herd.Enable = true
			s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles / 4})
			require.NoError(t, err)
			s.Herd = func(*isa.Program) (*isa.Program, error) { return made, nil }
			err = k.Launch(s, s.Launch)
			n := s.Counters()
			return n.Herd.Forced + n.Coalescer.Herd.Diverted, err
		}
		mechanism := shipped()[seed%uint64(len(shipped()))]
		_, err := run(mechanism, nil, nil)
		require.NoError(t, err, "seed %d, without herding\n%s", seed, k.Text)
		branches, loads := safety.Analyze(k.Prog).Safe()
		n, err := run(mechanism, branches, loads)
		require.NoError(t, err, "seed %d under %s, herded: branches %v, loads %v\n%s", seed, mechanism, branches, loads,
			k.Text)
		forced += n
		if seed%8 == 0 {
			branches, loads = k.Prog.Herdable()
			if _, err = run("pdom", branches, loads); err != nil {
				broken++
			}
		}
	}
	t.Logf("seeds %d to %d: %d lanes led another way or to another block; of %d kernels %d break when everything is herded",
		*herdSeed, *herdSeed+runs-1, forced, runs/8, broken)
	require.Positive(t, forced)
	require.Greater(t, broken, int(runs/80))
}
