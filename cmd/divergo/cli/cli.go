// Package cli is the command line of divergo: it parses, calls and prints. It
// is a package so that a program can offer mechanisms of its own with all the
// verbs, by registering them (see divergence.Register) before it calls Run.
package cli

import (
	"context"
	"fmt"
	"io"

	"divergo/internal/output"
	"divergo/internal/printable"
)

// Run runs one command line, without the name of the program, and returns the
// exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out := &printable.Writer{W: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	signals := catchSignals()
	defer signals.release()
	ctx := context.WithValue(context.Background(), interruptKey{}, signals)
	err := root.ExecuteContext(context.WithValue(ctx, argsKey{}, args))
	output.Clean() // of a run that ended with an error
	_ = out.Close()
	if _, quiet := err.(programExit); err != nil && !quiet { // the program has told
		fmt.Fprintf(stderr, "divergo: %s\n", printable.Text(err.Error()))
	}
	return exitCode(err)
}
