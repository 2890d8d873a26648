package verilog

import (
	"fmt"

	"divergo/isa"
)

// program is what a mechanism must know of the program of a trace. What the instruction at a PC is
// follows from its outcomes. An instruction without one does nothing.
type program struct {
	insts []isa.Inst
	kinds map[uint32]Kind // of control instructions
	at    [Warps]uint32   // the last instruction of each warp
}

// isa returns the program.
func (p *program) isa() *isa.Program {
	return &isa.Program{Name: "trace", AddressBits: 64, Preds: []string{"p"}, Insts: p.insts}
}

// reach gives the program an instruction at a PC, and one behind it.
func (p *program) reach(pc uint32) error {
	if pc >= isa.MaxInstructions {
		return fmt.Errorf("PC %d, want at most %d", pc, isa.MaxInstructions-1)
	}
	for len(p.insts) <= int(pc)+1 {
		p.insts = append(p.insts, isa.Inst{Op: isa.OpNop, Reconv: isa.NoPC, Likely: isa.NoPC, Text: "nop"})
	}
	return nil
}

// learn takes the events of an edge.
func (p *program) learn(x *record) error {
	in := &x.In
	if in.Outcome != 0 {
		if err := p.outcome(p.at[in.OutcomeWarp], in, uint64(x.Out.Depth[in.OutcomeWarp])); err != nil {
			return err
		}
	}
	if in.Fire != 0 {
		p.at[in.FireWarp] = in.FirePC
		return p.reach(in.FirePC)
	}
	return nil
}

// outcome makes the instruction at a PC one that has this outcome, for threads at a call depth. NEXT
// tells little: a barrier has it too, and an exit of no thread.
func (p *program) outcome(pc uint32, in *Inputs, depth uint64) error {
	kind, known := p.kinds[pc]
	if known && (in.OutcomeKind == Next || in.OutcomeKind == kind && kind != Branch) {
		return nil
	}
	if known && kind != Next && kind != in.OutcomeKind {
		return fmt.Errorf("%s at PC %d, where another outcome was %s: want a program, with one instruction at each PC",
			in.OutcomeKind, pc, kind)
	}
	if p.kinds == nil {
		p.kinds = map[uint32]Kind{}
	}
	p.kinds[pc] = in.OutcomeKind
	i := isa.Inst{Op: isa.OpExit, Text: "exit", Reconv: isa.NoPC}
	switch in.OutcomeKind {
	case Barrier:
		i = isa.Inst{Op: isa.OpBar, Mode: isa.ModeSync, Text: "bar.sync 0", Reconv: isa.NoPC}
	case Branch:
		i = isa.Inst{Op: isa.OpBra, Target: uint32(in.Target), Text: "bra", Reconv: uint32(in.Meet)}
		switch in.Target >> PCBits {
		case depth:
		case depth + 1:
			i.Op, i.NSrc, i.Text = isa.OpCall, 1, "call"
			if uint32(in.Fall) == pc { // the other lanes call another function
				i.NSrc, i.Target = 2, 0
			}
		case depth - 1:
			i.Op, i.NSrc, i.Text, i.Target = isa.OpRet, 1, "ret", 0
		default:
			return fmt.Errorf("outcome_target is %s, the slot at depth %d: want a depth of at most one more or less",
				pointText(in.Target), depth)
		}
		if err := p.reach(uint32(in.Target)); err != nil {
			return fmt.Errorf("outcome_target: %w", err)
		}
		old := &p.insts[pc]
		if known && kind == Branch && (old.Op != i.Op || old.Target != i.Target || old.Reconv != i.Reconv) {
			return fmt.Errorf("the branch at PC %d had another target or reconvergence point before: want the same each time", pc)
		}
	}
	i.Likely, i.Guard = isa.NoPC, isa.Operand{Kind: isa.OperandPred}
	p.insts[pc] = i
	return nil
}
