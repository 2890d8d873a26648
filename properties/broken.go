package properties

import (
	"math/bits"
	"strings"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench/golden"
	"divergo/units"
)

// Rule is something that a checker demands. The name says what was found instead. Failures
// of one rule, after one opcode, are taken for one cause.
type Rule struct{ Checker, Name string }

// broken is what a checker found.
type broken struct {
	rule    Rule
	what    string
	last    string // opcode of the last branch, call, barrier or exit of the threads; "": not known
	cycle   uint64 // in which it was seen; 0: at the end of the run
	threads []golden.ID
}

// found is what a checker says that knows of no cycle and no thread.
func found(checker, name, what string) *broken { return &broken{rule: Rule{checker, name}, what: what} }

// place is the rule, and the opcode after which the threads broke it.
func (b *broken) place() string {
	if b.last == "" {
		return b.rule.Name
	}
	return b.rule.Name + ", after " + b.last
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

// inRow are the threads in some lanes of a row.
func inRow(row int, lanes uint32) (list []units.Home) {
	for m := lanes; m != 0; m &= m - 1 {
		list = append(list, units.Home{Row: uint8(row), Lane: uint8(bits.TrailingZeros32(m))})
	}
	return list
}

// active are the threads of an instruction.
func active(e *sm.Issued) (list []units.Home) {
	for m := e.Mask; m != 0; m &= m - 1 {
		list = append(list, e.Home(bits.TrailingZeros32(m)))
	}
	return list
}

// compacted are the threads of a compacted warp.
func compacted(w *divergence.Compacted) (list []units.Home) {
	for m := w.Mask; m != 0; m &= m - 1 {
		list = append(list, w.Homes.At(bits.TrailingZeros32(m)))
	}
	return list
}

// inSlot are the threads of a slot.
func (o *observer) inSlot(i int) (list []units.Home) {
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
