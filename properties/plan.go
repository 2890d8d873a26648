package properties

// plan is what must be known of a kernel before it is written: where barriers
// and exits are allowed, and where each Goto leads to.
//
// All threads of a CTA must come to a barrier together. So it has a meaning
// only where every statement around it has a uniform condition; no Break,
// Continue or Goto leads across it or into or out of a statement that it is
// in; and in a kernel with barriers the same holds for exits, because a branch
// with an exit on one of its ways has no post-dominator.
type plan struct {
	synced      bool           // the kernel has barriers
	allowed     map[*Stmt]bool // barriers and exits that have a meaning
	synchronous map[*Stmt]bool // statements with one of them inside that must not be crossed
	epochs      []int          // of each mark: equal if nothing that must not be crossed is between
	epoch       map[*Stmt]int  // of each Goto
	led         map[int]bool   // marks that a Goto leads to
}

func newPlan(k *Kernel) *plan {
	p := &plan{allowed: map[*Stmt]bool{}, synchronous: map[*Stmt]bool{}, epoch: map[*Stmt]int{}, led: map[int]bool{}}
	p.synced = p.find(k.Body, true)
	p.find(k.Body, true)
	now := 0
	p.number(k.Body, &now)
	seen := 0
	walk(k.Body, 0, func(s *Stmt, _ int) {
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

// find reports whether a block, to which all threads come together or not, has
// something that must not be crossed.
func (p *plan) find(b []Stmt, together bool) (found bool) {
	for i := range b {
		s := &b[i]
		switch s.Kind {
		case Barrier:
			p.allowed[s] = together
			found = found || together
		case Exit:
			p.allowed[s] = together || !p.synced
			found = found || together && p.synced
		}
		for _, inner := range s.Body {
			if p.find(inner, together && s.Cond.Uniform()) {
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
		case Barrier, Exit:
			if p.synced && p.allowed[s] {
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

// target is the mark that a Goto leads to when so many are behind it, or -1.
func (p *plan) target(s *Stmt, seen int) int {
	to := -1
	for m := seen; m < len(p.epochs) && m < seen+max(s.N, 1); m++ {
		if p.epochs[m] == p.epoch[s] {
			to = m
		}
	}
	return to
}
