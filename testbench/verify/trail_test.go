package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// followed returns a recording of injured.
func followed(t *testing.T, pc uint32, harm func(s *sm.SM, p *isa.Program, e sm.Issued)) *Recording {
	t.Helper()
	s := probed(t)
	var r *Recording
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		var err error
		r, err = Follow(s, &l.Launch)
		l.Refuse(err)
	})
	_, _ = injure(t, s, pc, harm)
	require.NoError(t, r.End(nil))
	return r
}

// one returns the only trail that differs from the golden model.
func one(t *testing.T, list []*Trail) (differs *Trail) {
	t.Helper()
	for _, x := range list {
		if x.Differs {
			require.Nil(t, differs, "two differ")
			differs = x
		}
	}
	require.NotNil(t, differs)
	return differs
}

const never = ^uint64(0)

// TestTrailOfAValue checks that a changed register shows in the values computed from it, by its
// thread only.
func TestTrailOfAValue(t *testing.T) {
	r := followed(t, probeBra, func(s *sm.SM, p *isa.Program, e sm.Issued) {
		s.Writeback.Regs.Edit(int(e.Row)*len(p.Regs) + index(t, p, "%i"))[victimLane] ^= 1 << 4
	})
	all := r.Trails(never)
	assert.Len(t, all, 3*probeBlock)
	x := one(t, all)
	assert.Equal(t, victim, x.Thread)
	assert.Equal(t, victimLane, x.Lane)
	assert.Equal(t, 1, x.Warp)
	require.Len(t, x.Steps, 10)
	for i, s := range x.Steps {
		assert.EqualValues(t, i+1, s.PC)
		assert.Equal(t, s.PC, s.Golden)
		assert.Equal(t, i == 9, len(s.Values) > 0)
	}
	sum := uint64(100 + victimIndex)
	assert.Equal(t, []Value{{Name: "%sum", Type: isa.U32, Machine: 100 + victimIndex ^ 1<<4, Golden: sum}},
		x.Steps[9].Values)
	assert.Greater(t, x.Cycle, x.Steps[9].Cycle, "results come behind the issue")
	assert.Contains(t, x.String(), "thread (35,0,0) of CTA (1,0,0), SM ")
	assert.Contains(t, x.String(),
		"PC  10  add.u32 %sum, %sum, %i                  probe.ptx:20\n    %sum = 0x000000bf, in the golden model 0x000000af")

	before := r.Trails(x.Cycle - 1)
	for _, y := range before {
		assert.False(t, y.Differs, "up to the cycle before")
		for _, s := range y.Steps {
			assert.Less(t, s.Cycle, x.Cycle)
		}
	}
	addr := r.run.session.Memory().Ranges()[0].Start
	id, cycle, ok := r.Storer(addr + 4*victimIndex)
	assert.True(t, ok)
	assert.Equal(t, victim, id)
	assert.Greater(t, cycle, x.Cycle)
	_, _, ok = r.Storer(addr + 4*3*probeBlock)
	assert.False(t, ok)
}

// TestTrailOfAPath checks that a thread on a wrong path differs from its first instruction there
// on.
func TestTrailOfAPath(t *testing.T) {
	r := followed(t, probeSum, func(s *sm.SM, p *isa.Program, e sm.Issued) {
		*s.Writeback.Preds.Edit(int(e.Row) * len(p.Preds)) |= 1 << victimLane
	})
	x := one(t, r.Trails(never))
	assert.Equal(t, victim, x.Thread)
	last := x.Steps[len(x.Steps)-1]
	assert.EqualValues(t, 12, last.PC)
	assert.EqualValues(t, 10, last.Golden)
	assert.Equal(t, last.Cycle, x.Cycle)
	assert.Contains(t, x.String(), "\n    in the golden model  PC  10  add.u32 %sum, %sum, %i")
}

// TestTrailOfALoss checks missing writes, and instructions of threads that continue past their end.
func TestTrailOfALoss(t *testing.T) {
	r := followed(t, probeLast, func(*sm.SM, *isa.Program, sm.Issued) {})
	for _, x := range r.Trails(never) {
		assert.False(t, x.Differs)
		assert.True(t, x.Finished)
		assert.Len(t, x.Steps, 10)
	}
	model := golden.Kept{PC: 8, Wrote: true, Dst: [isa.MaxDsts]uint64{100}}
	assert.Empty(t, r.values(&done{pc: 8}, &model, false), "on its way")
	lost := r.values(&done{pc: 8}, &model, true)
	require.Len(t, lost, 1)
	assert.Equal(t, "%sum is not written, in the golden model 0x00000064", lost[0].String())
	more := r.values(&done{pc: 8, wrote: 9, result: [isa.MaxDsts]uint64{7}}, &golden.Kept{PC: 8}, false)
	require.Len(t, more, 1)
	assert.Equal(t, "%sum = 0x00000007, in the golden model it is not written", more[0].String())
	_, differs := r.differs(&done{pc: 8}, nil, 0, false)
	assert.True(t, differs)
}

// TestTrailIsBounded checks that a long path has its first and its last instructions.
func TestTrailIsBounded(t *testing.T) {
	var x trail
	for i := range 1000 {
		x.add(done{pc: uint32(i)}, 100)
	}
	for i, there := range map[int]bool{
		0: true, 99: true, 100: false, 967: false, 968: true, 999: true, 1000: false,
		-1: false,
	} {
		if d := x.at(i); assert.Equal(t, there, d != nil, i) && there {
			assert.EqualValues(t, i, d.pc)
		}
	}
	assert.EqualValues(t, 970, x.newest(970).pc)
	assert.Nil(t, x.newest(50))
}
