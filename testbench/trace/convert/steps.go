package convert

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"divergo/isa"
	"divergo/sm"
	"divergo/testbench/trace"
)

// Step is an instruction that threads of one static warp execute. Masks and values are by home lane:
// the lanes that the threads have in their static warp.
type Step struct {
	Launch int // counted from 0
	Hart   uint64
	Order  uint64 // of the hart, in the launch
	PC     uint32
	Mask   uint64 // active lanes, those with a false predicate included
	Dst    []Result
	Cycle  uint64 // 0: unknown
	Inst   string // "": unknown
	Where  string
}

// Result is a register that a Step writes, and its values by home lane.
type Result struct {
	Register string
	Mask     uint64
	Values   [isa.MaxLanes]uint64
}

// String describes a step.
func (s *Step) String() string {
	text := fmt.Sprintf("PC %d, lanes %#x", s.PC, s.Mask)
	if s.Cycle != 0 {
		text = fmt.Sprintf("cycle %d, %s", s.Cycle, text)
	}
	for i := range s.Dst {
		text += fmt.Sprintf(", %s = %s", s.Dst[i].Register, s.Dst[i].values())
	}
	for _, more := range []string{s.Inst, s.Where} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

// values lists the values by lane, - for a lane that is not written.
func (r *Result) values() string {
	var list []string
	for l := range bits.Len64(r.Mask) {
		if r.Mask>>l&1 == 0 {
			list = append(list, "-")
		} else {
			list = append(list, fmt.Sprintf("%x", r.Values[l]))
		}
	}
	return strings.Join(list, " ")
}

// unfinished is an instruction whose values have not been written.
type unfinished struct {
	steps []*Step // one for each row
	rows  []uint8
	left  int // values that are to come
}

// Steps yields the instructions of a trace by static warp, in the order of issue. The instruction of a
// regrouped warp is a step of each of its static warps. With values, an instruction waits until all
// of its values have been written; then Header.Values must be set.
func Steps(r *trace.Reader, s Select, values bool) iter.Seq2[*Step, error] {
	type place struct {
		sm, slot uint16
		pc       uint32
	}
	return func(yield func(*Step, error) bool) {
		var queue []*unfinished
		byPlace := map[place][]*unfinished{}
		harts := map[[2]uint16]uint64{} // of each SM and row
		orders := map[uint64]uint64{}
		launch := -2
		flush := func(all bool) bool {
			for len(queue) > 0 && (all || queue[0].left == 0) {
				for _, step := range queue[0].steps {
					if step != nil && !yield(step, nil) {
						return false
					}
				}
				queue = queue[1:]
			}
			return true
		}
		for rec, err := range r.Records(s.Query) {
			if err != nil {
				yield(nil, err)
				return
			}
			if l := r.LaunchOf(rec.Cycle); l != launch {
				if !flush(true) {
					return
				}
				launch = l
				clear(byPlace)
				clear(orders)
			}
			warps := uint64(1)
			if launch >= 0 {
				warps = uint64(max(r.Launches[launch].Warps, 1))
			}
			harts[[2]uint16{rec.SM, uint16(rec.Row)}] = rec.CTA*warps + uint64(rec.Warp)
			at := place{rec.SM, rec.Slot, rec.PC}
			switch rec.Kind {
			case trace.Issue:
				p := r.ProgramAt(rec.Cycle)
				u := &unfinished{}
				for _, row := range rows(rec) {
					hart, known := harts[[2]uint16{rec.SM, uint16(row)}]
					var step *Step
					if known && s.has(hart, warps) {
						step = &Step{
							Launch: launch, Hart: hart, Order: orders[hart], PC: rec.PC, Mask: home(rec, row, rec.Mask),
							Cycle: rec.Cycle, Inst: p.Text(rec.PC), Where: p.Where(rec.PC),
						}
					}
					orders[hart]++
					u.steps, u.rows = append(u.steps, step), append(u.rows, row)
				}
				if values && rec.Mask != rec.Off && int(rec.PC) < len(p.Insts) {
					if u.left = len(p.Insts[rec.PC].Dst); u.left > 0 {
						byPlace[at] = append(byPlace[at], u)
					}
				}
				queue = append(queue, u)
			case trace.Write:
				list := byPlace[at]
				if !values || len(list) == 0 {
					continue
				}
				u := list[0]
				for i, step := range u.steps {
					if step != nil {
						step.add(rec, u.rows[i], destination(r.ProgramAt(rec.Cycle), rec))
					}
				}
				if u.left--; u.left == 0 {
					byPlace[at] = list[1:]
				}
			}
			if !flush(false) {
				return
			}
		}
		flush(true)
	}
}

// has reports whether a hart is chosen.
func (s *Select) has(hart, warps uint64) bool {
	return len(s.Warps) == 0 || slices.Contains(s.Warps, Warp{hart / warps, uint8(hart % warps)})
}

// add adds the values of a Write for the threads of a row.
func (s *Step) add(rec *trace.Record, row uint8, register string) {
	res := Result{Register: register, Mask: home(rec, row, rec.Mask)}
	for m := rec.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		if h := rec.Home(l); h.Row == row {
			res.Values[h.Lane&(isa.MaxLanes-1)] = rec.Values[l]
		}
	}
	if res.Mask != 0 {
		s.Dst = append(s.Dst, res)
	}
}

// rows lists the rows of a record's threads, in ascending order.
func rows(r *trace.Record) (list []uint8) {
	if !r.Mixed {
		return []uint8{r.Row}
	}
	set := uint64(0)
	for m := r.Mask; m != 0; m &= m - 1 {
		set |= 1 << (r.Home(bits.TrailingZeros64(m)).Row & (sm.MaxWarps - 1))
	}
	for ; set != 0; set &= set - 1 {
		list = append(list, uint8(bits.TrailingZeros64(set)))
	}
	return list
}

// home returns the home lanes, in a row, of some lanes of a record.
func home(r *trace.Record, row uint8, mask uint64) (lanes uint64) {
	for m := mask; m != 0; m &= m - 1 {
		if h := r.Home(bits.TrailingZeros64(m)); h.Row == row {
			lanes |= 1 << h.Lane
		}
	}
	return lanes
}
