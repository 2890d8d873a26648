package units_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/units"
)

// pool is a module that performs one action a cycle on a warp pool.
type pool struct {
	units.WarpPool
	rtl.State[struct{ Cycle uint32 }]
	do func()
}

func (p *pool) Tick() {
	p.do()
	p.D().Cycle++
}

func newPool(threads, entries, ways int) (*pool, *rtl.Sim) {
	p := &pool{WarpPool: units.NewWarpPool(threads, units.NewLUT(entries, ways))}
	return p, rtl.MustNew("pool", p)
}

// update returns an update of lanes whose threads are all in one row.
func update(pc uint32, row uint8, lanes uint64) *units.Update {
	u := &units.Update{PC: pc, Req: lanes}
	for i := range u.Row {
		u.Row[i] = row
	}
	return u
}

// TestT51 is vector T5.1 of the design notes (section 5): two warps of four threads branch in
// consecutive cycles. If they take different lanes to a side, each side is one warp. If they take
// the same lanes, each stays separate and the table has the younger one.
func TestT51(t *testing.T) {
	const b, c = 8, 12
	type warp struct {
		pc      uint32
		occ     uint64
		threads []int // by lane, -1: none
	}
	for _, v := range []struct {
		name  string
		taken [2]uint64 // lanes of either warp that go to b
		lut   map[uint32]units.Joinable
		warps []warp // by index
	}{
		{
			"other lanes",
			[2]uint64{0b0011, 0b1100},
			map[uint32]units.Joinable{b: {Index: 0, Occ: 0b1111}, c: {Index: 1, Occ: 0b1111}},
			[]warp{{b, 0b1111, []int{0, 1, 6, 7}}, {c, 0b1111, []int{4, 5, 2, 3}}},
		},
		{
			"same lanes",
			[2]uint64{0b0011, 0b0011},
			map[uint32]units.Joinable{b: {Index: 2, Occ: 0b0011}, c: {Index: 3, Occ: 0b1100}},
			[]warp{
				{b, 0b0011, []int{0, 1, -1, -1}},
				{c, 0b1100, []int{-1, -1, 2, 3}},
				{b, 0b0011, []int{4, 5, -1, -1}},
				{c, 0b1100, []int{-1, -1, 6, 7}},
			},
		},
	} {
		t.Run(v.name, func(t *testing.T) {
			p, sim := newPool(8, 32, 4)
			for w, taken := range v.taken {
				p.do = func() {
					p.Insert(update(b, uint8(w), taken), 4)
					p.Insert(update(c, uint8(w), 0b1111&^taken), 4)
				}
				sim.Run(1)
				if w == 0 { // the first cycle of the vector
					assert.EqualValues(t, 0b0011, p.Warps.At(0).Occ)
					assert.EqualValues(t, 0b1100, p.Warps.At(1).Occ)
				}
			}
			for i, want := range v.warps {
				got := p.Warps.At(i)
				assert.Equal(t, want.pc, got.PC, "warp %d", i)
				assert.Equal(t, want.occ, got.Occ, "warp %d", i)
				for lane, thread := range want.threads {
					if thread >= 0 {
						assert.Equal(t, thread, int(got.Row[lane])*4+lane, "warp %d lane %d", i, lane)
					}
				}
			}
			assert.EqualValues(t, 1<<len(v.warps)-1, *p.Used.At(0))
			for i := range p.LUT.Lines.Len() {
				if l := p.LUT.Lines.At(i); l.Valid {
					want, ok := v.lut[l.PC]
					require.True(t, ok)
					assert.Equal(t, want.Index, l.Data.Index)
					assert.Equal(t, want.Occ, l.Data.Occ)
				}
			}
		})
	}
}

// TestIssuedWarpIsNotJoined: a line whose warp has issued is stale. This holds even if its entry
// has another warp of the same PC that was formed without the table.
func TestIssuedWarpIsNotJoined(t *testing.T) {
	p, sim := newPool(8, 4, 2)
	p.do = func() {
		_, first := p.Insert(update(5, 0, 0b0001), 4)
		p.Free(first)
		alone := p.Form(update(5, 1, 0b0100), 0b0100)
		assert.Equal(t, first, alone, "the lowest entry")
		joined, formed := p.Insert(update(5, 0, 0b0010), 4)
		assert.Equal(t, -1, joined)
		assert.NotEqual(t, alone, formed)
		joined, _ = p.Insert(update(5, 1, 0b1000), 4)
		assert.Equal(t, formed, joined)
	}
	sim.Run(1)
}

// Lanes of two warps meet at a PC.
func ExampleWarpPool() {
	p, sim := newPool(8, 32, 4)
	p.do = func() {
		p.Insert(update(8, 0, 0b0011), 4)
		joined, _ := p.Insert(update(8, 1, 0b0110), 4) // lane 1 is taken
		fmt.Printf("joined %04b, alone %04b\n", p.Warps.Edit(joined).Occ, p.Warps.Edit(1).Occ)
	}
	sim.Run(1)
	// Output: joined 0111, alone 0010
}
