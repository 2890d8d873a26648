package litmus

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
)

// The limits of a test: its executions are enumerated one by one.
const (
	maxThreads = 8
	maxEvents  = 24
	maxVars    = 8
	maxRegs    = 16

	maxExecutions = 1 << 24
)

// parser reads a file of tests.
type parser struct {
	file  string
	line  int
	test  *Test
	tests []*Test
	errs  []error
}

// Parse reads the tests of a file, in which # and // begin comments. The error lists everything
// that is wrong.
func Parse(file, text string) ([]*Test, error) {
	p := &parser{file: file}
	for i, line := range strings.Split(text, "\n") {
		p.line = i + 1
		line, _, _ = strings.Cut(line, "#")
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" {
			p.take(line)
		}
	}
	p.end()
	if len(p.tests) == 0 && len(p.errs) == 0 {
		return nil, fmt.Errorf("%s: no test in it: want a line such as \"test NAME\"", file)
	}
	return p.tests, errors.Join(p.errs...)
}

func (p *parser) errorf(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %s", p.file, p.line, fmt.Sprintf(format, args...)))
}

// take reads a line.
func (p *parser) take(line string) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if word == "test" {
		p.end()
		p.test = &Test{Name: rest, Place: fmt.Sprintf("%s:%d", p.file, p.line)}
		if rest == "" || strings.ContainsAny(rest, " /") {
			p.errorf("test %q: want a name without blanks and slashes", rest)
		}
		if slices.ContainsFunc(p.tests, func(t *Test) bool { return t.Name == rest }) {
			p.errorf("test %s: there is one of that name", rest)
		}
		return
	}
	if p.test == nil {
		p.errorf("found %q: want a line such as \"test NAME\" first", word)
		return
	}
	t := p.test
	switch {
	case word == "source":
		t.Source = rest
	case word == "shared":
		for _, name := range strings.Fields(rest) {
			t.vars[p.variable(name)].Shared = true
		}
	case word == "allow" || word == "forbid":
		p.claim(word == "allow", rest)
	case len(t.threads) == 0:
		p.header(line)
	default:
		p.row(line)
	}
}

// end finishes the test that is being read.
func (p *parser) end() {
	t := p.test
	if p.test = nil; t == nil {
		return
	}
	events := len(t.vars)
	for i := range t.threads {
		for _, in := range t.threads[i].Insts {
			if in.Op != opCompute {
				events++
			}
			p.space(t, i, &in)
		}
	}
	switch {
	case len(t.threads) == 0:
		p.errorf("test %s: no threads: want a line such as \"T0 @ cta 0 | T1 @ cta 1\"", t.Name)
	case len(t.vars) == 0:
		p.errorf("test %s: no variable is accessed", t.Name)
	case events > maxEvents:
		p.errorf("test %s: %d memory operations, fences and variables, want at most %d", t.Name, events, maxEvents)
	}
	if n := t.executions(); len(p.errs) == 0 && n > maxExecutions {
		p.errorf("test %s: some %.0g executions to look at, want at most %d: fewer accesses of one variable, or fences",
			t.Name, n, maxExecutions)
	}
	p.tests = append(p.tests, t)
}

// executions estimates an upper bound of the executions that the model examines. Each read has each
// write of its variable; strong writes of a variable and fences have each order.
func (t *Test) executions() float64 {
	n, fences := 1.0, 0
	writes, stores := make([]int, len(t.vars)), make([]int, len(t.vars))
	for i := range t.threads {
		for _, in := range t.threads[i].Insts {
			switch {
			case in.writes():
				writes[in.Var]++
				if in.Op == opStore && in.Order != orderWeak {
					stores[in.Var]++
					n *= float64(stores[in.Var])
				}
			case in.Op == opFence && in.Order == orderSC:
				fences++
				n *= float64(fences)
			}
		}
	}
	for i := range t.threads {
		for _, in := range t.threads[i].Insts {
			if in.reads() {
				n *= float64(writes[in.Var] + 1)
			}
		}
	}
	return n
}

// space checks the address space of an access.
func (p *parser) space(t *Test, thread int, in *inst) {
	if !in.reads() && !in.writes() {
		return
	}
	v := &t.vars[in.Var]
	if v.Shared && in.Space == "global" || !v.Shared && in.Space == "shared" {
		p.errorf("test %s: %s: %s is in another address space; variables are global but for those of a line \"shared %s\"",
			t.Name, in.Text, v.Name, v.Name)
	}
	for i := range t.threads[:thread] {
		other := t.threads[i].CTA != t.threads[thread].CTA
		if other && v.Shared && t.threads[i].accesses(in.Var) {
			p.errorf("test %s: T%d and T%d of different CTAs access %s in shared memory", t.Name, i, thread, v.Name)
			return
		}
	}
}

var column = regexp.MustCompile(`^T(\d+)(?:\s*@\s*cta\s+(\d+))?$`)

