package properties

import (
	"fmt"
	"strings"
)

// functions writes the device functions down. They have neither parameters nor
// registers of their own but the counters of their loops: what the kernel has is
// at module level. Calls lead to later functions, or take of the fuel.
func (e *emitter) functions() string {
	var b strings.Builder
	for i, statements := range e.k.Funcs {
		e.fn = i
		first := e.counts
		body := e.body(statements)
		fmt.Fprintf(&b, "\n.func f%d\n{\n", i)
		for c := first; c < e.counts; c++ {
			fmt.Fprintf(&b, "\t.reg .u32 %%c%d, %%n%d;\n", c, c)
		}
		b.WriteString(body + "}\n")
	}
	return e.declarations() + b.String() + "\n"
}

// declarations are what can be named before it is there.
func (e *emitter) declarations() string {
	if e.needs&needTable == 0 {
		return ""
	}
	var b strings.Builder
	var names []string
	for i := range e.k.Funcs {
		names = append(names, fmt.Sprintf("f%d", i))
		fmt.Fprintf(&b, ".func f%d;\n", i)
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
		e.line(".callprototype _;")
		e.line("call %%at, Q%d;", e.labels)
	} else {
		e.line("call f%d;", s.N)
	}
	if back {
		e.label(l[0])
	}
}
