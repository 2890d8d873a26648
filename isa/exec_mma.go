package isa

import "math"

// Matrix multiplication by a warp (PTX ISA, section 9.7.13.4): D = A*B + C. A has M rows and K
// columns, B has K rows and 8 columns. The threads hold the matrices in fragments of 32 bits a
// register, with several narrow elements in one. Four threads, a group, hold a row of A, C and D,
// or a column of B.
//
// NVIDIA does not specify the order and precision of the sums. Here each element of D starts as the
// element of C, and the products are added in the order of k.
//
//   - Products of f16, bf16 and tf32 are exact. Their sum is f32, rounded to nearest at each step,
//     whatever the type of C and D. An f16 result is rounded once more at the end.
//   - f64 is a chain of fused multiply-adds.
//   - Integers are added exactly. Overflow wraps, or with .satfinite becomes the nearest limit.
//   - The low 13 bits of a tf32 register are ignored.

const matrixColumns = 8 // of B, C and D

// mmaShapes are the legal shapes, by element type.
var mmaShapes = []struct {
	of   Type // elements of A
	m, k uint8
}{
	{F16, 16, 8},
	{F16, 16, 16},
	{BF16, 16, 8},
	{BF16, 16, 16},
	{TF32, 16, 4},
	{TF32, 16, 8},
	{S8, 8, 16},
	{S8, 16, 16},
	{S8, 16, 32},
	{F64, 8, 4},
	{F16, 8, 4},
}

// quads reports whether in is mma.m8n8k4 of f16. See exec_quads.go.
func (in *Inst) quads() bool { return in.SrcType == F16 && in.M == 8 }

// Fragments is the number of registers of a thread for A, for B, and for each of C and D. All are 0
// if there is no such mma.
func (in *Inst) Fragments() (a, b, c int) {
	of := in.SrcType
	if of == U8 {
		of = S8
	}
	for _, s := range mmaShapes {
		if s.of == of && s.m == in.M && s.k == in.K {
			if in.quads() {
				return 2, 2, 4
			}
			elements := max(32/of.Bits(), 1) // in one register
			b = int(in.K) / (4 * elements)
			a = b * int(in.M) / 8
			c = int(in.M) / 4
			if in.Type == F16 {
				c /= 2
			}
			return a, b, c
		}
	}
	return 0, 0, 0
}

func (d *datapath) addMatrices() {
	for _, t := range []struct{ sum, of Type }{{F32, F16}, {F16, F16}, {F32, BF16}, {F32, TF32}} {
		if t.of == t.sum {
			t.of = NoType
		}
		d.add(form{op: OpMma, typ: t.sum, src: t.of}, multiplyFloats)
	}
	for _, of := range []Type{S8, U8} {
		d.add(form{op: OpMma, typ: S32, src: of}, multiplyIntegers)
		d.add(form{op: OpMma, typ: S32, src: of, flags: FlagSatFinite}, multiplyIntegers)
	}
	d.add(form{op: OpMma, typ: F64}, multiplyDoubles)
	d.add(form{op: OpMovmatrix, typ: B16, mode: ModeTrans}, transpose)
}

// fragments visits the elements of A or B that register r of a lane holds. It calls f with each
// element's place (the row of A or column of B, and k) and bits.
func fragments(t Type, r, rows int, x *Row, f func(line, k int, bits uint64)) {
	width := t.Bits()
	elements := max(32/width, 1)
	for lane, v := range x {
		line := lane>>2 + 8*(r%rows)
		for h := range elements {
			f(line, elements*(lane&3)+4*elements*(r/rows)+h, v>>(h*width)&(1<<width-1))
		}
	}
}

