package draw

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"divergo/isa"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// Where barriers, votes and exits may be is decided by the golden model in kernels with Free. It
// runs the kernel, and this file follows its threads in lock step, as an ideal stack does: they part
// at a branch, and meet again at its post-dominator. A barrier or vote is legal for a mechanism whose
// promises hold for the threads that arrive there (see needs).

// never is an ability that no mechanism has.
const never = allAbilities + 1

// maxSettles limits the attempts to make a kernel legal.
const maxSettles = 6

// settle returns the kernel without the statements that a mechanism of some abilities cannot run.
// If the golden model does not finish, it removes those at which threads wait. Values, and so paths,
// may change with each removal. After some attempts all places are those of the plan.
func (k *Compiled) settle(can int) (*Compiled, error) {
	lacks := allAbilities &^ (can | canVote)
	if k.Machine.SM.WarpSize > isa.RowLanes {
		lacks |= canVote
	}
	d, err := k.adapted(lacks), error(nil)
	if (k.needs()|canWide)&lacks != 0 {
		if k, err = d.Compile(); err != nil {
			return nil, err
		}
	}
	for range maxSettles {
		bad, ok := k.illegal(can)
		if ok && len(bad) == 0 {
			return k, nil
		}
		if len(bad) == 0 {
			break
		}
		at := 0
		d.Kernel.Each(func(s *Stmt, _ int) {
			if bad[at] {
				s.Kind = Compute
			}
			at++
		})
		if k, err = d.Compile(); err != nil {
			return nil, err
		}
	}
	d = k.adapted(allAbilities &^ can)
	d.Kernel.Free = false
	return d.Compile()
}

// illegal returns the numbers of statements that settle must remove. It reports false if the golden
// model does not finish.
func (k *Compiled) illegal(can int) (bad map[int]bool, ok bool) {
	bad = map[int]bool{}
	threads := int(k.Block[0] * k.Block[1] * k.Block[2])
	var owners []isa.Label
	for _, l := range k.Prog.Labels {
		if strings.HasPrefix(l.Name, ownerMark) {
			owners = append(owners, l)
		}
	}
	slices.SortStableFunc(owners, func(a, b isa.Label) int { return int(a.PC) - int(b.PC) })
	remove := func(pc uint32) {
		for _, l := range slices.Backward(owners) {
			if l.PC <= pc {
				if n, err := strconv.Atoi(l.Name[len(ownerMark):]); err == nil {
					bad[n] = true
				}
				return
			}
		}
	}
	var m golden.Memory
	l := testbench.Launch{Prog: k.Prog, Grid: k.Grid, Block: k.Block, Shared: k.SharedBytes}
	for i := range k.Args {
		addr := uint64(isa.GlobalBase + i<<20)
		if m.Map(addr, k.Args[i].Bytes) != nil || m.Write(addr, k.Args[i].Data) != nil {
			return bad, false
		}
		l.Params = binary.LittleEndian.AppendUint64(l.Params, addr)
	}
	if m.MapGlobals(k.Prog) != nil {
		return bad, false
	}
	warps, ctas := newLockStep(k.Prog, k.Machine.SM.WarpSize), newLockStep(k.Prog, threads)
	for range 1 + k.Again {
		r, err := golden.Run(k.Prog, l.Golden(&k.Machine), &m,
			golden.Options{PCs: true, MaxSteps: 2 * maxCost * uint64(k.Threads())})
		if err != nil {
			return bad, false
		}
		if r.End != golden.Finished {
			for _, w := range r.Waiting {
				if r.End == golden.Deadlocked {
					remove(w.PC)
				}
			}
			return bad, false
		}
		for cta := range slices.Chunk(r.Threads, threads) {
			warps.follow(cta)
			ctas.follow(cta)
		}
	}
	for pc := range k.Prog.Insts {
		in := &k.Prog.Insts[pc]
		if in.Op != isa.OpBar && (!in.CrossLane() || in.Flags&isa.FlagSync == 0) {
			continue
		}
		needs := warps.needs(in, uint32(pc))
		if can&canScatter == 0 {
			needs |= ctas.parks(in, uint32(pc))
		}
		if needs&^can != 0 {
			remove(uint32(pc))
		}
	}
	return bad, true
}