// header reads the line of the threads.
func (p *parser) header(line string) {
	for i, cell := range strings.Split(line, "|") {
		cell = strings.TrimSpace(cell)
		m := column.FindStringSubmatch(cell)
		if m == nil || m[1] != strconv.Itoa(i) {
			p.errorf("thread %q: want \"T%d @ cta N\"", cell, i)
		}
		cta := 0
		if m != nil && m[2] != "" {
			cta, _ = strconv.Atoi(m[2])
		}
		if cta >= maxThreads {
			p.errorf("thread %q: want a CTA from 0 to %d", cell, maxThreads-1)
			cta = 0
		}
		p.test.threads = append(p.test.threads, thread{CTA: cta})
	}
	if n := len(p.test.threads); n > maxThreads {
		p.errorf("%d threads, want at most %d", n, maxThreads)
	}
}

// row reads an instruction of each thread.
func (p *parser) row(line string) {
	if len(p.test.claims) > 0 {
		p.errorf("found %q behind the conditions: want instructions first", line)
		return
	}
	cells := strings.Split(line, "|")
	if len(cells) > len(p.test.threads) {
		p.errorf("%d columns, but %d threads", len(cells), len(p.test.threads))
		return
	}
	for i, cell := range cells {
		if cell = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(cell), ";")); cell != "" {
			p.inst(&p.test.threads[i], cell)
		}
	}
}

// orders, scopes and kinds are the words of instructions.
var (
	orders = map[string]memoryOrder{
		"weak": orderWeak, "relaxed": orderRelaxed, "acquire": orderAcquire, "release": orderRelease,
		"acq_rel": orderAcqRel, "sc": orderSC,
	}
	scopes = map[string]scope{"cta": scopeCTA, "gpu": scopeGPU, "gl": scopeGPU, "sys": scopeSystem}
	spaces = []string{"global", "shared"}
	types  = []string{"u32", "b32", "s32"}
	kinds  = map[string][]string{
		"atom": {"add", "inc", "exch", "cas", "and", "or", "xor", "min", "max"},
		"red":  {"add", "inc", "and", "or", "xor", "min", "max"},
	}
)

// forms are the operands of the opcodes: d is a destination, s a source, [ a variable.
var forms = map[string]string{
	"ld": "d[", "st": "[s", "atom": "d[s", "red": "[s", "fence": "", "membar": "",
	"mov": "ds", "add": "dss", "and": "dss", "xor": "dss",
}

// legal are the memory orders of an opcode.
var legal = map[string][]memoryOrder{
	"ld": {orderWeak, orderRelaxed, orderAcquire}, "st": {orderWeak, orderRelaxed, orderRelease},
	"atom": {orderRelaxed, orderAcquire, orderRelease, orderAcqRel}, "red": {orderRelaxed, orderRelease},
	"fence": {orderAcqRel, orderAcquire, orderRelease, orderSC}, "membar": {orderSC},
}

// inst reads an instruction.
func (p *parser) inst(t *thread, text string) {
	in := inst{Text: text, Dst: -1, Scope: scopeSystem}
	name, args, _ := strings.Cut(text, " ")
	words := strings.Split(name, ".")
	op := words[0]
	switch op {
	case "ld":
		in.Op = opLoad
	case "st":
		in.Op = opStore
	case "atom", "red":
		in.Op, in.Order, in.Scope = opAtomic, orderRelaxed, scopeGPU // the PTX defaults without these words
	case "fence":
		in.Op, in.Order = opFence, orderAcqRel
	case "membar":
		in.Op, in.Order = opFence, orderSC
	case "mov", "add", "and", "xor":
		in.Op, in.Kind = opCompute, op
	default:
		p.errorf("%s: %v", text, nearest.Unknown("instruction", op, slices.Sorted(maps.Keys(forms))))
		return
	}
	if !p.words(&in, op, words[1:]) {
		return
	}
	if p.operands(t, &in, op, args) {
		t.Insts = append(t.Insts, in)
	}
}

// words reads the modifiers of an instruction.
func (p *parser) words(in *inst, op string, words []string) bool {
	ordered, scoped, typed := false, false, false
	for _, w := range words {
		order, isOrder := orders[w]
		scope, isScope := scopes[w]
		switch {
		case w == "volatile" && (op == "ld" || op == "st"):
			in.Order, in.Scope = orderRelaxed, scopeSystem // PTX ISA, "volatile Operation"
			ordered, scoped = true, true
		case isOrder && in.Op != opCompute && op != "membar" && !ordered:
			in.Order, ordered = order, true
		case isScope && in.Op != opCompute && !scoped && (scope != scopeGPU || (w == "gl") == (op == "membar")):
			in.Scope, scoped = scope, true
		case slices.Contains(spaces, w) && (in.reads() || in.writes()) && in.Space == "":
			in.Space = w
		case slices.Contains(types, w) && in.Op != opFence && !typed:
			typed = true
		case in.Op == opAtomic && slices.Contains(kinds[op], w) && in.Kind == "":
			in.Kind = w
		default:
			p.errorf("%s: .%s: unexpected modifier", in.Text, w)
			return false
		}
	}
	switch {
	case in.Op != opCompute && !slices.Contains(legal[op], in.Order):
		p.errorf("%s: %s has no such memory order", in.Text, op)
	case in.Op != opFence && !typed:
		p.errorf("%s: want a type of 32 bits, such as .u32", in.Text)
	case in.Op == opFence && !scoped, in.Op != opCompute && in.Op != opAtomic && in.Order != orderWeak && !scoped:
		p.errorf("%s: want a scope: .cta, .gpu or .sys", in.Text)
	case in.Op != opFence && in.Op != opCompute && in.Order == orderWeak && scoped:
		p.errorf("%s: a weak access has no scope", in.Text)
	case in.Op == opAtomic && in.Kind == "":
		p.errorf("%s: want an operation: %s", in.Text, strings.Join(kinds[op], ", "))
	default:
		return true
	}
	return false
}

