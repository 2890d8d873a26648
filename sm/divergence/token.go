package divergence

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

func init() {
	Register(Mechanism{
		Name: "token",
		Doc:  "stack of synchronisation tokens: instructions of the compiler push and pop",
		New: func(o Options, g Geometry, code *Code) (Policy, error) {
			return newTokenStack(o, g, code), nil
		},
		Prepare: func(_ Options, p *isa.Program) *isa.Program { return isa.WithTokens(p) },
	})
}

// Size of the part of a token stack that is on the chip, and how many tokens
// move to and from memory together: 32 bytes, one sector of the L2 (Bialas &
// Strzelecki, section IV).
const (
	tokenWindow = 16
	tokenChunk  = 4
)

// refill is how many cycles pass from a change of a slot to the issue of its
// next instruction, if nothing else wants the front end: fetch, decode, issue.
const refill = 3

// TokenStack is the stack of NVIDIA GPUs before Volta, as Bialas & Strzelecki
// (Benchmarking the cost of thread divergence in CUDA, 2015, sections III and
// IV) read the patents US 7353369 and US 8312254. A token holds a mask and a
// PC, 64 bits.
//
//	ssy L     push the active mask and L
//	@p bra L  if threads disagree: push those that do not branch and the next
//	          PC; the others go on at L
//	sync      pop a token: its threads are active, at its PC
//	exit      when no thread is left, pop
//
// The paper's NOP.S is sync: the instruction that carries the pop bit does
// nothing by itself. It is executed once for each token, because the token of a
// branch leads to it again as soon as its threads have done their part.
//
//	     on the chip                      memory
//	+----+----+--- ---+----+         +----+----+----+----+
//	|top |    |  16   |    | <-----> |  4 |  4 |    ...
//	+----+----+--- ---+----+   4     +----+----+----+----+
//
// A push onto 16 tokens moves the 4 lowest to memory; a pop that finds none
// on the chip brings 4 back. A spill and a fill hold the warp for a time that
// the paper has measured, and so does sync, until the instruction at the new PC
// can issue; their traffic does not load the memory system. A push costs
// nothing.
//
// Slot i is warp i. A warp arrives at a CTA barrier as a whole.
type TokenStack struct {
	Warps
	Stack   units.Stack[Token] // by warp
	Spilled *rtl.Mem[uint8]    `trace:"true"` // by warp: tokens in memory, the lowest ones
	Live    *rtl.Mem[uint32]   // by warp
	Until   *rtl.Mem[uint64]   // by warp: when what it waits for is over
	Held    rtl.State[uint64]  // warps that wait for the stack

	pop, spill, fill uint64 // cycles
	sim              *rtl.Sim
}

// Token is an entry of the stack.
type Token struct {
	Mask uint32
	PC   uint32 `bits:"31"`
	Sync bool   // pushed by ssy, else by a branch
}

// newTokenStack sizes the stack for a token of each branch, which splits a mask,
// and of each region around the PC.
func newTokenStack(o Options, g Geometry, code *Code) *TokenStack {
	return &TokenStack{
		Warps:   newWarps(g, 1, code),
		Stack:   units.NewStack[Token](g.Warps, g.Lanes-1+isa.MaxTokenRegions),
		Spilled: rtl.NewMem[uint8](g.Warps),
		Live:    rtl.NewMem[uint32](g.Warps),
		Until:   rtl.NewMem[uint64](g.Warps),
		pop:     uint64(max(o.TokenPop, refill)), spill: uint64(o.TokenSpill), fill: uint64(o.TokenFill),
	}
}

// Tick lets the warps go whose time has come, and serves at most one issued
// instruction, one outcome and one launch.
func (p *TokenStack) Tick() {
	now := p.sim.Now()
	for held := *p.Held.Q(); held != 0; held &= held - 1 {
		w := bits.TrailingZeros64(held)
		if until := *p.Until.At(w); now < until {
			p.sim.WakeAt(until)
			continue
		}
		*p.Held.D() &^= 1 << w
		p.Table.Edit(w).Wait = Runs
		p.redirect.Add(w)
	}
	if f := p.Fire.Get(); f.Valid && p.code.Prog.Insts[f.PC].Op == isa.OpSync {
		*p.Until.Edit(int(f.Slot)) = now + p.pop - refill
	}
	p.serve(p)
}

// hold keeps warp w from running until a cycle.
func (p *TokenStack) hold(w int, s *Slot, until uint64) {
	if until > p.sim.Now() {
		*p.Until.Edit(w) = until
		*p.Held.D() |= 1 << (w & 63)
		s.Wait = WaitsControl
		p.sim.WakeAt(until)
	}
}

func (p *TokenStack) launch(l *Launch) {
	w := int(l.Row)
	*p.Table.Edit(w) = Slot{Valid: true, CTA: l.CTA, Row: l.Row, Mask: l.Mask}
	*p.Live.Edit(w) = l.Mask
	p.redirect.Add(w)
}

