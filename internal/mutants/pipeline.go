package mutants

// pipeline are bugs of what a mechanism plugs into: dispatch, front end, scoreboard, pipes, load/store unit, write-back.
var pipeline = []Mutant{
	{
		Name: "laneid-uniform", Bug: "the analysis takes %laneid to be the same for all threads", By: pdom,
		File: "isa/uniform.go", Old: "TidX, TidY, TidZ, LaneID, WarpID,", New: "TidX, TidY, TidZ, WarpID,",
	},
	{
		Name: "dispatch-no-room", Bug: "CTAs go to an SM that has no room", By: any, From: "IObundle/iob-lib#328",
		File: "gpu/dispatch.go", Old: "*d.Room.Edit(i)--\n", New: "",
	},
	{
		Name: "flush-first-ack", Bug: "the L2 is written back when the first L1 has been", By: any, From: "chipsalliance/rocket-chip#2779",
		File: "gpu/dispatch.go", Old: "if int(q.Acks) == len(d.SMs) {", New: "if q.Acks > 0 && int(q.Sent) == len(d.SMs) {",
	},
	{
		Name: "cta-place-early", Bug: "the place of a CTA is given away while its last warp runs", By: any, From: "accel-sim/accel-sim-framework#503",
		File: "sm/cta.go", Old: "if d.Live[i]--; d.Live[i] == 0 {", New: "if d.Live[i]--; d.Live[i] == min(1, uint8(c.l.warps-1)) {",
	},
	{
		Name: "fetch-stale-buffer", Bug: "the I-buffer keeps the instructions of the path that was left", By: any,
		File: "sm/fetch.go", Old: "if e.N == 0 || e.PC != pc {", New: "if e.N == 0 {",
	},
	{
		Name: "interweave-stays-buffered", Bug: "what issues beside another stays in the I-buffer", Audit: "./sm TestBranchInterweaving|TestWarpInterweaving",
		File: "sm/fetch.go", Old: "second.Valid {\n\t\tf.issued(second, look)", New: "second.Valid {\n\t\tlook.Add(int(second.Slot))",
	},
	{
		Name: "gto-by-slot", Bug: "the oldest warp is taken to be that of the first slot", Audit: "./sm TestGreedyThenOldest",
		File: "sm/schedule.go", Old: "younger := best >= 0 && (age > bestID || age == bestID && slot.Row >= bestRow)", New: "younger := best >= 0 && (age < bestID && age > bestID || slot.Row >= bestRow)",
	},
	{
		Name: "lrr-again", Bug: "the slot issued last is the first that is asked", By: any, From: "chipsalliance/rocket-chip#2771",
		File: "sm/schedule.go", Old: "upTo := uint64(2)<<(last&63) - 1", New: "upTo := uint64(1)<<(last&63) - 1",
	},
	{
		Name: "issue-exit-early", Bug: "a warp exits with loads in flight", By: any,
		File: "sm/issue.go", Old: "i.Q().InRow[row&(MaxWarps-1)] != 0 {", New: "i.Q().InRow[row&(MaxWarps-1)] > 1 {",
	},
	{
		Name: "issue-count-leaks", Bug: "instructions of compacted warps are not taken out of the count of those in flight", By: regroup, From: "gem5/gem5#223",
		File: "sm/issue.go", Old: "d.InRow.Remove(f.Rows)", New: "d.InRow.Remove(0)",
	},
	{
		Name: "scoreboard-one-row", Bug: "what a compacted warp has written is released in the row of its first thread", By: regroup, From: "vortexgpgpu/vortex#356",
		File: "sm/issue.go", Old: "i.Scoreboard.ClearAll(i.threads(f), in.dsts)", New: "i.Scoreboard.Clear(int(f.Row), in.dsts, f.Mask)",
	},
	{
		Name: "scoreboard-no-waw", Bug: "an instruction does not wait for what it writes itself", By: any, From: "bespoke-silicon-group/bsg_manycore#276",
		File: "sm/kernel.go", Old: "add(&d.deps, reg)", New: "add(&d.dsts, reg)",
	},
	{
		Name: "scoreboard-no-guard", Bug: "an instruction does not wait for its guard", By: any, From: "ucb-bar/chipyard#1085",
		File: "sm/kernel.go", Old: "use(in.Guard, &d.deps)\n", New: "",
	},
	{
		Name: "scoreboard-clears-all", Bug: "a result clears the register for all lanes, those of another path included", By: []string{"dpe"}, Audit: "./units TestScoreboardProperties",
		File: "units/scoreboard.go", Old: "[row&(MaxRows-1)] &^= lanes", New: "[row&(MaxRows-1)] = 0",
	},
	{
		Name: "scoreboard-clears-rows", Bug: "a result of a warp of several rows clears the register for all lanes of these", By: []string{"dwf"}, Audit: "./units TestScoreboardProperties",
		File: "units/scoreboard.go", Old: "pending[row] &^= t.Lanes[row]", New: "pending[row] = 0",
	},
	{
		Name: "scoreboard-all-lanes", Bug: "a register is taken for ready unless all lanes are pending", By: any, Audit: "./units TestScoreboardProperties",
		File: "units/scoreboard.go", Old: "&lanes != 0 {", New: "&lanes == lanes {",
	},
	{
		Name: "set-no-wrap", Bug: "a search through several words does not come back to where it began", By: multipath, Audit: "./units TestSetProperties",
		File: "units/set.go", Old: "range s[:from+1] {", New: "range s[:from] {",
	},
	{
		Name: "round-short", Bug: "the round of the scheduler does not come back to where it began", By: any,
		File: "sm/schedule.go", Old: "m &= upTo\n", New: "m &= upTo >> 1\n",
	},
	{
		Name: "stack-of-two", Bug: "the stack's depth is counted once for two pushes", Audit: "./units TestStackProperties",
		File: "units/stack.go", Old: "*k.Entry(s, int(*d)) = e\n", New: "*k.Entry(s, int(*d)&^1) = e\n",
	},
	{
		Name: "balanced-odd", Bug: "odd warps get the mask of the warp before them, not its complement", By: regroup, Audit: "./units TestBalancedMasks|TestLaneTables",
		File: "units/permutation.go", Old: "m = ^m & (width - 1)", New: "m &= width - 1",
	},
	{
		Name: "placed-alone", Bug: "a thread takes the place of those that other warps have in its lane", Audit: "./units TestPlacementProperties",
		File: "units/permutation.go", Old: "l)] |= group & -group", New: "l)] = group & -group",
	},
	{
		Name: "majority-idle-votes", Bug: "lanes that are not active vote", Audit: "./units TestMajorityProperties",
		File: "units/majority.go", Old: "bits.OnesCount32(taken&active)", New: "bits.OnesCount32(taken)",
	},
	{
		Name: "skip-unaligned", Bug: "a group of lanes begins at the first one that executes", Audit: "./sm TestGroupProperties|TestPipeProperties",
		File: "sm/skip.go", Old: "bits.TrailingZeros32(mask) / width * width", New: "bits.TrailingZeros32(mask)",
	},
	{
		Name: "operands-row", Bug: "lanes of a compacted warp read the row of the first", By: regroup,
		File: "sm/operands.go", Old: "*o.Preds.At(int(h.Row)*npreds + pred)", New: "*o.Preds.At(int(f.Row)*npreds + pred)",
	},
	{
		Name: "ctaid-flat", Bug: "%ctaid.z is read as %ctaid.y", By: any,
		File: "sm/operands.go", Old: "l.ctaid(id)[r-isa.CtaidX]", New: "l.ctaid(id)[min(r-isa.CtaidX, 1)]",
	},
	{
		Name: "bar-count-short", Bug: "a barrier with a count is one warp short", By: any,
		File: "sm/execute.go", Old: "o.Warps = uint8((value(1) + w - 1) / w)", New: "o.Warps = uint8((value(1) - 1) / w)",
	},
	{
		Name: "interweave-late-stays", Bug: "that the first of two has started is remembered for the next two", By: weave,
		File: "sm/execute.go", Old: "b.D().Late = false\n", New: "",
	},
	{
		Name: "interweave-twice", Bug: "while the second of two waits, the first starts again", By: weave, From: "sarchlab/mgpusim#157",
		File: "sm/execute.go", Old: "if b == nil || !b.Q().Late {", New: "if b == nil || b.Q() != nil {",
	},
	{
		Name: "pipe-place-taken", Bug: "a result goes to a place on its way out that another one has", By: any, From: "accel-sim/accel-sim-framework#91",
		File: "sm/execute.go", Old: "rest > 0 && !p.Line.Next(p.place(rest)).Full {", New: "rest > 0 {",
	},
	{
		Name: "pipe-moves-on", Bug: "results move on although those ahead stand still", By: any, From: "accel-sim/gpgpu-sim_distribution#30", Audit: "./sm TestHeldResults",
		Lives: "not found in 551 kernels",
		File:  "sm/execute.go", Old: "p.sim.Now() - p.Q().Held + cycles", New: "p.sim.Now() + cycles",
	},
	{
		Name: "vote-exited", Bug: "an instruction of a warp waits for threads that have exited", By: pdom,
		File: "sm/crosslane.go", Old: "&^ *p.Exited.At(int(op.Row)) &^ op.Exec", New: "&^ op.Exec",
	},
	{
		Name: "shuffle-lanes", Bug: "a shuffle takes the mask of lanes for one of locations", By: pdom, From: "gpgpu-sim/gpgpu-sim_distribution#230",
		File: "sm/crosslane.go", Old: "to.Mask = p.l.toLocations(warp, x.Mask)", New: "to.Mask = x.Mask",
	},
	{
		Name: "interweave-overlap", Bug: "two instructions issue in one lane", By: weave, From: "accel-sim/accel-sim-framework#91",
		File: "sm/interweave.go", Old: "!slot.Mixed && slot.Mask&first.Mask == 0 && ", New: "!slot.Mixed && ",
	},
	{
		Name: "interweave-turn", Bug: "what issues beside another moves the scheduler on", By: weave, From: "arch-hdl-lang/arch-com#452", Audit: "./sm TestBranchInterweaving",
		Lives: "fair takes the slot that issued last from the machine",
		File:  "sm/issue.go", Old: "d := i.D()\n\t\td.Last,", New: "d := i.D()\n\t\tif second >= 0 {\n\t\t\ts, first = second, slots.At(second)\n\t\t}\n\t\td.Last,",
	},
	{
		Name: "interweave-no-room", Bug: "two accesses go where there is room for one", By: weave, From: "IObundle/iob-lib#328",
		File: "sm/interweave.go", Old: "return to.Free() > 1", New: "return to.Ready()",
	},
	{
		Name: "dwf-first-cta", Bug: "all threads of a warp use the shared memory of the first one's CTA", By: dwf,
		File: "sm/lsu.go", Old: "a.Addr[lane] += u.l.shares[op.Home(lane).Row&(MaxWarps-1)]", New: "a.Addr[lane] += u.l.shares[op.Row&(MaxWarps-1)]",
	},
	{
		Name: "lsu-shared-base", Bug: "all CTAs use the first one's shared memory", By: any,
		File: "sm/lsu.go", Old: "a.Addr[lane] += u.l.shares[op.Home(lane).Row&(MaxWarps-1)]", New: "a.Addr[lane] += u.l.shares[0]",
	},
	{
		Name: "lsu-lane-of-store", Bug: "stores of a narrow mask take the data of the lowest lane", By: any,
		File: "sm/lsu.go", Old: "|= row[lane] & keep << shift", New: "|= row[bits.TrailingZeros32(a.Mask)&(isa.MaxLanes-1)] & keep << shift",
	},
	{
		Name: "lsu-lowest-lane", Bug: "lanes behind the end of an allocation are not seen if the lowest address is in it", By: any,
		File: "sm/lsu.go", Old: "high < end && size <= end-high", New: "low < end",
	},
	{
		Name: "lsu-near-misaligned", Bug: "misaligned addresses are not seen if all are in one allocation", By: any, Audit: "./gpu TestFaults",
		Lives: "random kernels align what they access",
		File:  "sm/lsu.go", Old: "all&(alignment(in, size)-1) == 0 && ", New: "",
	},
	{
		Name: "lsu-across-the-end", Bug: "the first byte of an access decides whether it is in an allocation", By: pdom, Audit: "./testbench/verify TestAcrossTheEnd",
		File: "sm/lsu.go", Old: "return a < end && size <= end-a", New: "return a < end",
	},
	{
		Name: "local-first-piece", Bug: "each word of a vector in local memory gets the data of the first", By: any,
		File: "sm/lsu.go", Old: "a.Data[lane][piece>>1] >> (32 * (piece & 1)) & 0xffff_ffff", New: "a.Data[lane][0] & 0xffff_ffff",
	},
	{
		Name: "local-one-place", Bug: "the words of a vector in local memory are all at the place of the first", By: any,
		File: "sm/lsu.go", Old: "a.Addr[lane]+uint64(piece)*4)", New: "a.Addr[lane])",
	},
	{
		Name: "store-sign", Bug: "a store of a byte stores what is above it as well", By: any,
		File: "sm/lsu.go", Old: "keep := ^uint64(0) >> (64 - size)", New: "keep := ^uint64(0) >> (64 - max(size, 16))",
	},
	{
		Name: "release-unfenced", Bug: "a release waits for nothing before it", By: any, Audit: "./sm TestOrder",
		File: "sm/lsu.go", Old: "fence = in.Flags&isa.FlagRelease != 0", New: "fence = false",
	},
	{
		Name: "lsu-parts-lost", Bug: "of an instruction with several accesses one is waited for", By: any, From: "accel-sim/gpgpu-sim_distribution#40",
		File: "sm/lsu.go", Old: "e := u.Table.Edit(tag)\n\te.Parts++", New: "e := u.Table.Edit(tag)\n\te.Parts = 1",
	},
	{
		Name: "lsu-complete-early", Bug: "an instruction completes while some of its accesses have yet to leave", By: any, From: "gpgpu-sim/gpgpu-sim_distribution#142",
		File: "sm/lsu.go", Old: "if e.Sent && e.Parts == 0 && !comes {", New: "if e.Parts == 0 && !comes {",
	},
	{
		Name: "lsu-entry-leaks", Bug: "the entry of a memory instruction is not given back", By: any, From: "gem5/gem5#408",
		File: "sm/lsu.go", Old: "u.D().Used[tag>>6] &^= 1 << (tag & 63)\n", New: "",
	},
	{
		Name: "lsu-vector-one", Bug: "a vector access is as wide as one of its registers", By: any, From: "gpgpu-sim/gpgpu-sim_distribution#80",
		File: "sm/lsu.go", Old: "return in.Type.Bytes() * max(int(in.Vec), 1)", New: "return in.Type.Bytes()",
	},
	{
		Name: "lsu-no-extension", Bug: "what is loaded is not extended to the width of its register", By: any, From: "AntonLydike/riscemu#7",
		File: "sm/lsu.go", Old: "isa.ExtendAll(in.Type, ", New: "isa.ExtendAll(u.l.Prog.Regs[in.Dst[i].Index].Type, ",
	},
	{
		Name: "local-one-sm", Bug: "threads of all SMs have their local memory in the same place", By: any, From: "gpgpu-sim/gpgpu-sim_distribution#28",
		File: "sm/lsu.go", Old: "uint64(l.index)*uint64(l.cfg.Warps()) + uint64(h.Row)", New: "uint64(h.Row)",
	},
	{
		Name: "fence-nothing", Bug: "a fence of the GPU does nothing", By: any, From: "pulp-platform/mempool#100",
		File: "sm/lsu.go", Old: "in.Op == isa.OpMembar && in.Mode == isa.ModeCTA {", New: "in.Op == isa.OpMembar {",
	},
	{
		Name: "acquire-unfenced", Bug: "what comes behind an acquire does not wait", By: any, Audit: "./sm TestOrder", From: "liangkangnan/tinyriscv#17",
		File: "sm/lsu.go", Old: "d.Fence = left == 0 && !fence && in.Flags&isa.FlagAcquire != 0", New: "d.Fence = false",
	},
	{
		Name: "copy-wait-one-less", Bug: "a wait for groups of copies leaves one more on its way", By: any, From: "ROCm/rocm-libraries#10653",
		File: "sm/copies.go", Old: "for _, left := range g.Closed[n:] {", New: "for _, left := range g.Closed[min(n+1, openGroups-1):] {",
	},
	{
		Name: "copy-wait-all", Bug: "a wait for all copies does not wait for those in no group yet", By: any, From: "llvm/llvm-project#207473",
		File: "sm/copies.go", Old: "} else if g.Open > 0 {\n\t\treturn false\n\t}", New: "}",
	},
	{
		Name: "copy-youngest-complete", Bug: "the copy that completes is counted in the youngest group", By: any, From: "gem5/gem5#2766", Audit: "./sm TestGroups",
		File: "sm/copies.go", Old: "n := &g.Closed[openGroups-1-i]", New: "n := &g.Closed[i]",
	},
	{
		Name: "fence-slot-freed", Bug: "a slot that waits for its fence goes on when another of its instructions completes", By: any,
		File: "sm/issue.go", Old: "if in.holds { //", New: "if in.Op != isa.OpCopy { //",
	},
	{
		Name: "scoreboard-others", Bug: "threads wait for registers of others of their row", By: any, Audit: "./units TestScoreboardProperties",
		File: "units/scoreboard.go", Old: "[row&(MaxRows-1)]&lanes != 0", New: "[row&(MaxRows-1)] != 0 && lanes != 0",
	},
	{
		Name: "writeback-whole-row", Bug: "a result of all active lanes is written over the inactive ones", By: any,
		File: "sm/writeback.go", Old: "case r.Exec == w.l.all:", New: "case r.Exec == w.l.all & 0, r.Exec == r.Mask:",
	},
	{
		Name: "writeback-predicate", Bug: "predicates of inactive lanes are lost", By: any,
		File: "sm/writeback.go", Old: "*p = *p&^r.Exec | from&r.Exec", New: "*p = from & r.Exec",
	},
	{
		Name: "issue-free-kept", Bug: "what was free of a warp stays so when an instruction of it issues", By: any,
		File: "sm/issue.go", Old: "of.again(0)\n\t\tf.Rows = of.Threads.Rows", New: "f.Rows = of.Threads.Rows",
	},
	{
		Name: "writeback-second-predicate", Bug: "lanes whose guard does not hold lose the second predicate", By: any,
		File: "sm/writeback.go", Old: "*p = *p&^r.Exec | from&r.Exec", New: "*p = *p&^[2]uint32{r.Exec, r.Mask}[i&1] | from&r.Exec",
	},
	{
		Name: "writeback-no-port", Bug: "a result that finds no port is dropped", By: any, From: "OpenXiangShan/XiangShan#4877",
		File: "sm/writeback.go", Old: "if used == ports {\n\t\t\t\t\tbreak", New: "if used == ports {\n\t\t\t\t\tin.Pop()\n\t\t\t\t\tbreak",
	},
	{
		Name: "writeback-not-cleared", Bug: "registers of new threads are what the last ones of the row have left", By: any, From: "chipsalliance/caliptra-rtl#250",
		File: "sm/writeback.go", Old: "*w.Regs.Edit(row*w.l.nregs + i) = isa.Row{}", New: "_ = row + i",
	},
	{
		Name: "queue-credit-lost", Bug: "a queue that is full when an entry is taken has a place less from then on", By: any, From: "xlsynth/bedrock-rtl#314",
		File: "rtl/queue.go", Old: "f.vis, f.rel = f.tail, f.head", New: "if f.tail-f.rel == f.cap && f.head != f.rel {\n\t\t\tf.cap--\n\t\t}\n\t\tf.vis, f.rel = f.tail, f.head",
	},
	{
		Name: "queue-early", Bug: "an entry of a queue with a latency arrives a cycle too soon", Audit: "./rtl TestQueueProperties",
		File: "rtl/queue.go", Old: "at := f.sim.stamp() + f.latency", New: "at := f.sim.stamp() + f.latency - 1",
	},
	{
		Name: "link-early", Bug: "an entry arrives at the clock edge before it is there", Audit: "./rtl TestLinkProperties",
		File: "rtl/link.go", Old: "l.latency + ceilDiv(cycle*l.from, l.to)", New: "l.latency + cycle*l.from/l.to",
	},
	{
		Name: "mem-one-written", Bug: "of the entries that a cycle writes the last one is kept", Audit: "./rtl TestMemProperties",
		File: "rtl/mem.go", Old: "append(r.list, uint32(i))", New: "append(r.list[:0], uint32(i))",
	},
	{
		Name: "alone-unheard", Bug: "what the only island sends that has something to do is not passed on", Audit: "./rtl TestRandomSystems",
		File: "rtl/system.go", Old: "if s.single && len(s.first.sim.touched) == 0 {", New: "if s.single {",
	},
	{
		Name: "fetch-late-read", Bug: "fetch reads behind its write whether there was something to decode, so that Issue is not told of it", By: any,
		File: "sm/fetch.go", Old: "if valid {\n\t\td.Changed.Add", New: "if q.Valid {\n\t\td.Changed.Add",
	},
	{
		Name: "copy-wait-beside", Bug: "beside a copy a path of its warp does not wait for copies", By: weave,
		File: "sm/issue.go", Old: "second = i.Beside.pick(i, s, slots)\n", New: `second = i.Beside.pick(i, s, slots)
			for t := range slots.Len() {
				if o := slots.At(t); i.l.insts[first.PC].Op == isa.OpCopy && o.Row == first.Row && o.Mask&first.Mask == 0 && i.fetched(t, o) && i.l.insts[o.PC].awaits && i.Beside.fits(first, o) {
					second = t
				}
			}
`,
	},
	{
		Name: "interweave-first-fit", Bug: "the first instruction that fits goes beside another, not the one with most lanes", By: weave,
		File: "sm/interweave.go", Old: "n > most && t != s", New: "n > most && best < 0 && t != s",
	},
	{
		Name: "interweave-one-lane", Bug: "an instruction of one lane does not go beside another", By: weave,
		File: "sm/interweave.go", Old: "best, most := -1, 0", New: "best, most := -1, 1",
	},
}
