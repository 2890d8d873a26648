package rtl

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
)

// Mem is a large array of registers, such as a register file or the data of a cache. Reads see the
// present; writes are staged and committed at the edge. So a cycle costs what it writes, not what
// the array holds.
//
// It is a field, by value or by pointer, of the module that writes it. A changed entry wakes the
// processes of every module that holds the memory or points to its owner. T is plain data.
//
// With the tag `rtl:"inplace"` the module of the field writes the memory in place, which saves the
// copy and the comparison at the edge. That module then runs after all other readers, so that they
// see the present. It must not read an entry with At after writing it in the same cycle.
// Elaboration refuses a design without such an order. A checked run keeps present and next apart,
// so it differs from [Sim.Run] if a read is wrong.
//
// With the tag `rtl:"handed"`, in each module with the memory, an entry passes from module to module
// with the queue entry that names it, like a place of the queue. The module that holds it writes it
// in place, and no other reads it. Such a memory orders no processes and wakes none.
type Mem[T any] struct {
	now, next []T // fields 0 and 1: see ram.slices
	r         ram
}

// ram is a Mem of any type. It has all code that runs seldom: the methods of Mem are compiled for
// each of its types in every package that imports a machine. It is not an embedded field, since its
// methods would then be methods of Mem.
type ram struct {
	at       reflect.Value // the Mem
	bytes    [2][]byte     // the entries of now and next, as stored in memory
	size     int           // of an entry
	together bool          // now and next are the same memory
	handed   bool          // entries pass from module to module
	n        int           // entries
	marks    bool          // Edit stages entries
	log      bool          // it does so for restart: see logs
	staged   []bool        // if marks: entries written in this cycle, or since reset if it is a log
	list     []uint32      // the staged entries in the order of their first write; not of a log
	touch    *uint64       // word and mask of what a write marks: used, or fan; a word of its own before elaboration
	bit      uint64
	used     fan // the bit in the set of written memories
	fan      fan // readers, into the next cycle
	owned    owned
	traced   bool
	readers  []*process
	writer   *module // the module that writes in place
	reset    []byte  // contents at elaboration, or an entry that all are equal to; nil: zeros
	set      bool    // some entries have been set
}

// memory is a Mem of any type.
type memory interface{ ram() *ram }

func (m *Mem[T]) ram() *ram { return &m.r }

// NewMem makes a memory of n zero entries.
func NewMem[T any](n int) *Mem[T] {
	m := new(Mem[T])
	m.r.touch, m.r.bit = new(uint64), 1
	m.Resize(n)
	return m
}

// Resize makes it a memory of n zero entries, between runs. The old contents are lost, and zero is
// the reset value. It panics if the memory is traced.
func (m *Mem[T]) Resize(n int) { m.r.resize(reflect.ValueOf(m).Elem(), n) }

func (r *ram) resize(at reflect.Value, n int) {
	if r.traced {
		panic("rtl: Resize of " + r.owned.path + ", which is traced")
	}
	if r.log && n == r.len() && r.reset == nil {
		r.restart()
		r.fan.mark()
		return
	}
	r.at = at
	r.reset, r.set, r.n = nil, false, n
	now, next := r.slices()
	r.size = int(now.Type().Elem().Size())
	renew(now, n)
	apart := r.owned.sim != nil && r.writer == nil && !r.handed
	if apart {
		renew(next, n)
	}
	r.lay(apart)
	r.logs()
	r.fan.mark()
}

// renew makes a slice one of n zeros, in the same place if there is room.
func renew(s reflect.Value, n int) {
	if n > s.Cap() {
		s.Set(reflect.MakeSlice(s.Type(), n, n))
		return
	}
	s.SetLen(n)
	s.Clear()
}

// slices are the fields now and next of the Mem.
func (r *ram) slices() (now, next reflect.Value) {
	return addressOf(r.at.Field(0)).Elem(), addressOf(r.at.Field(1)).Elem()
}

