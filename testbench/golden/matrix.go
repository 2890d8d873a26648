package golden

import (
	"encoding/binary"
	"math"

	"divergo/isa"
)

// Matrices that the threads of a warp hold together (PTX ISA, section 9.7.13.4).
// Here each thread asks for the elements that it needs: of which thread and
// register they are part follows from the figures of the manual, read backwards.

// matrix is what the thread in a lane gets of mma, ldmatrix or movmatrix.
func (b *block) matrix(in *isa.Inst, mates []thread, lane int) (dst [isa.MaxDsts]uint64) {
	switch in.Op {
	case isa.OpLdmatrix:
		for i := range int(in.NDst) {
			for h := range 2 {
				row, column := lane/4, lane%4*2+h
				if in.Mode == isa.ModeTrans {
					row, column = column, row
				}
				at, _ := b.sharedOffset(in, mates[8*i+row].meets.src[0])
				dst[i] |= uint64(binary.LittleEndian.Uint16(b.shared[at+2*uint64(column):])) << (16 * h)
			}
		}
	case isa.OpMovmatrix:
		for h := range 2 {
			row, column := lane%4*2+h, lane/4
			dst[0] |= mates[4*row+column/2].meets.src[0] >> (column % 2 * 16) & 0xFFFF << (16 * h)
		}
	case isa.OpMma:
		for r := range int(in.NDst) {
			row, column := lane/4+r/2*8, lane%4*2+r%2
			if in.Type != isa.F16 {
				dst[r] = dot(in, mates, row, column)
				continue
			}
			row, column = lane/4+r*8, lane%4*2
			dst[r] = dot(in, mates, row, column) | dot(in, mates, row, column+1)<<16
		}
	}
	return dst
}

// rowAddress checks the address of a thread that gives the one of a row.
func (b *block) rowAddress(t *thread, in *isa.Inst) *Fault {
	const size = 16
	if b.lane(t) >= 8*int(in.NDst) {
		return nil
	}
	at, shared := b.sharedOffset(in, t.meets.src[0])
	f := &Fault{ID: b.name(t), Kind: OutOfBounds, PC: t.pc, Addr: t.meets.src[0] + uint64(in.Off), Space: in.Space, Size: size}
	switch {
	case !shared:
		return f
	case at%size != 0:
		f.Kind = Misaligned
		return f
	case window(b.shared, at, size) == nil:
		return f
	}
	return nil
}

// sharedOffset is where in shared memory an address leads.
func (b *block) sharedOffset(in *isa.Inst, a uint64) (at uint64, shared bool) {
	a += uint64(in.Off)
	if b.p.AddressBits == 32 {
		a &= 0xFFFF_FFFF
	}
	if in.Space == isa.SpaceShared {
		return a, true
	}
	space, at := resolve(a)
	return at, space == isa.SpaceShared
}

// element of width bits, of a fragment whose first register is source first: line is
// a row of A or a column of B, and strips of eight lines have registers of their own.
func element(t isa.Type, mates []thread, first, strips, line, k int) uint64 {
	perRegister := max(1, 32/t.Bits())
	lane := line%8*4 + k/perRegister%4
	register := line/8 + k/perRegister/4*strips
	return cut(t, mates[lane].meets.src[first+register]>>(k%perRegister*t.Bits()))
}

// dot is an element of D.
func dot(in *isa.Inst, mates []thread, row, column int) uint64 {
	m, k := int(in.M), int(in.K)
	perRegister := max(1, 32/in.SrcType.Bits())
	firstB := m / 8 * k / perRegister / 4
	firstC := firstB + k/perRegister/4
	a := func(i int) uint64 { return element(in.SrcType, mates, 0, m/8, row, i) }
	b := func(i int) uint64 { return element(in.TypeB, mates, firstB, 1, column, i) }
	holder := mates[row%8*4+column/2].meets.src[firstC:]
	c := holder[row/8*2+column%2]
	switch in.Type {
	case isa.S32:
		sum := signed(isa.S32, c)
		for i := range k {
			sum += integer(in.SrcType, a(i)) * integer(in.TypeB, b(i))
		}
		if in.Flags&isa.FlagSatFinite != 0 {
			sum = max(math.MinInt32, min(sum, math.MaxInt32))
		}
		return cut(isa.S32, uint64(sum))
	case isa.F64:
		sum := value64(c)
		for i := range k {
			sum = math.FMA(value64(a(i)), value64(b(i)), sum)
		}
		return bits64(sum)
	}
	sum := value32(c)
	if in.Type == isa.F16 {
		sum = float32(decodeHalf(isa.F16, holder[row/8]>>(column%2*16)&0xFFFF))
	}
	for i := range k {
		sum = fma32(factor(in.SrcType, a(i)), factor(in.TypeB, b(i)), float64(sum))
	}
	if in.Type == isa.F16 {
		return encodeHalf(isa.F16, isa.RoundNearest, float64(sum))
	}
	return bits32(sum)
}

// integer is the value of an element.
func integer(t isa.Type, a uint64) int64 {
	if t.Signed() {
		return signed(t, a)
	}
	return int64(a)
}

// factor is the value of an element.
func factor(t isa.Type, a uint64) float64 {
	if t == isa.TF32 {
		return float64(value32(a &^ 0x1FFF))
	}
	return decodeHalf(t, a)
}
