package sm

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/isa"
)

// Lanes that take no part in a cross-lane instruction: their threads have exited, have
// never been, are on another path, or are not in the membermask.
//
// What a shuffle reads there is "unpredictable for inactive/predicated-off threads in
// warp" (PTX ISA, shfl.sync, semantics). Here it is the choice of the key
// sm.absent_lane. The kernel reduce7 of NVIDIA's sample reduction shuffles down by 16
// lanes while as few take part as the CTA has warps, and adds what it reads: its sum
// is right if that is 0, and a multiple if it is the reader's own value.
//
// Votes, matches and reductions are of the threads in membermask that have not exited
// (PTX ISA, vote.sync, match.sync, redux.sync). The others have a bit of 0 in a ballot,
// and count for nothing else.

// absentLanes are what a shuffle reads from a lane that takes no part, by the value of the
// reader.
var absentLanes = key.Choices[AbsentLane, func(own uint64) uint64]{}.
	With(AbsentZero, "0", func(uint64) uint64 { return 0 }).
	With(AbsentOwn, "the value of the thread that reads", func(own uint64) uint64 { return own })

// AbsentCounters are what the ALU counts of lanes that take no part.
type AbsentCounters struct {
	Reads   uint64 // lanes of shuffles that read such a lane
	Members uint64 // threads that have exited or never were, named by the groups of votes, matches and reductions
}

// AbsentRead is a shuffle that reads a lane which takes no part.
type AbsentRead struct {
	Cycle uint64
	*Flight
	Lane uint8 // of the SM, that reads: that of the first such thread of the warp
	From uint8 // what it reads, by location
}

// absentMembers counts the threads that a group names and that are nowhere. Those of
// bar.warp.sync change no result, those of a shuffle count where they are read.
func (p *Pipe) absentMembers(in *isa.Inst, g group) {
	if g.absent != 0 && (in.Op == isa.OpVote || in.Op == isa.OpMatch || in.Op == isa.OpRedux) {
		p.D().Absent.Members += uint64(bits.OnesCount32(g.absent))
	}
}

// absentReads counts the lanes of a shuffle that read one that takes no part; x has
// operands by location.
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
