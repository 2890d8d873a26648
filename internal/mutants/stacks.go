package mutants

// stacks are bugs of the stacks of a warp: reconvergence, likely convergence, tokens.
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
		Name: "pdom-outer-rpc", Bug: "a path ends at the reconvergence PC of the outermost branch, not at that of its own", By: pdom, From: "THU-DSP-LAB/ventus-gpgpu-isa-simulator#14",
		File: "sm/divergence/pathstack.go", Old: "case s.Mask == 0 || s.At() == e.RPC:", New: "case s.Mask == 0 || s.At() == k.Stack.Entry(w, min(1, k.Len(w)-1)).RPC:",
	},
	{
		Name: "pdom-empty-mask", Bug: "a path without threads runs on to its reconvergence PC", By: pdom, From: "daniel-schuermann/mesa#13",
		File: "sm/divergence/pathstack.go", Old: "case s.Mask == 0 || s.At() == e.RPC:", New: "case s.At() == e.RPC:",
	},
	{
		Name: "pdom-goes-along", Bug: "of a branch past the end of its entry, the lanes that are at their reconvergence point go along with the others", By: pdom, From: "llvm/llvm-project#118081",
		File: "sm/divergence/pathstack.go", Old: "case j.Fall == e.RPC:\n\t\ts.Set(j.Target)\n\t\ts.Mask = taken", New: "case j.Fall == e.RPC:\n\t\ts.Set(j.Target)",
	},
	{
		Name: "lcp-kept-inside", Bug: "a branch inside keeps the likely-convergence point of the one around it", By: lcp,
		Lives: "what is nested meets at its own point first in nearly every program",
		File:  "sm/divergence/pathstack.go", Old: "s.Set(rpc)\n\t\t\tlpc, lpos = Nowhere, 0", New: "s.Set(rpc)\n\t\t\tlpos = 0",
	},
	{
		Name: "pdom-exit-one", Bug: "of the threads that exit, the lowest leaves the warp", By: pdom,
		File: "sm/divergence/stacks/pdom.go", Old: "s.Mask &^= o.Taken\n\tp.next(w, s)", New: "s.Mask &^= o.Taken & -o.Taken\n\tp.next(w, s)",
	},
	{
		Name: "pdom-rpc-late", Bug: "the PC is compared with the reconvergence PC one instruction late", By: pdom,
		File: "sm/divergence/stacks/pdom.go", Old: "if at := s.At(); at == e.RPC || at == e.LPC {", New: "if at := s.At(); at.PC == e.RPC.PC+1 || at == e.LPC {",
	},
	{
		Name: "pdom-missed-wake", Bug: "fetch is not told that the warp went on elsewhere", By: pdom,
		File: "sm/divergence/stacks/pdom.go", Old: "p.Stack.Pop(w, s, &p.D().Stats)\n\t\tp.Changed(w)", New: "p.Stack.Pop(w, s, &p.D().Stats)",
	},
	{
		Name: "pdom-barrier-twice", Bug: "a released warp does not step over its barrier", By: pdom,
		File: "sm/divergence/stacks/pdom.go", Old: "s.Wait = divergence.Runs\n\tp.next(w, s)\n}", New: "s.Wait = divergence.Runs\n}",
	},
	{
		Name: "pdom-exit-ends-path", Bug: "where some threads exit, the others of the path go with them", By: pdom, From: "Zaneham/Booth#139",
		File: "sm/divergence/stacks/pdom.go", Old: "s.Mask &^= o.Taken\n\tp.next(w, s)", New: "s.Mask = 0\n\tp.next(w, s)",
	},
	{
		Name: "pdom-released-in-turn", Bug: "of the warps that a barrier releases the first goes on", By: any, From: "sarchlab/mgpusim#157",
		File: "sm/divergence/warps.go", Old: "for ; rows != 0; rows &= rows - 1 {\n\t\trow := bits.TrailingZeros64(rows)\n\t\tp.Meeting", New: "for ; rows != 0; rows = 0 {\n\t\trow := bits.TrailingZeros64(rows)\n\t\tp.Meeting",
	},
	{
		Name: "token-whole-mask", Bug: "the token of a branch holds all lanes, not those that wait", By: token,
		File: "sm/divergence/tokens/token.go", Old: "Token{Mask: not, PC: j.Fall.PC}", New: "Token{Mask: s.Mask, PC: j.Fall.PC}",
	},
	{
		Name: "token-revives", Bug: "a token brings back threads that have exited", By: token,
		File: "sm/divergence/tokens/token.go", Old: "t.Mask&*p.Live.Next(w)", New: "t.Mask",
	},
	{
		Name: "token-pc", Bug: "the lanes that wait resume at the branch", By: token,
		File: "sm/divergence/tokens/token.go", Old: "s.PC, s.Mask = t.PC,", New: "s.PC, s.Mask = t.PC+1,",
	},
	{
		Name: "token-sync-mask", Bug: "the token of SSY remembers nobody", By: token,
		File: "sm/divergence/tokens/token.go", Old: "Token{Mask: s.Mask, PC: in.Target, Sync: true}", New: "Token{Mask: s.Mask & (s.Mask - 1), PC: in.Target, Sync: true}",
	},
	{
		Name: "token-exit-ends-warp", Bug: "the warp ends with the first path that exits", By: token,
		File: "sm/divergence/tokens/token.go", Old: "*p.Live.Edit(w) &^= lanes", New: "*p.Live.Edit(w) &^= s.Mask",
	},
	{
		Name: "token-fill-early", Bug: "a fill is popped from before memory has answered", By: token,
		File: "sm/divergence/tokens/token.go", Old: "p.move(w, s, until+p.fill, divergence.Transfer{At: spilled})\n\t\t\treturn\n", New: "p.move(w, s, until+p.fill, divergence.Transfer{At: spilled})\n",
	},
	{
		Name: "token-spill-top", Bug: "the highest tokens on the chip go to memory, not the lowest", By: token,
		File: "sm/divergence/tokens/token.go", Old: "t.Data[i] = p.entry(w, int(spilled)+i).word()", New: "t.Data[i] = p.entry(w, int(*depth)-p.chunk+i).word()",
	},
	{
		Name: "token-free-spill", Bug: "a spill costs what memory does", By: token, Audit: "./testbench/verify TestTokenMoves",
		File: "sm/divergence/tokens/token.go", Old: "p.move(w, s, p.sim.Now()+p.spill, t)", New: "p.move(w, s, p.sim.Now(), t)",
	},
	{
		Name: "token-free-fill", Bug: "a fill costs what memory does", By: token, Audit: "./testbench/verify TestTokenMoves",
		File: "sm/divergence/tokens/token.go", Old: "p.move(w, s, until+p.fill, divergence.Transfer{At: spilled})\n\t\t\treturn", New: "p.move(w, s, until, divergence.Transfer{At: spilled})\n\t\t\treturn",
	},
	{
		Name: "token-window-mask", Bug: "a token is found in its window by a mask, as if it were a power of two", By: token,
		File: "sm/divergence/tokens/token.go", Old: "return p.Stack.Entry(w, i%p.window)", New: "return p.Stack.Entry(w, i&(p.window-1))",
	},
	{
		Name: "token-fill-uncounted", Bug: "tokens that have come from memory are counted there as before", By: token, From: "gem5/gem5#223",
		File: "sm/divergence/tokens/token.go", Old: "spilled -= uint8(p.chunk)\n", New: "",
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
