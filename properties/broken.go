package properties

import (
	"math/bits"
	"regexp"
	"strings"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench/golden"
	"divergo/units"
)

// broken is a checker that found something, and what.
type broken struct {
	checker, what string

	rule    string // what it says, without numbers and names of a kernel
	behind  string // opcode of the last branch, call, barrier or exit of the threads; "": not known
	cycle   uint64 // in which it was seen; 0: at the end of the run
	threads []golden.ID
}

// found is what a checker says that knows of no cycle and no thread.
func found(checker, what string) *broken {
	line, _, _ := strings.Cut(what, "\n")
	return &broken{checker: checker, what: what, rule: rule(line)}
}

// place is where in the model, or in which rule of the checker, whatever the kernel.
func (b *broken) place() string {
	if b.behind == "" {
		return b.rule
	}
	return b.rule + ", behind " + b.behind
}

var (
	header  = regexp.MustCompile(`^(%s|SM (%d|\d+)(, cycle (%d|\d+))?): `)
	numbers = regexp.MustCompile(`%[#+ -]*[a-z]|\b(0x[0-9a-f]+|\d+)\b`)
)

// rule is a text, or its format, without place and numbers.
func rule(text string) string {
	return numbers.ReplaceAllString(header.ReplaceAllString(text, ""), "*")
}

// opcode is the word that an instruction begins with, "" if there is none.
func opcode(p *isa.Program, pc uint32) string {
	if int(pc) >= len(p.Insts) {
		return ""
	}
	text := p.Insts[pc].Text
	if end := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		text = text[:end]
	}
	return text
}

// who are the threads that a checker finds fault with.
type who []units.Home

// inRow are those in some lanes of a row.
func inRow(row int, lanes uint32) (list who) {
	for m := lanes; m != 0; m &= m - 1 {
		list = append(list, units.Home{Row: uint8(row), Lane: uint8(bits.TrailingZeros32(m))})
	}
	return list
}

// active are those of an instruction.
func active(e *sm.Issued) (list who) {
	for m := e.Mask; m != 0; m &= m - 1 {
		list = append(list, e.Home(bits.TrailingZeros32(m)))
	}
	return list
}

// compacted are those of a compacted warp.
func compacted(w *divergence.Compacted) (list who) {
	for m := w.Mask; m != 0; m &= m - 1 {
		list = append(list, w.Homes.At(bits.TrailingZeros32(m)))
	}
	return list
}

// inSlot are those of a slot.
func (o *observer) inSlot(i int) (list who) {
	s := o.sm.Div.Slots().At(i)
	if !s.Mixed {
		return inRow(int(s.Row), s.Mask)
	}
	homes := o.sm.Div.Homes().At(i)
	for m := s.Mask; m != 0; m &= m - 1 {
		list = append(list, homes.At(bits.TrailingZeros32(m)))
	}
	return list
}
