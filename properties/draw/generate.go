package draw

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator draws a kernel.
type generator struct {
	*rand.Rand
	features Features
	loops    int   // around this place
	left     int   // statements left to draw
	fn       int   // function of this place, -1 for the kernel
	costs    []int // of the functions drawn so far; the others precede them
}

// maxCost bounds the instructions that a thread of a random kernel executes.
const maxCost = 600

// draw returns a random kernel with some of the features.
func draw(r *rand.Rand, features Features) Kernel {
	g := &generator{Rand: r}
	for m := features; m != 0; m &= m - 1 {
		if g.IntN(3) > 0 {
			g.features |= m & -m
		}
	}
	k := Kernel{Words: 64 << g.IntN(4), Apart: g.IntN(2) == 0, Turn: g.IntN(64)}
	if g.IntN(2) == 0 { // they make a thread execute much of its kernel again, so the kernel must be short
		g.features &^= Backwards
	}
	k.Jumps = 1 + g.IntN(3)
	if g.has(Calls) {
		g.functions(&k)
	}
	k.Short, k.Dynamic = g.has(Shorts), g.has(Dynamics)
	if g.has(Edges) && g.IntN(32) == 0 {
		k.Edge = []int{3, 5, 6, 7, 9, 10, 12, 14, 20, 24, 31, 40}[g.IntN(12)]
	}
	g.fn = -1
	g.left = 3 + g.IntN(40)
	cost := min(20<<g.IntN(6), maxCost)
	if g.has(Gotos | Backwards) {
		cost /= 1 + k.Jumps
	}
	k.Body = g.block(cost, 0, true)
	for i := range 1 + g.IntN(registers) {
		k.Body = append(k.Body, Stmt{Kind: Put, A: i, N: i})
	}
	return k
}

// functions draws functions from the last to the first, so that a call of a later one has a known
// cost.
func (g *generator) functions(k *Kernel) {
	k.Fuel = 1 + g.IntN(4)
	if g.has(Parameters) {
		k.Style = 1 + g.IntN(numStyles-1)
	}
	k.Funcs = make([][]Stmt, 1+g.IntN(3))
	g.costs = make([]int, len(k.Funcs))
	for i := range slices.Backward(k.Funcs) {
		g.fn, g.left = i, 1+g.IntN(8)
		g.costs[i] = 8 << g.IntN(3)
		k.Funcs[i] = g.block(g.costs[i], 0, g.IntN(2) == 0)
	}
}

// callable returns the functions that can be called here within a cost. A backward call costs as
// much as the check for fuel, because the number of such calls is bounded.
func (g *generator) callable(cost int) (list []int) {
	for i, c := range g.costs {
		if i > g.fn && c+4 <= cost || i <= g.fn && g.has(Recursions) {
			list = append(list, i)
		}
	}
	return list
}

func (g *generator) has(f Features) bool { return g.features&f == f }

// choice is a kind of statement with its relative frequency.
type choice struct {
	kind   Kind
	weight int
	needs  Features
}

var choices = []choice{
	{Compute, 12, 0},
	{Put, 3, 0},
	{Get, 2, 0},
	{If, 10, 0},
	{Test, 2, Guards},
	{Load, 3, Loads},
	{Loop, 7, Loops},
	{Break, 5, Loops | Breaks},
	{Continue, 3, Loops | Continues},
	{Switch, 3, Switches},
	{Goto, 6, Gotos},
	{Mark, 6, Gotos},
	{Exit, 2, Exits},
	{Barrier, 3, Barriers},
	{Give, 2, Shared},
	{Take, 2, Shared},
	{Pass, 2, Exchange},
	{Receive, 2, Exchange},
	{Spill, 1, Locals},
	{Fill, 1, Locals},
	{Atomic, 3, Atomics},
	{Call, 8, Calls},
	{Return, 4, Calls},
	{Vote, 4, Votes},
	{Swap, 3, Swaps},
	{Fence, 2, Orders},
	{Roles, 3, Barriers | Meetings},
	{Apart, 3, Barriers | Aparts},
	{Gather, 1, Votes | Gathers},
	{Count, 1, Counts},
	{Copy, 2, Copies},
}

