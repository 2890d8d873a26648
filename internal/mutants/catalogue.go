package mutants

// All lists the mutants, by part.
func All() []Mutant {
	var all []Mutant
	for _, part := range [][]Mutant{stacks, pairs, tokens, barriers, pools, blocks, leaves, pipeline, memory, timing, functions, corners, rare, splits, shared} {
		all = append(all, part...)
	}
	return all
}

// The mechanisms that a bug of a part shows in.
var (
	pdom    = []string{"pdom"}
	lcp     = []string{"pdom-lcp"}
	ptpc    = []string{"ptpc"}
	ppc     = []string{"ppc"}
	dpe     = []string{"dpe"}
	token   = []string{"token"}
	conv    = []string{"barrier"}
	dwf     = []string{"dwf"}
	dwfWB   = []string{"dwf-wb"}
	tbc     = []string{"tbc"}
	tbcLCP  = []string{"tbc-lcp"}
	capri   = []string{"capri"}
	regroup = []string{"tbc", "dwf"}
	any     = []string{"pdom", "dpe", "tbc"}
)

var stacks = []Mutant{
	{
		Name: "pdom-pop-too-many", Bug: "a nested branch drops the entry at which its parent's threads will wait", By: pdom,
		File: "sm/divergence/pathstack.go", Old: "if rpc == e.RPC {", New: "if rpc == e.RPC || k.Len(w) > 1 {",
	},
	{
		Name: "pdom-lost-lanes", Bug: "the reconvergence entry gets the mask of one side", By: pdom,
		File: "sm/divergence/pathstack.go", Old: "e.At, e.Mask = rpc, s.Mask", New: "e.At, e.Mask = rpc, not",
	},
	{
		Name: "pdom-exit-one", Bug: "of the threads that exit, the lowest leaves the warp", By: pdom,
		File: "sm/divergence/pdom.go", Old: "s.Mask &^= o.Taken\n\tp.next(w, s)", New: "s.Mask &^= o.Taken & -o.Taken\n\tp.next(w, s)",
	},
	{
		Name: "pdom-rpc-late", Bug: "the PC is compared with the reconvergence PC one instruction late", By: pdom,
		File: "sm/divergence/pdom.go", Old: "if at := s.At(); at == e.RPC || at == e.LPC {", New: "if at := s.At(); at.PC == e.RPC.PC+1 || at == e.LPC {",
	},
	{
		Name: "pdom-missed-wake", Bug: "fetch is not told that the warp went on elsewhere", By: pdom,
		File: "sm/divergence/pdom.go", Old: "p.Stack.pop(w, s, &p.D().Stats)\n\t\tp.Changed(w)", New: "p.Stack.pop(w, s, &p.D().Stats)",
	},
	{
		Name: "pdom-barrier-twice", Bug: "a released warp does not step over its barrier", By: pdom,
		File: "sm/divergence/pdom.go", Old: "s.Wait = Runs\n\tp.next(w, s)\n}", New: "s.Wait = Runs\n}",
	},
	{
		Name: "pdom-swapped-sides", Bug: "the lanes that branch get the PC of those that do not", By: pdom,
		File: "sm/divergence/pathstack.go", Old: "LPos: lpos, Mask: not}", New: "LPos: lpos, Mask: taken}",
	},
	{
		Name: "lcp-merge-overwrites", Bug: "the second path that comes to a likely-convergence point replaces the first", By: lcp,
		File: "sm/divergence/pathstack.go", Old: "k.Stack.Entry(w, int(e.LPos)).Mask |= s.Mask", New: "k.Stack.Entry(w, int(e.LPos)).Mask = s.Mask",
	},
	{
		Name: "lcp-wrong-position", Bug: "the position of the entry at the likely-convergence point is off by one", By: lcp,
		File: "sm/divergence/pathstack.go", Old: "lpc, lpos = likely, uint8(k.Len(w)-1)", New: "lpc, lpos = likely, uint8(k.Len(w)-2)",
	},
	{
		Name: "ptpc-greater-or-equal", Bug: "`>=` for `==` where lanes at the smallest PC are collected", By: ptpc,
		File: "sm/divergence/ptpc.go", Old: "case at == s.At():", New: "case at.PC >= s.PC:",
	},
	{
		Name: "ptpc-barrier-for-one", Bug: "the warp arrives at the barrier with its first thread", By: ptpc,
		File: "sm/divergence/ptpc.go", Old: "if t.AtBar == t.Live {", New: "if t.AtBar != 0 {",
	},
	{
		Name: "ptpc-exit-unguarded", Bug: "a guarded exit ends all active lanes", By: ptpc,
		File: "sm/divergence/ptpc.go", Old: "t.Live &^= taken", New: "t.Live &^= s.Mask",
	},
	{
		Name: "ptpc-fall-through", Bug: "lanes that do not branch stay at the branch", By: ptpc,
		File: "sm/divergence/ptpc.go", Old: "t.AtBar |= s.Mask", New: "t.AtBar |= s.Mask & -s.Mask",
	},
	{
		Name: "ptpc-released-in-part", Bug: "a released barrier moves on the lowest lane only", By: ptpc,
		File: "sm/divergence/ptpc.go", Old: "t.AtBar = 0\n\tp.elect", New: "t.AtBar &= t.AtBar - 1\n\tp.elect",
	},
}

