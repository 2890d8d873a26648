package properties

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/testbench"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainFeatures are the features that every mechanism supports, with results independent of the
// mechanism.
const plainFeatures = draw.AllFeatures &^ (draw.Edges | draw.Counts | draw.Aparts | draw.Gathers | draw.Meetings |
	draw.Tables | draw.Anywhere | draw.Rushes | draw.Herds)

// herded returns a case with some of its branches and of its input loads herded, often all.
//
// Herded loads of words that threads write would make the result depend on the order. Votes are
// omitted, because some mechanisms run a different kernel for them.
func herded(t *testing.T, seed uint64, features draw.Features) (*draw.Compiled, isa.Herding) {
	features &^= draw.Votes | draw.Exchange
	r := rand.New(rand.NewPCG(seed, 3))
	c := draw.New(seed, features)
	drawHerd(seed, &c.Machine)
	k, err := c.Compile()
	require.NoError(t, err, "seed %d", seed)
	branches, loads := k.Prog.Herdable()
	var h isa.Herding
	all := r.IntN(2) == 0
	for _, pc := range branches {
		if all || r.IntN(2) == 0 {
			h.Branches = append(h.Branches, pc)
		}
	}
	for _, pc := range loads {
		if text := k.Prog.Insts[pc].Text; strings.HasPrefix(text, "ld.global") && strings.HasSuffix(text, ", [%at]") &&
			(all || r.IntN(2) == 0) {
			h.Loads = append(h.Loads, pc)
		}
	}
	if r.IntN(3) == 0 {
		h.Threshold = 1 + r.IntN(200)
	}
	return k, h
}

// drawHerd draws the herding hardware, which changes every 8 seeds.
func drawHerd(seed uint64, c *gpu.Config) {
	r := rand.New(rand.NewPCG(seed/8, 4))
	for _, k := range gpu.Keys() {
		if strings.HasPrefix(k.Name, "herd.") &&
			!slices.Contains([]string{"herd.branch_fraction", "herd.load_fraction"}, k.Name) {
			draw.Key(r, c, &k)
		}
	}
	c.Herd.Enable = true
}

// TestHerding compares random kernels with herded branches and loads, on random machines, with a
// golden model that follows the record of the run.
//
// Every lane follows the majority of the model's threads, and reads in the block that most of them
// read. The coalescer's auditor checks the lines of each load, and the convergence auditor the
// paths of warps. Herding stops at its threshold. Functions do not call themselves: threads herded past the
// branch that ends recursion would call on.
func TestHerding(t *testing.T) {
	runs := uint64(300)
	if testing.Short() {
		runs = 60
	}
	var r runner
	var c testbench.Counters
	names := shipped()
	total, stopped := uint64(0), 0
	features := plainFeatures &^ (draw.Repeats | draw.Recursions)
	for seed := range runs {
		k, h := herded(t, seed, features)
		if seed%3 == 0 { // marked at the launch
			c := draw.New(seed, features)
			drawHerd(seed, &c.Machine)
			c.Machine.Herd.BranchFraction = 50
			var err error
			k, err = c.Compile()
			require.NoError(t, err)
			h = isa.Herding{}
		} else {
			var err error
			k.Prog, err = h.Apply(k.Prog)
			require.NoError(t, err)
		}
		for i := range 3 {
			name := names[(int(seed)+5*i)%len(names)]
			f, err := r.Check(k, name)
			require.NoError(t, err, "seed %d under %s", seed, name)
			if f != nil {
				t.Fatalf("seed %d under %s, checker %s: %s", seed, name, f.Checker, f.What)
			}
			c = r.sessions[name].Counters()
			n := c.Herd.Branches + c.Coalescer.Herd.Loads
			total += n
			if h.Threshold > 0 {
				assert.LessOrEqual(t, n, uint64(h.Threshold), "seed %d under %s", seed, name)
				if n == uint64(h.Threshold) {
					stopped++
				}
			}
		}
	}
	assert.Greater(t, total, uint64(1000))
	assert.NotZero(t, stopped, "no run came to its threshold")
}

// TestHerdedBranchesStay herds all branches. No mechanism of static warps then sees a branch
// diverge, and no stack changes except at the bottom of each warp.
func TestHerdedBranchesStay(t *testing.T) {
	var r runner
	wanted := uint64(0)
	for seed := range uint64(60) {
		if forall.LeftOut(int(seed), 4) {
			continue
		}
		k, h := herded(t, seed, plainFeatures&^(draw.Calls|draw.Pointers|draw.Recursions))
		h.Branches, _ = k.Prog.Herdable()
		h.Threshold = 0
		switches := false // a jump through a list of targets cannot be herded
		for pc := range k.Prog.Insts {
			in := &k.Prog.Insts[pc]
			switches = switches || in.Conditional() && in.Inserted
		}
		if switches {
			continue
		}
		var err error
		k.Prog, err = h.Apply(k.Prog)
		require.NoError(t, err)
		for _, name := range []string{"pdom", "dpe", "ppc", "ptpc", "token", "barrier"} {
			f, err := r.Check(k, name)
			require.NoError(t, err)
			require.Nil(t, f, "seed %d under %s", seed, name)
			c := r.sessions[name].Counters()
			assert.Zero(t, c.Divergence.Divergent, "seed %d under %s", seed, name)
			assert.Equal(t, c.Divergence.Branches, c.Herd.Branches, "seed %d under %s", seed, name)
			wanted += c.Herd.Diverged
		}
	}
	assert.NotZero(t, wanted, "no branch would have diverged")
}

// TestHerdingOff checks that herding hardware does not change a kernel without marks, and that
// marks do not change a machine without herding. Cycles and all counts stay the same.
func TestHerdingOff(t *testing.T) {
	for seed := range uint64(40) {
		k, h := herded(t, seed, plainFeatures&^draw.Repeats)
		marked, err := h.Apply(k.Prog)
		require.NoError(t, err)
		name := shipped()[int(seed)%len(shipped())]
		var want testbench.Counters
		for i, v := range []struct {
			enable bool
			prog   *isa.Program
		}{{true, k.Prog}, {false, k.Prog}, {false, marked}} {
			cfg := k.Machine
			cfg.Herd.Enable, cfg.Divergence.Mechanism = v.enable, name
			s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
			require.NoError(t, err)
			one := *k
			one.Prog = v.prog
			require.NoError(t, one.Launch(s, s.Launch), "seed %d under %s", seed, name)
			if i == 0 {
				want = s.Counters()
			}
			assert.Equal(t, want, s.Counters(), "seed %d under %s, variant %d", seed, name, i)
		}
	}
}