// double stores the next values of the entries apart from the present ones, or in the same memory.
func (r *ram) double(apart bool) {
	if now, next := r.slices(); apart {
		next.Set(reflect.MakeSlice(next.Type(), now.Len(), now.Len()))
		reflect.Copy(next, now)
	}
	r.lay(apart)
}

// lay leaves next where it is, or puts it in the memory of now. The two hold equal values.
func (r *ram) lay(apart bool) {
	now, next := r.slices()
	if !apart {
		next.Set(now)
	}
	r.bytes = [2][]byte{bytesBehind(now), bytesBehind(next)}
	r.together = !apart
	r.mark(apart, false)
	r.connect()
}

// mark makes Edit stage entries or not, as a log or not. No entry is staged.
func (r *ram) mark(entries, log bool) {
	r.marks, r.log, r.list, r.staged = entries, log, r.list[:0], r.staged[:0]
	if entries {
		r.staged = slices.Grow(r.staged, r.n)[:r.n]
		clear(r.staged)
	}
}

// logged is the size from which a memory that is written in place logs its written entries, so that
// a reset costs what a run has written, and not what a cache holds. Small entries cost more to log
// than to clear.
const logged, leastLogged = 1 << 15, 64

// logs makes a large memory log its written entries, which are those of a reset.
func (r *ram) logs() {
	if r.together && r.owned.sim != nil && len(r.bytes[0]) >= logged && r.size >= leastLogged {
		r.mark(true, true)
	}
}

// connect chooses what a write marks. A write in place to a memory that is not traced needs no
// edge: it wakes the readers itself.
func (r *ram) connect() {
	if r.used.word == nil || r.handed {
		return // not elaborated, or a write tells nobody
	}
	r.touch, r.bit = r.used.word, r.used.mask
	if r.together && !r.traced && r.fan.word != nil && r.fan.more == nil {
		r.touch, r.bit = r.fan.word, r.fan.mask
	}
}

// Len is the number of entries.
func (m *Mem[T]) Len() int { return len(m.now) }

// At is the present value of entry i. It is read-only.
func (m *Mem[T]) At(i int) *T { return &m.now[i] }

// Write makes v the value of entry i from the next cycle on.
func (m *Mem[T]) Write(i int, v T) { *m.Edit(i) = v }

// Edit returns the value that entry i has from the next cycle on, for the caller to change within
// this cycle. It starts as the present value. Within a cycle every Edit of i returns the same
// entry.
func (m *Mem[T]) Edit(i int) *T {
	*m.r.touch |= m.r.bit
	if m.r.marks && !m.r.staged[i] {
		m.r.stage(i)
	}
	return &m.next[i]
}

// Next is Edit for reading: the value that entry i has from the next cycle on, as far as this cycle
// has written it. It costs nothing at the edge. Only the module that writes the memory uses it.
func (m *Mem[T]) Next(i int) *T { return &m.next[i] }

// entry is an entry as bytes, present and next.
func (r *ram) entry(i uint32) (now, next []byte) {
	at := int(i) * r.size
	return r.bytes[0][at : at+r.size], r.bytes[1][at : at+r.size]
}

func (r *ram) stage(i int) {
	r.staged[i] = true
	if !r.log {
		r.list = append(r.list, uint32(i))
	}
}

// Set makes v the present value of entry i. Before elaboration this is the reset value; after it, a
// change by the testbench between runs.
func (m *Mem[T]) Set(i int, v T) { m.Alter(i, func(p *T) { *p = v }) }

// Alter changes the present value of entry i by the function change; otherwise it is like Set.
func (m *Mem[T]) Alter(i int, change func(*T)) {
	change(&m.now[i])
	m.r.altered(uint32(i))
}

func (r *ram) altered(i uint32) {
	if r.log && !r.staged[i] {
		r.stage(int(i))
	}
	now, next := r.entry(i)
	copy(next, now)
	r.set = true
	r.fan.mark()
	if r.traced {
		r.owned.note()
	}
}

