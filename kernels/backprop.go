package kernels

import (
	"fmt"
	"slices"
)

var backprop = Kernel{
	Name:    "backprop",
	Doc:     "one training step of a neural network's layer, float32",
	Source:  "layer forward and weight adjustment of Rodinia's back-propagation; BACKP in Rhu & Erez (ISCA 2013), table 1 and figure 8(b), and in Fung & Aamodt (HPCA 2011), table 1",
	Control: "ty % power_two == 0 at each level of a tree: whole rows of a CTA, aligned (P); tx == 0; barriers in a loop",
	Result:  "recursive pairwise sums on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "32 inputs, 16 hidden units, 2 CTAs of 16x16, two kernels",
			func(seed uint64) Workload { return NewBackprop(32, 16, seed) },
		},
		{
			"medium", "1000 inputs, 16 hidden units, 63 CTAs of 16x16, the last one half filled",
			func(seed uint64) Workload { return NewBackprop(1000, 16, seed) },
		},
		{
			"large", "256 Ki inputs, 16 hidden units, 16384 CTAs of 16x16",
			func(seed uint64) Workload { return NewBackprop(256<<10, 16, seed) },
		},
	},
}

// backpropRows is ROWS in the source: the number of inputs of a CTA.
const backpropRows = 16

// learning is both the learning rate and the momentum in the source.
const learning = float32(0.3)

// Backprop trains a layer of a neural network. Input 0 is the bias.
type Backprop struct {
	outcome
	hidden         int
	input, target  []float32
	weight, change []float32 // one row for each input, with a weight for each hidden unit

	wantPartial, wantWeight, wantChange []float32
}

// NewBackprop makes a layer of inputs and at most 16 hidden units. A CTA is hidden threads wide and
// 16 high. In figure 8(b) of Rhu & Erez, ISCA 2013, it is 8 wide.
func NewBackprop(inputs, hidden int, seed uint64) *Backprop {
	r := random(seed)
	w := &Backprop{
		hidden: hidden,
		input:  r.units(inputs + 1), target: r.units(hidden),
		weight: r.units((inputs + 1) * hidden), change: r.units((inputs + 1) * hidden),
	}
	w.input[0] = 1
	w.wantPartial = w.forward()
	w.wantWeight, w.wantChange = w.adjust(w.delta(w.wantPartial))
	return w
}

// ctas is the number of CTAs.
func (w *Backprop) ctas() uint32 { return groups(len(w.input)-1, backpropRows) }

// forward is the reference of the first kernel: the weighted inputs of each CTA's rows, summed
// pairwise by halves.
func (w *Backprop) forward() []float32 {
	var halves func(low, n, unit int) float32
	halves = func(low, n, unit int) float32 {
		if n > 1 {
			return halves(low, n/2, unit) + halves(low+n/2, n/2, unit)
		}
		if low >= len(w.input) {
			return 0
		}
		return float32(w.weight[low*w.hidden+unit] * w.input[low])
	}
	var partial []float32
	for cta := range int(w.ctas()) {
		for unit := range w.hidden {
			partial = append(partial, halves(1+cta*backpropRows, backpropRows, unit))
		}
	}
	return partial
}

// delta is the host's part between the kernels: the error of each hidden unit. The sigmoid is
// x/(1+|x|).
func (w *Backprop) delta(partial []float32) []float32 {
	delta := make([]float32, w.hidden)
	for unit := range delta {
		sum := w.weight[unit]
		for cta := range int(w.ctas()) {
			sum += partial[cta*w.hidden+unit]
		}
		out := sum / (1 + max(sum, -sum))
		delta[unit] = float32(out*(1-out)) * (w.target[unit] - out)
	}
	return delta
}

// adjust is the reference of the second kernel.
func (w *Backprop) adjust(delta []float32) (weight, change []float32) {
	weight, change = slices.Clone(w.weight), slices.Clone(w.change)
	for row, input := range w.input {
		for unit, d := range delta {
			at := row*w.hidden + unit
			step := float32(float32(learning*d)*input) + float32(learning*change[at])
			weight[at] += step
			change[at] = step
		}
	}
	return weight, change
}

// Run implements Workload.
func (w *Backprop) Run(m Machine) error {
	w.reset()
	if w.hidden < 1 || w.hidden > 16 {
		return fmt.Errorf("backprop: %d hidden units; want 1 to 16", w.hidden)
	}
	input, weight, change := upload(m, w.input), upload(m, w.weight), upload(m, w.change)
	partial := m.Alloc(4 * len(w.wantPartial))
	inputs := uint32(len(w.input) - 1)
	launch := Call{
		Module: "backprop.ptx",
		Kernel: "backprop_forward",
		Grid:   [3]uint32{1, w.ctas(), 1},
		Block:  [3]uint32{uint32(w.hidden), backpropRows, 1},
		Params: bank(input, weight, partial, inputs),
	}
	if err := m.Launch(launch); err != nil {
		return err
	}

	sums := download[float32](m, partial, len(w.wantPartial))
	delta := upload(m, w.delta(sums))
	launch.Kernel = "backprop_adjust"
	launch.Params = bank(delta, input, weight, change, inputs)
	if err := m.Launch(launch); err != nil {
		return err
	}
	expect(&w.outcome, "partial", sums, w.wantPartial)
	expect(&w.outcome, "weight", download[float32](m, weight, len(w.weight)), w.wantWeight)
	expect(&w.outcome, "change", download[float32](m, change, len(w.change)), w.wantChange)
	return nil
}
