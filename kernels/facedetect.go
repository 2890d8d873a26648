package kernels

import "slices"

var facedetect = Kernel{
	Name:    "facedetect",
	Doc:     "a cascade of classifiers that looks for faces in a picture, a thread a window",
	Source:  "FCDT (Visbench) in Fung & Aamodt (HPCA 2011), table 1: a cascade after Viola & Jones (CVPR 2001). Kept: CTAs of 32x6, stages of more and more features, features of two rectangles by an integral image, the exit from each stage. Not kept: photographs (the picture is generated: noise of several octaves with faces before it), windows of several scales, the trained cascade: each stage here lets about half of the windows pass that come to it",
	Control: "image bounds (P); a loop over stages that windows leave early, votes of features (D)",
	Result:  "sums over the pixels of each rectangle on the host",
	Sizes: []Size{
		{
			"small", "40x24 pixels, 2x4 CTAs of 32x6, partly filled",
			func(seed uint64) Workload { return newFaceDetect(40, 24, seed) },
		},
		{
			"medium", "100x60 pixels, 4x10 CTAs of 32x6, partly filled",
			func(seed uint64) Workload { return newFaceDetect(100, 60, seed) },
		},
		{
			"large", "800x600 pixels, 25x100 CTAs of 32x6",
			func(seed uint64) Workload { return newFaceDetect(800, 600, seed) },
		},
	},
}

const (
	faceSide   = 16 // pixels of a window in each direction
	faceStages = 10
)

// faceDetectWorkload looks through a picture.
type faceDetectWorkload struct {
	outcome
	width, height int
	picture       []uint8
	features      [][8]int32 // place, size, offset of the second rectangle, limit, vote
	stages        [][2]int32 // first feature, needed votes; one more entry at the end
	want          []uint32   // number of stages that each window passes
}

// newFaceDetect makes a picture and a cascade. Each stage rejects half of its windows.
func newFaceDetect(width, height int, seed uint64) *faceDetectWorkload {
	r := random(seed)
	w := &faceDetectWorkload{
		width: width, height: height, picture: naturalPicture(width, height, seed),
		want: make([]uint32, width*height),
	}
	left := w.windows()
	for stage := range faceStages {
		first := len(w.features)
		for range 3 + 2*stage {
			w.features = append(w.features, feature(&r))
		}
		votes := make([]int32, len(left))
		for i, at := range left {
			for f := first; f < len(w.features); f++ {
				votes[i] += w.vote(at, &w.features[f])
			}
		}
		sorted := slices.Sorted(slices.Values(votes))
		need := int32(0)
		if len(sorted) > 0 {
			need = sorted[len(sorted)/2]
		}
		w.stages = append(w.stages, [2]int32{int32(first), need})
		var on []int
		for i, at := range left {
			if votes[i] >= need {
				w.want[at]++
				on = append(on, at)
			}
		}
		left = on
	}
	w.stages = append(w.stages, [2]int32{int32(len(w.features))})
	return w
}

// feature returns a random feature within a window.
func feature(r *random) [8]int32 {
	wide, high := 1+r.below(faceSide/2), 1+r.below(faceSide/2)
	f := [8]int32{2: int32(wide), 3: int32(high), 6: int32(r.below(2*wide*high) - wide*high), 7: int32(1 + r.below(8))}
	if r.below(2) == 0 {
		f[4] = f[2]
		wide *= 2
	} else {
		f[5] = f[3]
		high *= 2
	}
	f[0], f[1] = int32(r.below(faceSide-wide+1)), int32(r.below(faceSide-high+1))
	return f
}

// windows returns the places of the windows' upper left corners.
func (w *faceDetectWorkload) windows() (list []int) {
	for y := range max(w.height-faceSide+1, 0) {
		for x := range max(w.width-faceSide+1, 0) {
			list = append(list, y*w.width+x)
		}
	}
	return list
}

// vote is the reference of a feature: it reads each pixel.
func (w *faceDetectWorkload) vote(at int, f *[8]int32) int32 {
	difference := int32(0)
	for y := range int(f[3]) {
		for x := range int(f[2]) {
			one := at + (int(f[1])+y)*w.width + int(f[0]) + x
			difference += int32(w.picture[one]) - int32(w.picture[one+int(f[5])*w.width+int(f[4])])
		}
	}
	if difference > f[6] {
		return f[7]
	}
	return 0
}

// integral returns, for each corner, the sum of the pixels above and to the left.
func (w *faceDetectWorkload) integral() []int32 {
	pitch := w.width + 1
	sums := make([]int32, pitch*(w.height+1))
	for y := range w.height {
		row := int32(0)
		for x := range w.width {
			row += int32(w.picture[y*w.width+x])
			sums[(y+1)*pitch+x+1] = sums[y*pitch+x+1] + row
		}
	}
	return sums
}

// Run implements Workload.
func (w *faceDetectWorkload) Run(m Machine) error {
	w.reset()
	integral, passed := upload(m, w.integral()), m.Alloc(4*len(w.want))
	features, stages := upload(m, flat(w.features, func(f [8]int32) []int32 { return f[:] })), upload(m,
		flat(w.stages, func(s [2]int32) []int32 { return s[:] }))
	err := m.Launch(Call{
		Module: "facedetect.ptx",
		Kernel: "facedetect",
		Grid:   [3]uint32{groups(w.width, 32), groups(w.height, 6), 1},
		Block:  [3]uint32{32, 6, 1},
		Params: bank(integral, features, stages, passed, uint32(w.width), uint32(w.height), uint32(faceStages)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "passed", download[uint32](m, passed, len(w.want)), w.want)
	return nil
}
