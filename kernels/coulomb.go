package kernels

import "math"

var coulomb = Kernel{
	Name:    "coulomb",
	Doc:     "the electric potential of atoms on a plane",
	Source:  "CP (Stone et al., J. Comput. Chem. 2007) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 16x8, a thread a point, a loop over all atoms. Not kept: several points a thread, atoms in constant memory, a reciprocal root of less precision",
	Control: "a uniform loop; bounds of the plane (P)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "40x12 points, 20 atoms, 3x2 CTAs of 16x8, partly filled",
			func(seed uint64) Workload { return newCoulomb(40, 12, 20, seed) },
		},
		{
			"medium", "100x60 points, 100 atoms, 7x8 CTAs of 16x8, partly filled",
			func(seed uint64) Workload { return newCoulomb(100, 60, 100, seed) },
		},
		{
			"large", "512x512 points, 200 atoms, 32x64 CTAs of 16x8",
			func(seed uint64) Workload { return newCoulomb(512, 512, 200, seed) },
		},
	},
}

const coulombSpacing = 0.125

// coulombWorkload sums potentials.
type coulombWorkload struct {
	outcome
	width, height int
	atoms         [][4]float32
	want          []float32
}

// newCoulomb makes atoms above a plane.
func newCoulomb(width, height, atoms int, seed uint64) *coulombWorkload {
	r := random(seed)
	w := &coulombWorkload{width: width, height: height}
	for range atoms {
		z := 1.5 + r.unit()
		w.atoms = append(w.atoms, [4]float32{
			float32(width) * coulombSpacing * (r.unit() + 1) / 2, float32(height) * coulombSpacing * (r.unit() + 1) / 2,
			float32(z * z), r.unit(),
		})
	}
	for i := range width * height {
		x, y, sum := float32(i%width)*coulombSpacing, float32(i/width)*coulombSpacing, float32(0)
		for _, a := range w.atoms {
			dx, dy := x-a[0], y-a[1]
			far := float32(dx*dx) + float32(dy*dy)
			sum += a[3] / float32(math.Sqrt(float64(far+a[2])))
		}
		w.want = append(w.want, sum)
	}
	return w
}

// Run implements Workload.
func (w *coulombWorkload) Run(m Machine) error {
	w.reset()
	atoms, out := upload(m, flat(w.atoms, func(a [4]float32) []float32 { return a[:] })), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "coulomb.ptx",
		Kernel: "coulomb",
		Grid:   [3]uint32{groups(w.width, 16), groups(w.height, 8), 1},
		Block:  [3]uint32{16, 8, 1},
		Params: bank(atoms, out, uint32(len(w.atoms)), uint32(w.width), uint32(w.height), float32(coulombSpacing)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "potential", download[float32](m, out, len(w.want)), w.want)
	return nil
}
