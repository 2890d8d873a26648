package area

import (
	"math/bits"

	"divergo/units"
)

// Cells counts the standard cells of hardware. Gates have two inputs.
type Cells struct{ Inverters, Ands, Ors, Xors, Adders, FlipFlops int }

// nand2 is the area of NAND2_X1 in um2, the gate equivalent.
const nand2 = .798

// At45 returns the area of the cells at 45 nm, in um2. Wires between cells, drivers of long wires
// and the clock are not included. The cells are the smallest of the NanGate FreePDK45 Open Cell
// Library, 1.4 um high (INV_X1, AND2_X1, OR2_X1, XOR2_X1, FA_X1, DFF_X1).
func (c *Cells) At45() float64 {
	return .532*float64(c.Inverters) + 1.064*float64(c.Ands+c.Ors) + 1.596*float64(c.Xors) +
		4.256*float64(c.Adders) + 4.522*float64(c.FlipFlops)
}

// Gates returns the cells in gate equivalents: their area over that of a NAND gate.
func (c *Cells) Gates() float64 { return c.At45() / nand2 }

// Add adds the cells of o, so many times.
func (c *Cells) Add(o Cells, times int) {
	c.Inverters += times * o.Inverters
	c.Ands += times * o.Ands
	c.Ors += times * o.Ors
	c.Xors += times * o.Xors
	c.Adders += times * o.Adders
	c.FlipFlops += times * o.FlipFlops
}

// CellsOf returns the cells of one piece of logic, wired in the plainest way:
//
//	encoder     a chain of ORs computes for each input whether one before it is set;
//	            one AND then selects the input, and another keeps it if not selected;
//	            each bit of the number is the OR of the inputs whose number has it
//	equality    an XNOR for each bit, and the AND of them
//	less-than   the carry of a subtraction
//	half adder  an XOR for the sum, an AND for the carry
func CellsOf(l units.Logic) (c Cells) {
	n := l.Bits
	switch l.Kind {
	case units.Encoder:
		c.Ors, c.Ands, c.Inverters = n-1, 2*(n-1), n-1
		for bit := range bits.Len(uint(n - 1)) {
			inputs := 0
			for i := range n {
				inputs += i >> bit & 1
			}
			c.Ors += inputs - 1
		}
	case units.Equality:
		c.Xors, c.Ands = n, max(n-1, 0)
	case units.LessThan:
		c.Adders, c.Inverters = n, n
	case units.Adder, units.FullAdder:
		c.Adders = n
	case units.HalfAdder:
		c.Xors, c.Ands = n, n
	}
	return c
}

// GatesOf returns all pieces of logic, in gate equivalents.
func GatesOf(list ...units.Logic) float64 {
	var sum Cells
	for _, l := range list {
		sum.Add(CellsOf(l), l.Count)
	}
	return sum.Gates()
}
