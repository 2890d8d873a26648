package mutants

// memory are bugs of the memory system and its timing.
var memory = []Mutant{
	{
		Name: "shared-no-conflict", Bug: "lanes that want different words of a bank are served at once", Audit: "./memsys TestSharedProperties",
		File: "memsys/shared.go", Old: "} else if word[b] != w {", New: "} else if word[b] != w && k > 0 {",
	},
	{
		Name: "shared-no-broadcast", Bug: "a word that several lanes want is delivered to one of them after the other", By: any,
		File: "memsys/shared.go", Old: "} else if word[b] != w {", New: "} else {",
	},
	{
		Name: "shared-idle-pass", Bug: "an access to shared memory with conflicts takes a cycle more", By: any,
		File: "memsys/shared.go", Old: "d.Left, d.Busy = left&^done, left != done", New: "d.Left, d.Busy = left&^done, left != done || q.Busy && q.Left != 0",
	},
	{
		Name: "shared-half-word", Bug: "an atomic of the upper half of a word acts on the lower", By: any, From: "lowRISC/ibex#122",
		File: "memsys/shared.go", Old: "shift := a.Addr[i] % wordBytes * 8 // of", New: "shift := a.Addr[i] % wordBytes * 0 // of",
	},
	{
		Name: "shared-pitch", Bug: "the shared memory of a CTA begins where that of the one before ends, in the middle of a word", By: any,
		File: "sm/kernel.go", Old: "return align(k.sharedBytes(), 16) }", New: "return k.sharedBytes() }",
	},
	{
		Name: "shared-last-beyond", Bug: "as many CTAs run as would have room without the gaps between their shared memories", By: any,
		File: "sm/kernel.go", Old: "int(k.sharedBytes()), shared, int(k.sharedPitch())}", New: "int(k.sharedBytes()), shared, int(k.sharedBytes())}",
	},
	{
		Name: "shared-byte-enable", Bug: "a store of a byte to shared memory writes what is above it in its word as well", By: any, From: "SystemRDL/PeakRDL-regblock#38", Audit: "./memsys TestMemoryProperties",
		File: "memsys/shared.go", Old: "mask := uint32(1)<<(min(a.Size, wordBytes)*8) - 1", New: "mask := ^uint32(0)",
	},
	{
		Name: "shared-served-stale", Bug: "words that the last access has had count for the next one", By: any, From: "chipsalliance/caliptra-rtl#250",
		File: "memsys/shared.go", Old: "d.Served = [isa.MaxLanes]uint8{}\n", New: "",
	},
	{
		Name: "shared-row-stale", Bug: "a load is joined with what the one before has read", By: any, From: "chipsalliance/caliptra-rtl#250",
		File: "memsys/shared.go", Old: "if !q.Busy {\n\t\t*data = row{}\n\t}", New: "",
	},
	{
		Name: "coalescer-two-lines", Bug: "one address bit too few is compared: two lines become one request", By: any, Audit: "./memsys TestCoalescerProperties",
		File: "memsys/coalescer.go", Old: "if addr[i]&^within == line {", New: "if addr[i]&^(within|c.line) == line&^c.line {",
	},
	{
		Name: "coalescer-byte-more", Bug: "a store enables one byte too many", By: any, Audit: "./memsys TestCoalescerProperties",
		File: "memsys/coalescer.go", Old: "uint64(1)<<a.Size-1", New: "uint64(1)<<(a.Size+1)-1",
	},
	{
		Name: "coalescer-first-line", Bug: "the load is answered with its first line", By: any, Audit: "./memsys TestCoalescerProperties",
		File: "memsys/coalescer.go", Old: "if g.Left&^rsp.Lanes != 0 {", New: "if g.Left&^rsp.Lanes&1 != 0 {",
	},
	{
		Name: "atomic-second-operand", Bug: "compare and swap stores what it compares with", By: any,
		File: "memsys/coalescer.go", Old: "r.A, r.B = a.Data[first][0], a.Data[first][1]", New: "r.A, r.B = a.Data[first][0], a.Data[first][0]",
	},
	{
		Name: "coalescer-atomics-merged", Bug: "atomics of lanes in one line become one", By: any, From: "accel-sim/gpgpu-sim_distribution#33",
		File: "memsys/coalescer.go", Old: "case Atomic, Reduce:\n\t\treturn left & -left", New: "case Reduce:\n\t\treturn left & -left",
	},
	{
		Name: "coalescer-entry-leaks", Bug: "the entry of a load is not given back", By: any, From: "gem5/gem5#408",
		File: "memsys/coalescer.go", Old: "c.D().Used &^= 1 << entry\n", New: "",
	},
	{
		Name: "coalescer-no-room", Bug: "an answer is pushed though there is no room", By: any, From: "IObundle/iob-lib#328", Audit: "./memsys TestRepliesWait",
		Lives: "not found in 630 kernels: answers seldom are not taken",
		File:  "memsys/coalescer.go", Old: "!c.Req.Ready() || last && !waits && !room {", New: "!c.Req.Ready() {",
	},
	{
		Name: "cache-mru", Bug: "the line used last makes room", Audit: "./memsys TestCacheProperties|TestLRU",
		File: "memsys/cache.go", Old: "(best < 0 || s.Used < used)", New: "(best < 0 || s.Used > used)",
	},
	{
		Name: "cache-dirty-overwritten", Bug: "a line that becomes dirty makes its neighbours clean", By: any, From: "openhwgroup/cvw#1090", Audit: "./memsys TestMemoryProperties",
		File: "memsys/cache.go", Old: "*c.dirty.Edit(w / 64) |= 1 << (w % 64)", New: "*c.dirty.Edit(w / 64) = 1 << (w % 64)",
	},
	{
		Name: "cache-victim-waits", Bug: "a line on its way makes room for another", By: any, From: "OpenXiangShan/XiangShan#3315",
		File: "memsys/cache.go", Old: "!s.Waiting && (best", New: "(best",
	},
	{
		Name: "l1-stale-mshr", Bug: "a line is kept although a store went past it while it was on its way", By: any,
		File: "memsys/l1.go", Old: "q.Served == 0 && m.Keep && m.Gen == q.Gen", New: "q.Served == 0 && m.Way < 1<<31 && m.Gen == q.Gen",
		Audit: "./memsys TestStoreDuringMiss|TestMemoryProperties",
	},
	{
		Name: "l1-merge-lost", Bug: "a load that joins a miss is not counted", By: any,
		File: "memsys/l1.go", Old: "m.Count++\n\t\tl.Count.D().Merges++", New: "l.Count.D().Merges++",
	},
	{
		Name: "l1-dirty-dropped", Bug: "a dirty line makes room without being written back", By: any, Audit: "./memsys TestMemoryProperties",
		File: "memsys/l1.go", Old: "} else if l.cache.isDirty(w) {", New: "} else if l.cache.isDirty(w) && w&1 != 0 {",
	},
	{
		Name: "l1-given-up-dirty", Bug: "a line that an access past the cache removes does not write back what only the L1 has", By: any,
		File: "memsys/l1.go", Old: "} else if l.cache.isDirty(w) {\n\t\tif !l.Req.Ready() {\n\t\t\treturn WriteBackFull\n\t\t}\n\t\tl.writeBack(w)",
		New: "} else if l.cache.isDirty(w) {\n\t\tl.cache.clean(w)",
	},
	{
		Name: "l1-store-past", Bug: "a store past the cache leaves the line there as it was", By: any,
		File: "memsys/l1.go", Old: "if w >= 0 {\n\t\t\treturn l.giveUp(w)", New: "if w >= 0 && r.Kind != Store {\n\t\t\treturn l.giveUp(w)",
	},
	{
		Name: "l1-given-up-filled", Bug: "a line that was given up while it was on its way is put into the cache", By: any,
		File: "memsys/l1.go", Old: "l.mshrs.Edit(int(s.MSHR)).Keep = false", New: "_ = s",
	},
	{
		Name: "fence-early", Bug: "a fence is answered before the accesses ahead of it", By: any,
		File: "memsys/l1.go", Old: "q.Pending[q.Oldest] == 0 && room > 0", New: "room > 0",
	},
	{
		Name: "fence-dirty", Bug: "a fence leaves the last word of dirty lines in the L1", By: any,
		File: "memsys/l1.go", Old: "w < l.cache.dirty.Len() {", New: "w < l.cache.dirty.Len()-1 {",
	},
	{
		Name: "mshr-last-unanswered", Bug: "of the loads that wait for a line the last is not answered", By: any, From: "ChampSim/ChampSim#51",
		File: "memsys/l1.go", Old: "if q.Served+1 < m.Count {", New: "if q.Served+1 < max(m.Count, 2)-1 {",
	},
	{
		Name: "mshr-late-merge", Bug: "a line that has come is still waited for", By: any, From: "FlashGPU-Sim/FlashGPU-Sim#17",
		File: "memsys/l1.go", Old: "l.cache.data.Write(w, r.Data)\n\t\tl.cache.ways.Edit(w).Waiting = false", New: "l.cache.data.Write(w, r.Data)",
	},
	{
		Name: "l1-old-generation", Bug: "a line that was asked for before a fence is kept behind it", By: any, From: "openhwgroup/cvw#5",
		File: "memsys/l1.go", Old: "q.Served == 0 && m.Keep && m.Gen == q.Gen {", New: "q.Served == 0 && m.Keep {",
	},
	{
		Name: "l1-epoch", Bug: "a response is counted for the fence that is to come, not for its own", By: any, From: "bespoke-silicon-group/bsg_manycore#403",
		File: "memsys/l1.go", Old: "l.D().Pending[epoch%epochs]--", New: "l.D().Pending[l.Q().Epoch%epochs]--",
	},
	{
		Name: "l1-no-lru-hit", Bug: "a hit does not make a line the one used last", Audit: "./memsys TestCacheProperties|TestLRU", From: "antonblanchard/microwatt#411",
		File: "memsys/l1.go", Old: "l.touch(w)\n\t\tl.Count.D().LoadHits++", New: "l.Count.D().LoadHits++",
	},
	{
		Name: "l1-mshr-full", Bug: "a miss that finds no MSHR takes the last", By: any, From: "rsd-devel/rsd#59",
		File: "memsys/l1.go", Old: "if id < 0 {\n\t\t\treturn MSHRFull\n\t\t}\n\t\tv, dirty", New: "if id < 0 {\n\t\t\tid = l.mshrNum - 1\n\t\t}\n\t\tv, dirty",
	},
	{
		Name: "crossbar-unfair", Bug: "the input granted last goes first again", Audit: "./memsys TestFairness",
		File: "memsys/interconnect.go", Old: "set &^ (2<<last - 1)", New: "set &^ (1<<last - 1)",
	},
	{
		Name: "crossbar-first-input", Bug: "of the inputs that share a port the first goes first each time", Audit: "./memsys TestFairness", From: "arch-hdl-lang/arch-com#443",
		File: "memsys/interconnect.go", Old: "(int(q.Chosen[port]) + 1 + n) % inputs", New: "(int(q.Chosen[port])*0 + n) % inputs",
	},
	{
		Name: "crossbar-full", Bug: "a packet goes to an output that is full", By: any, From: "IObundle/iob-lib#328", Audit: "./memsys TestCrossbarProperties",
		File: "memsys/interconnect.go", Old: "c.Out[o].Ready() && q.Port", New: "q.Port",
	},
	{
		Name: "crossbar-credit", Bug: "a port is not free again after its packet", By: any, From: "gem5/gem5#408", Audit: "./memsys TestCrossbarProperties",
		File: "memsys/interconnect.go", Old: "d.Busy &^= 1 << t.From\n", New: "",
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
		Name: "l2-fill-overwrites", Bug: "a line from DRAM overwrites what was stored meanwhile", By: any, Audit: "./memsys TestMemoryProperties",
		File: "memsys/l2.go", Old: "Merge(&r.Data, s.all.AndNot(st.Have))", New: "Merge(&r.Data, s.all)",
	},
	{
		Name: "atomic-upper-half", Bug: "an atomic of 64 bits writes the lower half, and zeros above", By: any,
		File: "memsys/l2.go", Old: "putWord(data[r.Off:], &v, r.Size)", New: "putWord(data[r.Off:], &v, min(r.Size, 4))",
	},
	{
		Name: "atomic-new-value", Bug: "an atomic returns what it has written", By: any,
		File: "memsys/l2.go", Old: "putWord(p.Data[r.Off:], &v, r.Size)\n\t\t}\n\t\tv[0] = isa.GlobalAtomic(r.Atom, r.Type, v[0], r.A, r.B)",
		New: "v[0] = isa.GlobalAtomic(r.Atom, r.Type, v[0], r.A, r.B)\n\t\t\tputWord(p.Data[r.Off:], &v, r.Size)\n\t\t}",
	},
	{
		Name: "l2-store-overtakes", Bug: "a store does not wait for the loads of its line that came before", By: any, From: "gem5/gem5#621",
		File: "memsys/l2.go", Old: "case w >= 0 && s.cache.ways.At(w).Waiting:", New: "case w >= 0 && s.cache.ways.At(w).Waiting && r.Kind != Store:",
	},
	{
		Name: "l2-dropped-unwritten", Bug: "a dirty line that finds no room to the DRAM is dropped", By: any, From: "OpenXiangShan/XiangShan#4877",
		File: "memsys/l2.go", Old: "if s.writeBack(v) {\n\t\t\ts.cache.drop(v)\n\t\t}", New: "s.writeBack(v)\n\t\ts.cache.drop(v)",
	},
	{
		Name: "l2-flush-unacknowledged", Bug: "a flush is answered before the DRAM has what it wrote", By: any, From: "pulp-platform/mempool#100",
		File: "memsys/l2.go", Old: "if d.Writes != 0 || !s.Out.Ready() {", New: "if !s.Out.Ready() {",
	},
	{
		Name: "l2-partial-line", Bug: "a load takes a line of which some bytes have been stored for a whole one", By: any, From: "vortexgpgpu/vortex#404",
		File: "memsys/l2.go", Old: "case w >= 0 && s.cache.ways.At(w).Have.Covers(s.needs(r)):", New: "case w >= 0 && (r.Kind != Load || s.cache.ways.At(w).Have != ByteMask{}):",
	},
	{
		Name: "l2-reduce-bare", Bug: "an atomic without a result takes zeros for bytes that the line has not", By: any,
		File: "memsys/l2.go", Old: "case Atomic, Reduce:\n\t\treturn dram.Span", New: "case Atomic:\n\t\treturn dram.Span",
	},
	{
		Name: "l2-replay-mixed", Bug: "a new request goes between those that wait for a line that has come", By: any, From: "gem5/gem5#621",
		File: "memsys/l2.go", Old: "case q.Replay:\n\t\tm :=", New: "case q.Replay && !(s.In.Valid() && q.Next == 0 && s.In.Front().Kind == Store):\n\t\tm :=",
	},
	{
		Name: "dram-mask-ignored", Bug: "a burst writes the bytes that are masked, too", By: any,
		File: "memsys/dram/channel.go", Old: "if e.Mask[k/64]>>(k%64)&1 != 0 {", New: "if e.Mask[k/64] != 0 {",
	},
	{
		Name: "dram-tras", Bug: "tRAS short by one", By: any, Audit: "./memsys/dram TestChannelProperties",
		File: "memsys/dram/channel.go", Old: "bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS)", New: "bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS-1)",
	},
	{
		Name: "dram-trc", Bug: "tRC short by one", By: any, Audit: "./memsys/dram TestChannelProperties|TestSameBankActivates",
		File: "memsys/dram/channel.go", Old: "bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS)", New: "bk.NextAct, bk.NextPre = after(t.TRC-1), after(t.TRAS)",
	},
	{
		Name: "dram-trcd", Bug: "a column command one cycle before the row is open", By: any, Audit: "./memsys/dram TestChannelProperties|TestReadLatency",
		File: "memsys/dram/channel.go", Old: "bk.NextRead, bk.NextWrite = after(t.TRCD), after(t.tRCDWR())", New: "bk.NextRead, bk.NextWrite = after(t.TRCD-1), after(t.tRCDWR())",
	},
	{
		Name: "dram-twtr", Bug: "no turnaround from writing to reading", By: any, Audit: "./memsys/dram TestChannelProperties",
		File: "memsys/dram/channel.go", Old: "after(max(end+t.TWTR, t.TCCD))", New: "after(max(end, t.TCCD))",
	},
	{
		Name: "dram-trrd", Bug: "activates of two banks too close", By: any, Audit: "./memsys/dram TestChannelProperties",
		File: "memsys/dram/channel.go", Old: "d.NextAct = after(t.TRRD)", New: "d.NextAct = after(t.TRRD - 1)",
	},
	{
		Name: "dram-trp", Bug: "a bank is opened before it is closed", By: any, Audit: "./memsys/dram TestChannelProperties",
		File: "memsys/dram/channel.go", Old: "bk.NextAct = max(bk.NextAct, after(t.TRP))", New: "bk.NextAct = max(bk.NextAct, after(t.TRP-1))",
	},
	{
		Name: "dram-young-hit", Bug: "the youngest row hit goes first", By: any, Audit: "./memsys/dram TestChannelProperties",
		File: "memsys/dram/channel.go", Old: "(hit < 0 || e.Age < hitAge)", New: "(hit < 0 || e.Age > hitAge)",
	},
	{
		Name: "dram-hit-cap", Bug: "`<=` for `<` in the count of row hits that pass an older request", By: any, Audit: "./memsys/dram TestChannelProperties|TestHitCap",
		Lives: "not found in 700 kernels: as many hits seldom pass an older request",
		File:  "memsys/dram/channel.go", Old: "int(bk.Overtaken) < c.cfg.HitCap", New: "int(bk.Overtaken) <= c.cfg.HitCap",
	},
	{
		Name: "bus-overlap", Bug: "two bursts on the data bus at once", By: any, Audit: "./memsys/dram TestChannelProperties|TestPeakBandwidth",
		File: "memsys/dram/channel.go", Old: "d.NextWrite = max(d.NextWrite, after(t.tRTW()))", New: "d.NextWrite = max(d.NextWrite, after(t.tRTW()-2))",
	},
	{
		Name: "dram-tccd", Bug: "column commands of two requests too close", By: any, From: "jeanthom/gram#50",
		File: "memsys/dram/channel.go", Old: "d.NextRead = after(t.TCCD)", New: "d.NextRead = after(t.TCCD - 1)",
	},
	{
		Name: "dram-trtp", Bug: "a row is closed too early behind a read", By: any, From: "CMU-SAFARI/ramulator#57", Audit: "./memsys/dram TestChannelProperties",
		Lives: "not found in 1,164 kernels: t_ras keeps a row open longer",
		File:  "memsys/dram/channel.go", Old: "after(max(t.TRTP, t.Burst))", New: "after(t.Burst)",
	},
	{
		Name: "dram-twr", Bug: "a row is closed before what was written is in it", By: any, From: "CMU-SAFARI/ramulator2#21",
		File: "memsys/dram/channel.go", Old: "after(end+t.TWR)", New: "after(end)",
	},
	{
		Name: "dram-open-row", Bug: "a request is served from the row that is open", By: any, From: "CMU-SAFARI/ramulator2#66",
		File: "memsys/dram/channel.go", Old: "case bk.Row != e.Row:", New: "case bk.Row != e.Row && e.Write:",
	},
	{
		Name: "dram-queue-full", Bug: "a request is taken when the queue is full", By: any, From: "IObundle/iob-lib#328",
		File: "memsys/dram/channel.go", Old: "if i >= c.cfg.Queue {", New: "if i > c.cfg.Queue {",
	},
	{
		Name: "host-past-cell", Bug: "a write of the host goes on behind the end of a cell", Audit: "./memsys/dram TestStoreProperties",
		File: "memsys/dram/store.go", Old: "min(len(b), MaxLine-off, int(", New: "min(len(b), MaxLine, int(",
	},
	{
		Name: "line-upper-half", Bug: "bytes of the upper half of a line are taken by the mask of the lower", Audit: "./memsys/dram TestLineProperties",
		File: "memsys/dram/line.go", Old: "for i, w := range m {", New: "for i, w := range [2]uint64{m[0], m[0]} {",
	},
}
