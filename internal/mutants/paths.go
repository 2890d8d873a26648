package mutants

// paths are bugs of mechanisms that choose among the paths of a warp: smallest PC, pairs, dual paths, splits.
var paths = []Mutant{
	{
		Name: "ptpc-greater-or-equal", Bug: "`>=` for `==` where lanes at the smallest PC are collected", By: ptpc,
		File: "sm/divergence/paths/ptpc.go", Old: "case at == s.At():", New: "case at.PC >= s.PC:",
	},
	{
		Name: "ptpc-barrier-for-one", Bug: "the warp arrives at the barrier with its first thread", By: ptpc,
		File: "sm/divergence/paths/ptpc.go", Old: "if t.AtBar == t.Live {", New: "if t.AtBar != 0 {",
	},
	{
		Name: "ptpc-exit-unguarded", Bug: "a guarded exit ends all active lanes", By: ptpc,
		File: "sm/divergence/paths/ptpc.go", Old: "t.Live &^= taken", New: "t.Live &^= s.Mask",
	},
	{
		Name: "ptpc-fall-through", Bug: "lanes that do not branch stay at the branch", By: ptpc,
		File: "sm/divergence/paths/ptpc.go", Old: "t.AtBar |= s.Mask", New: "t.AtBar |= s.Mask & -s.Mask",
	},
	{
		Name: "ptpc-released-in-part", Bug: "a released barrier moves on the lowest lane only", By: ptpc,
		File: "sm/divergence/paths/ptpc.go", Old: "t.AtBar = 0\n\tp.elect", New: "t.AtBar &= t.AtBar - 1\n\tp.elect",
	},
	{
		Name: "ptpc-exited-elected", Bug: "threads that have just exited take part in the choice of the next PC", By: ptpc, From: "gpgpu-sim/gpgpu-sim_distribution#234",
		File: "sm/divergence/paths/ptpc.go", Old: "for m := t.Live &^ t.AtBar; m != 0; m &= m - 1 {", New: "for m := (t.Live | s.Mask) &^ t.AtBar; m != 0; m &= m - 1 {",
	},
	{
		Name: "ptpc-barrier-twice", Bug: "released threads do not step over the barrier", By: ptpc, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/paths/ptpc.go", Old: "t.At[bits.TrailingZeros32(m)].PC++", New: "t.At[bits.TrailingZeros32(m)].PC += 0",
	},
	{
		Name: "ptpc-waiting-chosen", Bug: "threads that wait at a barrier are chosen once more", By: ptpc, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/paths/ptpc.go", Old: "for m := t.Live &^ t.AtBar; m != 0; m &= m - 1 {", New: "for m := t.Live; m != 0; m &= m - 1 {",
	},
	{
		Name: "ptpc-one-falls", Bug: "of the lanes that do not branch the lowest goes on", By: ptpc,
		File: "sm/divergence/paths/ptpc.go", Old: "t.set(not, j.Fall)", New: "t.set(not&-not, j.Fall)",
	},
	{
		Name: "ptpc-stale-smallest", Bug: "the smallest PC is looked for among those below that of the last instruction", By: ptpc, From: "arch-hdl-lang/arch-com#452",
		File: "sm/divergence/paths/ptpc.go", Old: "s.Wait = divergence.Runs\n\ts.Set(divergence.Nowhere)\n", New: "s.Wait = divergence.Runs\n",
	},
	{
		Name: "ptpc-write-enable", Bug: "the PC of the lowest active lane is not written", By: ptpc, From: "SystemRDL/PeakRDL-regblock#38",
		File: "sm/divergence/paths/ptpc.go", Old: "p.Threads.Edit(w).set(s.Mask, s.At())", New: "p.Threads.Edit(w).set(s.Mask&(s.Mask-1), s.At())",
	},
	{
		Name: "ptpc-ends-at-barrier", Bug: "a warp ends when all threads have that do not wait at a barrier", By: ptpc, From: "accel-sim/accel-sim-framework#503",
		File: "sm/divergence/paths/ptpc.go", Old: "if t.Live == 0 {", New: "if t.Live&^t.AtBar == 0 {",
	},
	{
		Name: "ppc-stale-parent", Bug: "the pair below does not get the PC at which the two paths have met", By: ppc,
		File: "sm/divergence/paths/ppc.go", Old: "d.At, d.Wait = x.At, x.Wait", New: "d.Wait = x.Wait",
	},
	{
		Name: "ppc-survivor", Bug: "when one path of a pair has exited, its own PC is kept instead of the other's", By: ppc,
		File: "sm/divergence/paths/ppc.go", Old: "p.drop(w, e.Side[e.Cur&1^1])", New: "p.drop(w, e.Side[e.Cur&1])",
	},
	{
		Name: "ppc-exit-one-side", Bug: "threads that exit stay in the not-taken masks", By: ppc,
		File: "sm/divergence/paths/ppc.go", Old: "e.Side[1].Mask &^= o.Taken", New: "e.Side[0].Mask &^= o.Taken",
	},
	{
		Name: "ppc-mask-compared", Bug: "a pair of which one path has ended still meets", By: ppc,
		File: "sm/divergence/paths/ppc.go", Old: "return t.Mask != 0 && n.Mask != 0 && t.At == n.At", New: "return t.At.PC+1 >= n.At.PC && t.At.PC <= n.At.PC+1",
	},
	{
		Name: "ppc-wrong-current", Bug: "the smaller PC is chosen, the other path's mask is run", By: ppc,
		File: "sm/divergence/paths/ppc.go", Old: "func (e *Pair) current() *divergence.Side { return &e.Side[e.Cur&1] }", New: "func (e *Pair) current() *divergence.Side { return &e.Side[e.Cur&1^1] }",
	},
	{
		Name: "ppc-half-released", Bug: "of two paths that wait at a barrier the one that arrived last goes on", By: ppc, From: "sarchlab/mgpusim#157", Audit: "./sm/divergence TestBarriers",
		File: "sm/divergence/paths/ppc.go", Old: "for k := range e.Side {\n\t\t\te.Side[k].Pass()\n\t\t}", New: "e.current().Pass()",
	},
	{
		Name: "ppc-barrier-early", Bug: "a warp arrives at a barrier although a path below the top has not come to it", By: ppc, Audit: "./testbench/verify TestPairBelowABarrier", From: "THU-DSP-LAB/ventus-gpgpu#47",
		Lives: "a warp that waits at one barrier at three places hangs under ppc, so that no random kernel has such a thing there",
		File:  "sm/divergence/paths/ppc.go", Old: "if !p.covered(w) {", New: "if !p.covered(w) || s.Wait == divergence.WaitsBarrier {",
	},
	{
		Name: "ppc-one-to-delete", Bug: "there is one register for the warp with another pair to delete", By: ppc, From: "vortexgpgpu/vortex#363",
		File: "sm/divergence/paths/ppc.go", Old: "*p.Again.D() |= 1 << (w & 63)", New: "*p.Again.D() = 1 << (w & 63)",
	},
	{
		Name: "ppc-waiting-runs", Bug: "a path that waits at a barrier is chosen", By: ppc, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/paths/ppc.go", Old: "return e.Side[side&1].Mask != 0 && e.Side[side&1].Wait == divergence.Runs", New: "return e.Side[side&1].Mask != 0",
	},
	{
		Name: "ppc-stale-compare", Bug: "behind a reconvergence instruction the PC before it is compared", By: explicit, From: "THU-DSP-LAB/ventus-gpgpu-isa-simulator#14",
		File: "sm/divergence/paths/ppc.go", Old: "p.Stack.Top(w).current().At = next\n\t\tp.compare(w, s)\n\t} else", New: "p.compare(w, s)\n\t} else",
	},
	{
		Name: "ppc-both-fall", Bug: "all threads of a branch are in the path that does not take it", By: ppc,
		File: "sm/divergence/paths/ppc.go", Old: "{{At: j.Target, Mask: taken}, {At: j.Fall, Mask: not}}", New: "{{At: j.Target, Mask: taken}, {At: j.Fall, Mask: s.Mask}}",
	},
	{
		Name: "dpe-runs-past-join", Bug: "the first path does not stop at the reconvergence PC", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "a.Valid = a.Mask != 0 && a.At() != rpc", New: "a.Valid = a.Mask != 0",
	},
	{
		Name: "dpe-sibling-lost", Bug: "a branch that reconverges where its entry does replaces the entry although the other path lives", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "if j.Meet == e.RPC && !p.Table.Edit(2*w+side^1).Valid {", New: "if j.Meet == e.RPC {",
	},
	{
		Name: "dpe-exit-one-side", Bug: "threads that exit stay in the second masks of the entries below", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "e.Side[1].Mask &^= lanes", New: "e.Side[0].Mask &^= lanes",
	},
	{
		Name: "dpe-stale-side", Bug: "the path that branches is saved with the PC of the branch", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "e.Side[side].At = j.Meet", New: "e.Side[0].At = j.Meet",
	},
	{
		Name: "dpe-one-loaded", Bug: "of the entry below, one path comes back", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "s.Set(x.At)\n\t\ts.Mask, s.Wait = x.Mask, x.Wait\n", New: "s.Set(x.At)\n\t\tif s.Wait = x.Wait; k == 0 || x.Wait != divergence.Runs || p.Stack.Len(w) > 2 {\n\t\t\ts.Mask = x.Mask\n\t\t}\n",
	},
	{
		Name: "dpe-covered-return", Bug: "threads of a covered path that leave a function apart are to meet as deep as the kernel is", By: dpe, Audit: "./testbench/verify TestReturnOfACoveredPath",
		File: "sm/divergence/stacks/dpe.go", Old: "x.At = j.Meet\n\t\t\ttop", New: "x.At = divergence.Point{PC: j.Meet.PC}\n\t\t\ttop",
	},
	{
		Name: "dpe-half-released", Bug: "of two paths that wait at a barrier the first goes on", By: dpe, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/stacks/dpe.go", Old: "for k := range 2 {\n\t\tp.Table.Edit(2*w + k).Pass()", New: "for k := range 1 {\n\t\tp.Table.Edit(2*w + k).Pass()",
	},
	{
		Name: "dpe-covered-waits-on", Bug: "a covered second path waits on at a barrier that has opened", By: dpe, From: "sarchlab/mgpusim#157", Audit: "./testbench/verify TestPathUnderABarrier",
		Lives: "a warp that waits at one barrier at three places may hang under dpe, so that no random kernel has such a thing there",
		File:  "sm/divergence/stacks/dpe.go", Old: "e.Side[0].Pass()\n\t\te.Side[1].Pass()", New: "e.Side[0].Pass()",
	},
	{
		Name: "dpe-arrives-alone", Bug: "a warp arrives at a barrier without a path that a branch of its sibling covers", By: dpe, Audit: "./testbench/verify TestPathUnderABarrier",
		Lives: "as dpe-covered-waits-on",
		File:  "sm/divergence/stacks/dpe.go", Old: " && !p.awaited(w) {", New: " {",
	},
	{
		Name: "dpe-empty-issues", Bug: "a second path without threads issues", By: dpe, From: "gpgpu-sim/gpgpu-sim_distribution#234",
		File: "sm/divergence/stacks/dpe.go", Old: "b.Valid = b.Mask != 0 && b.At() != rpc", New: "b.Valid = b.At() != rpc",
	},
	{
		Name: "dpe-covered-as-top", Bug: "the outcome of a covered path is taken for one of the top entry, if that is the second", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "if n := p.Stack.Len(w); n > 1 {", New: "if n := p.Stack.Len(w); n > 2 {",
	},
	{
		Name: "dpe-exit-second-slot", Bug: "threads that exit stay in the second path of the top entry", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "p.Table.Edit(2 * w).Mask &^= lanes\n\tp.Table.Edit(2*w + 1).Mask &^= lanes", New: "p.Table.Edit(2 * w).Mask &^= lanes",
	},
	{
		Name: "dpe-arrives-early", Bug: "a warp arrives at a barrier with the first of its paths", By: dpe, From: "THU-DSP-LAB/ventus-gpgpu#47",
		File: "sm/divergence/stacks/dpe.go", Old: "(!a.Valid || a.Wait == divergence.WaitsBarrier) && (!b.Valid || b.Wait == divergence.WaitsBarrier)", New: "a.Valid && a.Wait == divergence.WaitsBarrier || b.Valid && b.Wait == divergence.WaitsBarrier",
	},
	{
		Name: "dpe-covered-falls", Bug: "a covered path that branches as a whole goes on behind the branch", By: dpe,
		File: "sm/divergence/stacks/dpe.go", Old: "case not == 0:\n\t\t\tx.At = j.Target", New: "case not == 0:\n\t\t\tx.At = j.Fall",
	},
	{
		Name: "multipath-goes-on", Bug: "the first split that comes to a reconvergence point goes on without the others", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "if e.Pending &^= x.Mask; e.Pending != 0 {", New: "if e.Pending &^= x.Mask; e.Pending == e.Mask {",
	},
	{
		Name: "multipath-exit-pending", Bug: "an entry waits for threads that have exited", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "e.Pending &^= o.Taken", New: "e.Pending &^= 0",
	},
	{
		Name: "multipath-exit-passes", Bug: "the others of a split of which threads exit go past the point where their branch meets", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "	} else {\n\t\tp.moved(w, i)\n\t}\n\tfor k := range p.lanes {", New: "	}\n\tfor k := range p.lanes {",
	},
	{
		Name: "multipath-exit-last", Bug: "an entry whose last threads exit on their way is not rejoined", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "} else if k > 0 && e.Pending == 0 {", New: "} else if k > 0 && e.Pending == 0 && e.Mask == 0 {",
	},
	{
		Name: "multipath-last-parked", Bug: "of the splits without a slot the one that came last gets the next", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "for ; k < p.Pool.Len(w)-1; k++ { // those above go down by one\n", New: "for ; k < p.Pool.Len(w)-2; k++ { // those above go down by one\n",
	},
	{
		Name: "multipath-parent", Bug: "threads that have met go to the bottom and not to the entry around", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "x := Split{divergence.Side{At: e.At, Mask: e.Mask}, e.Parent}", New: "x := Split{divergence.Side{At: e.At, Mask: e.Mask}, 0}",
	},
	{
		Name: "multipath-half-branch", Bug: "the second side of a branch keeps the mask of both", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "Split{divergence.Side{At: j.Fall, Mask: not}, to}", New: "Split{divergence.Side{At: j.Fall, Mask: split.Mask}, to}",
	},
	{
		Name: "multipath-last-counts", Bug: "of the threads that come to a reconvergence point those count that come last", By: multipath, From: "llvm/llvm-project#118081",
		File: "sm/divergence/stacks/multipath.go", Old: "if e.Pending &^= x.Mask; e.Pending != 0 {", New: "if e.Pending = e.Mask &^ x.Mask; e.Pending != 0 {",
	},
	{
		Name: "multipath-one-released", Bug: "of the splits that wait at a barrier one goes on", By: multipath, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/stacks/multipath.go", Old: "all[k].Pass()", New: "all[0].Pass()",
	},
	{
		Name: "multipath-left-issues", Bug: "a split that has left its slot can still issue from it", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "s.Valid = false\n\tp.Changed(i)\n\treturn Split", New: "p.Changed(i)\n\treturn Split",
	},
	{
		Name: "multipath-entry-leaks", Bug: "an entry whose threads have all come is not given back", By: multipath, From: "gem5/gem5#408",
		File: "sm/divergence/stacks/multipath.go", Old: "e.Mask = 0\n\tp.D().Stats.Pops++", New: "p.D().Stats.Pops++",
	},
	{
		Name: "multipath-exit-rejoins", Bug: "threads that have exited come back where their branch meets", By: multipath,
		File: "sm/divergence/stacks/multipath.go", Old: "e.Mask &^= o.Taken\n\t\te.Pending &^= o.Taken", New: "e.Pending &^= o.Taken",
	},
	{
		Name: "multipath-waiting-seated", Bug: "a split that waits at a barrier gets the slot before one that can run", By: multipath, From: "THU-DSP-LAB/ventus-gpgpu#47",
		File: "sm/divergence/stacks/multipath.go", Old: "x := *p.Pool.Entry(w, k)\n\t\tif x.Wait != divergence.Runs {\n\t\t\tcontinue\n\t\t}", New: "x := *p.Pool.Entry(w, k)",
	},
	{
		Name: "multipath-last-slot-asked", Bug: "whether a split can run is asked of the last slot", By: multipath, From: "THU-DSP-LAB/ventus-gpgpu#47",
		File: "sm/divergence/stacks/multipath.go", Old: "runs = runs || s.Valid && s.Wait != divergence.WaitsBarrier", New: "runs = s.Valid && s.Wait != divergence.WaitsBarrier",
	},
	{
		Name: "multipath-no-place", Bug: "a split that finds no slot is dropped", By: multipath, From: "Sudhamshu091/32-Verilog-Mini-Projects#18",
		File: "sm/divergence/stacks/multipath.go", Old: "p.Own.D().Parked++\n\tp.Pool.Insert(w, 0, x)", New: "p.Own.D().Parked++",
	},
	{
		Name: "call-depth-lost", Bug: "threads of a recursive function meet at its branch, whatever called them", By: []string{"pdom", "ptpc", "barrier"},
		File: "sm/divergence/jump.go", Old: "j.Target.Depth++", New: "j.Target.Depth += 0",
	},
	{
		Name: "call-indirect-all", Bug: "threads with other targets of an indirect call go on behind it", By: any,
		File: "sm/divergence/jump.go", Old: "j.Target.PC, j.Fall.PC = o.Target, o.PC", New: "j.Target.PC, j.Fall.PC = o.Target, o.PC+1",
	},
}
