package properties

import "divergo/internal/audit"

// Checker is something that must hold in every run.
type Checker struct {
	Name string
	Doc  string // what must hold
	From string // where the demand comes from
}

// The names of the checkers.
const (
	checkOutcome       = "outcome"
	checkPaths         = "paths"
	checkRegisters     = "registers"
	checkMemory        = "memory"
	checkOnce          = "once"
	checkIssue         = "issue"
	checkPartition     = "partition"
	checkHome          = "home"
	checkLanes         = "lanes"
	checkCompactor     = "compactor"
	checkUniform       = "uniform"
	checkBarrier       = "barrier"
	checkReconvergence = "reconvergence"
	checkStack         = "stack"
	checkDepth         = "depth"
	checkTiming        = "timing"
	checkFair          = "fair"
	checkLiveness      = "liveness"
	checkSpill         = "spill"
	checkStatistics    = "statistics"
	checkCycles        = "cycles"
	checkDrained       = "drained"
	checkTraffic       = "traffic"
	checkCoalescer     = audit.Coalescer
	checkCache         = audit.Cache
	checkMSHR          = audit.MSHR
	checkBanks         = audit.Banks
	checkScoreboard    = "scoreboard"
	checkDRAM          = audit.DRAM
	checkSame          = "same"
	checkReset         = "reset"
	checkPanic         = "panic"
)

