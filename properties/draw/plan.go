package draw

import "slices"

// plan holds the facts about a kernel that its emitter needs: where barriers and exits are allowed,
// and the target of each Goto.
//
// All threads of a CTA must reach a barrier together, and those of a warp a vote. So such a
// statement is allowed under two conditions:
//
//   - Every statement around it has a uniform condition.
//   - No Break, Continue or Goto leads across it, or into or out of a statement around it.
//
// In a kernel with barriers the same holds for exits, because a branch with an exit on one of its
// paths has no post-dominator.
//
// In a kernel with Free these statements are allowed everywhere, and settle removes those that the
// golden model does not.
//
// In a function the conditions must hold at each call. As far as the program shows, the function
// must not be able to call itself again: token and barrier would reconverge its diverged threads
// only after the first of the calls.
type plan struct {
	synced      bool           // the kernel has barriers or votes
	allowed     map[*Stmt]bool // barriers, votes and exits that are allowed
	synchronous map[*Stmt]bool // statements that contain one of them, and must not be crossed
	epochs      []int          // of each mark; equal epochs have nothing between them that must not be crossed
	epoch       map[*Stmt]int  // of each Goto
	led         map[int]bool   // marks that are targets of a Goto
	apart       []bool         // functions that threads reach apart
	byAddress   []bool         // functions that lead to a call by address, which may be of any function
	whole       []bool         // functions that contain something that must not be crossed
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
	if k.Free {
		k.Each(func(s *Stmt, _ int) { p.allowed[s] = s.Kind != Apart && s.Kind != Leave })
	} else {
		for range 2 {
			for i, body := range slices.Backward(k.Funcs) {
				p.whole[i] = p.find(body, !p.apart[i])
			}
			p.synced = p.find(k.Body, true)
		}
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

// calls finds the functions that a block calls without all threads together. The block belongs to
// function fn, or to the kernel if fn is -1.
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

// crosses reports whether s calls a function that contains something that must not be crossed.
func (p *plan) crosses(s *Stmt) bool { return s.N < len(p.whole) && p.whole[s.N] }

// find reports whether a block contains something that must not be crossed; together says that all
// threads reach the block together.
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

// target returns the mark that a Goto leads to, or -1; seen is the number of marks before the Goto.
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
