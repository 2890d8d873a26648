// Package tokens has the stack of synchronisation tokens of NVIDIA GPUs before Volta, which spills
// to memory.
package tokens

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
)

// Mechanisms are the mechanisms of the package.
var Mechanisms = []divergence.Mechanism{
	{
		Name:     "token",
		Doc:      "stack of synchronisation tokens: instructions of the compiler push and pop",
		Promises: divergence.Promises{InStep: true, Prompt: 1, Depth: tokens, Stack: entries},
		New: func(e divergence.Env) (divergence.Policy, error) {
			if e.Lanes > isa.RowLanes {
				return nil, fmt.Errorf("sm.warp_size = %d: a token in memory is a word of 64 bits with a mask of %d lanes, want at most %d",
					e.Lanes, isa.RowLanes, isa.RowLanes)
			}
			return newTokenStack(e), nil
		},
		Prepare: func(_ divergence.Options, p *isa.Program) *isa.Program { return isa.WithTokens(p) },
		Params:  Keys,
		Spills:  true,
		Covers: []divergence.Property{{
			Name: "two warps wait for memory", Doc: "tokens of two warps move at once",
			Holds: func(p divergence.Policy) bool { return bits.OnesCount64(p.(*TokenStack).Held.Q().Memory) >= 2 },
		}},
		Asserts: []divergence.Property{{
			Name: "held for memory", Doc: "the stack keeps each warp whose tokens move from running",
			Holds: func(p divergence.Policy) bool {
				q := p.(*TokenStack).Held.Q()
				return q.Memory&^q.Warps == 0
			},
		}},
	},
}

// Keys are the parameters, with the values that Bialas & Strzelecki measured on Kepler (2015,
// section IV).
var Keys = divergence.NewParams("token", Params{Window: 16, Pop: 32, Spill: 42, Fill: 42})

// Params are the parameters of the token stack.
type Params struct {
	Window int `toml:"window" old:"token_window" range:"1..64" unit:"tokens" doc:"those of a warp that are on the chip" source:"cost: section IV: Kepler"`
	Pop    int `toml:"pop" old:"token_pop" range:"0..100000" unit:"core cycles" doc:"from the issue of an instruction that pops a token to the issue of the next one" source:"cost: section IV: Kepler"`
	Spill  int `toml:"spill" old:"token_spill" range:"0..100000" unit:"core cycles" doc:"a warp waits for 4 tokens to move to memory, or as long as memory needs" source:"cost: section IV: Kepler"`
	Fill   int `toml:"fill" old:"token_fill" range:"0..100000" unit:"core cycles" doc:"a warp waits for 4 tokens to come back, or as long as memory needs" source:"cost: section IV: Kepler"`
}

// Refill is the number of cycles from the change of a slot to the issue of its next instruction.
// They are fetch, decode and issue, in an otherwise idle front end.
const Refill = 3

// TokenStack is the stack of NVIDIA GPUs before Volta. It follows the reading of the patents US
// 7353369 and US 8312254 by Bialas & Strzelecki (Benchmarking the cost of thread divergence in
// CUDA, 2015, sections III and IV). A token holds a mask and a PC, 64 bits.
//
//	ssy L     push the active mask and L
//	@p bra L  if threads disagree: push those that do not branch and the next
//	          PC; the others go on at L
//	sync      pop a token: its threads are active, at its PC
//	exit      when no thread is left, pop
//
// The sync instruction is the paper's NOP.S: the instruction that carries the pop bit and has no
// other effect. It is executed once for each token, because the token of a branch leads to it again
// when its threads have done their part.
//
// A push onto a full [Window] of 16 tokens stores the 4 lowest, one sector of the L2, in the warp's
// area of memory. A pop that finds none on the chip loads 4. Both access the L1 like the load/store
// unit. A token that returns is popped as it was written, less the threads that have exited since.
//
// The warp waits until memory has answered, and at least as long as the paper measured for a spill
// or a fill on the hardware. At sync it also waits until the instruction at the new PC can issue. A
// push costs nothing.
//
// Slot i is warp i. A warp arrives at a CTA barrier as a whole.
type TokenStack struct {
	divergence.Warps
	Window
	Live  *rtl.Mem[uint64]   `bits:"lanes"`      // by warp
	Until *rtl.Mem[uint64]   `rtl:"sim,inplace"` // by warp: the earliest end of its wait
	Held  rtl.State[waiting] `rtl:"inplace"`     // by warp

	pop, spill, fill uint64 // cycles
	sim              *rtl.Sim
}

