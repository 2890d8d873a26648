package compaction_test

import "divergo/sm/divergence/micro"

type (
	kernel = micro.Kernel
	line   = micro.Line
	thread = micro.Thread
)

// The language of the micro-kernels, short.
var (
	nop, exit, count1 = micro.Nop, micro.Exit, micro.Count
	to, when, at      = micro.To, micro.When, micro.At
	seq               = micro.Seq
	tid, below        = micro.FromThread, micro.BelowThread
	never, odd        = micro.Never, micro.Odd
	count             = micro.Count.Do

	figure7 = micro.Figure7
)
