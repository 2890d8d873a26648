package kernels

import (
	"cmp"
	"slices"
)

var persistent = Kernel{
	Name:    "persistent",
	Doc:     "rays through a tree of boxes to the nearest triangle, by persistent threads",
	Source:  "NVRT in Fung & Aamodt (HPCA 2011), table 1: the ray traversal of Aila & Laine (HPG 2009). Kept: CTAs of 32x6 that live as long as there are batches of 32 rays, inner nodes in one loop and leaves in another, the nearer child first, a stack for each thread, triangles as transformations, rays from a camera that look for the nearest hit, and rays that scatter and end with any hit. Not kept: the queue from which the first thread of a warp takes the next batch for all, since which warp has which ray then depends on the machine, and results are wrong under DWF (claim TBC-08): here a warp's batches are known beforehand; the scene",
	Control: "two loops in a loop, which rays leave at different times, tests of boxes and triangles, a break with any hit (D); batches (P)",
	Result:  "all triangles for each ray on the host, the same operations, bit for bit",
	Sizes: []Size{
		{
			"small", "100 rays, 24 triangles, 1 CTA of 32x6, the last batch partly filled",
			func(seed uint64) Workload { return newPersistent(24, 100, 1, seed) },
		},
		{
			"medium", "2000 rays, 500 triangles, 6 CTAs of 32x6, the last batch partly filled",
			func(seed uint64) Workload { return newPersistent(500, 2000, 6, seed) },
		},
		{
			"large", "40000 rays, 2000 triangles, 60 CTAs of 32x6",
			func(seed uint64) Workload { return newPersistent(2000, 40000, 60, seed) },
		},
	},
}

// persistentWorkload traces rays in a scene.
type persistentWorkload struct {
	outcome
	ctas      int
	triangles [][9]float32  // a corner, and the vectors to the other two
	woop      [][12]float32 // the same as transformations
	rays      [][6]float32  // origin, direction
	boxes     [][12]float32
	links     [][2]uint32
	want      []float32
}

const missed = 1e30 // distance of a ray that meets nothing

// newPersistent makes small triangles in the cube from -1 to 1, and rays. Every second batch of 32
// rays comes from a camera, the others from anywhere.
func newPersistent(triangles, rays, ctas int, seed uint64) *persistentWorkload {
	r := random(seed)
	w := &persistentWorkload{ctas: ctas}
	for range triangles {
		var t [9]float32
		for i := range t {
			t[i] = r.unit()
			if i >= 3 {
				t[i] *= 0.25
			}
		}
		w.triangles = append(w.triangles, t)
	}
	for i := range rays {
		ray := [6]float32{0.001, 0.002, -3, float32(i%32)/32 - 0.4921875, float32(i/32%64)/64 - 0.4921875, 1.5}
		if i/32%2 == 1 {
			ray = [6]float32{r.unit(), r.unit(), r.unit(), r.unit() + 0x1p-24, r.unit() + 0x1p-24, r.unit() + 0x1p-24}
		}
		w.rays = append(w.rays, ray)
	}
	w.split(0, triangles)
	for i := range w.triangles {
		w.woop = append(w.woop, woop(&w.triangles[i]))
	}
	for i := range w.rays {
		nearest := float32(missed)
		for t := range w.woop {
			if far := meet(&w.rays[i], &w.woop[t]); far < nearest {
				nearest = far
			}
		}
		if i/32%2 == 1 && nearest < missed {
			nearest = 0 // any hit
		}
		w.want = append(w.want, nearest)
	}
	return w
}

