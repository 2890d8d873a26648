package sm

import (
	"divergo/isa"
	"divergo/rtl"
)

// The results of a pipe are in a memory of rows, used as a ring. An instruction takes its rows when
// it reads its operands, and keeps them until write-back. Its queue entries name the first row, so
// that no result is copied on its way. Rows need not be freed: the ring has room for the results of
// all instructions that can be in the pipe. Sources that an instruction keeps until a pipe takes it
// are in another ring.

// newValues makes the values of a pipe, without rows: see launch.resize.
func newValues() *rtl.Mem[isa.Row] { return rtl.NewMem[isa.Row](0) }

// resize makes room for the rows that each of so many instructions of the loaded kernel may take.
func (l *launch) resize(values *rtl.Mem[isa.Row], instructions int, take func(in *decoded) uint8) {
	most := 0
	for i := range l.insts {
		most = max(most, int(take(&l.insts[i])))
	}
	values.Resize(most * instructions)
}

// resizeResults makes room for the results of so many instructions of a unit.
func (l *launch) resizeResults(values *rtl.Mem[isa.Row], unit isa.Unit, instructions int) {
	l.resize(values, instructions, func(in *decoded) uint8 {
		if in.unit == unit {
			return in.results
		}
		return 0
	})
}

// resizeSources makes room for the sources of so many instructions of a unit that keep them.
func (l *launch) resizeSources(values *rtl.Mem[isa.Row], unit isa.Unit, instructions int) {
	l.resize(values, instructions, func(in *decoded) uint8 {
		if in.unit == unit && (in.late || in.memory) {
			return in.sources
		}
		return 0
	})
}

// loads is the number of results of the LSU between the oldest that is not written and the newest: its
// queue, the one of a sub-core, and what the MemPort moves while write-back takes one in each cycle.
const loads = 16

// inPipe returns the number of instructions that can be in a pipe, waiting ones included, between
// the oldest and the newest. each is the number that can start in a cycle. While one is in Line, it
// advances with each start behind it; then it is in Out, which keeps the order.
func (c *Config) inPipe(unit isa.Unit, each int) int {
	_, most := c.Latencies(unit)
	return each * (most + 6)
}

// valueAt returns row i of those at a place, for writing: see launch.rowOf.
func valueAt(values *rtl.Mem[isa.Row], place uint16, i int) *isa.Row {
	return values.Edit(wrap(values, int(place)+i))
}

// readAt is valueAt for reading.
func readAt(values *rtl.Mem[isa.Row], place uint16, i int) *isa.Row {
	return values.At(wrap(values, int(place)+i))
}

// rowOf returns the number of a row among those of several registers, by register, then half of the warp.
func (l *launch) rowOf(register, half int) int { return register<<(l.wide%isa.MaxHalves) | half }

// taken returns the place behind the rows of an instruction.
func taken(values *rtl.Mem[isa.Row], place uint16, rows uint8) uint16 {
	return uint16(wrap(values, int(place)+int(rows)))
}

func wrap(values *rtl.Mem[isa.Row], at int) int {
	if at >= values.Len() {
		at -= values.Len()
	}
	return at
}

// Value returns a result of a lane of an instruction on its way to write-back. It is valid until the
// instruction has been written.
func (s *SM) Value(r *Result, destination, lane int) uint64 {
	in := &s.l.insts[r.PC]
	c := s.Sub[s.l.core(int(r.Slot))]
	row := s.l.rowOf(destination, lane/isa.RowLanes)
	return readAt(c.Writeback.Values[port(in.unit)], r.At, row)[lane%isa.RowLanes]
}

// port returns the port of write-back that serves a unit.
func port(unit isa.Unit) int {
	switch unit {
	case isa.UnitMem:
		return 0
	case isa.UnitSFU:
		return 1
	case isa.UnitDPU:
		return 2
	}
	return 3
}
