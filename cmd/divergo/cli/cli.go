// Package cli implements the command line of divergo: it parses, calls and prints.
//
// A program can offer its own mechanisms with all the verbs: it registers them (see
// divergence.Register) and then calls Run.
package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"divergo/internal/output"
	"divergo/internal/printable"
)

type argsKey struct{} // context key of Run's arguments

// Run executes one command line and returns the exit code. args leaves out the program's name.
func Run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out := &printable.Writer{W: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	signals := catchSignals()
	defer signals.release()
	ctx := context.WithValue(context.Background(), interruptKey{}, signals)
	err := recovered(func() error { return root.ExecuteContext(context.WithValue(ctx, argsKey{}, args)) })
	output.Clean() // removes the unfinished files of a run that ended with an error
	if unwritten := out.Close(); err == nil {
		err = unwritten
	}
	if _, quiet := err.(programExit); err != nil && !quiet { // the program printed its own message
		fmt.Fprintf(stderr, "divergo: %s\n", brief(printable.Text(err.Error())))
	}
	return exitCode(err)
}

// recovered calls a function and returns a panic in it as an error, with the calls that led there.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v: a bug in divergo or in a mechanism of yours, for which \"divergo check\" looks for a small kernel\n%s",
				p, debug.Stack())
		}
	}()
	return f()
}

// brief shortens a message: it cuts the middle of long lines and the end of long texts.
func brief(text string) string {
	const most, head, tail = 1000, 600, 400 // most lines; head and tail bytes of a line
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
