// Package trace records a run of a machine, instruction by instruction, in a file that can be read
// from any cycle on.
//
//	what a file holds   Header, Program, Launch, Record, Summary
//	writing             Writer, Stream
//	reading             Reader, Query, Totals
//	tracing a session   Attach, HeaderOf, Recorder
//
// A [Record] is an issued instruction or an event of an SM: a branch outcome, a push or pop of a
// stack, threads that come together, a barrier, a wait, a memory request or its reply. Records are
// grouped in blocks, each of a range of cycles. A block is compressed by itself, and an index at the
// end of the file lists all of them. A file that was cut short can be read up to its last whole
// block.
//
// The byte layout is in docs/reference/trace.md.
package trace
