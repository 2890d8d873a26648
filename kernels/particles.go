package kernels

import (
	"math"
)

var particles = Kernel{
	Name:    "particles",
	Doc:     "steps of spheres that push each other and bounce off the walls of a cube",
	Source:  "particles in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: collisions of spheres and with the enclosure, several steps. Not kept: the sorted grid by which a thread finds its neighbours (all pairs are tested), damping and shear",
	Control: "a loop over all (P) with a test of the distance (D), six tests of the walls (D); several launches",
	Result:  "the same float32 operations on the host, the pairs one after the other",
	Sizes: []Size{
		{
			"small", "48 spheres, 2 steps, 1 CTA of 64, partly filled",
			func(seed uint64) Workload { return newParticles(48, 2, seed) },
		},
		{
			"medium", "300 spheres, 3 steps, 5 CTAs of 64, the last one partly filled",
			func(seed uint64) Workload { return newParticles(300, 3, seed) },
		},
		{
			"large", "1024 spheres, 4 steps, 16 CTAs of 64",
			func(seed uint64) Workload { return newParticles(1024, 4, seed) },
		},
	},
}

// particlesWorkload moves spheres in a cube.
type particlesWorkload struct {
	outcome
	n, steps         int
	radius, time     float32
	pos, vel         []float32 // three numbers each
	wantPos, wantVel []float32
	got              []float32 // positions
}

// newParticles makes n spheres, which move for a number of steps in the cube from -1 to 1.
func newParticles(n, steps int, seed uint64) *particlesWorkload {
	r := random(seed)
	w := &particlesWorkload{n: n, steps: steps, radius: 0.0625, time: 0.25, pos: r.units(3 * n), vel: r.units(3 * n)}
	w.wantPos, w.wantVel = w.pos, w.vel
	for range steps {
		w.wantPos, w.wantVel = w.step(w.wantPos, w.wantVel)
	}
	return w
}

// step is the reference for one step.
func (w *particlesWorkload) step(pos, vel []float32) (newPos, newVel []float32) {
	newPos, newVel = make([]float32, len(pos)), make([]float32, len(vel))
	reach := 2 * w.radius
	for i := range w.n {
		var force [3]float32
		for j := range w.n {
			var d [3]float32
			for k := range d {
				d[k] = pos[3*j+k] - pos[3*i+k]
			}
			far := float32(d[0]*d[0]) + float32(d[1]*d[1]) + float32(d[2]*d[2])
			if i == j || far >= float32(reach*reach) {
				continue
			}
			distance := float32(math.Sqrt(float64(far)))
			push := float32(float32((distance-reach)*8) / distance)
			for k := range d {
				force[k] += float32(push * d[k])
			}
		}
		wall := 1 - w.radius
		for k := range force {
			v := vel[3*i+k] + float32(force[k]*w.time)
			x := pos[3*i+k] + float32(v*w.time)
			if x > wall {
				x, v = wall, v*-0.5
			}
			if x < -wall {
				x, v = -wall, v*-0.5
			}
			newPos[3*i+k], newVel[3*i+k] = x, v
		}
	}
	return newPos, newVel
}

// Run implements Workload.
func (w *particlesWorkload) Run(m Machine) error {
	w.reset()
	pos, vel := upload(m, w.pos), upload(m, w.vel)
	newPos, newVel := m.Alloc(12*w.n), m.Alloc(12*w.n)
	for range w.steps {
		err := m.Launch(Call{
			Module: "particles.ptx",
			Kernel: "particles",
			Grid:   [3]uint32{groups(w.n, 64), 1, 1},
			Block:  [3]uint32{64, 1, 1},
			Params: bank(pos, vel, newPos, newVel, uint32(w.n), w.radius, w.time),
		})
		if err != nil {
			return err
		}
		pos, vel, newPos, newVel = newPos, newVel, pos, vel
	}
	w.got = download[float32](m, pos, 3*w.n)
	expect(&w.outcome, "pos", w.got, w.wantPos)
	expect(&w.outcome, "vel", download[float32](m, vel, 3*w.n), w.wantVel)
	return nil
}
