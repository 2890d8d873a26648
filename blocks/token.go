package blocks

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/tokens"
)

var token = &Block{
	Name: "token", Source: "sm/divergence/tokens/token.go",
	Doc: "mechanism token: a stack of synchronisation tokens for each warp, which spills to memory",
	Notes: "A pop takes all tokens on the chip that have no threads: a priority encoder finds the first one with\n" +
		"threads. Transfers that begin in the same cycle leave one after the other. So do warps that end.\n",
	Sizes: []Size{
		{"lanes", "lanes of a warp", isa.RowLanes, 2, isa.RowLanes, true, 4},
		{"warps", "warps of an SM", 8, 2, 64, true, 2},
		{"window", "tokens of a warp on the chip", 16, 1, divergence.SpillWords, true, 4},
		{"pop", "cycles from the issue of a sync to that of the next instruction", 32, tokens.Refill, 1000, false, 6},
		{"spill", "cycles that a warp waits at least for tokens that move to memory", 42, 0, 1000, false, 5},
		{"fill", "cycles that a warp waits at least for tokens that come back", 42, 0, 1000, false, 2},
	},
	promises: "in_step prompt=1",
	tokens:   true,
	derive: func(s Sizes) {
		s["slots"], s["tokens"], s["kind_bits"] = s["warps"], 1, 3
		// A wait is that of a pop or a spill, and of the fills of all tokens in memory.
		s["wait_bits"] = bits.Len(uint(max(s["pop"], s["spill"]) + s["fill"]*(1<<8/min(s["window"], divergence.TransferWords))))
	},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[MechanismIn]) (rtl.Ticker, *rtl.Wire[MechanismOut]) {
			b := &Token{
				In: in, Table: rtl.NewMem[divergence.Slot](s["warps"]), Live: rtl.NewMem[uint64](s["warps"]),
				Wait: rtl.NewMem[uint32](s["warps"]), Window: tokens.NewWindow(s["warps"], s["window"]),
				Queue: rtl.NewMem[TokenMove](s["warps"]), deep: s["window"], chunk: min(s["window"], divergence.TransferWords),
				pop: uint32(s["pop"] - tokens.Refill), spill: uint32(s["spill"]), fill: uint32(s["fill"]),
				spare: 1<<isa.RowLanes - 1<<s["lanes"],
			}
			return b, &b.Out
		})
	},
}

// Token is the stack of synchronisation tokens, between the ports of a Verilog unit: see
// tokens.TokenStack.
type Token struct {
	rtl.State[struct {
		Held   uint64 `bits:"warps"` // warps that wait
		Moves  uint64 `bits:"warps"` // of these, the ones whose tokens move
		Ended  uint64 `bits:"warps"` // warps that have yet to retire
		First  uint8  `bits:"warps_bits"`
		Queued uint8  `bits:"7"` // transfers, from the first one on
	}]
	Table  *rtl.Mem[divergence.Slot]
	Wait   *rtl.Mem[uint32]    `bits:"wait_bits"`          // by warp: cycles until it can run
	Live   *rtl.Mem[uint64]    `bits:"lanes" reset:"none"` // by warp: threads that have not exited
	Window tokens.Window       `reset:"none"`              // of warps that run
	Queue  *rtl.Mem[TokenMove] `reset:"none"`
	In     *rtl.Wire[MechanismIn]
	Out    rtl.Wire[MechanismOut]

	deep, chunk      int    // tokens on the chip, tokens that move together
	pop, spill, fill uint32 // cycles
	spare            uint64 // bits of a word in memory for lanes that the warp does not have
}

// TokenMove is a transfer of tokens: a spill, or a fill.
type TokenMove struct {
	Store bool
	Warp  uint8 `bits:"warps_bits"`
	At    uint8
	Words [divergence.TransferWords]uint64
}