// waiting has the warps that the stack keeps from running, and those of them that wait for memory.
type waiting struct {
	Warps  uint64 `bits:"warps"`
	Memory uint64 `bits:"warps"`
}

// tokens is the depth of the stack: a token for each branch, which splits a mask, and for each
// region around the PC. It is 0, no bound, with recursive functions, where a region counts in each
// activation.
func tokens(lanes int, p *isa.Program) int {
	if p.Recursive {
		return 0
	}
	return lanes - 1 + isa.MaxTokenRegions
}

func newTokenStack(e divergence.Env) *TokenStack {
	k := Keys.Of(e.Options)
	return &TokenStack{
		Warps:  divergence.NewWarps(e, 1),
		Window: NewWindow(e.Warps, k.Window),
		Live:   rtl.NewMem[uint64](e.Warps),
		Until:  rtl.NewMem[uint64](e.Warps),
		pop:    uint64(max(k.Pop, Refill)), spill: uint64(k.Spill), fill: uint64(k.Fill),
	}
}

// Tick serves at most one answer of memory and releases the warps whose wait is over. Then it
// serves at most one issued instruction, one outcome and one launch.
func (p *TokenStack) Tick() {
	now := p.sim.Now()
	held := p.Held.Q()
	if p.Answer.Valid() && p.Retire.Ready() {
		p.moved(p.Answer.Front())
		p.Answer.Pop()
		held = p.Held.D() // includes the answer
	}
	next := uint64(rtl.Never)
	for m := held.Warps &^ held.Memory; m != 0; m &= m - 1 {
		w := bits.TrailingZeros64(m)
		if until := *p.Until.Next(w); now < until {
			next = min(next, until)
			continue
		}
		p.Held.D().Warps &^= 1 << w
		p.Table.Edit(w).Wait = divergence.Runs
		p.Changed(w)
	}
	p.sim.WakeAt(next)
	p.pops(&p.CorePort, now)
	for i := range p.Others {
		p.pops(&p.Others[i], now)
	}
	p.Serve(p)
}

// pops records when the warps of a sub-core that pop a token can continue.
func (p *TokenStack) pops(c *divergence.CorePort, now uint64) {
	p.popped(c.Fire.Get(), now)
	if c.Second != nil {
		p.popped(c.Second.Get(), now)
	}
}

// popped records when the warp of an instruction that pops a token can continue.
func (p *TokenStack) popped(f divergence.Fire, now uint64) {
	if f.Valid && p.Inst(f.PC).Op == isa.OpSync {
		*p.Until.Edit(int(f.Slot)) = now + p.pop - Refill
	}
}

// hold keeps warp w from running until a cycle, and until its tokens have moved.
func (p *TokenStack) hold(w int, s *divergence.Slot, until uint64) {
	*p.Until.Edit(w) = until
	if held := p.Held.D(); until > p.sim.Now() || held.Memory>>w&1 != 0 {
		held.Warps |= 1 << (w & 63)
		s.Wait = divergence.WaitsControl
		p.sim.WakeAt(until)
	}
}

// move starts a transfer for warp w, which waits for it, at least until a given cycle.
func (p *TokenStack) move(w int, s *divergence.Slot, until uint64, t divergence.Transfer) {
	t.Row, t.Words = s.Row, uint8(p.chunk)
	p.Memory.Push(t)
	p.Held.D().Memory |= 1 << (w & 63)
	p.hold(w, s, until)
}

