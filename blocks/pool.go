package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

var pool = &Block{
	Name: "warp-pool", Source: "units/pool.go",
	Doc: "PC-warp table and warp pool of dynamic warp formation, with one update and one issue a cycle",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 1, 32, true, 4},
		{"entries", "warps in the pool", 64, 2, 64, true, 8},
		{"lines", "lines of the PC-warp table", 8, 2, 64, true, 2},
	},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[PoolIn]) (rtl.Ticker, *rtl.Wire[PoolOut]) {
			b := &Pool{
				In: in, Pool: units.NewWarpPool(s["entries"], units.NewLUT(s["lines"], s["lines"])),
				entries: s["entries"], lanes: s["lanes"],
			}
			return b, &b.Out
		})
	},
}

// Pool is the warp pool with its table: see units.WarpPool.
type Pool struct {
	Pool    units.WarpPool
	In      *rtl.Wire[PoolIn]
	Out     rtl.Wire[PoolOut]
	entries int
	lanes   int
}

// PoolIn puts threads into the pool, and frees the entry of a warp that issues.
type PoolIn struct {
	Insert bool
	Update units.Update
	Issue  bool
	Entry  uint8 `bits:"entries_bits"`
}

// PoolOut is the warp of the entry, and whether the pool can take an update.
type PoolOut struct {
	Ready bool
	PC    uint32
	Mask  uint64     `bits:"lanes"`
	Row   units.Rows `len:"lanes" bits:"6"`
}

// Tick frees an entry and inserts threads.
func (b *Pool) Tick() {
	in := b.In.At()
	w := b.Pool.Warps.At(int(in.Entry))
	used := *b.Pool.Used.At(0)
	ready := ^used<<(64-b.entries) != 0
	b.Out.Set(PoolOut{ready, w.PC, w.Occ, w.Row})
	if in.Issue {
		b.Pool.Free(int(in.Entry))
	}
	if in.Insert && ready && in.Update.Req != 0 {
		b.Pool.Insert(&in.Update, b.lanes)
	}
}
