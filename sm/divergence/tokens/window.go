package tokens

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Window is the part of each warp's token stack that is on the chip (Bialas & Strzelecki, 2015,
// section IV). The lowest tokens on the chip move to memory together, and come back together.
//
//	     on the chip                      memory
//	+----+----+--- ---+----+         +----+----+----+----+
//	|top |    |  16   |    | <-----> |  4 |  4 |    ...
//	+----+----+--- ---+----+   4     +----+----+----+----+
type Window struct {
	// Stack is by warp. Its entries are a ring: token i, if on the chip, is in entry i modulo their
	// number. The depth includes the tokens in memory.
	Stack   units.Stack[Token]
	Spilled *rtl.Mem[uint8] `trace:"true"` // by warp: tokens in memory, the lowest ones

	window, chunk int // tokens on the chip, tokens that move together
}

// Token is an entry of the stack.
type Token struct {
	Mask uint64 `bits:"lanes"`
	PC   uint32 `bits:"31"`
	Sync bool   // pushed by ssy; otherwise by a branch
}

// noToken is an entry that is not in use.
var noToken = Token{PC: isa.NoPC}

// NewWindow makes empty stacks for a number of warps, each with so many tokens on the chip.
func NewWindow(warps, window int) Window {
	return Window{
		Stack: units.NewStack(warps, window, noToken), Spilled: rtl.NewMem[uint8](warps),
		window: window, chunk: min(window, divergence.TransferWords),
	}
}

// word returns the token as memory holds it: the mask, then the PC, then its kind.
func (t Token) word() uint64 {
	w := uint64(t.PC)<<32 | t.Mask
	if t.Sync {
		w |= 1 << 63
	}
	return w
}

// Of returns the token in a word of memory.
func Of(w uint64) Token {
	return Token{Mask: w & (1<<isa.RowLanes - 1), PC: uint32(w >> 32 & (1<<31 - 1)), Sync: w>>63 != 0}
}

// entry returns token i of the stack of warp w, for writing.
func (k *Window) entry(w, i int) *Token { return k.Stack.Entry(w, i%k.window) }

// Full reports whether warp w must spill before it pushes.
func (k *Window) Full(w int) bool {
	return int(*k.Stack.Depth.Next(w)-*k.Spilled.Next(w)) == k.window
}

// Away reports whether all tokens of warp w are in memory: it must fill before it pops.
func (k *Window) Away(w int) bool { return *k.Stack.Depth.Next(w) == *k.Spilled.Next(w) }

// Push adds a token on top of the stack of warp w and returns the new depth.
func (k *Window) Push(w int, t Token) (depth uint8) {
	d := k.Stack.Depth.Edit(w)
	*k.entry(w, int(*d)) = t
	*d++
	return *d
}

// Pop removes the top token of warp w.
func (k *Window) Pop(w int) Token {
	d := k.Stack.Depth.Edit(w)
	*d--
	e := k.entry(w, int(*d))
	t := *e
	*e = noToken
	return t
}

// Spill removes the lowest tokens of warp w from the chip. It returns their words, and the place of
// the first one in memory.
func (k *Window) Spill(w int) (at uint8, words [divergence.TransferWords]uint64) {
	n := k.Spilled.Edit(w)
	at = *n
	for i := range k.chunk {
		words[i] = k.entry(w, int(at)+i).word()
	}
	for i := range k.chunk {
		*k.entry(w, int(at)+i) = noToken
	}
	*n += uint8(k.chunk)
	return at, words
}

// Recall begins a fill for warp w and returns the place of the first word in memory.
func (k *Window) Recall(w int) (at uint8) {
	n := k.Spilled.Edit(w)
	*n -= uint8(k.chunk)
	return *n
}

// Fill ends a fill for warp w with the words from memory.
func (k *Window) Fill(w int, words *[divergence.TransferWords]uint64) {
	at := int(*k.Spilled.Next(w))
	for i := range k.chunk {
		*k.entry(w, at+i) = Of(words[i])
	}
}