// Start records the threads of a new warp.
func (p *TokenStack) Start(l *divergence.WarpStart) {
	*p.Live.Edit(int(l.Row)) = l.Mask
}

// Advance executes ssy, whose result is known when it issues.
func (p *TokenStack) Advance(w int) {
	s := p.Table.Edit(w)
	if in := p.Inst(s.PC - 1); in.Op == isa.OpSSY {
		p.push(w, s, s.PC-1, Token{Mask: s.Mask, PC: in.Target, Sync: true})
	}
}

// Resolve serves a control instruction at the end of execution.
func (p *TokenStack) Resolve(in *isa.Inst, o *divergence.Outcome) {
	w := int(o.Slot)
	s := p.Table.Edit(w)
	s.Wait = divergence.Runs
	s.PC = o.PC + 1
	switch taken, not := s.Mask&o.Taken, s.Mask&^o.Taken; {
	case in.Branches(): // algorithm 1
		j := o.Jump(in, 0)
		if p.D().Stats.Count(in, taken, not) {
			p.push(w, s, o.PC, Token{Mask: not, PC: j.Fall.PC})
			s.Mask = taken
		}
		if s.PC = j.Fall.PC; taken != 0 {
			s.PC = j.Target.PC
		}
	case in.Op == isa.OpSync: // algorithm 2
		if p.Stack.Len(w) == 0 {
			s.PC = in.Target
			return
		}
		p.unwind(w, s)
	case in.Op == isa.OpBar:
		p.bar(w, s, in, o)
	default:
		p.exit(w, s, taken)
	}
}

func (p *TokenStack) bar(w int, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome) {
	if o.Taken == 0 {
		return
	}
	if s.Mask != *p.Live.Next(w) {
		p.D().Stats.BarDiverged++
	}
	waits := in.Mode != isa.ModeArrive
	if waits {
		s.PC, s.Wait = o.PC, divergence.WaitsBarrier
	}
	p.Arrive(p, s, o.Bar, o.Warps, waits)
}

// Arriving returns the warp of the slot, on whatever paths its threads are.
func (p *TokenStack) Arriving(w int, _ uint64, _ bool) uint64 { return *p.Live.At(w) }

func (p *TokenStack) exit(w int, s *divergence.Slot, lanes uint64) {
	*p.Live.Edit(w) &^= lanes
	if s.Mask &^= lanes; s.Mask != 0 {
		return
	}
	p.unwind(w, s)
}

// Resume releases a warp from its CTA barrier.
func (p *TokenStack) Resume(w int) {
	s := p.Table.Edit(w)
	s.Wait = divergence.Runs
	s.PC++
}

// push adds the token of the instruction at pc on top.
func (p *TokenStack) push(w int, s *divergence.Slot, pc uint32, t Token) {
	st := &p.D().Stats
	if p.Full(w) {
		st.Spills++
		at, words := p.Spill(w)
		p.move(w, s, p.sim.Now()+p.spill, divergence.Transfer{Store: true, At: at, PC: pc, Data: words})
	}
	depth := p.Push(w, t)
	st.Pushes++
	st.MaxDepth = max(st.MaxDepth, uint64(depth))
	p.stacked(w, true, t, depth)
}

// stacked notifies the observers of a push or a pop.
func (p *TokenStack) stacked(w int, push bool, t Token, depth uint8) {
	if p.OnStack.Any() {
		p.OnStack.Notify(divergence.Stacked{
			Push: push, Slot: w, Row: w, At: divergence.Point{PC: t.PC}, Mask: t.Mask, Depth: int(depth),
		})
	}
}