// block draws statements that cost a thread at most so many instructions. Together means that all
// threads of the CTA reach the block together.
func (g *generator) block(cost, depth int, together bool) (b []Stmt) {
	for cost > 0 && g.left > 0 {
		g.left--
		s := Stmt{Kind: g.kind(cost, depth, together)}
		cost -= g.fill(&s, cost, depth, together)
		b = append(b, s)
		if depth > 0 && g.IntN(3) == 0 {
			break
		}
	}
	return b
}

// kind draws a kind of statement that is allowed here.
func (g *generator) kind(cost, depth int, together bool) Kind {
	sum := 0
	weight := func(c *choice) int {
		switch {
		case g.features&c.needs != c.needs,
			(c.kind == Break || c.kind == Continue) && g.loops == 0,
			(c.kind == If || c.kind == Loop || c.kind == Switch || c.kind == Apart) && (cost < 20 || depth > 10),
			(c.kind == Barrier || c.kind == Vote || c.kind == Roles || c.kind == Gather || c.kind == Apart) &&
				!together,
			c.kind == Call && len(g.callable(cost)) == 0,
			c.kind == Return && g.fn < 0:
			return 0
		}
		return c.weight
	}
	for i := range choices {
		sum += weight(&choices[i])
	}
	at := g.IntN(sum)
	for i := range choices {
		if at -= weight(&choices[i]); at < 0 {
			return choices[i].kind
		}
	}
	return Compute
}

// fill draws the rest of a statement and returns its cost.
func (g *generator) fill(s *Stmt, cost, depth int, together bool) int {
	s.D, s.A, s.B = g.IntN(registers), g.IntN(registers), g.IntN(registers)
	s.N = g.IntN(privateWords)
	s.Alt = g.IntN(2) == 0
	switch s.Kind {
	case Compute:
		for {
			s.Op = g.IntN(len(operations))
			if u := operations[s.Op].unit; g.features&u == u {
				break
			}
		}
		s.Alt = s.Alt && g.has(Guards)
		return 1 + strings.Count(operations[s.Op].ptx, "; ")
	case Put:
		s.Alt = s.Alt && g.has(Guards)
		g.address(s)
		return 1
	case Get:
		g.address(s)
		return 1
	case Vote:
		s.Op, s.Alt = g.IntN(drawnVotes), false
		return 7
	case Gather:
		s.Op, s.Alt = g.IntN(drawnVotes), false
		s.Cond = g.cond(false)
		return 18
	case Count:
		s.Op, s.Alt = g.IntN(len(counts)), false
		return 3
	case Roles:
		s.N, s.Op, s.D = g.IntN(16), g.IntN(3), g.IntN(16)
		return 16
	case Test:
		s.Cond = g.cond(false)
		return 7
	case Load:
		s.N = g.IntN(256)
		g.address(s)
		return 5
	case Atomic:
		s.Op = g.IntN(len(atomics))
		s.Alt = s.Alt && g.has(Tallies)
		return 4
	case Break, Continue:
		s.N = 1 + g.IntN(min(g.loops, 3))
		s.Cond = g.cond(false)
	case Call:
		list := g.callable(cost)
		s.N = list[g.IntN(len(list))]
		s.Cond = g.cond(false)
		most := slices.Max(g.costs[s.N:])
		s.Alt = s.Alt && g.has(Pointers) && most+12 <= cost
		if s.Alt {
			return most + 12
		}
		return g.costs[s.N] + 4
	case Goto:
		s.N = 1 + g.IntN(4)
		s.Cond = g.cond(false)
		s.Alt = s.Alt && g.has(Backwards)
	case Exit, Return:
		s.Cond = g.cond(false)
	case If, Loop, Switch, Apart:
		if s.Kind == If && g.has(Ladders) && depth < 2 && cost > 100 && g.IntN(4) == 0 {
			steps := 8 + g.IntN(min(cost/11, 31)-8)
			*s = g.ladder(1, steps)
			return 11 * steps
		}
		return g.compound(s, cost, depth, together)
	case Give, Take, Pass, Receive, Spill, Fill:
		g.address(s)
		return 7
	case Copy:
		s.N = g.IntN(256)
		g.address(s)
		return 12
	case Swap:
		s.Op = g.IntN(drawnSwaps)
		g.address(s)
		return 9
	case Fence:
		s.Op = g.IntN(len(fences))
		return 1
	case Barrier:
		s.N, s.Alt = 0, s.Alt && g.has(Numbers)
		if g.has(Numbers) {
			s.N, s.Op = g.IntN(16), g.IntN(4)
		}
		return 6
	case Mark:
		return 0
	}
	return 8
}

