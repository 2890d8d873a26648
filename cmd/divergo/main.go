// Command divergo runs PTX kernels on a clocked model of a GPU and compares
// what different divergence mechanisms make of them.
//
// "divergo help" lists the verbs, "divergo help VERB" explains one. The answer
// goes to standard output, everything else to standard error. Exit codes:
//
//	0    done
//	1    a check failed: a result differs from its reference
//	2    usage, configuration or PTX error; nothing was run
//	3    a sweep is incomplete
//	4    the simulated program failed: fault, SIMT deadlock or watchdog
//	130  interrupted; a waveform is complete up to the last cycle
package main

import (
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute runs one command line and returns the exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err != nil {
		fmt.Fprintf(stderr, "divergo: %v\n", err)
	}
	return exitCode(err)
}
