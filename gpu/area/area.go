package area

import (
	"divergo/gpu"
)

// Area is the area of a machine at a node, in mm2. The Range is that of the whole machine.
type Area struct {
	Range
	NM    int   // of the node
	SM    Range // one SM
	Parts []Part
}

// Of estimates the area of a machine with its mechanism, cfg.Divergence.Mechanism. Machines whose
// blocks have been seen before take some microseconds, others the time to elaborate one SM. Several
// goroutines may call it. The error is that of the configuration.
func Of(cfg *gpu.Config, node Node) (Area, error) {
	if err := cfg.Check(); err != nil {
		return Area{}, err
	}
	core, err := coreOf(cfg)
	if err != nil {
		return Area{}, err
	}
	mem, err := memoryOf(cfg)
	if err != nil {
		return Area{}, err
	}
	e := &estimate{cfg: cfg, node: &node, core: core, mem: mem}
	e.lanes()
	e.registers()
	e.front()
	e.divergence()
	e.memory()
	e.space("white space of an SM", "SM", cfg.GPU.SMs)
	e.chip()
	e.space("white space between blocks", "machine", 1)
	a := Area{NM: node.NM, Parts: e.parts}
	for i := range a.Parts {
		p := &a.Parts[i]
		a.Range = a.plus(p.Area.scale(float64(p.Count)))
		if p.In == "SM" {
			a.SM = a.SM.plus(p.Area)
		}
	}
	return a, nil
}

// space adds the area that is left between the parts of an SM, or of the rest of the machine.
func (e *estimate) space(name, in string, count int) {
	var sum Range
	for i := range e.parts {
		if p := &e.parts[i]; (p.In == "SM") == (in == "SM") {
			sum = sum.plus(p.Area.scale(float64(p.Count) / float64(count)))
		}
	}
	more := whiteSpace.Range
	e.parts = append(e.parts, Part{
		Name: name, In: in, Count: count, Area: sum.times(Range{more.Low - 1, more.Mid - 1, more.High - 1}),
	})
}
