package experiments

import (
	"fmt"

	"divergo/gpu/area"
	"divergo/sm/divergence"
	"divergo/units"
)

// sm2011 is the size of an SM in both papers: 1024 threads, 8 CTAs.
var sm2011 = divergence.Geometry{Lanes: 32, Warps: 32, CTAs: 8}

// cells returns the area of logic at 65 nm, in mm2, as cells that are not placed. Synthesized blocks count as
// measured, the rest as package area counts it.
func cells(logic []units.Logic, flipFlops int) (area.Range, error) {
	node, err := area.FindNode(65)
	if err != nil {
		return area.Range{}, err
	}
	found, left := area.Synthesized(logic, sm2011.Lanes)
	rest := area.Cells{FlipFlops: flipFlops}
	for _, l := range left {
		rest.Add(area.CellsOf(l), l.Count)
	}
	gates := rest.Gates()
	for _, g := range found {
		gates += g.Count.Mid
	}
	r := node.Gate.Range
	return area.Range{Low: gates * r.Low / 1e6, Mid: gates * r.Mid / 1e6, High: gates * r.High / 1e6}, nil
}

// encoders measures the area of the thread compactor's encoders.
func encoders() (string, error) {
	c, err := cost("tbc", sm2011)
	if err != nil {
		return "", err
	}
	var list []units.Logic
	for _, l := range c.Logic {
		if l.Kind == units.Encoder {
			list = append(list, l)
		}
	}
	mm2, err := cells(list, 0)
	return fmt.Sprintf("%s 0.1 mm2 (%.4f, %.4f to %.4f)", order(mm2.High, .1), mm2.Mid, mm2.Low, mm2.High), err
}

// compactionArea returns the area, in mm2, of blocks of a mechanism and of all its logic on 30 SMs.
// Storage is in flip-flops.
func compactionArea(mechanism string, blocks ...string) (mm2 area.Range, err error) {
	c, err := cost(mechanism, sm2011)
	if err != nil {
		return mm2, err
	}
	flipFlops := 0
	for _, s := range c.Storage {
		for _, b := range blocks {
			if s.Path == b {
				flipFlops += s.Words * s.Width()
			}
		}
	}
	one, err := cells(c.Logic, flipFlops)
	return area.Range{Low: 30 * one.Low, Mid: 30 * one.Mid, High: 30 * one.High}, err
}

// chip measures the area of compaction on a chip of 30 SMs.
func chip() (string, error) {
	tbc, err := compactionArea("tbc", "Compacts")
	if err != nil {
		return "", err
	}
	capri, err := compactionArea("capri", "Compacts", "CAPT.Lines")
	return fmt.Sprintf("%s 1 mm2; %s 1 mm2 (%.2f, %.2f to %.2f; %.2f, %.2f to %.2f)", order(tbc.Mid, 1), order(capri.Mid, 1),
		tbc.Mid, tbc.Low, tbc.High, capri.Mid, capri.Low, capri.High), err
}
