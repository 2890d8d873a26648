package experiments

import (
	"fmt"
	"math"

	"divergo/gpu"
	"divergo/internal/chart"
	"divergo/internal/papers"
)

func init() {
	var list []Figure
	for _, p := range gpu.Presets() {
		list = append(list, Figure{
			Name: "machine-" + p.Name, Doc: "micro-benchmarks of the preset " + p.Name + ", beside published values",
			Place: "sections 3 to 5: pointer chase, bandwidth, bank conflicts", Draw: func() (*Drawing, error) { return drawMachine(p) },
		})
	}
	Register(papers.Machine, list, nil)
}

// published is a value that others measured, or that the maker states.
type published struct {
	measure string
	value   float64
	source  string
}

// Measures with published values, beside those of the kinds of arithmetic.
const (
	hitL1    = "L1 hit"
	hitL2    = "L2 hit"
	fromDRAM = "DRAM"
	shared   = "shared memory"
)

// perCycle is the name of the throughput of a kind of arithmetic.
func perCycle(class string) string { return class + ", operations a cycle" }

// guide lists the operations of an SM in a cycle, from the table of arithmetic instructions in the CUDA
// C Programming Guide. Those of double precision are of GeForce up to 5.0. The table has no number for
// an integer mad that takes several instructions: 0.
func guide(capability string, add, mad, single, double, special float64) (list []published) {
	for i, v := range []float64{add, mad, single, double, special} {
		if v > 0 {
			list = append(list, published{perCycle(opClasses[i].Name), v, "CUDA C Programming Guide, capability " + capability})
		}
	}
	return list
}

// literature holds published values by preset.
var literature = map[string][]published{
	"tbc": append(guide("1.3", 10, 0, 8, 1, 2), []published{
		{shared, 38, "Wong et al., ISPASS 2010, GTX 280"},
		{fromDRAM, 440, "Wong et al., ISPASS 2010, GTX 280"},
		{"single fma", 24, "Volkov & Demmel, SC 2008"},
	}...),
	"kepler": append(guide("3.0", 160, 32, 192, 8, 32), []published{
		{hitL1, 35, "Jia et al., arXiv 1804.06826, table 3.1, K80"},
		{hitL2, 200, "Jia et al., arXiv 1804.06826, table 3.1, K80"},
		{shared, 26, "Jia et al., arXiv 1804.06826, table 3.1, K80"},
		{fromDRAM, 300, "Andersch et al., ISPASS 2015, GK104"},
		{"single fma", 9, "Jia et al., arXiv 1804.06826, table 4.1"},
	}...),
	"maxwell": append(guide("5.0", 128, 0, 128, 4, 32), []published{
		{hitL1, 82, "Jia et al., arXiv 1804.06826, table 3.1, M60"},
		{hitL2, 207, "Jia et al., arXiv 1804.06826, table 3.1, M60"},
		{shared, 23, "Jia et al., arXiv 1804.06826, table 3.1, M60"},
		{fromDRAM, 350, "Andersch et al., ISPASS 2015, GM107"},
		{"single fma", 6, "Jia et al., arXiv 1804.06826, table 4.1"},
	}...),
	"fermi": append(guide("2.0", 32, 16, 32, 4, 4), []published{
		{hitL1, 45, "Andersch et al., ISPASS 2015, GF106"},
		{hitL2, 310, "Andersch et al., ISPASS 2015, GF106"},
		{fromDRAM, 685, "Andersch et al., ISPASS 2015, GF106"},
		{shared, 50, "Mei & Chu, IEEE TPDS 2017, GTX 560 Ti"},
		{"single fma", 18, "Volkov, GTC 2010"},
	}...),
	"volta": append(guide("7.0", 64, 64, 64, 32, 16), []published{
		{hitL1, 28, "Jia et al., arXiv 1804.06826, table 3.1"},
		{hitL2, 193, "Jia et al., arXiv 1804.06826, table 3.1"},
		{fromDRAM, 375, "Jia et al., arXiv 1804.06826, section 3"},
		{shared, 19, "Jia et al., arXiv 1804.06826, table 3.1"},
		{"integer add", 4, "Jia et al., arXiv 1804.06826, table 4.1"},
		{"integer mad", 5, "Jia et al., arXiv 1804.06826, table 4.1"},
		{"single fma", 4, "Jia et al., arXiv 1804.06826, table 4.1"},
		{"double fma", 8, "Jia et al., arXiv 1804.06826, table 4.1"},
	}...),
	"ampere": append(guide("8.0", 64, 64, 64, 32, 16), []published{
		{hitL1, 33, "Abdelkhalik et al., arXiv 2208.11174, table IV"},
		{hitL2, 200, "Abdelkhalik et al., arXiv 2208.11174, table IV"},
		{fromDRAM, 290, "Abdelkhalik et al., arXiv 2208.11174, table IV"},
		{shared, 23, "Abdelkhalik et al., arXiv 2208.11174, table IV"},
		{"integer add", 4, "Abdelkhalik et al., arXiv 2208.11174, table II"},
		{"single fma", 4, "Abdelkhalik et al., arXiv 2208.11174, table II"},
	}...),
	"hopper-sm": append(guide("9.0", 64, 64, 128, 64, 16), []published{
		{hitL1, 40.7, "Luo et al., arXiv 2402.13499, H100 PCIe"},
		{hitL2, 263, "Luo et al., arXiv 2402.13499, H100 PCIe"},
		{fromDRAM, 478.8, "Luo et al., arXiv 2402.13499, H100 PCIe"},
		{shared, 29, "Luo et al., arXiv 2402.13499, H100 PCIe"},
	}...),
	"rdna-like": {
		{perCycle("single fma"), 64, "AMD, RDNA whitepaper"},
		{perCycle("double fma"), 4, "AMD, RDNA whitepaper"},
		{perCycle("special"), 16, "AMD, RDNA whitepaper"},
	},
}

