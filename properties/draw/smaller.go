package draw

import (
	"iter"
	"slices"

	"divergo/gpu"
)

// Smaller lists cases that are one step simpler than c, the largest steps first.
func Smaller(c Case) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		more := true
		offer := func(change func(c *Case) bool) {
			if !more {
				return
			}
			d := c
			d.Kernel = c.Kernel.clone()
			if change(&d) {
				more = yield(d)
			}
		}
		for _, lanes := range []int{4, 8, c.Machine.SM.WarpSize} {
			offer(func(c *Case) bool {
				was := c.Machine
				c.Machine = Plain(min(lanes, was.SM.WarpSize))
				c.enlarge()
				return c.Machine != was
			})
		}
		fewerThreads(c, offer)
		plainer(c, offer)
		deletions(c, offer)
		simpler(c, offer)
		settings(c, offer)
	}
}

// fewerThreads offers cases with fewer launches, CTAs and threads.
func fewerThreads(c Case, offer func(func(*Case) bool)) {
	one := [3]uint32{1, 1, 1}
	n := c.Block[0] * c.Block[1] * c.Block[2]
	if c.Again > 0 {
		offer(func(c *Case) bool { c.Again--; return true })
	}
	if c.Host != 0 {
		offer(func(c *Case) bool { c.Host = 0; return true })
	}
	if c.Grid != one {
		offer(func(c *Case) bool { c.Grid = one; return true })
		offer(func(c *Case) bool { c.Grid[0] = max(c.Grid[0]/2, 1); c.Grid[1] = max(c.Grid[1]-1, 1); return true })
	}
	if c.Block[1]*c.Block[2] > 1 {
		offer(func(c *Case) bool { c.Block = [3]uint32{n, 1, 1}; return true })
		return
	}
	for threads := uint32(1); threads < n; threads *= 2 {
		offer(func(c *Case) bool { c.Block[0] = threads; return true })
	}
	if n > 1 {
		offer(func(c *Case) bool { c.Block[0] = n - 1; return true })
	}
}

// plainer offers kernels with simpler surroundings: no functions, or none with parameters, and the
// plainest variant of each kernel setting.
func plainer(c Case, offer func(func(*Case) bool)) {
	change := func(change func(k *Kernel)) {
		offer(func(c *Case) bool {
			k := &c.Kernel
			was, funcs := *k, len(k.Funcs)
			change(k)
			return len(k.Funcs) != funcs || k.Style != was.Style || k.Lean != was.Lean || k.Edge != was.Edge ||
				k.Message != was.Message || k.Short != was.Short ||
				k.Dynamic != was.Dynamic || k.Room != was.Room || k.Fuel != was.Fuel || k.Jumps != was.Jumps ||
				k.Turn != was.Turn || k.Odd != was.Odd || k.Image != was.Image || k.Free != was.Free
		})
	}
	change(func(k *Kernel) { k.Funcs = nil })
	change(func(k *Kernel) { k.Lean = true })
	change(func(k *Kernel) { k.Style = styleNone })
	change(func(k *Kernel) { k.Edge = 0 })
	change(func(k *Kernel) { k.Message = 0 })
	change(func(k *Kernel) { k.Image = 0 })
	change(func(k *Kernel) { k.Odd = 0 })
	change(func(k *Kernel) { k.Free = false })
	change(func(k *Kernel) { k.Room = 0 })
	change(func(k *Kernel) { k.Room = min(k.Room, 1) })
	change(func(k *Kernel) { k.Short, k.Dynamic = false, false })
	change(func(k *Kernel) { k.Fuel, k.Jumps, k.Turn = min(k.Fuel, 1), min(k.Jumps, 1), 0 })
}

// blocks returns the statement lists of a kernel and its functions, outer ones first.
func blocks(k *Kernel) []*[]Stmt {
	list := []*[]Stmt{&k.Body}
	for i := range k.Funcs {
		list = append(list, &k.Funcs[i])
	}
	k.Each(func(s *Stmt, _ int) {
		for i := range s.Body {
			list = append(list, &s.Body[i])
		}
	})
	return list
}

// deletions offers kernels without some statements: halves of blocks, then quarters, down to single
// ones.
func deletions(c Case, offer func(func(*Case) bool)) {
	if n := len(c.Kernel.Funcs); n > 0 { // calls of the last one then have no instructions
		offer(func(c *Case) bool { c.Kernel.Funcs = c.Kernel.Funcs[:n-1]; return true })
	}
	list := blocks(&c.Kernel)
	for i, b := range list {
		for n := len(*b); n > 0; n /= 2 {
			for at := 0; at < len(*b); at += n {
				offer(func(c *Case) bool {
					b := blocks(&c.Kernel)[i]
					*b = slices.Delete(*b, at, min(at+n, len(*b)))
					return true
				})
			}
		}
	}
}

