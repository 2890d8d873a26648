// Command divergo runs PTX kernels on a clocked model of a GPU and compares divergence mechanisms.
//
// "divergo help" lists the verbs; "divergo help VERB" explains one. The answer goes to the standard
// output, everything else to the standard error. Exit codes:
//
//	0    done
//	1    a check failed: a result differs from its reference
//	2    usage, configuration or PTX error, and nothing was run; or a file could not be written
//	4    the simulated program failed: fault, SIMT deadlock, endless loop or watchdog
//	130  interrupted; a waveform is complete up to the last cycle
package main

import (
	"os"

	"divergo/cmd/divergo/cli"
)

func main() {
	paceCollector()
	os.Exit(cli.Run(os.Args[1:], os.Stdout, os.Stderr))
}
