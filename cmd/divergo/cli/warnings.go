package cli

import (
	"fmt"
	"io"

	"divergo/internal/printable"
	"divergo/testbench"
)

// warnings prints each warning of a command once, regardless of the number of mechanisms and
// launches that cause it.
type warnings struct {
	w    io.Writer
	told map[string]bool
}

// tell prints the warnings that were not printed before.
func (w *warnings) tell(list []testbench.Warning) {
	if w.told == nil {
		w.told = map[string]bool{}
	}
	for _, x := range list {
		if !w.told[x.Key] {
			w.told[x.Key] = true
			fmt.Fprintln(w.w, printable.Text(x.Text))
		}
	}
}