// operandsOf reads A and B, both with k as the second index.
func operandsOf[T any](in *Inst, x *Lanes, read func(t Type, bits uint64) T) (a [16][32]T, b [matrixColumns][32]T) {
	na, nb, _ := in.Fragments()
	for r := range na {
		fragments(in.SrcType, r, int(in.M)/8, x.Src[r],
			func(row, k int, bits uint64) { a[row][k] = read(in.SrcType, bits) })
	}
	for r := range nb {
		fragments(in.TypeB, r, 1, x.Src[na+r], func(column, k int, bits uint64) { b[column][k] = read(in.TypeB, bits) })
	}
	return a, b
}

// accumulate calls f with each element of C that has its own register, and writes the result to D.
func accumulate(in *Inst, x *Lanes, f func(row, column int, c uint64) uint64) {
	na, nb, nc := in.Fragments()
	for r := range nc {
		for lane, c := range x.Src[na+nb+r] {
			row, column := lane>>2+8*(r>>1), 2*(lane&3)+r&1
			x.Dst[r][lane] = f(row, column, c)
		}
	}
}

func multiplyFloats(in *Inst, x *Lanes) {
	if in.quads() {
		multiplyQuads(in, x)
		return
	}
	a, b := operandsOf(in, x, func(t Type, bits uint64) uint64 {
		if t == TF32 {
			return bits >> tf32Shift << tf32Shift
		}
		return uint64(math.Float32bits(float32(layoutOf(t).value(bits))))
	})
	sum := func(row, column int, c uint64) uint64 {
		for k := range in.K {
			c = fma32(a[row][k], b[column][k], c)
		}
		return c
	}
	if in.Type == F32 {
		accumulate(in, x, sum)
		return
	}
	na, nb, nc := in.Fragments()
	for r := range nc {
		for lane, c := range x.Src[na+nb+r] {
			row, column := lane>>2+8*r, 2*(lane&3)
			var d uint64
			for h := range 2 {
				start := uint64(math.Float32bits(float32(binary16.value(c >> (16 * h) & 0xFFFF))))
				d |= binary16.nearest(float64(float(sum(row, column+h, start)))) << (16 * h)
			}
			x.Dst[r][lane] = d
		}
	}
}

func multiplyIntegers(in *Inst, x *Lanes) {
	a, b := operandsOf(in, x, func(t Type, bits uint64) int64 { return int64(extend(t, bits, 64)) })
	accumulate(in, x, func(row, column int, c uint64) uint64 {
		sum := int64(int32(c))
		for k := range in.K {
			sum += a[row][k] * b[column][k]
		}
		if in.Flags&FlagSatFinite != 0 {
			sum = min(max(sum, math.MinInt32), math.MaxInt32)
		}
		return uint64(uint32(sum))
	})
}

func multiplyDoubles(in *Inst, x *Lanes) {
	a, b := operandsOf(in, x, func(_ Type, bits uint64) uint64 { return bits })
	accumulate(in, x, func(row, column int, c uint64) uint64 {
		for k := range in.K {
			c = fma64(a[row][k], b[column][k], c)
		}
		return c
	})
}

// transpose is movmatrix: it transposes an 8x8 matrix. Each thread holds two neighbours of a row.
func transpose(_ *Inst, x *Lanes) {
	var rows [8][8]uint64
	for lane, v := range x.Src[0] {
		rows[lane>>2][2*(lane&3)], rows[lane>>2][2*(lane&3)+1] = v&0xFFFF, v>>16&0xFFFF
	}
	for lane := range x.Dst[0] {
		column, first := lane>>2, 2*(lane&3)
		x.Dst[0][lane] = rows[first][column] | rows[first+1][column]<<16
	}
}

// MatrixRow locates the two elements that ldmatrix gives the lane in destination i (PTX ISA,
// ldmatrix). from holds the lanes whose addresses point at the elements' 16-byte rows of the
// matrix; at holds the indices of the elements in those rows.
func (in *Inst) MatrixRow(i, lane int) (from, at [2]int) {
	for h := range 2 {
		row, column := lane>>2, 2*(lane&3)+h
		if in.Mode == ModeTrans {
			row, column = column, row
		}
		from[h], at[h] = 8*i+row, column
	}
	return from, at
}
