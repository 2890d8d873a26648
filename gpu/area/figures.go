package area

import (
	"fmt"
	"math"
)

// Range is an estimate with its error bars. Low is not above Mid, and Mid not above High.
type Range struct {
	Low  float64 `json:"low"`
	Mid  float64 `json:"mid"`
	High float64 `json:"high"`
}

// exactly returns a range without error bars.
func exactly(x float64) Range { return Range{x, x, x} }

// plus returns the sum of two ranges whose errors have the same sign, the pessimistic case.
func (r Range) plus(o Range) Range { return Range{r.Low + o.Low, r.Mid + o.Mid, r.High + o.High} }

// times returns the product of two ranges.
func (r Range) times(o Range) Range { return Range{r.Low * o.Low, r.Mid * o.Mid, r.High * o.High} }

// scale returns the range times a factor.
func (r Range) scale(x float64) Range { return r.times(exactly(x)) }

// least returns the smaller value of each bound.
func (r Range) least(o Range) Range {
	return Range{min(r.Low, o.Low), min(r.Mid, o.Mid), min(r.High, o.High)}
}

// Figure is a number of the area model.
type Figure struct {
	Name  string
	Unit  string
	Range Range
	// Source names who published the numbers. Where the model interprets or assumes something, it
	// begins that sentence with "Our reading".
	Source string
}

// Node is a process technology.
type Node struct {
	NM    int    // name of the node: 65, 28 or 7
	Cell  Figure // SRAM cell of six transistors
	Gate  Figure // NAND gate of two inputs: the gate equivalent
	Pitch Figure // wires of a crossbar
}

// Nodes lists the technologies, from the largest.
func Nodes() []Node { return nodes }

// FindNode returns the node of a name in nm.
func FindNode(nm int) (Node, error) {
	for _, n := range nodes {
		if n.NM == nm {
			return n, nil
		}
	}
	return Node{}, fmt.Errorf("node %d: want 65, 28 or 7 nm", nm)
}

const (
	um2 = "um2"
	ge  = "gates"
)

// A NAND gate of two inputs is three gate pitches wide: NAND2_X1 of the NanGate FreePDK45 Open Cell
// Library has 0.57 um at a gate pitch of 0.19 um. Its height is a number of metal pitches (tracks).
var nodes = []Node{
	{
		65,
		Figure{
			"SRAM cell", um2,
			Range{.525, .570, .617},
			"Intel, 0.57 um2 (Bai et al., IEDM 2004); high: 146 F2 of CACTI 7 (tech_params/65nm.dat); low: " +
				"Our reading of TSMC's 65 nm",
		},
		Figure{
			"gate", um2,
			Range{1.25, 1.44, 1.67},
			"high: NAND2_X1 of NanGate FreePDK45, 0.798 um2, times (65/45)^2; low: 3 x 0.22 um x 9 x 0.21 um, " +
				"the pitches of Intel (Bai et al., IEDM 2004, not verified); middle: Our reading, NAND2 of UMC 65 nm",
		},
		Figure{
			"wire", "um",
			Range{.21, .42, .84},
			"metal pitch of Intel (Bai et al., IEDM 2004, not verified). Our reading: crossbars use layers of one, " +
				"two or four times the pitch",
		},
	},
	{
		28,
		Figure{
			"SRAM cell", um2,
			Range{.120, .127, .155},
			"TSMC 28 nm, 0.127 um2 high density, 0.155 um2 low voltage; Samsung 0.120 um2 (WikiChip, 28 nm " +
				"lithography process)",
		},
		Figure{
			"gate", um2,
			Range{.221, .284, .379},
			"TSMC: gate pitch 117 nm, metal pitch 90 nm (WikiChip, 28 nm lithography process). Our reading: " +
				"7, 9 or 12 tracks",
		},
		Figure{
			"wire", "um",
			Range{.09, .18, .36},
			"metal pitch of TSMC (WikiChip). Our reading: layers of one, two or four times the pitch",
		},
	},
	{
		7,
		Figure{
			"SRAM cell", um2,
			Range{.027, .027, .0312},
			"TSMC, 0.027 um2 (Chang et al., ISSCC 2017); high: 0.0312 um2 of Intel's 10 nm, a comparable node " +
				"(WikiChip, 7 nm lithography process)",
		},
		Figure{
			"gate", um2,
			Range{.0389, .0486, .0583},
			"TSMC: gate pitch 54 nm, metal pitch 40 nm (WikiChip, 7 nm lithography process). Our reading: 6, " +
				"7.5 or 9 tracks",
		},
		Figure{
			"wire", "um",
			Range{.04, .08, .16},
			"metal pitch of TSMC (WikiChip). Our reading: layers of one, two or four times the pitch",
		},
	},
}

// reference is the node of the published datapaths.
var reference = nodes[1]

