package area

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCells: cells grow with their ports as in CACTI 7, whose cell is 10 F high and 14.6 F wide. A
// writing port adds 5 F to both sides, a reading one 5 F and 2.5 F.
func TestCells(t *testing.T) {
	assert.Equal(t, exactly(1), cellGrowth(1, 0), "one port for both")
	assert.InDelta(t, 15*17.1/146, cellGrowth(1, 1).Mid, 1e-12)
	assert.InDelta(t, 20*19.6/146, cellGrowth(2, 1).Mid, 1e-12)
	assert.InDelta(t, 20*22.1/146, cellGrowth(1, 2).Mid, 1e-12)
	assert.Less(t, cellGrowth(1, 1).Low, cellGrowth(1, 1).Mid)
}

// TestDensity: a large SRAM of one port at 7 nm has the density that Intel has published for a
// comparable node: 23.6 Mb/mm2 with cells of 0.0312 um2 (Guo et al., ISSCC 2018).
func TestDensity(t *testing.T) {
	m := newMemory("", 1<<14, 256)
	m.Writes = 0
	n := nodes[2]
	cells := float64(m.TotalBits()) * n.Cell.Range.Mid * 1e-6
	assert.InDelta(t, 23.6*(1<<20)*.0312e-6, cells/m.area(&n).Mid, .01)
	assert.Equal(t, SRAM, m.Kind)
}

// TestKinds: small memories, and those whose words are all visible, are flip-flops. A bit of an SRAM
// takes less than a tenth of one.
func TestKinds(t *testing.T) {
	n := nodes[0]
	for _, c := range []struct {
		words, bits int
		visible     bool
		want        Kind
	}{
		{1, 2048, false, FlipFlops},
		{4, 32, false, FlipFlops},
		{8, 40, false, FlipFlops},
		{1024, 64, false, SRAM},
		{1024, 64, true, FlipFlops},
	} {
		m := newMemory("", c.words, c.bits)
		m.Visible = m.Visible || c.visible
		m.area(&n)
		assert.Equal(t, c.want, m.Kind, c)
	}
	several := newMemory("", 1024, 64)
	one := several.area(&n)
	several.Count = 3
	assert.Equal(t, one.scale(3), several.area(&n))
	flop, cell := newMemory("", 1, 1), newMemory("", 1<<16, 256)
	assert.Greater(t, flop.area(&n).Mid, 5*cell.area(&n).Mid/float64(cell.TotalBits()))
}

// TestGate: a NAND gate is three gate pitches wide: see nodes.
func TestGate(t *testing.T) {
	assert.InDelta(t, .798, .57*1.4, 1e-12, "NAND2_X1 of NanGate")
	assert.InDelta(t, 3*.117*9*.09, nodes[1].Gate.Range.Mid, .001)
	assert.InDelta(t, 3*.117*7*.09, nodes[1].Gate.Range.Low, .001)
	assert.InDelta(t, 3*.117*12*.09, nodes[1].Gate.Range.High, .001)
	assert.InDelta(t, 3*.054*7.5*.04, nodes[2].Gate.Range.Mid, .0001)
	assert.InDelta(t, .798*65*65/45/45, nodes[0].Gate.Range.High, .01)
	for _, n := range nodes[:2] { // as many F2 as CACTI says, or little more
		f := float64(n.NM) * 1e-3
		assert.InDelta(t, 146, n.Cell.Range.Mid/f/f, 20, n.NM)
	}
	assert.InDelta(t, .045*28*28/32/32, fma.Range.High, .0001)
	assert.InDelta(t, 2*.9/217, fma.Range.Low, .0001)
	assert.InDelta(t, fma.Range.Low*fma.Range.High, fma.Range.Mid*fma.Range.Mid, 1e-5)
	assert.InDelta(t, .280*.260*28*28/90/90, integer.Range.High, .0001)
	assert.InDelta(t, .014*28*28/45/45, special.Range.Low, .0001)
}

// TestFigures: every number has a source, a unit and ordered bounds.
func TestFigures(t *testing.T) {
	for _, f := range Figures() {
		assert.NotEmpty(t, f.Source, f.Name)
		assert.LessOrEqual(t, f.Range.Low, f.Range.Mid, f.Name)
		assert.LessOrEqual(t, f.Range.Mid, f.Range.High, f.Name)
		assert.Positive(t, f.Range.Low, f.Name)
	}
}