// sheet is the table of a machine's measurements under construction.
type sheet struct {
	*Drawing
	of []published
}

// theirs returns the published value of a measure, NaN if there is none.
func (s *sheet) theirs(measure string) (v float64, source string) {
	for _, p := range s.of {
		if p.measure == measure {
			return p.value, p.source
		}
	}
	return math.NaN(), "-"
}

// add adds a line to the table.
func (s *sheet) add(measure, unit string, ours float64) {
	v, source := s.theirs(measure)
	theirs := any("-")
	if !math.IsNaN(v) {
		theirs = round(v)
	}
	s.Rows = append(s.Rows, []any{measure, unit, round(ours), theirs, source})
}

// ring returns published values as rings at places of an axis. Without any it has no points.
func (s *sheet) ring(measures map[string]float64) (r chart.Series) {
	r.Name, r.Style = "published", chart.Rings
	for _, m := range []string{hitL1, hitL2, fromDRAM, shared} {
		if x, ok := measures[m]; ok {
			if v, _ := s.theirs(m); !math.IsNaN(v) {
				r.X, r.Y = append(r.X, x), append(r.Y, v)
			}
		}
	}
	return r
}

// chart adds a picture of lines, without empty ones.
func (s *sheet) chart(title, x, y string, list ...chart.Series) {
	c := &chart.Lines{Title: title, X: x, Y: y}
	for _, l := range list {
		if len(l.X) > 0 {
			c.Series = append(c.Series, l)
		}
	}
	s.Charts = append(s.Charts, c)
}

// sweepOf measures at each value of a parameter. At returns a point of the line.
func sweepOf(name string, points []float64, at func(v float64) (x, y float64, err error)) (l chart.Series, err error) {
	l.Name = name
	for _, v := range points {
		x, y, err := at(v)
		if err != nil {
			return l, err
		}
		l.X, l.Y = append(l.X, x), append(l.Y, y)
	}
	return l, nil
}

// drawMachine measures one SM of a preset.
func drawMachine(preset gpu.Preset) (*Drawing, error) {
	c := preset.Config()
	p, err := NewProbe(c)
	if err != nil {
		return nil, err
	}
	s := &sheet{&Drawing{
		Header: []string{"measure", "unit", "this machine", "published", "source"},
		Notes: []string{
			fmt.Sprintf("%s: %s.", preset.Name, preset.Doc),
			"One SM runs, with the whole L2 and all channels. Bandwidth is that of one SM. Published values can be of another GPU of the generation, named in the source.",
		},
	}, literature[preset.Name]}
	for _, draw := range []func(*sheet, *Probe) error{
		drawChases, drawShared, drawBandwidth, drawArithmetic, drawAtomics, drawConstants,
	} {
		if err := draw(s, p); err != nil {
			return nil, err
		}
	}
	return s.Drawing, nil
}

// parts are footprints as parts of a cache. LRU keeps nothing of a walk that is longer than the cache.
var parts = []float64{.25, .5, .75, 1, 1.25, 1.5, 2}

