package properties

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"divergo/isa"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"
	"divergo/testbench/verify"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hasty and alone are mechanisms that break their promises. Paired-path comparison pops several
// pairs one after the other, and warps of a block wait for each other.
const hasty, alone = "hasty", "alone"

func init() {
	m, _ := divergence.Find("ppc")
	m.Name, m.Doc, m.Prompt = hasty, "a path runs at once, it says", 1
	divergence.Register(m)
	m, _ = divergence.Find("tbc")
	m.Name, m.Doc, m.Blocks = alone, "no warp waits for another, it says", false
	divergence.Register(m)
}

// TestPromptness checks that a correct but late mechanism fails.
func TestPromptness(t *testing.T) {
	r, err := Run(Options{
		Mechanisms: []string{hasty}, Runs: 2000, Features: draw.AllFeatures &^ draw.Larges,
		Shrink: 1,
	})
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	assert.Equal(t, "timing", r.Failure.Checker, "%v", r.Failure)
}

// TestLiveness checks that a mechanism fails if its warps wait for others without its declaration. It runs
// some kernels wrongly, too: they have barriers and votes on different sides of a branch.
func TestLiveness(t *testing.T) {
	r, err := Run(Options{Mechanisms: []string{alone}, Runs: 60, KeepGoing: true, Shrink: 1})
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(r.Causes, func(c Cause) bool { return c.Failure.Checker == "liveness" }),
		"%v", r.Causes)
}

// TestBlame checks that a panic is the model's fault only if the model panicked.
func TestBlame(t *testing.T) {
	model, check, other := runtime.Frame{Function: "divergo/sm/divergence.(*PDOM).Tick"},
		runtime.Frame{Function: "divergo/properties.(*observer).issue"}, runtime.Frame{Function: "slices.Sort"}
	assert.False(t, calls{other, model, check}.ours())
	assert.True(t, calls{other, check, model}.ours())
	assert.Equal(t, "divergence.(*PDOM).Tick", calls{model, check}.first())
	k, err := (&draw.Case{
		Machine: draw.Plain(8), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 1, 1},
		Kernel: draw.Kernel{Body: []draw.Stmt{{Kind: draw.Put}}, Words: 64},
	}).Compile()
	require.NoError(t, err)
	r := runner{Coverage: &Coverage{}}
	b, _ := r.watched(mustSession(t, k), func(func(testbench.Launch) error) error { panic("here") }, nil)
	require.NotNil(t, b)
	assert.Empty(t, b.Rule.Checker)
	assert.Contains(t, b.Rule.Name, "properties.TestBlame")
}

func mustSession(t *testing.T, k *draw.Compiled) *testbench.Session {
	t.Helper()
	s, err := testbench.NewSession(k.Machine, testbench.Limits{MaxCycles: maxCycles})
	require.NoError(t, err)
	return s
}

// TestAcrossEdge checks that an access across the end of a kernel's buffer is an expected end of a
// run. Other faults are not. Nor is another end of the golden model, except that it may wait at a
// vote for the threads that the machine had together.
func TestAcrossEdge(t *testing.T) {
	k, err := (&draw.Case{
		Machine: draw.Plain(8), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 1, 1},
		Kernel: draw.Kernel{Body: []draw.Stmt{{Kind: draw.Put}}, Words: 64, Edge: 6},
	}).Compile()
	require.NoError(t, err)
	s := &testbench.Session{Runs: []testbench.Run{{Launch: testbench.Launch{Prog: k.Prog}}}}
	fault := func(kind sm.FaultKind, buffer string) *testbench.Outcome {
		pc := slices.IndexFunc(k.Prog.Insts, func(in isa.Inst) bool { return strings.Contains(in.Text, "["+buffer) })
		return &testbench.Outcome{Fault: &testbench.Fault{Kind: kind.String(), PC: uint32(pc)}}
	}
	edge := fault(sm.OutOfBounds, "%edge+")
	ends := func(end golden.End, in isa.Inst, broken ...verify.Broken) error {
		return &verify.Mismatch{
			Outcome: edge, Golden: end, Broken: broken,
			Launch: testbench.Launch{Prog: &isa.Program{Insts: []isa.Inst{in}}},
		}
	}
	here, named := isa.Inst{Op: isa.OpActivemask}, isa.Inst{Op: isa.OpVote, Flags: isa.FlagSync}
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"the access", edge, true},
		{"no end", nil, false},
		{"another buffer", fault(sm.OutOfBounds, "%own+"), false},
		{"another fault", fault(sm.Misaligned, "%edge+"), false},
		{"the golden model has ended", ends(golden.Finished, here), false},
		{"it waits for threads that are here", ends(golden.Deadlocked, here), true},
		{"it waits for threads that are named", ends(golden.Deadlocked, named), false},
		{"a rule is broken as well", ends(golden.Deadlocked, here, verify.Broken{Rule: "live"}), false},
	} {
		assert.Equal(t, c.want, acrossEdge(s, c.err), c.name)
	}
}

// TestNoFalseAlarms runs kernels with unusual but correct behaviour.
//
// In kernel 912 a warp ends when its tokens arrive and none of their threads is alive. The warp of
// another CTA then issues in its row during the time of the transfer. In 3942 a path and the path
// that covers it wait for outcomes of the same slot. In 15033 threads of another CTA have not
// reached their vote when a thread accesses memory past its buffer. In 10103600 and 10110666 functions
// call each other deeper than 1024 bytes of stack permit. 10071413 takes 13 million cycles.
func TestNoFalseAlarms(t *testing.T) {
	seeds := map[uint64]string{912: "token", 3942: "dpe", 15033: "pdom", 10103600: "token", 10110666: "dpe"}
	if !testing.Short() {
		seeds[10071413] = "dwf"
	}
	for seed, mechanism := range seeds {
		c := draw.Heavy(seed, draw.AllFeatures)
		k, err := c.Compile()
		require.NoError(t, err)
		f, err := (&runner{}).Check(k, mechanism)
		require.NoError(t, err)
		assert.Nil(t, f, "%s, seed %d", mechanism, seed)
	}
}