// address draws the place, the width and the order of a load or store.
func (g *generator) address(s *Stmt) {
	s.Generic = g.has(Generics) && g.IntN(2) == 0
	if g.has(Vectors) {
		s.Wide = uint8(g.IntN(3))
	}
	if g.has(Widths) {
		s.Type = uint8(g.IntN(drawnTypes))
	}
	if g.has(Orders) && g.IntN(2) == 0 {
		s.Order = uint8(g.IntN(len(orders)))
	}
}

// compound draws the condition and the bodies of a statement.
func (g *generator) compound(s *Stmt, cost, depth int, together bool) int {
	s.Cond = g.cond(together && s.Kind != Apart && g.IntN(3) == 0)
	together = together && s.uniform()
	inner := cost/2 + g.IntN(cost/2)
	switch s.Kind {
	case Apart:
		s.N, s.Op = g.IntN(16), 0
		for range 2 {
			s.Body = append(s.Body, g.block(inner, depth+1, false))
		}
	case If:
		s.N = 0
		if g.has(Outlines) && g.IntN(3) == 0 {
			s.N = 1
		}
		s.Body = [][]Stmt{g.block(inner, depth+1, together)}
		if g.IntN(2) == 0 {
			s.Body = append(s.Body, g.block(inner, depth+1, together))
		}
	case Switch:
		s.Cond.Mask = 1<<(1+g.IntN(3)) - 1
		s.Generic = g.has(Tables) && g.IntN(2) == 0
		for range 2 + g.IntN(4) {
			s.Body = append(s.Body, g.block(inner/2, depth+1, together))
		}
	case Loop:
		s.N = 1 + g.IntN(min(7, inner/6))
		s.Cond.Mask = 1<<bits.Len(uint(s.N)) - 1
		if s.Cond.Value == Constant {
			s.Cond.Salt = uint32(1 + g.IntN(s.N))
		}
		g.loops++
		s.Body = [][]Stmt{g.block(inner/(s.N+1)-3, depth+1, together)}
		g.loops--
	}
	return inner + 6
}

// race inserts a Race into every fourth kernel, in a function if there is one. The machine
// determines which of two outcomes comes first; other kernels rarely have two outcomes in flight.
func (g *generator) race(k *Kernel) {
	if g.IntN(4) != 1 {
		return
	}
	arm := func() (b []Stmt) {
		for range 1 + g.IntN(3) {
			b = append(b, Stmt{
				Kind: Compute, D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers),
				Op: g.IntN(12),
			})
		}
		return b
	}
	s := Stmt{
		Kind: Race, A: g.IntN(registers), N: g.IntN(8), D: g.IntN(8), Op: g.IntN(4), Alt: g.IntN(2) == 0,
		Cond: g.cond(false), Body: [][]Stmt{arm(), arm()},
	}
	to := &k.Body
	if n := len(k.Funcs); n > 0 && g.IntN(4) != 0 {
		to = &k.Funcs[g.IntN(n)]
	}
	*to = slices.Insert(*to, g.IntN(len(*to)+1), s)
}

