package experiments

import (
	"fmt"
	"math/bits"

	"divergo/sm/divergence"
	"divergo/units"
)

// cells counts the standard cells of hardware. Gates have two inputs.
type cells struct{ inverters, ands, ors, xors, adders, flipFlops int }

// micrometers2 returns the area of the cells at 65 nm, in square micrometers. Wires between cells,
// drivers of long wires and the clock are not included.
//
// The cells are the smallest of the NanGate FreePDK45 Open Cell Library, 1.4 um high (INV_X1,
// AND2_X1, OR2_X1, XOR2_X1, FA_X1, DFF_X1). Their area is scaled by (65/45)^2.
func (c *cells) micrometers2() float64 {
	at45 := .532*float64(c.inverters) + 1.064*float64(c.ands+c.ors) + 1.596*float64(c.xors) +
		4.256*float64(c.adders) + 4.522*float64(c.flipFlops)
	return at45 * 65 * 65 / (45 * 45)
}

func (c *cells) add(o cells, times int) {
	c.inverters += times * o.inverters
	c.ands += times * o.ands
	c.ors += times * o.ors
	c.xors += times * o.xors
	c.adders += times * o.adders
	c.flipFlops += times * o.flipFlops
}

// cellsOf returns the cells of one piece of logic, wired in the plainest way:
//
//	encoder     a chain of ORs computes for each input whether one before it is set;
//	            one AND then selects the input, and another keeps it if not selected;
//	            each bit of the number is the OR of the inputs whose number has it
//	equality    an XNOR for each bit, and the AND of them
//	less-than   the carry of a subtraction
//	half adder  an XOR for the sum, an AND for the carry
func cellsOf(l units.Logic) (c cells) {
	n := l.Bits
	switch l.Kind {
	case units.Encoder:
		c.ors, c.ands, c.inverters = n-1, 2*(n-1), n-1
		for bit := range bits.Len(uint(n - 1)) {
			inputs := 0
			for i := range n {
				inputs += i >> bit & 1
			}
			c.ors += inputs - 1
		}
	case units.Equality:
		c.xors, c.ands = n, n-1
	case units.LessThan:
		c.adders, c.inverters = n, n
	case units.Adder, units.FullAdder:
		c.adders = n
	case units.HalfAdder:
		c.xors, c.ands = n, n
	}
	return c
}

// sm2011 is the size of an SM in both papers: 1024 threads, 8 CTAs.
var sm2011 = divergence.Geometry{Lanes: 32, Warps: 32, CTAs: 8}

// encoders measures the area of the thread compactor's encoders.
func encoders() (string, error) {
	c, err := cost("tbc", sm2011)
	var sum cells
	for _, l := range c.Logic {
		if l.Kind == units.Encoder {
			sum.add(cellsOf(l), l.Count)
		}
	}
	mm2 := sum.micrometers2() / 1e6
	return fmt.Sprintf("%s 0.1 mm2 (%.4f)", order(mm2, .1), mm2), err
}

// compactionArea returns the area, in mm2, of blocks of a mechanism and of all its logic on 30 SMs.
// Storage is in flip-flops.
func compactionArea(mechanism string, blocks ...string) (mm2 float64, err error) {
	c, err := cost(mechanism, sm2011)
	var sum cells
	for _, l := range c.Logic {
		sum.add(cellsOf(l), l.Count)
	}
	for _, s := range c.Storage {
		for _, b := range blocks {
			if s.Path == b {
				sum.flipFlops += s.Words * s.Width()
			}
		}
	}
	return 30 * sum.micrometers2() / 1e6, err
}

// chip measures the area of compaction on a chip of 30 SMs.
func chip() (string, error) {
	tbc, err := compactionArea("tbc", "Compacts")
	if err != nil {
		return "", err
	}
	capri, err := compactionArea("capri", "Compacts", "CAPT.Lines")
	return fmt.Sprintf("%s 1 mm2; %s 1 mm2 (%.2f %.2f)", order(tbc, 1), order(capri, 1), tbc, capri), err
}
