package kernels

import (
	"image"
	"image/color"
	"math"
)

var spheres = Kernel{
	Name:    "spheres",
	Doc:     "a picture of spheres that mirror each other",
	Source:  "RAY (ray tracing, Bakhoda et al., ISPASS 2009) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 16x8, a thread a pixel; spheres, shadows, several reflections in a loop. Not kept: the plane, colours, spheres that move",
	Control: "a loop that ends where a ray leaves (D), in it loops over spheres, one with a test and one that ends at the first sphere in the way (D); bounds of the picture (P)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "40x20 pixels, 4 spheres, 3 rays, 3x3 CTAs of 16x8, partly filled",
			func(seed uint64) Workload { return newSpheres(40, 20, 4, 3, seed) },
		},
		{
			"medium", "120x90 pixels, 8 spheres, 5 rays, 8x12 CTAs of 16x8, partly filled",
			func(seed uint64) Workload { return newSpheres(120, 90, 8, 5, seed) },
		},
		{
			"large", "512x512 pixels, 16 spheres, 5 rays, 32x64 CTAs of 16x8",
			func(seed uint64) Workload { return newSpheres(512, 512, 16, 5, seed) },
		},
	},
}

// sphere is the centre, the square of the radius, and the reflectivity.
type sphere [5]float32

// spheresWorkload follows rays.
type spheresWorkload struct {
	outcome
	width, height, bounces int
	scene                  []sphere
	light                  vector
	want, got              []float32
}

// vector is a point or a direction.
type vector [3]float32

// times returns the dot product.
func (v vector) times(o vector) float32 {
	return float32(v[0]*o[0]) + float32(v[1]*o[1]) + float32(v[2]*o[2])
}

// along returns the point at distance t from v in direction d.
func (v vector) along(t float32, d vector) vector {
	for i := range v {
		v[i] += float32(t * d[i])
	}
	return v
}

// minus returns the difference divided by a number.
func (v vector) minus(o vector, over float32) vector {
	for i := range v {
		v[i] = (v[i] - o[i]) / over
	}
	return v
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// newSpheres places spheres.
func newSpheres(width, height, count, bounces int, seed uint64) *spheresWorkload {
	r := random(seed)
	w := &spheresWorkload{
		width: width, height: height, bounces: bounces, light: vector{0.48, -0.64, -0.6},
		want: make([]float32, width*height),
	}
	for range count {
		radius := 0.75 + 0.25*r.unit()
		w.scene = append(w.scene, sphere{
			2 * r.unit(), 2 * r.unit(), 5 + 2*r.unit(), float32(radius * radius),
			0.5 + 0.25*r.unit(),
		})
	}
	for i := range w.want {
		w.want[i] = w.follow(i%width, i/width)
	}
	return w
}

// meet returns the distance of a sphere along a ray; 0 if the ray misses it.
func (s *sphere) meet(from, d vector) float32 {
	l := vector(s[:3]).minus(from, 1)
	along := l.times(d)
	if aside := l.times(l) - float32(along*along); aside < s[3] {
		return along - root(s[3]-aside)
	}
	return 0
}

// follow returns the brightness of a pixel.
func (w *spheresWorkload) follow(px, py int) (sum float32) {
	d := vector{(float32(px)+0.5)/float32(w.width) - 0.5, (float32(py)+0.5)/float32(w.height) - 0.5, 1}
	d = d.minus(vector{}, root(d.times(d)))
	var at vector
	part := float32(1)
	for range w.bounces {
		best, met := float32(1000), -1
		for k := range w.scene {
			if t := w.scene[k].meet(at, d); t > 0.01 && t < best {
				best, met = t, k
			}
		}
		if met < 0 {
			return sum + float32(part*(0.5+float32(0.5*d[1])))
		}
		s := &w.scene[met]
		at = at.along(best, d)
		normal := at.minus(vector(s[:3]), root(s[3]))
		if light := normal.times(w.light); light > 0 && w.lit(at) {
			sum += float32(float32(part*(1-s[4])) * light)
		}
		part *= s[4]
		d = d.along(-float32(2*normal.times(d)), normal)
	}
	return sum
}

// lit reports whether no sphere is between a point and the light.
func (w *spheresWorkload) lit(at vector) bool {
	for k := range w.scene {
		if w.scene[k].meet(at, w.light) > 0.01 {
			return false
		}
	}
	return true
}

// Run implements Workload.
func (w *spheresWorkload) Run(m Machine) error {
	w.reset()
	scene, picture := upload(m, flat(w.scene, func(s sphere) []float32 { return s[:] })), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "spheres.ptx",
		Kernel: "spheres",
		Grid:   [3]uint32{groups(w.width, 16), groups(w.height, 8), 1},
		Block:  [3]uint32{16, 8, 1},
		Params: bank(scene, picture, uint32(len(w.scene)), uint32(w.width), uint32(w.height), uint32(w.bounces),
			w.light[0], w.light[1], w.light[2]),
	})
	if err != nil {
		return err
	}
	w.got = download[float32](m, picture, len(w.want))
	expect(&w.outcome, "brightness", w.got, w.want)
	return nil
}

// Image implements Picture.
func (w *spheresWorkload) Image() image.Image {
	img := image.NewGray(image.Rect(0, 0, w.width, w.height))
	for i, v := range w.got {
		img.SetGray(i%w.width, i/w.width, color.Gray{uint8(255 * min(max(v, 0), 1))})
	}
	return img
}
