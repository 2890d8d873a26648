package draw

import (
	"fmt"
	"strings"
)

// These are the styles of functions: how they receive a number and return one.
const (
	styleNone = iota // not at all
	styleRegisters
	styleParams // memory
	numStyles
)

// head returns the header of a function.
func (e *emitter) head(i int) string {
	switch e.k.Style {
	case styleRegisters:
		return fmt.Sprintf(".func (.reg .u32 %%res) f%d(.reg .u32 %%arg)", i)
	case styleParams:
		return fmt.Sprintf(".func (.param .b32 res) f%d(.param .b32 arg)", i)
	}
	return fmt.Sprintf(".func f%d", i)
}

// enter moves the parameter of a function into one of the kernel's registers.
func (e *emitter) enter() {
	if e.fn >= 0 && e.k.Style != styleNone {
		e.line("xor.b32 %s, %[1]s, %%arg;", e.r(e.fn%registers))
	}
}

// ret returns. A function returns the sum of its parameter, kept until then, and another register.
func (e *emitter) ret(guard string) {
	if e.fn >= 0 && e.k.Style != styleNone {
		e.line("add.u32 %%res, %%arg, %s;", e.r((e.fn+1)%registers))
		if e.k.Style == styleParams {
			e.line("st.param.b32 [res], %%res;")
		}
	}
	e.line("%sret;", guard)
}

// passed calls a function, by name or, with a prototype, by address.
func (e *emitter) passed(s *Stmt, to, prototype string) {
	a, d := e.r(s.A), e.r(s.D)
	if prototype != "" {
		prototype = ", " + prototype
	}
	switch e.k.Style {
	case styleRegisters:
		e.line("call (%s), %s, (%s)%s;", d, to, a, prototype)
	case styleParams:
		e.line("{ .param .b32 given; .param .b32 back; st.param.b32 [given], %s;", a)
		e.line("call (back), %s, (given)%s;", to, prototype)
		e.line("ld.param.b32 %s, [back]; }", d)
	default:
		e.line("call %s%s;", to, prototype)
	}
}

// declarations returns the forward declarations.
func (e *emitter) declarations() string {
	if e.needs&needTable == 0 {
		return ""
	}
	var b strings.Builder
	var names []string
	for i := range e.k.Funcs {
		names = append(names, fmt.Sprintf("f%d", i))
		fmt.Fprintf(&b, "%s;\n", e.head(i))
	}
	fmt.Fprintf(&b, ".const .u64 table[%d] = {%s};\n", len(names), strings.Join(names, ", "))
	return b.String()
}

func (e *emitter) call(s *Stmt) {
	last := len(e.k.Funcs) - 1
	if s.N > last {
		return
	}
	back := s.N <= e.fn
	l := e.fresh("join")
	if back {
		e.needs |= needFuel
		e.line("setp.eq.u32 %%p, %%fuel, 0;")
		e.line("@%%p bra %s;", l[0])
		e.line("sub.u32 %%fuel, %%fuel, 1;")
	}
	if s.Alt {
		e.needs |= needTable
		e.line("and.b32 %%w, %s, 3;", e.value(&s.Cond))
		e.line("min.u32 %%w, %%w, %d;", last-s.N)
		e.line("mul.wide.u32 %%at, %%w, 8;")
		e.line("mov.u64 %%base, table;")
		e.line("add.u64 %%at, %%base, %%at;")
		e.line("ld.const.u64 %%at, [%%at+%d];", 8*s.N)
		e.label(fmt.Sprintf("Q%d", e.labels))
		e.line(".callprototype %s;", [numStyles]string{
			"_", "(.reg .b32 _) _ (.reg .b32 _)",
			"(.param .b32 _) _ (.param .b32 _)",
		}[e.k.Style])
		e.passed(s, "%at", fmt.Sprintf("Q%d", e.labels))
	} else {
		e.passed(s, fmt.Sprintf("f%d", s.N), "")
	}
	if back {
		e.label(l[0])
	}
}