// simpler offers kernels in which one statement is simpler, or is replaced by a part of itself.
func simpler(c Case, offer func(func(*Case) bool)) {
	for i, b := range blocks(&c.Kernel) {
		for j := range *b {
			s := &(*b)[j]
			edit := func(change func(s *Stmt)) {
				offer(func(c *Case) bool {
					s := &(*blocks(&c.Kernel)[i])[j]
					was := s.head()
					n := len(s.Body)
					change(s)
					return s.head() != was || len(s.Body) != n
				})
			}
			hoist := func(inner func(s *Stmt) []Stmt) {
				offer(func(c *Case) bool {
					b := blocks(&c.Kernel)[i]
					*b = slices.Concat((*b)[:j], inner(&(*b)[j]), (*b)[j+1:])
					return true
				})
			}
			if n := nesting(s); n > 2 { // half of its nested statements, at once
				hoist(func(s *Stmt) []Stmt { return beneath(s, n/2) })
			}
			if len(s.Body) > 1 {
				hoist(func(s *Stmt) []Stmt { return slices.Concat(s.Body...) })
			}
			for k := range s.Body {
				hoist(func(s *Stmt) []Stmt { return s.Body[k] })
				if len(s.Body) > 1 {
					edit(func(s *Stmt) { s.Body = slices.Delete(s.Body, k, k+1) })
				}
			}
			if s.Kind == Call && s.N < len(c.Kernel.Funcs) {
				offer(func(c *Case) bool {
					b := blocks(&c.Kernel)[i]
					*b = slices.Concat((*b)[:j], cloneBlock(c.Kernel.Funcs[s.N]), (*b)[j+1:])
					return true
				})
			}
			if len(s.Body) == 0 {
				edit(func(s *Stmt) { s.Kind = Compute })
			}
			switch s.Kind {
			case If:
				edit(func(s *Stmt) { s.N = 0 })
			case Apart:
				edit(func(s *Stmt) { s.Kind, s.N = If, 0 })
			case Switch:
				edit(func(s *Stmt) { s.Kind, s.N, s.Body = If, 0, s.Body[:min(len(s.Body), 2)] })
			case Roles:
				edit(func(s *Stmt) { s.Kind, s.Op = Barrier, 0 })
			case Gather:
				edit(func(s *Stmt) { s.Kind = Vote })
			case Leave:
				edit(func(s *Stmt) { s.Kind = If })
			}
			edit(func(s *Stmt) { s.N = min(s.N, 1) })
			edit(func(s *Stmt) { s.N = min(s.N, 2) })
			edit(func(s *Stmt) { s.Alt = false })
			edit(func(s *Stmt) { s.Generic = false })
			edit(func(s *Stmt) { s.Wide = 0 })
			edit(func(s *Stmt) { s.Type = 0 })
			edit(func(s *Stmt) { s.Order = 0 })
			edit(func(s *Stmt) { s.Special = 0 })
			edit(func(s *Stmt) { s.Herd = false })
			edit(func(s *Stmt) { s.Op = 0 })
			edit(func(s *Stmt) { s.A, s.B, s.D = 0, 0, 0 })
			for _, simple := range simpleConds[:complexity(&s.Cond)] {
				if s.Kind != Loop && s.Kind != Switch {
					edit(func(s *Stmt) { s.Cond = simple })
				}
			}
			edit(func(s *Stmt) { s.Cond.Limit /= 2 })
			if s.Kind == Loop {
				edit(func(s *Stmt) {
					s.Cond = Cond{Value: Constant, Salt: uint32(s.N), Reg: -1, Mask: s.Cond.Mask, Cmp: "lt"}
				})
			}
		}
	}
}

// simpleConds are preferred conditions: all threads, the first, all others, every other one, and
// one of eight.
var simpleConds = []Cond{
	{Value: Constant, Reg: -1, Mask: 1, Cmp: "eq"},
	{Value: Thread, Reg: -1, Mask: ^uint32(0), Cmp: "eq"},
	{Value: Thread, Reg: -1, Mask: ^uint32(0), Cmp: "ne"},
	{Value: Thread, Reg: -1, Mask: 1, Cmp: "eq"},
	{Value: Thread, Reg: -1, Mask: 7, Cmp: "eq"},
}

// complexity is the number of simpleConds that are simpler than a condition.
func complexity(c *Cond) (n int) {
	for n < len(simpleConds) && simpleConds[n].Value <= c.Value && simpleConds[n] != *c {
		n++
	}
	return n
}

// nesting is the number of statements around the deepest in s, including s.
func nesting(s *Stmt) (n int) {
	for _, b := range s.Body {
		for i := range b {
			n = max(n, nesting(&b[i]))
		}
	}
	return n + min(len(s.Body), 1)
}

// beneath returns the block at a depth below s, on the path to its most deeply nested statement.
func beneath(s *Stmt, depth int) (b []Stmt) {
	for ; depth > 0; depth-- {
		deepest := s
		b = nil
		for _, body := range s.Body {
			for i := range body {
				if b == nil || nesting(&body[i]) > nesting(deepest) {
					deepest, b = &body[i], body
				}
			}
		}
		s = deepest
	}
	return b
}

// head is a statement without its bodies.
type head struct {
	kind           Kind
	cond           Cond
	op, d, a, b, n int
	alt, generic   bool

	wide, typ, order uint8
	special          uint32
	herd             bool
}

func (s *Stmt) head() head {
	return head{s.Kind, s.Cond, s.Op, s.D, s.A, s.B, s.N, s.Alt, s.Generic, s.Wide, s.Type, s.Order, s.Special, s.Herd}
}

// settings offers machines with narrow warps, and machines with one more plain key.
func settings(c Case, offer func(func(*Case) bool)) {
	for _, lanes := range []int{4, 8} {
		if c.Machine.SM.WarpSize > lanes {
			offer(func(c *Case) bool {
				s := &c.Machine.SM
				s.Threads = s.Threads / s.WarpSize * lanes
				s.WarpSize, s.SIMDWidth, s.DPWidth, s.SFUWidth = lanes, min(s.SIMDWidth, lanes), min(s.DPWidth,
					lanes), min(s.SFUWidth, lanes)
				return true
			})
		}
	}
	simple := Plain(c.Machine.SM.WarpSize)
	for _, key := range gpu.Keys() {
		offer(func(c *Case) bool {
			was := c.Machine
			if key.Set(&c.Machine, key.Get(&simple)) != nil {
				return false
			}
			c.enlarge()
			return c.Machine != was && c.Machine.Check() == nil
		})
	}
}
