//go:build !js

package cli

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// isTerminal reports whether a person reads the file as it is written.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// notify sends the signals that ask the command to end.
func notify(to chan<- os.Signal) {
	signal.Notify(to, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(to, syscall.SIGHUP)
	}
}
