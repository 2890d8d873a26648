package hostcheck

import (
	"fmt"
	"slices"
)

// list draws n statements that a thread executes times times.
func (d *drawer) list(times, n, depth int, loop bool) []*Stmt {
	var list []*Stmt
	for range n {
		if d.spent > d.limit {
			break
		}
		list = append(list, d.stmt(times, depth, loop))
	}
	return list
}

// stmt draws a statement.
func (d *drawer) stmt(times, depth int, loop bool) *Stmt {
	d.spent += times
	deep := depth < 4
	body := func() []*Stmt { return d.list(times, 1+d.IntN(3), depth+1, loop) }
	switch n := d.IntN(100); {
	case n < 20 && deep:
		s := &Stmt{Kind: If, Exprs: []*Expr{d.condition(3)}, Bodies: [][]*Stmt{body()}}
		if d.chance(50) {
			s.Bodies = append(s.Bodies, body())
		}
		return s
	case n < 34 && deep && d.has[loops] && times*trips <= 80:
		return d.loop(times, depth)
	case n < 41 && deep && d.has[switches]:
		return d.choice(times, depth, loop)
	case n < 46 && loop:
		return &Stmt{Kind: Break + Kind(d.IntN(2)), Exprs: []*Expr{d.condition(2)}}
	case n < 49 && d.has[returns] && depth > 0:
		s := &Stmt{Kind: Return, Exprs: []*Expr{d.condition(2), {}}}
		switch {
		case d.f.Name == "body":
		case isScalar(d.f.Result):
			s.Exprs[1] = d.expr(d.f.Result, 1)
		default:
			s.Exprs[1] = d.structure(d.f.Result)
		}
		return s
	case n < 57:
		if s := d.called(times); s != nil {
			return s
		}
	case n < 60 && len(d.places["bool"]) > 0:
		return assign(pick(d, d.places["bool"]).form, d.condition(3))
	case n < 64 && !d.f.Pure:
		return &Stmt{Kind: Simple, Exprs: []*Expr{{
			Form: fmt.Sprintf("note(out, %d, $0)", d.IntN(8)),
			Args: []*Expr{d.expr(pick(d, d.types), 3)},
		}}}
	case n < 68 && len(d.structs) > 1:
		v := pick(d, d.structs)
		return assign(v.Name, d.structure(v.Type))
	case n < 72 && d.has[pointers]:
		for _, t := range scalars {
			if list := d.places[t+" *"]; len(list) > 0 && d.chance(60) {
				if e := d.reference(t); e != nil {
					return assign(pick(d, list).form, e)
				}
			}
		}
	}
	return d.assignment()
}

// target draws a place to assign to, and its type. The expression has no type, so that no value
// replaces it.
func (d *drawer) target() (*Expr, string) {
	var list []string
	for _, t := range scalars {
		if slices.ContainsFunc(d.places[t], func(p place) bool { return !p.read }) {
			list = append(list, t)
		}
	}
	t := pick(d, list)
	for {
		if p := pick(d, d.places[t]); !p.read {
			return d.at("", p, ""), t
		}
	}
}

func (d *drawer) assignment() *Stmt {
	to, t := d.target()
	form := "$0 = $1"
	if d.chance(30) {
		form = "$0 += $1"
		if !isFloat(t) {
			form = fmt.Sprintf("$0 %s= $1", pick(d, []string{"+", "-", "*", "^", "|", "&"}))
		}
	}
	return &Stmt{Kind: Simple, Exprs: []*Expr{{Form: form, Args: []*Expr{to, d.expr(t, 3)}}}}
}

// called is a statement with a call: of a function with effects, or of one that returns a struct.
func (d *drawer) called(times int) *Stmt {
	limit := d.limit
	d.limit = d.spent + (d.limit-d.spent)/times
	defer func() { d.limit = limit }()
	before := d.spent
	e := d.call(func(*Func) bool { return true }, 0)
	if e == nil {
		return nil
	}
	d.spent = before + (d.spent-before)*times
	return d.keep(e)
}

// keep is a statement that assigns a value to a place of its type, if there is one.
func (d *drawer) keep(e *Expr) *Stmt {
	if list := d.places[e.Type]; len(list) > 0 {
		if to := pick(d, list); !to.read && to.args == 0 {
			return assign(to.form, e)
		}
	}
	for _, v := range d.structs {
		if v.Type == e.Type {
			return assign(v.Name, e)
		}
	}
	return &Stmt{Kind: Simple, Exprs: []*Expr{e}}
}

