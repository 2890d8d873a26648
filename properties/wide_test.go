package properties

import (
	"slices"
	"testing"

	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/isa"
	"divergo/properties/draw"
)

// narrow reports whether an instruction has a form for warps of 32 lanes only.
func narrow(in isa.Inst) bool {
	return in.CrossLane() || in.Op == isa.OpCopy || slices.ContainsFunc(in.Src[:in.NSrc], func(o isa.Operand) bool {
		r := isa.Special(o.Index)
		return o.Kind == isa.OperandSpecial && r >= isa.LanemaskEq && r <= isa.LanemaskGt
	})
}

// TestWideProperties: every mechanism gives the golden model's result in warps of 64 lanes, and every
// checker holds, on random kernels and machines. Kernels with functions that call themselves are left
// out: some mechanisms keep the threads of a convergence barrier in a register of 32 bits there.
func TestWideProperties(t *testing.T) {
	r := runner{}
	for i, name := range shipped() {
		if name == "token" || forall.LeftOut(i, 4) {
			continue
		}
		ran, outer := 0, t
		forall.CheckMany(t, 40, name+" runs a kernel in warps of 64 lanes", gen.UInt64Range(0, 1<<20),
			func(t *forall.T, seed uint64) {
				c := draw.New(seed, draw.AllFeatures&^(draw.Votes|draw.Gathers|draw.Counts))
				s := &c.Machine.SM
				s.Threads = s.Threads / s.WarpSize * 64
				s.WarpSize = 64
				k, err := c.Compile()
				require.NoError(t, err)
				cycle := func(f isa.Func) bool { return f.Cycle != 0 }
				if slices.ContainsFunc(k.Prog.Insts, narrow) || slices.ContainsFunc(k.Prog.Funcs, cycle) {
					return
				}
				f, err := r.Check(k, name)
				require.NoError(t, err)
				if f != nil {
					require.Empty(t, f.What, "seed %d", seed)
				}
				ran++
			})
		require.Greater(outer, ran, 10, "kernels that ran")
	}
}
