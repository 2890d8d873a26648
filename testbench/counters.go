package testbench

import (
	"cmp"
	"reflect"
	"sync"
	"unsafe"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/sm"
	"divergo/sm/divergence"
)

// Counters hold the counts of the blocks of a machine, summed over the blocks of one kind.
type Counters struct {
	Cycles       uint64 // core cycles from launch to the end of the last CTA
	SMCycles     uint64 // Cycles times SMs, times the sub-cores of each
	Classes      sm.Cycles
	Instructions uint64 // warp instructions of the kernel
	Inserted     uint64 // warp instructions that the mechanism inserted
	Lanes        uint64 // their active lanes
	Skipped      uint64 // cycles that warps skipped on their way into the pipes
	Beside       uint64 // warp instructions issued beside another one, in the lanes that it leaves free
	Active       [isa.MaxLanes + 1]uint64
	BusWaits     uint64 // cycles that instructions waited for the exit of their pipe
	PortWaits    uint64 // cycles that results waited for write-back
	Divergence   divergence.Stats
	Herd         sm.HerdCounters
	Absent       sm.AbsentCounters
	Mechanism    any // the mechanism's own counts: see divergence.Policy.Counts
	Stalls       memsys.Stalls
	Coalescer    memsys.CoalescerCounters
	Shared       memsys.SharedCounters
	L1           memsys.L1Counters
	Const        memsys.ReaderCounters
	ConstCache   memsys.ReadCacheCounters
	Texture      memsys.ReaderCounters
	TextureCache memsys.ReadCacheCounters
	TextureUnit  memsys.TextureCounters
	ICache       memsys.ReadCacheCounters
	Requests     memsys.CrossbarCounters
	Responses    memsys.CrossbarCounters
	L2           memsys.SliceCounters
	DRAM         dram.Counters
	DRAMCycles   uint64 // DRAM cycles times channels

	warpSize  int
	mechanism string
}

// readCounters sums the counters of a machine since its reset.
func readCounters(m *gpu.Machine) Counters {
	c := Counters{warpSize: m.Config.SM.WarpSize, mechanism: m.Config.Divergence.Mechanism}
	now := m.Core().Now()
	c.SMCycles = now * uint64(subCores(m))
	for i, s := range m.SMs {
		var one Counters
		for _, sub := range s.Sub {
			c.addCore(sub, now)
		}
		one.Divergence = s.Div.Stats()
		if counts := s.Div.Counts(); counts != nil {
			one.Mechanism = counts.Values()
		}
		u := m.Units[i]
		one.Stalls = u.Stalls()
		one.Coalescer, one.Shared, one.L1 = *u.Coalescer.Count.Q(), *u.Shared.Count.Q(), *u.L1.Count.Q()
		if u.Const != nil {
			one.Const, one.ConstCache = *u.Const.Count.Q(), *u.ConstCache.Count.Q()
		}
		if u.Texture != nil {
			one.Texture, one.TextureCache = *u.Texture.Count.Q(), *u.TextureCache.Count.Q()
		}
		if u.TextureUnit != nil {
			one.TextureUnit = u.TextureUnit.CountBy(now)
		}
		if u.ICache != nil {
			one.ICache = *u.ICache.Count.Q()
		}
		c.add(&one)
	}
	c.Requests, c.Responses = *m.Net.Requests.Count.Q(), *m.Net.Responses.Count.Q()
	for _, d := range m.System().Domains() {
		if d.Name() == "dram" {
			c.DRAMCycles = d.Now() * uint64(len(m.Channels))
		}
	}
	for i, s := range m.Slices {
		var one Counters
		one.L2, one.DRAM = *s.Count.Q(), *m.Channels[i].Count.Q()
		c.add(&one)
	}
	return c
}

// addCore adds the counters of a sub-core.
func (c *Counters) addCore(s *sm.SubCore, now uint64) {
	var one Counters
	one.Classes = s.Issue.CyclesBy(now)
	issue := s.Issue.Count.Q()
	one.Instructions, one.Lanes, one.Inserted, one.Skipped = issue.Issued, issue.Lanes, issue.Added, issue.Skipped
	if b := s.Issue.Beside; b != nil {
		one.Beside = b.Q().Count
	}
	one.BusWaits = s.ALU.Q().Waits + s.DPU.Q().Waits + s.SFU.Q().Waits
	one.PortWaits = s.Writeback.Q().Conflicts
	for k := range s.Issue.Active.Len() {
		one.Active[k] = *s.Issue.Active.At(k)
	}
	one.Herd = s.ALU.Herd.Q().Count
	one.Absent = s.ALU.Q().Absent
	c.add(&one)
}

