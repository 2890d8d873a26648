package functional_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/properties/draw"
	_ "divergo/sm/divergence/all"
	"divergo/testbench"
)

// TestCounts: random kernels have the counts that they have on the machine with mechanism pdom.
func TestCounts(t *testing.T) {
	kernels := uint64(300)
	if testing.Short() {
		kernels = 12
	}
	cfg := gpu.Default().Under("pdom")
	cfg.GPU.SMs = 2
	machine, err := testbench.NewSession(cfg, testbench.Limits{})
	require.NoError(t, err)
	model, err := testbench.NewSession(cfg, testbench.Limits{})
	require.NoError(t, err)
	model.Emulates = func(int) bool { return true }
	compared := 0
	for seed := uint64(1); seed <= kernels; seed++ {
		c := draw.New(seed, draw.AllFeatures&^(draw.Messages|draw.Herds))
		c.Machine = cfg
		k, err := c.Compile()
		require.NoError(t, err)
		k, err = k.For("pdom")
		require.NoError(t, err)
		machine.Reset()
		model.Reset()
		if k.Launch(machine, machine.Launch) != nil || k.Launch(model, model.Launch) != nil {
			continue // see TestOutcomes
		}
		for i := range machine.Runs {
			want, got := &machine.Runs[i].Counters, model.Runs[i].Functional
			var branches, divergent uint64
			for _, b := range got.Branches {
				branches, divergent = branches+b.Executed, divergent+b.Divergent
			}
			compared++
			require.Equal(t, want.Instructions, got.Instructions, "seed %d: warp instructions", seed)
			require.Equal(t, want.Lanes, got.Lanes, "seed %d: active lanes", seed)
			require.Equal(t, want.Active[:len(got.Active)], got.Active[:], "seed %d: instructions by active lanes", seed)
			require.Equal(t, want.Divergence.Branches, branches, "seed %d: branches", seed)
			require.Equal(t, want.Divergence.Divergent, divergent, "seed %d: divergent branches", seed)
			require.Equal(t, want.Coalescer.Lines, got.Lines, "seed %d: lines", seed)
		}
	}
	assert.Greater(t, compared, int(kernels)/2)
}

