package kernels

var libor = Kernel{
	Name:    "libor",
	Doc:     "swaptions valued by paths of forward rates",
	Source:  "LIB (M. Giles) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 64, a thread a path, rates in local memory, loops over time and maturities, the pay-off. Not kept: 80 rates, the exponential (four terms of its series), derivatives",
	Control: "uniform loops; the end of the paths (P); a test for each swaption (D)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "100 paths, 2 CTAs of 64, the last one partly filled",
			func(seed uint64) Workload { return newLibor(100, seed) },
		},
		{
			"medium", "2000 paths, 32 CTAs of 64, the last one partly filled",
			func(seed uint64) Workload { return newLibor(2000, seed) },
		},
		{"large", "64 Ki paths, 1024 CTAs of 64", func(seed uint64) Workload { return newLibor(64<<10, seed) }},
	},
}

const (
	liborRates = 24
	liborSteps = 12
	liborDelta = 0.25
)

// liborWorkload values swaptions.
type liborWorkload struct {
	outcome
	shocks, volatility, want []float32
}

// newLibor makes the given number of paths.
func newLibor(paths int, seed uint64) *liborWorkload {
	r := random(seed)
	w := &liborWorkload{shocks: r.units(paths * liborSteps)}
	for range liborRates {
		w.volatility = append(w.volatility, 0.2+float32(0.05*r.unit()))
	}
	for path := range paths {
		w.want = append(w.want, w.value(path, paths))
	}
	return w
}

// value is the reference for one path.
func (w *liborWorkload) value(path, paths int) float32 {
	const delta = float32(liborDelta)
	var rate [liborRates]float32
	for i := range rate {
		rate[i] = 0.05
	}
	for n := range liborSteps {
		shock, drift := w.shocks[n*paths+path], float32(0)
		for i := n + 1; i < len(rate); i++ {
			sigma := w.volatility[i-n-1]
			c := float32(delta * sigma)
			drift += float32(c*rate[i]) / (1 + float32(delta*rate[i]))
			x := float32(c*drift) + float32(sigma*(shock-float32(0.5*c)))
			series := 0.5 + float32(x*0.16666667)
			series = 1 + float32(x*series)
			series = 1 + float32(x*series)
			rate[i] = float32(rate[i] * series)
		}
	}
	bond, swap, sum := float32(1), float32(0), float32(0)
	for i := liborSteps; i < len(rate); i++ {
		bond /= 1 + float32(delta*rate[i])
		swap += float32(delta * bond)
		if fixed := float32(0.045 * swap); bond+fixed < 1 {
			sum += 1 - bond - fixed
		}
	}
	return sum
}

// Run implements Workload.
func (w *liborWorkload) Run(m Machine) error {
	w.reset()
	shocks, volatility, value := upload(m, w.shocks), upload(m, w.volatility), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "libor.ptx",
		Kernel: "libor",
		Grid:   [3]uint32{groups(len(w.want), 64), 1, 1},
		Block:  [3]uint32{64, 1, 1},
		Params: bank(shocks, volatility, value, uint32(len(w.want)), float32(liborDelta)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "value", download[float32](m, value, len(w.want)), w.want)
	return nil
}
