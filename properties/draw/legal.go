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
// at a branch, and meet again at its post-dominator. A barrier or vote is legal for a mechanism that
// promises to bring together the threads that arrive there together (see level).

// maxSettles limits the attempts to make a kernel legal.
const maxSettles = 6

// settle returns the kernel without the statements that a mechanism of some abilities cannot run.
// If the golden model does not finish, it removes those at which threads wait. Values, and so paths,
// may change with each removal. After some attempts all places are those of the plan.
func (c *Case) settle(can int) (*Compiled, error) {
	d := c.adapted(allAbilities &^ (can | canVote | canGather))
	for range maxSettles {
		k, err := d.Compile()
		if err != nil {
			return nil, err
		}
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
	}
	d = c.adapted(allAbilities &^ can)
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
	warps, ctas := newLockStep(k.Prog), newLockStep(k.Prog)
	for range 1 + k.Again {
		r, err := golden.Run(k.Prog, l.Golden(&k.Machine), &m,
			golden.Options{PCs: true, MaxSteps: 2 * maxCost * uint64(k.Threads())})
		if err != nil {
			return bad, false
		}
		if r.End != golden.Finished {
			for _, w := range r.Waiting {
				remove(w.PC)
			}
			return bad, false
		}
		for cta := range slices.Chunk(r.Threads, threads) {
			ctas.follow(cta)
			for warp := range slices.Chunk(cta, k.Machine.SM.WarpSize) {
				warps.follow(warp)
			}
		}
	}
	for pc := range k.Prog.Insts {
		in := &k.Prog.Insts[pc]
		if (in.Op == isa.OpBar || in.CrossLane() && in.Flags&isa.FlagSync != 0) &&
			level(in, warps.deepest[pc], ctas.deepest[pc])&^can != 0 {
			remove(uint32(pc))
		}
	}
	return bad, true
}

// level returns the abilities that a mechanism needs for a barrier or vote. The threads that arrive
// have parted at so many branches of their warp, and of their CTA, and not met again.
func level(in *isa.Inst, warp, cta int) (needs int) {
	vote := in.Op != isa.OpBar
	switch {
	case vote && warp > 0:
		return canGather
	case vote:
		needs = canVote
	case warp > 1:
		return canApart | canThree
	case warp > 0:
		return canApart
	}
	if cta > 0 {
		needs |= canScatter
	}
	return needs
}

// lockStep follows the threads of a group through their paths.
type lockStep struct {
	p       *isa.Program
	deepest []int // by PC: branches at which a group there has parted, and not met again
	at      []int // by thread: instructions passed
	threads []golden.Thread
}

func newLockStep(p *isa.Program) *lockStep {
	return &lockStep{p: p, deepest: make([]int, len(p.Insts))}
}

// follow follows a group of threads from their start to their end.
func (l *lockStep) follow(threads []golden.Thread) {
	l.threads, l.at = threads, make([]int, len(threads))
	group := make([]int, len(threads))
	for i := range group {
		group[i] = i
	}
	l.run(group, isa.NoPC, 0, 0)
}

// run follows threads that are at one instruction, in so many functions above the branch where they
// parted, until they are at an instruction there. It returns those that come there.
func (l *lockStep) run(group []int, until uint32, calls, level int) []int {
	for {
		group = slices.DeleteFunc(group, func(t int) bool { return l.at[t] == len(l.threads[t].PCs) })
		if len(group) == 0 {
			return nil
		}
		pc := l.threads[group[0]].PCs[l.at[group[0]]]
		if pc == until && calls == 0 {
			return group
		}
		l.deepest[pc] = max(l.deepest[pc], level)
		next := uint32(isa.NoPC)
		apart := false
		for _, t := range group {
			if l.at[t]++; l.at[t] == len(l.threads[t].PCs) {
				continue
			}
			to := l.threads[t].PCs[l.at[t]]
			apart = apart || next != isa.NoPC && to != next
			next = to
		}
		in := &l.p.Insts[pc]
		if apart {
			group = l.part(group, in.Reconv, level+1)
			continue
		}
		switch {
		case in.Op == isa.OpCall:
			calls++
		case in.Returns():
			calls--
		}
	}
}

// part follows the sides of a branch until they meet, and returns the threads that do.
func (l *lockStep) part(group []int, meet uint32, level int) (met []int) {
	for len(group) > 0 {
		if l.at[group[0]] == len(l.threads[group[0]].PCs) {
			group = group[1:]
			continue
		}
		to := l.threads[group[0]].PCs[l.at[group[0]]]
		var side, rest []int
		for _, t := range group {
			if l.at[t] < len(l.threads[t].PCs) && l.threads[t].PCs[l.at[t]] == to {
				side = append(side, t)
			} else {
				rest = append(rest, t)
			}
		}
		met = append(met, l.run(side, meet, 0, level)...)
		group = rest
	}
	return met
}

// free lets the golden model decide where barriers, votes and exits of every sixth kernel may be, and
// puts some more of them into any blocks. Most kernels have one barrier, at which threads on
// different paths meet.
func (g *generator) free(k *Kernel) {
	if k.Edge > 0 || g.IntN(6) != 0 {
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
	numbers := 1
	if g.IntN(4) == 0 {
		numbers = 2
	}
	reduces := [2]int{g.IntN(8), g.IntN(8)}
	k.Each(func(s *Stmt, _ int) {
		s.Herd = false // the golden model needs the record of a run for it
		switch s.Kind {
		case Barrier:
			s.N, s.Alt, s.Op = s.N%numbers, false, 0
			if n := reduces[s.N]; n < 4 {
				s.Op = n
			}
		case Count: // its result depends on the mechanism
			s.Kind = Compute
		}
	})
}
