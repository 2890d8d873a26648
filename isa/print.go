package isa

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Fprint writes the listing of p: its resources, then its basic blocks with
// predecessors, successors and immediate post-dominator, and each instruction
// with PC, text and source line. Below a conditional branch stands where its
// paths meet, its class, and whether all threads of a CTA agree.
func (p *Program) Fprint(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "kernel %s\n", p.Name)
	fmt.Fprintf(b, "  %d instructions, %d blocks\n", len(p.Insts), len(p.Blocks))
	fmt.Fprintf(b, "  registers: %d declared, %d predicates, %d x 32 bits live at most\n", len(p.Regs), len(p.Preds), p.LiveRegs)
	fmt.Fprintf(b, "  memory: %d bytes of parameters, %d shared, %d local\n", p.ParamBytes, p.SharedBytes, p.LocalBytes)
	for _, v := range p.Params {
		fmt.Fprintf(b, "  param %3d  %s\n", v.Offset, v.Name)
	}
	if p.Recursive {
		fmt.Fprintf(b, "  stack: frames of functions, from local %d on\n", p.LocalBytes)
	}
	labels := map[uint32][]string{}
	for _, l := range p.Labels {
		labels[l.PC] = append(labels[l.PC], l.Name)
	}
	for i := range p.Blocks {
		blk := &p.Blocks[i]
		if f := p.FuncAt(blk.Start); f != nil && f.Entry == blk.Start {
			fmt.Fprintf(b, "\nfunction %s%s\n", f.Name, f.note())
		}
		fmt.Fprintf(b, "\nB%d  from %s  to %s  meets at %s", i, list(blk.Preds), p.goes(blk), p.block(blk.IPDom))
		if names := labels[blk.Start]; len(names) > 0 {
			fmt.Fprintf(b, "  (%s)", strings.Join(names, ", "))
		}
		fmt.Fprintln(b)
		for pc := blk.Start; pc < blk.End; pc++ {
			in := &p.Insts[pc]
			line := fmt.Sprintf("%5d  %s", pc, p.Mnemonic(pc))
			if in.Loc.Line > 0 || in.Pos.Line > 0 {
				line = fmt.Sprintf("%-64s  %s", line, p.Where(pc))
			}
			fmt.Fprintln(b, line)
			if note := p.note(in); note != "" {
				fmt.Fprintf(b, "       %s\n", note)
			}
		}
	}
	return b.Flush()
}

// String is what Fprint writes.
func (p *Program) String() string {
	var b strings.Builder
	_ = p.Fprint(&b) // a Builder takes everything
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

// note is what the analyses found out about a conditional branch.
func (p *Program) note(in *Inst) string {
	switch {
	case in.Op == OpCall && !in.Indirect():
		return "calls " + p.at(in.Target)
	case in.Op == OpCall:
		return "to where its lowest lane goes, reconverges at " + p.at(in.Reconv)
	case !in.Conditional():
		return ""
	}
	s := fmt.Sprintf("taken to %s, reconverges at %s", p.at(in.Target), p.at(in.Reconv))
	if in.Likely != NoPC {
		s += ", likely at " + p.at(in.Likely)
	}
	s += [...]string{"", ", class P", ", class D"}[in.Class]
	if in.Uniform {
		s += ", uniform in the CTA"
	}
	return s
}

// note says how a function is called.
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
	return fmt.Sprintf("%d (B%d)", pc, p.Block(pc))
}

func (p *Program) block(i int) string {
	if i < 0 {
		return "exit"
	}
	return fmt.Sprintf("B%d", i)
}

// goes lists where a block leads in its function, the exit or return last.
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
	var s []string
	for _, b := range blocks {
		s = append(s, fmt.Sprintf("B%d", b))
	}
	return strings.Join(s, " ")
}