var pairs = []Mutant{
	{
		Name: "ppc-stale-parent", Bug: "the pair below does not get the PC at which the two paths have met", By: ppc,
		File: "sm/divergence/ppc.go", Old: "d.At, d.Wait = x.At, x.Wait", New: "d.Wait = x.Wait",
	},
	{
		Name: "ppc-survivor", Bug: "when one path of a pair has exited, its own PC is kept instead of the other's", By: ppc,
		File: "sm/divergence/ppc.go", Old: "p.drop(w, e.Side[e.Cur&1^1])", New: "p.drop(w, e.Side[e.Cur&1])",
	},
	{
		Name: "ppc-exit-one-side", Bug: "threads that exit stay in the not-taken masks", By: ppc,
		File: "sm/divergence/ppc.go", Old: "e.Side[1].Mask &^= o.Taken", New: "e.Side[0].Mask &^= o.Taken",
	},
	{
		Name: "ppc-mask-compared", Bug: "a pair of which one path has ended still meets", By: ppc,
		File: "sm/divergence/ppc.go", Old: "return t.Mask != 0 && n.Mask != 0 && t.At == n.At", New: "return t.At.PC+1 >= n.At.PC && t.At.PC <= n.At.PC+1",
	},
	{
		Name: "ppc-wrong-current", Bug: "the smaller PC is chosen, the other path's mask is run", By: ppc,
		File: "sm/divergence/ppc.go", Old: "func (e *Pair) current() *Side { return &e.Side[e.Cur&1] }", New: "func (e *Pair) current() *Side { return &e.Side[e.Cur&1^1] }",
	},
	{
		Name: "dpe-runs-past-join", Bug: "the first path does not stop at the reconvergence PC", By: dpe,
		File: "sm/divergence/dpe.go", Old: "a.Valid = a.Mask != 0 && a.At() != rpc", New: "a.Valid = a.Mask != 0",
	},
	{
		Name: "dpe-sibling-lost", Bug: "a branch that reconverges where its entry does replaces the entry although the other path lives", By: dpe,
		File: "sm/divergence/dpe.go", Old: "if j.Meet == e.RPC && !p.Table.Edit(2*w+side^1).Valid {", New: "if j.Meet == e.RPC {",
	},
	{
		Name: "dpe-exit-one-side", Bug: "threads that exit stay in the second masks of the entries below", By: dpe,
		File: "sm/divergence/dpe.go", Old: "e.Side[1].Mask &^= lanes", New: "e.Side[0].Mask &^= lanes",
	},
	{
		Name: "dpe-stale-side", Bug: "the path that branches is saved with the PC of the branch", By: dpe,
		File: "sm/divergence/dpe.go", Old: "e.Side[side].At = j.Meet", New: "e.Side[0].At = j.Meet",
	},
	{
		Name: "dpe-one-loaded", Bug: "of the entry below, one path comes back", By: dpe,
		File: "sm/divergence/dpe.go", Old: "s.Set(x.At)\n\t\ts.Mask, s.Wait = x.Mask, x.Wait\n", New: "s.Set(x.At)\n\t\tif s.Wait = x.Wait; k == 0 || x.Wait != Runs || p.Stack.Len(w) > 2 {\n\t\t\ts.Mask = x.Mask\n\t\t}\n",
	},
}

