package golden

import (
	"encoding/binary"

	"divergo/isa"
)

// step executes one instruction of t. It advances the PC unless the thread waits at a barrier or
// has exited.
func (b *block) step(t *thread, v *values) *Fault {
	in := &b.p.Insts[t.pc]
	executes := in.Guard.Kind != isa.OperandPred || t.preds[in.Guard.Index] != in.Guard.Not
	if b.parties != nil && in.CrossLane() && in.Flags&isa.FlagSync == 0 {
		if b.join(t, executes); t.state == meets {
			return nil
		}
		if !executes {
			b.gather(t)
		}
	}
	var herd *HerdStep
	if in.Flags&isa.FlagHerd != 0 {
		if herd = b.herded(t); herd != nil && in.Op == isa.OpBra {
			executes = herd.branch(b.lane(t), executes)
		}
	}
	if !executes {
		t.pc++
		return nil
	}
	switch in.Op {
	case isa.OpBra:
		t.pc = in.Target
		return nil
	case isa.OpCall:
		return b.call(t, in)
	case isa.OpRet:
		if in.Returns() {
			t.pc = uint32(b.source(t, &in.Src[0]))
			return nil
		}
		t.state = exited
		return nil
	case isa.OpExit:
		t.state = exited
		return nil
	case isa.OpTrap:
		return &Fault{ID: b.name(t), Kind: trapped, PC: t.pc}
	}
	v.src = [isa.MaxSrcs]uint64{}
	for i := range int(in.NSrc) {
		v.src[i] = b.source(t, &in.Src[i])
	}
	switch in.Op {
	case isa.OpBar:
		need := uint64(0)
		if in.NSrc > 1 {
			need = v.src[1]
		}
		if r := &b.barriers[v.src[0]&15]; in.Reduces() {
			r.asked++
			r.yes += v.src[2]
		}
		waits := in.Mode != isa.ModeArrive
		b.arrive(t, int(v.src[0]&15), need, waits)
		if !waits {
			t.pc++
		}
		return nil
	case isa.OpLd, isa.OpSt, isa.OpAtom, isa.OpRed:
		if f := b.access(t, in, v, herd); f != nil {
			return f
		}
	case isa.OpShfl, isa.OpBarWarp, isa.OpVote, isa.OpMatch, isa.OpActivemask, isa.OpRedux, isa.OpElect,
		isa.OpMma, isa.OpLdmatrix, isa.OpStmatrix, isa.OpMovmatrix:
		return b.meet(t, in, &v.src)
	case isa.OpTex:
		if f := b.sample(t, in, v); f != nil {
			return f
		}
		for i := range int(in.NDst) {
			v.dst[i] = extend(in.Type, v.dst[i], in.DstBits)
		}
	case isa.OpCopy:
		if f := b.copy(t, in, v); f != nil {
			return f
		}
	case isa.OpMembar: // all accesses complete at once
	default:
		v.eval(in)
	}
	t.write(in, v.dst)
	t.pc++
	return nil
}

// write writes the results of an instruction.
func (t *thread) write(in *isa.Inst, dst [isa.MaxDsts]uint64) {
	if t.kept {
		k := &t.out.Kept[len(t.out.Kept)-1]
		k.Wrote, k.Dst = true, dst
	}
	for i := range int(in.NDst) {
		switch d := &in.Dst[i]; d.Kind {
		case isa.OperandReg:
			t.regs[d.Index] = dst[i]
			t.note(int(d.Index), dst[i])
		case isa.OperandPred:
			t.preds[d.Index] = dst[i] != 0
			t.note(len(t.regs)+int(d.Index), truth(dst[i] != 0))
		}
	}
}

// note keeps the PC and the results if the options ask for them.
func (t *thread) note(at int, value uint64) {
	if w := t.out.Writes; w != nil {
		w[at] = Written(w[at], value)
	}
}

// call executes a direct or an indirect call.
func (b *block) call(t *thread, in *isa.Inst) *Fault {
	target := in.Target
	if in.Indirect() {
		addr, ok := b.source(t, &in.Src[1]), false
		if target, ok = b.p.Callee(addr); !ok {
			return &Fault{ID: b.name(t), Kind: noFunction, PC: t.pc, Addr: addr}
		}
	}
	t.regs[in.Dst[0].Index] = in.Src[0].Imm
	t.pc = target
	return nil
}

