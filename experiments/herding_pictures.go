package experiments

import (
	"fmt"

	"divergo/gpu"
	"divergo/internal/chart"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/quality"
	"divergo/units"
)

// Pictures are as large as a run of some seconds allows, in whole CTAs. So all threads agree on the
// tests of a picture's bounds, and every branch can be forced, as in the paper.
const (
	escapeWide, escapeHigh, escapeLimit = 192, 128, 64
	edgesWide, edgesHigh, edgesCTA      = 256, 192, 128
)

// gallery collects the pictures that a kernel draws. The rows of its drawing list the error of each
// picture.
type gallery struct {
	d   *Drawing
	cfg gpu.Config
}

// newGallery returns an empty gallery.
func newGallery() (*gallery, error) {
	cfg, err := herdConfig()
	return &gallery{&Drawing{Header: []string{"picture", "herding", "time", "mismatch %", "PSNR dB"}}, cfg}, err
}

// variant is one herding of a kernel.
type variant struct {
	label   string
	set     func(*units.HerdConfig)          // nil: no change
	program func(p *isa.Program) isa.Herding // nil: no change
}

// add draws the variants of a kernel. The first one is the reference for the others. With
// difference set, add also draws what the last one changed.
func (g *gallery) add(title, kernel string, build func() kernels.Workload, difference bool, variants ...variant) error {
	k, err := kernels.Find(kernel)
	if err != nil {
		return err
	}
	row := &chart.Images{Title: title}
	var none uint64
	for i, v := range variants {
		cfg, replace := g.cfg, programs(nil)
		if v.set != nil {
			v.set(&cfg.Herd)
		}
		if v.program != nil {
			replace = herdAll(v.program)
		}
		w := build()
		r, err := herdOn(k, w, cfg, replace)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", title, v.label, err)
		}
		if i == 0 {
			none = r.cycles
		}
		picture := w.(kernels.Picture).Image()
		row.Row = append(row.Row, chart.Labelled{Label: v.label, Image: picture})
		psnr := fmt.Sprintf("%.1f", quality.PSNR(picture, row.Row[0].Image))
		g.d.Rows = append(g.d.Rows, []any{
			title, v.label, float64(r.cycles) / float64(none),
			fmt.Sprintf("%.3g", 100*r.degradation), psnr,
		})
	}
	if difference {
		last := row.Row[len(row.Row)-1]
		row.Row = append(row.Row, chart.Labelled{
			Label: "difference",
			Image: quality.Difference(last.Image, row.Row[0].Image),
		})
	}
	g.d.Charts = append(g.d.Charts, row)
	return nil
}

// drawForcedPictures forces a part of all branches of Mandelbrot and Julia.
func drawForcedPictures() (*Drawing, error) {
	g, err := newGallery()
	if err != nil {
		return nil, err
	}
	variants := []variant{{label: "original"}}
	for _, percent := range []int{20, 60, 100} {
		variants = append(variants, variant{
			fmt.Sprintf("%d %% of branches", percent),
			func(h *units.HerdConfig) { h.BranchFraction = percent }, nil,
		})
	}
	for _, set := range []struct {
		name, kernel string
		build        func(width, height int, limit uint32, seed uint64) *kernels.EscapeTime
	}{{"Mandelbrot", "mandelbrot20", kernels.NewMandelbrot20}, {"Julia", "julia", kernels.NewJulia}} {
		build := func() kernels.Workload { return set.build(escapeWide, escapeHigh, escapeLimit, herdMeasured) }
		if err := g.add(set.name, set.kernel, build, false, variants...); err != nil {
			return nil, err
		}
	}
	return g.d, nil
}

// drawForcedEdges forces a part of SobelFilter's loads to one address, and all of them to one
// block.
func drawForcedEdges() (*Drawing, error) {
	g, err := newGallery()
	if err != nil {
		return nil, err
	}
	variants := []variant{{label: "original"}}
	for _, percent := range []int{20, 60, 100} {
		variants = append(variants, variant{
			fmt.Sprintf("%d %% of loads, one address", percent),
			func(h *units.HerdConfig) {
				h.LoadFraction, h.Load = percent, units.HerdFirst
			}, nil,
		})
	}
	variants = append(variants, variant{
		"all loads, most popular block",
		func(h *units.HerdConfig) { h.LoadFraction = 100 }, nil,
	})
	build := func() kernels.Workload { return kernels.NewSobelFilter(edgesWide, edgesHigh, edgesCTA, herdMeasured) }
	return g.d, g.add("SobelFilter", "sobelfilter", build, false, variants...)
}

// drawHerdedPictures herds all safe branches of a volume rendering and all safe loads of a blur.
func drawHerdedPictures() (*Drawing, error) {
	g, err := newGallery()
	if err != nil {
		return nil, err
	}
	for _, p := range []struct {
		title, kernel, label string
		build                func() kernels.Workload
		herd                 func(*isa.Program) isa.Herding
	}{
		{
			"volumeRender", "volumerender", "branch herding",
			func() kernels.Workload { return kernels.NewVolumeRender(144, 112, herdMeasured) },
			func(p *isa.Program) isa.Herding { return safe(p, Branches) },
		},
		{
			"recursiveGaussian", "gaussian", "data herding",
			func() kernels.Workload { return kernels.NewGaussian(edgesWide, edgesHigh, 2.5, herdMeasured) },
			func(p *isa.Program) isa.Herding { return safe(p, Loads) },
		},
	} {
		if err := g.add(p.title, p.kernel, p.build, true, variant{label: "original"},
			variant{p.label, nil, p.herd}); err != nil {
			return nil, err
		}
	}
	return g.d, nil
}