var tokens = []Mutant{
	{
		Name: "token-whole-mask", Bug: "the token of a branch holds all lanes, not those that wait", By: token,
		File: "sm/divergence/token.go", Old: "Token{Mask: not, PC: j.Fall.PC}", New: "Token{Mask: s.Mask, PC: j.Fall.PC}",
	},
	{
		Name: "token-revives", Bug: "a token brings back threads that have exited", By: token,
		File: "sm/divergence/token.go", Old: "t.Mask&*p.Live.Edit(w)", New: "t.Mask",
	},
	{
		Name: "token-pc", Bug: "the lanes that wait resume at the branch", By: token,
		File: "sm/divergence/token.go", Old: "s.PC, s.Mask = t.PC,", New: "s.PC, s.Mask = t.PC+1,",
	},
	{
		Name: "token-sync-mask", Bug: "the token of SSY remembers nobody", By: token,
		File: "sm/divergence/token.go", Old: "Token{Mask: s.Mask, PC: in.Target, Sync: true}", New: "Token{Mask: s.Mask & (s.Mask - 1), PC: in.Target, Sync: true}",
	},
	{
		Name: "token-exit-ends-warp", Bug: "the warp ends with the first path that exits", By: token,
		File: "sm/divergence/token.go", Old: "*p.Live.Edit(w) &^= lanes", New: "*p.Live.Edit(w) &^= s.Mask",
	},
	{
		Name: "token-fill-early", Bug: "a fill is popped from before memory has answered", By: token,
		File: "sm/divergence/token.go", Old: "p.move(w, s, until+p.fill, Transfer{At: *spilled})\n\t\t\treturn\n", New: "p.move(w, s, until+p.fill, Transfer{At: *spilled})\n",
	},
	{
		Name: "token-spill-top", Bug: "the highest tokens on the chip go to memory, not the lowest", By: token,
		File: "sm/divergence/token.go", Old: "t.Data[i] = p.entry(w, int(*spilled)+i).word()", New: "t.Data[i] = p.entry(w, int(*depth)-p.chunk+i).word()",
	},
	{
		Name: "token-one-area", Bug: "all warps spill to the same memory", By: token,
		File: "sm/lsu.go", Old: "u.l.stack(t.Row)", New: "u.l.stack(0)",
	},
	{
		Name: "token-line-unfetched", Bug: "a spill behind others in its line takes the line without them", By: token,
		File: "memsys/l1.go", Old: "if w < 0 && r.Stack && r.Mask[0]&1 != 0 {", New: "if w < 0 && r.Stack {",
	},
}

