package paths_test

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
	tid          = micro.FromThread
	never, odd   = micro.Never, micro.Odd
	count        = micro.Count.Do

	kernels = micro.Kernels
)