// Tick counts the waits, takes the answer of memory and serves the events.
func (b *Token) Tick() {
	in, q, d := b.In.At(), b.Q(), b.D()
	b.Out.Set(b.outputs(in))
	d.Ended = q.Ended & (q.Ended - 1)
	if q.Queued != 0 {
		d.First, d.Queued = (q.First+1)&uint8(b.Table.Len()-1), q.Queued-1
	}
	waits := uint64(0)
	for w := range b.Table.Len() {
		if left := *b.Wait.At(w); left != 0 {
			waits |= 1 << w
			*b.Wait.Edit(w) = left - 1
		}
	}
	if w := int(in.AnswerWarp); in.AnswerValid && q.Moves>>w&1 != 0 {
		d.Moves &^= 1 << w
		if b.Table.At(w).Mask == 0 {
			b.filled(w, in.AnswerData)
		}
	}
	d.Held &= d.Moves | waits
	busy := uint64(0) // warps with an event; illegal ones are ignored
	if w := int(in.FireWarp); in.FireValid && b.runs(w) {
		busy |= 1 << w
		b.fire(w, in)
	}
	if w := int(in.OutcomeWarp); in.OutcomeValid && b.runs(w) && busy>>w&1 == 0 {
		busy |= 1 << w
		b.outcome(w, in)
	}
	for set := in.Resume &^ busy; set != 0; set &= set - 1 {
		if w := bits.TrailingZeros64(set); b.runs(w) {
			b.Table.Edit(w).PC++
		}
	}
	if w := int(in.LaunchWarp); in.LaunchValid && in.LaunchMask != 0 && !b.Table.At(w).Valid {
		*b.Table.Edit(w) = divergence.Slot{Valid: true, Mask: in.LaunchMask}
		*b.Live.Edit(w) = in.LaunchMask
		*b.Window.Stack.Depth.Edit(w) = 0
		*b.Window.Spilled.Edit(w) = 0
	}
}

// runs reports whether a warp can have an event.
func (b *Token) runs(w int) bool { return b.Table.At(w).Valid && b.Q().Held>>w&1 == 0 }

// fire moves a warp to its next instruction, and pushes the token of ssy. The wait for a pop begins
// with the issue of sync.
func (b *Token) fire(w int, in *MechanismIn) {
	s := b.Table.Edit(w)
	if in.FireSync {
		*b.Wait.Edit(w) = after(b.pop)
	}
	if in.FireControl {
		return
	}
	s.PC++
	if in.FireSSY {
		b.push(w, tokens.Token{Mask: s.Mask, PC: in.FireTarget & (1<<31 - 1), Sync: true})
	}
}

// after is what is left of a wait in the next cycle.
func after(wait uint32) uint32 {
	if wait == 0 {
		return 0
	}
	return wait - 1
}

// outcome serves a control instruction.
func (b *Token) outcome(w int, in *MechanismIn) {
	s := b.Table.Edit(w)
	taken, not := s.Mask&in.OutcomeTaken, s.Mask&^in.OutcomeTaken
	switch in.OutcomeKind {
	case kindBranch:
		if taken != 0 && not != 0 {
			b.push(w, tokens.Token{Mask: not, PC: in.OutcomeFall.PC & (1<<31 - 1)})
			s.Mask = taken
		}
		if s.PC = in.OutcomeFall.PC; taken != 0 {
			s.PC = in.OutcomeTarget.PC
		}
	case kindExit:
		s.PC++
		live := *b.Live.At(w) &^ taken
		*b.Live.Edit(w) = live
		if s.Mask = not; not == 0 {
			b.unwind(w, live)
		}
	case kindSync:
		if *b.Window.Stack.Depth.At(w) == 0 {
			s.PC = in.OutcomeTarget.PC
		} else {
			s.PC++
			b.unwind(w, *b.Live.At(w))
		}
	case kindNext:
		s.PC++
	}
}

// push adds a token. If the window is full, the lowest ones leave it.
func (b *Token) push(w int, t tokens.Token) {
	if b.Window.Full(w) {
		at, words := b.Window.Spill(w)
		b.move(TokenMove{Store: true, Warp: uint8(w), At: at, Words: words}, b.spill)
	}
	b.Window.Push(w, t)
}

// move queues a transfer. Its warp waits for the answer, and for a number of cycles.
func (b *Token) move(m TokenMove, wait uint32) {
	d, w := b.D(), int(m.Warp)
	d.Held |= 1 << w
	d.Moves |= 1 << w
	*b.Wait.Edit(w) = after(wait)
	if n := b.Table.Len(); int(d.Queued) < n {
		*b.Queue.Edit(int(d.First+d.Queued) & (n - 1)) = m
		d.Queued++
	}
}