var barriers = []Mutant{
	{
		Name: "bsync-forgets", Bug: "a second path that arrives replaces the first", By: conv,
		File: "sm/divergence/convbarrier.go", Old: "*p.Waiting.Edit(w) |= mask", New: "*p.Waiting.Edit(w) = mask",
	},
	{
		Name: "bsync-exit-unseen", Bug: "a barrier whose last missing thread exits is not released", By: conv,
		File: "sm/divergence/convbarrier.go", Old: "c.Mask &^= lanes\n\t\tp.join(w, x)", New: "c.Mask &^= lanes",
	},
	{
		Name: "bsync-exit-counted", Bug: "a thread that has exited is still waited for", By: conv,
		File: "sm/divergence/convbarrier.go", Old: "c.Mask &^= lanes\n", New: "c.Mask &^= lanes & *p.Waiting.Edit(w)\n",
	},
	{
		Name: "bssy-path-twice", Bug: "both entries of a branch get the same side", By: conv,
		File: "sm/divergence/convbarrier.go", Old: "*e = second", New: "*e = first",
	},
	{
		Name: "bsync-early", Bug: "released when any thread is there", By: conv,
		File: "sm/divergence/convbarrier.go", Old: "c.Mask != 0 && c.Mask&^*p.Waiting.Edit(w) == 0 && c.Mask&^p.waitingAt(w, c.At) == 0", New: "c.Mask&*p.Waiting.Edit(w) != 0",
	},
	{
		Name: "barrier-first-opens", Bug: "a CTA's barrier opens when one warp has arrived", By: any,
		File: "sm/divergence/barrier.go", Old: "e.Need == 0 && live&^e.Arrived != 0", New: "e.Need == 0 && live&e.Arrived == 0",
	},
	{
		Name: "barrier-exit-forgotten", Bug: "a warp that ends does not open the barrier at which only others are missing it (as in GPGPU-Sim 2.1.1b)", By: pdom,
		File: "sm/divergence/barrier.go", Old: "release |= b.open(b.named.Edit(i), *live)", New: "release |= 0",
	},
	{
		Name: "barrier-stays-open", Bug: "arrivals are not cleared when the barrier opens", By: any,
		File: "sm/divergence/barrier.go", Old: "e.Arrived, e.Waiting, e.Tally = 0, 0, Tally{}", New: "e.Waiting, e.Tally = 0, Tally{}",
	},
}

var pools = []Mutant{
	{
		Name: "dwf-conflict-unseen", Bug: "a lane that is taken is given away again", By: dwf,
		File: "units/pool.go", Old: "conflict := u.Req & line.Data.Occ", New: "conflict := u.Req & line.Data.Occ & 0xffff_fff0",
	},
	{
		Name: "dwf-joins-issued", Bug: "threads join a warp that has been issued", By: dwf,
		File: "units/pool.go", Old: "if !p.open(line) {", New: "if !p.open(line) && line.Data.Occ == 0 {",
	},
	{
		Name: "dwf-first-cta", Bug: "all threads of a warp use the shared memory of the first one's CTA", By: dwf,
		File: "sm/lsu.go", Old: "addr += u.l.shares[op.Home(lane).Row&(MaxWarps-1)]", New: "addr += u.l.shares[op.Row&(MaxWarps-1)]",
	},
	{
		Name: "dwf-wrong-row", Bug: "joining threads bring the rows of the warp they join", By: dwf,
		File: "units/pool.go", Old: "w.Row[l] = u.Row[l]", New: "w.Row[l] = u.Row[bits.TrailingZeros32(lanes)]",
	},
	{
		Name: "dwf-not-mixed", Bug: "a warp of several rows is taken for one of its first thread's row", By: dwf,
		File: "sm/divergence/dwf.go", Old: "s.Mixed = s.Mixed || w.Row[l] != s.Row", New: "s.Mixed = s.Mixed && w.Row[l] != s.Row",
	},
	{
		Name: "dwf-barrier-early", Bug: "a warp counts as arrived with its first thread", By: dwf,
		File: "sm/divergence/dwf.go", Old: "if w.AtBar != 0 && w.Live&^(w.AtBar|w.Arrived) == 0 {", New: "if w.AtBar != 0 {",
	},
	{
		Name: "dwf-exit-alive", Bug: "a thread that exits is still waited for", By: dwf,
		File: "sm/divergence/dwf.go", Old: "w.Live &^= 1 << lane\n", New: "w.Live &^= 1 << lane &^ 1\n",
	},
	{
		Name: "dwf-wb-restored-early", Bug: "a warp is restored when the first of its threads is back", By: dwfWB,
		File: "sm/divergence/dwf_barrier.go", Old: "if !w.Barred || w.Arrived != w.Live {", New: "if !w.Barred || w.Arrived == 0 {",
	},
	{
		Name: "dwf-wb-not-gathered", Bug: "a thread that comes to the warp barrier goes on", By: dwfWB,
		File: "sm/divergence/dwf_barrier.go", Old: "u.Req &^= 1 << lane\n", New: "u.Req &^= 1 << lane & w.Live &^ 1\n",
	},
}

