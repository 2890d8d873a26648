package properties

import "fmt"

// input loads words of the input, which has its own place for each index; of
// several they are those of a vector.
func (e *emitter) input(to, index string, offset uint32, words int) {
	e.needs |= needInput
	e.line("add.u32 %%w, %s, %d;", index, offset)
	e.line("and.b32 %%w, %%w, %d;", e.k.Words-words)
	e.line("mul.wide.u32 %%at, %%w, 4;")
	e.line("add.u64 %%at, %%in, %%at;")
	e.line("ld.global%s.u32 %s, [%%at];", vector(words), to)
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

// access writes a load or store down.
func (e *emitter) access(s *Stmt) {
	space, words := ".global", 1<<s.Wide
	if s.Generic {
		space = ""
	}
	switch s.Kind {
	case Load:
		e.input(e.few(s.D, words), e.r(s.A), uint32(s.N), words)
	case Put, Get:
		e.needs |= needPrivate
		if !e.k.Apart {
			words = 1
		}
		at := e.private(s.N &^ (words - 1))
		switch {
		case s.Kind == Get:
			e.line("ld%s%s.u32 %s, [%%own+%d];", space, vector(words), e.few(s.D, words), at)
		case words > 1:
			e.line("%sst%s%s.u32 [%%own+%d], %s;", e.when(s), space, vector(words), at, e.few(s.A, words))
		default:
			e.line("%sst%s.%s [%%own+%d], %s;", e.when(s), space, [...]string{"u32", "u8", "u16", "u32"}[s.Op&3], at, e.r(s.A))
		}
	case Give, Take:
		e.needs |= needShared
		e.line("mul.wide.u32 %%at, %%place, 4;")
		e.line("mov.u64 %%base, cells;")
		e.line("add.u64 %%at, %%base, %%at;")
		e.move(s, "shared", s.Kind == Give, e.r(s.A))
	case Pass, Receive:
		e.needs |= needExchange
		e.line("mul.wide.u32 %%at, %%place, 4;")
		e.line("add.u64 %%at, %%xch, %%at;")
		e.move(s, "global", s.Kind == Pass, e.r(s.A))
	case Spill, Fill:
		e.needs |= needLocal
		e.line("and.b32 %%w, %s, %d;", e.r(s.A), localWords-1)
		e.line("mul.wide.u32 %%at, %%w, 4;")
		e.line("mov.u64 %%base, frame;")
		e.line("add.u64 %%at, %%base, %%at;")
		e.move(s, "local", s.Kind == Spill, e.r(s.B))
	}
}

// move stores a register at %at in a space, or loads D from there. With generic
// addresses the threads for which the guard holds access a word of their own in
// global memory instead.
func (e *emitter) move(s *Stmt, space string, store bool, source string) {
	dot := "." + space
	if s.Generic {
		dot = ""
		e.needs |= needPrivate
		e.line("cvta.%s.u64 %%at, %%at;", space)
		e.line("@%%g add.u64 %%at, %%own, %d;", e.private(s.N))
	}
	if store {
		e.line("st%s.u32 [%%at], %s;", dot, source)
	} else {
		e.line("ld%s.u32 %s, [%%at];", dot, e.r(s.D))
	}
}
