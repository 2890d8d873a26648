package draw

import "slices"

// plan is what must be known of a kernel before it is written: where barriers
// and exits are allowed, and where each Goto leads to.
//
// All threads of a CTA must come to a barrier together, those of a warp to a vote. So it has a meaning
// only where every statement around it has a uniform condition; no Break,
// Continue or Goto leads across it or into or out of a statement that it is
// in; and in a kernel with barriers the same holds for exits, because a branch
// with an exit on one of its ways has no post-dominator. In a function it has a
// meaning if that is so wherever the function is called, and if the function
// cannot be called again from itself, as far as the program tells: token and
// barrier bring threads that part there together behind the first of the calls.
type plan struct {
	synced      bool           // the kernel has barriers or votes
	allowed     map[*Stmt]bool // barriers, votes and exits that have a meaning
	synchronous map[*Stmt]bool // statements with one of them inside that must not be crossed
	epochs      []int          // of each mark: equal if nothing that must not be crossed is between
	epoch       map[*Stmt]int  // of each Goto
	led         map[int]bool   // marks that a Goto leads to
	apart       []bool         // functions that threads come to apart
	byAddress   []bool         // functions from which one comes to a call by address, which may be of any function
	whole       []bool         // functions with something inside that must not be crossed
}

func newPlan(k *Kernel) *plan {
	p := &plan{allowed: map[*Stmt]bool{}, synchronous: map[*Stmt]bool{}, epoch: map[*Stmt]int{}, led: map[int]bool{}}
	p.apart, p.byAddress, p.whole = make([]bool, len(k.Funcs)), make([]bool, len(k.Funcs)), make([]bool, len(k.Funcs))
	for range 2*len(k.Funcs) + 1 { // until nothing changes
		p.calls(k.Body, -1, true)
		for i, body := range k.Funcs {
			p.calls(body, i, !p.apart[i])
		}
	}
	for range 2 {
		for i, body := range slices.Backward(k.Funcs) {
			p.whole[i] = p.find(body, !p.apart[i])
		}
		p.synced = p.find(k.Body, true)
	}
	now := 0
	p.number(k.Body, &now)
	for _, body := range k.Funcs {
		now++
		p.number(body, &now)
	}
	seen := 0
	k.Each(func(s *Stmt, _ int) {
		switch s.Kind {
		case Mark:
			seen++
		case Goto:
			if t := p.target(s, seen); t >= 0 {
				p.led[t] = true
			}
		}
	})
	return p
}

// calls looks which functions a block of function fn, or of the kernel, -1, calls
// where not all threads come together.
func (p *plan) calls(b []Stmt, fn int, together bool) {
	for i := range b {
		s := &b[i]
		if s.Kind == Call && s.N < len(p.apart) {
			if fn >= 0 && (s.Alt || p.byAddress[s.N]) {
				p.byAddress[fn], p.apart[fn] = true, true
			}
			for to := s.N; to < len(p.apart) && (to == s.N || s.Alt); to++ {
				p.apart[to] = p.apart[to] || !together || s.Alt || to <= fn
			}
		}
		for _, inner := range s.Body {
			p.calls(inner, fn, together && s.uniform())
		}
	}
}

// crosses reports whether s is the call of a function with something inside that
// must not be crossed.
func (p *plan) crosses(s *Stmt) bool { return s.N < len(p.whole) && p.whole[s.N] }

// find reports whether a block, to which all threads come together or not, has
// something that must not be crossed.
func (p *plan) find(b []Stmt, together bool) (found bool) {
	for i := range b {
		s := &b[i]
		switch s.Kind {
		case Barrier, Vote, Roles, Gather:
			p.allowed[s] = together
			found = found || together
		case Apart, Leave:
			p.allowed[s] = together
			p.synchronous[s], found = p.synchronous[s] || together, found || together
		case Exit:
			p.allowed[s] = together || !p.synced
			found = found || together && p.synced
		case Call:
			found = found || p.crosses(s)
		}
		for _, inner := range s.Body {
			if p.find(inner, together && s.uniform()) {
				p.synchronous[s], found = true, true
			}
		}
	}
	return found
}

// number gives each mark and each Goto its epoch.
func (p *plan) number(b []Stmt, now *int) {
	for i := range b {
		s := &b[i]
		switch s.Kind {
		case Mark:
			p.epochs = append(p.epochs, *now)
		case Goto:
			p.epoch[s] = *now
		case Barrier, Vote, Roles, Gather, Exit:
			if p.synced && p.allowed[s] {
				*now++
			}
		case Call:
			if p.crosses(s) {
				*now++
			}
		}
		for _, inner := range s.bodies() {
			if p.synchronous[s] {
				*now++
			}
			p.number(inner, now)
		}
		if p.synchronous[s] {
			*now++
		}
	}
}

// target is the mark that a Goto leads to that has so many before it, or -1.
func (p *plan) target(s *Stmt, seen int) int {
	to := -1
	if s.Alt {
		for m := seen - 1; m >= 0 && m >= seen-max(s.N, 1); m-- {
			if p.epochs[m] == p.epoch[s] {
				to = m
			}
		}
		return to
	}
	for m := seen; m < len(p.epochs) && m < seen+max(s.N, 1); m++ {
		if p.epochs[m] == p.epoch[s] {
			to = m
		}
	}
	return to
}
