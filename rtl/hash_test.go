package rtl_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// padded has padding after A, C, E and F.
type padded struct {
	A uint8
	B uint32
	C [3]uint8
	D uint64
	E bool
	F uint16
}

type keeper struct {
	rtl.State[padded]
	Mem *rtl.Mem[padded]
}

func (*keeper) Tick() {}

// TestHashTakesInEveryField: the hash includes every field of a state and of each entry of a
// memory, and no padding.
func TestHashTakesInEveryField(t *testing.T) {
	m := &keeper{Mem: rtl.NewMem[padded](3)}
	k, err := rtl.New("top", m)
	require.NoError(t, err)
	fresh := k.Hash()
	seen := map[uint64]bool{fresh: true}
	for _, v := range []padded{
		{A: 1},
		{B: 1},
		{B: 1 << 31},
		{C: [3]uint8{1}},
		{C: [3]uint8{0, 0, 1}},
		{D: 1},
		{D: 1 << 63},
		{E: true},
		{F: 1},
		{F: 1 << 15},
	} {
		change := func(where string) {
			h := k.Hash()
			require.False(t, seen[h], "%s %+v", where, v)
			seen[h] = true
		}
		m.Init(v)
		change("state")
		m.Init(padded{})
		for i := range m.Mem.Len() {
			m.Mem.Set(i, v)
			change("memory")
			m.Mem.Set(i, padded{})
		}
		require.Equal(t, fresh, k.Hash())
	}
	*(*byte)(unsafe.Add(unsafe.Pointer(m.Mem.At(1)), 1)) = 1
	assert.Equal(t, fresh, k.Hash(), "padding behind A")
}
