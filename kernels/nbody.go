package kernels

import (
	"fmt"
	"math"
)

var nbody = Kernel{
	Name:    "nbody",
	Doc:     "steps of bodies that attract each other",
	Source:  "nbody in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: tiles of bodies in shared memory, all pairs, softening. Not kept: the reciprocal square root (a root and a division, which are exact)",
	Control: "uniform loops with barriers; nothing diverges",
	Result:  "the same float32 operations on the host, the pairs one after the other",
	Metric:  MeanDifference,
	Sizes: []Size{
		{"small", "64 bodies, 1 step, 1 CTA of 64", func(seed uint64) Workload { return newNbody(64, 1, seed) }},
		{"medium", "256 bodies, 2 steps, 4 CTAs of 64", func(seed uint64) Workload { return newNbody(256, 2, seed) }},
		{"large", "1024 bodies, 2 steps, 16 CTAs of 64", func(seed uint64) Workload { return newNbody(1024, 2, seed) }},
	},
}

// nbodyWorkload moves bodies.
type nbodyWorkload struct {
	outcome
	n, steps          int
	soft, time        float32
	body, vel         []float32 // three coordinates and the mass; three velocity components
	wantBody, wantVel []float32
	got               []float32 // bodies
}

// newNbody makes n bodies, which move for a number of steps. n is a multiple of 64.
func newNbody(n, steps int, seed uint64) *nbodyWorkload {
	r := random(seed)
	w := &nbodyWorkload{n: n, steps: steps, soft: 0.01, time: 0.0078125, body: r.units(4 * n), vel: r.units(3 * n)}
	for i := range n {
		w.body[4*i+3] = 1 + w.body[4*i+3]/2
	}
	w.wantBody, w.wantVel = w.body, w.vel
	for range steps {
		w.wantBody, w.wantVel = w.step(w.wantBody, w.wantVel)
	}
	return w
}

// step is the reference for one step.
func (w *nbodyWorkload) step(body, vel []float32) (newBody, newVel []float32) {
	newBody, newVel = append([]float32(nil), body...), make([]float32, len(vel))
	for i := range w.n {
		var sum [3]float32
		for j := range w.n {
			var d [3]float32
			for k := range d {
				d[k] = body[4*j+k] - body[4*i+k]
			}
			far := float32(d[0]*d[0]) + float32(d[1]*d[1]) + float32(d[2]*d[2]) + w.soft
			pull := body[4*j+3] / float32(far*float32(math.Sqrt(float64(far))))
			for k := range d {
				sum[k] += float32(d[k] * pull)
			}
		}
		for k := range sum {
			newVel[3*i+k] = vel[3*i+k] + float32(sum[k]*w.time)
			newBody[4*i+k] = body[4*i+k] + float32(newVel[3*i+k]*w.time)
		}
	}
	return newBody, newVel
}

// Run implements Workload.
func (w *nbodyWorkload) Run(m Machine) error {
	w.reset()
	if w.n%64 != 0 || w.n == 0 {
		return fmt.Errorf("nbody: %d bodies; want a multiple of 64", w.n)
	}
	body, vel := upload(m, w.body), upload(m, w.vel)
	newBody, newVel := m.Alloc(16*w.n), m.Alloc(12*w.n)
	for range w.steps {
		err := m.Launch(Call{
			Module: "nbody.ptx",
			Kernel: "nbody",
			Grid:   [3]uint32{uint32(w.n / 64), 1, 1},
			Block:  [3]uint32{64, 1, 1},
			Params: bank(body, vel, newBody, newVel, uint32(w.n), w.soft, w.time),
		})
		if err != nil {
			return err
		}
		body, vel, newBody, newVel = newBody, newVel, body, vel
	}
	w.got = download[float32](m, body, 4*w.n)
	expect(&w.outcome, "body", w.got, w.wantBody)
	expect(&w.outcome, "vel", download[float32](m, vel, 3*w.n), w.wantVel)
	return nil
}