// lockStep follows the threads of CTAs through their paths, in groups of a warp or CTA. A group parts
// at a branch, and its sides wait for each other at the post-dominator.
type lockStep struct {
	p       *isa.Program
	size    int    // threads of a whole group
	deepest []int  // by PC: branches at which a group there has parted, and not met again
	stuck   []bool // by PC: a group waits at this barrier for threads that wait for it
	spread  []bool // by PC: groups wait at this barrier, while others wait at another instruction

	threads []golden.Thread // of the CTA
	at      []int           // by thread: instructions passed
	ready   []*side
	waiting []*side // at barriers
}

// side is a group that goes on together, one of the sides of a branch.
type side struct {
	group  []int
	until  uint32 // where it meets the other sides
	calls  int    // functions entered since the branch
	level  int    // branches around it
	beyond bool   // the barrier at its PC has opened
	whole  *side  // the group that has parted; nil: a warp or CTA
	left   int    // sides of this group that have not met
	met    []int  // threads of this group that have met
}

func newLockStep(p *isa.Program, size int) *lockStep {
	n := len(p.Insts)
	return &lockStep{p: p, size: size, deepest: make([]int, n), stuck: make([]bool, n), spread: make([]bool, n)}
}

// needs returns the abilities that a mechanism of warps needs for a barrier or vote.
func (l *lockStep) needs(in *isa.Inst, pc uint32) int {
	switch level := l.deepest[pc]; {
	case l.stuck[pc] || in.Op != isa.OpBar && level > 0:
		return never
	case in.Op != isa.OpBar:
		return canVote
	case level > 1:
		return canApart | canThree
	case level > 0:
		return canApart
	}
	return 0
}

// parks is needs for a mechanism of CTAs. Sides of a branch that do not meet can wait at one barrier.
func (l *lockStep) parks(in *isa.Inst, pc uint32) int {
	switch {
	case l.stuck[pc] || l.deepest[pc] > 0 && (in.Op != isa.OpBar || l.spread[pc]):
		return never
	case in.Op != isa.OpBar:
		return canVote
	}
	return 0
}

// follow follows the threads of a CTA from their start to their end.
func (l *lockStep) follow(threads []golden.Thread) {
	l.threads, l.at = threads, make([]int, len(threads))
	for first := 0; first < len(threads); first += l.size {
		s := &side{until: isa.NoPC}
		for t := first; t < min(first+l.size, len(threads)); t++ {
			s.group = append(s.group, t)
		}
		l.ready = append(l.ready, s)
	}
	for len(l.ready)+len(l.waiting) > 0 {
		for n := len(l.ready); n > 0; n = len(l.ready) {
			s := l.ready[n-1]
			l.ready = l.ready[:n-1]
			l.run(s)
		}
		l.open()
	}
}

// next returns the PC of a thread, or false at its end.
func (l *lockStep) next(t int) (uint32, bool) {
	if pcs := l.threads[t].PCs; l.at[t] < len(pcs) {
		return pcs[l.at[t]], true
	}
	return 0, false
}

// run follows a group until it parts, waits, meets others or ends.
func (l *lockStep) run(s *side) {
	for {
		s.group = slices.DeleteFunc(s.group, func(t int) bool { _, more := l.next(t); return !more })
		if len(s.group) == 0 {
			l.meet(s)
			return
		}
		pc, _ := l.next(s.group[0])
		if pc == s.until && s.calls == 0 {
			l.meet(s)
			return
		}
		l.deepest[pc] = max(l.deepest[pc], s.level)
		in := &l.p.Insts[pc]
		if waitsForAll(in) && !s.beyond {
			l.waiting = append(l.waiting, s)
			return
		}
		s.beyond = false
		meets, level, calls := l.meets(pc), s.level+1, 0
		switch {
		case in.Op == isa.OpCall:
			calls = 1
		case !in.Conditional(): // a chain of branches
			level++
		}
		sides := map[uint32]*side{}
		var list []*side
		for _, t := range s.group {
			l.at[t]++
			to, more := l.next(t)
			if !more {
				continue
			}
			if sides[to] == nil {
				sides[to] = &side{until: meets, calls: calls, level: level, whole: s}
				list = append(list, sides[to])
			}
			sides[to].group = append(sides[to].group, t)
		}
		switch {
		case len(list) > 1:
			s.left, s.met = len(list), nil
			l.ready = append(l.ready, list...)
			return
		case in.Op == isa.OpCall:
			s.calls++
		case in.Returns():
			s.calls--
		}
	}
}

