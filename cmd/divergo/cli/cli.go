// Package cli is the command line of divergo: it parses, calls and prints. It
// is a package so that a program can offer mechanisms of its own with all the
// verbs, by registering them (see divergence.Register) before it calls Run.
package cli

import (
	"context"
	"fmt"
	"io"
)

// Run runs one command line, without the name of the program, and returns the
// exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	signals := catchSignals()
	defer signals.release()
	err := root.ExecuteContext(context.WithValue(context.Background(), interruptKey{}, signals))
	if err != nil {
		fmt.Fprintf(stderr, "divergo: %v\n", err)
	}
	return exitCode(err)
}
