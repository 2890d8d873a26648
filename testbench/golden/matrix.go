package golden

import (
	"encoding/binary"
	"math"

	"divergo/isa"
)

// The threads of a warp hold matrices together (PTX ISA, section 9.7.13.4). Here each thread reads
// the elements that it needs. The figures of the manual, read backwards, give the thread and the
// register of each element.

// matrix returns the results of mma, ldmatrix or movmatrix for the thread in a lane. With stmatrix
// the thread stores the row of its address.
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
	case isa.OpStmatrix:
		i, row := lane/8, lane%8
		if i >= int(in.Vec) {
			break
		}
		at, _ := b.sharedOffset(in, mates[lane].meets.src[0])
		for column := range 8 {
			holder, h := 4*row+column/2, column%2
			if in.Mode == isa.ModeTrans {
				holder, h = 4*column+row/2, row%2
			}
			binary.LittleEndian.PutUint16(b.shared[at+2*uint64(column):], uint16(mates[holder].meets.src[1+i]>>(16*h)))
		}
	case isa.OpMovmatrix:
		for h := range 2 {
			row, column := lane%4*2+h, lane/4
			dst[0] |= mates[4*row+column/2].meets.src[0] >> (column % 2 * 16) & 0xFFFF << (16 * h)
		}
	case isa.OpMma:
		if in.M == 8 && in.SrcType == isa.F16 {
			return quad(in, mates, lane)
		}
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

// rowAddress checks the address of a thread that supplies a row.
func (b *block) rowAddress(t *thread, in *isa.Inst) *Fault {
	const size = 16
	if b.lane(t) >= 8*int(in.Vec) {
		return nil
	}
	at, shared := b.sharedOffset(in, t.meets.src[0])
	f := &Fault{
		ID: b.name(t), Kind: outOfBounds, PC: t.pc, Addr: t.meets.src[0] + uint64(in.Off), Space: in.Space,
		Size: size,
	}
	switch {
	case !shared:
		return f
	case at%size != 0:
		f.Kind = misaligned
		return f
	case window(b.shared, at, size) == nil:
		return f
	}
	return nil
}

// sharedOffset returns the offset of an address in shared memory.
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

// element returns an element of width bits of a fragment whose first register is source first. Line
// is a row of A or a column of B. Each strip of eight lines has registers of its own.
func element(t isa.Type, mates []thread, first, strips, line, k int) uint64 {
	perRegister := max(1, 32/t.Bits())
	lane := line%8*4 + k/perRegister%4
	register := line/8 + k/perRegister/4*strips
	return cut(t, mates[lane].meets.src[first+register]>>(k%perRegister*t.Bits()))
}

// dot returns an element of D.
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

// quad returns the results of mma.m8n8k4 of f16 for the thread in a lane. The thread works with its
// quad and with the quad 16 lanes away.
func quad(in *isa.Inst, mates []thread, lane int) (dst [isa.MaxDsts]uint64) {
	half := func(source, lane, element int) float64 {
		return decodeHalf(isa.F16, mates[lane].meets.src[source+element/2]>>(element%2*16)&0xFFFF)
	}
	mate := func(i, upper int) int { return lane%16/4*4 + i + 16*upper }
	a := func(row, k int) float64 {
		if in.Select.A == 1 {
			return half(0, mate(k, row/4), row%4)
		}
		return half(0, mate(row%4, row/4), k)
	}
	b := func(k, column int) float64 {
		if in.Select.B == 1 {
			return half(2, mate(k, column/4), column%4)
		}
		return half(2, mate(column%4, column/4), k)
	}
	value := func(r, row, column int) float32 {
		var sum float32
		if in.Type == isa.F32 && in.Select.BType != isa.F16 {
			sum = value32(mates[lane].meets.src[4+r])
		} else {
			sum = float32(half(4, mate(row%4, row/4), column))
		}
		for k := range 4 {
			sum = fma32(a(row, k), b(k, column), float64(sum))
		}
		return sum
	}
	for r := range 4 {
		if in.Type == isa.F16 {
			row := lane%4 + lane/16*4
			for h := range 2 {
				dst[r] |= encodeHalf(isa.F16, isa.RoundNearest, float64(value(r, row, 2*r+h))) << (16 * h)
			}
			continue
		}
		i := r + 4*int(in.Select.D)
		dst[r] = bits32(value(r, lane&1+i&2+lane/16*4, i&4+lane&2+i&1))
	}
	return dst
}

// integer returns the value of an element.
func integer(t isa.Type, a uint64) int64 {
	if t.Signed() {
		return signed(t, a)
	}
	return int64(a)
}

// factor returns the value of an element.
func factor(t isa.Type, a uint64) float64 {
	if t == isa.TF32 {
		return float64(value32(a &^ 0x1FFF))
	}
	return decodeHalf(t, a)
}