// seldom inserts a rare situation into every third kernel, at a place where all threads are
// together.
func (g *generator) seldom(k *Kernel) {
	if g.IntN(3) != 1 {
		return
	}
	g.fn, g.left = -1, 4
	s := Stmt{
		D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers), N: g.IntN(16), Alt: g.IntN(2) == 0,
		Cond: g.cond(false),
	}
	arms := func(n int) {
		for range n {
			g.left = g.IntN(4)
			s.Body = append(s.Body, g.block(60, 1, false))
		}
	}
	needs := Features(0)
	switch g.IntN(5) {
	case 0: // a barrier that reduces, several times
		needs = Barriers | Numbers | Loops
		b := Stmt{Kind: Barrier, D: s.D, A: s.A, N: s.N, Op: 1 + g.IntN(3)}
		s.Kind, s.N, s.Cond = Loop, 3, Cond{Value: Constant, Salt: uint32(2 + g.IntN(2)), Mask: 3}
		s.Body = [][]Stmt{{{Kind: Compute, D: b.A, A: b.A, B: s.B, Op: g.IntN(12)}, b}}
	case 1: // a barrier at which a warp waits in three parts
		needs = Barriers | Aparts
		s.Kind, s.Op = Apart, apartThree
		arms(2)
	case 2: // barriers of a warp on both sides of a branch
		needs = Barriers | Votes | Aparts
		s.Kind, s.Op = Apart, apartWarp
		arms(2)
	case 3: // threads that end while others of their warp wait
		needs = Barriers | Exits | Aparts
		s.Kind = Leave
		arms(1)
	case 4: // copies, with a wait for some of them
		needs = Copies
		s.Kind, s.Op, s.N = Copy, 1, g.IntN(256)
	}
	if features := g.features; features&needs == needs {
		k.Body = slices.Insert(k.Body, g.IntN(len(k.Body)+1), s)
	}
}

// late inserts a situation that depends on timing into every third kernel, at a place where all
// threads are together.
func (g *generator) late(k *Kernel, warp uint32) {
	if g.IntN(3) != 0 {
		return
	}
	g.fn, g.left = -1, 8
	compute := func(n int) (b []Stmt) { // each uses the result of the one before
		d := g.IntN(registers)
		for range n {
			s := Stmt{Kind: Compute, D: g.IntN(registers), A: d, B: g.IntN(registers), Op: g.IntN(12)}
			b, d = append(b, s), s.D
		}
		return b
	}
	var list []Stmt
	needs := Features(0)
	switch g.IntN(4) {
	case 0: // whole warps that end after others of their CTA have continued, and branches after that
		needs = Exits
		warps := Cond{Value: Thread, Reg: -1, Mask: warp << g.IntN(2), Cmp: "eq"}
		warps.Limit = g.Uint32() & warps.Mask
		work := compute(1 + g.IntN(24))
		if g.has(Loads) {
			work = append(work, Stmt{Kind: Load, D: g.IntN(registers), A: g.IntN(registers), N: g.IntN(256)})
		}
		if g.IntN(2) == 0 {
			list = append(list, Stmt{Kind: If, Cond: warps, Body: [][]Stmt{work}}, Stmt{Kind: Exit, Cond: warps})
			// a branch that meets at the end of the kernel: the other warps do not wait for each other from then on
		} else {
			end := Stmt{Kind: Exit, Cond: Cond{Value: Constant, Mask: 3, Cmp: "eq"}}
			list = append(list, Stmt{Kind: If, Cond: warps, Body: [][]Stmt{append(work, end)}})
		}
		for range 2 {
			list = append(list, Stmt{Kind: If, Cond: g.cond(false), Body: [][]Stmt{g.block(20, 1, false), compute(2)}})
		}
	case 1: // threads that end in a function called by some threads only
		if len(k.Funcs) == 0 || !g.has(Exits) {
			return
		}
		n := g.IntN(len(k.Funcs))
		end := Stmt{Kind: Exit, Cond: g.cond(g.IntN(2) == 0), Alt: g.IntN(2) == 0}
		k.Funcs[n] = slices.Insert(k.Funcs[n], g.IntN(len(k.Funcs[n])+1), end)
		list = append(list, Stmt{Kind: If, Cond: g.cond(false), Body: [][]Stmt{{{Kind: Call, N: n}}, compute(2)}})
	case 2: // warps that other warps wait for, twice at one barrier
		needs = Barriers | Meetings
		list = append(list, Stmt{
			Kind: Roles, Op: 3, N: g.IntN(16), A: g.IntN(registers), B: g.IntN(registers),
			D: g.IntN(registers), Alt: g.IntN(2) == 0,
		})
	case 3: // instructions of few threads, each of which waits for the previous one
		list = append(list, Stmt{Kind: If, Cond: g.cond(false), Body: [][]Stmt{compute(8), compute(8)}})
	}
	if features := g.features; features&needs == needs {
		k.Body = slices.Insert(k.Body, g.IntN(len(k.Body)+1), list...)
	}
}

