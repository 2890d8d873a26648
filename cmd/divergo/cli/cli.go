// Package cli is the command line of divergo: it parses, calls and prints. It
// is a package so that a program can offer mechanisms of its own with all the
// verbs, by registering them (see divergence.Register) before it calls Run.
package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

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
	if unwritten := out.Close(); err == nil {
		err = unwritten
	}
	if _, quiet := err.(programExit); err != nil && !quiet { // the program has told
		fmt.Fprintf(stderr, "divergo: %s\n", brief(printable.Text(err.Error())))
	}
	return exitCode(err)
}

// brief leaves out what is too much for a message: the middle of a long line, and the last of many lines.
func brief(text string) string {
	const most, head, tail = 1000, 600, 400 // lines, and bytes of one
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > most {
			b.WriteString("...")
			break
		}
		if len(line) > head+tail {
			line = strings.ToValidUTF8(line[:head], "") + " ... " + strings.ToValidUTF8(line[len(line)-tail:], "")
		}
		b.WriteString(line)
	}
	return b.String()
}
