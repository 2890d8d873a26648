package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// scoreboard models the registers still to be written, from issued instructions and from
// write-back. No instruction that reads or writes such a register may issue. An instruction that
// waits for none is ready.
type scoreboard struct {
	*View
	holds   bool                  // sm.OneInFlight: a slot waits for its last instruction
	regs    int                   // number of registers of the program; predicates follow them
	pending [sm.MaxWarps][]uint64 // by row and register: lanes
	flying  [sm.MaxWarps]int      // instructions of each row that write-back has not taken yet
	flew    [sm.MaxWarps]uint64   // cycle in which the last one issued
	flown   [sm.MaxWarps]int      // flying at the beginning of that cycle
	wrote   [sm.MaxWarps]uint64   // one cycle after write-back took the last one
	held    []int                 // instructions that hold each slot
	freed   []uint64              // by slot: one cycle after write-back took the last one that held it
	copies  [sm.MaxWarps][]int    // asynchronous copies of each row in flight, by group; the last group is open
	stirred [sm.MaxWarps]uint64   // cycle in which the last copy of each row, or the last end of a group, issued
	stood   [sm.MaxWarps][]int    // copies at the beginning of that cycle
}

// watchRegisters begins to model the registers of an SM.
func watchRegisters(v *View) *scoreboard {
	p := v.sm.Program()
	n := v.sm.Div.Slots().Len()
	b := &scoreboard{
		View: v, holds: v.config.SM.Scoreboard == sm.OneInFlight, regs: len(p.Regs), held: make([]int, n),
		freed: make([]uint64, n),
	}
	for _, c := range v.sm.Sub {
		for i := range c.Writeback.In {
			v.Leave(c.Writeback.In[i].Tap(b.written))
		}
	}
	return b
}

// watchIssues subscribes to issued instructions, after the models that ask for the state before
// them.
func (b *scoreboard) watchIssues() {
	b.each(func(e sm.Issued, in *isa.Inst) {
		if b.found == nil {
			b.issued(&e, in)
		}
	})
}

// slotHeld reports whether a slot waits in a cycle for its last instruction.
func (b *scoreboard) slotHeld(s int, cycle uint64) bool {
	return b.held[s] > 0 || cycle <= b.freed[s] && b.freed[s] > 0
}

// number returns the index of an operand in pending, -1 if it is no register.
func (b *scoreboard) number(o isa.Operand) int {
	switch o.Kind {
	case isa.OperandReg:
		return int(o.Index)
	case isa.OperandPred:
		return b.regs + int(o.Index)
	}
	return -1
}

// waits returns the lanes of a row in which an operand is still to be written.
func (b *scoreboard) waits(r int, o isa.Operand, lanes uint64) uint64 {
	if n := b.number(o); n >= 0 && b.flying[r] > 0 && n < len(b.pending[r]) {
		return b.pending[r][n] & lanes
	}
	return 0
}

// depends returns the lanes of a row that an instruction must wait for.
func (b *scoreboard) depends(r int, in *isa.Inst, lanes uint64) uint64 {
	if b.flying[r] == 0 {
		return 0
	}
	wait := b.waits(r, in.Guard, lanes)
	for _, o := range in.Src[:in.NSrc] {
		wait |= b.waits(r, o, lanes)
	}
	for _, o := range in.Dst[:in.NDst] {
		wait |= b.waits(r, o, lanes)
	}
	return wait
}

// passes reports whether an instruction passes through write-back for more than its hold on a slot.
func passes(in *isa.Inst) bool { return !in.Control() || in.NDst > 0 }

// keeps reports whether an instruction holds its slot until write-back takes it.
func (b *scoreboard) keeps(in *isa.Inst) bool {
	return passes(in) && in.Op != isa.OpCopy && (b.holds || in.Op == isa.OpMembar)
}

// copied records a copy, or the end of a group of copies.
func (b *scoreboard) copied(r int, in *isa.Inst) {
	switch c := &b.copies[r]; {
	case in.Op == isa.OpCopy && len(*c) == 0:
		*c = append(*c, 1)
	case in.Op == isa.OpCopy:
		(*c)[len(*c)-1]++
	case in.Op == isa.OpCopyCommit && len(*c) == 0:
		*c = append(*c, 0, 0)
	case in.Op == isa.OpCopyCommit:
		*c = append(*c, 0)
	}
}

// landed removes the oldest copy: copies complete in order.
func (b *scoreboard) landed(r int) {
	c := b.copies[r]
	for len(c) > 1 && c[0] == 0 {
		c = c[1:]
	}
	if len(c) == 0 || c[0] == 0 {
		b.Fail(Rule{checkScoreboard, "a copy too many"}, InRow(r, b.all(r)),
			"SM %d: a copy of row %d completes, of which none is in flight", b.index, r)
		return
	}
	if c[0]--; len(c) == 1 && c[0] == 0 {
		c = c[:0]
	}
	b.copies[r] = c
}

