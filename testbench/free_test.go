package testbench

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
)

// TestFreedAddressesAreNotGivenSoon checks that an access to freed memory faults until 1 GiB has
// been allocated. After that the memory is zero again.
func TestFreedAddressesAreNotGivenSoon(t *testing.T) {
	s, err := NewSession(gpu.Default(), Limits{})
	require.NoError(t, err)
	const block = 64 << 20
	keep := s.Alloc(100)
	seen := map[uint64]bool{}
	again := 0
	for ; again < 100; again++ {
		addr, err := s.TryAlloc(block)
		require.NoError(t, err)
		require.Less(t, addr, uint64(addressEnd))
		require.NoError(t, s.Memory().Check(addr, block))
		got := make([]byte, 4)
		s.Read(addr, got)
		require.Equal(t, []byte{0, 0, 0, 0}, got)
		if seen[addr] {
			break
		}
		seen[addr] = true
		s.Write(addr, []byte{1, 2, 3, 4})
		require.NoError(t, s.Free(addr))
		assert.ErrorContains(t, s.Memory().Check(addr, 4), "which was freed")
	}
	assert.GreaterOrEqual(t, again, (1<<30)/block-1)
	assert.Less(t, again, 100)
	assert.NoError(t, s.Memory().Check(keep, 100))
	assert.NoError(t, s.Err())
}

// TestFreeKeepsTheBook checks that allocations never overlap, and that exactly all bytes can be
// allocated.
func TestFreeKeepsTheBook(t *testing.T) {
	const total = uint64(512 << 20)
	m := NewMemory(total)
	type block struct{ addr, bytes uint64 }
	var held []block
	state := uint32(1)
	for range 5000 {
		state = state*1664525 + 1013904223
		if state>>31 == 0 || len(held) == 0 {
			bytes := uint64(state>>8)%(20<<20) + 1
			addr, err := m.Alloc(bytes)
			if err != nil {
				require.Less(t, m.Left(), bytes)
				continue
			}
			for _, o := range held {
				require.True(t, addr+bytes < o.addr || o.addr+o.bytes < addr, "[%#x, +%#x) and [%#x, +%#x)", addr,
					bytes, o.addr, o.bytes)
			}
			held = append(held, block{addr, bytes})
			continue
		}
		i := int(state>>8) % len(held)
		_, err := m.Free(held[i].addr)
		require.NoError(t, err)
		_, err = m.Free(held[i].addr)
		require.Error(t, err)
		held = slices.Delete(held, i, i+1)
	}
	taken := uint64(0)
	for _, o := range held {
		taken += o.bytes
	}
	assert.Equal(t, total-taken, m.Left())
	_, err := m.Alloc(m.Left() + 1)
	assert.ErrorContains(t, err, "bytes asked for")
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	m := NewMemory(512 << 20)
	addr, err := m.Alloc(64)
	require.NoError(t, err)
	assert.NoError(t, m.Check(addr, 64))
	assert.NoError(t, m.Check(addr+60, 4))
	assert.ErrorContains(t, m.Check(addr+60, 8), "4 more than there are")
	assert.ErrorContains(t, m.Check(addr+60, ^uint64(0)), "more than there are")
	assert.ErrorContains(t, m.Check(addr+64, 1), "0 bytes behind the end")
	assert.ErrorContains(t, m.Check(1<<40, 1), "a pointer of the host")
	_, err = m.Free(addr + 4)
	assert.ErrorContains(t, err, "4 bytes behind the start of the allocation")
}

// TestMemorySize checks that the key gpu.memory limits the allocated memory, in one piece or in
// many.
func TestMemorySize(t *testing.T) {
	for _, size := range []uint64{1, 64, 512, 3072} {
		m := NewMemory(size << 20)
		for range 100 { // freed addresses are reused
			whole, err := m.Alloc(size << 20)
			require.NoError(t, err)
			_, err = m.Alloc(1)
			require.EqualError(t, err, fmt.Sprintf("device memory: 1 bytes asked for, 0 left of %d", size<<20))
			_, err = m.Free(whole)
			require.NoError(t, err)
		}
		for range 64 {
			_, err := m.Alloc(size << 14)
			require.NoError(t, err)
		}
		assert.Zero(t, m.Left())
	}
	cfg := gpu.Default()
	cfg.GPU.Memory = 5
	s, err := NewSession(cfg, Limits{})
	require.NoError(t, err)
	s.Alloc(5 << 20)
	assert.Zero(t, s.Memory().Left())
	s.Reset()
	assert.EqualValues(t, 5<<20, s.Memory().Left())
	cfg.GPU.Memory = 3073
	_, err = NewSession(cfg, Limits{})
	assert.ErrorContains(t, err, "gpu.memory")
}
