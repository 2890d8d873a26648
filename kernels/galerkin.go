package kernels

var galerkin = Kernel{
	Name:    "galerkin",
	Doc:     "waves by the discontinuous Galerkin method",
	Source:  "DG (gpuDG, Bakhoda et al., ISPASS 2009) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 84, an element of order 6 with 84 nodes and 112 on its faces; three kernels: volume, surface, Runge-Kutta; textures. Not kept: six fields and three directions, of which here are two and one; the numbers of the matrices, which are random here",
	Control: "uniform loops over nodes; nodes of faces in two rounds, the second partly filled, and the end of the grid (P); the border (D)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "4 elements, 1 stage, 4 CTAs of 84 and 6 of 128, the last one partly filled",
			func(seed uint64) Workload { return newGalerkin(4, 1, seed) },
		},
		{
			"medium", "24 elements, 3 stages, each 24 CTAs of 84 twice and 32 of 128",
			func(seed uint64) Workload { return newGalerkin(24, 3, seed) },
		},
		{
			"large", "1000 elements, 5 stages, each 1000 CTAs of 84 twice and 1313 of 128",
			func(seed uint64) Workload { return newGalerkin(1000, 5, seed) },
		},
	},
}

// Sizes of an element in the source.
const (
	galerkinNodes = 84
	galerkinRim   = 112
)

// galerkinWorkload solves for waves.
type galerkinWorkload struct {
	outcome
	elements, stages                int
	field, matrix, metric           []float32
	lift                            []float32
	inner, outer                    []uint32
	border                          uint32
	keep, part                      []float32 // by stage
	step                            float32
	wantField, wantRest, wantChange []float32
}

// newGalerkin makes elements. Most of their face nodes meet a node of another element, the others
// the border.
func newGalerkin(elements, stages int, seed uint64) *galerkinWorkload {
	r := random(seed)
	w := &galerkinWorkload{
		elements: elements, stages: stages, step: 0.01, border: uint32(2 * galerkinNodes * elements),
		field: r.units(2 * galerkinNodes * elements), matrix: r.units(galerkinNodes * galerkinNodes),
		metric: r.units(elements), lift: r.units(galerkinRim * galerkinNodes), keep: r.units(stages),
		part: r.units(stages),
	}
	for range galerkinRim {
		w.inner = append(w.inner, uint32(r.below(galerkinNodes)))
	}
	for range elements * 4 { // faces
		to := r.below(elements + elements/8 + 1)
		for range galerkinRim / 4 {
			if to >= elements {
				w.outer = append(w.outer, w.border)
			} else {
				w.outer = append(w.outer, uint32(2*galerkinNodes*to+r.below(galerkinNodes)))
			}
		}
	}
	w.solve()
	return w
}

// solve computes the reference.
func (w *galerkinWorkload) solve() {
	field := append([]float32(nil), w.field...)
	rest, change := make([]float32, len(field)), make([]float32, len(field))
	for stage := range w.stages {
		for e := range w.elements {
			first := 2 * galerkinNodes * e
			p, v := field[first:first+galerkinNodes], field[first+galerkinNodes:first+2*galerkinNodes]
			dp := product(w.matrix, v)
			dv := product(w.matrix, p)
			var flux [2][]float32
			for m, i := range w.inner {
				jumpP, jumpV := -2*p[i], float32(0)
				if to := w.outer[galerkinRim*e+m]; to != w.border {
					jumpP, jumpV = field[to]-p[i], field[to+galerkinNodes]-v[i]
				}
				flux[0], flux[1] = append(flux[0], jumpP-jumpV), append(flux[1], jumpV-jumpP)
			}
			inP, inV := product(w.lift, flux[0]), product(w.lift, flux[1])
			for n := range galerkinNodes {
				change[first+n] = float32(-w.metric[e]*dp[n]) + inP[n]
				change[first+galerkinNodes+n] = float32(-w.metric[e]*dv[n]) + inV[n]
			}
		}
		for i := range field {
			rest[i] = float32(w.keep[stage]*rest[i]) + float32(w.step*change[i])
			field[i] += float32(w.part[stage] * rest[i])
		}
	}
	w.wantField, w.wantRest, w.wantChange = field, rest, change
}

// product returns a vector times a matrix. The matrix has a row of nodes for each element of the
// vector.
func product(matrix, vector []float32) []float32 {
	sum := make([]float32, galerkinNodes)
	for m, x := range vector {
		for n := range sum {
			sum[n] += float32(matrix[m*galerkinNodes+n] * x)
		}
	}
	return sum
}

// Run implements Workload.
func (w *galerkinWorkload) Run(m Machine) error {
	w.reset()
	field, matrix, metric, lift := upload(m, w.field), upload(m, w.matrix), upload(m, w.metric), upload(m, w.lift)
	inner, outer := upload(m, w.inner), upload(m, w.outer)
	rest, change := m.Alloc(4*len(w.field)), m.Alloc(4*len(w.field))
	for stage := range w.stages {
		for _, l := range []Call{
			{Kernel: "galerkin_volume", Params: bank(field, matrix, metric, change)},
			{Kernel: "galerkin_surface", Params: bank(field, inner, outer, lift, change, w.border)},
		} {
			l.Module, l.Grid, l.Block = "galerkin.ptx", [3]uint32{
				uint32(w.elements), 1,
				1,
			}, [3]uint32{galerkinNodes, 1, 1}
			if err := m.Launch(l); err != nil {
				return err
			}
		}
		n := len(w.field)
		err := m.Launch(Call{
			Module: "galerkin.ptx", Kernel: "galerkin_step",
			Grid: [3]uint32{groups(n, 128), 1, 1}, Block: [3]uint32{128, 1, 1},
			Params: bank(field, rest, change, uint32(n), w.keep[stage], w.step, w.part[stage]),
		})
		if err != nil {
			return err
		}
	}
	n := len(w.field)
	expect(&w.outcome, "field", download[float32](m, field, n), w.wantField)
	expect(&w.outcome, "rest", download[float32](m, rest, n), w.wantRest)
	expect(&w.outcome, "change", download[float32](m, change, n), w.wantChange)
	return nil
}
