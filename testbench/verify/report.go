package verify

import (
	"fmt"
	"strings"

	"divergo/testbench/golden"
)

// Error returns the report, in lines. It starts with a summary.
func (d *Mismatch) Error() string {
	var b strings.Builder
	l := &d.Launch
	fmt.Fprintf(&b, "%s on %s CTAs of %s threads differs from the golden model", l.Prog.Name, shape(l.Grid),
		shape(l.Block))
	if !d.ends() {
		machine := "finished"
		if d.Outcome != nil {
			machine = d.Outcome.Error()
		}
		fmt.Fprintf(&b, "\nthe golden model's end is: %v; the machine's:\n  %s", d.Golden,
			strings.ReplaceAll(machine, "\n", "\n  "))
	}
	d.writeBroken(&b)
	d.writePaths(&b)
	d.writeRegisters(&b)
	d.writeWrites(&b)
	d.writeMemory(&b)
	d.writePrinted(&b)
	if d.Issued != d.Steps {
		fmt.Fprintf(&b, "\nthe machine issued %d thread instructions, the golden model executed %d", d.Issued, d.Steps)
	}
	return b.String()
}

// Unwrap returns the outcome of a machine that did not finish.
func (d *Mismatch) Unwrap() error {
	if d.Outcome == nil {
		return nil
	}
	return d.Outcome
}

func (d *Mismatch) writeBroken(b *strings.Builder) {
	for i, v := range d.Broken {
		if i == maxKept {
			fmt.Fprintf(b, "\nand %d more", len(d.Broken)-i)
			break
		}
		fmt.Fprintf(b, "\nSM %d, cycle %d: %s\n  %s, %s", v.SM, v.Cycle, v.Rule, name(v.Thread), d.at(v.PC))
	}
}

// around is the number of instructions shown on each side of the first difference.
const around = 4

// writePaths shows the first differing path, both sides next to each other, and names the other
// threads that differ.
func (d *Mismatch) writePaths(b *strings.Builder) {
	if d.Threads == 0 {
		return
	}
	p := &d.Paths[0]
	fmt.Fprintf(b, "\n%s another way through the program", count(d.Threads, "thread takes", "threads take"))
	fmt.Fprintf(b, "\n  %s, from its instruction %d on (%d on the machine, %d in the golden model):", name(p.Thread),
		p.At, len(p.Machine), len(p.Golden))
	fmt.Fprintf(b, "\n  %9s  %-44s  %s", "", "machine", "golden model")
	for i := max(0, p.At-around); i <= p.At+around; i++ {
		machine, at := d.step(p.Machine, i)
		model, in := d.step(p.Golden, i)
		if machine == "" && model == "" {
			break
		}
		mark := " "
		if i == p.At {
			mark = ">"
		}
		if in == at {
			in = ""
		}
		line := fmt.Sprintf("  %s %7d  %-44s  %-44s  %s", mark, i, machine, model, at)
		fmt.Fprintf(b, "\n%s", strings.TrimRight(line+"  "+in, " "))
	}
	for _, p := range d.Paths[1:] {
		fmt.Fprintf(b, "\n  also %s, from its instruction %d on", name(p.Thread), p.At)
	}
	more(b, d.Threads, len(d.Paths))
}

// step returns instruction i of a sequence and its source line.
func (d *Mismatch) step(pcs []uint32, i int) (text, where string) {
	switch p := d.Launch.Prog; {
	case i < len(pcs):
		return fmt.Sprintf("%d  %s", pcs[i], cut(p.Mnemonic(pcs[i]), 38)), p.Where(pcs[i])
	case i == len(pcs):
		return "(no further instruction)", ""
	}
	return "", ""
}

// at describes the instruction at pc.
func (d *Mismatch) at(pc uint32) string {
	p := d.Launch.Prog
	return fmt.Sprintf("PC %d, %s: %s", pc, p.Where(pc), p.Mnemonic(pc))
}

func (d *Mismatch) writeRegisters(b *strings.Builder) {
	if d.Values == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s at the exit of the thread", count(d.Values, "register differs", "registers differ"))
	for _, r := range d.Registers {
		digits := max(r.Type.Bits()/4, 1)
		fmt.Fprintf(b, "\n  %s: %s is 0x%0*x, in the golden model 0x%0*x", name(r.Thread), r.Name, digits, r.Machine,
			digits, r.Golden)
	}
	more(b, d.Values, len(d.Registers))
}

func (d *Mismatch) writeWrites(b *strings.Builder) {
	if d.Written == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s from the golden model's in what is written to it",
		count(d.Written, "register differs", "registers differ"))
	for _, w := range d.Writes {
		fmt.Fprintf(b, "\n  %s: %s", name(w.Thread), w.Name)
	}
	more(b, d.Written, len(d.Writes))
}

func (d *Mismatch) writeMemory(b *strings.Builder) {
	if d.Bytes == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s", count(d.Bytes, "byte of device memory differs", "bytes of device memory differ"))
	shown := 0
	for _, m := range d.Memory {
		fmt.Fprintf(b, "\n  %#x, byte %d of %s: % x, in the golden model % x", m.Addr, m.Offset, m.In, m.Machine,
			m.Golden)
		for i := range m.Machine {
			if m.Machine[i] != m.Golden[i] {
				shown++
			}
		}
	}
	more(b, d.Bytes, shown)
}

// more states how many of n were left out.
func more(b *strings.Builder, n, shown int) {
	if n > shown {
		fmt.Fprintf(b, "\n  and %d more", n-shown)
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// cut shortens a text to n letters.
func cut(s string, n int) string {
	if len(s) > n {
		return s[:n-3] + "..."
	}
	return s
}

func name(id golden.ID) string {
	return fmt.Sprintf("thread %s of CTA %s", place(id.Thread), place(id.CTA))
}

func place(p [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", p[0], p[1], p[2]) }

func shape(d [3]uint32) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }

func (d *Mismatch) writePrinted(b *strings.Builder) {
	for i, v := range d.Printed {
		if i == maxKept {
			fmt.Fprintf(b, "\nand %d more", len(d.Printed)-i)
			break
		}
		fmt.Fprintf(b, "\nprinted %d times, by the golden model %d times: %q", v.Machine, v.Golden, v.Text)
	}
}