var blocks = []Mutant{
	{
		Name: "tbc-one-early", Bug: "the block is left when one warp is still to come", By: tbc,
		File: "sm/divergence/tbc.go", Old: "if e.WCnt--; e.WCnt == 0 {", New: "if e.WCnt--; e.WCnt <= 1 {",
	},
	{
		Name: "tbc-both-sides", Bug: "threads that branch are also entered as not branching", By: tbc,
		File: "sm/divergence/tbc.go", Old: "p.add(&t.Not, s, uint8(o.Slot), s.Mask&^taken)", New: "p.add(&t.Not, s, uint8(o.Slot), s.Mask)",
	},
	{
		Name: "tbc-exit-in-top-only", Bug: "threads that exit stay in the entries below", By: tbc,
		File: "sm/divergence/tbc.go", Old: "p.Stack.Entry(cta, i).Mask.Remove(&gone)", New: "p.Stack.Entry(cta, max(i, p.Stack.Len(cta)-1)).Mask.Remove(&gone)",
	},
	{
		Name: "tbc-wrong-row", Bug: "every lane of a compacted warp reads the first thread's row", By: tbc,
		File: "sm/divergence/tbc.go", Old: "s.Mixed = s.Mixed || *h != units.Home", New: "s.Mixed = s.Mixed && *h != units.Home",
	},
	{
		Name: "tbc-barrier-open", Bug: "arrivals are not cleared when the barrier opens", By: tbc,
		File: "sm/divergence/tbc_barrier.go", Old: "bar.Arrived, bar.Waiting, bar.Parked, bar.Tally = units.BlockMask{}, 0, false, Tally{}", New: "bar.Waiting, bar.Parked, bar.Tally = 0, false, Tally{}",
	},
	{
		Name: "tbc-parked-run", Bug: "threads that are parked at a barrier run with the others of the bottom entry", Audit: "./sm/divergence TestBlockBarriers",
		File: "sm/divergence/tbc_barrier.go", Old: "run.Remove(&bar.Arrived)", New: "_ = run",
	},
	{
		Name: "tbc-parked-stay", Bug: "threads that are parked at a barrier stay in the entries below", Audit: "./sm/divergence TestBlockBarriers",
		File: "sm/divergence/tbc_barrier.go", Old: "p.Stack.Entry(cta, i).Mask.Remove(&bar.Arrived)", New: "p.Stack.Entry(cta, max(i, p.Stack.Len(cta)-1)).Mask.Remove(&bar.Arrived)",
	},
	{
		Name: "tbc-stale-targets", Bug: "the targets of a branch begin with what the last branch left", By: tbc,
		File: "sm/divergence/tbc.go", Old: "*t = Targets{}", New: "t.Taken = units.BlockMask{}",
	},
	{
		Name: "tbc-lcp-overwrites", Bug: "the second path that comes to a likely-convergence point replaces the first", By: tbcLCP,
		File: "sm/divergence/tbc.go", Old: "Mask.Union(&e.Mask)", New: "Mask = e.Mask",
	},
	{
		Name: "capri-closed-early", Bug: "a branch is closed when one warp is still to come", By: capri,
		File: "sm/divergence/capri.go", Old: "if b.Left--; b.Left != 0 {", New: "if b.Left--; b.Left > 1 {",
	},
	{
		Name: "capri-stack-dropped", Bug: "warps lose their stacks though they have diverged", By: capri,
		File: "sm/divergence/capri.go", Old: "if !b.Compact && b.oneWay() {", New: "if !b.Compact {",
	},
	{
		Name: "capri-runs-ahead", Bug: "a warp is not held at the next branch", By: capri,
		File: "sm/divergence/capri.go", Old: "if p.held(i, s) {", New: "if false {",
	},
	{
		Name: "capri-path-mask", Bug: "the entry at which a bypassing warp joins has the lanes that branch only", By: capri,
		File: "sm/divergence/capri.go", Old: "LPC: Nowhere, Mask: s.Mask}", New: "LPC: Nowhere, Mask: taken}",
	},
	{
		Name: "capri-joined-early", Bug: "a bypassing warp counts as joined with one path to go", By: capri,
		File: "sm/divergence/capri.go", Old: "if p.Private.Len(i) > 1 {", New: "if p.Private.Len(i) > 2 {",
	},
	{
		Name: "capri-exit-uncounted", Bug: "a warp that ends before the open branch is still expected there", By: capri,
		File: "sm/divergence/capri.go", Old: "if p.missing(i, s) {\n\t\tp.came(i, s)", New: "if p.missing(i, s) && left != 0 {\n\t\tp.came(i, s)",
	},
	{
		Name: "capri-not-held", Bug: "a warp opens the next branch while others have still to execute this one", By: capri,
		File: "sm/divergence/capri.go", Old: "(p.Private.Len(i) == 0 || b.oneWay())", New: "p.Private.Len(i) == 0",
	},
	{
		Name: "compactor-short-encoder", Bug: "the priority encoder of a lane gives one bit of the warp's number", By: tbc,
		File: "units/compactor.go", Old: "homes[l] = Home{uint8(bits.TrailingZeros64(*group)), uint8(l)}", New: "homes[l] = Home{uint8(bits.TrailingZeros64(*group)) & 1, uint8(l)}",
	},
	{
		Name: "compactor-last-lane", Bug: "warps are counted by the last lane, not by the fullest", By: tbc,
		File: "units/compactor.go", Old: "warps = max(warps, bits.OnesCount64(group))", New: "warps = max(warps&1, bits.OnesCount64(group))",
	},
}

