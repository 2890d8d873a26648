package kernels

import "fmt"

// SoftHerding draws the Mandelbrot set with branch herding in software.
//
// The threads of a warp vote on the test that ends the loop of a pixel, and all take the majority's
// path. Source: Sartori & Kumar, Branch and Data Herding, 2012, section III-A and figure 9.
//
// The threads of a warp are four rows of eight columns. Each takes part in all votes of its warp.
// So the mechanism must keep warps of 32 threads together as long as they take the same path.
type SoftHerding struct {
	outcome
	form          Voting
	width, height int
	limit         uint32
	re, im        []float32
	left, want    []uint32
}

// Voting is a form of branch herding in software.
type Voting string

// The forms, by the names of the module's entries.
const (
	VoteNone   Voting = "brh_none"   // no herding
	VoteHalf   Voting = "brh_half"   // more than 16 votes, the paper's threshold
	VoteActive Voting = "brh_active" // more than half of the voting threads
)

// NewSoftHerding makes a picture of the whole set. width is a multiple of 8, height a multiple of
// 4.
func NewSoftHerding(form Voting, width, height int, limit uint32, seed uint64) *SoftHerding {
	plain := NewMandelbrot(width, height, limit, seed)
	w := &SoftHerding{
		form: form, width: width, height: height, limit: plain.limit, re: plain.re, im: plain.im,
		want: plain.want,
	}
	if form != VoteNone {
		w.want = make([]uint32, width*height)
		for y := 0; y+4 <= height; y += 4 {
			for x := 0; x+8 <= width; x += 8 {
				w.warp(x, y)
			}
		}
	}
	return w
}

// warp is the reference for a warp, whose 32 pixels continue as long as the majority does. All vote
// in each round, so both thresholds are the same: 16.
func (w *SoftHerding) warp(left, top int) {
	type point struct{ x, y, re, im float32 }
	var points [32]point
	for i := range points {
		points[i].re, points[i].im = w.re[left+i%8], w.im[top+i/8]
	}
	rounds := w.limit - 1
	for ; rounds > 0; rounds-- {
		votes := 0
		for _, p := range points {
			if float32(p.x*p.x)+float32(p.y*p.y) < 4 {
				votes++
			}
		}
		if votes <= 16 {
			break
		}
		for i := range points {
			p := &points[i]
			p.x, p.y = float32(p.x*p.x)-float32(p.y*p.y)+p.re, float32(float32(p.x*p.y)*2)+p.im
		}
	}
	for i := range points {
		w.want[(top+i/8)*w.width+left+i%8] = rounds
	}
}

// Run implements Workload.
func (w *SoftHerding) Run(m Machine) error {
	w.reset()
	if w.width%8 != 0 || w.height%4 != 0 || len(w.want) == 0 {
		return fmt.Errorf("%s: a picture of %dx%d; want multiples of 8 and 4", w.form, w.width, w.height)
	}
	re, im, left := upload(m, w.re), upload(m, w.im), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "brh.ptx",
		Kernel: string(w.form),
		Grid:   [3]uint32{uint32(w.width / 8), uint32(w.height / 4), 1},
		Block:  [3]uint32{8, 4, 1},
		Params: bank(re, im, left, uint32(w.width), w.limit),
	})
	if err != nil {
		return err
	}
	w.left = download[uint32](m, left, len(w.want))
	expect(&w.outcome, "left", w.left, w.want)
	return nil
}
