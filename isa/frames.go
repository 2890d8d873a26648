package isa

import (
	"fmt"
	"slices"
)

// FrameAlign is the alignment of the frames of recursive functions.
const FrameAlign = 16

// SaveRegisters completes a program with recursive functions, which has not
// been analysed. Around a call after which its own function may be active
// again, the caller keeps what it will still read in its frame, the link
// register included, because the registers of a function exist once; and around
// a call into recursive functions it moves the frame register, which points
// behind the frames of the callers:
//
//	st.local  [%frame+8], %r1
//	add       %frame, %frame, 32
//	call      fib
//	add       %frame, %frame, -32
//	ld.local  %r1, [%frame+8]
//
// Until then addresses relative to the frame register count from the start of
// the frame, and those of the instructions at outgoing from its end, where the
// frame of a function that is called begins. The stack begins behind the other
// variables in local memory.
//
// The registers of common do not belong to a function: they are not saved.
func SaveRegisters(p *Program, outgoing []uint32, common []Operand) {
	s := saver{Program: p, live: p.liveAfterCalls(), saved: make([]map[int]uint32, len(p.Funcs)+1)}
	for _, live := range s.live {
		for _, o := range common {
			live.remove(s.value(o))
		}
	}
	p.LocalBytes = (p.LocalBytes + FrameAlign - 1) &^ (FrameAlign - 1)
	s.layout()
	for pc := range p.Insts {
		in := &p.Insts[pc]
		if in.NSrc == 0 || in.Src[0] != s.frame() {
			continue
		}
		at := int64(p.LocalBytes)
		if slices.Contains(outgoing, uint32(pc)) {
			if f := p.FuncAt(uint32(pc)); f != nil {
				at += int64(f.Frame)
			}
		}
		if in.Memory() {
			in.Off += at
		} else {
			in.Src[1].Imm += uint64(at)
		}
	}
	stacks := p.stacks()
	before, behind := map[int][]Inst{}, map[int][]Inst{}
	for pc := range p.Insts {
		f := p.FuncAt(uint32(pc))
		if p.Insts[pc].Op != OpCall || f == nil || f.Cycle == 0 {
			continue
		}
		into := func(i int) bool { return stacks[i] }
		if slices.ContainsFunc(p.callees(&p.Insts[pc]), into) {
			before[pc], behind[pc] = s.around(pc)
		}
	}
	spread(p, before, behind)
}

// saver puts registers into frames.
type saver struct {
	*Program
	live  map[int]valueSet // by PC of a call: what is read behind it
	saved []map[int]uint32 // by function: where a value is in its frame
	temp  uint16           // register that predicates go through
}

func (s *saver) frame() Operand { return Operand{Kind: OperandReg, Index: s.Frame} }

// liveAfterCalls is what is read behind each call.
func (p *Program) liveAfterCalls() map[int]valueSet {
	p.Blocks = blocks(p)
	live, at := liveness(p), map[int]valueSet{}
	for b := range p.Blocks {
		state := newValueSet(p)
		p.liveOut(b, live, state)
		for pc := int(p.Blocks[b].End) - 1; pc >= int(p.Blocks[b].Start); pc-- {
			if p.Insts[pc].Op == OpCall {
				at[pc] = slices.Clone(state)
			}
			p.liveBefore(&p.Insts[pc], state)
		}
	}
	p.Blocks = nil
	return at
}

// layout gives the values that have to be kept a place in their frames, wide
// ones first.
func (s *saver) layout() {
	preds := false
	for _, bytes := range []uint32{8, 4} {
		for pc := range s.Insts {
			if s.Insts[pc].Op != OpCall || !s.again(uint32(pc)) {
				continue
			}
			i := s.funcAt(uint32(pc))
			if s.saved[i] == nil {
				s.saved[i] = map[int]uint32{}
			}
			f := &s.Funcs[i-1]
			for v := range len(s.Regs) + len(s.Preds) {
				_, has := s.saved[i][v]
				if !s.live[pc].has(v) || has || s.bytes(v) != bytes || v == int(s.Frame) {
					continue
				}
				f.Frame = (f.Frame + bytes - 1) &^ (bytes - 1)
				s.saved[i][v] = f.Frame
				f.Frame += bytes
				preds = preds || v >= len(s.Regs)
			}
		}
	}
	for i := range s.Funcs {
		s.Funcs[i].Frame = (s.Funcs[i].Frame + FrameAlign - 1) &^ (FrameAlign - 1)
	}
	if preds {
		s.temp = uint16(len(s.Regs))
		s.Regs = append(s.Regs, Reg{Name: "%saved", Type: U32})
	}
}

// bytes that a value takes in a frame.
func (s *saver) bytes(v int) uint32 {
	if v < len(s.Regs) && s.Regs[v].Type.Bits() == 64 {
		return 8
	}
	return 4
}

