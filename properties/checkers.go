package properties

import (
	"slices"

	"divergo/internal/audit"
	"divergo/properties/books"
)

// The names of the checkers, without those of package books.
const (
	checkOutcome   = "outcome"
	checkPaths     = "paths"
	checkRegisters = "registers"
	checkMemory    = "memory"
	checkOnce      = "once"
	checkIssue     = "issue"
	checkDepth     = "depth"
	checkCycles    = "cycles"
	checkDrained   = "drained"
	checkTraffic   = "traffic"
	checkCoalescer = audit.Coalescer
	checkCache     = audit.Cache
	checkMSHR      = audit.MSHR
	checkBanks     = audit.Banks
	checkDRAM      = audit.DRAM
	checkSame      = "same"
	checkReset     = "reset"
	checkPanic     = "panic"
)

// Checkers lists all checkers, including those of package books.
func Checkers() []books.Checker { return slices.Concat(results, books.Checkers(), whole) }

// results are the checkers of the threads' execution.
var results = []books.Checker{
	{
		Name: checkOutcome, Doc: "the machine ends as the golden model does: no deadlock, fault or watchdog of its own",
		From: "progress",
	},
	{
		Name: checkPaths, Doc: "each thread executes the sequence of PCs that the golden model has for it",
		From: "program order of a thread",
	},
	{Name: checkRegisters, Doc: "each thread writes to its registers what it does in the golden model, and exits with the same", From: "the golden model"},
	{Name: checkMemory, Doc: "device memory ends as in the golden model", From: "the golden model"},
	{
		Name: checkOnce, Doc: "the sum of active lanes over all issues is the sum of the threads' instructions",
		From: "no instruction is lost or repeated",
	},
	{
		Name: checkIssue, Doc: "an issued mask is not empty and has live threads only; an SM issues once in a cycle",
		From: "Bialas & Strzelecki 2015, section III; mesa's loop with an empty mask",
	},
}

// whole are the checkers of the end of a run, of the memory system, and of several runs.
var whole = []books.Checker{
	{Name: checkDepth, Doc: "a stack is never deeper than the mechanism promises (Depth), and what has been pushed is popped", From: "each entry splits a mask that is not empty"},
	{Name: checkCycles, Doc: "each cycle is in one class, issue cycles are issues times the cycles to enter a pipe, the histogram of lanes adds up", From: "Fung & Aamodt, HPCA 2011, figures 13 and 14"},
	{
		Name: checkDrained, Doc: "at the end nothing is left: no slot, group, pending register, memory access or wake-up",
		From: "nothing in flight is lost",
	},
	{Name: checkTraffic, Doc: "what one level of the memory system has sent the next one has counted: lines, requests, responses, fetches, bursts; hits, misses and merges add up", From: "nothing is counted twice or not at all"},
	{Name: checkCoalescer, Doc: "the lines of an access serve each active lane once, as few as are distinct, a store with exactly its bytes; it is answered once, when all is there", From: "Fung & Aamodt, HPCA 2011, section 2.2.1"},
	{Name: checkCache, Doc: "each line that an L1 or the L2 gives is that of flat memory, in the order in which accesses are taken; what was stored goes down once, before a fence passes", From: "package memsys, What is ordered"},
	{Name: checkMSHR, Doc: "each request is answered once, all loads of an MSHR when its line comes; a line has one MSHR; none is left", From: "Kroft, ISCA 1981"},
	{Name: checkBanks, Doc: "an access to shared memory takes as many cycles as the fullest bank has distinct words for its lanes, by groups of them, an atomic one for each lane, and none more", From: "Fung & Aamodt, HPCA 2011, section 2.2.1"},
	{Name: checkDRAM, Doc: "commands keep the times of the data sheet, one to another; the data bus is free; rows are open; FR-FCFS chooses the request", From: "Rixner et al., ISCA 2000; the GDDR3 of Fung & Aamodt, HPCA 2011, table 2"},
	{Name: checkSame, Doc: "a second run, with processes in another order, ends with equal state (one seed in 8; one in 1024 on two goroutines)", From: "the clock discipline of package rtl"},
	{
		Name: checkReset, Doc: "a failure on a machine that ran before is there on a fresh one: all state is in registers",
		From: "package rtl, Reset",
	},
	{Name: checkPanic, Doc: "no input makes the model panic", From: "errors are results"},
}