// unwind pops tokens of a warp until one has live threads.
func (b *Token) unwind(w int, live uint64) {
	low := *b.Window.Spilled.At(w)
	n := int(*b.Window.Stack.Depth.At(w) - low)
	alive := uint64(0)
	for i := range b.deep {
		if i < n && b.token(w, low+uint8(i)).Mask&live != 0 {
			alive |= 1 << i
		}
	}
	top := uint8(bits.Len64(alive))
	b.settle(w, live, low, top, b.token(w, low+top-1))
}

// token returns token i of a warp, which is on the chip.
func (b *Token) token(w int, i uint8) tokens.Token { return *b.Window.Stack.At(w, int(i)&(b.deep-1)) }

// filled ends a fill: the pop that needed it continues.
func (b *Token) filled(w int, words [divergence.TransferWords]uint64) {
	for i := range words {
		words[i] &^= b.spare
	}
	b.Window.Fill(w, &words)
	live := *b.Live.At(w)
	var t tokens.Token
	top := uint8(0)
	for i := range b.chunk {
		if x := tokens.Of(words[i]); x.Mask&live != 0 {
			t, top = x, uint8(i+1)
		}
	}
	b.settle(w, live, *b.Window.Spilled.At(w), top, t)
}

// settle continues a warp with token t, the uppermost one with live threads: it is the one below top,
// counted from low, the lowest token on the chip. If top is 0, all tokens on the chip have gone. Then it
// begins a fill, or the warp ends.
func (b *Token) settle(w int, live uint64, low, top uint8, t tokens.Token) {
	d, s, left := b.D(), b.Table.Edit(w), *b.Wait.At(w)
	s.Mask = 0
	switch {
	case top != 0:
		*b.Window.Stack.Depth.Edit(w) = low + top - 1
		s.PC, s.Mask = t.PC, t.Mask&live
		if left != 0 {
			d.Held |= 1 << w
		}
	case low != 0:
		*b.Window.Stack.Depth.Edit(w) = low
		b.move(TokenMove{Warp: uint8(w), At: b.Window.Recall(w)}, left+b.fill)
	default:
		*b.Window.Stack.Depth.Edit(w) = 0
		s.Valid = false
		d.Held &^= 1 << w
		d.Ended |= 1 << w
	}
}

// outputs reads the registers.
func (b *Token) outputs(in *MechanismIn) (out MechanismOut) {
	q := b.Q()
	out.slots(b.Table)
	counts := q.Held&^q.Moves != 0
	for w := range b.Table.Len() {
		out.SlotValid[w] = out.SlotValid[w] && q.Held>>w&1 == 0
		counts = counts || *b.Wait.At(w) != 0
	}
	if q.Ended != 0 {
		out.RetireValid, out.RetireWarp = true, uint8(bits.TrailingZeros64(q.Ended))
	}
	out.Busy = counts || q.Queued > 1 || q.Ended&(q.Ended-1) != 0
	if q.Queued != 0 {
		m := b.Queue.At(int(q.First))
		out.TransferValid, out.TransferStore, out.TransferWarp, out.TransferAt = true, m.Store, m.Warp, m.At
		out.TransferWords, out.TransferData = uint8(b.chunk), m.Words
	}
	b.debug(in, &out)
	return out
}

// debug lists the running path of a warp, the tokens on the chip from the top, and all threads, some of
// which can have their tokens in memory.
func (b *Token) debug(in *MechanismIn, out *MechanismOut) {
	w, i := int(in.DebugWarp), int(in.DebugIndex)
	s, low := b.Table.At(w), *b.Window.Spilled.At(w)
	n := int(*b.Window.Stack.Depth.At(w) - low)
	if s.Mask == 0 && b.Q().Moves>>w&1 != 0 { // a fill: none is on the chip
		n = 0
	}
	if !s.Valid || i > n+1 {
		return
	}
	out.DebugValid, out.DebugAt, out.DebugMeet = true, divergence.Nowhere, divergence.Nowhere
	live := *b.Live.At(w)
	out.DebugMask = live
	if i > n {
		return
	}
	for k := range b.deep { // from the bottom: the uppermost token of ssy below the group
		if t := b.token(w, low+uint8(k)); k < n-i && t.Sync {
			out.DebugMeet.PC = t.PC
		}
	}
	if i == 0 {
		out.DebugAt, out.DebugMask = s.At(), s.Mask
		return
	}
	t := b.token(w, low+uint8(n-i))
	out.DebugAt.PC, out.DebugMask = t.PC, t.Mask&live
}
