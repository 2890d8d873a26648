package cli

import (
	"os"
	"syscall/js"

	"github.com/spf13/cobra"
)

// localVerbs returns nothing: a page has no use for them.
func localVerbs() []*cobra.Command { return nil }

// isFailure returns false: a page has no check.
func isFailure(error) bool { return false }

// isTerminal reports whether a person reads the standard error as it is written.
func isTerminal(*os.File) bool { return js.Global().Get("process").Get("stderr").Get("isTTY").Truthy() }

// notify does nothing: WebAssembly has no signals. A page ends a run with its worker.
func notify(chan<- os.Signal) {}
