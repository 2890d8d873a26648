package cli

import (
	"os"
	"syscall/js"

	"github.com/spf13/cobra"
)

// localVerbs returns nothing: a page does not serve pages.
func localVerbs() []*cobra.Command { return nil }

// isTerminal reports whether a person reads the standard error as it is written.
func isTerminal(*os.File) bool { return js.Global().Get("process").Get("stderr").Get("isTTY").Truthy() }

// notify does nothing: WebAssembly has no signals. A page ends a run with its worker.
func notify(chan<- os.Signal) {}