// around are the instructions before and behind the call at pc.
func (s *saver) around(pc int) (before, behind []Inst) {
	in := &s.Insts[pc]
	f := s.FuncAt(uint32(pc))
	emit := func(list *[]Inst, text string, made Inst) {
		made.Inserted, made.Pos, made.Loc = true, in.Pos, in.Loc
		made.Target, made.Reconv, made.Likely = NoPC, NoPC, NoPC
		made.Text = text
		*list = append(*list, made)
	}
	name := s.Regs[s.Frame].Name
	move := func(list *[]Inst, by int32) {
		imm := Operand{Kind: OperandImm, Imm: uint64(uint32(by))}
		emit(list, fmt.Sprintf("add.u32 %s, %s, %d", name, name, by), Inst{
			Op: OpAdd, Type: U32, NSrc: 2, NDst: 1, Src: [MaxSrcs]Operand{s.frame(), imm}, Dst: [MaxDsts]Operand{s.frame()},
		})
	}
	move(&behind, -int32(f.Frame))
	if s.again(uint32(pc)) {
		for v := range len(s.Regs) + len(s.Preds) {
			at, has := s.saved[s.funcAt(uint32(pc))][v]
			if !has || !s.live[pc].has(v) {
				continue
			}
			word, text := Operand{Kind: OperandReg, Index: uint16(v)}, ""
			if v >= len(s.Regs) {
				word, text = Operand{Kind: OperandReg, Index: s.temp}, s.Preds[v-len(s.Regs)]
				s.pack(emit, &before, v-len(s.Regs), word)
			} else {
				text = s.Regs[v].Name
			}
			off, bits := int64(s.LocalBytes+at), s.bytes(v)*8
			typ := map[uint32]Type{32: B32, 64: B64}[bits]
			emit(&before, fmt.Sprintf("st.local.b%d [%s+%d], %s", bits, name, at, text), Inst{
				Op: OpSt, Type: typ, Space: SpaceLocal, Vec: 1, NSrc: 2, Src: [MaxSrcs]Operand{s.frame(), word}, Off: off,
			})
			emit(&behind, fmt.Sprintf("ld.local.b%d %s, [%s+%d]", bits, text, name, at), Inst{
				Op: OpLd, Type: typ, Space: SpaceLocal, Vec: 1, DstBits: uint8(bits), NSrc: 1, NDst: 1,
				Src: [MaxSrcs]Operand{s.frame()}, Dst: [MaxDsts]Operand{word}, Off: off,
			})
			if v >= len(s.Regs) {
				s.unpack(emit, &behind, v-len(s.Regs), word)
			}
		}
	}
	move(&before, int32(f.Frame))
	return before, behind
}

// pack makes a word of a predicate, unpack a predicate of the word.

func (s *saver) pack(emit func(*[]Inst, string, Inst), list *[]Inst, pred int, word Operand) {
	one, zero := Operand{Kind: OperandImm, Imm: 1}, Operand{Kind: OperandImm}
	emit(list, "selp.u32 %saved, 1, 0, "+s.Preds[pred], Inst{
		Op: OpSelp, Type: U32, NSrc: 3, NDst: 1, Src: [MaxSrcs]Operand{one, zero, {Kind: OperandPred, Index: uint16(pred)}}, Dst: [MaxDsts]Operand{word},
	})
}

func (s *saver) unpack(emit func(*[]Inst, string, Inst), list *[]Inst, pred int, word Operand) {
	zero := Operand{Kind: OperandImm}
	emit(list, "setp.ne.u32 "+s.Preds[pred]+", %saved, 0", Inst{
		Op: OpSetp, Type: U32, SrcType: U32, Cmp: CmpNe, NSrc: 2, NDst: 1, Src: [MaxSrcs]Operand{word, zero}, Dst: [MaxDsts]Operand{{Kind: OperandPred, Index: uint16(pred)}},
	})
}

// spread lays p out anew with instructions before and behind some of its own.
// Who jumps to an instruction comes to those before it; a call returns to those
// behind it.
func spread(p *Program, before, behind map[int][]Inst) {
	var made []Inst
	place := make([]uint32, 0, len(p.Insts)+1)
	for pc := range p.Insts {
		place = append(place, uint32(len(made)))
		made = append(made, before[pc]...)
		if p.Insts[pc].Op == OpCall {
			p.Insts[pc].Src[0].Imm = uint64(len(made)) + 1
		}
		made = append(append(made, p.Insts[pc]), behind[pc]...)
	}
	place = append(place, uint32(len(made)))
	for i := range made {
		if in := &made[i]; in.Target != NoPC && (in.Op == OpBra || in.Op == OpCall) {
			in.Target = place[in.Target]
		}
	}
	for i := range p.Labels {
		p.Labels[i].PC = place[p.Labels[i].PC]
	}
	for i := range p.Funcs {
		p.Funcs[i].Entry = place[p.Funcs[i].Entry]
	}
	p.Insts = made
}
