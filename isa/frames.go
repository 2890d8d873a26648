package isa

import (
	"fmt"
	"slices"
)

// FrameAlign is the alignment of the frames of recursive functions.
const FrameAlign = 16

// SaveRegisters completes a program with recursive functions, before its analysis. It is an error
// if there is too much to save.
//
// The registers of a function exist once. A call after which its own function may be active again
// therefore saves registers. The caller keeps in its frame the values that it reads later, the link
// register included. Around a call into recursive functions the caller also moves the frame
// register, which points behind the frames of the callers:
//
//	st.local  [%frame+8], %r1
//	add       %frame, %frame, 32
//	call      fib
//	add       %frame, %frame, -32
//	ld.local  %r1, [%frame+8]
//
// Before SaveRegisters, addresses relative to the frame register count from the start of the frame.
// Those of the instructions at outgoing count from its end, where the callee's frame begins. The
// stack begins behind the other variables in local memory.
//
// The registers of common belong to no function and are not saved. A frame also has room for the
// state that mechanisms save, so that frames have the same addresses under all mechanisms.
func SaveRegisters(p *Program, outgoing []uint32, common []Operand) error {
	s := saver{Program: p, kept: map[int][]value{}}
	p.LocalBytes = (p.LocalBytes + FrameAlign - 1) &^ (FrameAlign - 1)
	if err := s.layout(common); err != nil {
		return err
	}
	out := make([]bool, len(p.Insts))
	for _, pc := range outgoing {
		out[pc] = true
	}
	for pc := range p.Insts {
		in := &p.Insts[pc]
		if in.NSrc == 0 || in.Src[0] != s.frame() {
			continue
		}
		at := int64(p.LocalBytes)
		if f := p.FuncAt(uint32(pc)); f != nil && out[pc] {
			at += int64(f.Frame)
		}
		if in.Memory() {
			in.Off += at
		} else {
			in.Src[1].Imm += uint64(at)
		}
	}
	stacks := p.withCallees(p.recursive)
	into := func(i int) bool { return stacks[i] }
	spread(p, func(pc int) (before, behind []Inst) {
		f := p.FuncAt(uint32(pc))
		if p.Insts[pc].Op != OpCall || f == nil || f.Cycle == 0 || !p.leadsTo(&p.Insts[pc], into) {
			return nil, nil
		}
		return s.around(pc)
	})
	return nil
}

// saver puts registers into frames.
type saver struct {
	*Program
	kept map[int][]value // by PC of a call: the values that it saves
	temp Operand         // register for copies of predicates
}

// value is a register or predicate with its place in the frame of its function.
type value struct {
	Operand
	at uint32
}

func (s *saver) frame() Operand { return Operand{Kind: OperandReg, Index: s.Frame} }

// layout finds the values read behind each call after which its function may be active again,
// except the registers of common. It gives each a place in the frame, wide values first.
func (s *saver) layout(common []Operand) error {
	p := s.Program
	p.Blocks = blocks(p)
	setReturns(p)
	defer func() { p.Blocks = nil }()
	live, err := liveness(p, maxLive)
	if err != nil {
		return err
	}
	state := p.liveState(live)
	total := len(p.Insts)
	var calls []int
	for b := range p.Blocks {
		call := int(p.Blocks[b].End) - 1
		if p.Insts[call].Op != OpCall {
			continue
		}
		total += 2 // the instructions that move the frame
		if !p.again(uint32(call)) {
			continue
		}
		calls = append(calls, call)
		state.out(b)
		for _, o := range append(common, s.frame()) {
			state.remove(p.value(o))
		}
		var values []int
		for _, next := range p.Blocks[b].Succs {
			for _, v := range live[next] {
				if state.has(int(v)) {
					values = append(values, int(v))
				}
			}
		}
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			o := Operand{Kind: OperandReg, Index: uint16(v)}
			if total += 2; v >= len(p.Regs) {
				o = Operand{Kind: OperandPred, Index: uint16(v - len(p.Regs))}
				total += 2
			}
			s.kept[call] = append(s.kept[call], value{Operand: o})
		}
		if total > MaxInstructions {
			return fmt.Errorf("with those that save registers around the calls of recursive functions there are more than %d instructions", MaxInstructions)
		}
	}
	at := make([]map[Operand]uint32, len(p.Funcs)+1)
	preds := false
	for _, bytes := range []uint32{8, 4} {
		for _, call := range calls {
			i := p.funcAt(uint32(call))
			if at[i] == nil {
				at[i] = map[Operand]uint32{}
			}
			f := &p.Funcs[i-1]
			for k := range s.kept[call] {
				v := &s.kept[call][k]
				if s.bytes(v.Operand) != bytes {
					continue
				}
				if _, has := at[i][v.Operand]; !has {
					f.Frame = (f.Frame + bytes - 1) &^ (bytes - 1)
					at[i][v.Operand] = f.Frame
					f.Frame += bytes
				}
				v.at = at[i][v.Operand]
				preds = preds || v.Kind == OperandPred
			}
		}
	}
	for i := range p.Funcs {
		f := &p.Funcs[i]
		if at[i+1] != nil {
			f.Masks = f.Frame
			f.Frame += 4 * MaxBarriers
		}
		f.Frame = (f.Frame + FrameAlign - 1) &^ (FrameAlign - 1)
	}
	if preds {
		s.temp = Operand{Kind: OperandReg, Index: uint16(len(p.Regs))}
		p.Regs = append(p.Regs, Reg{Name: "%saved", Type: U32})
	}
	return nil
}

