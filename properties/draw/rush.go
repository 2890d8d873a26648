package draw

import "math/rand/v2"

// This file draws kernels whose warps begin, branch, wait and end close together: the events of a
// mechanism then come in the same cycle, or in the next one, in every order.

// Rush makes the case of a seed with a kernel of rush, as New does for every eighth seed.
func Rush(seed uint64) Case {
	c := Heavy(seed, AllFeatures&^Rushes)
	(&generator{Rand: rand.New(rand.NewPCG(seed, 12)), features: AllFeatures}).rush(&c)
	return c
}

// rush makes the kernel one of short loops, whose statements are the events. The golden
// model decides which of them may stay (settle). There are many CTAs of few warps, so that some begin
// while others branch, wait or end.
func (g *generator) rush(c *Case) {
	warp := uint32(c.Machine.SM.WarpSize)
	k := &c.Kernel
	k.Free, k.Message, k.Edge, k.Room, k.Body = true, 0, 0, 0, nil
	for i := range k.Funcs {
		k.Funcs[i] = g.hurry(1, warp)
	}
	for range 1 + g.IntN(3) {
		n := 1 + g.IntN(3)
		k.Body = append(k.Body, Stmt{
			Kind: Loop, N: n, Cond: Cond{Value: Constant, Salt: uint32(n), Reg: -1, Mask: 3, Cmp: "lt"},
			Alt: g.IntN(2) == 0, Body: [][]Stmt{g.hurry(2, warp)},
		})
	}
	k.Body = append(k.Body, Stmt{Kind: Put})
	n := int(warp) * (1 + g.IntN(4))
	if g.IntN(3) == 0 {
		n -= g.IntN(int(warp))
	}
	n = min(n, c.Machine.SM.Threads/c.Machine.SM.Schedulers)
	c.Block, c.Grid = [3]uint32{uint32(n), 1, 1}, [3]uint32{uint32(1 + g.IntN(max(128/n, 2))), 1, 1}
	g.legalize(k)
}

// hurry draws a few statements that are events, at most so many in one another.
func (g *generator) hurry(depth int, warp uint32) (b []Stmt) {
	work := func(n int) (b []Stmt) {
		for range n {
			b = append(b, Stmt{
				Kind: Compute, D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers), Op: g.IntN(12),
			})
		}
		return b
	}
	for range 1 + g.IntN(4) {
		s := Stmt{D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers), N: g.IntN(16), Cond: g.cond(false)}
		s.Alt = g.IntN(2) == 0
		switch n := g.IntN(12); {
		case n < 4 && depth > 0: // a branch
			s.Kind, s.N = If, g.IntN(2)
			for range 1 + g.IntN(2) {
				s.Body = append(s.Body, g.hurry(depth-1, warp))
			}
		case n < 6 && g.has(Exits): // whole warps end, sooner or later, in some trip of the loop
			warps := func() Cond {
				c := Cond{Value: Thread, Reg: -1, Mask: warp << g.IntN(2), Cmp: "eq"}
				c.Limit = g.Uint32() & c.Mask
				return c
			}
			end := Stmt{Kind: Exit, Cond: Cond{Value: Counter, Reg: -1, Mask: 3, Cmp: "eq", Limit: g.Uint32N(3)}}
			s = Stmt{Kind: If, Cond: warps(), Body: [][]Stmt{append(work(g.IntN(24)), end)}}
			if g.IntN(2) == 0 && g.has(Barriers) { // of a part of the CTA, the rest of which waits
				body := []Stmt{s}
				if g.IntN(2) == 0 { // at one instruction, after loads that take warps different times
					body = []Stmt{{Kind: Load, A: s.A, N: g.IntN(256)}, {Kind: Compute}, {Kind: Exit, Cond: warps()}}
				}
				b = append(b, Stmt{Kind: If, Cond: warps(), Body: [][]Stmt{body}})
				s = Stmt{Kind: Barrier, D: g.IntN(registers), A: g.IntN(registers), N: g.IntN(16)}
			}
		case n < 9 && g.has(Barriers):
			s.Kind = Barrier
		case n == 9 && g.has(Exits): // some threads end
			s.Kind = Exit
		case n == 10 && g.has(Loads):
			s.Kind, s.N = Load, g.IntN(256)
		default:
			b = append(b, work(1+g.IntN(6))...)
			continue
		}
		b = append(b, s)
	}
	return b
}
