package experiments

import (
	"fmt"

	"divergo/gpu/area"
	"divergo/sm/divergence"
	"divergo/units"
)

// micrometers2 returns the area of cells at 65 nm, in square micrometers: see area.Cells.At45. It is
// scaled by (65/45)^2.
func micrometers2(c *area.Cells) float64 { return c.At45() * 65 * 65 / (45 * 45) }

// sm2011 is the size of an SM in both papers: 1024 threads, 8 CTAs.
var sm2011 = divergence.Geometry{Lanes: 32, Warps: 32, CTAs: 8}

// encoders measures the area of the thread compactor's encoders.
func encoders() (string, error) {
	c, err := cost("tbc", sm2011)
	var sum area.Cells
	for _, l := range c.Logic {
		if l.Kind == units.Encoder {
			sum.Add(area.CellsOf(l), l.Count)
		}
	}
	mm2 := micrometers2(&sum) / 1e6
	return fmt.Sprintf("%s 0.1 mm2 (%.4f)", order(mm2, .1), mm2), err
}

// compactionArea returns the area, in mm2, of blocks of a mechanism and of all its logic on 30 SMs.
// Storage is in flip-flops.
func compactionArea(mechanism string, blocks ...string) (mm2 float64, err error) {
	c, err := cost(mechanism, sm2011)
	var sum area.Cells
	for _, l := range c.Logic {
		sum.Add(area.CellsOf(l), l.Count)
	}
	for _, s := range c.Storage {
		for _, b := range blocks {
			if s.Path == b {
				sum.FlipFlops += s.Words * s.Width()
			}
		}
	}
	return 30 * micrometers2(&sum) / 1e6, err
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