// vary changes the type of some statements, or their instruction form. It turns some loads into
// loads from constant or parameter memory. In every fourth kernel it lets the CTAs leave messages.
func (g *generator) vary(k *Kernel) {
	if g.features&Messages != 0 && g.IntN(4) == 0 {
		k.Message = 1 + g.IntN(drawnMessages)
	}
	names, byName := computing()
	k.Each(func(s *Stmt, _ int) {
		switch s.Kind {
		case Compute:
			if g.features&Opcodes != 0 && g.IntN(6) == 0 {
				list := byName[names[g.IntN(len(names))]]
				s.Kind, s.N, s.Alt = Form, list[g.IntN(len(list))], false
			}
		case Load, Put, Get, Give, Take, Pass, Receive, Spill, Fill:
			if list := sameSize[s.Type]; g.features&Widths != 0 && len(list) > 0 && g.IntN(2) == 0 {
				s.Type = list[g.IntN(len(list))]
			}
			if s.Kind == Load && g.IntN(4) == 0 {
				s.Kind, s.Alt = Fetch, g.IntN(3) == 0
			}
		case Swap:
			if g.IntN(8) == 0 {
				s.Op = drawnSwaps + g.IntN(len(swaps)-drawnSwaps)
			}
		}
	})
}

// ladder draws nested branches, each of which leaves one more thread of a warp behind.
func (g *generator) ladder(step, steps int) Stmt {
	s := Stmt{
		Kind: If, Alt: g.IntN(4) == 0,
		Cond: Cond{Value: Thread, Reg: -1, Mask: 31, Cmp: "ge", Limit: uint32(step)},
	}
	work := func() Stmt {
		return Stmt{Kind: Compute, D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers), Op: g.IntN(12)}
	}
	then := []Stmt{work()}
	if step < steps {
		then = append(then, g.ladder(step+1, steps), work())
	}
	s.Body = [][]Stmt{then}
	if g.IntN(2) == 0 {
		s.Body = append(s.Body, []Stmt{work()})
	}
	return s
}

// cond draws a condition. The masks have the interesting distributions: all threads alike, one
// lane, halves, every other lane, few lanes, and any.
func (g *generator) cond(uniform bool) Cond {
	c := Cond{Reg: -1, Mask: ^uint32(0), Cmp: "lt"}
	if uniform || g.IntN(12) == 0 {
		c.Value, c.Mask, c.Cmp = CTA, 1, "eq"
		if g.IntN(2) == 0 {
			c.Value, c.Salt, c.Mask = Constant, uint32(g.IntN(2)), 3
		}
		return c
	}
	switch n := g.IntN(10); n {
	case 0: // one lane of 4 to 32
		c.Value, c.Mask, c.Cmp = Thread, 4<<g.IntN(4)-1, "eq"
		c.Limit = g.Uint32() & c.Mask
		if g.IntN(3) == 0 {
			c.Cmp = "ne"
		}
	case 1: // the lower part of a warp
		c.Value, c.Mask = Thread, 4<<g.IntN(4)-1
		c.Limit = 1 + g.Uint32N(c.Mask)
	case 2: // stripes
		c.Value, c.Mask, c.Cmp = Thread, 1<<g.IntN(6), "eq"
	case 3: // few lanes
		c.Value, c.Mask, c.Cmp = Thread, 2<<g.IntN(3)-1, "eq"
	case 4:
		c.Value, c.Mask, c.Cmp = Counter, 3, "eq"
		c.Limit = g.Uint32N(4)
	case 5:
		c.Value, c.Reg, c.Mask = Register, g.IntN(registers), 15
		c.Limit = 1 + g.Uint32N(15)
	default:
		c.Value, c.Salt, c.Mask = Hash, g.Uint32N(1000), 255
		if n == 9 && g.has(Loads) {
			c.Value = Data
		}
		if g.IntN(2) == 0 {
			c.Reg = g.IntN(registers)
		}
		c.Limit = [...]uint32{8, 64, 128, 192, 248}[g.IntN(5)]
	}
	if c.Value == Thread && g.has(Lanes) && g.IntN(2) == 0 {
		c.Value = Lane
	}
	return c
}