// source reads an operand; a predicate is 0 or 1.
func (b *block) source(t *thread, o *isa.Operand) uint64 {
	switch o.Kind {
	case isa.OperandReg:
		return t.regs[o.Index]
	case isa.OperandPred:
		return truth(t.preds[o.Index] != o.Not)
	case isa.OperandImm:
		return o.Imm
	case isa.OperandSpecial:
		return b.special(t, isa.Special(o.Index))
	}
	return 0
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// special reads a special register (PTX ISA, section 10). Registers for time and place on a machine
// read as 0.
func (b *block) special(t *thread, s isa.Special) uint64 {
	l := b.l
	lane := uint64(t.index) % uint64(l.WarpSize)
	switch s {
	case isa.TidX, isa.TidY, isa.TidZ:
		return uint64(t.tid[s-isa.TidX])
	case isa.NTidX, isa.NTidY, isa.NTidZ:
		return uint64(l.Block[s-isa.NTidX])
	case isa.CtaidX, isa.CtaidY, isa.CtaidZ:
		return uint64(b.id[s-isa.CtaidX])
	case isa.NCtaidX, isa.NCtaidY, isa.NCtaidZ:
		return uint64(l.Grid[s-isa.NCtaidX])
	case isa.LaneID:
		return lane
	case isa.WarpID:
		return uint64(t.index) / uint64(l.WarpSize)
	case isa.NWarpID:
		return (uint64(len(b.threads)) + uint64(l.WarpSize) - 1) / uint64(l.WarpSize)
	case isa.LanemaskEq:
		return 1 << lane
	case isa.LanemaskLt:
		return 1<<lane - 1
	case isa.LanemaskLe:
		return 1<<lane - 1 | 1<<lane
	case isa.LanemaskGt:
		return 0xFFFF_FFFF &^ (1<<lane - 1 | 1<<lane)
	case isa.LanemaskGe:
		return 0xFFFF_FFFF &^ (1<<lane - 1)
	case isa.DynamicSharedSize:
		return uint64(l.SharedBytes)
	case isa.TotalSharedSize:
		return uint64(len(b.shared))
	case isa.WarpSize:
		return uint64(l.WarpSize)
	case isa.BarResult:
		return t.asked<<16 | t.yes
	}
	return 0
}

// access executes ld, st, atom or red; a load may be herded.
func (b *block) access(t *thread, in *isa.Inst, v *values, herd *HerdStep) *Fault {
	addr := v.src[0] + uint64(in.Off)
	if b.p.AddressBits == 32 {
		addr &= 0xFFFF_FFFF
	}
	space, offset := in.Space, addr
	if space == isa.SpaceGeneric {
		space, offset = resolve(addr)
	}
	elements, size := max(int(in.Vec), 1), uint64(in.Type.Bytes())
	total := size * uint64(elements)
	fault := func(k FaultKind) *Fault {
		return &Fault{ID: b.name(t), Kind: k, PC: t.pc, Addr: addr, Space: space, Size: int(total)}
	}
	if space == isa.SpaceParam && in.Op != isa.OpLd {
		return fault(readOnly)
	}
	aligned := total
	if in.Flags&isa.FlagPair != 0 {
		aligned = 2 * total
	}
	if offset%aligned != 0 {
		return fault(misaligned)
	}
	var data []byte
	switch space {
	case isa.SpaceShared:
		data = window(b.shared, offset, total)
	case isa.SpaceLocal:
		data = window(t.local, offset, total)
	case isa.SpaceParam:
		data = window(b.l.Params, offset, total)
	default:
		data = b.m.at(offset, total)
		if data == nil && b.m.Pad > 0 && in.Op == isa.OpLd && space == isa.SpaceGlobal {
			if data = b.m.around(offset, total); data != nil {
				b.r.Outside++
			}
		}
	}
	switch {
	case data == nil && space == isa.SpaceLocal && b.p.OnStack(in):
		return fault(frameOverflow)
	case data == nil:
		return fault(outOfBounds)
	case herd != nil && (space == isa.SpaceGlobal || space == isa.SpaceConst):
		data = herd.load(b, b.lane(t), offset, total)
	}
	switch in.Op {
	case isa.OpLd:
		for i := range elements {
			v.dst[i] = extend(in.Type, load(data[uint64(i)*size:], size), in.DstBits)
		}
	case isa.OpSt:
		for i := range elements {
			store(data[uint64(i)*size:], size, v.src[1+i])
		}
	default:
		old := load(data, size)
		if in.Atom == isa.AtomAdd && in.Type == isa.F32 && space != isa.SpaceShared {
			store(data, size, normal32(atomic(in.Atom, in.Type, normal32(old), normal32(v.src[1]), 0)))
		} else {
			store(data, size, atomic(in.Atom, in.Type, old, v.src[1], v.src[2]))
		}
		v.dst[0] = old
	}
	return nil
}

// resolve returns the space of a generic address and the offset in it.
func resolve(addr uint64) (isa.Space, uint64) {
	for _, w := range windows {
		if addr >= w.base && addr < w.base+isa.WindowSize {
			return w.space, addr - w.base
		}
	}
	return isa.SpaceGlobal, addr
}

// windows are the parts of the generic address space that are not global.
var windows = [...]struct {
	space isa.Space
	base  uint64
}{
	{isa.SpaceShared, isa.SharedWindow},
	{isa.SpaceLocal, isa.LocalWindow},
	{isa.SpaceParam, isa.ParamWindow},
}

// load and store move size bytes, the lowest first.

func load(data []byte, size uint64) uint64 {
	switch size {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

func store(data []byte, size, v uint64) {
	switch size {
	case 1:
		data[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(data, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(data, uint32(v))
	default:
		binary.LittleEndian.PutUint64(data, v)
	}
}
