package memsys

import (
	"math/bits"

	"divergo/memsys/dram"
	"divergo/rtl"
)

// cache is the storage of a set-associative cache, used by the L1 and by a slice of the L2. A way
// is a line of a set; ways are numbered through all sets.
//
// The replacement is true LRU, kept as the time of the last use. This gives the same order as the
// age matrix of hardware. Starting the next generation forgets all lines at once, like the flash
// clear of a column of valid bits. A line of an access with .cs makes room before all others: it
// counts as never used (PTX ISA, "Cache Operators": evict-first).
//
// A line has sectors: parts that are fetched by themselves. Without them a line is one sector.
type cache struct {
	tags       *rtl.Mem[tag]      `rtl:"inplace"`
	ways       *rtl.Mem[way]      `rtl:"inplace"`
	data       *rtl.Mem[Line]     `rtl:"inplace" len:"line"`
	dirty      *rtl.Mem[uint64]   `rtl:"inplace"`                      // one bit for each way: it has bytes to write back
	dirtyBytes *rtl.Mem[ByteMask] `rtl:"inplace" len:"1" bits:"dirty"` // by way: these bytes

	assoc int
	sets  uint32
	shift uint // address bits of a line

	hash    func(above uint64, n int) uint64
	setBits int
	sectors int
	bytes   [1 << maxSectors]ByteMask // of each set of sectors
}

// tag names the line in a way. It is valid in its own generation only. Generation 0 means no line.
type tag struct {
	Line uint32 `bits:"tag"`
	Gen  uint32 `bits:"valid"`
}

// way holds the rest of the state of the line in a way.
type way struct {
	Waiting bool              // reserved for bytes that an MSHR fetches
	Valid   uint8             `bits:"4"`      // sectors that Data holds (L1)
	Flight  uint8             `bits:"4"`      // sectors on their way (L1)
	MSHR    [maxSectors]uint8 `len:"sectors"` // that fetches the line (L2: the first), or the sectors of Flight (L1)
	Used    uint64            `bits:"age"`    // time of the last use
}

// newCache makes a cache that is only read: see writable.
func newCache(size, assoc, line, sector int, hash dram.Hash) cache {
	n := size / line
	if sector == 0 {
		sector = line
	}
	c := cache{
		tags: rtl.NewMem[tag](n), ways: rtl.NewMem[way](n), data: rtl.NewMem[Line](n),
		dirty: rtl.NewMem[uint64](0), dirtyBytes: rtl.NewMem[ByteMask](0),
		assoc: assoc, sets: uint32(n / assoc), shift: uint(bits.TrailingZeros(uint(line))),
		hash: hash.Fold(), setBits: bits.TrailingZeros(uint(n / assoc)), sectors: line / sector,
	}
	for set := range c.bytes {
		for s := range c.sectors {
			if set>>s&1 != 0 {
				c.bytes[set] = c.bytes[set].Or(dram.Span(s*sector, sector))
			}
		}
	}
	return c
}

// writable makes it a cache with dirty lines.
func (c cache) writable() cache {
	n := c.data.Len()
	c.dirty, c.dirtyBytes = rtl.NewMem[uint64]((n+63)/64), rtl.NewMem[ByteMask](n)
	return c
}

// set returns the set of the line with a number.
func (c *cache) set(line uint32) uint32 {
	return (line ^ uint32(c.hash(uint64(line)>>c.setBits, c.setBits))) & (c.sets - 1)
}

// every returns all sectors of a line.
func (c *cache) every() uint8 { return 1<<c.sectors - 1 }

// touched returns the sectors that have some of the bytes.
func (c *cache) touched(m ByteMask) (set uint8) {
	for s := range c.sectors {
		if m.And(c.bytes[1<<s]) != (ByteMask{}) {
			set |= 1 << s
		}
	}
	return set
}

// find returns the way of set that holds a line, or -1.
func (c *cache) find(set, line, gen uint32) int {
	first := int(set) * c.assoc
	for w := first; w < first+c.assoc; w++ {
		if *c.tags.At(w) == (tag{line, gen}) {
			return w
		}
	}
	return -1
}

// victim returns the way of set for a new line. This is an empty way, or else the least recently
// used one that does not wait for its line. It returns -1 if all wait.
func (c *cache) victim(set, gen uint32) int {
	first := int(set) * c.assoc
	best := -1
	var used uint64
	for w := first; w < first+c.assoc; w++ {
		if c.tags.At(w).Gen != gen {
			return w
		}
		if s := c.ways.At(w); !s.Waiting && (best < 0 || s.Used < used) {
			best, used = w, s.Used
		}
	}
	return best
}

// drop forgets the line in way w. The line must not be dirty.
func (c *cache) drop(w int) { c.tags.Write(w, tag{}) }

// isDirty reports whether way w, if valid, has bytes to write back.
func (c *cache) isDirty(w int) bool { return *c.dirty.At(w / 64)>>(w%64)&1 != 0 }

// merge puts bytes into way w that are also written to the next level, so they are not dirty.
func (c *cache) merge(w int, data *Line, mask ByteMask) { c.data.Edit(w).Merge(data, mask) }

// write puts the bytes in mask into way w and marks them dirty.
func (c *cache) write(w int, data *Line, mask ByteMask) {
	c.data.Edit(w).Merge(data, mask)
	bytes := c.dirtyBytes.Edit(w)
	*bytes = bytes.Or(mask)
	*c.dirty.Edit(w / 64) |= 1 << (w % 64)
}

// clean marks the bytes of way w as not dirty: they are on their way to the next level.
func (c *cache) clean(w int) {
	*c.dirtyBytes.Edit(w) = ByteMask{}
	*c.dirty.Edit(w / 64) &^= 1 << (w % 64)
}

// address returns the address of the line in way w.
func (c *cache) address(w int) uint64 { return uint64(c.tags.At(w).Line) << c.shift }

// lowestFree returns the lowest unused one of n MSHRs, or -1.
func lowestFree(used *[MaxMSHRs / 64]uint64, n int) int {
	for i, w := range used {
		if w != ^uint64(0) {
			if id := i*64 + bits.TrailingZeros64(^w); id < n {
				return id
			}
			break
		}
	}
	return -1
}
