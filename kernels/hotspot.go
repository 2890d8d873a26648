package kernels

import "fmt"

var hotspot = Kernel{
	Name:    "hotspot",
	Doc:     "heat on a chip, some steps in time a launch",
	Source:  "HOTSP (Rodinia) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 16x16, two steps a launch on a tile that shrinks by a rim each, the tests for the sides of the chip. Not kept: the constants of a chip of a certain size",
	Control: "sides of the chip, a range of threads that becomes smaller with each step (P); barriers in a loop",
	Result:  "steps on the whole chip on the host, in the same order of additions, bit for bit",
	Sizes: []Size{
		{
			"small", "20x14 places, 2 steps in a launch of 2x2 CTAs of 16x16, partly filled",
			func(seed uint64) Workload { return newHotspot(20, 14, 2, 1, seed) },
		},
		{
			"medium", "64x60 places, 4 steps in 2 launches of 6x5 CTAs of 16x16, partly filled",
			func(seed uint64) Workload { return newHotspot(64, 60, 2, 2, seed) },
		},
		{
			"large", "1024x1024 places, 8 steps in 4 launches of 86x86 CTAs of 16x16",
			func(seed uint64) Workload { return newHotspot(1024, 1024, 2, 4, seed) },
		},
	},
}

// Conductances, and the time step.
const (
	hotAcross = 0.1
	hotDown   = 0.1
	hotUp     = 0.05
	hotGain   = 0.5
)

// hotspotWorkload warms a chip.
type hotspotWorkload struct {
	outcome
	width, height, steps, launches int
	heat, power, want              []float32
}

// newHotspot makes a chip whose units have their own power. Each launch runs the given number of
// steps.
func newHotspot(width, height, steps, launches int, seed uint64) *hotspotWorkload {
	r := random(seed)
	w := &hotspotWorkload{width: width, height: height, steps: steps, launches: launches}
	for i := range width * height {
		unit := float32(0.5)
		if x, y := i%width/8, i/width/8; (x*x+3*y+x*y)%5 == 0 {
			unit = 4
		}
		w.heat = append(w.heat, 80+4*r.unit())
		w.power = append(w.power, unit+float32(0.25*r.unit()))
	}
	w.want = w.heat
	for range steps * launches {
		w.want = w.step(w.want)
	}
	return w
}

// step is the reference: one step on the whole chip.
func (w *hotspotWorkload) step(heat []float32) []float32 {
	next := make([]float32, len(heat))
	at := func(x, y int) float32 {
		return heat[min(max(y, 0), w.height-1)*w.width+min(max(x, 0), w.width-1)]
	}
	for i, here := range heat {
		x, y := i%w.width, i/w.width
		flow := w.power[i] + float32(float32(at(x, y+1)+at(x, y-1)-float32(2*here))*hotDown)
		flow += float32(float32(at(x+1, y)+at(x-1, y)-float32(2*here)) * hotAcross)
		flow += float32(float32(80-here) * hotUp)
		next[i] = here + float32(hotGain*flow)
	}
	return next
}

// Run implements Workload.
func (w *hotspotWorkload) Run(m Machine) error {
	w.reset()
	side := 16 - 2*w.steps
	if w.steps < 1 || side < 1 {
		return fmt.Errorf("hotspot: %d steps a launch; want 1 to 7", w.steps)
	}
	heat, power, out := upload(m, w.heat), upload(m, w.power), m.Alloc(4*len(w.heat))
	for range w.launches {
		err := m.Launch(Call{
			Module: "hotspot.ptx",
			Kernel: "hotspot",
			Grid:   [3]uint32{groups(w.width, side), groups(w.height, side), 1},
			Block:  [3]uint32{16, 16, 1},
			Params: bank(heat, power, out, int32(w.width), int32(w.height), int32(w.steps), float32(hotAcross),
				float32(hotDown), float32(hotUp), float32(hotGain)),
		})
		if err != nil {
			return err
		}
		heat, out = out, heat
	}
	expect(&w.outcome, "heat", download[float32](m, heat, len(w.want)), w.want)
	return nil
}