// operands reads the operands of an instruction, and reports whether they are valid.
func (p *parser) operands(t *thread, in *inst, op, args string) bool {
	before := len(p.errs)
	list := strings.Split(args, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	if args = strings.TrimSpace(args); args == "" {
		list = nil
	}
	form := forms[op]
	if in.Kind == "cas" {
		form += "s"
	}
	if len(list) != len(form) {
		p.errorf("%s: %d operands, want %d", in.Text, len(list), len(form))
		return false
	}
	for i, what := range form {
		switch what {
		case '[':
			name, open := strings.CutPrefix(list[i], "[")
			name, closed := strings.CutSuffix(name, "]")
			if !open || !closed {
				p.errorf("%s: found %q, want a variable in brackets", in.Text, list[i])
			}
			in.Var = p.variable(name)
		case 'd':
			if in.Dst = p.register(list[i]); in.Dst < 0 {
				p.errorf("%s: found %q, want a register from r0 to r%d", in.Text, list[i], maxRegs-1)
			}
			t.Regs = max(t.Regs, in.Dst+1)
		case 's':
			o := operand{Reg: p.register(list[i])}
			if o.Reg < 0 {
				n, err := strconv.ParseUint(list[i], 0, 32)
				if err != nil {
					p.errorf("%s: found %q, want a register or a number", in.Text, list[i])
				}
				o.Value = uint32(n)
			}
			t.Regs = max(t.Regs, o.Reg+1)
			in.Src = append(in.Src, o)
		}
	}
	return len(p.errs) == before
}

// register returns the number of a register, -1 if it is none.
func (p *parser) register(text string) int {
	digits, ok := strings.CutPrefix(strings.TrimPrefix(text, "%"), "r")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n >= maxRegs {
		return -1
	}
	return n
}

var identifier = regexp.MustCompile(`^[A-Za-z_]\w{0,30}$`)

// variable returns the number of a variable.
func (p *parser) variable(name string) int {
	t := p.test
	if i := slices.IndexFunc(t.vars, func(v variable) bool { return v.Name == name }); i >= 0 {
		return i
	}
	if !identifier.MatchString(name) || p.register(name) >= 0 {
		p.errorf("variable %q: want letters and digits, and no name of a register", name)
	}
	if len(t.vars) == maxVars {
		p.errorf("variable %q: want at most %d variables", name, maxVars)
		return 0
	}
	t.vars = append(t.vars, variable{Name: name})
	return len(t.vars) - 1
}

var term = regexp.MustCompile(`^(?:T(\d+):%?r(\d+)|([A-Za-z_]\w*))\s*(==|!=|=)\s*(\d+)$`)

// claim reads a condition: terms such as T0:r1 == 2 or x == 1, joined by && and then by
//
// .
func (p *parser) claim(allow bool, text string) {
	c := claim{Allow: allow, Text: text}
	t := p.test
	for _, part := range strings.Split(text, "||") {
		var terms []comparison
		for _, one := range strings.Split(part, "&&") {
			m := term.FindStringSubmatch(strings.TrimSpace(one))
			if m == nil {
				p.errorf("condition %q: want terms such as T0:r1 == 2 or x == 1, joined by && and ||",
					strings.TrimSpace(one))
				return
			}
			value, err := strconv.ParseUint(m[5], 10, 32)
			at, ok := 0, err == nil
			if m[3] == "" {
				thread, _ := strconv.Atoi(m[1])
				reg, _ := strconv.Atoi(m[2])
				if ok = ok && thread < len(t.threads) && reg < t.threads[thread].Regs; ok {
					at = t.reg(thread, reg)
				}
			} else {
				v := slices.IndexFunc(t.vars, func(v variable) bool { return v.Name == m[3] })
				if ok = ok && v >= 0; ok {
					at = t.final(v)
				}
			}
			if !ok {
				p.errorf("condition %q: the test has no such register, variable or value", strings.TrimSpace(one))
				return
			}
			terms = append(terms, comparison{At: at, Equal: m[4] != "!=", Value: uint32(value)})
		}
		c.Of = append(c.Of, terms)
	}
	t.claims = append(t.claims, c)
}
