package isa

import "math"

// mma.m8n8k4 of f16 (PTX ISA 8.5, section 9.7.14.5.1): four multiplications of 8x4 by 4x8 at once.
// The threads of one multiplication are a quad of the warp's lower half and the same quad of its
// upper half. Each holds four elements of A and four of B, in two registers each.
//
// An f32 sum takes eight registers of a thread. As on Volta it is computed in steps, here two, with
// half of the columns each. The source is Raihan, Goli & Aamodt, Modeling Deep Learning Accelerator
// Enabled GPUs, ISPASS 2019.

func multiplyQuads(in *Inst, x *Lanes) {
	var a, b, c [4][8][8]uint64 // by quad: A by row and k, B by column and k, C by row and column
	widen := func(bits uint64) uint64 {
		return uint64(math.Float32bits(float32(binary16.value(bits & 0xFFFF))))
	}
	addend := in.Type
	if in.Select.BType != NoType {
		addend = in.Select.BType
	}
	for lane := range RowLanes {
		quad, own, upper := lane>>2&3, lane&3, lane>>4*4
		for e := range 4 {
			row, k := own+upper, e
			if in.Select.A != 0 {
				row, k = e+upper, own
			}
			a[quad][row][k] = widen(x.Src[e>>1][lane] >> (16 * (e & 1)))
			column, k := own+upper, e
			if in.Select.B != 0 {
				column, k = e+upper, own
			}
			b[quad][column][k] = widen(x.Src[2+e>>1][lane] >> (16 * (e & 1)))
			if addend == F32 {
				row, column := in.quadSum(lane, e)
				c[quad][row][column] = x.Src[4+e][lane]
				continue
			}
			for h := range 2 {
				c[quad][own+upper][2*e+h] = widen(x.Src[4+e][lane] >> (16 * h))
			}
		}
	}
	sum := func(quad, row, column int) uint64 {
		d := c[quad][row][column]
		for k := range 4 {
			d = fma32(a[quad][row][k], b[quad][column][k], d)
		}
		return d
	}
	for lane := range RowLanes {
		quad := lane >> 2 & 3
		for r := range 4 {
			if in.Type == F32 {
				row, column := in.quadSum(lane, r)
				x.Dst[r][lane] = sum(quad, row, column)
				continue
			}
			row, d := lane&3+lane>>4*4, uint64(0)
			for h := range 2 {
				d |= binary16.nearest(float64(float(sum(quad, row, 2*r+h)))) << (16 * h)
			}
			x.Dst[r][lane] = d
		}
	}
}

// quadSum is the place in C and D of the f32 in register r of a lane. The register belongs to the
// half of the columns that in computes.
func (in *Inst) quadSum(lane, r int) (row, column int) {
	return lane&1 + r&2 + lane>>4*4, 4*int(in.Select.D) + lane&2 + r&1
}