// assign is the assignment of a value to a name.
func assign(name string, e *Expr) *Stmt {
	return &Stmt{Kind: Simple, Exprs: []*Expr{{Form: "$0 = $1", Args: []*Expr{{Form: name, Type: e.Type}, e}}}}
}

// loop draws a loop of at most trips rounds, with a number of rounds that differs between threads.
func (d *drawer) loop(times, depth int) *Stmt {
	s := &Stmt{Kind: For + Kind(d.IntN(3)), Name: d.name("")}
	count := &Expr{Form: fmt.Sprintf("$0 %% %d", trips), Type: "u32", Args: []*Expr{d.expr("u32", 2)}}
	if d.chance(30) {
		count = &Expr{Form: fmt.Sprintf("u32(%d)", d.IntN(trips)), Type: "u32"}
	}
	s.Exprs = []*Expr{count}
	again := d.again
	d.again = 0
	if d.chance(25) {
		s.Exprs = append(s.Exprs, d.condition(2))
	}
	d.put("u32", place{form: "at" + s.Name, read: true})
	s.Bodies = [][]*Stmt{d.list(times*trips, 1+d.IntN(3), depth+1, true)}
	last := d.places["u32"]
	d.places["u32"] = slices.DeleteFunc(slices.Clone(last), func(p place) bool { return p.form == "at"+s.Name })
	d.again = again
	return s
}

// choice draws a switch, with cases next to each other or far apart.
func (d *drawer) choice(times, depth int, loop bool) *Stmt {
	n := 2 + d.IntN(7)
	s := &Stmt{Kind: Switch}
	if d.chance(60) {
		s.Exprs = []*Expr{{Form: fmt.Sprintf("$0 %% %d", n+1), Type: "u32", Args: []*Expr{d.expr("u32", 2)}}}
		first := uint64(d.IntN(3))
		for i := range n {
			s.Cases = append(s.Cases, first+uint64(i))
		}
	} else {
		far := uint64(d.IntN(1000) + 2)
		s.Exprs = []*Expr{{
			Form: fmt.Sprintf("($0 %% %d) * %dull", n+1, far), Type: "u64",
			Args: []*Expr{d.expr("u32", 2)},
		}}
		for i := range n {
			s.Cases = append(s.Cases, uint64(i)*far)
		}
	}
	d.Shuffle(len(s.Cases), func(i, j int) { s.Cases[i], s.Cases[j] = s.Cases[j], s.Cases[i] })
	if d.chance(30) { // lookup table
		if to, t := d.target(); true {
			for range n + 1 {
				s.Bodies = append(s.Bodies, []*Stmt{{
					Kind:  Simple,
					Exprs: []*Expr{{Form: "$0 = $1", Args: []*Expr{to.clone(), d.constant(t)}}},
				}})
				s.Falls = append(s.Falls, false)
			}
			return s
		}
	}
	for range n + 1 {
		s.Bodies = append(s.Bodies, d.list(times, 1+d.IntN(2), depth+1, loop))
		s.Falls = append(s.Falls, d.chance(20))
	}
	return s
}

// jumps adds gotos between arbitrary places. A goto that can lead back has fuel, which limits its
// jumps.
func (d *drawer) jumps() {
	for range 1 + d.IntN(2) {
		label := d.name("L")
		d.insert(&Stmt{Kind: Label, Name: label})
		jump := &Stmt{Kind: Goto, Name: label, Exprs: []*Expr{d.condition(2)}}
		d.insert(jump)
		seen := false
		var walk func([]*Stmt)
		walk = func(body []*Stmt) {
			for _, s := range body {
				switch {
				case s.Kind == Label && s.Name == label:
					seen = true
				case s == jump:
					jump.Back = seen
				}
				for _, b := range s.Bodies {
					walk(b)
				}
			}
		}
		walk(d.f.Body)
	}
}

// insert puts a statement anywhere.
func (d *drawer) insert(s *Stmt) {
	var lists []*[]*Stmt
	d.f.bodies(func(body *[]*Stmt) { lists = append(lists, body) })
	to := pick(d, lists)
	*to = slices.Insert(*to, d.IntN(len(*to)+1), s)
}
