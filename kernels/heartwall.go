package kernels

import (
	"fmt"
	"math"
)

var heartwall = Kernel{
	Name:    "heartwall",
	Doc:     "follows points of a film from picture to picture",
	Source:  "HRTWL (heart wall tracking of Rodinia, Che et al., IISWC 2009; Szafaryn et al., 2009) in Fung & Aamodt (HPCA 2011), table 1. Kept: a CTA a point; steps of other numbers of threads between barriers: a full correlation, sums along columns and rows, the best place by rows and then by one thread; a pattern that learns. Not kept: CTAs of 512, which would take 20,480 registers here, and windows of 81x81; a mean and a deviation in the score; what it knows of the heart's form",
	Control: "loops of a CTA over more and over fewer than its threads, bounds of overlaps (P); the best so far, places outside of the window (D); barriers",
	Result:  "each place for itself on the host: overlaps and energies pixel by pixel, bit for bit",
	Sizes: []Size{
		{
			"small", "2 points in windows of 16x16, 1 picture, 2 CTAs of 96",
			func(seed uint64) Workload { return newHeartWall(2, 1, 96, 16, seed) },
		},
		{
			"medium", "6 points, 1 picture, 6 CTAs of 256",
			func(seed uint64) Workload { return newHeartWall(6, 1, 256, 28, seed) },
		},
		{
			"large", "51 points, 10 pictures, each 51 CTAs of 256",
			func(seed uint64) Workload { return newHeartWall(51, 10, 256, 28, seed) },
		},
	},
}

// heartWalls holds the kernels by the width of their windows.
var heartWalls = map[int]string{16: "heartwall_small", 28: "heartwall"}

// heartWallWorkload follows points.
type heartWallWorkload struct {
	outcome
	cta, count, width        int
	window, side             int // pixels of a window and of a pattern in each direction
	pictures                 [][]uint8
	points, patterns         []uint32
	wantPoints, wantPatterns []uint32
	wantScores               []float32
}

// newHeartWall makes pictures of a random texture that drifts. The patterns come from the first
// picture, at places near the windows.
//
// A point moves to the best place, plus side-1 pixels in each direction, which keeps the next
// window in the picture. Windows have 16x16 or 28x28 pixels.
func newHeartWall(count, pictures, cta, window int, seed uint64) *heartWallWorkload {
	r := random(seed)
	const margin = 48 // largest movement of a point in a picture
	w := &heartWallWorkload{cta: cta, count: count, width: 64 + margin*pictures, window: window, side: window / 2}
	texture := make([]uint8, w.width*w.width)
	for i := range texture {
		texture[i] = uint8(r.below(256))
	}
	for k := range pictures {
		picture := make([]uint8, len(texture))
		for i := range picture {
			picture[i] = texture[(i+k*(w.width+1))%len(texture)]/2 + uint8(r.below(64))
		}
		w.pictures = append(w.pictures, picture)
	}
	for range count {
		x, y := r.below(32), r.below(32)
		w.points = append(w.points, uint32(x), uint32(y))
		dx, dy := r.below(w.window-w.side), r.below(w.window-w.side)
		for i := range w.side * w.side {
			w.patterns = append(w.patterns, uint32(texture[(y+dy+i/w.side)*w.width+x+dx+i%w.side]))
		}
	}
	w.wantPoints, w.wantPatterns = append(w.wantPoints, w.points...), append(w.wantPatterns, w.patterns...)
	for _, picture := range w.pictures {
		w.wantScores = w.wantScores[:0]
		for point := range count {
			w.follow(picture, w.wantPoints[2*point:2*point+2], w.wantPatterns[w.side*w.side*point:][:w.side*w.side])
		}
	}
	return w
}

// follow is the reference for a point.
func (w *heartWallWorkload) follow(picture []uint8, at, pattern []uint32) {
	left, top := int(at[0]), int(at[1])
	pixel := func(y, x int) (light uint32, in bool) {
		if y < 0 || y >= w.window || x < 0 || x >= w.window {
			return 0, false
		}
		return uint32(picture[(top+y)*w.width+left+x]), true
	}
	best, bestY, bestX := float32(-1), 0, 0
	places := w.window + w.side - 1
	for y := range places {
		for x := range places {
			var alike, squares uint32
			for i, p := range pattern {
				light, _ := pixel(y-w.side+1+i/w.side, x-w.side+1+i%w.side)
				alike, squares = alike+p*light, squares+light*light
			}
			score := float32(0)
			if squares > 0 {
				score = float32(alike) / float32(math.Sqrt(float64(float32(squares))))
			}
			if score > best {
				best, bestY, bestX = score, y, x
			}
		}
	}
	for i := range pattern {
		if light, in := pixel(bestY-w.side+1+i/w.side, bestX-w.side+1+i%w.side); in {
			pattern[i] = (3*pattern[i] + light) / 4
		}
	}
	at[0], at[1] = uint32(left+bestX), uint32(top+bestY)
	w.wantScores = append(w.wantScores, best)
}

// Run implements Workload.
func (w *heartWallWorkload) Run(m Machine) error {
	w.reset()
	name, ok := heartWalls[w.window]
	if !ok {
		return fmt.Errorf("heartwall: windows of %dx%d pixels; want 16x16 or 28x28", w.window, w.window)
	}
	points, patterns, scores := upload(m, w.points), upload(m, w.patterns), m.Alloc(4*w.count)
	for _, picture := range w.pictures {
		err := m.Launch(Call{
			Module: "heartwall.ptx",
			Kernel: name,
			Grid:   [3]uint32{uint32(w.count), 1, 1},
			Block:  [3]uint32{uint32(w.cta), 1, 1},
			Params: bank(upload(m, picture), points, patterns, scores, uint32(w.width)),
		})
		if err != nil {
			return err
		}
	}
	expect(&w.outcome, "points", download[uint32](m, points, len(w.wantPoints)), w.wantPoints)
	expect(&w.outcome, "patterns", download[uint32](m, patterns, len(w.wantPatterns)), w.wantPatterns)
	expect(&w.outcome, "scores", download[float32](m, scores, w.count), w.wantScores)
	return nil
}