// split makes a node for a range of triangles, and the nodes below it. The range has more than 4
// triangles or belongs to the root. split returns the number of the node.
func (w *persistentWorkload) split(first, last int) uint32 {
	node := len(w.boxes)
	w.boxes, w.links = append(w.boxes, [12]float32{}), append(w.links, [2]uint32{})
	box, axis := bounds(w.triangles[first:last]), 0
	for d := range 3 {
		if box[3+d]-box[d] > box[3+axis]-box[axis] {
			axis = d
		}
	}
	slices.SortStableFunc(w.triangles[first:last], func(a, b [9]float32) int { return cmp.Compare(a[axis], b[axis]) })
	middle := (first + last) / 2
	for side, part := range [2][2]int{{first, middle}, {middle, last}} {
		box := bounds(w.triangles[part[0]:part[1]])
		copy(w.boxes[node][6*side:], box[:])
		if n := part[1] - part[0]; n <= 4 {
			w.links[node][side] = 1<<31 | uint32(part[0])<<4 | uint32(n)
		} else {
			w.links[node][side] = w.split(part[0], part[1])
		}
	}
	return uint32(node)
}

// bounds returns a box around triangles. It is a little larger, so that no rounding makes a ray
// miss the box but meet a triangle.
func bounds(triangles [][9]float32) (box [6]float32) {
	const rim = 1e-3
	for i, t := range triangles {
		for d := range 3 {
			low, high := t[d]+min(t[3+d], t[6+d], 0)-rim, t[d]+max(t[3+d], t[6+d], 0)+rim
			if i > 0 {
				low, high = min(low, box[d]), max(high, box[3+d])
			}
			box[d], box[3+d] = low, high
		}
	}
	return box
}

// woop returns the transformation of a triangle to where its corners are 0, x and y: rows of the
// height, x and y, the last entry for the origin (S. Woop, 2004, as Aila & Laine use it).
func woop(t *[9]float32) (rows [12]float32) {
	corner, e, f := t[:3], t[3:6], t[6:]
	n := cross(e, f)
	scale := 1 / dot(n, n)
	for i, row := range [3][]float32{n, cross(f, n), cross(n, e)} {
		at := rows[4*i:]
		for d := range 3 {
			at[d] = row[d] * scale
		}
		at[3] = dot(at[:3], corner)
		if i > 0 {
			at[3] = -at[3]
		}
	}
	return rows
}

// meet returns the distance at which a ray meets a triangle.
func meet(ray *[6]float32, t *[12]float32) float32 {
	origin, direction := ray[:3], ray[3:]
	far := (t[3] - float32(origin[0]*t[0]) - float32(origin[1]*t[1]) - float32(origin[2]*t[2])) *
		(1 / dot(direction, t[:3]))
	along := func(row []float32) float32 {
		at := row[3] + float32(origin[0]*row[0]) + float32(origin[1]*row[1]) + float32(origin[2]*row[2])
		return at + float32(far*dot(direction, row))
	}
	u, v := along(t[4:8]), along(t[8:])
	if far > 0 && u >= 0 && u <= 1 && v >= 0 && u+v <= 1 {
		return far
	}
	return missed
}

// dot and cross round after each operation.
func dot(a, b []float32) float32 {
	return float32(float32(a[0]*b[0])+float32(a[1]*b[1])) + float32(a[2]*b[2])
}

func cross(a, b []float32) []float32 {
	return []float32{
		float32(a[1]*b[2]) - float32(a[2]*b[1]),
		float32(a[2]*b[0]) - float32(a[0]*b[2]),
		float32(a[0]*b[1]) - float32(a[1]*b[0]),
	}
}

// Run implements Workload.
func (w *persistentWorkload) Run(m Machine) error {
	w.reset()
	boxes := upload(m, flat(w.boxes, func(b [12]float32) []float32 { return b[:] }))
	links := upload(m, flat(w.links, func(l [2]uint32) []uint32 { return l[:] }))
	triangles := upload(m, flat(w.woop, func(t [12]float32) []float32 { return t[:] }))
	rays := upload(m, flat(w.rays, func(r [6]float32) []float32 { return r[:] }))
	distance := m.Alloc(4 * len(w.want))
	err := m.Launch(Call{
		Module: "persistent.ptx",
		Kernel: "persistent",
		Grid:   [3]uint32{uint32(w.ctas), 1, 1},
		Block:  [3]uint32{32, 6, 1},
		Params: bank(boxes, links, triangles, rays, distance, uint32(len(w.rays))),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "distance", download[float32](m, distance, len(w.want)), w.want)
	return nil
}