// bytes is the size of a value in a frame.
func (s *saver) bytes(o Operand) uint32 {
	if o.Kind == OperandReg && s.Regs[o.Index].Type.Bits() == 64 {
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
			Op: OpAdd, Type: U32, NSrc: 2, NDst: 1, Src: [MaxSrcs]Operand{
				s.frame(),
				imm,
			}, Dst: [MaxDsts]Operand{s.frame()},
		})
	}
	move(&behind, -int32(f.Frame))
	for _, v := range s.kept[pc] {
		word, text := v.Operand, ""
		if v.Kind == OperandPred {
			word, text = s.temp, s.Preds[v.Index]
			s.pack(emit, &before, v.Operand)
		} else {
			text = s.Regs[v.Index].Name
		}
		off, bits := int64(s.LocalBytes+v.at), s.bytes(v.Operand)*8
		typ := map[uint32]Type{32: B32, 64: B64}[bits]
		emit(&before, fmt.Sprintf("st.local.b%d [%s+%d], %s", bits, name, v.at, text), Inst{
			Op: OpSt, Type: typ, Space: SpaceLocal, Vec: 1, NSrc: 2, Src: [MaxSrcs]Operand{s.frame(), word}, Off: off,
		})
		emit(&behind, fmt.Sprintf("ld.local.b%d %s, [%s+%d]", bits, text, name, v.at), Inst{
			Op: OpLd, Type: typ, Space: SpaceLocal, Vec: 1, DstBits: uint8(bits), NSrc: 1, NDst: 1,
			Src: [MaxSrcs]Operand{s.frame()}, Dst: [MaxDsts]Operand{word}, Off: off,
		})
		if v.Kind == OperandPred {
			s.unpack(emit, &behind, v.Operand)
		}
	}
	move(&before, int32(f.Frame))
	return before, behind
}

// pack makes a word from a predicate, unpack a predicate from the word.

func (s *saver) pack(emit func(*[]Inst, string, Inst), list *[]Inst, pred Operand) {
	one, zero := Operand{Kind: OperandImm, Imm: 1}, Operand{Kind: OperandImm}
	emit(list, "selp.u32 %saved, 1, 0, "+s.Preds[pred.Index], Inst{
		Op: OpSelp, Type: U32, NSrc: 3, NDst: 1, Src: [MaxSrcs]Operand{one, zero, pred}, Dst: [MaxDsts]Operand{s.temp},
	})
}

func (s *saver) unpack(emit func(*[]Inst, string, Inst), list *[]Inst, pred Operand) {
	emit(list, "setp.ne.u32 "+s.Preds[pred.Index]+", %saved, 0", Inst{
		Op: OpSetp, Type: U32, SrcType: U32, Cmp: CmpNe, NSrc: 2, NDst: 1, Src: [MaxSrcs]Operand{
			s.temp,
			{Kind: OperandImm},
		}, Dst: [MaxDsts]Operand{pred},
	})
}

// spread lays p out again, with instructions before and behind some of its own. A jump to an
// instruction reaches those before it; a call returns to those behind it.
func spread(p *Program, around func(pc int) (before, behind []Inst)) {
	made := make([]Inst, 0, len(p.Insts))
	place := make([]uint32, 0, len(p.Insts)+1)
	for pc := range p.Insts {
		before, behind := around(pc)
		place = append(place, uint32(len(made)))
		made = append(made, before...)
		if p.Insts[pc].Op == OpCall {
			p.Insts[pc].Src[0].Imm = uint64(len(made)) + 1
		}
		made = append(append(made, p.Insts[pc]), behind...)
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