var leaves = []Mutant{
	{
		Name: "set-no-wrap", Bug: "the round does not come back to where it began", By: any,
		File: "units/set.go", Old: "range s[:from+1] {", New: "range s[:from] {",
	},
	{
		Name: "scoreboard-clears-all", Bug: "a result clears the register for all lanes, those of another path included", By: []string{"dpe", "dwf"},
		File: "units/scoreboard.go", Old: "*b.Pending.Edit(row*b.regs + int(r)) &^= lanes", New: "*b.Pending.Edit(row*b.regs + int(r)) = 0",
	},
	{
		Name: "scoreboard-all-lanes", Bug: "a register is taken for ready unless all lanes are pending", By: any,
		File: "units/scoreboard.go", Old: "&lanes != 0 {", New: "&lanes == lanes {",
	},
}

var pipeline = []Mutant{
	{
		Name: "operands-row", Bug: "lanes of a compacted warp read the row of the first", By: regroup,
		File: "sm/operands.go", Old: "*o.Preds.At(int(h.Row)*o.l.npreds + int(p.Index))", New: "*o.Preds.At(int(f.Row)*o.l.npreds + int(p.Index))",
	},
	{
		Name: "writeback-whole-row", Bug: "a result of all active lanes is written over the inactive ones", By: any,
		File: "sm/writeback.go", Old: "case r.Exec == full:", New: "case r.Exec == full & 0, r.Exec == r.Mask:",
	},
	{
		Name: "writeback-predicate", Bug: "predicates of inactive lanes are lost", By: any,
		File: "sm/writeback.go", Old: "*p = *p&^r.Exec | r.PDst[i]&r.Exec", New: "*p = r.PDst[i] & r.Exec",
	},
	{
		Name: "fetch-stale-buffer", Bug: "the I-buffer keeps the instructions of the path that was left", By: any,
		File: "sm/fetch.go", Old: "if e.N == 0 || e.PC != pc {", New: "if e.N == 0 {",
	},
	{
		Name: "issue-exit-early", Bug: "a warp exits with loads in flight", By: any,
		File: "sm/issue.go", Old: "i.Q().InRow[row&(MaxWarps-1)] != 0 {", New: "i.Q().InRow[row&(MaxWarps-1)] > 1 {",
	},
	{
		Name: "gto-by-slot", Bug: "the oldest warp is taken to be that of the first slot", Audit: "./sm TestGreedyThenOldest",
		File: "sm/schedule.go", Old: "younger := best >= 0 && (age > bestID || age == bestID && slot.Row >= bestRow)", New: "younger := best >= 0 && (age < bestID && age > bestID || slot.Row >= bestRow)",
	},
	{
		Name: "lsu-shared-base", Bug: "all CTAs use the first one's shared memory", By: any,
		File: "sm/lsu.go", Old: "addr += u.l.shares[op.Home(lane).Row&(MaxWarps-1)]", New: "addr += u.l.shares[0]",
	},
	{
		Name: "lsu-lane-of-store", Bug: "stores of a narrow mask take the data of the lowest lane", By: any,
		File: "sm/lsu.go", Old: "a.Data[lane] = u.pack(op, in, lane)", New: "a.Data[lane] = u.pack(op, in, bits.TrailingZeros32(left)&(isa.MaxLanes-1))",
	},
}

