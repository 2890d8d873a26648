package hostcheck

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed prelude.h
var prelude string

// words is the number of result words of a thread.
const words = 8

// source is the text of a batch. The kernel of program i is k<i>. On the host, main writes a 1 and
// the words of all threads for each program.
func source(batch []*Program) string {
	var b, host strings.Builder
	b.WriteString(prelude)
	for i, p := range batch {
		fmt.Fprintf(&b, "\n// seed %d, %d CTAs of %d threads\nnamespace p%d {\n%s}\n", p.Seed, p.Grid, p.Block, i,
			p.text())
		fmt.Fprintf(&b, "#ifdef __CUDA__\nKERNEL k%d(u64 *out) {\n    u32 t = blockIdx.x * blockDim.x + threadIdx.x;\n    begin();\n    p%d::body(t, out + t * %d);\n}\n#endif\n", i, i, words)
		fmt.Fprintf(&host, "    run(p%d::body, %d);\n", i, p.Threads())
	}
	b.WriteString("\n#ifndef __CUDA__\n")
	fmt.Fprintf(&b, "static void run(void (*body)(u32, u64 *), u32 threads) {\n    u64 ends = 1;\n    fwrite(&ends, sizeof ends, 1, stdout);\n    for (u32 t = 0; t < threads; t++) {\n        u64 out[%d] = {};\n        begin();\n        body(t, out);\n        fwrite(out, sizeof out, 1, stdout);\n    }\n}\n", words)
	fmt.Fprintf(&b, "int main() {\n%s}\n#endif\n", &host)
	return b.String()
}

// text is all that the body of the program needs, with the body.
func (p *Program) text() string {
	texts := map[string]string{} // by name; methods are with their class
	var names []string
	add := func(name, text string) {
		if texts[name] == "" {
			names = append(names, name)
		}
		texts[name] += text
	}
	for _, d := range slices.Concat(p.Types, p.Tables) {
		add(d.Name, d.Text)
	}
	for _, f := range p.Funcs {
		add(cmp.Or(f.Class, f.Name), f.text())
	}
	used := map[string]bool{"body": true}
	for work := []string{"body"}; len(work) > 0; work = work[1:] {
		for _, name := range names {
			if !used[name] && mentions(texts[work[0]], name) {
				used[name] = true
				work = append(work, name)
			}
		}
	}
	var types, heads, tables, bodies strings.Builder
	for _, d := range p.Types {
		if used[d.Name] {
			types.WriteString(d.Text + "\n")
		}
	}
	for _, d := range p.Tables {
		if used[d.Name] {
			tables.WriteString(d.Text + "\n")
		}
	}
	for _, f := range p.Funcs {
		if used[f.Class] || used[f.Name] {
			bodies.WriteString(f.text())
		}
		if used[f.Name] && f.Class == "" {
			heads.WriteString(f.head() + ";\n")
		}
	}
	return types.String() + heads.String() + tables.String() + bodies.String()
}

// mentions reports whether a name, which ends in a number or is a word, is in a text.
func mentions(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		at += i + len(name)
		if at == len(text) || text[at] < '0' || text[at] > '9' {
			return true
		}
	}
}

// head is the head of a function's declaration.
func (f *Func) head() string {
	params := []string{"u32 t"}
	if f.cycle != 0 {
		params = append(params, "u32 depth")
	}
	if !f.Pure {
		params = append(params, "u64 *out")
	}
	for _, v := range f.Params {
		params = append(params, v.Type+" "+v.Name)
	}
	list := strings.Join(params, ", ")
	switch {
	case f.Class != "":
		return fmt.Sprintf("METHOD %s %s::%s(%s)", f.Result, f.Class, f.Name, list)
	case f.Inline:
		return fmt.Sprintf("FN %s %s(%s)", f.Result, f.Name, list)
	}
	return fmt.Sprintf("FN APART %s %s(%s)", f.Result, f.Name, list)
}

// printer writes the body of a function.
type printer struct {
	strings.Builder
	vars   *strings.Builder // declarations
	indent string
	labels map[string]bool // labels that exist
	names  map[string]bool // names of declared counters, and of the fuel
	fuel   int             // jumps back in one call
	loops  int             // number of loops around the statement
	breaks int             // number of loops and switches around the statement
}

func (f *Func) text() string {
	p := printer{indent: "    ", labels: map[string]bool{}, fuel: 3, vars: &strings.Builder{}, names: map[string]bool{}}
	if f.cycle != 0 {
		p.fuel = 1
	}
	f.bodies(func(body *[]*Stmt) {
		for _, s := range *body {
			if s.Kind == Label {
				p.labels[s.Name] = true
			}
		}
	})
	for i := range f.Vars {
		p.declare(&f.Vars[i])
	}
	p.body(f.Body)
	ret := ""
	if f.Return != nil {
		ret = fmt.Sprintf("    return %s;\n", f.Return)
	}
	return fmt.Sprintf("%s {\n%s%s%s}\n", f.head(), p.vars, &p.Builder, ret)
}

