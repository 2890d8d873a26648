// Command examples is divergo with the mechanisms of this folder.
package main

import (
	"divergo/cmd/divergo/cli"
	"os"

	_ "mine/frontier"
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdout, os.Stderr)) }