var memory = []Mutant{
	{
		Name: "l1-stale-mshr", Bug: "a line is kept although a store went past it while it was on its way", By: any,
		File: "memsys/l1.go", Old: "q.Served == 0 && m.Keep && m.Gen == q.Gen", New: "q.Served == 0 && m.Way < 1<<31 && m.Gen == q.Gen",
		Audit: "./memsys TestStoreDuringMiss|TestFlatMemory",
	},
	{
		Name: "l1-merge-lost", Bug: "a load that joins a miss is not counted", By: any,
		File: "memsys/l1.go", Old: "m.Count++\n\t\td.Count.Merges++", New: "d.Count.Merges++",
	},
	{
		Name: "l1-dirty-dropped", Bug: "a dirty line makes room without being written back", By: any,
		File: "memsys/l1.go", Old: "} else if l.cache.isDirty(w) {", New: "} else if l.cache.isDirty(w) && w&1 != 0 {",
	},
	{
		Name: "coalescer-two-lines", Bug: "one address bit too few is compared: two lines become one request", By: any,
		File: "memsys/coalescer.go", Old: "if addr[i]&^(c.line-1) == line {", New: "if addr[i]&^(2*c.line-1) == line&^c.line {",
	},
	{
		Name: "coalescer-byte-more", Bug: "a store enables one byte too many", By: any,
		File: "memsys/coalescer.go", Old: "r.Mask[off/64] |= (1<<a.Size - 1) << (off % 64)", New: "r.Mask[off/64] |= (1<<(a.Size+1) - 1) << (off % 64)",
	},
	{
		Name: "coalescer-first-line", Bug: "the load is answered with its first line", By: any,
		File: "memsys/coalescer.go", Old: "if g.Left&^rsp.Lanes != 0 {", New: "if g.Left&^rsp.Lanes&1 != 0 {",
	},
	{
		Name: "l2-join-lost", Bug: "a request that joins a miss is not counted", By: any,
		File: "memsys/l2.go", Old: "s.mshrs.Edit(id).Count++\n", New: "",
	},
	{
		Name: "l2-atomic-byte", Bug: "an atomic marks its first byte as written", By: any,
		File: "memsys/l2.go", Old: "s.cache.write(w, &data, dram.Span(int(r.Off), int(r.Size)))", New: "s.cache.write(w, &data, dram.Span(int(r.Off), 1))",
	},
	{
		Name: "l2-fill-overwrites", Bug: "a line from DRAM overwrites what was stored meanwhile", By: any,
		File: "memsys/l2.go", Old: "Merge(&r.Data, s.all.AndNot(st.Have))", New: "Merge(&r.Data, s.all)",
	},
	{
		Name: "dram-mask-ignored", Bug: "a burst writes the bytes that are masked, too", By: any,
		File: "memsys/dram/channel.go", Old: "if e.Mask[k/64]>>(k%64)&1 != 0 {", New: "if e.Mask[k/64] != 0 {",
	},
}

