package tokens_test

import "divergo/sm/divergence/micro"

type (
	kernel = micro.Kernel
	line   = micro.Line
)

// The language of the micro-kernels, short.
var (
	exit     = micro.Exit
	when, at = micro.When, micro.At
	seq      = micro.Seq
	below    = micro.BelowThread
	odd      = micro.Odd
)
