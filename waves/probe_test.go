package waves

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
)

// memory is a struct of a design: gaps and variables of 1 to 8 bytes, and the bytes that change.
type memory struct {
	Sizes   []int // of variables, negative for a gap
	Changed []int
}

func (m memory) String() string {
	return fmt.Sprintf("variables %v, changed bytes %v", m.Sizes, m.Changed)
}

// TestBlocks: each variable that changes is found.
func TestBlocks(t *testing.T) {
	cases := forall.Struct[memory](map[string]gopter.Gen{
		"Sizes":   forall.List(60, forall.OneOf(1, 2, 4, 8, -1, -8, -24)),
		"Changed": forall.List(3, gen.IntRange(0, 300)),
	})
	forall.Check(t, "a variable that changes is among those that a block looks at", cases, func(t *forall.T, m memory) {
		var words [60]uint64
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words)), len(words)*8)
		var slots []slot
		at := 0
		for _, size := range m.Sizes {
			if size > 0 && (at+size-1)/size*size+size <= len(bytes) {
				at = (at + size - 1) / size * size
				slots = append(slots, slot{at: unsafe.Pointer(&bytes[at]), mask: ^uint64(0), size: uint8(size)})
			}
			at += max(size, -size)
		}
		all := blocks(slots)
		for _, i := range m.Changed {
			bytes[i]++
		}
		for i := range all {
			b := &all[i]
			found := map[unsafe.Pointer]bool{}
			if string(b.now) != string(b.was) {
				for _, s := range b.changed() {
					found[s.at] = true
				}
			}
			for _, s := range b.slots {
				require.True(t, s.load() == s.old || found[s.at], "byte %d", uintptr(s.at)-uintptr(unsafe.Pointer(&words)))
			}
			require.Equal(t, b.now, b.was)
		}
	})
}
