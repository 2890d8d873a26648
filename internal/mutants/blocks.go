package mutants

// rows are the properties of sets of threads by row.
const rows = "./units TestRowsProperties"

// blocks are bugs of mechanisms that make warps of threads of several: pool, compactor, block-wide stack.
var blocks = []Mutant{
	{
		Name: "dwf-conflict-unseen", Bug: "a lane that is taken is given away again", By: dwf, Audit: "./units TestWarpPoolProperties",
		File: "units/pool.go", Old: "conflict := u.Req & line.Data.Occ", New: "conflict := u.Req & line.Data.Occ & 0xffff_fff0",
	},
	{
		Name: "dwf-joins-issued", Bug: "threads join a warp that has been issued", By: dwf, Audit: "./units TestWarpPoolProperties",
		File: "units/pool.go", Old: "if !p.open(line) {", New: "if !p.open(line) && line.Data.Occ == 0 {",
	},
	{
		Name: "dwf-wrong-row", Bug: "the threads of a warp take the rows of those that join it", By: dwf, Audit: "./units TestWarpPoolProperties",
		File: "units/pool.go", Old: "w.Row.Take(&u.Row, lanes)", New: "w.Row.Take(&u.Row, w.Occ)",
	},
	{
		Name: "dwf-stale-line", Bug: "a line of the table outlives its warp", By: dwf, From: "FlashGPU-Sim/FlashGPU-Sim#17", Audit: "./units TestWarpPoolProperties",
		File: "units/pool.go", Old: "return w.Open && w.PC == l.PC", New: "return w.PC == l.PC",
	},
	{
		Name: "dwf-entry-leaks", Bug: "the pool entry of an issued warp is not given back", By: dwf, From: "gem5/gem5#408", Audit: "./units TestWarpPoolProperties",
		File: "units/pool.go", Old: "*p.Used.Edit(i >> 6) &^= 1 << (i & 63)\n", New: "",
	},
	{
		Name: "dwf-not-mixed", Bug: "a warp of several rows is taken for one of its first thread's row", By: dwf,
		File: "sm/divergence/formation/dwf.go", Old: "w.Row.Several(w.Occ)", New: "w.Row.Several(0)",
	},
	{
		Name: "dwf-barrier-early", Bug: "a warp counts as arrived with its first thread", By: dwf,
		File: "sm/divergence/formation/dwf.go", Old: "if w.AtBar != 0 && w.Live&^(w.AtBar|w.Arrived) == 0 {", New: "if w.AtBar != 0 {",
	},
	{
		Name: "dwf-exit-alive", Bug: "a thread that exits is still waited for", By: dwf,
		File: "sm/divergence/formation/dwf.go", Old: "w.Live &^= 1 << lane\n", New: "w.Live &^= 1 << lane &^ 1\n",
	},
	{
		Name: "dwf-arrive-lost", Bug: "of a dynamic warp of which some lanes arrive at a barrier without waiting, these do not go on", By: dwf, Audit: "./testbench/verify TestArriveInParts",
		File: "sm/divergence/formation/dwf.go", Old: "if in.Op == isa.OpBar && in.Mode == isa.ModeArrive {\n\t\ton = s.Mask", New: "if in.Op == isa.OpBar && in.Mode == isa.ModeArrive {\n\t\ton = not",
	},
	{
		Name: "dwf-arrive-forgotten", Bug: "lanes that arrive later take the place of those that have", By: dwf, Audit: "./testbench/verify TestArriveInParts",
		File: "sm/divergence/formation/dwf.go", Old: "*here |= 1 << lane", New: "if here == &w.Passed {\n\t\t\t*here = 0\n\t\t}\n\t\t*here |= 1 << lane",
	},
	{
		Name: "dwf-released-whole", Bug: "a warp of the pool that is released in part is freed", By: dwf, Audit: "./testbench/verify TestReleaseInParts",
		File: "sm/divergence/formation/dwf.go", Old: "w.Occ &^= lanes\n\tif w.Occ == 0 {", New: "w.Occ &^= lanes\n\tif w.Occ|lanes != 0 {",
	},
	{
		Name: "dwf-slot-late", Bug: "a slot that is freed gets its next warp in the cycle after", By: dwf,
		File: "sm/divergence/formation/dwf_issue.go", Old: "&& d.Free != (units.Set{}) {", New: "&& d.Free != (units.Set{}) && (bits.OnesCount64(d.Free[0]) > 1 || !p.Fire.Get().Valid) {",
	},
	{
		Name: "dwf-launch-lost", Bug: "a warp that begins while both update registers are taken is lost", By: dwf,
		File: "sm/divergence/formation/dwf.go", Old: "if p.Launch.Valid() && p.start(p.Launch.Front()) {", New: "if p.Launch.Valid() {\n\t\tp.start(p.Launch.Front())",
	},
	{
		Name: "dwf-one-side", Bug: "the sides of a branch go to the update registers one after the other, though both are free", By: dwf,
		File: "sm/divergence/formation/dwf.go", Old: "p.Table.Edit(i).Mask = not\n", New: "if p.Table.Edit(i).Mask = not; not != 0 {\n\t\t\treturn false\n\t\t}\n",
	},
	{
		Name: "dwf-register-passed", Bug: "threads of an issued instruction go past the update register, a cycle too soon", By: dwf,
		File: "sm/divergence/formation/dwf.go", Old: "u.Count = k.Count\n\t\tp.send(i, u)", New: "u.Count = k.Count\n\t\tp.insert(&u, uint8(i))",
	},
	{
		Name: "dwf-wb-port-shared", Bug: "while both update registers write the pool no warp gets a slot from it", By: dwfWB,
		File: "sm/divergence/formation/dwf_issue.go", Old: "if was.oldest != nobody &&", New: "if was.oldest != nobody && was.update[1].Req == 0 &&",
	},
	{
		Name: "dwf-wb-exit-unseen", Bug: "a warp barrier whose last missing thread exits is not released", By: dwfWB, From: "accel-sim/accel-sim-framework#503",
		File: "sm/divergence/formation/dwf.go", Old: "p.restore(row, w)\n\t\tp.meet(row, w)\n\t}\n}\n\n// retire", New: "p.meet(row, w)\n\t}\n}\n\n// retire",
	},
	{
		Name: "dwf-update-dropped", Bug: "threads that find no update register free are taken for sent", By: dwf, From: "FPGA-MAFIA/fpga_mafia#269",
		File: "sm/divergence/formation/dwf.go", Old: "return false\n}\n\n// from is", New: "return true\n}\n\n// from is",
	},
	{
		Name: "dwf-half-forgotten", Bug: "that one side of a branch has been sent is forgotten", By: dwf,
		File: "sm/divergence/formation/dwf.go", Old: "d.Half = true\n", New: "",
	},
	{
		Name: "dwf-released-others", Bug: "threads of other rows go on with those that a barrier releases", By: dwf, From: "vortexgpgpu/vortex#400",
		File: "sm/divergence/formation/dwf.go", Old: "lanes |= uint32(rows>>(w.Row[lane]&63)&1) << lane", New: "lanes |= 1 << lane",
	},
	{
		Name: "dwf-wb-static-joined", Bug: "the pool entry of a static warp is given back twice", By: dwfWB, From: "FlashGPU-Sim/FlashGPU-Sim#17",
		File: "sm/divergence/formation/dwf_issue.go", Old: "Joins: !at.Static", New: "Joins: true",
	},
	{
		Name: "dwf-wb-restored-early", Bug: "a warp is restored when the first of its threads is back", By: dwfWB,
		File: "sm/divergence/formation/dwf_barrier.go", Old: "if !w.Barred || w.Arrived != w.Live {", New: "if !w.Barred || w.Arrived == 0 {",
	},
	{
		Name: "dwf-wb-not-gathered", Bug: "a thread that comes to the warp barrier goes on", By: dwfWB,
		File: "sm/divergence/formation/dwf_barrier.go", Old: "u.Req &^= 1 << lane\n", New: "u.Req &^= 1 << lane & w.Live &^ 1\n",
	},
	{
		Name: "dwf-wb-stale-arrivals", Bug: "a warp barrier that is not set keeps who has arrived", By: dwfWB, From: "vortexgpgpu/vortex#400",
		File: "sm/divergence/formation/dwf_barrier.go", Old: "w.Barred, w.Arrived = false, 0", New: "w.Barred = false",
	},
	{
		Name: "dwf-wb-half-unbarred", Bug: "the first side of a branch goes to the pool before the warp barrier is set", By: dwfWB,
		File: "sm/divergence/formation/dwf_barrier.go", Old: "if (done || p.Next().Half) && in.Reconv", New: "if done && in.Reconv",
	},
	{
		Name: "compactor-short-encoder", Bug: "the priority encoder of a lane gives one bit of the warp's number", By: tbc, Audit: "./units TestCompactorProperties",
		File: "units/compactor.go", Old: "homes.Row[l] = uint8(bits.TrailingZeros64(*group))", New: "homes.Row[l] = uint8(bits.TrailingZeros64(*group)) & 1",
	},
	{
		Name: "compactor-last-lane", Bug: "warps are counted by the last lane, not by the fullest", By: tbc, Audit: "./units TestCompactorProperties",
		File: "units/compactor.go", Old: "warps = max(warps, bits.OnesCount64(group))", New: "warps = max(warps&1, bits.OnesCount64(group))",
	},
	{
		Name: "tbc-ideal-one-lane-short", Bug: "a warp whose threads may change lanes is full with one lane to go", By: ideal, Audit: "./units TestCompactorProperties",
		File: "units/compactor.go", Old: "if n == lanes {", New: "if n == lanes-1 {",
	},
	{
		Name: "compactor-off-other-warps", Bug: "with the compactor off threads of other static warps come along", Audit: "./units TestCompactorProperties",
		File: "units/compactor.go", Old: "*group&first != 0 {", New: "*group != 0 {",
	},
	{
		Name: "rows-or", Bug: "the row of a thread that takes a lane is or-ed to the one before", Audit: rows,
		File: "units/rows.go", Old: "binary.LittleEndian.Uint64(to)&^m|", New: "binary.LittleEndian.Uint64(to)|",
	},
	{
		Name: "rows-shift-idle", Bug: "rows of idle lanes are shifted too", Audit: rows,
		File: "units/rows.go", Old: "uint64(first)*ones&whole[uint8(lanes)]", New: "uint64(first)*ones",
	},
	{
		Name: "rows-first-lane", Bug: "rows are compared with that of lane 0, which may be idle", Audit: rows,
		File: "units/rows.go", Old: "r[bits.TrailingZeros32(lanes)%PoolLanes]", New: "r[0]",
	},
	{
		Name: "rows-moved-idle", Bug: "idle lanes count as moved", Audit: rows,
		File: "units/rows.go", Old: "binary.LittleEndian.Uint64(own[l:l+8])) & whole[uint8(lanes)]", New: "binary.LittleEndian.Uint64(own[l:l+8]))",
	},
	{
		Name: "rows-count-half", Bug: "the upper rows are counted with the lower ones", Audit: rows,
		File: "units/rows.go", Old: "c[bits.TrailingZeros64(rows)%MaxRows]++", New: "c[bits.TrailingZeros64(rows)%(MaxRows/2)]++",
	},
	{
		Name: "tbc-turn-waits", Bug: "no top goes to the compactor in a cycle in which an outcome comes", By: tbc,
		File: "sm/divergence/compaction/tbc.go", Old: "case !p.Compacts.Next().Busy:", New: "case !p.Compacts.Next().Busy && !p.Outcome.Valid():",
	},
	{
		Name: "tbc-one-early", Bug: "the block is left when one warp is still to come", By: tbc,
		File: "sm/divergence/compaction/tbc.go", Old: "if e.WCnt--; e.WCnt == 0 {", New: "if e.WCnt--; e.WCnt <= 1 {",
	},
	{
		Name: "tbc-both-sides", Bug: "threads that branch are also entered as not branching", By: tbc,
		File: "sm/divergence/compaction/tbc.go", Old: "p.add(&t.Not, s, uint8(o.Slot), s.Mask&^taken)", New: "p.add(&t.Not, s, uint8(o.Slot), s.Mask)",
	},
	{
		Name: "tbc-exit-in-top-only", Bug: "threads that exit stay in the entries below", By: tbc,
		File: "sm/divergence/compaction/tbc.go", Old: "p.Stack.Entry(cta, i).Mask.Remove(&gone)", New: "p.Stack.Entry(cta, max(i, p.Stack.Len(cta)-1)).Mask.Remove(&gone)",
	},
	{
		Name: "tbc-wrong-row", Bug: "every lane of a compacted warp reads the first thread's row", By: tbc,
		File: "sm/divergence/compaction/tbc.go", Old: "s.Mixed = homes.Row.Several(mask) || homes.Moved(mask)", New: "s.Mixed = false",
	},
	{
		Name: "tbc-stale-targets", Bug: "the targets of a branch begin with what the last branch left", By: tbc,
		File: "sm/divergence/compaction/tbc.go", Old: "*t = Targets{}", New: "t.Taken = units.BlockMask{}",
	},
	{
		Name: "tbc-lcp-overwrites", Bug: "the second path that comes to a likely-convergence point replaces the first", By: tbcLCP,
		File: "sm/divergence/compaction/tbc.go", Old: "Mask.Union(&e.Mask)", New: "Mask = e.Mask",
	},
	{
		Name: "tbc-lcp-undivided", Bug: "a branch that divides no threads has an entry at its likely-convergence point", By: tbcLCP,
		File: "sm/divergence/compaction/tbc.go", Old: "in.Likely != isa.NoPC && !alone", New: "in.Likely != isa.NoPC",
	},
	{
		Name: "tbc-row-ends-early", Bug: "a static warp ends with its first thread", By: tbc, From: "Zaneham/Booth#139",
		File: "sm/divergence/compaction/tbc.go", Old: "(gone.Warps() &^ live.Warps())", New: "gone.Warps()",
	},
	{
		Name: "tbc-barrier-open", Bug: "arrivals are not cleared when the barrier opens", By: tbc,
		File: "sm/divergence/compaction/tbc_barrier.go", Old: "bar.Arrived, bar.Waiting, bar.Parked, bar.Tally = units.BlockMask{}, 0, false, divergence.Tally{}", New: "bar.Waiting, bar.Parked, bar.Tally = 0, false, divergence.Tally{}",
	},
	{
		Name: "tbc-parked-run", Bug: "threads that are parked at a barrier run with the others of the bottom entry", Audit: "./sm/divergence/compaction TestBlockBarriers",
		File: "sm/divergence/compaction/tbc_barrier.go", Old: "run.Remove(&bar.Arrived)", New: "_ = run",
	},
	{
		Name: "tbc-parked-stay", Bug: "threads that are parked at a barrier stay in the entries below", Audit: "./sm/divergence/compaction TestBlockBarriers",
		File: "sm/divergence/compaction/tbc_barrier.go", Old: "p.Stack.Entry(cta, i).Mask.Remove(&bar.Arrived)", New: "p.Stack.Entry(cta, max(i, p.Stack.Len(cta)-1)).Mask.Remove(&bar.Arrived)",
	},
	{
		Name: "tbc-need-one-more", Bug: "a barrier with a count waits for one warp more", By: tbc, From: "gem5/gem5#92",
		File: "sm/divergence/compaction/tbc_barrier.go", Old: "bits.OnesCount64(arrived) < int(bar.Need)", New: "bits.OnesCount64(arrived) <= int(bar.Need)",
	},
	{
		Name: "tbc-tally-first", Bug: "the result of a barrier that reduces goes to the first row", By: tbc, From: "purdue-aalp/gpgpu-sim_distribution_old#18",
		File: "sm/divergence/compaction/tbc_barrier.go", Old: "*p.Tallies.Edit(first + bits.TrailingZeros64(m)) = bar.Tally", New: "*p.Tallies.Edit(first) = bar.Tally",
	},
	{
		Name: "capri-closed-early", Bug: "a branch is closed when one warp is still to come", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "if b.Left--; b.Left != 0 {", New: "if b.Left--; b.Left > 1 {",
	},
	{
		Name: "capri-stack-dropped", Bug: "warps lose their stacks though they have diverged", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "case b.Alone && b.oneWay():", New: "case b.Alone:",
	},
	{
		Name: "capri-runs-ahead", Bug: "a warp is not held at the next branch", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "if p.held(i, s) {", New: "if false {",
	},
	{
		Name: "capri-path-mask", Bug: "the entry at which a bypassing warp joins has the lanes that branch only", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "LPC: divergence.Nowhere, Mask: s.Mask}", New: "LPC: divergence.Nowhere, Mask: taken}",
	},
	{
		Name: "capri-joined-early", Bug: "a bypassing warp counts as joined with one path to go", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "if p.Private.Len(i) > 1 {", New: "if p.Private.Len(i) > 2 {",
	},
	{
		Name: "capri-exit-uncounted", Bug: "a warp that ends before the open branch is still expected there", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "if p.missing(i, s) {\n\t\tp.came(i, s)", New: "if p.missing(i, s) && left != 0 {\n\t\tp.came(i, s)",
	},
	{
		Name: "capri-not-held", Bug: "a warp opens the next branch while others have still to execute this one", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "(p.Private.Len(i) == 0 || b.oneWay())", New: "p.Private.Len(i) == 0",
	},
	{
		Name: "capri-one-outcome", Bug: "branches that are held share a register for their outcome", By: capri, From: "vortexgpgpu/vortex#363",
		File: "sm/divergence/compaction/capri.go", Old: "h.Taken[i], h.Target[i], h.Since[i] = o.Taken", New: "h.Taken[0], h.Target[i], h.Since[i] = o.Taken",
	},
	{
		Name: "capri-exit-private", Bug: "threads that exit stay in the stack of a bypassing warp", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "p.Private.Remove(i, lanes)\n", New: "",
	},
	{
		Name: "capri-leavers-stay", Bug: "threads that leave a loop run its body once more", By: capri, From: "llvm/llvm-project#118081",
		File: "sm/divergence/compaction/capri.go", Old: "if s.Mask = not; b.First {", New: "if b.First {",
	},
	{
		Name: "capri-ended-stay", Bug: "threads that end in a loop are still in the entry of those that stay", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "\t\tfirst.Remove(&gone)\n", New: "\t\tfirst.Warps()\n",
	},
	{
		Name: "capri-slot-from-zero", Bug: "slots are counted from the first of the SM, not of the CTA", By: capri, From: "vortexgpgpu/vortex#400",
		File: "sm/divergence/compaction/capri.go", Old: "b.Came |= 1 << (i - int(first))", New: "b.Came |= 1 << i",
	},
	{
		Name: "capri-no-wake", Bug: "an entry that nobody stays in is not looked at again", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "if e.WCnt == 0 {\n\t\tp.D().Turned", New: "if e.WCnt > 99 {\n\t\tp.D().Turned",
	},
	{
		Name: "capri-ways-swapped", Bug: "warps that bypass a branch as a block go the way that its entry has last", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "p.split(cta, e, b.First)", New: "p.split(cta, e, !b.First)",
	},
	{
		Name: "capri-nobody-counted", Bug: "an entry that is split by a bypass expects the warps of the one before", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "if p.Table.Edit(first + bits.TrailingZeros64(came)).Valid {", New: "if true {",
	},
	{
		Name: "capri-meets-early", Bug: "warps go on that wait where the ways of a branch meet that is still open", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "p.ahead(i, s) && s.Mask != 0 && s.At() ==", New: "p.ahead(i, s) && s.Mask == 0 && s.At() ==",
	},
	{
		Name: "capri-long-order", Bug: "the larger path may run first however many paths a warp has", Audit: "./sm/divergence/compaction TestSwitch",
		File: "sm/divergence/pathstack.go", Old: "if k.Len(w) >= k.Deep {", New: "if k.Len(w) > 99 {",
	},
	{
		Name: "capri-deep-alone", Bug: "warps go on alone into branches that nest deeper than their stacks", By: capri, Audit: "./sm/divergence/compaction TestDeep",
		File: "sm/divergence/compaction/capri.go", Old: "joins = max(joins, 1+list[i].joins)", New: "joins = max(joins, list[i].joins)",
	},
	{
		Name: "tbc-tail-kept", Bug: "an entry that waits where both ways of a branch meet is not replaced by them, and is popped in a cycle of its own", By: tbc,
		File: "sm/divergence/compaction/tbc.go", Old: "replace := rpc == e.RPC && p.Stack.Len(cta) > 1", New: "replace := rpc == e.RPC && p.Stack.Len(cta) > deepStack",
	},
	{
		Name: "tbc-full-stack", Bug: "a branch on a full stack adds an entry that waits where its ways meet", Audit: "./testbench/verify TestDeepNest",
		File: "sm/divergence/compaction/tbc.go", Old: "\t\trpc = e.RPC\n", New: "\t\trpc = j.Meet\n",
	},
	{
		Name: "capri-held-long", Bug: "no branch that was held is executed in a cycle in which an instruction issues", By: capri,
		File: "sm/divergence/compaction/capri.go", Old: "idle := !p.Outcome.Valid()", New: "idle := !p.Outcome.Valid() && !p.Fire.Get().Valid",
	},
}
