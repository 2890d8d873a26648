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
	checkModel     = "model"
	checkDepth     = "depth"
	checkCycles    = "cycles"
	checkDrained   = "drained"
	checkTraffic   = "traffic"
	checkCoalescer = audit.Coalescer
	checkCache     = audit.Cache
	checkMSHR      = audit.MSHR
	checkTexture   = audit.Texture
	checkReplaces  = audit.Replacement
	checkCrossbar  = audit.Crossbar
	checkBanks     = audit.Banks
	checkDRAM      = audit.DRAM
	checkRecount   = audit.Recount
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
		Name: checkIssue, Doc: "an issued mask is not empty and has live threads only",
		From: "Bialas & Strzelecki 2015, section III; mesa's loop with an empty mask",
		More: []string{"An SM issues once in a cycle."},
	},
}

// whole are the checkers of the end of a run, of the memory system, and of several runs.
var whole = []books.Checker{
	{
		Name: checkModel, Doc: "each issued instruction, with its threads, is one that the model of the mechanism has ready",
		From: "the paper of the mechanism",
		More: []string{
			"Models of package properties/models, written from the papers, on kernels without calls and tables of targets.",
			"pdom, pdom-lcp, multipath and token; ppc, ppc-explicit and ptpc without barriers; subwarp without votes and shuffles; barrier without all of these.",
		},
	},
	{
		Name: checkDepth, Doc: "a stack is never deeper than the mechanism promises (Depth)",
		From: "each entry splits a mask that is not empty",
		More: []string{"What has been pushed is popped."},
	},
	{
		Name: checkCycles, Doc: "each cycle is in one class, and the classes and histograms add up",
		From: "Fung & Aamodt, HPCA 2011, figures 13 and 14",
		More: []string{"Issue cycles are issues times the cycles to enter a pipe.", "The histogram of lanes adds up to the issues."},
	},
	{
		Name: checkDrained, Doc: "at the end nothing is left: no slot, group, pending register, memory access or wake-up",
		From: "nothing in flight is lost",
	},
	{
		Name: checkTraffic, Doc: "what a level of the memory system has sent, the next one has counted",
		From: "nothing is counted twice or not at all",
		More: []string{"These are lines, requests, responses, fetches and bursts.", "Hits, misses and merges add up to the accesses."},
	},
	{
		Name: checkCoalescer, Doc: "the lines of an access serve each active lane once, and are as few as are distinct",
		From: "Fung & Aamodt, HPCA 2011, section 2.2.1",
		More: []string{"A store writes exactly its bytes.", "An access is answered once, when all of its lines are there."},
	},
	{
		Name: checkCache, Doc: "each line that an L1 or the L2 gives is that of a flat memory",
		From: "package memsys, What is ordered",
		More: []string{"The flat memory takes accesses in the order in which the cache does.", "Stored bytes go to the next level once, before a fence passes."},
	},
	{
		Name: checkMSHR, Doc: "each request is answered once, and a line has one MSHR",
		From: "Kroft, ISCA 1981",
		More: []string{"All loads of an MSHR are answered when its line comes.", "At the end no MSHR is in use."},
	},
	{
		Name: checkTexture, Doc: "the texture unit asks for the lines of its texels only, and its answers are made of them",
		From: "CUDA C++ Programming Guide, Texture Fetching",
		More: []string{"An instruction is answered once, for its lanes.", "A surface is accessed at the address of the manual."},
	},
	{
		Name: checkReplaces, Doc: "a cache replaces the line of a set that was used longest ago and is not on its way",
		From: "package memsys, cache: true LRU",
		More: []string{
			"The L1, the L2 and read-only caches.",
			"A request with .cs is no use, and in the L1 and in read-only caches a load that joins a miss with all lanes. Of lines never used, that of the first way makes room.",
			"With l2.keep the L2 keeps its lines from one run to the next, except those that the host writes to.",
		},
	},
	{
		Name: checkCrossbar, Doc: "the ports of a network take packets in turn, each to itself, and none rests that has a packet to move",
		From: "McKeown, IEEE/ACM Transactions on Networking 7 (2), 1999: iSLIP",
		More: []string{
			"A packet of n flits takes its two ports for n cycles.",
			"The turn is checked against packets that an event before has seen in front, and where all packets of a port have one output.",
		},
	},
	{
		Name: checkBanks, Doc: "an access to shared memory takes as many cycles as the fullest bank has distinct words for its lanes",
		From: "Fung & Aamodt, HPCA 2011, section 2.2.1",
		More: []string{"The lanes of an access are served in groups.", "An atomic takes a cycle for each lane."},
	},
	{
		Name: checkDRAM, Doc: "DRAM commands keep the times of the data sheet",
		From: "Rixner et al., ISCA 2000; the GDDR3 of Fung & Aamodt, HPCA 2011, table 2",
		More: []string{
			"The data bus is free and the row is open.", "FR-FCFS chooses the request.",
			"A command is given as soon as they allow it; not with refreshes or an age cap.",
		},
	},
	{
		Name: checkRecount,
		Doc:  "the statistics are as many as packets at the ends of the blocks, as events, and as what a cache must find",
		From: "the statistics' definitions",
		More: []string{"Packets and events are counted in one seed in 8."},
	},
	{
		Name: checkSame, Doc: "a second run, with processes in another order, ends with equal state",
		From: "the clock discipline of package rtl",
		More: []string{"One seed in 8 is run twice, one in 1024 on two goroutines."},
	},
	{
		Name: checkReset, Doc: "a failure on a machine that ran before is there on a fresh one: all state is in registers",
		From: "package rtl, Reset",
	},
	{Name: checkPanic, Doc: "no input makes the model panic", From: "errors are results"},
}
