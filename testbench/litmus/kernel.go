package litmus

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
)

// This file generates the kernel of a test. A table has a row for each thread of the grid, with its
// role. The thread belongs to an instance of the test, which has its own variables, or it disturbs
// the others. The parameters are the table, the addresses of the variables by instance, and space for
// the outcomes.

// rowBytes is the size of a row.
const rowBytes = 32

// These roles follow those of the test's threads.
const (
	loads   = iota // reads lines one after the other
	stores         // writes words
	atomics        // counts with atomics
	fences         // fences
	others         // the number of these roles; also the role of a thread without one
)

// row is a row of the table.
type row struct {
	role, instance uint32
	start          uint32 // clock cycle in which the thread begins
	pauses         uint32 // 4 bits each: rounds of waiting before an instruction
	count          uint32 // accesses; for a thread of the test, the set of variables that it reads first
	step           uint32 // bytes between accesses
	address        uint64 // of the first access
}

func (r *row) bytes() []byte {
	b := make([]byte, 0, rowBytes)
	for _, v := range []uint32{r.role, r.instance, r.start, r.pauses, r.count, r.step} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return binary.LittleEndian.AppendUint64(b, r.address)
}

// sharedSlots is the number of instances with variables in the shared memory of a CTA.
const sharedSlots = 8

// sharedBytes is the shared memory of a CTA.
func (t *Test) sharedBytes() int {
	if !t.shares() {
		return 0
	}
	return 4 * sharedSlots * len(t.vars)
}

// outcomeWords is the space for the outcome of an instance: registers, and final values of shared
// variables.
func (t *Test) outcomeWords() int { return t.values() }

var (
	registers = regexp.MustCompile(`%?\br(\d+)\b`)
	brackets  = regexp.MustCompile(`\[\w+\]`)
)

// writer writes a kernel.
type writer struct {
	strings.Builder
	*Test
	labels int
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.Builder, "\t"+format+"\n", args...)
}

func (w *writer) label(name string) { fmt.Fprintf(&w.Builder, "%s:\n", name) }

// loop writes a loop that counts a register down to 0.
func (w *writer) loop(counter string, body func()) {
	w.labels++
	top, end := fmt.Sprintf("LOOP%d", w.labels), fmt.Sprintf("END%d", w.labels)
	w.label(top)
	w.line("setp.eq.u32 %%p, %s, 0;", counter)
	w.line("@%%p bra %s;", end)
	w.line("sub.u32 %s, %s, 1;", counter, counter)
	if body != nil {
		body()
	}
	w.line("bra %s;", top)
	w.label(end)
}

// wait makes a thread begin at its cycle, or a little later. The clocks of all SMs agree.
func (w *writer) wait() {
	w.labels++
	top := fmt.Sprintf("WAIT%d", w.labels)
	w.label(top)
	w.line("mov.u32 %%w, %%clock;")
	w.line("setp.lt.u32 %%p, %%w, %%start;")
	w.line("@%%p bra %s;", top)
}

// ptx returns the kernel of the test. With pauses it has a loop before each instruction.
func (t *Test) ptx(pauses bool) string {
	w := &writer{Test: t}
	w.WriteString(".version 8.6\n.target sm_90\n.address_size 64\n")
	if t.shares() {
		fmt.Fprintf(w, ".shared .align 8 .b8 room[%d];\n", t.sharedBytes())
	}
	w.WriteString(".visible .entry litmus(.param .u64 table, .param .u64 places, .param .u64 outcomes)\n{\n")
	w.line(".reg .pred %%p;")
	w.line(".reg .b32 %%tid, %%cta, %%lin, %%role, %%instance, %%start, %%delay, %%pauses, %%count, %%step, %%w;")
	w.line(".reg .b64 %%table, %%places, %%outcomes, %%row, %%address, %%far, %%wide, %%room;")
	for v := range t.vars {
		w.line(".reg .b64 %%a%d, %%g%d;", v, v) // in its own space, and generic
	}
	for i := range t.threads {
		for r := range t.threads[i].Regs {
			w.line(".reg .b32 %%t%d_%d;", i, r)
		}
	}
	w.line("ld.param.u64 %%table, [table];")
	w.line("ld.param.u64 %%places, [places];")
	w.line("ld.param.u64 %%outcomes, [outcomes];")
	w.line("mov.u32 %%tid, %%tid.x;")
	w.line("mov.u32 %%cta, %%ctaid.x;")
	w.line("mov.u32 %%lin, %%ntid.x;")
	w.line("mad.lo.u32 %%lin, %%cta, %%lin, %%tid;")
	if t.shares() {
		w.clearShared()
	}
	w.line("mad.wide.u32 %%row, %%lin, %d, %%table;", rowBytes)
	w.line("ld.global.v4.u32 {%%role, %%instance, %%start, %%pauses}, [%%row];")
	w.line("ld.global.v2.u32 {%%count, %%step}, [%%row+16];")
	w.line("ld.global.u64 %%address, [%%row+24];")
	w.line("setp.ge.u32 %%p, %%role, %d;", len(t.threads))
	w.line("@%%p bra OTHERS;")
	w.addresses()
	w.wait()
	for i := range t.threads[1:] {
		w.line("setp.eq.u32 %%p, %%role, %d;", i+1)
		w.line("@%%p bra T%d;", i+1)
	}
	for i := range t.threads {
		w.thread(i, pauses)
	}
	w.others()
	w.label("DONE")
	if t.shares() {
		w.keepShared()
	}
	w.line("exit;")
	w.WriteString("}\n")
	return w.String()
}

