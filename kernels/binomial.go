package kernels

import (
	"fmt"
	"math"
)

var binomial = Kernel{
	Name:    "binomial",
	Doc:     "prices of American calls by binomial trees",
	Source:  "binomialOptions in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: an option a CTA, back from step to step in shared memory. Not kept: trees larger than a CTA; the option may be exercised early, for a branch by data",
	Control: "uniform loop with barriers, threads that drop out one by one (P), tests of the price (D)",
	Result:  "backward induction on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "2 options, 20 steps, CTAs of 32, partly used",
			func(seed uint64) Workload { return newBinomial(2, 20, 32, seed) },
		},
		{
			"medium", "8 options, 63 steps, CTAs of 64",
			func(seed uint64) Workload { return newBinomial(8, 63, 64, seed) },
		},
		{
			"large", "512 options, 255 steps, CTAs of 256",
			func(seed uint64) Workload { return newBinomial(512, 255, 256, seed) },
		},
	},
}

// binomialWorkload prices options.
type binomialWorkload struct {
	outcome
	steps, cta          int
	up, down            float32 // weights of the next step's values
	spot, strike, ratio []float32
	want                []float32
}

// newBinomial makes options whose trees have the given number of steps. There are fewer steps than
// threads in a CTA.
func newBinomial(options, steps, cta int, seed uint64) *binomialWorkload {
	r := random(seed)
	w := &binomialWorkload{steps: steps, cta: cta, up: 0.5, down: 0.498, want: make([]float32, options)}
	factor := math.Exp(0.3 / math.Sqrt(float64(max(steps, 1))))
	for i := range 3*cta + steps { // threads beyond the tree read, too
		w.ratio = append(w.ratio, float32(math.Pow(factor, float64(min(i, 2*steps)-steps))))
	}
	for i := range w.want {
		w.spot, w.strike = append(w.spot, 20+10*r.unit()), append(w.strike, 20+10*r.unit())
		w.want[i] = w.value(0, 0, w.spot[i], w.strike[i], map[[2]int]float32{})
	}
	return w
}

// value returns the value of an option in a node: after the given steps, ups of which went up.
func (w *binomialWorkload) value(step, ups int, spot, strike float32, known map[[2]int]float32) float32 {
	if v, ok := known[[2]int{step, ups}]; ok {
		return v
	}
	now := float32(spot*w.ratio[2*ups+w.steps-step]) - strike
	next := float32(0)
	if step < w.steps {
		next = float32(w.up*w.value(step+1, ups+1, spot, strike, known)) +
			float32(w.down*w.value(step+1, ups, spot, strike, known))
	}
	v := max(now, next)
	known[[2]int{step, ups}] = v
	return v
}

// Run implements Workload.
func (w *binomialWorkload) Run(m Machine) error {
	w.reset()
	if w.steps < 1 || w.steps >= w.cta || w.cta > 256 {
		return fmt.Errorf("binomial: %d steps on CTAs of %d threads; want 1 or more, fewer than threads, at most 256",
			w.steps, w.cta)
	}
	spot, strike, ratio, price := upload(m, w.spot), upload(m, w.strike), upload(m, w.ratio), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "binomial.ptx",
		Kernel: "binomial",
		Grid:   [3]uint32{uint32(len(w.want)), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(spot, strike, ratio, price, uint32(w.steps), w.up, w.down),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "price", download[float32](m, price, len(w.want)), w.want)
	return nil
}
