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
	// Of mechanisms with warps of a CTA.
	LaunchCTA    uint8 `bits:"ctas_bits" if:"compacts"`
	LaunchFirst  uint8 `bits:"warps_bits" if:"compacts"`
	LaunchWarps  uint8 `bits:"count_bits" if:"compacts"`
	LaunchStatic bool  `if:"compacts"` // threads stay in their warps

	FireValid   bool
	FireControl bool   // an outcome will follow
	FireWarp    uint8  `bits:"warps_bits"`
	FireSlot    uint8  `bits:"1" if:"paths"` // of the warp, if it has two
	FireSSY     bool   `if:"tokens"`
	FireSync    bool   `if:"tokens"`
	FireTarget  uint32 `if:"tokens"` // of ssy

	OutcomeValid  bool
	OutcomeKind   uint8  `bits:"kind_bits"`
	OutcomeWarp   uint8  `bits:"warps_bits"`
	OutcomeSlot   uint8  `bits:"1" if:"paths"`
	OutcomeTaken  uint64 `bits:"lanes"`
	OutcomeTarget divergence.Point
	OutcomeFall   divergence.Point
	OutcomeMeet   divergence.Point
	OutcomeCTA    bool `if:"compacts"` // it concerns all warps of the CTA

	Resume uint64 `bits:"warps"`

	AnswerValid bool                             `if:"tokens"` // memory has done the transfer of a warp
	AnswerWarp  uint8                            `if:"tokens" bits:"warps_bits"`
	AnswerData  [divergence.TransferWords]uint64 `if:"tokens"`

	DebugWarp  uint8 `bits:"warps_bits"`
	DebugIndex uint8 `bits:"7"`
}

// The kinds of an outcome.
const (
	kindBranch  = 0
	kindExit    = 1
	kindBarrier = 2
	kindNext    = 3
	kindSync    = 4 // of a unit with tokens
)

// MechanismOut has the slots, a warp that retires, and the answer of the debug port.
type MechanismOut struct {
	SlotValid   [maxSlots]bool   `len:"slots"`
	SlotPC      [maxSlots]uint32 `len:"slots"`
	SlotMask    [maxSlots]uint64 `len:"slots" bits:"lanes"`
	SlotDepth   [maxSlots]uint16 `len:"slots"`
	SlotPending [maxSlots]bool   `len:"slots" if:"paths"` // its outcome is on the way
	SlotHeld    [maxSlots]bool   `len:"slots" if:"paths"` // at a CTA barrier

	RetireValid bool
	RetireWarp  uint8 `bits:"warps_bits"`

	TransferValid bool                             `if:"tokens"` // words move to or from memory
	TransferStore bool                             `if:"tokens"`
	TransferWarp  uint8                            `if:"tokens" bits:"warps_bits"`
	TransferAt    uint8                            `if:"tokens"`
	TransferWords uint8                            `if:"tokens" bits:"3"`
	TransferData  [divergence.TransferWords]uint64 `if:"tokens"`
	CompactValid  bool                             `if:"compacts"` // a slot has a new warp
	CompactSlot   uint8                            `bits:"warps_bits" if:"compacts"`
	CompactHome   units.Rows                       `len:"lanes" if:"compacts"` // row of the thread in each of its lanes

	Busy  bool  // the next clock edge is needed, without an event
	Error uint8 // not 0: an event that the mechanism does not have

	DebugValid bool
	DebugAt    divergence.Point
	DebugMeet  divergence.Point
	DebugMask  uint64 `bits:"lanes"`
}

// maxSlots is two for each warp.
const maxSlots = 2 * units.MaxRows

// slots reads the slot table.
func (out *MechanismOut) slots(table *rtl.Mem[divergence.Slot]) {
	for i := range table.Len() {
		s := table.At(i)
		out.SlotValid[i] = s.Valid
		out.SlotPC[i], out.SlotMask[i], out.SlotDepth[i] = s.PC, s.Mask, s.Depth
		out.SlotPending[i], out.SlotHeld[i] = s.Wait == divergence.WaitsControl, s.Wait == divergence.WaitsBarrier
	}
}
