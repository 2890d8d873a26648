package testbench

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
)

// TestVirtualKeepsTheBook maps memory to random addresses and unmaps it, beside allocations. The
// memory keeps its contents at every address, accessible memory is valid, and bytes are counted
// once.
func TestVirtualKeepsTheBook(t *testing.T) {
	type memory struct {
		name   Piece
		at     sm.Range // empty: not mapped
		bytes  uint64
		access bool
		mark   byte // its first and its last byte
	}
	s, err := NewSession(gpu.Default(), Limits{})
	require.NoError(t, err)
	total := s.Memory().Total()
	random := rand.New(rand.NewPCG(1, 2))
	const places = 12
	other, err := s.Reserve(places*Granularity, 4*Granularity, isa.GlobalBase+Granularity)
	require.NoError(t, err)
	require.Zero(t, other%(4*Granularity))
	require.NoError(t, s.Unreserve(other, places*Granularity))
	base, err := s.Reserve(places*Granularity, 4*Granularity, isa.GlobalBase+4*Granularity) // on the way of allocations
	require.NoError(t, err)
	require.EqualValues(t, isa.GlobalBase+4*Granularity, base)
	var all []*memory
	var plain []sm.Range
	for range 1000 {
		if len(all) < 5 {
			m := &memory{bytes: (1 + random.Uint64N(2)) * Granularity}
			m.name, err = s.Create(m.bytes)
			require.NoError(t, err)
			all = append(all, m)
		}
		i := random.IntN(len(all))
		m := all[i]
		there := m.at.End > 0
		switch random.IntN(12) {
		case 0: // its bytes count until it is unmapped
			require.NoError(t, s.Release(m.name))
			require.Error(t, s.Release(m.name))
			if there {
				name, err := s.Retain(m.at.End - 1)
				require.NoError(t, err)
				require.Equal(t, m.name, name)
				break
			}
			all = slices.Delete(all, i, i+1)
		case 1, 2:
			addr := base + random.Uint64N(places-m.bytes/Granularity+1)*Granularity
			r := sm.Range{Start: addr, End: addr + m.bytes}
			taken := slices.ContainsFunc(all, func(o *memory) bool { return o.at.Start < r.End && r.Start < o.at.End })
			err := s.Map(addr, m.bytes, m.name)
			require.Equal(t, taken || there, err != nil)
			if err == nil {
				m.at, m.access = r, false
			}
		case 3:
			err := s.Unmap(m.at.Start, m.bytes)
			require.Equal(t, there, err == nil)
			m.at, m.access = sm.Range{}, false
		case 4, 5, 6:
			require.Equal(t, there, s.SetAccess(m.at.Start, m.bytes, !m.access) == nil)
			m.access = there && !m.access
		case 7, 8, 9:
			if !m.access {
				break
			}
			first, last := []byte{1}, []byte{1}
			s.Read(m.at.Start, first)
			s.Read(m.at.End-1, last)
			require.Equal(t, [2]byte{m.mark, m.mark}, [2]byte{first[0], last[0]})
			m.mark = byte(random.IntN(256))
			s.Write(m.at.Start, []byte{m.mark})
			s.Write(m.at.End-1, []byte{m.mark})
		case 10:
			if len(plain) > 3 {
				require.NoError(t, s.Free(plain[0].Start))
				plain = plain[1:]
				break
			}
			bytes := random.Uint64N(4*Granularity) + 1
			addr, err := s.TryAlloc(bytes)
			require.NoError(t, err)
			plain = append(plain, sm.Range{Start: addr, End: addr + bytes})
			require.True(t, addr+bytes < base || addr > base+places*Granularity)
		}
		left, valid := total, slices.Clone(plain)
		for _, r := range plain {
			left -= r.End - r.Start
		}
		for _, m := range all {
			left -= m.bytes
			if m.access {
				valid = append(valid, m.at)
			}
		}
		slices.SortFunc(valid, byStart)
		require.Equal(t, left, s.Memory().Left())
		require.Equal(t, valid, slices.Clone(s.Memory().Ranges()))
	}
	require.NoError(t, s.FreeVirtual())
	for _, r := range plain {
		require.NoError(t, s.Free(r.Start))
	}
	assert.Equal(t, total, s.Memory().Left())
	assert.Empty(t, s.Memory().Ranges())
}
