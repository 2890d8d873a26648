package kernels

import "math"

var leukocyte = Kernel{
	Name:    "leukocyte",
	Doc:     "how much like the rim of a cell the surroundings of pixels are",
	Source:  "LKYT (Leukocyte of Rodinia, Che et al., IISWC 2009) in Fung & Aamodt (HPCA 2011), table 1: its detection. Kept: CTAs of 175, a thread a pixel of a column; circles of several radii, gradients along them; the dilation. Not kept: tracking, which takes most of its time; constant and texture memory",
	Control: "uniform loops, a maximum (D); tests of the picture's rim (P)",
	Result:  "the same float32 operations on the host, bit for bit; dilation by a list of the disc's pixels",
	Sizes: []Size{
		{
			"small", "4x175 pixels, 2 circles of 8 points, discs of 5x5, 4 CTAs of 175 for each kernel",
			func(seed uint64) Workload { return newLeukocyte(4, 2, 8, 5, seed) },
		},
		{
			"medium", "24x175 pixels, 3 circles of 24 points, discs of 9x9, 24 CTAs of 175 for each kernel",
			func(seed uint64) Workload { return newLeukocyte(24, 3, 24, 9, seed) },
		},
		{
			"large", "200x175 pixels, 7 circles of 150 points, discs of 25x25, 200 CTAs of 175 for each kernel",
			func(seed uint64) Workload { return newLeukocyte(200, 7, 150, 25, seed) },
		},
	},
}

const leukocyteHeight = 175

// leukocyteWorkload looks for cells.
type leukocyteWorkload struct {
	outcome
	width, circles, points, side, rim, pitch int
	gradx, grady, cosine, sine               []float32
	offsets                                  []int32
	disc                                     []uint32
	score, dilated                           []float32
}

// newLeukocyte makes the gradients of a picture.
func newLeukocyte(width, circles, points, side int, seed uint64) *leukocyteWorkload {
	r := random(seed)
	w := &leukocyteWorkload{width: width, circles: circles, points: points, side: side, rim: 2 + 2*circles}
	w.pitch = leukocyteHeight + 2*w.rim
	pixels := (width + 2*w.rim) * w.pitch
	w.gradx, w.grady = r.units(pixels), r.units(pixels)
	for n := range points {
		angle := 2 * math.Pi * float64(n) / float64(points)
		w.cosine, w.sine = append(w.cosine, float32(math.Cos(angle))), append(w.sine, float32(math.Sin(angle)))
	}
	for k := range circles {
		radius := float32(3 + 2*k)
		for n := range points {
			w.offsets = append(w.offsets, int32(w.sine[n]*radius), int32(w.cosine[n]*radius))
		}
	}
	var in [][2]int // offsets of the disc's pixels
	half := side / 2
	for y := range side {
		for x := range side {
			dy, dx := y-half, x-half
			if dx*dx+dy*dy <= half*half {
				in, w.disc = append(in, [2]int{dy, dx}), append(w.disc, 1)
			} else {
				w.disc = append(w.disc, 0)
			}
		}
	}
	for i := range width {
		for j := range leukocyteHeight {
			w.score = append(w.score, w.most(i+w.rim, j+w.rim))
		}
	}
	for i := range width {
		for j := range leukocyteHeight {
			most := float32(0)
			for _, d := range in {
				if y, x := i+d[0], j+d[1]; y >= 0 && y < width && x >= 0 && x < leukocyteHeight {
					most = max(most, w.score[y*leukocyteHeight+x])
				}
			}
			w.dilated = append(w.dilated, most)
		}
	}
	return w
}

// most returns the score of a pixel.
func (w *leukocyteWorkload) most(i, j int) (most float32) {
	for k := range w.circles {
		var mean, variance float32
		for n := range w.points {
			o := w.offsets[2*(k*w.points+n):]
			at := (i+int(o[0]))*w.pitch + j + int(o[1])
			along := float32(w.gradx[at]*w.cosine[n]) + float32(w.grady[at]*w.sine[n])
			off := along - mean
			mean += off / float32(n+1)
			variance += float32(off * (along - mean))
		}
		variance /= float32(w.points - 1)
		if square := float32(mean * mean); square > float32(most*variance) {
			most = square / variance
		}
	}
	return most
}

// Run implements Workload.
func (w *leukocyteWorkload) Run(m Machine) error {
	w.reset()
	gradx, grady, cosine, sine := upload(m, w.gradx), upload(m, w.grady), upload(m, w.cosine), upload(m, w.sine)
	offsets, disc := upload(m, w.offsets), upload(m, w.disc)
	score, out := m.Alloc(4*len(w.score)), m.Alloc(4*len(w.dilated))
	for _, l := range []Call{
		{Kernel: "leukocyte_score", Params: bank(gradx, grady, cosine, sine, offsets, score, uint32(w.circles),
			uint32(w.points), uint32(w.rim), uint32(w.pitch), uint32(leukocyteHeight))},
		{Kernel: "leukocyte_dilate", Params: bank(score, disc, out, uint32(w.side), uint32(w.width),
			uint32(leukocyteHeight))},
	} {
		l.Module, l.Grid, l.Block = "leukocyte.ptx", [3]uint32{uint32(w.width), 1, 1}, [3]uint32{leukocyteHeight, 1, 1}
		if err := m.Launch(l); err != nil {
			return err
		}
	}
	expect(&w.outcome, "score", download[float32](m, score, len(w.score)), w.score)
	expect(&w.outcome, "dilated", download[float32](m, out, len(w.dilated)), w.dilated)
	return nil
}
