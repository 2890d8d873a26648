package properties

import (
	"fmt"
	"strings"
)

// types are what loads and stores of 32-bit registers can say; the last is of two in one.
var types = []string{"u32", "u8", "s8", "u16", "s16", "s32", "b32", "b64"}

// orders are what loads say, and stores, in front of the space and behind it. The first ones
// are for shared memory as well.
var orders = []struct{ load, store, loadCache, storeCache string }{
	{},
	{load: ".volatile", store: ".volatile"},
	{load: ".relaxed.cta", store: ".relaxed.cta"},
	{load: ".acquire.gpu", store: ".release.gpu"},
	{load: ".relaxed.gpu", store: ".relaxed.gpu"},
	{loadCache: ".ca", storeCache: ".wb"},
	{loadCache: ".cg", storeCache: ".cg"},
	{loadCache: ".cs", storeCache: ".cs"},
	{loadCache: ".cv", storeCache: ".wt"},
}

const sharedOrders = 4

// input makes %at the address of a word of the input, which has its own place for each index, with
// room for so many.
func (e *emitter) input(index string, offset uint32, words int) {
	e.needs |= needInput
	e.line("add.u32 %%w, %s, %d;", index, offset)
	e.line("and.b32 %%w, %%w, %d;", e.k.Words-words)
	e.line("mul.wide.u32 %%at, %%w, 4;")
	e.line("add.u64 %%at, %%in, %%at;")
}

// vector is what instructions say that access so many words.
func vector(words int) string {
	if words == 1 {
		return ""
	}
	return fmt.Sprintf(".v%d", words)
}

// few are so many registers from one on, as an operand.
func (e *emitter) few(first, words int) string {
	if words == 1 {
		return e.r(first)
	}
	list := ""
	for i := range words {
		list += ", " + e.r((first+i)%Registers)
	}
	return "{" + list[2:] + "}"
}

// private is the offset of a private word.
func (e *emitter) private(n int) int {
	if n %= privateWords; !e.k.Apart {
		return 4 * n * e.threads * e.grid
	}
	return 4 * n
}

// load writes a load down, store a store, of so many words.
func (e *emitter) load(s *Stmt, space string, words int, at string) {
	o, typ := s.how(space)
	if typ == "b64" && words == 2 {
		e.line("ld%s%s%s.b64 %%q, %s;", o.load, space, o.loadCache, at)
		e.line("mov.b64 %s, %%q;", e.few(s.D, words))
		return
	}
	e.line("ld%s%s%s%s.%s %s, %s;", o.load, space, o.loadCache, vector(words), strings.Replace(typ, "64", "32", 1), e.few(s.D, words), at)
}

func (e *emitter) store(s *Stmt, guard, space string, words int, at string, source int) {
	o, typ := s.how(space)
	if typ == "b64" && words == 2 {
		e.line("mov.b64 %%q, %s;", e.few(source, words))
		e.line("%sst%s%s%s.b64 %s, %%q;", guard, o.store, space, o.storeCache, at)
		return
	}
	e.line("%sst%s%s%s%s.%s %s, %s;", guard, o.store, space, o.storeCache, vector(words), strings.Replace(typ, "64", "32", 1), at, e.few(source, words))
}

// how is what orders a load or store in a space, and its type.
func (s *Stmt) how(space string) (o struct{ load, store, loadCache, storeCache string }, typ string) {
	o = orders[int(s.Order)%len(orders)]
	switch {
	case space == ".local" || space == "" && (s.Kind == Spill || s.Kind == Fill):
		o = orders[0]
	case space == ".shared" || space == "" && (s.Kind == Give || s.Kind == Take):
		o = orders[int(s.Order)%sharedOrders]
	}
	return o, types[int(s.Type)%len(types)]
}

// access writes a load or store down.
func (e *emitter) access(s *Stmt) {
	space, words := ".global", 1<<s.Wide
	if s.Generic {
		space = ""
	}
	switch s.Kind {
	case Load:
		e.input(e.r(s.A), uint32(s.N), words)
		e.load(s, ".global", words, "[%at]")
	case Put, Get:
		e.needs |= needPrivate
		if !e.k.Apart {
			words = 1
		}
		at := fmt.Sprintf("[%%own+%d]", e.private(s.N&^(words-1)))
		if s.Kind == Get {
			e.load(s, space, words, at)
		} else {
			e.store(s, e.when(s), space, words, at, s.A)
		}
	case Give, Take:
		e.needs |= needShared
		e.cell()
		e.move(s, ".shared", 1, s.Kind == Give, s.A)
	case Pass, Receive:
		e.needs |= needExchange
		e.line("mul.wide.u32 %%at, %%place, 4;")
		e.line("add.u64 %%at, %%xch, %%at;")
		e.move(s, ".global", 1, s.Kind == Pass, s.A)
	case Spill, Fill:
		e.needs |= needLocal
		if s.Generic {
			words = 1 // as where the guard holds
		}
		e.line("and.b32 %%w, %s, %d;", e.r(s.A), localWords-words)
		e.line("mul.wide.u32 %%at, %%w, 4;")
		e.line("mov.u64 %%base, frame;")
		e.line("add.u64 %%at, %%base, %%at;")
		e.move(s, ".local", words, s.Kind == Spill, s.B)
	}
}

// cell makes %at the address of the thread's word of shared memory.
func (e *emitter) cell() {
	e.needs |= needShared
	e.line("mul.wide.u32 %%at, %%place, 4;")
	e.line("mov.u64 %%base, cells;")
	e.line("add.u64 %%at, %%base, %%at;")
}

// move stores registers at %at in a space, or loads D and those that follow from there. With generic
// addresses the threads for which the guard holds access a word of their own in
// global memory instead.
func (e *emitter) move(s *Stmt, space string, words int, store bool, source int) {
	if s.Generic {
		e.needs |= needPrivate
		e.line("cvta%s.u64 %%at, %%at;", space)
		e.line("@%%g add.u64 %%at, %%own, %d;", e.private(s.N))
		space = ""
	}
	if store {
		e.store(s, "", space, words, "[%at]", source)
	} else {
		e.load(s, space, words, "[%at]")
	}
}

// swap writes an atomic down whose result is used, of a word that is the thread's alone.
func (e *emitter) swap(s *Stmt) {
	op := swaps[s.Op%len(swaps)]
	space, at := ".global", fmt.Sprintf("[%%own+%d]", e.private(s.N&^1))
	if s.Alt {
		op = strings.Replace(op, "64", "32", 1)
		e.cell()
		space, at = ".shared", "[%at]"
	} else {
		e.needs |= needPrivate
		if !e.k.Apart {
			op = strings.Replace(op, "64", "32", 1)
		}
	}
	if s.Generic && !s.Alt {
		space = ""
	}
	result, operands := e.r(s.D), e.r(s.A)
	if strings.HasPrefix(op, "cas") {
		operands += ", " + e.r(s.B)
	}
	if strings.HasSuffix(op, "64") {
		e.line("cvt.u64.u32 %%q, %s;", e.r(s.A))
		result, operands = "%q", "%q"
		if strings.HasPrefix(op, "cas") {
			e.line("mov.b64 %%base, {%s, %[1]s};", e.r(s.B))
			operands = "%q, %base"
		}
	}
	e.line("atom%s.%s %s, %s, %s;", space, op, result, at, operands)
	if result == "%q" {
		e.line("shr.u64 %%q, %%q, 7;")
		e.line("cvt.u32.u64 %s, %%q;", e.r(s.D))
	}
}