// subCores returns the number of sub-cores of a machine.
func subCores(m *gpu.Machine) int { return len(m.SMs) * m.Config.SM.Schedulers }

// add adds another set of counters; of peaks it keeps the larger.
func (c *Counters) add(o *Counters) {
	c.combine(o, func(a, b uint64) uint64 { return a + b }, func(a, b uint64) uint64 { return max(a, b) })
	c.warpSize, c.mechanism = max(c.warpSize, o.warpSize), cmp.Or(c.mechanism, o.mechanism)
}

// since subtracts the counts made before a launch that took so many cycles. It leaves out the
// cycles after the last CTA, in which the caches write back and no sub-core has threads.
func (c *Counters) since(before *Counters, cycles uint64, cores int) {
	c.combine(before, func(a, b uint64) uint64 { return a - b }, func(a, _ uint64) uint64 { return a })
	c.Cycles = cycles
	c.Classes[sm.ClassEmpty] -= c.SMCycles - cycles*uint64(cores)
	c.SMCycles = cycles * uint64(cores)
}

// zero returns the counters of a machine that has done nothing.
func (c Counters) zero() Counters {
	none := func(uint64, uint64) uint64 { return 0 }
	c.combine(&c, none, none)
	return c
}

// combine stores sum(c, o) in each counter of c, and peak(c, o) in each peak.
func (c *Counters) combine(o *Counters, sum, peak func(a, b uint64) uint64) {
	a, b := c.words(), o.words()
	for _, r := range runs() {
		f := sum
		if r.peak {
			f = peak
		}
		to, from := a[r.first:r.end], b[r.first:r.end]
		for i := range to {
			to[i] = f(to[i], from[i])
		}
	}
	if o.Mechanism != nil {
		v := reflect.New(reflect.TypeOf(o.Mechanism)).Elem() // zeros if nothing was counted
		if c.Mechanism != nil {
			v.Set(reflect.ValueOf(c.Mechanism))
		}
		combine(v, reflect.ValueOf(o.Mechanism), sum, peak)
		c.Mechanism = v.Interface()
	}
}

// words returns c as numbers. Only the words of runs are counters.
func (c *Counters) words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(c)), unsafe.Sizeof(*c)/8)
}

// run is a sequence of adjacent counters of one kind in Counters.
type run struct {
	first, end uintptr // of words
	peak       bool
}

// runs are computed once, because an empty launch adds up hundreds of counters of each SM.
var runs = sync.OnceValue(func() (list []run) {
	var walk func(t reflect.Type, at uintptr, peak bool)
	walk = func(t reflect.Type, at uintptr, peak bool) {
		switch t.Kind() {
		case reflect.Uint64:
			if n := len(list); n > 0 && list[n-1].end == at/8 && list[n-1].peak == peak {
				list[n-1].end++
			} else {
				list = append(list, run{at / 8, at/8 + 1, peak})
			}
		case reflect.Array:
			for i := range t.Len() {
				walk(t.Elem(), at+uintptr(i)*t.Elem().Size(), peak)
			}
		case reflect.Struct:
			for _, p := range partsOf(t) {
				f := t.Field(p.index)
				walk(f.Type, at+f.Offset, peak || p.peak)
			}
		}
	}
	walk(reflect.TypeFor[Counters](), 0, false)
	return list
})

// combine does the same for the mechanism's own counts.
func combine(a, b reflect.Value, sum, peak func(a, b uint64) uint64) {
	switch a.Kind() {
	case reflect.Uint64:
		a.SetUint(sum(a.Uint(), b.Uint()))
	case reflect.Struct:
		for _, p := range partsOf(a.Type()) {
			f := sum
			if p.peak {
				f = peak
			}
			combine(a.Field(p.index), b.Field(p.index), f, peak)
		}
	case reflect.Array:
		for i := range a.Len() {
			combine(a.Index(i), b.Index(i), sum, peak)
		}
	}
}

// part is a field of a struct of counters.
type part struct {
	index int
	peak  bool
}

// parts caches partsOf by type, because each launch reads it hundreds of times.
var parts sync.Map

// partsOf returns the exported fields of a struct.
func partsOf(t reflect.Type) []part {
	if known, ok := parts.Load(t); ok {
		return known.([]part)
	}
	var list []part
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			list = append(list, part{i, f.Tag.Get("stat") == "peak"})
		}
	}
	parts.Store(t, list)
	return list
}
