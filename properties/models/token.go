package models

import "divergo/isa"

// token is the stack of synchronisation tokens (Bialas & Strzelecki, 2015, section III; US patents
// 7353369 and 8312254). How many are on the chip changes times only.
type token struct {
	*Code
	live   uint64
	pc     uint32
	active uint64
	tokens []strand
}

func newToken(c *Code, mask uint64) *token { return &token{Code: c, live: mask, active: mask} }

func (t *token) ready(do func(pc uint32, mask uint64)) {
	if t.active != 0 {
		do(t.pc, t.active)
	}
}

func (t *token) step(pc uint32, mask, taken uint64) {
	in, take, fall := t.successors(pc, mask, taken)
	t.live &^= mask &^ (take | fall)
	t.pc, t.active = pc+1, fall
	switch {
	case in.Op == isa.OpSSY:
		t.tokens = append(t.tokens, strand{in.Target, mask})
	case in.Op == isa.OpSync:
		t.active = 0
	case take != 0 && fall != 0:
		t.tokens = append(t.tokens, strand{pc + 1, fall})
		fallthrough
	case take != 0:
		t.pc, t.active = in.Target, take
	}
	for n := len(t.tokens); t.active == 0 && n > 0; n-- {
		t.pc, t.active = t.tokens[n-1].pc, t.tokens[n-1].mask&t.live
		t.tokens = t.tokens[:n-1]
	}
}
