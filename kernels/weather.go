package kernels

import "slices"

var weather = Kernel{
	Name:    "weather",
	Doc:     "clouds and rain of a weather model, a step",
	Source:  "WP (weather prediction: the clouds of WRF, Bakhoda et al., ISPASS 2009) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 8x8, a thread a column; loops over layers, in them conditions on what is there and how warm it is, and an iteration; rain in as many steps as it needs. Not kept: its formulas, in whose place are a few with sums and products",
	Control: "an iteration that ends by itself, conditions in conditions, steps by the fastest rain (D); uniform loops over layers; bounds (P)",
	Result:  "the same float32 operations on the host, column by column, bit for bit",
	Sizes: []Size{
		{
			"small", "12x10 columns of 6 layers, 2x2 CTAs of 8x8, partly filled",
			func(seed uint64) Workload { return newWeather(12, 10, 6, seed) },
		},
		{
			"medium", "60x44 columns of 12 layers, 8x6 CTAs of 8x8, partly filled",
			func(seed uint64) Workload { return newWeather(60, 44, 12, seed) },
		},
		{
			"large", "256x256 columns of 28 layers, 32x32 CTAs of 8x8",
			func(seed uint64) Workload { return newWeather(256, 256, 28, seed) },
		},
	},
}

// weatherWorkload simulates the air over a piece of land.
type weatherWorkload struct {
	outcome
	width, depth, layers int
	air                  [5][]float32 // temperature, vapour, cloud, rain, ice
	want                 [5][]float32
	wantFallen           []float32
}

// newWeather makes air that is colder above. Its humidity varies between neighbouring places, and
// there are a few clouds.
func newWeather(width, depth, layers int, seed uint64) *weatherWorkload {
	r := random(seed)
	w := &weatherWorkload{width: width, depth: depth, layers: layers}
	fronts := r.units(width/8 + depth/8 + 2) // humidity; columns near each other are similar
	for k := range layers {
		for y := range depth {
			for x := range width {
				damp := fronts[x/8+y/8]
				t := 18 - 30*float32(k)/float32(layers) + 2*damp + 0.25*r.unit()
				held := 0.0038 + float32(t*(0.00026+float32(t*0.000008)))
				vapour := held * (1 + float32(0.2*damp) + float32(0.02*r.unit()))
				for i, v := range []float32{
					t, vapour, max(0, 0.001*damp), max(0, 0.0015*r.unit()-0.001),
					max(0, 0.0005*damp),
				} {
					w.air[i] = append(w.air[i], v)
				}
			}
		}
	}
	for i := range w.want {
		w.want[i] = slices.Clone(w.air[i])
	}
	for column := range width * depth {
		w.wantFallen = append(w.wantFallen, w.column(column))
	}
	return w
}

// column is the reference for a column: its precipitation, and its state after the step.
func (w *weatherWorkload) column(column int) (sum float32) {
	layer := w.width * w.depth
	fastest := float32(0)
	for i := column; i < w.layers*layer; i += layer {
		fastest = max(fastest, 2000*w.layer(i))
	}
	rain := w.want[3]
	for range 1 + int(fastest) {
		above := float32(0)
		for i := column + (w.layers-1)*layer; i >= 0; i -= layer {
			falls := 0.5 * rain[i]
			rain[i] = rain[i] - falls + above
			above = falls
		}
		sum += above
	}
	return sum
}

// layer returns the rain of a layer after the changes within it.
func (w *weatherWorkload) layer(i int) float32 {
	t, v, c, r, s := w.want[0][i], w.want[1][i], w.want[2][i], w.want[3][i], w.want[4][i]
	for range 8 {
		room := 0.0038 + float32(t*(0.00026+float32(t*0.000008))) - v
		change := 0.5 * room
		if room > 0 {
			change = min(change, c)
		}
		v, c, t = v+change, c-change, t-float32(2500*change)
		if abs(change) < 0.00001 {
			break
		}
	}
	if c > 0.0005 {
		drops := 0.25 * (c - 0.0005)
		c, r = c-drops, r+drops
	}
	if r > 0 && c > 0 {
		caught := min(float32(40*c)*r, c)
		c, r = c-caught, r+caught
	}
	if r > 0 && t < 0 {
		frozen := 0.125 * r
		r, s, t = r-frozen, s+frozen, t+float32(334*frozen)
	}
	if s > 0 && t > 0 {
		molten := min(0.0005*t, s)
		s, r, t = s-molten, r+molten, t-float32(334*molten)
	}
	for k, value := range []float32{t, v, c, r, s} {
		w.want[k][i] = value
	}
	return r
}

// Run implements Workload.
func (w *weatherWorkload) Run(m Machine) error {
	w.reset()
	var air [5]uint64
	for i := range air {
		air[i] = upload(m, w.air[i])
	}
	fallen := m.Alloc(4 * len(w.wantFallen))
	err := m.Launch(Call{
		Module: "weather.ptx",
		Kernel: "weather",
		Grid:   [3]uint32{groups(w.width, 8), groups(w.depth, 8), 1},
		Block:  [3]uint32{8, 8, 1},
		Params: bank(air[0], air[1], air[2], air[3], air[4], fallen, uint32(w.width), uint32(w.depth),
			uint32(w.layers)),
	})
	if err != nil {
		return err
	}
	for i, name := range []string{"temperature", "vapour", "cloud", "rain", "ice"} {
		expect(&w.outcome, name, download[float32](m, air[i], len(w.want[i])), w.want[i])
	}
	expect(&w.outcome, "fallen", download[float32](m, fallen, len(w.wantFallen)), w.wantFallen)
	return nil
}
