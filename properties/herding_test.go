package properties

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"divergo/gpu"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/testbench"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainFeatures are those that every mechanism can run, with results that none has a part in.
const plainFeatures = draw.AllFeatures &^ (draw.Edges | draw.Counts | draw.Aparts | draw.Gathers | draw.Meetings | draw.Tables)

// herded is a case with some of its branches and of its loads of the input herded,
// often all. Loads of what threads write would make the kernel one whose result
// depends on who is first. Votes are left out, of which some mechanisms get another
// kernel.
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
		if text := k.Prog.Insts[pc].Text; strings.HasPrefix(text, "ld.global") && strings.HasSuffix(text, ", [%at]") && (all || r.IntN(2) == 0) {
			h.Loads = append(h.Loads, pc)
		}
	}
	if r.IntN(3) == 0 {
		h.Threshold = 1 + r.IntN(200)
	}
	return k, h
}

// drawHerd draws the herding hardware, another one for every 8 seeds.
func drawHerd(seed uint64, c *gpu.Config) {
	r := rand.New(rand.NewPCG(seed/8, 4))
	for _, k := range gpu.Keys() {
		if strings.HasPrefix(k.Name, "herd.") && !slices.Contains([]string{"herd.branch_fraction", "herd.load_fraction"}, k.Name) {
			draw.Key(r, c, &k)
		}
	}
	c.Herd.Enable = true
}

// TestHerding: random kernels, some of whose branches and loads are herded, on
// random machines do what the golden model does that follows the record of the run:
// every lane goes where the majority of the model's threads wants to, and reads in
// the block that most of them read. The coalescer's auditor looks at the lines of
// each load, that of convergence at how warps go on. Herding stops at its threshold.
func TestHerding(t *testing.T) {
	runs := uint64(300)
	if testing.Short() {
		runs = 60
	}
	var r Runner
	var c testbench.Counters
	names := shipped()
	total, stopped := uint64(0), 0
	for seed := range runs {
		k, h := herded(t, seed, plainFeatures&^draw.Repeats)
		if seed%3 == 0 { // marked at the launch
			c := draw.New(seed, plainFeatures&^draw.Repeats)
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

// TestHerdedBranchesStay: with all branches herded no mechanism of static warps sees
// one diverge, and no stack moves but for the bottom of each warp.
func TestHerdedBranchesStay(t *testing.T) {
	var r Runner
	wanted := uint64(0)
	for seed := range uint64(60) {
		k, h := herded(t, seed, plainFeatures&^(draw.Calls|draw.Pointers|draw.Recursions))
		h.Branches, _ = k.Prog.Herdable()
		h.Threshold = 0
		switches := false // a jump through a list of targets is no branch to be herded
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

// TestHerdingOff: a machine with herding runs kernels without marks as one without
// it does, and that one runs kernels with marks as if they had none: in the same
// cycles, with the same counts of everything.
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
