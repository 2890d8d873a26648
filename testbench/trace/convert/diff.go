package convert

import (
	"fmt"
	"io"
	"iter"
)

// Side is one side of a comparison.
type Side struct {
	Name  string
	Steps iter.Seq2[*Step, error]
}

// before is the number of steps that a difference shows before it.
const before = 5

// Difference is the first difference between two runs.
type Difference struct {
	Launch int
	Hart   uint64
	What   string  // what differs
	A, B   *Step   // nil: the side has no such step
	Before []*Step // the last steps of the warp in which both agree
}

// thread is the state of a hart of a launch.
type thread struct {
	waiting [2][]*Step // of each side, without a partner
	agreed  []*Step    // the last ones
}

// Diff compares the steps of two runs, hart by hart: PC, mask, and values where both sides have them.
// Cycles may differ. It returns nil if all are equal, and how many are.
func Diff(a, b Side) (*Difference, uint64, error) {
	next, stop := [2]func() (*Step, error, bool){}, [2]func(){}
	for i, side := range []Side{a, b} {
		next[i], stop[i] = iter.Pull2(side.Steps)
		defer stop[i]()
	}
	type key struct {
		launch int
		hart   uint64
	}
	threads := map[key]*thread{}
	var order []key // of first appearance
	equal := uint64(0)
	for ended := [2]bool{}; !ended[0] || !ended[1]; {
		for i := range next {
			if ended[i] {
				continue
			}
			step, err, ok := next[i]()
			if err != nil {
				return nil, equal, fmt.Errorf("%s: %w", []Side{a, b}[i].Name, err)
			}
			if !ok {
				ended[i] = true
				continue
			}
			k := key{step.Launch, step.Hart}
			t := threads[k]
			if t == nil {
				t = &thread{}
				threads[k], order = t, append(order, k)
			}
			t.waiting[i] = append(t.waiting[i], step)
			for len(t.waiting[0]) > 0 && len(t.waiting[1]) > 0 {
				x, y := t.waiting[0][0], t.waiting[1][0]
				if what := differs(x, y); what != "" {
					return &Difference{k.launch, k.hart, what, x, y, t.agreed}, equal, nil
				}
				t.waiting[0], t.waiting[1] = t.waiting[0][1:], t.waiting[1][1:]
				if t.agreed = append(t.agreed, x); len(t.agreed) > before {
					t.agreed = t.agreed[1:]
				}
				equal++
			}
		}
	}
	for _, k := range order {
		t := threads[k]
		d := &Difference{Launch: k.launch, Hart: k.hart, Before: t.agreed}
		switch {
		case len(t.waiting[0]) > 0:
			d.What, d.A = fmt.Sprintf("%s has no further instruction of the warp", b.Name), t.waiting[0][0]
			return d, equal, nil
		case len(t.waiting[1]) > 0:
			d.What, d.B = fmt.Sprintf("%s has no further instruction of the warp", a.Name), t.waiting[1][0]
			return d, equal, nil
		}
	}
	return nil, equal, nil
}

// differs tells what differs between two steps, "" if nothing does.
func differs(a, b *Step) string {
	switch {
	case a.Order != b.Order:
		return "order"
	case a.PC != b.PC:
		return "PC"
	case a.Mask != b.Mask:
		return "mask"
	case len(a.Dst) == 0 || len(b.Dst) == 0:
		return ""
	}
	for i := range a.Dst {
		x := &a.Dst[i]
		at := -1
		for j := range b.Dst {
			if b.Dst[j].Register == x.Register {
				at = j
			}
		}
		if at < 0 {
			return "destination"
		}
		y := &b.Dst[at]
		if x.Mask != y.Mask {
			return "lanes that write " + x.Register
		}
		for l := range x.Values {
			if x.Mask>>l&1 != 0 && x.Values[l] != y.Values[l] {
				return fmt.Sprintf("value of %s in lane %d", x.Register, l)
			}
		}
	}
	return ""
}

// Print explains a difference between runs with these names; warps is the number of static warps of a
// CTA, 0 if it is not known.
func (d *Difference) Print(to io.Writer, a, b string, warps int) error {
	of := fmt.Sprintf("hart %d", d.Hart)
	if warps > 0 {
		of = fmt.Sprintf("CTA %d, warp %d (hart %d)", d.Hart/uint64(warps), d.Hart%uint64(warps), d.Hart)
	}
	fmt.Fprintf(to, "launch %d, %s: %s\n", d.Launch+1, of, d.What)
	for i, side := range []*Step{d.A, d.B} {
		text := "nothing"
		if side != nil {
			text = side.String()
		}
		fmt.Fprintf(to, "  %s: %s\n", []string{a, b}[i], text)
	}
	if len(d.Before) == 0 {
		_, err := fmt.Fprintln(to, "it is the first instruction of the warp")
		return err
	}
	_, err := fmt.Fprintln(to, "before, both did the same:")
	for _, s := range d.Before {
		_, err = fmt.Fprintf(to, "  %s\n", s)
	}
	return err
}
