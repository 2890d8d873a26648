package isa

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Fprint writes the listing of p: its resources, then its basic blocks with predecessors,
// successors and immediate post-dominator. Each instruction has its PC, text and source line. Below
// a conditional branch the listing shows its reconvergence point, its class, and whether all
// threads of a CTA agree. Beside the name of the kernel or a function it shows known(name), if that
// differs.
func (p *Program) Fprint(w io.Writer, known func(name string) string) error {
	also := func(name string) string {
		if plain := known(name); plain != name {
			return "  " + plain
		}
		return ""
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "kernel %s%s\n", p.Name, also(p.Name))
	fmt.Fprintf(b, "  %d instructions, %d blocks\n", len(p.Insts), len(p.Blocks))
	fmt.Fprintf(b, "  registers: %d declared, %d predicates, %d x 32 bits live at most\n", len(p.Regs), len(p.Preds),
		p.LiveRegs)
	fmt.Fprintf(b, "  memory: %d bytes of parameters, %d shared, %d local\n", p.ParamBytes, p.SharedBytes, p.LocalBytes)
	for _, v := range p.Params {
		fmt.Fprintf(b, "  param %3d  %s\n", v.Offset, v.Name)
	}
	if p.Recursive {
		fmt.Fprintf(b, "  stack: frames of functions, from local %d on\n", p.LocalBytes)
	}
	labels := p.Labels
	for i := range p.Blocks {
		blk := &p.Blocks[i]
		if f := p.FuncAt(blk.Start); f != nil && f.Entry == blk.Start {
			fmt.Fprintf(b, "\nfunction %s%s%s\n", f.Name, f.note(), also(f.Name))
		}
		fmt.Fprintf(b, "\nB%d  from %s  to %s  meets at %s", i, list(blk.Preds), p.goes(blk), p.block(blk.IPDom))
		var names []string
		for ; len(labels) > 0 && labels[0].PC <= blk.Start; labels = labels[1:] {
			if labels[0].PC == blk.Start {
				names = append(names, labels[0].Name)
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(b, "  (%s)", strings.Join(names, ", "))
		}
		fmt.Fprintln(b)
		for pc := blk.Start; pc < blk.End; pc++ {
			in := &p.Insts[pc]
			if in.Loc.Line > 0 || in.Pos.Line > 0 {
				number := fmt.Sprintf("%5d", pc)
				fmt.Fprintf(b, "%s  %-*s  %s\n", number, 62-len(number), p.Mnemonic(pc), p.Where(pc))
			} else {
				fmt.Fprintf(b, "%5d  %s\n", pc, p.Mnemonic(pc))
			}
			if note := p.note(in); note != "" {
				fmt.Fprintf(b, "       %s\n", note)
			}
		}
	}
	return b.Flush()
}

// String is the listing of Fprint with unchanged names.
func (p *Program) String() string {
	var b strings.Builder
	_ = p.Fprint(&b, func(name string) string { return name }) // a Builder returns no error
	return b.String()
}

// Mnemonic is the instruction at pc with its guard, on one line.
func (p *Program) Mnemonic(pc uint32) string {
	in := &p.Insts[pc]
	if in.Guard.Kind != OperandPred {
		return in.Text
	}
	not := ""
	if in.Guard.Not {
		not = "!"
	}
	return fmt.Sprintf("@%s%s %s", not, p.Preds[in.Guard.Index], in.Text)
}

// note describes the analysis results of a conditional branch.
func (p *Program) note(in *Inst) string {
	switch {
	case in.Op == OpCall && !in.Indirect():
		return "calls " + p.at(in.Target)
	case in.Op == OpCall:
		return "to where its lowest lane goes, reconverges at " + p.at(in.Reconv)
	case !in.Conditional():
		return ""
	}
	s := "taken to " + p.at(in.Target) + ", reconverges at " + p.at(in.Reconv)
	if in.Likely != NoPC {
		s += ", likely at " + p.at(in.Likely)
	}
	s += [...]string{"", ", class P", ", class D"}[in.Class]
	if in.Uniform {
		s += ", uniform in the CTA"
	}
	return s
}

// note describes the calling convention of a function.
func (f *Func) note() (s string) {
	if f.Addr != 0 {
		s += fmt.Sprintf(", address %#x", f.Addr)
	}
	if f.Cycle != 0 {
		s += fmt.Sprintf(", recursive, frames of %d bytes", f.Frame)
	}
	return s
}

func (p *Program) at(pc uint32) string {
	if pc == NoPC {
		return "exit"
	}
	return strconv.Itoa(int(pc)) + " (B" + strconv.Itoa(p.Block(pc)) + ")"
}

func (p *Program) block(i int) string {
	if i < 0 {
		return "exit"
	}
	return "B" + strconv.Itoa(i)
}

// goes lists the successors of a block in its function, the exit or return last.
func (p *Program) goes(b *Block) string {
	s := list(b.Succs)
	switch {
	case p.Insts[b.End-1].Returns():
		s = "return"
	case !p.Insts[b.End-1].Exits() && len(b.Succs) > 0:
	case len(b.Succs) == 0:
		s = "exit"
	default:
		s += " exit"
	}
	return s
}

func list(blocks []int) string {
	if len(blocks) == 0 {
		return "-"
	}
	var s []byte
	for i, b := range blocks {
		if i > 0 {
			s = append(s, ' ')
		}
		s = strconv.AppendInt(append(s, 'B'), int64(b), 10)
	}
	return string(s)
}
