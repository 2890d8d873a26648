package books

// Checker is a demand that must hold in every run.
type Checker struct {
	Name string
	Doc  string // what must hold
	From string // source of the demand
}

// The names of the checkers.
const (
	checkPartition     = "partition"
	checkHome          = "home"
	checkLanes         = "lanes"
	checkCompactor     = "compactor"
	checkUniform       = "uniform"
	checkBarrier       = "barrier"
	checkReconvergence = "reconvergence"
	checkStack         = "stack"
	checkTiming        = "timing"
	checkFair          = "fair"
	checkScoreboard    = "scoreboard"
	checkLiveness      = "liveness"
	checkSpill         = "spill"
	checkStatistics    = "statistics"
)

// own are the checkers of models of single mechanisms.
var own []Checker

// Checkers lists the checkers of the models.
func Checkers() []Checker {
	return append([]Checker{
		{checkPartition, "each live thread is in exactly one group of the mechanism, which is where the thread is by a model of its own: of what has been issued, of outcomes, exits and warps that begin; and it executes no other instruction", "masks of a stack are a partition; the equality bug of Simty"},
		{
			checkHome, "each active lane's row belongs to the CTA of the instruction, and holds a thread in that lane",
			"registers are where the thread began",
		},
		{checkLanes, "the lane permutation puts the threads of a warp into lanes as it is defined, each into its own, and there they stay (not in mechanisms that promise Moves, tbc-ideal)", "Fung & Aamodt, HPCA 2011, section 3: home lanes; Rhu & Erez, ISCA 2013, equation 2"},
		{checkCompactor, "tbc, tbc-lcp, tbc-ideal and capri: compacted warps have each thread of their entry once, and are as many as the fullest lane has threads, or as few as can hold them where threads move", "Fung & Aamodt, HPCA 2011, section 3.3"},
		{checkUniform, "mechanisms that promise InStep, which are all but dwf, dwf-wb, ppc, ppc-explicit and ptpc: a branch that the analysis calls uniform divides nobody", "isa.Inst, Uniform"},
		{
			checkBarrier, "no thread issues behind a barrier that a live thread of its CTA has not come to",
			"PTX ISA, bar.sync",
		},
		{checkReconvergence, "mechanisms that promise Meets, pdom, pdom-lcp and dpe: the threads of a warp that part at a branch issue its post-dominator together", "Fung & Aamodt, HPCA 2011, section 2.2.2"},
		{
			checkStack, "pdom and pdom-lcp: the mask of an entry is part of each one below it, or disjoint",
			"Fung & Aamodt, HPCA 2011, section 2.2.2",
		},
		{checkTiming, "an outcome is taken in the cycle after it comes, and behind a branch a path of the warp runs in the cycle, or cycles, that the mechanism promises (Prompt: all but those whose warps wait for each other, tbc, tbc-lcp, tbc-ideal, capri, dwf, dwf-wb; ppc and ppc-explicit with as many more as pairs end); a compactor makes a warp of an entry in each cycle, the first as soon as the entries above are popped that have nothing to do, by a model of the stack (tbc, tbc-lcp, tbc-ideal, and capri, unless a warp of the CTA has passed a branch by itself since all were together); under dwf and dwf-wb an outcome is taken as soon as update registers are free for its threads, these are in the pool two cycles later, and in each cycle in which a warp is there and a slot is free one gets it; a warp whose tokens move waits as long as the keys say (token)", "each event costs what the paper says, no more and no less"},
		{checkFair, "a slot with an instruction whose threads have nothing in flight is ready: something issues then, and with lrr no other slot before its turn; beside it (sm.interweave) the ready one that fills most of the lanes it leaves", "loose round robin: Fung & Aamodt, HPCA 2011, section 2.2"},
		{checkScoreboard, "nothing issues that reads or writes a register which an instruction in flight has yet to write, nor with sm.scoreboard=warp before the last one of its slot has completed", "Fung & Aamodt, HPCA 2011, section 2.2.1"},
		{checkLiveness, "threads with nothing in flight that wait for no outcome, barrier, vote or memory issue within a bound, unless others do", "no wake-up is lost, nor late"},
		{
			checkSpill, "words that a mechanism has back from memory are those that it stored there last",
			"Bialas & Strzelecki 2015, section IV",
		},
		{checkStatistics, "instructions by active lanes, branches and divergent branches are as many as an observer counts", "the statistics' definitions"},
	}, own...)
}
