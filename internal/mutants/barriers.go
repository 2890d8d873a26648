package mutants

// barriers are bugs of convergence barriers, of the paths that take turns there, and of the barriers of a CTA.
var barriers = []Mutant{
	{
		Name: "bsync-forgets", Bug: "a second path that arrives replaces the first", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: "*p.Waiting.Edit(w) |= mask", New: "*p.Waiting.Edit(w) = mask",
	},
	{
		Name: "bsync-exit-unseen", Bug: "a barrier whose last missing thread exits is not released", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: "c.At})\n\t\t\tp.join(w, x)", New: "c.At})",
	},
	{
		Name: "bsync-exit-counted", Bug: "a thread that has exited is still waited for", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: "divergence.Convergence{Mask: c.Mask &^ lanes, At: c.At}", New: "divergence.Convergence{Mask: c.Mask &^ (lanes & *p.Waiting.Next(w)), At: c.At}",
	},
	{
		Name: "bssy-path-twice", Bug: "both entries of a branch get the same side", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: "*e = second", New: "*e = first",
	},
	{
		Name: "bsync-early", Bug: "released when any thread is there", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: "c.Mask != 0 && c.Mask&^*p.Waiting.Next(w) == 0 && c.Mask&^p.waitingAt(w, c.At) == 0", New: "c.Mask&*p.Waiting.Next(w) != 0",
	},
	{
		Name: "warpsync-exited", Bug: "threads wait at a warpsync for those that have exited", By: conv, Audit: "./testbench/verify TestWarpSyncOfTheLiving",
		File: "sm/divergence/barriers/convbarrier.go", Old: "if here != e.Named&*p.Live.Next(w) {", New: "if here != e.Named {",
	},
	{
		Name: "bsync-elsewhere", Bug: "threads that wait at another place count as arrived", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: " && c.Mask&^p.waitingAt(w, c.At) == 0 {", New: " {",
	},
	{
		Name: "bssy-adds", Bug: "a barrier keeps the threads of its last use", By: conv, From: "chipsalliance/caliptra-rtl#250",
		File: "sm/divergence/barriers/convbarrier.go", Old: "divergence.Convergence{Mask: s.Mask, At: divergence.Point{PC: in.Target, Depth: s.Depth}}", New: "divergence.Convergence{p.barrier(w, int(in.Conv)).Mask | s.Mask, divergence.Point{PC: in.Target, Depth: s.Depth}}",
	},
	{
		Name: "warpsync-other-team", Bug: "threads at a warpsync join those that wait there for others", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: "x.At == at && x.Named == o.Named {", New: "x.At == at {",
	},
	{
		Name: "warpsync-one-wakes", Bug: "of paths that have waited for each other one goes on", By: conv, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/barriers/convbarrier.go", Old: "if x := p.Stack.Entry(w, k); p.together(&first, x) {\n\t\t\t\tx.Wait = divergence.Runs", New: "if x := p.Stack.Entry(w, k); *x == first {\n\t\t\t\tx.Wait = divergence.Runs",
	},
	{
		Name: "conv-exit-first-barrier", Bug: "threads that exit leave the first convergence barrier", By: conv, From: "vortexgpgpu/vortex#400",
		File: "sm/divergence/barriers/convbarrier.go", Old: "for x := range isa.MaxBarriers {\n\t\tif c := p.barrier(w, x); c.Mask != 0 {\n\t\t\tp.name", New: "for x := range 1 {\n\t\tif c := p.barrier(w, x); c.Mask != 0 {\n\t\t\tp.name",
	},
	{
		Name: "conv-arrives-early", Bug: "a warp arrives at a CTA barrier with the first of its paths", By: conv, From: "THU-DSP-LAB/ventus-gpgpu#47",
		File: "sm/divergence/barriers/convbarrier.go", Old: "p.raise(w, divergence.Runs) || p.abandon(w) || p.raise(w, divergence.WaitsBarrier)", New: "p.raise(w, divergence.WaitsBarrier) || p.raise(w, divergence.Runs) || p.abandon(w)",
	},
	{
		Name: "conv-top-released", Bug: "of the paths that wait at a CTA barrier the uppermost goes on", By: conv, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/barriers/convbarrier.go", Old: "e.Wait == divergence.WaitsBarrier {\n\t\t\te.At.PC++", New: "e.Wait == divergence.WaitsBarrier && i == p.Stack.Len(w)-1 {\n\t\t\te.At.PC++",
	},
	{
		Name: "conv-raise-short", Bug: "when a path comes to the top, the one that was there is lost", By: conv,
		File: "sm/divergence/barriers/convbarrier.go", Old: "for ; i < n-1; i++ { // the paths above it go down by one", New: "for ; i < n-2; i++ { // the paths above it go down by one",
	},
	{
		Name: "bsync-one-place", Bug: "where threads will go on is written for the lowest of them", By: conv, From: "SystemRDL/PeakRDL-regblock#38",
		File: "sm/divergence/barriers/convbarrier.go", Old: "*p.Behind.Edit(w*p.lanes + bits.TrailingZeros32(m)) = at", New: "*p.Behind.Edit(w*p.lanes + bits.TrailingZeros32(mask)) = at",
	},
	{
		Name: "subwarp-out-of-region", Bug: "a path inside of a region makes way for one outside", By: subwarp,
		Lives: "not found in 1,109 kernels: a path outside of a region seldom is ready while one inside waits",
		File:  "sm/divergence/barriers/convbarrier.go", Old: "(a&m != 0) != (b&m != 0) {", New: "a&m == 0 && b&m != 0 {",
	},
	{
		Name: "subwarp-stale-place", Bug: "a path that makes room for another one goes on where it was when it became the top", By: subwarp,
		File: "sm/divergence/barriers/subwarp.go", Old: "p.Stack.Top(w).At = s.At()\n", New: "",
	},
	{
		Name: "subwarp-any-path", Bug: "a path outside of the convergence barriers of the one that waits takes its place", By: subwarp, Audit: "./sm/divergence/barriers TestSubwarp",
		Lives: "not found in 11,975 kernels",
		File:  "sm/divergence/barriers/subwarp.go", Old: "!p.siblings(w, e.Mask, p.Stack.Top(w).Mask) || ", New: "",
	},
	{
		Name: "subwarp-two-run", Bug: "the slot of the path that waits can still issue", By: subwarp,
		File: "sm/divergence/barriers/subwarp.go", Old: "s.Valid = false\n\t\tfor ;", New: "for ;",
	},
	{
		Name: "subwarp-lost-path", Bug: "the paths above the one that is chosen do not go down", By: subwarp,
		File: "sm/divergence/barriers/subwarp.go", Old: "*p.Stack.Entry(w, k) = *p.Stack.Entry(w, k+1)\n\t\t}\n\t\t*p.Stack.Top(w) = top", New: "_ = k\n\t\t}\n\t\t*p.Stack.Top(w) = top",
	},
	{
		Name: "subwarp-in-recursion", Bug: "paths take turns in recursive functions, whose barriers are in the frames", By: subwarp,
		File: "sm/divergence/barriers/subwarp.go", Old: " && !(p.Program().Recursive && s.Depth > 0) {", New: " {",
	},
	{
		Name: "subwarp-waiting-chosen", Bug: "a path that waits at a barrier takes the place of one that waits for memory", By: subwarp, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/barriers/subwarp.go", Old: "if e.Wait != divergence.Runs || !p.siblings", New: "if !p.siblings",
	},
	{
		Name: "subwarp-stalled-chosen", Bug: "a path that waits for memory itself is chosen", By: subwarp,
		Lives: "only time is lost: the path that is chosen waits in turn",
		File:  "sm/divergence/barriers/subwarp.go", Old: " || seat >= 0 && stalled.Has(seat) || ", New: " || ",
	},
	{
		Name: "subwarp-no-seat", Bug: "a path is chosen although no slot is free for it", By: subwarp, From: "IObundle/iob-lib#328",
		File: "sm/divergence/barriers/subwarp.go", Old: " || seat < 0 && free < 0 {", New: " {",
	},
	{
		Name: "subwarp-active-stale", Bug: "which slot runs is not noted", By: subwarp, From: "vortexgpgpu/vortex#400",
		File: "sm/divergence/barriers/subwarp.go", Old: "*p.Active.Edit(w) = uint8(i - w*p.PathsPerWarp())\n", New: "",
	},
	{
		Name: "subwarp-stale-pc", Bug: "a path in a new slot goes on at the PC that the slot had", By: subwarp, From: "lowRISC/ibex#2331",
		File: "sm/divergence/barriers/subwarp.go", Old: "s.Set(top.At)\n\tp.ChangedRow(w)", New: "p.ChangedRow(w)",
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
	{
		Name: "barrier-arrived-again", Bug: "warps that have arrived without waiting count for the next use of the barrier as well", By: any,
		File: "sm/divergence/barrier.go", Old: "e.Arrived, e.Waiting, e.Tally = 0, 0, Tally{}", New: "e.Arrived, e.Waiting, e.Tally = e.Arrived&^release, 0, Tally{}",
	},
	{
		Name: "barrier-first-cta", Bug: "all CTAs arrive at the barriers of the first", By: any, From: "vortexgpgpu/vortex#400",
		File: "sm/divergence/barrier.go", Old: "e := b.named.Edit(int(cta)*Barriers + int(id&(Barriers-1)))", New: "e := b.named.Edit(int(id & (Barriers - 1)))",
	},
	{
		Name: "bar-red-adds", Bug: "a barrier that reduces begins with the count of its last use", By: pdom, From: "purdue-aalp/gpgpu-sim_distribution_old#18",
		File: "sm/divergence/barrier.go", Old: "e.Arrived, e.Waiting, e.Tally = 0, 0, Tally{}", New: "e.Arrived, e.Waiting = 0, 0",
	},
	{
		Name: "bar-red-all-lanes", Bug: "a barrier that reduces counts lanes without threads", By: pdom, From: "purdue-aalp/gpgpu-sim_distribution_old#18",
		File: "sm/divergence/barrier.go", Old: "t.All += uint16(bits.OnesCount32(o.Taken))", New: "t.All += 32",
	},
}
