package kernels

import (
	"fmt"
)

var sad = Kernel{
	Name:    "sad",
	Doc:     "how well each block of a frame fits another frame at each of 256 shifts",
	Source:  "sad in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: sums of absolute differences of a block for all shifts of a search window, clamped at the rim of the frame. Not kept: blocks of seven sizes; differences are cut off, for a branch by data",
	Control: "uniform loop, four tests for the rim (P), a test of the difference (D); byte loads",
	Result:  "loops over shifts on the host",
	Sizes: []Size{
		{"small", "16x8 pixels, 2 CTAs of 16x16", func(seed uint64) Workload { return newSAD(16, 8, seed) }},
		{"medium", "48x32 pixels, 6x4 CTAs of 16x16", func(seed uint64) Workload { return newSAD(48, 32, seed) }},
		{"large", "176x144 pixels, 22x18 CTAs of 16x16", func(seed uint64) Workload { return newSAD(176, 144, seed) }},
	},
}

// sadWorkload compares two frames.
type sadWorkload struct {
	outcome
	width, height int
	frame, other  []uint8
	got, want     []uint32
}

// newSAD makes two frames whose sides are multiples of 8. The second is the first, shifted and with
// noise.
func newSAD(width, height int, seed uint64) *sadWorkload {
	r := random(seed)
	w := &sadWorkload{
		width: width, height: height, frame: naturalPicture(width, height, seed),
		other: make([]uint8, width*height),
	}
	inside := func(v, n int) int { return min(max(v, 0), n-1) }
	for i := range w.other {
		x, y := inside(i%width-3, width), inside(i/width+2, height)
		w.other[i] = uint8(int(w.frame[y*width+x]) - 2 + r.below(5))
	}
	for block := range width / 8 * (height / 8) {
		left, top := block%(width/8)*8, block/(width/8)*8
		for dy := -8; dy < 8; dy++ {
			for dx := -8; dx < 8; dx++ {
				sum := 0
				for y := top; y < top+8; y++ {
					for x := left; x < left+8; x++ {
						d := int(w.frame[y*width+x]) - int(w.other[inside(y+dy, height)*width+inside(x+dx, width)])
						sum += min(max(d, -d), 64)
					}
				}
				w.want = append(w.want, uint32(sum))
			}
		}
	}
	return w
}

// Run implements Workload.
func (w *sadWorkload) Run(m Machine) error {
	w.reset()
	if w.width%8 != 0 || w.height%8 != 0 || len(w.frame) == 0 {
		return fmt.Errorf("sad: a frame of %dx%d; want multiples of 8", w.width, w.height)
	}
	frame, other, sums := upload(m, w.frame), upload(m, w.other), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "sad.ptx",
		Kernel: "sad",
		Grid:   [3]uint32{uint32(w.width / 8), uint32(w.height / 8), 1},
		Block:  [3]uint32{16, 16, 1},
		Params: bank(frame, other, sums, uint32(w.width), uint32(w.height)),
	})
	if err != nil {
		return err
	}
	w.got = download[uint32](m, sums, len(w.want))
	expect(&w.outcome, "sums", w.got, w.want)
	return nil
}