// Checkers lists all of them.
func Checkers() []Checker {
	return []Checker{
		{checkOutcome, "the machine ends as the golden model does: no deadlock, fault or watchdog of its own", "progress"},
		{checkPaths, "each thread executes the sequence of PCs that the golden model has for it", "program order of a thread"},
		{checkRegisters, "each thread writes to its registers what it does in the golden model, and exits with the same", "the golden model"},
		{checkMemory, "device memory ends as in the golden model", "the golden model"},
		{checkOnce, "the sum of active lanes over all issues is the sum of the threads' instructions", "no instruction is lost or repeated"},
		{checkIssue, "an issued mask is not empty and has live threads only; an SM issues once in a cycle", "Bialas & Strzelecki 2015, section III; mesa's loop with an empty mask"},
		{checkPartition, "each live thread is in exactly one group of the mechanism, which is where the thread is by a book of its own: of what has been issued, of outcomes, exits and warps that begin; and it executes no other instruction", "masks of a stack are a partition; the equality bug of Simty"},
		{checkHome, "each active lane's row belongs to the CTA of the instruction, and holds a thread in that lane", "registers are where the thread began"},
		{checkLanes, "the lane permutation puts the threads of a warp into lanes as it is defined, each into its own, and there they stay (not in mechanisms that promise Moves, tbc-ideal)", "Fung & Aamodt, HPCA 2011, section 3: home lanes; Rhu & Erez, ISCA 2013, equation 2"},
		{checkCompactor, "mechanisms that promise Compacts, tbc, tbc-lcp, tbc-ideal and capri: compacted warps have each thread of their entry once, and are as many as the fullest lane has threads, or as few as can hold them where threads move", "Fung & Aamodt, HPCA 2011, section 3.3"},
		{checkUniform, "mechanisms that promise InStep, which are all but dwf, dwf-wb, ppc, ppc-explicit and ptpc: a branch that the analysis calls uniform divides nobody", "isa.Inst, Uniform"},
		{checkBarrier, "no thread issues behind a barrier that a live thread of its CTA has not come to", "PTX ISA, bar.sync"},
		{checkReconvergence, "mechanisms that promise Meets, pdom, pdom-lcp and dpe: the threads of a warp that part at a branch issue its post-dominator together", "Fung & Aamodt, HPCA 2011, section 2.2.2"},
		{checkStack, "mechanisms that promise Nested, pdom and pdom-lcp: the mask of an entry is part of each one below it, or disjoint", "Fung & Aamodt, HPCA 2011, section 2.2.2"},
		{checkDepth, "a stack is never deeper than the mechanism promises (Depth), and what has been pushed is popped", "each entry splits a mask that is not empty"},
		{checkTiming, "an outcome is taken in the cycle after it comes, and behind a branch a path of the warp runs in the cycle, or cycles, that the mechanism promises (Prompt: all but those whose warps wait for each other, tbc, tbc-lcp, tbc-ideal, capri, dwf, dwf-wb; ppc and ppc-explicit with as many more as pairs end, PerPop); a compactor makes a warp of an entry in each cycle, the first as soon as the entries above are popped that have nothing to do, by a book of the stack (Splits: tbc, tbc-lcp, tbc-ideal, and capri, unless a warp of the CTA has passed a branch by itself since all were together); of mechanisms that promise Updates, dwf and dwf-wb, an outcome is taken as soon as update registers are free for its threads, these are in the pool two cycles later, and in each cycle in which a warp is there and a slot is free one gets it; a warp whose tokens move waits as long as the keys say (Transfers: token)", "each event costs what the paper says, no more and no less"},
		{checkFair, "a slot with an instruction whose threads have nothing in flight is ready: something issues then, and with lrr no other slot before its turn; beside it (sm.interweave) the ready one that fills most of the lanes it leaves", "loose round robin: Fung & Aamodt, HPCA 2011, section 2.2"},
		{checkScoreboard, "nothing issues that reads or writes a register which an instruction in flight has yet to write, nor with sm.scoreboard=warp before the last one of its slot has completed", "Fung & Aamodt, HPCA 2011, section 2.2.1"},
		{checkLiveness, "threads with nothing in flight that wait for no outcome, barrier, vote or memory issue within a bound, unless others do", "no wake-up is lost, nor late"},
		{checkSpill, "words that a mechanism has back from memory are those that it stored there last", "Bialas & Strzelecki 2015, section IV"},
		{checkStatistics, "instructions by active lanes, branches and divergent branches are as many as an observer counts", "the statistics' definitions"},
		{checkCycles, "each cycle is in one class, issue cycles are issues times the cycles to enter a pipe, the histogram of lanes adds up", "Fung & Aamodt, HPCA 2011, figures 13 and 14"},
		{checkDrained, "at the end nothing is left: no slot, group, pending register, memory access or wake-up", "nothing in flight is lost"},
		{checkTraffic, "what one level of the memory system has sent the next one has counted: lines, requests, responses, fetches, bursts; hits, misses and merges add up", "nothing is counted twice or not at all"},
		{checkCoalescer, "the lines of an access serve each active lane once, as few as are distinct, a store with exactly its bytes; it is answered once, when all is there", "Fung & Aamodt, HPCA 2011, section 2.2.1"},
		{checkCache, "each line that an L1 or the L2 gives is that of flat memory, in the order in which accesses are taken; what was stored goes down once, before a fence passes", "package memsys, What is ordered"},
		{checkMSHR, "each request is answered once, all loads of an MSHR when its line comes; a line has one MSHR; none is left", "Kroft, ISCA 1981"},
		{checkBanks, "an access to shared memory takes as many cycles as the fullest bank has distinct words for its lanes, by groups of them, an atomic one for each lane, and none more", "Fung & Aamodt, HPCA 2011, section 2.2.1"},
		{checkDRAM, "commands keep the times of the data sheet, one to another; the data bus is free; rows are open; FR-FCFS chooses the request", "Rixner et al., ISCA 2000; the GDDR3 of Fung & Aamodt, HPCA 2011, table 2"},
		{checkSame, "a second run, with processes in another order, ends with equal state (one seed in 8; one in 1024 on two goroutines)", "the clock discipline of package rtl"},
		{checkReset, "a failure on a machine that ran before is there on a fresh one: all state is in registers", "package rtl, Reset"},
		{checkPanic, "no input makes the model panic", "errors are results"},
	}
}