// advance executes ssy, whose outcome is known as it issues.
func (p *TokenStack) advance(w int) {
	s := p.Table.Edit(w)
	if in := &p.code.Prog.Insts[s.PC-1]; in.Op == isa.OpSSY {
		p.push(w, s, Token{Mask: s.Mask, PC: in.Target, Sync: true})
	}
}

func (p *TokenStack) resolve(in *isa.Inst, o *Outcome) {
	w := int(o.Slot)
	s := p.Table.Edit(w)
	s.Wait = Runs
	s.PC = o.PC + 1
	switch taken, not := s.Mask&o.Taken, s.Mask&^o.Taken; in.Op {
	case isa.OpBra: // algorithm 1
		if p.D().Stats.count(in, taken, not) {
			p.push(w, s, Token{Mask: not, PC: o.PC + 1})
			s.Mask = taken
		}
		if taken != 0 {
			s.PC = in.Target
		}
	case isa.OpSync: // algorithm 2
		if p.Stack.Len(w) == 0 {
			s.PC = in.Target
			return
		}
		fills := p.unwind(w, s)
		p.hold(w, s, max(*p.Until.Edit(w), p.sim.Now())+fills*p.fill)
	case isa.OpBar:
		p.bar(w, s, in, o)
	default:
		p.exit(w, s, taken)
	}
}

func (p *TokenStack) bar(w int, s *Slot, in *isa.Inst, o *Outcome) {
	if o.Taken == 0 {
		return
	}
	if s.Mask != *p.Live.Edit(w) {
		p.D().Stats.BarDiverged++
	}
	waits := in.Mode != isa.ModeArrive
	if waits {
		s.PC, s.Wait = o.PC, WaitsBarrier
	}
	p.arrive(p, s, o.Bar, o.Warps, waits)
}

func (p *TokenStack) exit(w int, s *Slot, lanes uint32) {
	*p.Live.Edit(w) &^= lanes
	if s.Mask &^= lanes; s.Mask != 0 {
		return
	}
	fills := p.unwind(w, s)
	if s.Mask == 0 {
		p.retire(p, s)
		return
	}
	p.hold(w, s, p.sim.Now()+fills*p.fill)
}

// resume lets a warp go on behind the barrier.
func (p *TokenStack) resume(w int) {
	s := p.Table.Edit(w)
	s.Wait = Runs
	s.PC++
	p.redirect.Add(w)
}

// push adds a token on top.
func (p *TokenStack) push(w int, s *Slot, t Token) {
	st := &p.D().Stats
	st.Pushes++
	depth := p.Stack.Push(w, t)
	st.MaxDepth = max(st.MaxDepth, uint64(depth))
	if spilled := p.Spilled.Edit(w); depth-int(*spilled) > tokenWindow {
		*spilled += tokenChunk
		st.Spills++
		p.hold(w, s, p.sim.Now()+p.spill)
	}
}

// unwind pops a token, and further ones while they have no live threads. It
// returns how often tokens came back from memory. An empty stack leaves the
// slot without threads.
func (p *TokenStack) unwind(w int, s *Slot) (fills uint64) {
	st := &p.D().Stats
	for s.Mask = 0; s.Mask == 0 && p.Stack.Len(w) > 0; {
		if spilled := p.Spilled.Edit(w); p.Stack.Len(w) == int(*spilled) {
			*spilled -= tokenChunk
			st.Fills++
			fills++
		}
		t := *p.Stack.Top(w)
		p.Stack.Pop(w)
		st.Pops++
		s.PC, s.Mask = t.PC, t.Mask&*p.Live.Edit(w)
	}
	return fills
}

// Paths lists the threads that run and those of the tokens.
func (p *TokenStack) Paths(to []Path) []Path {
	for w := range p.Table.Len() {
		s := p.Table.At(w)
		if !s.Valid {
			continue
		}
		n := int(*p.Stack.Depth.At(w))
		to = append(to, Path{CTA: s.CTA, Row: s.Row, PC: s.PC, Reconv: p.reconv(w, n), Mask: s.Mask, Wait: s.Wait, Running: true})
		above := s.Mask
		for i := n - 1; i >= 0; i-- {
			t := p.Stack.At(w, i)
			mask := t.Mask & *p.Live.At(w) &^ above
			if mask == 0 {
				continue
			}
			wait := Runs
			if t.Sync {
				wait = WaitsJoin
			}
			to = append(to, Path{CTA: s.CTA, Row: s.Row, PC: t.PC, Reconv: p.reconv(w, i), Mask: mask, Wait: wait})
			above |= mask
		}
	}
	return to
}

// reconv is where the uppermost of the n lowest tokens that is not of a branch
// leads to.
func (p *TokenStack) reconv(w, n int) uint32 {
	for i := n - 1; i >= 0; i-- {
		if t := p.Stack.At(w, i); t.Sync {
			return t.PC
		}
	}
	return isa.NoPC
}
