package units

// Logic is combinational hardware of one kind, as a part or a block declares
// it. (Storage needs no declaration: see rtl.Sim.Storage.)
type Logic struct {
	Kind  LogicKind
	Bits  int // of an operand; of an encoder the inputs
	Count int // in an SM
}

// LogicKind is what a piece of logic does.
type LogicKind string

// The kinds.
const (
	Equality LogicKind = "equality comparator"
	LessThan LogicKind = "less-than comparator"
	Encoder  LogicKind = "priority encoder"
	Adder    LogicKind = "adder"

	FullAdder LogicKind = "full adder" // of three bits
	HalfAdder LogicKind = "half adder" // of two
)
