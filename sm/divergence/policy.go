// Package divergence holds the reconvergence mechanisms, one a file. Each is a
// clocked module that owns the slots of a streaming multiprocessor and the
// state behind them, and plugs into the same front end.
//
// A slot is something that the front end can fetch and issue for: a PC, an
// active mask, and the register-file row of each thread. Nothing outside this
// package knows why a slot has the mask it has. A static warp, one of two
// paths of a warp, and a warp compacted from several are all slots.
//
// A mechanism hears of five things and answers by changing slots:
//
//	Launch   a warp of a new CTA is ready to start
//	Fire     an instruction was issued: the slot moves on, or waits if the
//	         instruction is one that this package resolves
//	Second   another one, issued in the same cycle in other lanes: see Ports
//	Outcome  such an instruction (branch, barrier, exit) reached the end of
//	         execution: here is what each lane decided
//	Retire   (answer) a static warp has no threads left
//
// What a mechanism costs are the cycles until its slots are valid again: one
// stack write, one encoder step, one compacted warp a cycle.
package divergence

import (
	"cmp"
	"fmt"
	"math/bits"
	"reflect"
	"sync"

	"divergo/internal/key"
	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Sizes that bound the tables of any configuration.
const (
	MaxWarps = units.MaxRows // resident static warps of an SM
	MaxSlots = units.MaxSet  // eight paths for each warp
	MaxCTAs  = 32
	Barriers = 16 // named barriers of a CTA (PTX ISA, bar)
)

// Wait says why the front end must leave a slot alone.
type Wait uint8

// The reasons.
const (
	Runs         Wait = iota // it need not
	WaitsControl             // a control instruction has been issued and is not resolved
	WaitsBarrier             // at a CTA barrier
	WaitsJoin                // for other warps or paths, at a branch or a reconvergence point; most often the slot is not valid then
)

func (w Wait) String() string { return [...]string{"run", "control", "barrier", "join"}[w&3] }

// Slot is what the front end sees of a warp or a path.
type Slot struct {
	Valid bool
	Wait  Wait  `bits:"2"`
	Mixed bool  // threads are not all of Row, in their lanes: see Policy.Homes
	CTA   uint8 `bits:"5"` // resident CTA
	Row   uint8 `bits:"6"` // register-file row of all threads, unless Mixed
	PC    uint32
	Depth uint16 `if:"calls"` // calls that its threads have not returned from
	Mask  uint32 `bits:"lanes"`
}

// Launch starts a static warp: its row in the register file is free for the
// threads of Mask, which begin at PC 0. Last marks the last warp of a CTA.
type Launch struct {
	CTA   uint8 `bits:"5"`
	Row   uint8 `bits:"6"`
	First uint8 `bits:"6"` // row of the CTA's first warp
	Warps uint8 `bits:"7"` // of the CTA
	Last  bool
	Mask  uint32
}

// Fire tells of the instruction issued in this cycle.
type Fire struct {
	Valid   bool
	Control bool   // resolved by the mechanism: an Outcome follows
	Slot    uint16 `bits:"9"`
	PC      uint32 // isa.NoPC if there is none
}

// Outcome is a control instruction at the end of execution.
type Outcome struct {
	Slot  uint16 `bits:"9"`
	PC    uint32
	Taken uint32 // active lanes that execute it: that branch, exit, or arrive
	// Target is where a branch, call or return leads, isa.NoPC if it is none. Of an
	// indirect one the others of its lanes have other targets. They have not executed it.
	Target uint32
	Bar    uint8  `bits:"4"` // bar: barrier number
	Warps  uint8  `bits:"7"` // bar: warps expected, 0 for all of the CTA
	Votes  uint32 // bar.red: lanes whose predicate holds
	Named  uint32 // lanes, exited ones too: of warpsync the threads that those of Taken wait for, of bmov those that take part
}

// Retire tells that a static warp has no threads left.
type Retire struct {
	CTA uint8 `bits:"5"`
	Row uint8 `bits:"6"`
}

// The memory of a row that a mechanism has for what does not fit on the chip: a
// token for each branch, which splits a mask, and for each region around the PC,
// rounded up to whole lines of any cache. With recursive functions a region counts
// in each activation, and there is room for as many as a byte can count with those
// on the chip. It moves in 32 bytes, one sector of the L2 (Bialas & Strzelecki,
// section IV).
const (
	SpillWords     = 64 // of 8 bytes
	RecursiveWords = 160
	TransferWords  = 4
)

// SpillWordsOf is how many words a row has when p runs.
func SpillWordsOf(p *isa.Program) int {
	if p.Recursive {
		return RecursiveWords
	}
	return SpillWords
}

// Transfer moves words between a mechanism and the memory of a row, which it uses
// as a stack that grows upwards: what lies above words that are stored is not in
// use. Transferred answers it.
type Transfer struct {
	Store bool
	CTA   uint8 `bits:"5"`
	Row   uint8 `bits:"6"`
	At    uint8 // first word; a store from SpillWordsOf the program on is a fault of the instruction at PC
	Words uint8 `bits:"3"`
	PC    uint32
	Data  [TransferWords]uint64
}

// Transferred tells that memory has taken the words of a row, or what they are.
type Transferred struct {
	Row  uint8 `bits:"6"`
	Data [TransferWords]uint64
}

// Ports connect a mechanism with the pipeline.
type Ports struct {
	Launch rtl.In[Launch]
	Fire   *rtl.Wire[Fire]
	// Second is an instruction of another slot, of other lanes, issued in the same cycle;
	// nil if there never is one, or the mechanism does not say that it serves them (Pairs).
	// Then as many outcomes come in a cycle.
	Second  *rtl.Wire[Fire] `rtl:"optional"`
	Pairs   bool
	Outcome rtl.In[Outcome]
	Retire  rtl.Out[Retire]
	// Memory is for one Transfer of each row at a time.
	Memory rtl.Out[Transfer]
	Answer rtl.In[Transferred]
	// Tallies is written by the mechanism, by row, as it lets threads go on behind
	// a bar.red: what that has counted. Programs with bar.red are refused without.
	Tallies *rtl.Mem[Tally] `rtl:"optional"`
	// Convergence is written by the mechanism, by row and barrier, for programs with
	// bmov.
	Convergence *rtl.Mem[Convergence] `rtl:"optional"`
	// Ranks is written by the mechanism, by slot: of the slots that are ready one of
	// the lowest rank issues, which the scheduler picks if there are several.
	Ranks *rtl.Mem[uint64] `rtl:"optional,inplace"`
	// Stalled are the slots that wait for memory, for mechanisms with Stalls.
	Stalled *rtl.Wire[units.Set] `rtl:"optional"`
	// Redirect is driven by the mechanism: the slots that it changes in this
	// cycle other than by the advance of Fire. Fetch and issue look at them again.
	Redirect rtl.Wire[units.Set]
}

// drive puts the changed ones of so many slots on Redirect, and empties the set.
func (p *Ports) drive(changed *units.Set, slots int) {
	if !changed.Equal(p.Redirect.At(), units.Words(slots)) {
		p.Redirect.Set(*changed)
	}
	*changed = units.Set{}
}

// Code is the kernel being run. It changes only between runs.
type Code struct {
	Prog *isa.Program
	// Base is where the program begins in instruction memory, in instructions: what
	// the PCs of several kernels differ by. It is a multiple of CodeAlign.
	Base uint32
}

// CodeAlign is the alignment of programs in instruction memory: enough for the sets
// of a table that is looked up by PC to be the same wherever a program is.
const CodeAlign = 128

// Geometry sizes a mechanism.
type Geometry struct {
	Lanes int // of a warp
	Warps int // resident static warps, which is the number of rows
	CTAs  int // resident CTAs
}

// Path is a group of threads of one row that are at one PC, for diagnosis.
type Path struct {
	CTA     uint8
	Row     uint8
	PC      uint32
	Reconv  uint32 // where they wait for others, or isa.NoPC
	Mask    uint32
	Wait    Wait
	Running bool // a slot is valid for it; otherwise it is parked in the mechanism
	Comes   bool // parked, but not for ever: it will have a slot whatever others do
}

// Stats counts the events that all mechanisms share; a mechanism without a
// stack leaves the stack counters at zero. What several SMs count is added up; of
// a `stat:"peak"` it is the largest.
type Stats struct {
	Branches    uint64 // conditional branches resolved
	Divergent   uint64 // of these, with lanes on both sides
	Pushes      uint64
	Pops        uint64
	MaxDepth    uint64 `stat:"peak"` // entries, base entry included; of paired-path comparison the pairs
	BarDiverged uint64 // barriers reached by part of a warp's live threads
	BarReleases uint64
	Spills      uint64 // groups of entries moved to memory
	Fills       uint64 // groups of entries moved back
	Compaction  Compaction
	Prediction  Prediction
	Formation   units.Formation
}

// Compaction counts what a thread compactor does, and what it waits for.
type Compaction struct {
	Entries  uint64 // entries that became the top with threads
	Static   uint64 // static warps with a thread in them
	Warps    uint64 // warps made of them
	Ideal    uint64 // warps if threads could change lanes
	AtBranch uint64 // cycles that warps waited at a branch for others
	AtJoin   uint64 // cycles that warps waited at a reconvergence point
}

// Prediction counts what becomes of the branches of a CTA under CAPRI.
type Prediction struct {
	Branches uint64 // executed by all warps of the top entry
	Correct  uint64 // compaction was adequate, as predicted, or was not
	Misses   uint64 // not in the table, which predicts that it is not
	Bypasses uint64 // warps that did not wait at a branch
	Compacts uint64 // branches at which all warps waited for compaction
}

// Count counts a branch and reports whether lanes take both ways.
func (st *Stats) Count(in *isa.Inst, taken, not uint32) (diverges bool) {
	diverges = taken != 0 && not != 0
	if in.Conditional() || diverges {
		st.Branches++
	}
	if diverges {
		st.Divergent++
	}
	return diverges
}

// Policy is a reconvergence mechanism at work. An implementation embeds Ports, or
// Warps, and is a module of package rtl.
type Policy interface {
	Tick()
	// Slots is the table that the front end reads; its length is the number of
	// slots and does not change.
	Slots() *rtl.Mem[Slot]
	// Homes are those of Mixed slots, by slot; nil if there are none. Masks of a row are by
	// the lanes that they have.
	Homes() *rtl.Mem[units.Homes]
	// Connections gives access to the embedded Ports.
	Connections() *Ports
	// Paths appends every group of live threads, running and parked, and says
	// which of them get on: see Path.
	Paths(to []Path) []Path
	// Arriving is, by lane of the slot, the threads that arrive at a CTA barrier if
	// threads of the slot with these active lanes execute one, where some wait or none
	// needs to (bar.arrive); lanes without a live thread do not matter. It is 0 if each
	// thread counts for itself.
	Arriving(slot int, active uint32, waits bool) uint32
	// Begin tells that a kernel has been loaded, between two runs: what was learned of
	// the last one is dropped, and peaks are counted anew.
	Begin()
	// Stats is what was counted since reset; a peak, since Begin.
	Stats() Stats
	// Counts is what Mechanism.Counts declares, or nil.
	Counts() Counting
	// Logic is the comparators, encoders and adders, which reflection does not see.
	// Where the model does in a cycle what takes hardware several steps, such as
	// several pops, the logic of one is meant.
	Logic(g Geometry) []units.Logic
	// Parts says of the parts that have an `if` tag which there are; nil if no
	// part has.
	Parts() map[string]bool
}

// Connections returns p, so that a mechanism that embeds Ports has the method.
func (p *Ports) Connections() *Ports { return p }

// Mechanism is an entry of the list that the command line offers.
type Mechanism struct {
	Name string
	Doc  string // one line
	// New makes the hardware of an SM.
	New func(e Env) (Policy, error)
	// Prepare makes the program that the hardware runs of the kernel's, with the
	// instructions that the mechanism needs; nil if it needs none. Outside of the
	// SM, PCs are those of the kernel: see isa.Program.OriginOf.
	Prepare func(s Settings, p *isa.Program) *isa.Program
	// Params is a struct of its parameters, with their defaults. They become keys,
	// divergence.NAME.PARAM: an int, a bool or a type of word is a field with tags
	//
	//	Reach int `toml:"reach" range:"1..32" unit:"entries" doc:"meaning, in a line" source:"where the default comes from"`
	//
	// The range may end in another one of the struct, and have pow2 behind it.
	Params any
	// Counts is a struct of what the mechanism counts itself, see Counted. They become
	// statistics, NAME.COUNTER: uint64 fields with tags
	//
	//	Waiting uint64 `name:"waiting" stat:"peak" unit:"paths" doc:"meaning, in a line" source:"who defines it"`
	//
	// What several SMs count is added up; of a peak it is the largest. With a tag
	// `warn:"text"` a run warns with that text of a counter that is not 0.
	Counts any
	// Blocks tells that warps of a CTA wait for each other at branches.
	Blocks bool
	// Spills tells that it needs memory behind its ports.
	Spills bool
	// Stalls tells that it hears of slots that begin and end to wait for memory, by
	// Ports.Stalled.
	Stalls bool
	Promises
}

// Arrival is who counts at a CTA barrier, in a module for sm_70 or later.
type Arrival uint8

// The ways to arrive.
const (
	ByWarp   Arrival = iota // a warp, all of whose threads come at once
	ByPair                  // as ByPath, but not one that a branch of its sibling covers, which comes to no barrier before that branch has ended
	ByPath                  // those of a path, which wait for themselves; where they need not wait, all of the warp
	ByThread                // each thread
)

// Promises are what a mechanism says of itself to those who check it.
type Promises struct {
	// Meets: the threads of a warp that part at a branch go on together from its
	// post-dominator.
	Meets bool
	// InStep: threads are only brought together in the same iterations of all loops
	// around, so that isa.Inst's Uniform holds for them.
	InStep bool
	// Moves: threads change their lanes, for which there is a crossbar in front of
	// the register file.
	Moves bool
	// Across: threads of several CTAs of the SM are brought together.
	Across bool
	// Arrival is who counts at a CTA barrier.
	Arrival Arrival
	// Gathers: threads that a .sync instruction names wait for each other there, on
	// whatever paths they come.
	Gathers bool
	// Prompt is the cycles after which a path of a warp runs from the one on in which the
	// mechanism has taken the outcome of a branch, which it does in the cycle in which that
	// comes; a warp with threads at a CTA barrier or words on their way to memory may wait. 0: there is no such bound.
	Prompt int
	// PerPop is how many of these cycles there are more for each entry that the mechanism
	// pops meanwhile.
	PerPop int
	// Updates is how many groups of threads a mechanism that forms warps anew takes in a cycle, each
	// of one PC: that of the instruction issued, those of an outcome, a warp that begins. The cycle after, they are in the pool
	// of warps, where they join others or get a slot of their own, one warp in each cycle in which a slot is free. 0:
	// there is no such bound.
	Updates int
	// Rejoins: threads of a warp are together, in their slot, until a branch divides them, and again from its
	// post-dominator on; Updates is of the others.
	Rejoins bool
	// Transfers is the cycles that a row waits at least for words that go to memory, and
	// for those that come back; nil if nobody waits.
	Transfers func(o Options) (store, load int)
	// Depth is how many entries a stack never exceeds, with warps of so many lanes;
	// nil, or 0, if there is no such bound.
	Depth func(lanes int, p *isa.Program) int
	// Nested appends the masks of the entries that a slot runs the top of, from the
	// bottom: each is part of those below it, or apart from them. Nil if there is no
	// such stack.
	Nested func(p Policy, slot int, to []uint32) []uint32
	// Compacts is who is told of each warp that the mechanism makes of the threads
	// of a CTA; nil if it makes none, or others than Compacted describes.
	Compacts func(p Policy) *rtl.Observers[Compacted]
	// Splits: a CTA has one stack, whose top entry is split when all of its threads have executed a branch that can
	// diverge, into an entry for each way (Fung & Aamodt, HPCA 2011, section 3.3). Likely: and,
	// where threads part, one for a likely-convergence point (section 4). Passes: or warps pass the branch, each by itself, off the stack.
	Splits, Likely, Passes bool
}

// Settings are what a mechanism can be told.
type Settings struct {
	Options
	Params any   // of the type of Mechanism.Params
	First  First // of Options.PathOrder
}

// Env is what a mechanism is made from.
type Env struct {
	Settings
	Geometry
	Code *Code
}

// Settings reads the options of a machine.
func (m Mechanism) Settings(o Options) (s Settings, err error) {
	s.Options = o
	if m.Params != nil {
		if s.Params, err = o.Own.Fill(key.Declaration{Name: m.Name, Usual: m.Params}); err != nil {
			return s, err
		}
	}
	s.First, err = pathOrders.Of(cmp.Or(o.PathOrder, TakenFirst))
	return s, err
}

// Build makes the hardware of an SM.
func (m Mechanism) Build(o Options, g Geometry, code *Code) (Policy, error) {
	s, err := m.Settings(o)
	if err != nil {
		return nil, fmt.Errorf("mechanism %s: %w", m.Name, err)
	}
	p, err := m.New(Env{s, g, code})
	if err != nil {
		return nil, err
	}
	if n := p.Slots().Len(); n > MaxSlots {
		return nil, fmt.Errorf("mechanism %s has %d slots, an SM of %d warps; want at most %d", m.Name, n, g.Warps, MaxSlots)
	}
	var counts any
	if c := p.Counts(); c != nil {
		counts = c.Values()
	}
	if reflect.TypeOf(counts) != reflect.TypeOf(m.Counts) {
		return nil, fmt.Errorf("mechanism %s counts %T, and has declared %T", m.Name, counts, m.Counts)
	}
	return p, nil
}

// Program is the program that the hardware runs of a kernel's.
func (m Mechanism) Program(o Options, p *isa.Program) (*isa.Program, error) {
	s, err := m.Settings(o)
	if err != nil || m.Prepare == nil {
		return p, err
	}
	return m.Prepare(s, p), nil
}

// Options are the configuration of the mechanisms; each reads what it has a
// use for. Where a size is 0 or a word empty, which no Check lets pass, a
// mechanism that is built alone takes that of the default machine.
type Options struct {
	Mechanism    string      `toml:"mechanism" doc:"reconvergence mechanism; \"divergo list mechanisms\" describes them" source:"tbc"`
	PathOrder    PathOrder   `toml:"path_order" doc:"which path of a divergent branch runs first" source:"Fung & Aamodt, HPCA 2011, figures 7 and 10"`
	Layout       bool        `toml:"layout" doc:"ppc, ptpc: lay programs out anew, blocks in topological order and loops in one piece (thread frontiers); others run programs as they are" source:"Diamos et al., MICRO 2011"`
	PPCVerbatim  bool        `toml:"ppc_verbatim" doc:"ppc: delete one pair of paths for each instruction, as the paper's figure 4 does" source:"ours"`
	DWFIssue     IssuePolicy `toml:"dwf_issue" doc:"dwf: which warps are issued first: those of the PC with most threads (majority) or fewest, in order of time, fewest reconvergence points passed (pdom), smallest pc" source:"tbc"`
	DWFWays      int         `toml:"dwf_ways" range:"1..32 pow2" unit:"ways" doc:"dwf: lines of a set of the PC-warp table" source:"Fung et al., MICRO 2007"`
	DWFAging     int         `toml:"dwf_aging" range:"0..1000000000" unit:"instructions" doc:"dwf: issued after a warp was formed before it goes first, 0 for never" source:"ours"`
	TBCStatic    bool        `toml:"tbc_static" doc:"tbc: compactor off, warps keep the threads that they were launched with" source:"Fung & Aamodt, HPCA 2011, section 3.2"`
	CAPRIEntries int         `toml:"capri_entries" range:"1..128 pow2" doc:"capri: branches in the adequacy prediction table" source:"ours"`
	CAPRIWays    int         `toml:"capri_ways" range:"0..capri_entries pow2" unit:"ways" doc:"capri: lines of a set of that table; 0: fully associative" source:"ours"`
	TokenWindow  int         `toml:"token_window" range:"1..64" unit:"tokens" doc:"token: those of a warp that are on the chip" source:"ssy"`
	TokenPop     int         `toml:"token_pop" range:"0..100000" unit:"core cycles" doc:"token: from the issue of an instruction that pops a token to the issue of the next one" source:"ssy"`
	TokenSpill   int         `toml:"token_spill" range:"0..100000" unit:"core cycles" doc:"token: a warp waits for 4 tokens to move to memory, or as long as memory needs" source:"ssy"`
	TokenFill    int         `toml:"token_fill" range:"0..100000" unit:"core cycles" doc:"token: a warp waits for 4 tokens to come back, or as long as memory needs" source:"ssy"`
	BarrierYield bool        `toml:"barrier_yield" doc:"barrier: a yield at the head of every loop" source:"ours"`

	// Own are the parameters that mechanisms declare, divergence.NAME.PARAM.
	Own key.Declared
}

// Declarations are those parameters.
func (Options) Declarations() (list []key.Declaration) {
	for _, m := range mechanisms {
		if m.Params != nil {
			list = append(list, key.Declaration{Name: m.Name, Usual: m.Params})
		}
	}
	return list
}

// optionKeys are the keys of Options, less the divergence before them.
var optionKeys = sync.OnceValue(func() []key.Key { return key.List("", reflect.TypeFor[Options]()) })

// With is o with another value of a key, such as NAME.PARAM, for a mechanism that
// is built alone.
func (o Options) With(name, value string) (Options, error) {
	for _, k := range optionKeys() {
		if k.Name == name {
			err := k.Set(&o, value)
			return o, err
		}
	}
	return o, fmt.Errorf("there is no key divergence.%s", name)
}

// PathOrder says which path of a divergent branch runs first.
type PathOrder string

// The path orders.
const (
	TakenFirst      PathOrder = "taken"
	NotTakenFirst   PathOrder = "not-taken"
	MajorityFirst   PathOrder = "majority"
	MinorityFirst   PathOrder = "minority"
	HighestLaneLast PathOrder = "highest-lane-last"
)

// First reports whether the taken path of a divergent branch runs first.
type First func(taken, not Crowd) bool

// Crowd is the threads of a path.
type Crowd struct {
	Threads int
	Lanes   uint32 // that they are in
}

// Taken is First for the lanes of one warp.
func (f First) Taken(taken, not uint32) bool {
	return f(Crowd{bits.OnesCount32(taken), taken}, Crowd{bits.OnesCount32(not), not})
}

// smaller is MinorityFirst.
func smaller(taken, not Crowd) bool { return taken.Threads <= not.Threads }

// pathOrders is every path order.
var pathOrders = key.Choices[PathOrder, First]{}.
	With(TakenFirst, "the taken path (Fung & Aamodt, HPCA 2011, figures 7 and 10)", func(_, _ Crowd) bool { return true }).
	With(NotTakenFirst, "the path behind the branch", func(_, _ Crowd) bool { return false }).
	With(MajorityFirst, "more threads; on a tie the taken path", func(taken, not Crowd) bool { return taken.Threads >= not.Threads }).
	With(MinorityFirst, "fewer threads, which bounds the depth by the logarithm of all; on a tie the taken path", smaller).
	With(HighestLaneLast, "the path without the highest lane", func(taken, not Crowd) bool { return bits.Len32(taken.Lanes) < bits.Len32(not.Lanes) })

// PathOrders lists the path orders.
func PathOrders() []PathOrder { return pathOrders.List() }

// Words lists the valid values.
func (PathOrder) Words() key.Words { return pathOrders.Words() }

// Words lists the valid values of mechanism.
func (Options) Words(string) []string {
	var names []string
	for _, m := range mechanisms {
		names = append(names, m.Name)
	}
	return names
}

var mechanisms []Mechanism

// The list begins with the baseline and what belongs to it and goes on as the papers
// come: paths of a warp, tokens, warps that are formed anew; then the convergence
// barriers of the GPUs of today, and what else has been proposed.
func init() {
	for _, family := range [][]Mechanism{
		pdomMechanisms, dpeMechanisms, ppcMechanisms, ptpcMechanisms, tokenMechanisms,
		dwfMechanisms, tbcMechanisms, capriMechanisms, barrierMechanisms, multipathMechanisms, subwarpMechanisms,
	} {
		for _, m := range family {
			Register(m)
		}
	}
}

// Register adds a mechanism to the list, in an init function; its name must be
// new.
func Register(m Mechanism) {
	if _, ok := Find(m.Name); ok {
		panic("divergence: mechanism " + m.Name + " registered twice")
	}
	if m.Name == "" || m.Doc == "" || m.New == nil {
		panic("divergence: mechanism " + m.Name + " wants Name, Doc and New")
	}
	m.Counters()
	if m.Params != nil {
		usual := key.Declaration{Name: "divergence." + m.Name, Usual: m.Params}
		if err := usual.Check(); err != nil {
			panic(err)
		}
	}
	mechanisms = append(mechanisms, m)
}

// Mechanisms lists what has been registered, in order.
func Mechanisms() []Mechanism { return mechanisms }

// Find looks a mechanism up by name.
func Find(name string) (Mechanism, bool) {
	for _, m := range mechanisms {
		if m.Name == name {
			return m, true
		}
	}
	return Mechanism{}, false
}
