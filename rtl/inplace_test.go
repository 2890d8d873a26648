package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// ledger keeps sums of its input, and writes them in place.
type ledger struct {
	rtl.State[struct {
		Seed uint32
		Told uint64
	}]
	Count rtl.State[entries]  `rtl:"inplace"`
	Sums  *rtl.Mem[[4]uint64] `rtl:"inplace" trace:"true"`
	Words *rtl.Mem[uint32]    `rtl:"inplace"`
	late  readLate
}

// readLate selects the values that are read after the write.
type readLate struct{ sums, count bool }

// entries counts the entries of each kind.
type entries struct {
	Odd  uint16
	Even [2]uint32
}

func (l *ledger) Tick() {
	q, d := l.Regs()
	d.Seed = q.Seed*1664525 + 1013904223
	at := int(q.Seed >> 30)
	if !l.late.sums {
		d.Told += l.Sums.At(at)[1]
	}
	if e := l.Sums.Edit(at); q.Seed>>20&3 != 0 {
		e[q.Seed>>28&3] += uint64(q.Seed)
	}
	if l.late.sums {
		d.Told += l.Sums.At(at)[1]
	}
	odd := l.Count.Q().Odd
	if q.Seed&1 != 0 {
		l.Count.D().Odd++
	} else if q.Seed&2 != 0 {
		l.Count.D().Even[at&1]++
	}
	if l.late.count {
		odd = l.Count.Q().Odd
	}
	d.Told += uint64(odd)
	*l.Words.Edit(at) ^= q.Seed
	l.Words.Write(3, *l.Words.Next(at))
}

// auditor reads the ledger, through the memory and through its owner.
type auditor struct {
	rtl.State[struct{ Sum uint64 }]
	Sums *rtl.Mem[[4]uint64]
	Of   *ledger
	Out  rtl.Wire[uint8]
}

func (a *auditor) Tick() {
	for i := range a.Sums.Len() {
		a.D().Sum = a.D().Sum*31 + a.Sums.At(i)[i] + uint64(*a.Of.Words.At(i)) + uint64(a.Of.Count.Q().Even[i&1])
	}
	a.Out.Set(uint8(a.Q().Sum))
}

type bank struct {
	L *ledger
	A *auditor
}

func newBank(l *ledger) *rtl.Sim {
	l.Sums, l.Words = rtl.NewMem[[4]uint64](4), rtl.NewMem[uint32](4)
	l.Sums.Set(2, [4]uint64{1, 2, 3, 4})
	l.Words.Write(1, 7)
	return rtl.MustNew("bank", &bank{l, &auditor{Sums: l.Sums, Of: l}})
}

func TestInPlace(t *testing.T) {
	rtltest.Properties(t, func() *rtl.Sim { return newBank(new(ledger)) }, 60)
}

// TestInPlaceReadTooLate: a checked run keeps present and next values apart, so it differs if a
// module confuses them.
func TestInPlaceReadTooLate(t *testing.T) {
	for _, late := range []readLate{{sums: true}, {count: true}} {
		want, got := newBank(&ledger{late: late}), newBank(&ledger{late: late})
		want.Run(60)
		require.NoError(t, got.RunChecked(60))
		assert.NotEqual(t, want.Hash(), got.Hash(), late)
		got.Reset()
		want.Reset()
		want.Run(60)
		got.Run(60)
		assert.Equal(t, want.Hash(), got.Hash(), "%v: in place again behind a checked run", late)
	}
}

// candle burns down and then sleeps. lookout watches it.
type candle struct {
	rtl.State[struct{ Left uint8 }] `rtl:"inplace"`
}

func (f *candle) Tick() {
	if f.Q().Left > 0 {
		f.D().Left--
	}
}

type lookout struct {
	rtl.State[struct{ Seen uint8 }]
	Of *candle
}

func (a *lookout) Tick() { a.D().Seen = a.Of.Q().Left }

func TestInPlaceState(t *testing.T) {
	f := new(candle)
	f.Init(struct{ Left uint8 }{9})
	a := &lookout{Of: f}
	k := rtl.MustNew("top", &struct {
		F *candle
		A *lookout
	}{f, a})
	burns := func(left, seen uint8) {
		t.Helper()
		assert.Equal(t, left, f.Q().Left)
		assert.Equal(t, seen, a.Q().Seen)
	}
	k.Run(3)
	burns(6, 7)
	require.NoError(t, k.RunChecked(2))
	burns(4, 5)
	k.Run(2)
	require.NoError(t, k.RunChecked(1))
	burns(1, 2)
	k.Run(1)
	burns(0, 1)
	assert.False(t, k.Idle())
	k.Run(2)
	burns(0, 0)
	assert.True(t, k.Idle())
	k.Reset()
	assert.Equal(t, uint8(9), f.Q().Left)
	k.Run(2)
	burns(7, 8)
}

func TestInPlaceResizeAndReset(t *testing.T) {
	l := new(ledger)
	k := newBank(l)
	k.Run(20)
	l.Words.Resize(6)
	assert.Equal(t, uint32(0), *l.Words.At(1))
	*l.Words.Edit(5) = 9
	assert.Equal(t, uint32(9), *l.Words.At(5), "still in place")
	k.Reset()
	assert.Equal(t, uint32(0), *l.Words.At(5))
	assert.Equal(t, [4]uint64{1, 2, 3, 4}, *l.Sums.At(2))
}

// shout writes its memory or its state, and in the same cycle tells the modules that read both.
type shout struct {
	Words *rtl.Mem[uint32] `rtl:"inplace"`
	Out   rtl.Wire[uint8]
}

func (s *shout) Tick() { s.Words.Write(0, uint32(s.Out.Get())) }

type shoutState struct {
	rtl.State[struct{ Word uint8 }] `rtl:"inplace"`
	Out                             rtl.Wire[uint8]
}

func (s *shoutState) Tick() { s.D().Word = s.Out.Get() }

type stateFollower struct {
	Of *shoutState
	In *rtl.Wire[uint8]
}

func (l *stateFollower) Tick() { _ = l.Of.Q().Word + l.In.Get() }

type follower struct {
	Of *shout
	In *rtl.Wire[uint8]
}

func (l *follower) Tick() { _ = *l.Of.Words.At(l.index()) }

func (l *follower) index() int { return int(l.In.Get()) }

func TestInPlaceWithoutOrder(t *testing.T) {
	s := &shout{Words: rtl.NewMem[uint32](1)}
	_, err := rtl.New("top", &struct {
		S *shout
		L *follower
	}{s, &follower{s, &s.Out}})
	assert.EqualError(t, err, "combinational loop: top.S <-(top.S.Words, in place) top.L <-(top.S.Out) top.S")

	of := new(shoutState)
	_, err = rtl.New("top", &struct {
		S *shoutState
		L *stateFollower
	}{of, &stateFollower{of, &of.Out}})
	assert.EqualError(t, err, "combinational loop: top.S <-(top.S, in place) top.L <-(top.S.Out) top.S")
}
