package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/memsys"
)

// The load/store unit also executes ldmatrix and stmatrix (PTX ISA, section 9.7.13.4.15). Threads 0
// to 7 of a warp give the row addresses of the first 8x8 matrix. The next eight give those of the
// second, and so on. Shared memory is read as by a vector load of 16 bytes a lane. When the rows
// have arrived, a crossbar gives each thread its elements of each matrix. For stmatrix the crossbar
// joins the elements of the threads to rows, which are stored like vectors.

// matrixRow is the size of a matrix row in bytes.
const matrixRow = 16

// addressing returns the lanes whose addresses are used.
func (u *LSU) addressing(op *Op, in *isa.Inst) uint64 {
	if !in.Matrix() {
		return ^uint64(0)
	}
	return u.l.toLanes(int(op.Row)%u.l.warps, uint64(1<<(8*in.Vec)-1))
}

// whole reports whether all threads of a warp are in op. It records a fault otherwise.
func (u *LSU) whole(op *Op) bool {
	missing := u.l.all &^ op.Exec
	if !op.Mixed && missing == 0 {
		return true
	}
	h := op.Home(bits.TrailingZeros64(op.Exec))
	f := Fault{
		Kind: Missing, Row: h.Row, Lane: h.Lane, PC: op.PC,
		Missing: u.l.toLocations(int(op.Row)%u.l.warps, missing),
	}
	if op.Mixed {
		f.Kind, f.Missing = Regrouped, 0
	}
	u.fault(f)
	return false
}

// distribute is the crossbar of ldmatrix: it gives each thread its elements.
func (u *LSU) distribute(r *Result, in *isa.Inst, data *[isa.RowLanes][2]uint64) {
	place := &u.l.places[int(r.Row)%u.l.warps] // lane of each thread
	for i := range int(in.NDst) {
		to := valueAt(u.Values, r.At, i)
		for thread := range isa.RowLanes {
			from, at := in.MatrixRow(i, thread)
			var v uint64
			for h := range 2 {
				word := data[place[from[h]&(isa.RowLanes-1)]][at[h]>>2&1]
				v |= word >> (16 * (at[h] & 3)) & 0xFFFF << (16 * h)
			}
			to[place[thread]] = v
		}
	}
}

// collect is the crossbar of stmatrix: it fills in the rows for the lanes of an access.
func (u *LSU) collect(a *memsys.Access, op *Op, in *isa.Inst) {
	place := &u.l.places[int(op.Row)%u.l.warps] // lane of each thread
	for i := range int(in.Vec) {
		row := u.source(op, in, 1+i, 0)
		for thread := range isa.RowLanes {
			from, at := in.MatrixRow(i, thread)
			for h := range 2 {
				v := row[place[thread]] >> (16 * h) & 0xFFFF
				a.Data[place[from[h]&(isa.RowLanes-1)]][at[h]>>2&1] |= v << (16 * (at[h] & 3))
			}
		}
	}
}
