package books

import (
	"divergo/isa"
	"divergo/sm"
)

// operands checks when an instruction leaves the register read stage. It stays for as many cycles as
// its busiest bank has registers to read, and until its pipe has room. Each of the queues before and
// behind the stage has two places.
type operands struct {
	*View
	reads         []uint64             // by PC of the program that runs: cycles of the busiest bank
	came          [4]uint64            // by instruction, in a ring: the cycle in which it comes
	arrived, left int                  // instructions
	next          uint64               // first cycle after the last one has left
	ahead         [isa.UnitMem + 1]way // by unit: the queue to its pipe
}

// way is the queue to a pipe.
type way struct {
	sent, taken int       // instructions
	room        [2]uint64 // by instruction, in a ring: the first cycle with room for it
}

// watchOperands begins to watch a sub-core, with bankReads of the program.
func watchOperands(v *View, core int, reads []uint64) *operands {
	p, s := &operands{View: v, reads: reads}, v.sm.Sub[core]
	issued := func(e sm.Issued) {
		if v.sm.CoreOf(int(e.Slot)) == core {
			p.came[p.arrived%len(p.came)] = e.Cycle + 1
			p.arrived++
		}
	}
	toMemory := s.LSU.In
	if v.sm.MemPort != nil {
		toMemory = v.sm.MemPort.In[core]
	}
	v.Leave(
		v.sm.Issue.OnIssue.Add(issued), v.sm.Issue.OnInserted.Add(issued), s.Operands.In.Tap(p.leaves),
		toMemory.Tap(func(cycle uint64, _ *sm.Op) { p.takes(isa.UnitMem, cycle) }),
	)
	return p
}

// takes notes that a pipe takes an instruction, which makes room from the next cycle on.
func (p *operands) takes(unit isa.Unit, cycle uint64) {
	w := &p.ahead[unit]
	w.room[w.taken%len(w.room)] = cycle + 1
	w.taken++
}

// leaves checks the cycle in which an instruction leaves.
func (p *operands) leaves(cycle uint64, f *sm.Flight) {
	w := &p.ahead[p.sm.Program().Insts[f.PC].Unit()]
	begins := max(p.came[p.left%len(p.came)], p.next)
	want := max(begins+p.reads[f.PC]-1, w.room[w.sent%len(w.room)])
	if p.left, p.next = p.left+1, cycle+1; cycle != want {
		p.Fail(Rule{checkOperands, "another time in the register read stage"}, InRow(int(f.Row), f.Mask),
			"SM %d, cycle %d: %s leaves the register read stage, expected cycle %d: it came in cycle %d and reads for %d",
			p.index, cycle, p.inst(f.PC), want, begins, p.reads[f.PC])
	}
	w.sent++
}

// bankReads returns the cycles that the banks need for each instruction. Registers lie in the banks
// in the order of their declaration, 32 bits in each. A register that is read twice counts once.
func bankReads(v *View) []uint64 {
	p := v.sm.Program()
	var first []int // bank of each register
	at := 0
	words := func(reg int) int { return max((p.Regs[reg].Type.Bits()+31)/32, 1) }
	for reg := range p.Regs {
		first = append(first, at)
		at += words(reg)
	}
	list := make([]uint64, len(p.Insts))
	for pc := range p.Insts {
		in := &p.Insts[pc]
		var read [64]uint64 // by bank
		list[pc] = 1
		for i, o := range in.Src[:in.NSrc] {
			again := false
			for _, before := range in.Src[:i] {
				again = again || before.Kind == isa.OperandReg && before.Index == o.Index
			}
			if o.Kind != isa.OperandReg || again {
				continue
			}
			for word := range words(int(o.Index)) {
				bank := (first[o.Index] + word) % v.config.SM.RFBanks
				read[bank]++
				list[pc] = max(list[pc], read[bank])
			}
		}
	}
	return list
}
