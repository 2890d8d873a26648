package draw

import (
	"strings"

	"divergo/isa"
)

// Shape is the place of a branch in the control flow.
type Shape uint8

const (
	shapeIf Shape = iota
	shapeElse
	shapeTop
	shapeBottom
	shapeBreak
	shapeContinue
	shapeCase
	shapeGoto
	shapeBack
	shapeExit
	shapeReturn
	NumShapes
)

// String names s.
func (s Shape) String() string {
	return [...]string{
		"if", "if-else", "loop, at its top", "loop, at its end", "break", "continue", "switch", "goto",
		"goto back", "exit", "return",
	}[s]
}

// Shapes classifies the branches of a generated kernel by the names of their labels.
func Shapes(p *isa.Program) []Shape {
	at := map[uint32]string{}
	for _, l := range p.Labels { // the last label names what follows
		at[l.PC] += " " + l.Name
	}
	list := make([]Shape, len(p.Insts))
	for pc := range p.Insts {
		in := &p.Insts[pc]
		if in.Op != isa.OpBra || !in.Conditional() {
			continue
		}
		_, target, _ := strings.Cut(in.Text, " ")
		switch {
		case in.Text == "ret":
			list[pc] = shapeReturn
		case strings.HasPrefix(target, "M"):
			if list[pc] = shapeGoto; in.Target <= uint32(pc) {
				list[pc] = shapeBack
			}
		case strings.HasPrefix(in.Text, "@%brx"):
			list[pc] = shapeCase
		case strings.Contains(target, "_join"), strings.Contains(target, "_vote"):
			list[pc] = shapeIf
		case strings.Contains(target, "_side"):
			list[pc] = shapeElse
		case strings.Contains(target, "_top"):
			list[pc] = shapeBottom
		case strings.Contains(target, "_next"):
			list[pc] = shapeContinue
		case strings.Contains(target, "_case"):
			list[pc] = shapeCase
		case strings.Contains(target, "_stay"):
			list[pc] = shapeExit
		case pc > 1 && strings.Contains(at[uint32(pc-1)], "_top"):
			list[pc] = shapeTop
		default:
			list[pc] = shapeBreak
		}
	}
	return list
}
