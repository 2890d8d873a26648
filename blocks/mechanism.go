package blocks

import (
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// MechanismIn has the events of a cycle, which concern different warps, and the question of the debug
// port: see package sm/divergence/verilog.
type MechanismIn struct {
	LaunchValid bool
	LaunchWarp  uint8  `bits:"warps_bits"`
	LaunchMask  uint64 `bits:"lanes"`

	FireValid   bool
	FireControl bool  // an outcome will follow
	FireWarp    uint8 `bits:"warps_bits"`

	OutcomeValid  bool
	OutcomeKind   uint8  `bits:"2"`
	OutcomeWarp   uint8  `bits:"warps_bits"`
	OutcomeTaken  uint64 `bits:"lanes"`
	OutcomeTarget divergence.Point
	OutcomeFall   divergence.Point
	OutcomeMeet   divergence.Point

	Resume uint64 `bits:"warps"`

	DebugWarp  uint8 `bits:"warps_bits"`
	DebugIndex uint8 `bits:"7"`
}

// The kinds of an outcome.
const (
	kindBranch  = 0
	kindExit    = 1
	kindBarrier = 2
	kindNext    = 3
)

// MechanismOut has the slots, a warp that retires, and the answer of the debug port.
type MechanismOut struct {
	SlotValid uint64                `bits:"warps"`
	SlotPC    [units.MaxRows]uint32 `len:"warps"`
	SlotMask  [units.MaxRows]uint64 `len:"warps" bits:"lanes"`
	SlotDepth [units.MaxRows]uint16 `len:"warps"`

	RetireValid bool
	RetireWarp  uint8 `bits:"warps_bits"`

	Busy  bool  // the next clock edge is needed, without an event
	Error uint8 // not 0: an event that the mechanism does not have

	DebugValid bool
	DebugAt    divergence.Point
	DebugMeet  divergence.Point
	DebugMask  uint64 `bits:"lanes"`
}

// slots reads the slot table.
func (out *MechanismOut) slots(table *rtl.Mem[divergence.Slot]) {
	for w := range table.Len() {
		s := table.At(w)
		if s.Valid {
			out.SlotValid |= 1 << w
		}
		out.SlotPC[w], out.SlotMask[w], out.SlotDepth[w] = s.PC, s.Mask, s.Depth
	}
}
