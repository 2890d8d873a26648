package sm

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/isa"
)

// A lane takes no part in a cross-lane instruction if its thread has exited, never existed, is on
// another path, or is outside the membermask.
//
// A shuffle that reads such a lane gets a value that is "unpredictable for inactive/predicated-off
// threads in warp" (PTX ISA, shfl.sync, semantics). The model gives the value selected by the key
// sm.absent_lane. The kernel reduce7 of NVIDIA's sample reduction needs 0. It shuffles down by 16
// lanes while only as many lanes take part as the CTA has warps, and adds the values read. Its sum
// is right if they are 0, and a multiple of it if they are the reader's own values.
//
// Votes, matches and reductions use the threads in membermask that have not exited (PTX ISA,
// vote.sync, match.sync, redux.sync). All other threads have a bit of 0 in a ballot and do not
// count otherwise.

// absentLanes holds the values that a shuffle can read from a lane that takes no part, as functions
// of the reader's value.
var absentLanes = key.Choices[AbsentLane, func(own uint64) uint64]{}.
	With(AbsentZero, "0", func(uint64) uint64 { return 0 }).
	With(AbsentOwn, "the value of the thread that reads", func(own uint64) uint64 { return own })

// AbsentCounters count the lanes that take no part, in the ALU.
type AbsentCounters struct {
	Reads   uint64 // lanes of shuffles that read a lane which takes no part
	Members uint64 // members of votes, matches and reductions that have exited or never existed
}

// AbsentRead is a shuffle that reads a lane which takes no part.
type AbsentRead struct {
	Cycle uint64
	*Flight
	Lane uint8 // reading lane of the SM, of the first such thread of the warp
	From uint8 // location that it reads
}

// absentMembers counts the threads that a group names and that have exited or never existed. Those
// of bar.warp.sync change no result; those of a shuffle count where they are read.
func (p *Pipe) absentMembers(in *isa.Inst, g group) {
	if g.absent != 0 && (in.Op == isa.OpVote || in.Op == isa.OpMatch || in.Op == isa.OpRedux) {
		p.D().Absent.Members += uint64(bits.OnesCount64(g.absent))
	}
}

// absentReads counts the lanes of a shuffle that read a lane which takes no part. The operands in x
// are ordered by location.
func (p *Pipe) absentReads(op *Op, in *isa.Inst, x *isa.Lanes) {
	if in.Op != isa.OpShfl || x.ReadAbsent == 0 {
		return
	}
	p.D().Absent.Reads += uint64(bits.OnesCount32(x.ReadAbsent))
	if p.OnAbsent.Any() {
		location := bits.TrailingZeros32(x.ReadAbsent)
		from, _ := isa.ShflSource(in.Mode, location, x.Src[1][location], x.Src[2][location])
		lane := p.l.places[int(op.Row)%p.l.warps][location]
		p.OnAbsent.Notify(AbsentRead{p.sim.Now(), p.l.observed(&op.Flight, &p.seen), lane, uint8(from)})
	}
}
