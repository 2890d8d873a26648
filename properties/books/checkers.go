package books

// Checker is a demand that must hold in every run.
type Checker struct {
	Name string
	Doc  string   // what must hold, in at most 25 words
	From string   // source of the demand
	More []string // to which mechanisms it applies, conditions and details, one each
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
	checkAdmission     = "admission"
	checkFetch         = "fetch"
	checkForming       = "forming"
	checkFair          = "fair"
	checkOperands      = "operands"
	checkPipes         = "pipes"
	checkScoreboard    = "scoreboard"
	checkLiveness      = "liveness"
	checkSpill         = "spill"
	checkStatistics    = "statistics"
	checkAssertion     = "assertion"
)

// own are the checkers of models of single mechanisms.
var own []Checker

// Checkers lists the checkers of the models.
func Checkers() []Checker {
	return append([]Checker{
		{
			Name: checkPartition, Doc: "each live thread is in exactly one group of the mechanism, the one at the thread's PC",
			From: "masks of a stack are a partition; the equality bug of Simty",
			More: []string{
				"A group is an entry of a stack, a list or a slot.",
				"A model follows the PC of each thread from issued instructions, outcomes, exits and new warps.",
				"A thread issues the instruction at its PC, and no other.",
			},
		},
		{
			Name: checkHome, Doc: "each active lane's row belongs to the CTA of the instruction, and holds a thread in that lane",
			From: "registers are where the thread began",
		},
		{
			Name: checkLanes, Doc: "the threads of a warp are in the lanes that the lane permutation gives them, and stay there",
			From: "Fung & Aamodt, HPCA 2011, section 3: home lanes; Rhu & Erez, ISCA 2013, equation 2",
			More: []string{"Not for tbc-ideal and other mechanisms that promise Moves: their threads change lanes."},
		},
		{
			Name: checkCompactor, Doc: "compacted warps have each thread of their entry once, and are as few as possible",
			From: "Fung & Aamodt, HPCA 2011, section 3.3",
			More: []string{
				"Only tbc, tbc-lcp, tbc-ideal and capri.",
				"There are as many warps as the fullest lane has threads.",
				"Where threads change lanes, there are as few as can hold all threads.",
			},
		},
		{
			Name: checkUniform, Doc: "a branch that the analysis calls uniform divides no warp", From: "isa.Inst, Uniform",
			More: []string{"Only mechanisms that promise InStep: of those here, all but dwf, dwf-wb, ppc, ppc-explicit and ptpc."},
		},
		{
			Name: checkBarrier, Doc: "no thread issues behind a barrier before all live threads of its CTA have arrived",
			From: "PTX ISA, bar.sync",
		},
		{
			Name: checkReconvergence,
			Doc:  "the threads of a warp that part at a branch issue its post-dominator together",
			From: "Fung & Aamodt, HPCA 2011, section 2.2.2",
			More: []string{"Only mechanisms that promise Meets: of those here, pdom, pdom-lcp and dpe."},
		},
		{
			Name: checkStack, Doc: "the mask of a stack entry is part of each one below it, or disjoint",
			From: "Fung & Aamodt, HPCA 2011, section 2.2.2",
			More: []string{"Only mechanisms that promise Stack: of those here, pdom and pdom-lcp."},
		},
		{
			Name: checkTiming, Doc: "each event of a mechanism takes the cycles that its paper says",
			From: "each event costs what the paper says, no more and no less",
			More: []string{
				"Each mechanism takes an outcome in the cycle after it comes.",
				"After a branch a path of the warp runs within the cycles that the mechanism promises (Prompt). " +
					"Mechanisms whose warps wait for each other promise none: tbc, tbc-lcp, tbc-ideal, capri, dwf and dwf-wb.",
				"In ppc and ppc-explicit each pair that ends adds a cycle.",
				"A compactor makes a warp of an entry in each cycle. It makes the first one when empty entries above are popped, " +
					"by a model of the stack. This holds in capri until a warp passes a branch by itself.",
				"In dwf and dwf-wb an outcome waits for free update registers. Its threads are in the pool two cycles later. " +
					"In each cycle a free slot gets a waiting warp.",
				"In token a warp whose tokens move waits at least as long as the keys say, and no longer for a token that is popped.",
			},
		},
		{
			Name: checkAdmission,
			Doc:  "the SMs get CTAs in turn, as soon as they have room, and start a warp in each cycle",
			From: "package gpu, dispatcher; package sm, CTA",
			More: []string{
				"An SM holds as many CTAs as its threads, registers, shared memory and places permit.",
				"A notice takes 8 cycles to the dispatcher, and a command 8 to the SM.",
				"A CTA takes the lowest free place, and leaves it with its last warp.",
			},
		},
		{
			Name: checkFetch,
			Doc:  "slots fetch in turn, as many instructions as there are and have room, and no cycle is lost",
			From: "package sm, Fetch; Fung & Aamodt, HPCA 2011, section 2.2.1",
			More: []string{
				"The I-buffers are modelled from fetches, issues and the slots.",
				"With icache.size a slot that misses waits for its line. Of the slots that wait for a line, the first " +
					"in turn fetches when it comes.",
			},
		},
		{
			Name: checkForming,
			Doc:  "dynamic warps have the threads that the PC-warp table lets join, and issue by the policy",
			From: "Fung et al., MICRO 2007, sections 4.2 and 4.3",
			More: []string{
				"Only dwf and dwf-wb.",
				"The table replaces the line that was used longest ago.",
				"The policy is checked under dwf, unless a majority counts returned threads.",
			},
		},
		{
			Name: checkFair, Doc: "an SM with a ready slot issues, and the scheduler's order is kept",
			From: "loose round robin: Fung & Aamodt, HPCA 2011, section 2.2",
			More: []string{
				"A slot is ready if it has an instruction and its threads have nothing in flight.",
				"No ready slot is before the one that issues, in the order of sm.cta_priority and then of sm.scheduler. " +
					"With two-level this holds within a fetch group.",
				"Of the paths of the oldest warp, the first slot issues.",
				"With sm.interweave the second slot is the ready one that fills most of the free lanes.",
			},
		},
		{
			Name: checkOperands, Doc: "an instruction reads its registers for as many cycles as its busiest bank has of them",
			From: "package sm, Operands; key sm.rf_banks",
			More: []string{
				"It begins when it comes and the one before has left, and leaves when its pipe has room.",
				"Not with sm.interweave, where two instructions read at once.",
			},
		},
		{
			Name: checkPipes, Doc: "a pipe takes an instruction when the one before has entered, and write-back takes results by priority",
			From: "Fung & Aamodt, HPCA 2011, section 2.2.1; Vaidya et al., ISCA 2013",
			More: []string{
				"An instruction enters in as many cycles as its lanes fill groups, by sm.skip, or in its share of the initiation interval, rounded up.",
				"No more results are written in a cycle than there are ports, and none before one of a pipe of higher priority.",
				"Instructions on f64 and no others are executed in the pipe of double precision, but for those of special functions.",
				"Neither with sm.interweave, where two instructions share a pipe and a port.",
				"After an issue the next one can come when the lanes have entered, and not before.",
			},
		},
		{
			Name: checkScoreboard, Doc: "nothing issues that reads or writes a register which an instruction in flight still writes",
			From: "Fung & Aamodt, HPCA 2011, section 2.2.1",
			More: []string{"With sm.scoreboard=warp nothing issues before the last instruction of the slot has completed."},
		},
		{
			Name: checkLiveness, Doc: "threads that wait for nothing issue within a bound, unless others do",
			From: "no wake-up is lost, nor late",
			More: []string{"Threads may wait for instructions in flight, an outcome, a barrier, a vote or memory."},
		},
		{
			Name: checkSpill, Doc: "words that a mechanism has back from memory are those that it stored there last",
			From: "Bialas & Strzelecki 2015, section IV",
		},
		{
			Name: checkStatistics,
			Doc:  "instructions by active lanes, branches and divergent branches are as many as an observer counts",
			From: "the statistics' definitions",
			More: []string{
				"Each cycle is in the class of its lanes, or of the first reason why nothing issues.",
				"Stacks have the depth that their pushes and pops give; of tbc, capri and multipath it is not known.",
				"Counted again are skipped cycles, waits for write-back, the warp pool, barriers that part of a warp " +
					"reaches, and in tbc without barriers the waits for other warps.",
			},
		},
		{
			Name: checkAssertion, Doc: "the assertions that a mechanism declares hold in each cycle",
			From: "divergence.Mechanism, Asserts", More: assertions(),
		},
	}, own...)
}
