package verilog

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"divergo/rtl"
)

// Text is a module in Verilog.
type Text struct {
	Name    string
	Verilog string
	Clocked bool // it has the ports clk and reset
	Inputs  []Port
	Outputs []Port

	Registers int // bits of registers
	Memory    int // bits of memories
}

// Port is a port of a module. A port of several elements holds element 0 in its lowest bits. An
// output with the name of an input gets another one, such as valid_2.
type Port struct {
	Name  string
	Width int     // of an element
	Index [][]int // by element: the fields and elements that lead to it, in the value of the wire
}

// Bits is the width of the port.
func (p *Port) Bits() int { return p.Width * len(p.Index) }

// Print prints a module under a name. The module must have been made, but not elaborated. Doc is
// the comment above it.
func Print(l *Library, name, doc string, m rtl.Ticker, s Sizes) (*Text, error) {
	varying := map[string]bool{}
	for {
		d, err := l.translate(name, m, s, varying)
		if err != nil {
			return nil, err
		}
		more := d.found()
		if len(more) == 0 {
			return d.print(name, doc)
		}
		for _, n := range more {
			varying[n] = true
		}
	}
}

// unrolled is the length of loops that write a memory. Verilator must unroll them, and does so up to
// this length in units: see package divergence/verilog.
const unrolled = 16

// printer prints a design.
type printer struct {
	*design
	names     map[*word]string // of words that are wires
	taken     map[string]bool
	uses      map[*word]int
	need      []int // by word: how many of its bits are used
	body      strings.Builder
	functions map[string]string
	used      map[*word]uint64 // bits of inputs, registers and wires that are used
}

// print writes the module.
func (d *design) print(name, doc string) (t *Text, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			t, err = nil, fmt.Errorf("%s cannot be printed: %w", name, r)
		default:
			panic(r)
		}
	}()
	p := &printer{
		design: d, names: map[*word]string{}, taken: map[string]bool{"clk": true, "reset": true, "i": true},
		uses: map[*word]int{}, functions: map[string]string{}, used: map[*word]uint64{},
	}
	t = &Text{Name: name, Inputs: ports(d.inputs), Outputs: ports(d.outputs)}
	return t, p.module(t, doc)
}

// ports groups leaves into ports.
func ports(leaves []*leaf) (list []Port) {
	group := ""
	for _, l := range leaves {
		if l.group == "" || l.group != group {
			list = append(list, Port{Name: l.name, Width: l.width})
			if group = l.group; group != "" {
				list[len(list)-1].Name = group
			}
		}
		last := &list[len(list)-1]
		last.Index = append(last.Index, l.index)
	}
	return list
}

// module prints everything.
func (p *printer) module(t *Text, doc string) error {
	registers := slices.DeleteFunc(slices.Clone(p.registers), func(l *leaf) bool { return !p.varying[l.name] })
	changes := map[*leaf][]change{}
	var arrays []*leaf
	for _, m := range p.memories {
		for _, l := range m.leaves {
			if !m.fixed[l] {
				arrays = append(arrays, l)
				changes[l] = p.changes(m, l)
			}
		}
	}
	// The widths that are needed, from the roots down.
	p.need = make([]int, len(p.all))
	root := func(w *word, width int) {
		p.need[w.id] = max(p.need[w.id], width)
		p.uses[w]++
	}
	for _, l := range slices.Concat(p.outputs, registers) {
		root(p.driven[l], l.width)
	}
	for _, l := range arrays {
		for _, c := range changes[l] {
			root(c.on, 1)
			root(c.at, bits.Len(uint(l.mem.n-1)))
			root(c.value, l.width)
		}
	}
	p.demand()

	t.Clocked = len(registers)+len(arrays) > 0
	var head []string
	if t.Clocked {
		head = append(head, "input  clk", "input  reset")
	}
	for i := range t.Inputs {
		port := &t.Inputs[i]
		port.Name = p.claim(port.Name)
		head = append(head, "input  "+span(port.Bits())+port.Name)
	}
	for i := range t.Outputs {
		port := &t.Outputs[i]
		port.Name = p.claim(port.Name)
		head = append(head, "output "+span(port.Bits())+port.Name)
	}
	p.inputNames(t)
	var decl strings.Builder
	for _, l := range registers {
		l.name = p.register(l.name)
		fmt.Fprintf(&decl, "  reg %s%s;\n", span(l.width), l.name)
		t.Registers += l.width
	}
	for _, l := range arrays {
		l.name = p.register(l.name)
		fmt.Fprintf(&decl, "  reg %s%s [0:%d];\n", span(l.width), l.name, l.mem.n-1)
		t.Memory += l.width * l.mem.n
	}
	var edge, reset strings.Builder
	for _, l := range registers {
		fmt.Fprintf(&reset, "      %s <= %s;\n", l.name, number(l.width, l.reset))
		w := p.driven[l]
		if w.op == "reg" && w.leaf == l {
			continue
		}
		if w.op == "mux" && w.args[2].op == "reg" && w.args[2].leaf == l {
			c, v := p.sized(w.args[0], 1), p.sized(w.args[1], l.width)
			fmt.Fprintf(&edge, "      if (%s) %s <= %s;\n", c, l.name, v)
			continue
		}
		fmt.Fprintf(&edge, "      %s <= %s;\n", l.name, p.sized(w, l.width))
	}
	loops := false
	for _, l := range arrays {
		if r := l.mem.resets[l]; l.mem.unreset {
		} else if loops = true; !slices.ContainsFunc(r, func(v uint64) bool { return v != r[0] }) {
			for i := 0; i < l.mem.n; i += unrolled {
				fmt.Fprintf(&reset, "      for (i = %d; i < %d; i = i + 1) %s[i] <= %s;\n", i, min(i+unrolled, l.mem.n), l.name,
					number(l.width, r[0]))
			}
		} else {
			for i, v := range r {
				fmt.Fprintf(&reset, "      %s[%d] <= %s;\n", l.name, i, number(l.width, v))
			}
		}
		for _, c := range changes[l] {
			if c.on.is(0) {
				continue
			}
			on := "if (" + p.sized(c.on, 1) + ") "
			if c.on.is(1) {
				on = ""
			}
			fmt.Fprintf(&edge, "      %s%s[%s] <= %s;\n", on, l.name, p.index(c.at, l.mem), p.sized(c.value, l.width))
		}
	}
	out := p.outputText(t)

	var b strings.Builder
	fmt.Fprintf(&b, "%smodule %s(\n  %s);\n", comment(doc), t.Name, strings.Join(head, ",\n  "))
	for _, f := range sorted(p.functions) {
		b.WriteString(p.functions[f])
	}
	b.WriteString(decl.String())
	b.WriteString(p.body.String())
	b.WriteString(p.unused(registers))
	b.WriteString(out)
	if t.Clocked {
		if loops {
			b.WriteString("  integer i;\n")
		}
		fmt.Fprintf(&b, "  always @(posedge clk)\n    if (reset) begin\n%s    end else begin\n%s    end\n", &reset, &edge)
	}
	b.WriteString("endmodule\n")
	t.Verilog = b.String()
	return nil
}

