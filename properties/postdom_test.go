package properties

import (
	"testing"

	"divergo/isa"
	"divergo/properties/draw"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// paths searches the control flow of a program instruction by instruction, without blocks.
type paths struct {
	*isa.Program
	returns map[*isa.Func]bool // it has a return; threads that end in it meet no other threads
}

// next returns the possible next instructions; out reports whether a thread can leave the kernel or
// function there.
func (p *paths) next(pc uint32) (list []uint32, out bool) {
	in := &p.Insts[pc]
	guarded := in.Guard.Kind == isa.OperandPred
	f := p.FuncAt(pc)
	switch {
	case in.Op == isa.OpBra:
		list = append(list, in.Target)
	case in.Returns():
		return nil, true
	case in.Exits():
		out = f == nil || !p.returns[f]
	default:
		guarded = true
	}
	if guarded {
		list = append(list, pc+1)
	}
	return list, out
}

// leaves reports whether a path leads out without passing the instruction without. It marks the
// instructions on its way.
func (p *paths) leaves(from []uint32, without uint32, seen []bool) (out bool) {
	work := append([]uint32(nil), from...)
	for len(work) > 0 {
		pc := work[len(work)-1]
		if work = work[:len(work)-1]; pc == without || seen[pc] {
			continue
		}
		seen[pc] = true
		list, leaves := p.next(pc)
		out = out || leaves
		work = append(work, list...)
	}
	return out
}

// TestReconvergenceByPaths checks the meeting point of each branch. It is the first instruction on
// every path from the branch to the end (Fung & Aamodt, HPCA 2011, section 2.2.2).
func TestReconvergenceByPaths(t *testing.T) {
	seeds, branches := uint64(400), 0
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		c := draw.New(seed, draw.AllFeatures)
		k, err := c.Compile()
		require.NoError(t, err)
		p := paths{k.Prog, map[*isa.Func]bool{}}
		for pc := range p.Insts {
			if p.Insts[pc].Returns() {
				p.returns[p.FuncAt(uint32(pc))] = true
			}
		}
		for pc := range p.Insts {
			in := &p.Insts[pc]
			if in.Op != isa.OpBra || !in.Conditional() {
				continue
			}
			branches++
			from, _ := p.next(uint32(pc))
			before := make([]bool, len(p.Insts)) // the instructions that threads pass before they meet
			leaves := p.leaves(from, in.Reconv, before)
			assert.Equal(t, in.Reconv == isa.NoPC, leaves, "seed %d, PC %d: a way does not come by PC %d\n%s", seed, pc,
				int32(in.Reconv), k.Text)
			for x, comes := range before {
				if comes && !p.leaves(from, uint32(x), make([]bool, len(p.Insts))) {
					t.Fatalf("seed %d, PC %d: threads meet at %d, before %d\n%s", seed, pc, x, int32(in.Reconv), k.Text)
				}
			}
		}
	}
	assert.Positive(t, branches)
}