// stuck are kernels that do not finish.
var stuck = []struct {
	name, body string
	grid, cta  uint32
	end        gpu.End
	fault      string
	waits      bool // the groups of threads are the same on both
}{
	{name: "out of bounds", body: `
	st.global.u32 [%rd0+4096], %r1;
	exit;`, end: gpu.Faulted, fault: "out of bounds"},
	{name: "misaligned in one lane", body: `
	mul.wide.u32 %rd1, %r1, 4;
	setp.eq.u32 %p1, %r1, 7;
	@%p1 add.u64 %rd1, %rd1, 2;
	add.u64 %rd2, %rd0, %rd1;
	ld.global.u32 %r4, [%rd2];
	exit;`, end: gpu.Faulted, fault: "misaligned"},
	{name: "store to a parameter", body: `
	mov.u64 %rd1, 0x03000000;
	st.u32 [%rd1], %r1;
	exit;`, end: gpu.Faulted, fault: "read-only"},
	{name: "parameters and memory in one load", body: `
	mov.u64 %rd1, 0x03000000;
	setp.eq.u32 %p1, %r1, 5;
	@%p1 mov.u64 %rd1, %rd0;
	ld.u32 %r4, [%rd1];
	exit;`, end: gpu.Faulted, fault: "parameter and memory mixed"},
	{name: "trap", body: `
	setp.gt.u32 %p1, %r1, 20;
	@%p1 trap;
	exit;`, end: gpu.Faulted, fault: "trap"},
	{name: "outside of shared memory", body: `
	mov.u32 %r4, 64;
	st.shared.u32 [%r4], %r1;
	exit;`, end: gpu.Faulted, fault: "out of bounds"},
	{name: "not in its own membermask", body: `
	vote.sync.any.pred %p1, %p2, 0xfffffffe;
	exit;`, end: gpu.Faulted, fault: "thread not in its own membermask"},
	{name: "different membermasks", body: `
	mov.u32 %r4, 0xffffffff;
	setp.eq.u32 %p1, %r1, 3;
	@%p1 mov.u32 %r4, 0xff;
	vote.sync.any.pred %p1, %p2, %r4;
	exit;`, end: gpu.Faulted, fault: "different membermasks"},
	{name: "a part of the warp at a barrier", body: `
	setp.gt.u32 %p1, %r1, 20;
	@%p1 bra OTHER;
	bar.sync 0;
	exit;
OTHER:
	bar.sync 1;
	exit;`, end: gpu.Faulted, fault: "part of a warp at a barrier"},
	{name: "threads of a vote on two paths", body: `
	setp.gt.u32 %p1, %r1, 20;
	@%p1 bra OTHER;
	vote.sync.any.pred %p2, %p1, 0xffffffff;
	exit;
OTHER:
	vote.sync.any.pred %p2, %p1, 0xffffffff;
	exit;`, end: gpu.Faulted, fault: "threads missing"},
	{name: "two barriers", cta: 64, body: `
	setp.gt.u32 %p1, %r1, 31;
	@%p1 bra OTHER;
	bar.sync 0;
	exit;
OTHER:
	bar.sync 1;
	exit;`, end: gpu.Deadlock, waits: true},
	{name: "a spin lock released behind the loop", body: `
SPIN:
	atom.global.cas.b32 %r4, [%rd0+512], 0, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra SPIN;
	atom.global.exch.b32 %r4, [%rd0+512], 0;
	exit;`, end: gpu.Deadlock},
	{name: "an endless loop", body: `
SPIN:
	ld.volatile.global.u32 %r4, [%rd0];
	setp.eq.u32 %p1, %r4, 0;
	@%p1 bra SPIN;
	exit;`, end: gpu.EndlessLoop},
	{name: "CTAs that wait for one without room", grid: 100, cta: 256, body: `
	atom.global.add.u32 %r4, [%rd0+512], 1;
SPIN:
	ld.volatile.global.u32 %r4, [%rd0+512];
	setp.lt.u32 %p1, %r4, 25600;
	@%p1 bra SPIN;
	exit;`, end: gpu.GridDeadlock},
	{name: "a loop that counts for ever", body: `
SPIN:
	add.u32 %r4, %r4, 1;
	st.global.u32 [%rd0], %r4;
	bra SPIN;`, end: gpu.OutOfTime},
}

// TestOutcomes: the functional model tells a fault, a deadlock and an exhausted limit as the machine
// does.
func TestOutcomes(t *testing.T) {
	cfg := gpu.Default().Under("pdom")
	cfg.GPU.SMs = 1
	for _, c := range stuck {
		t.Run(c.name, func(t *testing.T) {
			p := endless(t, c.body)
			if c.fault == "part of a warp at a barrier" {
				p.Target = 70
			}
			var ends [2]*testbench.Outcome
			for i := range ends {
				s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 300_000})
				require.NoError(t, err)
				s.Emulates = func(int) bool { return i == 1 }
				arg, err := testbench.ParseArg("buf:zero:1024", 1)
				require.NoError(t, err)
				params, _, err := s.Place(p, []testbench.Arg{arg})
				require.NoError(t, err)
				err = s.Launch(testbench.Launch{
					Prog: p, Grid: [3]uint32{max(c.grid, 1), 1, 1}, Block: [3]uint32{max(c.cta, 32), 1, 1},
					Params: params,
				})
				require.ErrorAs(t, err, &ends[i], errors.Unwrap(err))
			}
			machine, model := ends[0], ends[1]
			assert.Equal(t, c.end, machine.End)
			assert.Equal(t, c.end, model.End)
			if c.fault != "" {
				require.NotNil(t, model.Fault)
				assert.Equal(t, c.fault, machine.Fault.Kind)
				machine.Fault.SM = model.Fault.SM
				assert.Equal(t, machine.Fault, model.Fault)
			}
			assert.Equal(t, machine.Unbegun, model.Unbegun)
			if c.waits {
				for i := range machine.Waiting {
					machine.Waiting[i].SM = -1
				}
				assert.ElementsMatch(t, machine.Waiting, model.Waiting)
			}
		})
	}
}
