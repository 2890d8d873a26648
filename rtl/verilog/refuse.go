package verilog

import (
	"fmt"
	"go/token"
)

// Refusal is an error: the code at a place cannot become hardware.
type Refusal struct {
	Place  string // file and line
	Reason string
}

func (r *Refusal) Error() string { return r.Place + ": " + r.Reason }

// refuse ends the translation.
func (x *machine) refuse(format string, args ...any) {
	panic(&Refusal{x.lib.place(x.at), fmt.Sprintf(format, args...)})
}

// place is file and line of a position.
func (l *Library) place(at token.Pos) string {
	p := l.set.Position(at)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// impossible is the panic at a place where Go would panic. The flow that leads there never happens.
type impossible struct{}
