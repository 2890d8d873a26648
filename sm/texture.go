package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
)

// This file is the part of the pipeline that sends texture instructions to the texture unit of
// package memsys. The load/store unit sends an instruction as packets, one a cycle.

// textureRow returns the row that holds source i of a texture instruction, and its bit offset in
// the row. Operands of 32 bits share a row in pairs.
func textureRow(in *isa.Inst, i int) (row int, shift uint) {
	n := in.Tex.Handles()
	if i < n {
		return i, 0
	}
	return n + (i-n)/2, 32 * uint((i-n)&1)
}

// textures fills in the sources of a texture instruction, in a half of the warp.
func (o *Operands) textures(rows *[sources]*isa.Row, f *Flight, in *isa.Inst, half int) {
	for _, row := range rows {
		*row = isa.Row{}
	}
	for i, s := range in.Src[:in.NSrc] {
		row, shift := textureRow(in, i)
		to := rows[row]
		switch s.Kind {
		case isa.OperandSpecial:
			var values isa.Row
			o.special(&values, f, isa.Special(s.Index), half)
			for lane, v := range values {
				to[lane] |= v << shift
			}
		case isa.OperandReg:
			for m := lanesOf(f.Mask, half); m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
				index, home := o.l.home(f.Home(isa.RowLanes*half+lane), o.l.rowOf(int(s.Index), 0))
				to[lane] |= o.Regs.At(index)[home] << shift
			}
		}
	}
}

// textureSource returns a source of a lane of a half of the warp.
func (u *LSU) textureSource(op *Op, in *isa.Inst, i, lane, half int) uint64 {
	if in.Src[i].Kind == isa.OperandImm {
		return in.Src[i].Imm
	}
	row, shift := textureRow(in, i)
	v := u.row(op, row, half)[lane] >> shift
	if i >= in.Tex.Handles() {
		v &= 0xFFFF_FFFF
	}
	return v
}

// sample fills in a packet of a texture instruction, of a half of the warp. It returns the lanes and the
// packet that remain.
func (u *LSU) sample(a *memsys.Access, op *Op, in *isa.Inst, left uint32, packet uint8, half int) (uint32, uint8) {
	handles := in.Tex.Handles()
	first := handles + 4*int(packet)
	a.Kind, a.Mask, a.Tex, a.Space = memsys.Sample, left, in.Tex, isa.SpaceTexture
	a.More = int(in.NSrc) > first+4 || handles > int(packet)+1
	for m := left; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		if int(packet) < handles {
			a.Addr[lane] = u.textureSource(op, in, int(packet), lane, half) & u.l.reach
		}
		for k := range min(4, max(int(in.NSrc)-first, 0)) {
			a.Data[lane][k>>1] |= u.textureSource(op, in, first+k, lane, half) & 0xFFFF_FFFF << (32 * (k & 1))
		}
	}
	if a.More {
		return left, packet + 1
	}
	return 0, 0
}

// violates records an access of the texture unit that a thread of a half of the warp may not make as its
// fault.
func (u *LSU) violates(e *Pending, v *memsys.Violation, half int) {
	h := e.Home(isa.RowLanes*half + int(v.Lane))
	kind := OutOfBounds
	if v.Kind == memsys.Misaligned {
		kind = Misaligned
	}
	u.fault(Fault{Kind: kind, Row: h.Row, Lane: h.Lane, Size: v.Size, Space: isa.SpaceGlobal, PC: e.PC, Addr: v.Addr})
}

// Readable reports whether the threads of the loaded kernel may read bytes of global memory.
func (s *SM) Readable(address, size uint64) bool {
	return s.LSU.within(isa.SpaceGlobal, address, size) || s.l.k.Pad > 0 && s.l.k.around(address, size)
}