var timing = []Mutant{
	{
		Name: "dram-tras", Bug: "tRAS short by one", By: any, Audit: "./memsys/dram TestRandom",
		File: "memsys/dram/channel.go", Old: "bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS)", New: "bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS-1)",
	},
	{
		Name: "dram-trc", Bug: "tRC short by one", By: any, Audit: "./memsys/dram TestRandom|TestSameBankActivates",
		File: "memsys/dram/channel.go", Old: "bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS)", New: "bk.NextAct, bk.NextPre = after(t.TRC-1), after(t.TRAS)",
	},
	{
		Name: "dram-trcd", Bug: "a column command one cycle before the row is open", By: any, Audit: "./memsys/dram TestRandom|TestReadLatency",
		File: "memsys/dram/channel.go", Old: "bk.NextRead, bk.NextWrite = after(t.TRCD), after(t.tRCDWR())", New: "bk.NextRead, bk.NextWrite = after(t.TRCD-1), after(t.tRCDWR())",
	},
	{
		Name: "dram-twtr", Bug: "no turnaround from writing to reading", By: any, Audit: "./memsys/dram TestRandom",
		File: "memsys/dram/channel.go", Old: "after(max(end+t.TWTR, t.TCCD))", New: "after(max(end, t.TCCD))",
	},
	{
		Name: "dram-trrd", Bug: "activates of two banks too close", By: any, Audit: "./memsys/dram TestRandom",
		File: "memsys/dram/channel.go", Old: "d.NextAct = after(t.TRRD)", New: "d.NextAct = after(t.TRRD - 1)",
	},
	{
		Name: "dram-trp", Bug: "a bank is opened before it is closed", By: any, Audit: "./memsys/dram TestRandom",
		File: "memsys/dram/channel.go", Old: "bk.NextAct = max(bk.NextAct, after(t.TRP))", New: "bk.NextAct = max(bk.NextAct, after(t.TRP-1))",
	},
	{
		Name: "dram-young-hit", Bug: "the youngest row hit goes first", By: any, Audit: "./memsys/dram TestRandom",
		File: "memsys/dram/channel.go", Old: "(hit < 0 || e.Age < hitAge)", New: "(hit < 0 || e.Age > hitAge)",
	},
	{
		Name: "dram-hit-cap", Bug: "`<=` for `<` in the count of row hits that pass an older request", By: any, Audit: "./memsys/dram TestRandom|TestHitCap",
		File: "memsys/dram/channel.go", Old: "int(bk.Overtaken) < c.cfg.HitCap", New: "int(bk.Overtaken) <= c.cfg.HitCap",
	},
	{
		Name: "shared-no-conflict", Bug: "lanes that want different words of a bank are served at once", Audit: "./memsys TestBankConflicts|TestKnownConflicts",
		File: "memsys/shared.go", Old: "} else if word[b] != w {", New: "} else if word[b] != w && k > 0 {",
	},
	{
		Name: "cache-mru", Bug: "the line used last makes room", Audit: "./memsys TestLRU",
		File: "memsys/cache.go", Old: "(best < 0 || s.Used < used)", New: "(best < 0 || s.Used > used)",
	},
	{
		Name: "crossbar-unfair", Bug: "the input granted last goes first again", Audit: "./memsys TestFairness",
		File: "memsys/interconnect.go", Old: "set &^ (2<<last - 1)", New: "set &^ (1<<last - 1)",
	},
	{
		Name: "bus-overlap", Bug: "two bursts on the data bus at once", By: any, Audit: "./memsys/dram TestRandom|TestPeakBandwidth",
		File: "memsys/dram/channel.go", Old: "d.NextWrite = max(d.NextWrite, after(t.tRTW()))", New: "d.NextWrite = max(d.NextWrite, after(t.tRTW()-2))",
	},
	{
		Name: "stack-of-two", Bug: "the stack's depth is counted once for two pushes", Audit: "./units TestStack",
		File: "units/stack.go", Old: "*k.Entry(s, int(*d)) = e\n", New: "*k.Entry(s, int(*d)&^1) = e\n",
	},
	{
		Name: "balanced-odd", Bug: "odd warps get the mask of the warp before them, not its complement", By: regroup, Audit: "./units TestBalancedMasks|TestLaneTables",
		File: "units/permutation.go", Old: "m = ^m & (width - 1)", New: "m &= width - 1",
	},
}
