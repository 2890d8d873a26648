package blocks

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/tokens"
)

var tokenStack = &Block{
	Name: "token-stack", Source: "sm/divergence/tokens/window.go",
	Doc: "stack of synchronisation tokens of a warp, which spills to memory",
	Notes: "It pops one token a cycle, and is not ready meanwhile. The model of the mechanism pops all tokens of\n" +
		"an update in its cycle, and the first one of a fill in the cycle of the answer. A transfer is there until\n" +
		"memory answers. The measured waits of the model and CTA barriers are not part of the block.\n",
	Sizes: []Size{
		{"lanes", "lanes of the warp", isa.RowLanes, 2, isa.RowLanes, true, 4},
		{"window", "tokens on the chip", 16, 1, divergence.SpillWords, true, 4},
	},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[TokenStackIn]) (rtl.Ticker, *rtl.Wire[TokenStackOut]) {
			b := &TokenStack{In: in, Window: tokens.NewWindow(1, s["window"]), spare: 1<<isa.RowLanes - 1<<s["lanes"]}
			return b, &b.Out
		})
	},
}

// TokenStack is the token stack of one warp, with the threads that run: see tokens.TokenStack.
type TokenStack struct {
	rtl.State[struct {
		Valid bool   // the warp has threads
		PC    uint32 `bits:"31"`
		Mask  uint64 `bits:"lanes"` // none: tokens are popped
		Live  uint64 `bits:"lanes"`
		Moves bool   // memory has yet to answer
		Store bool
		At    uint8
		Words [divergence.TransferWords]uint64
	}]
	Window tokens.Window `reset:"none"` // of tokens in use
	In     *rtl.Wire[TokenStackIn]
	Out    rtl.Wire[TokenStackOut]
	spare  uint64 // bits of a word in memory for lanes that the warp does not have
}

// TokenStackIn is what happens to a warp in a cycle in which it is ready: it starts, or its
// instruction ends. Target is that of ssy or a branch. At a sync without a token it is the next PC.
// Memory may answer a transfer in any cycle after the first one that has it.
type TokenStackIn struct {
	Start   bool
	Advance bool
	SSY     bool
	Branch  bool
	Sync    bool
	Exit    bool
	Lanes   uint64 `bits:"lanes"` // of the start, the taken side or the exit
	Target  uint32 `bits:"31"`

	Answer bool
	Filled [divergence.TransferWords]uint64 // words of a fill
}

// TokenStackOut is the running path of the warp, and the transfer that memory has yet to answer.
type TokenStackOut struct {
	Valid bool   // the warp has threads
	Ready bool   // the path can execute an instruction
	PC    uint32 `bits:"31"`
	Mask  uint64 `bits:"lanes"`
	Depth uint8  // tokens, with those in memory

	Moves bool
	Store bool                             // a spill, otherwise a fill
	At    uint8                            // the first word
	Words [divergence.TransferWords]uint64 // of a spill
}

// Tick starts a warp, takes the answer of memory, pops a token or serves an instruction.
func (b *TokenStack) Tick() {
	in, q := b.In.At(), b.Q()
	b.Out.Set(TokenStackOut{
		Valid: q.Valid, Ready: q.Valid && q.Mask != 0 && !q.Moves, PC: q.PC, Mask: q.Mask,
		Depth: uint8(b.Window.Stack.Len(0)), Moves: q.Moves, Store: q.Store, At: q.At, Words: q.Words,
	})
	left := q.Mask // threads of the path, without those of an exit
	if in.Exit {
		left &^= in.Lanes
	}
	d := b.D()
	switch {
	case !q.Valid:
		if in.Start && in.Lanes != 0 {
			d.Valid, d.PC, d.Mask, d.Live = true, 0, in.Lanes, in.Lanes
		}
	case q.Moves:
		if in.Answer {
			d.Moves = false
			if !q.Store {
				b.fill(in.Filled)
			}
		}
	case left == 0 || in.Sync && b.Window.Stack.Len(0) != 0:
		d.Live &^= q.Mask &^ left
		b.pop()
	default:
		b.execute(in)
	}
}

// fill takes the tokens that memory returns.
func (b *TokenStack) fill(words [divergence.TransferWords]uint64) {
	for i := range words {
		words[i] &^= b.spare
	}
	b.Window.Fill(0, &words)
}

// execute serves an instruction after which the path goes on.
func (b *TokenStack) execute(in *TokenStackIn) {
	d := b.D()
	taken, not := d.Mask&in.Lanes, d.Mask&^in.Lanes
	next := d.PC + 1
	switch {
	case in.Exit:
		d.Live &^= taken
		d.PC, d.Mask = next, not
	case in.Sync:
		d.PC = in.Target
	case in.Branch:
		if taken != 0 && not != 0 {
			b.push(tokens.Token{Mask: not, PC: next})
			d.Mask = taken
		}
		if d.PC = next; taken != 0 {
			d.PC = in.Target
		}
	case in.SSY:
		b.push(tokens.Token{Mask: d.Mask, PC: in.Target, Sync: true})
		d.PC = next
	case in.Advance:
		d.PC = next
	}
}

// push adds a token. If the window is full, the lowest ones leave it.
func (b *TokenStack) push(t tokens.Token) {
	if b.Window.Full(0) {
		d := b.D()
		d.Moves, d.Store = true, true
		d.At, d.Words = b.Window.Spill(0)
	}
	b.Window.Push(0, t)
}

// pop continues with the threads of the top token, begins a fill for it, or ends the warp.
func (b *TokenStack) pop() {
	d := b.D()
	d.Mask = 0
	switch {
	case b.Window.Stack.Len(0) == 0:
		d.Valid = false
	case b.Window.Away(0):
		d.Moves, d.Store = true, false
		d.At = b.Window.Recall(0)
	default:
		t := b.Window.Pop(0)
		d.PC, d.Mask = t.PC, t.Mask&d.Live
	}
}