// awaits reports whether an instruction waits for a copy of a row in flight. It waits for any copy,
// or for a group with fewer closed groups behind it than it names. The hardware distinguishes at
// most eight groups (argument most).
func (b *scoreboard) awaits(r int, in *isa.Inst, most uint64) bool {
	return in.Op == isa.OpCopyWait && waitsFor(b.copies[r], in, most)
}

// waitsFor is awaits for the given copies.
func waitsFor(c []int, in *isa.Inst, most uint64) bool {
	if in.Mode != isa.ModeAll {
		c = c[:max(len(c)-1-int(min(in.Src[0].Imm, most)), 0)]
	}
	for _, n := range c {
		if n > 0 {
			return true
		}
	}
	return false
}

// issued records an issued instruction, and checks that everything it needs is available.
func (b *scoreboard) issued(e *sm.Issued, in *isa.Inst) {
	s := int(e.Slot)
	if b.held[s] > 0 {
		b.Fail(Rule{checkScoreboard, "a slot before its last instruction"}, active(e),
			"%s: slot %d issues, its last instruction has not completed", b.at(e), s)
	}
	if b.keeps(in) {
		b.held[s]++
	}
	leaves := in.Op == isa.OpExit || in.Op == isa.OpRet && !in.Returns()
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		lanes := of(e.Flight, r, e.Mask)
		if wait := b.depends(r, in, lanes); wait != 0 {
			b.Fail(Rule{checkScoreboard, "a register still to be written"}, InRow(r, wait),
				"%s: slot %d issues, a register of lanes %#x of row %d is still to be written", b.at(e), s, wait, r)
		}
		flying, copies := b.flying[r], b.copies[r]
		if b.flew[r] == e.Cycle { // an instruction issued beside it has other threads
			flying = b.flown[r]
		}
		if b.stirred[r] == e.Cycle {
			copies = b.stood[r]
		}
		if leaves && flying > 0 {
			b.Fail(Rule{checkScoreboard, "an exit before its last instruction"}, InRow(r, lanes),
				"%s: slot %d issues the end of threads of row %d, which has %d instructions in flight", b.at(e), s, r,
				flying)
		}
		if in.Op == isa.OpCopyWait && waitsFor(copies, in, 1<<30) {
			b.Fail(Rule{checkScoreboard, "a wait that ends before its copies"}, InRow(r, lanes),
				"%s: slot %d issues, row %d has copies in flight that it waits for", b.at(e), s, r)
		}
		if in.Op == isa.OpCopy || in.Op == isa.OpCopyCommit {
			if b.stirred[r] != e.Cycle {
				b.stirred[r], b.stood[r] = e.Cycle, append(b.stood[r][:0], b.copies[r]...)
			}
			b.copied(r, in)
		}
		if !passes(in) {
			continue
		}
		if b.flew[r] != e.Cycle {
			b.flew[r], b.flown[r] = e.Cycle, b.flying[r]
		}
		b.flying[r]++
		if b.pending[r] == nil {
			b.pending[r] = make([]uint64, b.regs+len(b.sm.Program().Preds))
		}
		for _, o := range in.Dst[:in.NDst] {
			if n := b.number(o); n >= 0 {
				b.pending[r][n] |= lanes
			}
		}
	}
}

// written removes the registers of a result.
func (b *scoreboard) written(cycle uint64, v *sm.Result) {
	if b.found != nil {
		return // the model lacks what was issued since then
	}
	in := &b.sm.Program().Insts[v.PC]
	for rows := v.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		b.flying[r]--
		b.wrote[r] = cycle + 1
		if in.Op == isa.OpCopy {
			b.landed(r)
		}
		lanes := of(&v.Flight, r, v.Mask)
		for _, o := range in.Dst[:in.NDst] {
			if n := b.number(o); n >= 0 && b.pending[r] != nil {
				b.pending[r][n] &^= lanes
			}
		}
	}
	if s := int(v.Slot); b.keeps(in) {
		b.held[s]--
		b.freed[s] = cycle + 1
	}
}

// free reports whether nothing holds back threads of a row in a cycle. A write-back is known one
// cycle later, and releases other instructions two cycles later.
func (b *scoreboard) free(cycle uint64, r int, in *isa.Inst, lanes uint64) bool {
	if cycle <= b.wrote[r] && b.wrote[r] > 0 {
		return false
	}
	if in.Op == isa.OpExit || in.Op == isa.OpRet && !in.Returns() {
		return b.flying[r] == 0
	}
	return b.depends(r, in, lanes) == 0 && !b.awaits(r, in, 7)
}
