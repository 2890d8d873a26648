package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/splitmix"
	"divergo/rtl"
)

// store writes words of a large memory in place: a reset need not clear all of it.
type store struct {
	Words *rtl.Mem[[8]uint64] `rtl:"inplace"`
	In    rtl.In[[2]uint64]
}

func (s *store) Tick() {
	if s.In.Valid() {
		w := *s.In.Front()
		s.In.Pop()
		s.Words.Edit(int(w[0] % uint64(s.Words.Len())))[w[0]>>32%8] = w[1]
	}
}

// TestResetLarge: after a reset a large memory has its contents at elaboration, whatever was done to
// it in any order: writes, checked runs, changes by the bench, snapshots, resets.
func TestResetLarge(t *testing.T) {
	for kind, before := range map[string]func(*rtl.Mem[[8]uint64]){
		"zeros": func(*rtl.Mem[[8]uint64]) {},
		"equal": func(m *rtl.Mem[[8]uint64]) {
			for i := range m.Len() {
				m.Set(i, [8]uint64{1, 2, 3})
			}
		},
		"one": func(m *rtl.Mem[[8]uint64]) { m.Set(77, [8]uint64{4}) },
	} {
		q := rtl.NewQueue[[2]uint64](8)
		s := &store{Words: rtl.NewMem[[8]uint64](1 << 13), In: q.In()}
		before(s.Words)
		top := &struct {
			S   *store
			Out rtl.Out[[2]uint64]
		}{s, q.Out()}
		k := rtl.MustNew("top", top)
		fresh := k.Hash()
		kept := k.Snapshot()
		const seed = 5
		draw := splitmix.Source(seed)
		next := draw.Next
		for n := range 1000 {
			top.Out.Push([2]uint64{next(), next()})
			switch next() % 8 {
			case 0:
				k.Reset()
				require.Equal(t, fresh, k.Hash(), "%s, seed %d, step %d", kind, seed, n)
			case 1:
				require.NoError(t, k.RunChecked(3))
			case 2:
				s.Words.Set(int(next()%(1<<13)), [8]uint64{next()})
			case 3:
				if next()%4 == 0 {
					k.Restore(kept)
				} else {
					kept = k.Snapshot()
				}
			default:
				k.Run(3)
			}
		}
		k.Reset()
		s.Words.Resize(1 << 13)
		top.Out.Push([2]uint64{3, 9})
		k.Run(3)
		assert.Equal(t, uint64(9), s.Words.At(3)[0])
		k.Reset()
		assert.Zero(t, s.Words.At(3)[0], "zero is the reset value of a resized memory")
	}
}
