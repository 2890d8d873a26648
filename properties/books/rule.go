package books

import (
	"math/bits"
	"strings"

	"divergo/isa"
	"divergo/sm"
	"divergo/testbench/golden"
	"divergo/units"
)

// Rule is a demand of a checker, named after its violation. Failures of one rule after one opcode
// count as one cause.
type Rule struct{ Checker, Name string }

// Finding is a broken rule in a run.
type Finding struct {
	Rule    Rule
	What    string
	Last    string // opcode of the last branch, call, barrier or exit of the threads; "": unknown
	Cycle   uint64 // of the finding; 0: at the end of the run
	Threads []golden.ID
}

// Found returns a finding without a cycle and threads.
func Found(checker, name, what string) *Finding {
	return &Finding{Rule: Rule{checker, name}, What: what}
}

// Place names the rule, and the opcode after which the threads broke it.
func (f *Finding) Place() string {
	if f.Last == "" {
		return f.Rule.Name
	}
	return f.Rule.Name + ", after " + f.Last
}

// Opcode returns the first word of an instruction, "" if there is none.
func Opcode(p *isa.Program, pc uint32) string {
	if int(pc) >= len(p.Insts) {
		return ""
	}
	text := p.Insts[pc].Text
	if end := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		text = text[:end]
	}
	return text
}

// InRow returns the threads in some lanes of a row.
func InRow(row int, lanes uint64) (list []units.Home) {
	for m := lanes; m != 0; m &= m - 1 {
		list = append(list, units.Home{Row: uint8(row), Lane: uint8(bits.TrailingZeros64(m))})
	}
	return list
}

// active returns the threads of an instruction.
func active(e *sm.Issued) (list []units.Home) {
	for m := e.Mask; m != 0; m &= m - 1 {
		list = append(list, e.Home(bits.TrailingZeros64(m)))
	}
	return list
}
