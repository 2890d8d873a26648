package area

// Kind tells how a memory is built.
type Kind string

// The kinds of memories.
const (
	FlipFlops Kind = "flip-flops"
	SRAM      Kind = "SRAM"
)

// Memory is storage of words of equal width.
type Memory struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Words int    `json:"words"`
	Bits  int    `json:"bits"` // of a word
	// Reads and Writes are ports. Without writing ports, the first reading port also writes.
	Reads  int `json:"reads"`
	Writes int `json:"writes"`
	// Banks divide the words.
	Banks int `json:"banks"`
	// Segment is the largest number of columns that share a row decoder.
	Segment int `json:"segment"`
	// Kind is the cheaper one, unless all words are visible: then flip-flops.
	Kind Kind `json:"kind"`
	// Visible: hardware compares or selects all words in a cycle, without a port.
	Visible bool `json:"visible"`
}

// subarray is the number of rows and columns of the largest subarray of an SRAM.
const subarray = 256

// newMemory returns a memory of one bank with a reading and a writing port. A single word is visible.
func newMemory(name string, words, bits int) Memory {
	return Memory{
		Name: name, Count: 1, Words: words, Bits: bits, Reads: 1, Writes: 1, Banks: 1, Segment: subarray,
		Visible: words == 1,
	}
}

// TotalBits returns the bits of all words and copies.
func (m *Memory) TotalBits() int { return m.Count * m.Words * m.Bits }

// area builds the memory: it sets Kind and returns the area of all copies in mm2.
func (m *Memory) area(n *Node) Range {
	size := m.flops(n)
	m.Kind = FlipFlops
	if !m.Visible {
		sram := m.sram(n)
		if sram.Mid < size.Mid {
			m.Kind = SRAM
		}
		size = size.least(sram)
	}
	return size.scale(float64(m.Count))
}

// flops returns the area as flip-flops, with the multiplexers of the read ports.
func (m *Memory) flops(n *Node) Range {
	gates := flipFlop.Range
	if !m.Visible {
		gates = gates.plus(readPort.Range.scale(float64(m.Reads)))
	}
	return n.gates(gates.scale(float64(m.Words * m.Bits)))
}

// sram returns the area as SRAM: cells that grow with their ports, and for each port and subarray
// the circuits at the ends of its columns and rows, and the control of a bank.
func (m *Memory) sram(n *Node) Range {
	rows := ceilDiv(m.Words, m.Banks) // of a bank
	ports := m.Reads + m.Writes
	cells := n.Cell.Range.times(cellGrowth(m.Reads, m.Writes)).scale(float64(m.Banks*rows*m.Bits) * 1e-6)
	columns := column.Range.scale(float64(m.Banks * ceilDiv(rows, subarray) * m.Bits * ports))
	decoders := decode.Range.scale(float64(m.Banks * rows * ceilDiv(m.Bits, m.Segment) * ports))
	drivers := driver.Range.scale(float64(m.Banks*rows*m.Bits*ports) / subarray)
	around := columns.plus(decoders).plus(drivers).plus(control.Range.scale(float64(m.Banks * ports)))
	return cells.plus(around.times(n.Gate.Range).scale(1e-6))
}

// cellGrowth returns the area of a cell with ports over that with one port for both. Each further
// port adds wires in both directions. A reading port has one bit line, a writing one has two.
func cellGrowth(reads, writes int) Range {
	if writes == 0 {
		reads, writes = reads-1, 1
	}
	grow := func(pitch float64) float64 {
		high, wide := cellHeight.Range.Mid, 1.46*cellHeight.Range.Mid
		h := high + pitch*float64(reads+writes-1)
		w := wide + pitch*float64(writes-1) + pitch/2*float64(reads)
		return h * w / (high * wide)
	}
	p := portPitch.Range
	mid := grow(p.Mid)
	return Range{grow(p.Low), mid, mid}
}