// edge commits the staged entries and reports whether any changed. It is one function for all
// types, with separate loops for entries of 4 to 24 bytes. This is faster than one function for
// each type.
func (r *ram) edge() bool {
	if r.together {
		r.fan.mark()
		return true
	}
	changed := false
	switch r.size {
	case 4:
		changed = commitWords[uint32](r)
	case 8:
		changed = commitWords[uint64](r)
	case 16:
		changed = commitWords[[2]uint64](r)
	case 20:
		changed = r.commit20()
	case 24:
		changed = commitWords[[3]uint64](r)
	default:
		for _, i := range r.list {
			r.staged[i] = false
			now, next := r.entry(i)
			if !bytes.Equal(now, next) {
				copy(now, next)
				changed = true
			}
		}
	}
	r.list = r.list[:0]
	if changed {
		r.fan.mark()
	}
	return changed
}

// commitWords is the edge of entries as large as a W.
func commitWords[W uint32 | uint64 | [2]uint64 | [3]uint64](r *ram) (changed bool) {
	now, next := wordsOf[W](r.bytes[0]), wordsOf[W](r.bytes[1])
	for _, i := range r.list {
		r.staged[i] = false
		if v := next[i]; now[i] != v {
			now[i] = v
			changed = true
		}
	}
	return changed
}

// commit20 is the edge of entries of 20 bytes. It writes them in any case.
func (r *ram) commit20() bool {
	le, differ := binary.LittleEndian, uint64(0)
	for _, i := range r.list {
		r.staged[i] = false
		at := int(i) * 20
		now, next := (*[20]byte)(r.bytes[0][at:]), (*[20]byte)(r.bytes[1][at:])
		a, b, c := le.Uint64(next[:]), le.Uint64(next[8:]), le.Uint32(next[16:])
		differ |= (a ^ le.Uint64(now[:])) | (b ^ le.Uint64(now[8:])) | uint64(c^le.Uint32(now[16:]))
		le.PutUint64(now[:], a)
		le.PutUint64(now[8:], b)
		le.PutUint32(now[16:], c)
	}
	return differ != 0
}

// pending identifies the staged changes.
func (r *ram) pending() uint64 {
	d := digest{}
	for _, i := range r.list {
		now, next := r.entry(i)
		if !bytes.Equal(now, next) {
			d.word(uint64(i))
			d.all(next, r.typ())
		}
	}
	return d.h
}

func (r *ram) len() int { return r.n }

func (r *ram) home() *owned { return &r.owned }

func (r *ram) typ() reflect.Type { return r.at.Field(0).Type().Elem() }

// elaborated keeps what was set or written so far. Until then all memories are written in place:
// many stay so, and large ones need no second copy.
func (r *ram) elaborated() {
	if r.set || *r.touch != 0 {
		r.reset = r.bytes[0]
		if n := r.size; len(r.reset) > n && bytes.Equal(r.reset[n:], r.reset[:len(r.reset)-n]) {
			r.reset = r.reset[:n] // all entries are equal
		}
		r.reset = bytes.Clone(r.reset)
	}
	if r.writer == nil && !r.handed {
		r.double(true)
	}
	r.logs()
}

func (r *ram) restart() {
	if r.log && len(r.reset) <= r.size {
		for i, written := range r.staged {
			if written {
				now, _ := r.entry(uint32(i))
				clear(now)
				copy(now, r.reset)
			}
		}
		clear(r.staged)
		return
	}
	r.edge() // nothing stays staged
	now, next := r.bytes[0], r.bytes[1]
	if r.reset == nil {
		clear(now)
	} else {
		for n := copy(now, r.reset); n < len(now); n *= 2 {
			copy(now[n:], now[:n])
		}
	}
	copy(next, now)
	r.mark(!r.together, false)
	r.logs()
}

func (r *ram) save(b []byte) []byte {
	return append(b, r.bytes[0]...)
}

func (r *ram) load(b []byte) []byte {
	r.edge()
	if r.log {
		r.mark(false, false)
	}
	b = b[copy(r.bytes[0], b):]
	copy(r.bytes[1], r.bytes[0])
	return b
}

func (r *ram) sum(d *digest) { d.all(r.bytes[0], r.typ()) }
