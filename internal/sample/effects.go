package sample

import "slices"

// Effect is what one factor, or two together, contribute to the variance of observations.
type Effect struct {
	A, B  int     // indices of factors; B is -1 for a main effect
	Share float64 // of the sum of squares about the mean, from 0 to 1
}

// Explained divides the variance of observations.
type Explained struct {
	Effects []Effect // main effects in the order of factors, then pairs
	Higher  float64  // the share of three and more factors together
	Within  float64  // the share within cells: observations with equal levels of all factors
	// Balanced reports whether all combinations of levels have equally many observations. Then all
	// shares add up to 1. Otherwise effects overlap, and the sum may differ from 1.
	Balanced bool
}

// Explain divides the sum of squares of observations about their mean. Levels holds a list for each
// factor: its level, from 0, in each observation.
//
// Shares are type II sums of squares (Yates, The analysis of multiple classifications with unequal
// numbers in the different classes, 1934): what a term adds to the least-squares fit of all terms
// that do not contain it. For a full factorial they are those of the textbook.
func Explain(y []float64, levels [][]int) Explained {
	d := newDesign(y, levels)
	e := Explained{Balanced: d.balanced()}
	if d.total == 0 { // nothing varies
		for _, t := range d.terms {
			e.Effects = append(e.Effects, Effect{A: t.a, B: t.b})
		}
		return e
	}
	all := d.residual(func(*term) bool { return true })
	for i := range d.terms {
		t := &d.terms[i]
		of := Effect{A: t.a, B: t.b}
		if t.b >= 0 {
			of.Share = d.residual(func(o *term) bool { return o != t }) - all
		} else {
			apart := func(o *term) bool { return o.a != t.a && o.b != t.a }
			of.Share = d.residual(apart) - d.residual(func(o *term) bool { return o == t || apart(o) })
		}
		of.Share = max(0, of.Share/d.total)
		e.Effects = append(e.Effects, of)
	}
	cells := d.cells()
	e.Within = d.fit([]*term{cells}) / d.total
	e.Higher = max(0, all/d.total-e.Within)
	return e
}

// term groups observations by the levels of one factor, or of two.
type term struct {
	a, b  int
	group []int // by observation
	size  []int // observations of each group
}

// design is the observations, less their mean, and the terms of the model.
type design struct {
	y      []float64
	levels [][]int
	total  float64 // sum of squares
	terms  []term
}

func newDesign(y []float64, levels [][]int) *design {
	d := &design{y: slices.Clone(y), levels: levels}
	m := mean(y)
	for i := range d.y {
		d.y[i] -= m
		d.total += d.y[i] * d.y[i]
	}
	// differences of rounding are no variance
	if scale := m * m * float64(len(y)); d.total < 1e-24*scale {
		d.total = 0
	}
	for a := range levels {
		d.terms = append(d.terms, d.term(a, -1, levels[a]))
	}
	for a := range levels {
		for b := a + 1; b < len(levels); b++ {
			d.terms = append(d.terms, d.term(a, b, levels[a], levels[b]))
		}
	}
	return d
}

// term groups observations by the levels of some factors.
func (d *design) term(a, b int, levels ...[]int) term {
	t := term{a: a, b: b, group: make([]int, len(d.y)), size: make([]int, 1)}
	for _, of := range levels {
		number := map[[2]int]int{}
		for i, level := range of {
			key := [2]int{t.group[i], level}
			n, ok := number[key]
			if !ok {
				n = len(number)
				number[key] = n
			}
			t.group[i] = n
		}
		t.size = make([]int, len(number))
	}
	for _, g := range t.group {
		t.size[g]++
	}
	return t
}

// cells is the term of all factors together.
func (d *design) cells() *term {
	t := d.term(-1, -1, d.levels...)
	return &t
}

func (d *design) balanced() bool {
	cells, want := d.cells(), 1
	for i := range d.levels {
		want *= len(d.terms[i].size)
	}
	return len(cells.size) == want && slices.Min(cells.size) == slices.Max(cells.size)
}

// residual is the sum of squares that the terms of a model leave.
func (d *design) residual(in func(*term) bool) float64 {
	var model []*term
	for i := range d.terms {
		if in(&d.terms[i]) {
			model = append(model, &d.terms[i])
		}
	}
	return d.fit(model)
}

// fit returns the sum of squares that a least-squares fit of some terms leaves. It subtracts the
// mean of each group, term by term, until nothing changes: alternating projections, which converge
// to the fit (von Neumann, 1933). A balanced design needs one pass.
func (d *design) fit(model []*term) float64 {
	r := slices.Clone(d.y)
	left := d.total
	for range 1000 {
		for _, t := range model {
			sums := make([]float64, len(t.size))
			for i, g := range t.group {
				sums[g] += r[i]
			}
			for g := range sums {
				sums[g] /= float64(t.size[g])
			}
			for i, g := range t.group {
				r[i] -= sums[g]
			}
		}
		before := left
		left = 0
		for _, v := range r {
			left += v * v
		}
		if before-left <= 1e-12*d.total {
			break
		}
	}
	return left
}