// Figures that hold at every node.
var (
	flipFlop = Figure{
		"flip-flop", ge,
		Range{5, 4.522 / .798, 7},
		"DFF_X1 and NAND2_X1 of NanGate FreePDK45, 4.522 and 0.798 um2. Our reading: 5 without reset, 7 " +
			"with enable and scan",
	}
	readPort = Figure{
		"read port of a memory of flip-flops", "gates a bit",
		Range{.7, 1, 1.5},
		"Our reading: a multiplexer of NAND gates takes one for each bit that it selects from",
	}
	muxInput = Figure{
		"input of a multiplexer, or pair of an age matrix", "gates a bit",
		Range{1, 1.5, 2},
		"Our reading: a NAND gate of data and selection, and a share of the gates that collect",
	}
	column = Figure{
		"column of an SRAM", "gates a port",
		Range{20, 30, 60},
		"Our reading of Guo et al., ISSCC 2018: SRAM of 23.6 Mb/mm2 with cells of 0.0312 um2 is 77 % " +
			"cells; with the next two figures, so are subarrays of 256 by 256; high: 70 Mb in 110 mm2 with " +
			"cells of 0.57 um2, 38 % cells, pads included (Intel 65 nm)",
	}
	decode = Figure{
		"row of an SRAM, decoder", "gates a port and segment",
		Range{3, 4, 8},
		"see the column. Our reading: a NAND gate of decoded bits and its buffer; a segment is the " +
			"columns that share it",
	}
	driver = Figure{
		"row of an SRAM, driver", "gates a port and 256 columns",
		Range{5, 8, 16},
		"see the column. Our reading: as large as the word line is long",
	}
	control = Figure{
		"bank of an SRAM", "gates a port",
		Range{200, 400, 800},
		"Our reading: address latches, decoder and timing",
	}
	placement = Figure{
		"placed logic over its cells", "",
		Range{1.1, 1.43, 2},
		"low: macro_layout_overhead of CACTI 7. Our reading: 70 % of the rows filled; high: cells of " +
			"twice the smallest size",
	}
	whiteSpace = Figure{
		"block over its parts", "",
		Range{1.1, 1.2, 1.4},
		"chip_layout_overhead 1.2 of CACTI 7. Our reading: the error bars",
	}
	cellHeight = Figure{
		"SRAM cell", "F high", exactly(10),
		"CACTI 7: 146 F2, 1.46 times as wide as high (tech_params)",
	}
	portPitch = Figure{
		"port of an SRAM cell", "F to either side",
		Range{2.5, 5, 5},
		"CACTI 7: two local wires of 2.5 F, a reading port one across (parameter.cc). Our reading: low, " +
			"one wire each",
	}
)

// Datapaths, in mm2 at 28 nm. They scale with the gate.
var (
	fma = Figure{
		"single-precision multiply-add", "mm2 at 28 nm",
		Range{.0083, .0169, .0345},
		"low: 217 GFLOPS/mm2 in 28 nm (Pu et al., FPMax, 2016); Our reading: at 0.9 GHz; high: 0.045 mm2 " +
			"in 32 nm (Kaul et al., ISSCC 2012); middle: their geometric mean",
	}
	integer = Figure{
		"32-bit integer and logic unit", "mm2 at 28 nm",
		Range{.0018, .0035, .0070},
		"high: ALU and multiplier of 280 x 260 um in 90 nm, 64 bits (McPAT, logic.cc). Our reading: half " +
			"and a quarter for 32 bits",
	}
	double = Figure{
		"double-precision multiply-add", "mm2 at 28 nm",
		Range{.0241, .0490, .1001},
		"2.9 times single precision: 217 and 74.6 GFLOPS/mm2 (Pu et al., FPMax, 2016)",
	}
	special = Figure{
		"special functions", "mm2 at 28 nm",
		Range{.0054, .0108, .0217},
		"low: quadratic interpolation in fixed point, 0.014 mm2 in 45 nm (Qoutb et al., High Speed " +
			"Special Function Unit, 2015). Our reading: twice for floating point and the reduction of ranges, " +
			"four times with division",
	}
	decoder = Figure{"instruction decoder", ge, Range{1000, 2000, 4000}, "Our reading"}
	filter  = Figure{
		"lane of the texture unit", "multiply-adds",
		Range{6, 12, 24},
		"Our reading: three linear interpolations of four channels",
	}
)

// Figures lists the numbers of the model, those of the nodes first.
func Figures() []Figure {
	var list []Figure
	for _, n := range nodes {
		for _, f := range []Figure{n.Cell, n.Gate, n.Pitch} {
			f.Name += fmt.Sprintf(", %d nm", n.NM)
			list = append(list, f)
		}
	}
	return append(list, flipFlop, readPort, muxInput, cellHeight, portPitch, column, decode, driver, control,
		placement, whiteSpace, fma, integer, double, special, decoder, filter)
}

// datapath returns the area of a published unit in mm2.
func (n *Node) datapath(f Figure) Range {
	return f.Range.scale(n.Gate.Range.Mid / reference.Gate.Range.Mid)
}

// gates returns the area of placed gates in mm2.
func (n *Node) gates(count Range) Range {
	return count.times(n.Gate.Range).times(placement.Range).scale(1e-6)
}

// wires returns the area of a field of wires in mm2, so many in each direction.
func (n *Node) wires(across, along int) Range {
	p := n.Pitch.Range
	return p.times(p).scale(float64(across) * float64(along) * 1e-6)
}

// ceilDiv returns a/b, rounded up.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

// bitsFor returns the number of bits of a number below n.
func bitsFor(n int) int { return int(math.Ceil(math.Log2(float64(max(n, 1))))) }