// drawChases measures loads that depend on each other.
func drawChases(s *sheet, p *Probe) error {
	c := &p.Config
	var list []chart.Series
	lines, span := c.L1.Size/c.L1.Line, c.L1.Size/c.L1.Assoc
	for _, w := range []struct {
		name        string
		most, bytes int // pointers that fill the cache, and their distance
	}{
		{fmt.Sprintf("stride %d bytes, a line", c.L1.Line), lines, c.L1.Line},
		{fmt.Sprintf("stride %d bytes, in one set", 2*span), c.L1.Assoc, 2 * span},
	} {
		l, err := sweepOf(w.name, parts, func(part float64) (float64, float64, error) {
			n := int(part * float64(w.most))
			y, err := p.Chase(n, w.bytes, "")
			return float64(n*w.bytes) / 1024, y, err
		})
		if err != nil {
			return err
		}
		list = append(list, l)
	}
	s.add(hitL1, "cycles", list[0].Y[1])
	kib := float64(c.L1.Size) / 1024
	s.chart("Latency of dependent loads around the L1", "footprint in KiB", "core cycles",
		append(list, s.ring(map[string]float64{hitL1: kib / 2, hitL2: 2 * kib}))...)
	l2, err := sweepOf("past the L1", parts, func(part float64) (float64, float64, error) {
		n, stride := p.L2Walk(part)
		y, err := p.Chase(n, stride, ".cg")
		return float64(n*stride) / 1024, y, err
	})
	if err != nil {
		return err
	}
	last := len(parts) - 1
	s.add(hitL2, "cycles", l2.Y[1])
	s.add(fromDRAM, "cycles", l2.Y[last])
	s.chart("Latency of dependent loads around the L2", "footprint in KiB", "core cycles",
		l2, s.ring(map[string]float64{hitL2: l2.X[1], fromDRAM: l2.X[last]}))
	return nil
}

// strides are distances of neighbouring lanes, in words.
var strides = []float64{1, 2, 4, 8, 16, 32}

// drawShared measures bank conflicts.
func drawShared(s *sheet, p *Probe) error {
	l, err := sweepOf("dependent loads", strides, func(stride float64) (float64, float64, error) {
		y, err := p.SharedLatency(int(stride))
		return stride, y, err
	})
	if err != nil {
		return err
	}
	s.add(shared, "cycles", l.Y[0])
	s.add("shared memory, all lanes in one bank", "cycles", l.Y[len(l.Y)-1])
	s.chart("Bank conflicts of shared memory", "stride of lanes in words", "core cycles",
		l, s.ring(map[string]float64{shared: 1}))
	return nil
}

// drawBandwidth measures loads of all lanes.
func drawBandwidth(s *sheet, p *Probe) error {
	var list []chart.Series
	for _, from := range []Level{FromL1, FromL2, FromDRAM} {
		l, err := sweepOf(string(from), strides, func(stride float64) (float64, float64, error) {
			y, err := p.Bandwidth(from, int(stride))
			return stride, y, err
		})
		if err != nil {
			return err
		}
		s.add("bandwidth of an SM from "+string(from), "bytes a cycle", l.Y[0])
		list = append(list, l)
	}
	s.chart("Bandwidth of an SM by stride", "stride of lanes in words", "useful bytes a core cycle", list...)
	return nil
}

// drawArithmetic measures latency and throughput by kind.
func drawArithmetic(s *sheet, p *Probe) error {
	latency := &chart.Groups{Title: "Latency of arithmetic", Y: "core cycles", Bars: []string{"dependent instructions"}}
	rate := &chart.Groups{Title: "Throughput of arithmetic", Y: "operations a core cycle", Bars: []string{"of an SM"}}
	for _, class := range opClasses {
		for _, m := range []struct {
			to      *chart.Groups
			measure string
			unit    string
			run     func(OpClass) (float64, error)
		}{{latency, class.Name, "cycles", p.Latency}, {rate, perCycle(class.Name), "operations", p.Throughput}} {
			y, err := m.run(class)
			if err != nil {
				return err
			}
			s.add(m.measure, m.unit, y)
			theirs, _ := s.theirs(m.measure)
			m.to.Groups = append(m.to.Groups, chart.Group{
				Name: class.Name, Values: [][]float64{{y}}, Theirs: []float64{theirs},
			})
		}
	}
	s.Charts = append(s.Charts, latency, rate)
	return nil
}

// drawAtomics measures additions to the same and to different words.
func drawAtomics(s *sheet, p *Probe) error {
	g := &chart.Groups{Title: "Atomic addition of a warp", Y: "core cycles", Bars: []string{"global memory", "shared memory"}}
	for _, at := range []struct {
		name   string
		stride int
	}{{"one word", 0}, {"neighbours", 1}, {"32 lines", 32}} {
		row := chart.Group{Name: at.name}
		for _, space := range []string{"global", "shared"} {
			y, err := p.Atomics(space, at.stride)
			if err != nil {
				return err
			}
			s.add("atomic addition, "+space+" memory, "+at.name, "cycles", y)
			row.Values = append(row.Values, []float64{y})
		}
		g.Groups = append(g.Groups, row)
	}
	s.Charts = append(s.Charts, g)
	return nil
}

// drawConstants measures loads of several constants, if the machine has a cache for them.
func drawConstants(s *sheet, p *Probe) error {
	if p.Config.Const.Size == 0 {
		return nil
	}
	l, err := sweepOf("loads of constants", strides, func(words float64) (float64, float64, error) {
		y, err := p.Constants(int(words))
		return words, y, err
	})
	if err != nil {
		return err
	}
	s.add("load of one constant", "cycles", l.Y[0])
	s.chart("Locality of constants", "distinct words that a warp reads", "core cycles a load", l)
	return nil
}