// clearShared sets the shared variables to 0, in thread 0 of the CTA.
func (w *writer) clearShared() {
	w.line("mov.u64 %%room, room;")
	w.line("setp.eq.u32 %%p, %%tid, 0;")
	w.line("mov.u32 %%w, 0;")
	for k := range w.sharedBytes() / 4 {
		w.line("@%%p st.shared.u32 [%%room+%d], %%w;", 4*k)
	}
	w.line("bar.sync 0;")
}

// addresses loads the addresses of the instance's variables, and reads some of the variables.
func (w *writer) addresses() {
	w.line("mad.wide.u32 %%far, %%instance, %d, %%places;", 8*len(w.vars))
	w.line("mad.wide.u32 %%outcomes, %%instance, %d, %%outcomes;", 4*w.outcomeWords())
	for v := range w.vars {
		w.line("ld.global.u64 %%a%d, [%%far+%d];", v, 8*v)
		if w.vars[v].Shared {
			w.line("add.u64 %%a%d, %%a%d, %%room;", v, v)
			w.line("cvta.shared.u64 %%g%d, %%a%d;", v, v)
			continue
		}
		w.line("mov.u64 %%g%d, %%a%d;", v, v)
	}
	for v := range w.vars {
		if !w.vars[v].Shared {
			w.line("and.b32 %%w, %%count, %d;", 1<<v)
			w.line("setp.ne.u32 %%p, %%w, 0;")
			w.line("@%%p ld.global.u32 %%w, [%%a%d];", v)
		}
	}
}

// thread writes the instructions of a thread of the test, and the stores of its registers.
func (w *writer) thread(i int, pauses bool) {
	if i > 0 {
		w.label(fmt.Sprintf("T%d", i))
	}
	t := &w.threads[i]
	for r := range t.Regs {
		w.line("mov.u32 %%t%d_%d, 0;", i, r)
	}
	for k := range t.Insts {
		in := &t.Insts[k]
		if pauses && k > 0 {
			w.line("shr.u32 %%delay, %%pauses, %d;", 4*(k%8))
			w.line("and.b32 %%delay, %%delay, 15;")
			w.loop("%delay", nil)
		}
		name, operands, _ := strings.Cut(in.Text, " ")
		operands = registers.ReplaceAllString(operands, fmt.Sprintf("%%t%d_$1", i))
		if in.reads() || in.writes() {
			base := "%a"
			if in.Space == "" {
				base = "%g"
			}
			operands = brackets.ReplaceAllString(operands, fmt.Sprintf("[%s%d]", base, in.Var))
		}
		w.line("%s %s;", name, operands)
	}
	for r := range t.Regs {
		w.line("st.global.u32 [%%outcomes+%d], %%t%d_%d;", 4*w.reg(i, r), i, r)
	}
	w.line("bra DONE;")
}

// others writes the disturbing roles: accesses of lines without variables, and fences.
func (w *writer) others() {
	w.label("OTHERS")
	w.wait()
	for i, name := range []string{"LOADS", "STORES", "ATOMICS", "FENCES"} {
		w.line("setp.eq.u32 %%p, %%role, %d;", len(w.threads)+i)
		w.line("@%%p bra %s;", name)
	}
	w.line("bra DONE;")
	for _, other := range []struct{ name, does string }{
		{"LOADS", "ld.global.u32 %w, [%address];"},
		{"STORES", "st.global.u32 [%address], %count;"},
		{"ATOMICS", "red.global.add.u32 [%address], 1;"},
		{"FENCES", "fence.acq_rel.gpu;"},
	} {
		w.label(other.name)
		w.line("cvt.u64.u32 %%wide, %%step;")
		w.loop("%count", func() {
			w.line("%s", other.does)
			w.line("add.u64 %%address, %%address, %%wide;")
		})
		w.line("bra DONE;")
	}
}

// keepShared stores the final values of the shared variables after the outcomes of all instances,
// in thread 0 of the CTA.
func (w *writer) keepShared() {
	w.line("bar.sync 0;")
	w.line("setp.ne.u32 %%p, %%tid, 0;")
	w.line("@%%p bra KEPT;")
	w.line("ld.param.u64 %%outcomes, [outcomes];")
	w.line("mad.wide.u32 %%far, %%cta, %d, %%outcomes;", w.sharedBytes())
	for k := range w.sharedBytes() / 4 {
		w.line("ld.shared.u32 %%w, [%%room+%d];", 4*k)
		w.line("st.global.u32 [%%far+%d], %%w;", w.keptAt()+4*k)
	}
	w.label("KEPT")
}

// keptAt is the offset of the CTAs' kept shared memory, after the outcomes of all instances.
func (t *Test) keptAt() int { return 4 * t.outcomeWords() * sharedSlots }