func (p *printer) declare(v *Var) {
	init := " = {}"
	if v.Init != nil {
		init = " = " + v.Init.String()
	}
	if v.Count > 0 {
		fmt.Fprintf(p.vars, "    %s %s[%d]%s;\n", v.Type, v.Name, v.Count, init)
		return
	}
	fmt.Fprintf(p.vars, "    %s %s%s;\n", v.Type, v.Name, init)
}

// counter declares the variables of a loop.
func (p *printer) counter(name string) {
	if !p.names[name] {
		p.names[name] = true
		fmt.Fprintf(p.vars, "    u32 at%s = 0, to%s = 0;\n", name, name)
	}
}

func (p *printer) line(format string, args ...any) {
	p.WriteString(p.indent)
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *printer) body(list []*Stmt) {
	outer := p.indent
	for _, s := range list {
		p.stmt(s)
	}
	p.indent = outer
}

func (p *printer) inner(list []*Stmt, loop, breaks int) {
	p.indent += "    "
	p.loops, p.breaks = p.loops+loop, p.breaks+breaks
	p.body(list)
	p.loops, p.breaks = p.loops-loop, p.breaks-breaks
	p.indent = p.indent[4:]
}

func (p *printer) stmt(s *Stmt) {
	switch s.Kind {
	case Simple:
		p.line("%s;", s.Exprs[0])
	case If:
		p.line("if (%s) {", s.Exprs[0])
		p.inner(s.Bodies[0], 0, 0)
		if len(s.Bodies) > 1 {
			p.line("} else {")
			p.inner(s.Bodies[1], 0, 0)
		}
		p.line("}")
	case For, While, Do:
		p.loop(s)
	case Switch:
		p.line("switch (%s) {", s.Exprs[0])
		for i, body := range s.Bodies {
			if i < len(s.Cases) {
				p.line("case %dull:", s.Cases[i])
			} else {
				p.line("default:")
			}
			p.inner(body, 0, 1)
			if i < len(s.Falls) && s.Falls[i] {
				p.line("    [[fallthrough]];")
			} else {
				p.line("    break;")
			}
		}
		p.line("}")
	case Break:
		if p.breaks > 0 {
			p.line("if (%s)", s.Exprs[0])
			p.line("    break;")
		}
	case Continue:
		if p.loops > 0 {
			p.line("if (%s)", s.Exprs[0])
			p.line("    continue;")
		}
	case Return:
		p.line("if (%s)", s.Exprs[0])
		p.line("    return %s;", s.Exprs[1])
	case Goto:
		switch {
		case !p.labels[s.Name]:
		case s.Back:
			if !p.names["fuel"] {
				p.names["fuel"] = true
				fmt.Fprintf(p.vars, "    u32 fuel = %d;\n", p.fuel)
			}
			p.line("if (fuel && %s) {", s.Exprs[0])
			p.line("    fuel--;")
			p.line("    goto %s;", s.Name)
			p.line("}")
		default:
			p.line("if (%s)", s.Exprs[0])
			p.line("    goto %s;", s.Name)
		}
	case Label:
		p.line("%s:;", s.Name)
	}
}

// loop writes a loop. Its counter and limit are variables of the function, so that a loop entered
// by a goto ends.
func (p *printer) loop(s *Stmt) {
	p.counter(s.Name)
	i, n, more := "at"+s.Name, "to"+s.Name, ""
	if len(s.Exprs) > 1 {
		more = " && " + s.Exprs[1].String()
	}
	switch s.Kind {
	case For:
		p.line("for (%s = 0, %s = %s; %s < %s%s; %s++) {", i, n, s.Exprs[0], i, n, more, i)
	case While:
		p.line("%s = 0, %s = %s;", i, n, s.Exprs[0])
		p.line("while (%s++ < %s%s) {", i, n, more)
	case Do:
		p.line("%s = 0, %s = %s;", i, n, s.Exprs[0])
		p.line("do {")
	}
	p.inner(s.Bodies[0], 1, 1)
	if s.Kind == Do {
		p.line("} while (%s++ < %s%s);", i, n, more)
		return
	}
	p.line("}")
}

var hole = regexp.MustCompile(`\$\d`)

// String is the C++ text.
func (e *Expr) String() string {
	if len(e.Args) == 0 {
		return e.Form
	}
	return hole.ReplaceAllStringFunc(e.Form, func(h string) string {
		i, _ := strconv.Atoi(h[1:])
		return e.Args[i].String()
	})
}
