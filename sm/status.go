package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/units"
)

// Thread names a thread of the grid.
type Thread struct {
	CTA [3]uint32 // ctaid
	TID [3]uint32 // tid
}

// Thread returns the thread in a lane of a row, while its CTA is resident.
func (s *SM) Thread(row, lane int) Thread {
	id, warp := s.Warp(row)
	tid := s.l.tids[warp][lane]
	return Thread{id, [3]uint32{uint32(tid & 0xffff), uint32(tid >> 16 & 0xffff), uint32(tid >> 32)}}
}

// Warp returns the ctaid of the CTA of the warp in a row, and the warp's number in it.
func (s *SM) Warp(row int) (id [3]uint32, warp int) {
	return s.l.ctaid(s.CTA.Q().ID[s.Resident(row)&(MaxCTAs-1)]), row % s.l.warps
}

// Resident returns the number, among the resident CTAs, of the CTA of a row.
func (s *SM) Resident(row int) uint8 { return s.l.cta[row&(MaxWarps-1)] }

// Reg returns a general register of a thread.
func (s *SM) Reg(row, lane, reg int) uint64 {
	index, lane := s.l.home(units.Home{Row: uint8(row), Lane: uint8(lane)}, s.l.rowOf(reg, 0))
	return s.Sub[s.Core(row)].Writeback.Regs.At(index)[lane]
}

// Pred returns a predicate register of a thread.
func (s *SM) Pred(row, lane, pred int) bool {
	return *s.Sub[s.Core(row)].Writeback.Preds.At(s.l.pred(uint8(row), pred))>>lane&1 != 0
}

// Preds returns the lanes of a row whose predicate register is true.
func (s *SM) Preds(row, pred int) uint64 {
	return *s.Sub[s.Core(row)].Writeback.Preds.At(s.l.pred(uint8(row), pred))
}

// Access returns the memory instruction whose access has a tag, with its PC in the launched program.
// For a divergence stack it returns the row and isa.NoPC. It reports false for a flush.
func (s *SM) Access(tag uint16) (f Flight, ok bool) {
	switch {
	case tag == flushTag:
		return Flight{}, false
	case tag >= stackTag:
		return Flight{Row: uint8(tag - stackTag), PC: isa.NoPC}, true
	}
	f = s.LSU.Table.Next(int(tag & 0xff)).Flight
	f.PC = s.l.Prog.OriginOf(f.PC)
	return f, true
}

// Requester returns the PC of the instruction whose access has a tag, in the launched program. For
// a divergence stack or a flush it returns isa.NoPC.
func (s *SM) Requester(tag uint16) uint32 {
	if tag >= stackTag {
		return isa.NoPC
	}
	return s.l.Prog.OriginOf(s.LSU.Table.At(int(tag & 0xff)).PC)
}

// Kernel returns the loaded kernel.
func (s *SM) Kernel() *Kernel { return &s.l.k }

// Program returns the program that the hardware runs for the loaded kernel. This is the kernel's
// own program, or a copy with the instructions that the mechanism needs. Waveforms show its PCs.
func (s *SM) Program() *isa.Program { return s.l.Prog }

// Fault returns the first fault of a thread, if there is one.
func (s *SM) Fault() (Fault, bool) {
	f := s.LSU.Q().Fault
	for _, c := range s.Sub {
		if t := c.ALU.Q().Fault; t.Kind != NoFault && (f.Kind == NoFault || t.Cycle < f.Cycle) {
			f = t
		}
	}
	if f.Kind != NoFault {
		f.PC = s.l.Prog.OriginOf(f.PC)
	}
	return f, f.Kind != NoFault
}

// Path is a group of threads of a warp. Its PCs are those in the launched program.
type Path struct {
	divergence.Path
	Why string // the reason why it does not issue
}

// Paths lists every group of live threads, running and parked.
func (s *SM) Paths() []Path {
	var list []Path
	for _, p := range s.Div.Paths(nil) {
		why := s.why(p)
		p.PC, p.Reconv = s.l.Prog.OriginOf(p.PC), s.l.Prog.OriginOf(p.Reconv)
		list = append(list, Path{p, why})
	}
	return list
}

// Backward reports whether the instruction at pc is a branch to itself or to
// an earlier one.
func (s *SM) Backward(pc uint32) bool {
	in := &s.l.k.Prog.Insts[pc]
	return in.Op == isa.OpBra && in.Target <= pc
}

// HashThreads computes a fingerprint of the registers and predicates of each thread of a row. Those
// that wait for a result count as others, as they still have the value before.
func (s *SM) HashThreads(row int, sums *[isa.MaxLanes]uint64) {
	c := s.Sub[s.Core(row)]
	w := c.Writeback
	*sums = [isa.MaxLanes]uint64{}
	for i := range s.l.rowOf(s.l.nregs, 0) {
		r, half := w.Regs.At(s.l.reg(uint8(row), 0, 0)+i), i&(1<<s.l.wide-1)
		for lane, v := range r {
			sum := &sums[isa.RowLanes*half+lane]
			*sum = Mix(*sum, v)
		}
	}
	for i := range s.l.npreds {
		p := *w.Preds.At(s.l.pred(uint8(row), i))
		for lane := range sums {
			sums[lane] = Mix(sums[lane], uint64(p>>lane&1))
		}
	}
	for i := range s.l.nregs + s.l.npreds {
		for m := c.Issue.Scoreboard.Pending.At(i)[row]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			sums[lane] = Mix(sums[lane], uint64(i)+2)
		}
	}
}

// Mix adds a value to a fingerprint.
func Mix(sum, v uint64) uint64 {
	// 2^64 over the golden ratio (Knuth, volume 3, section 6.4)
	return (bits.RotateLeft64(sum, 23) ^ v) * 0x9e3779b97f4a7c15
}

// why returns the reason why a group of threads does not issue.
func (s *SM) why(p divergence.Path) string {
	switch {
	case p.Wait == divergence.WaitsJoin:
		return "reconvergence"
	case p.Wait == divergence.WaitsBarrier:
		return "a barrier"
	case !p.Running:
		return "its turn"
	case p.Wait == divergence.WaitsControl:
		return "the outcome of its branch"
	}
	if int(p.PC) >= len(s.l.insts) {
		return "an instruction behind the end of the program"
	}
	in := &s.l.insts[p.PC]
	switch held, reg := s.Sub[s.Core(int(p.Row))].Issue.holdsRow(int(p.Row), in, p.Mask); {
	case held == HeldRegister && reg < s.l.nregs:
		return "register " + s.l.Prog.Regs[reg].Name
	case held == HeldRegister:
		return "predicate " + s.l.Prog.Preds[reg-s.l.nregs]
	case held == HeldFlight && in.awaits:
		return "asynchronous copies"
	case held == HeldFlight:
		return "its instructions in flight"
	}
	return "nothing: it runs"
}