// unwind pops tokens until one has live threads. It stops at a token that must come from memory,
// and is called again when that arrives. A warp without threads and tokens ends.
func (p *TokenStack) unwind(w int, s *divergence.Slot) {
	st := &p.D().Stats
	until := max(*p.Until.Next(w), p.sim.Now())
	for s.Mask = 0; s.Mask == 0 && p.Stack.Len(w) > 0; {
		if p.Away(w) {
			st.Fills++
			p.move(w, s, until+p.fill, divergence.Transfer{At: p.Recall(w)})
			return
		}
		t := p.Pop(w)
		st.Pops++
		p.stacked(w, false, t, *p.Stack.Depth.Next(w))
		s.PC, s.Mask = t.PC, t.Mask&*p.Live.Next(w)
	}
	if s.Mask == 0 {
		p.Held.D().Warps &^= 1 << (w & 63)
		p.End(p, s)
		return
	}
	p.hold(w, s, until)
}

// moved ends a spill or a fill. It was a fill if the warp has no threads; then the pop that needed
// it continues.
func (p *TokenStack) moved(t *divergence.Transferred) {
	w := int(t.Row)
	s := p.Table.Edit(w)
	p.Held.D().Memory &^= 1 << (w & 63)
	if s.Mask != 0 {
		return
	}
	p.Fill(w, &t.Data)
	p.unwind(w, s)
}

// Token returns token i of the stack of warp w, counted from the bottom. The token must be on the
// chip, and is read-only.
func (p *TokenStack) Token(w, i int) *Token { return p.Stack.At(w, i%p.window) }

// entries lists the tokens of a warp that are on the chip.
func entries(p divergence.Policy, w int, to []divergence.Entry) []divergence.Entry {
	s := p.(*TokenStack)
	for i := s.onChip(w); i < int(*s.Stack.Depth.At(w)); i++ {
		t := s.Token(w, i)
		to = append(to, divergence.Entry{
			At: divergence.Point{PC: t.PC}, RPC: divergence.Nowhere,
			LPC: divergence.Nowhere, Mask: t.Mask,
		})
	}
	return to
}

// onChip returns the lowest token of warp w that is on the chip. While a warp without threads waits
// for memory, none is there.
func (p *TokenStack) onChip(w int) int {
	if p.Table.At(w).Mask == 0 && p.Held.Q().Memory>>w&1 != 0 {
		return int(*p.Stack.Depth.At(w))
	}
	return int(*p.Spilled.At(w))
}

// Paths lists the running threads and those of the tokens. The PCs of tokens in memory are unknown.
func (p *TokenStack) Paths(to []divergence.Path) []divergence.Path {
	for w := range p.Table.Len() {
		s := p.Table.At(w)
		if !s.Valid {
			continue
		}
		n := int(*p.Stack.Depth.At(w))
		left := *p.Live.At(w)
		add := func(q divergence.Path) {
			if q.Mask &= left; q.Mask != 0 {
				q.CTA, q.Row = s.CTA, s.Row
				to = append(to, q)
				left &^= q.Mask
			}
		}
		add(divergence.Path{PC: s.PC, Reconv: p.reconv(w, n), Mask: s.Mask, Wait: s.Wait, Running: true})
		for i := n - 1; i >= p.onChip(w); i-- {
			t := p.Token(w, i)
			wait := divergence.Runs
			if t.Sync {
				wait = divergence.WaitsJoin
			}
			add(divergence.Path{PC: t.PC, Reconv: p.reconv(w, i), Mask: t.Mask, Wait: wait})
		}
		add(divergence.Path{PC: isa.NoPC, Reconv: isa.NoPC, Mask: left})
	}
	return to
}

// reconv returns the PC of the uppermost ssy token among the n lowest on the chip, or isa.NoPC.
func (p *TokenStack) reconv(w, n int) uint32 {
	for i := n - 1; i >= p.onChip(w); i-- {
		if t := p.Token(w, i); t.Sync {
			return t.PC
		}
	}
	return isa.NoPC
}
