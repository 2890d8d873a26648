// Command examples is divergo with the mechanisms of this folder.
package main

import (
	"os"

	"divergo/cmd/divergo/cli"
	_ "divergo/examples/frontier"
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdout, os.Stderr)) }