func sorted(m map[string]string) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func comment(doc string) (s string) {
	for line := range strings.Lines(doc) {
		s += "// " + strings.TrimRight(line, "\n") + "\n"
	}
	return s
}

// inputNames gives the elements of ports names.
func (p *printer) inputNames(t *Text) {
	k := 0
	for _, port := range t.Inputs {
		for i := range port.Index {
			l := p.inputs[k]
			k++
			w := p.make("in", l.width, 0, l)
			if w.id >= len(p.need) { // not used at all
				p.need = append(p.need, 0)
			}
			if len(port.Index) == 1 {
				p.names[w] = port.Name
				continue
			}
			l.name = p.claim(fmt.Sprintf("%s_%d", port.Name, i))
			p.names[w] = l.name
			fmt.Fprintf(&p.body, "  wire %s%s = %s[%d:%d];\n", span(l.width), l.name, port.Name, (i+1)*l.width-1, i*l.width)
		}
	}
}

// outputText drives the outputs.
func (p *printer) outputText(t *Text) string {
	var b strings.Builder
	k := 0
	for _, port := range t.Outputs {
		var parts []string
		for range port.Index {
			l := p.outputs[k]
			k++
			parts = append(parts, p.sized(p.driven[l], l.width))
		}
		slices.Reverse(parts)
		if len(parts) == 1 {
			fmt.Fprintf(&b, "  assign %s = %s;\n", port.Name, parts[0])
			continue
		}
		fmt.Fprintf(&b, "  assign %s = {%s};\n", port.Name, strings.Join(parts, ", "))
	}
	return b.String()
}

// claim returns the name, or one like it if it is taken.
func (p *printer) claim(name string) string {
	n := name
	for i := 2; p.taken[n]; i++ {
		n = fmt.Sprintf("%s_%d", name, i)
	}
	p.taken[n] = true
	return n
}

// register claims the name of a register. A port of the same name makes it NAME_q.
func (p *printer) register(name string) string {
	if p.taken[name] {
		name += "_q"
	}
	return p.claim(name)
}

func span(width int) string {
	if width <= 1 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", width-1)
}

func number(width int, k uint64) string {
	if width > 16 && k > 9 {
		return fmt.Sprintf("%d'h%x", width, k)
	}
	return fmt.Sprintf("%d'd%d", width, k)
}

// unused names signals of which bits are not used, so that a linter does not report them.
func (p *printer) unused(registers []*leaf) string {
	var list []string
	for _, l := range p.inputs {
		if w := p.make("in", l.width, 0, l); p.used[w] != ones(l.width) {
			list = append(list, p.names[w])
		}
	}
	for _, l := range registers {
		if p.used[p.make("reg", l.width, 0, l)] != ones(l.width) {
			list = append(list, l.name)
		}
	}
	for _, w := range p.all {
		if name, ok := p.names[w]; ok && w.op != "in" && p.used[w] != ones(p.width(w)) {
			list = append(list, name)
		}
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("  wire unused = &{1'b0, %s};\n", strings.Join(list, ", "))
}

// comment names the Go statement of a word.
func (p *printer) comment(w *word) string {
	if !w.at.IsValid() {
		return ""
	}
	at := p.lib.set.Position(w.at)
	return fmt.Sprintf("  // %s:%d", filepath.Base(at.Filename), at.Line)
}