// meets returns the PC where threads meet that part at an instruction: that of the branches inserted
// for it, if it is none itself. Paths have no inserted instructions.
func (l *lockStep) meets(pc uint32) uint32 {
	for !l.p.Insts[pc].Conditional() && int(pc) < len(l.p.Insts)-1 && l.p.Insts[pc+1].Inserted {
		pc++
	}
	pc = l.p.Insts[pc].Reconv
	for pc != isa.NoPC && l.p.Insts[pc].Inserted {
		pc++
	}
	return pc
}

// waitsForAll reports whether an instruction is a barrier without a count, at which threads wait.
func waitsForAll(in *isa.Inst) bool {
	counts := in.NSrc > 1 && (in.Src[1].Kind != isa.OperandImm || in.Src[1].Imm != 0)
	return in.Op == isa.OpBar && in.Mode != isa.ModeArrive && !counts
}

// meet ends a side of a branch. The last one lets the whole group go on.
func (l *lockStep) meet(s *side) {
	w := s.whole
	if w == nil {
		return
	}
	w.met = append(w.met, s.group...)
	if w.left--; w.left == 0 {
		w.group = w.met
		slices.Sort(w.group)
		l.ready = append(l.ready, w)
	}
}

// open opens the barrier at which all groups wait. If threads of some wait elsewhere, for others, it
// notes that they are stuck, and lets them go on.
func (l *lockStep) open() {
	live, here := 0, 0
	for t := range l.threads {
		if _, more := l.next(t); more {
			live++
		}
	}
	barriers, places := map[uint64]bool{}, map[uint32]bool{}
	for _, s := range l.waiting {
		pc, _ := l.next(s.group[0])
		barriers[l.p.Insts[pc].Src[0].Imm], places[pc] = true, true
		here += len(s.group)
	}
	for _, s := range l.waiting {
		pc, _ := l.next(s.group[0])
		l.stuck[pc] = l.stuck[pc] || here < live || len(barriers) > 1
		l.spread[pc] = l.spread[pc] || len(places) > 1
		s.beyond = true
	}
	l.ready, l.waiting = append(l.ready, l.waiting...), nil
}

// free lets the golden model decide where barriers, votes and exits of every eighth kernel may be, and
// puts some more of them into any blocks. Most kernels have one barrier, at which threads on
// different paths meet.
func (g *generator) free(k *Kernel) {
	if k.Edge > 0 || g.IntN(8) != 0 {
		return
	}
	k.Free, k.Message = true, 0
	var kinds []Kind
	for kind, f := range map[Kind]Features{Barrier: Barriers, Vote: Votes, Exit: Exits} {
		if g.features&f != 0 {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	list := blocks(k)
	for range g.IntN(6) {
		if len(kinds) == 0 {
			break
		}
		b := list[g.IntN(len(list))]
		s := Stmt{
			Kind: kinds[g.IntN(len(kinds))], D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers),
			N: g.IntN(16), Op: g.IntN(drawnVotes), Cond: g.cond(false),
		}
		*b = slices.Insert(*b, g.IntN(len(*b)+1), s)
	}
	g.legalize(k)
}

// legalize makes the statements of a kernel such that only their places can be illegal.
func (g *generator) legalize(k *Kernel) {
	numbers := 1
	if g.IntN(4) == 0 {
		numbers = 2
	}
	reduces := [2]int{g.IntN(8), g.IntN(8)} // op of each number
	k.Each(func(s *Stmt, _ int) {
		s.Herd = false // the golden model needs the record of a run for it
		switch s.Kind {
		case Barrier:
			s.N, s.Alt, s.Op = s.N%numbers, false, 0
			if n := reduces[s.N]; n < 5 {
				s.Op = max(1, n-1)
			}
		case Count: // its result depends on the mechanism
			s.Kind = Compute
		case Gather:
			s.Kind = Vote
		}
	})
}
