package kernels

import (
	"math"
	"slices"
)

var namd = Kernel{
	Name:    "namd",
	Doc:     "forces between atoms that are closer than a cut-off",
	Source:  "NAMD in Fung & Aamodt (HPCA 2011), table 1, its non-bonded forces (Stone et al., J. Comput. Chem. 2007). Kept: CTAs of 64, a patch each, atoms of a neighbour in shared memory, the cut-off, atoms that are bound left out. Not kept: tables of forces, pairs of patches as units of work, energies",
	Control: "a test of the distance and one of the bond in a loop over a patch's atoms (D); threads without an atom (D); barriers in a loop",
	Result:  "all pairs of atoms without patches on the host, in the order of the atoms, bit for bit",
	Sizes: []Size{
		{
			"small", "40 atoms in 2x1x1 patches, 2 CTAs of 64, partly filled",
			func(seed uint64) Workload { return newNAMD([3]int{2, 1, 1}, 40, seed) },
		},
		{
			"medium", "600 atoms in 3x3x2 patches, 18 CTAs of 64, partly filled",
			func(seed uint64) Workload { return newNAMD([3]int{3, 3, 2}, 600, seed) },
		},
		{
			"large", "37000 atoms in 10x10x10 patches, 1000 CTAs of 64, partly filled",
			func(seed uint64) Workload { return newNAMD([3]int{10, 10, 10}, 37000, seed) },
		},
	},
}

const (
	atomsPatch  = 2.0  // length of a patch's side
	atomsCut    = 1.75 // cut-off distance
	atomsCharge = 0.25
)

// namdWorkload computes the forces on atoms in a box.
type namdWorkload struct {
	outcome
	atoms             [][4]float32 // position and charge, by patch
	partners          []uint32     // the atom to which each atom is bound
	first, neighbours []uint32     // first atom of each patch and one more; 27 neighbours of each patch
	want              []float32    // three for each atom
}

// newNAMD makes pairs of bound atoms in a box of patches. Beyond the rim, the neighbour of a patch
// is an empty patch.
func newNAMD(box [3]int, atoms int, seed uint64) *namdWorkload {
	r := random(seed)
	patches := box[0] * box[1] * box[2]
	type atom struct {
		place [4]float32
		patch int
		bond  int
	}
	var list []atom
	for i := range atoms {
		a := atom{bond: i / 2}
		for d := range 3 {
			side := float32(box[d] * atomsPatch)
			a.place[d] = side * (r.unit() + 1) / 2
			if i%2 == 1 {
				a.place[d] = min(max(list[i-1].place[d]+0.25*r.unit(), 0), side*0.999)
			}
		}
		a.place[3] = float32(1 - 2*(i%2))
		in := func(d int) int { return int(a.place[d] / atomsPatch) }
		a.patch = (in(2)*box[1]+in(1))*box[0] + in(0)
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b atom) int { return a.patch - b.patch })
	w := &namdWorkload{partners: make([]uint32, atoms), first: make([]uint32, patches+2)}
	at := map[int]int{}
	for i, a := range list {
		w.atoms = append(w.atoms, a.place)
		w.first[a.patch+1] = uint32(i + 1)
		w.partners[i] = uint32(i)
		if other, ok := at[a.bond]; ok {
			w.partners[i], w.partners[other] = uint32(other), uint32(i)
		}
		at[a.bond] = i
	}
	for p := range patches + 1 {
		w.first[p+1] = max(w.first[p+1], w.first[p])
	}
	for p := range patches {
		x, y, z := p%box[0], p/box[0]%box[1], p/box[0]/box[1]
		for n := range 27 {
			nx, ny, nz := x+n%3-1, y+n/3%3-1, z+n/9-1
			other := patches
			if 0 <= nx && nx < box[0] && 0 <= ny && ny < box[1] && 0 <= nz && nz < box[2] {
				other = (nz*box[1]+ny)*box[0] + nx
			}
			w.neighbours = append(w.neighbours, uint32(other))
		}
	}
	for i := range w.atoms {
		force := w.force(i)
		w.want = append(w.want, force[:]...)
	}
	return w
}

// force is the reference for an atom: the force from all others.
func (w *namdWorkload) force(i int) (f [3]float32) {
	me := &w.atoms[i]
	for j := range w.atoms {
		other := &w.atoms[j]
		var d [3]float32
		for c := range d {
			d[c] = me[c] - other[c]
		}
		far := float32(d[0]*d[0]) + float32(d[1]*d[1])
		far += float32(d[2] * d[2])
		if far >= atomsCut*atomsCut || j == i || w.partners[j] == uint32(i) {
			continue
		}
		near := 1 / far
		third := float32(float32(near*near) * near)
		push := float32(float32(float32(float32(2*third)-1)*third) * near)
		push += float32(float32(float32(float32(me[3]*atomsCharge)*other[3])*near) * float32(math.Sqrt(float64(near))))
		for c := range f {
			f[c] += float32(d[c] * push)
		}
	}
	return f
}

// Run implements Workload.
func (w *namdWorkload) Run(m Machine) error {
	w.reset()
	atoms := upload(m, flat(w.atoms, func(a [4]float32) []float32 { return a[:] }))
	partners, first, neighbours, force := upload(m, w.partners), upload(m, w.first), upload(m,
		w.neighbours), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "namd.ptx",
		Kernel: "namd",
		Grid:   [3]uint32{uint32(len(w.neighbours) / 27), 1, 1},
		Block:  [3]uint32{64, 1, 1},
		Params: bank(atoms, partners, first, neighbours, force, float32(atomsCut*atomsCut), float32(atomsCharge)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "force", download[float32](m, force, len(w.want)), w.want)
	return nil
}
