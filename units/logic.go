package units

// Logic is combinational hardware of one kind, as declared by a part or a block. Storage needs no
// declaration: see rtl.Sim.Storage.
type Logic struct {
	Kind  LogicKind `json:"kind"`
	Bits  int       `json:"bits"`  // width of an operand; for an encoder, the number of inputs
	Count int       `json:"count"` // number in an SM
}

// LogicKind names the function of a piece of logic.
type LogicKind string

// The kinds of logic.
const (
	Equality LogicKind = "equality comparator"
	LessThan LogicKind = "less-than comparator"
	Encoder  LogicKind = "priority encoder"
	Adder    LogicKind = "adder"

	FullAdder LogicKind = "full adder" // adds three bits
	HalfAdder LogicKind = "half adder" // adds two bits
)
