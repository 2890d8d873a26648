package barriers_test

import "divergo/sm/divergence/micro"

type (
	kernel = micro.Kernel
	line   = micro.Line
	thread = micro.Thread
)

// The language of the micro-kernels, short.
var (
	nop, exit    = micro.Nop, micro.Exit
	to, when, at = micro.To, micro.When, micro.At
	seq          = micro.Seq
	tid, below   = micro.FromThread, micro.BelowThread
	odd          = micro.Odd
)
