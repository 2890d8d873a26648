package mutants

// The mechanisms that a bug of a part shows in.
var (
	multipath = []string{"multipath"}
	subwarp   = []string{"subwarp"}
)

// rare shows in instructions and launches that few programs have.
var rare = []Mutant{
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
		Name: "atomic-second-operand", Bug: "compare and swap stores what it compares with", By: any,
		File: "memsys/coalescer.go", Old: "r.A, r.B = a.Data[first][0], a.Data[first][1]", New: "r.A, r.B = a.Data[first][0], a.Data[first][0]",
	},
	{
		Name: "local-first-piece", Bug: "each word of a vector in local memory gets the data of the first", By: any,
		File: "sm/lsu.go", Old: "a.Data[lane][piece>>1] >> (32 * (piece & 1)) & 0xffff_ffff", New: "a.Data[lane][0] & 0xffff_ffff",
	},
	{
		Name: "local-one-place", Bug: "the words of a vector in local memory are all at the place of the first", By: any,
		File: "sm/lsu.go", Old: "addr+uint64(piece)*4)", New: "addr)",
	},
	{
		Name: "store-sign", Bug: "a store of a byte stores what is above it as well", By: any,
		File: "sm/lsu.go", Old: "keep := ^uint64(0) >> (64 - size)", New: "keep := ^uint64(0) >> (64 - max(size, 16))",
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
		Name: "release-unfenced", Bug: "a release waits for nothing before it", By: any,
		File: "sm/lsu.go", Old: "fence = in.Flags&isa.FlagRelease != 0", New: "fence = false",
	},
	{
		Name: "ctaid-flat", Bug: "%ctaid.z is read as %ctaid.y", By: any,
		File: "sm/operands.go", Old: "l.ctaid(id)[r-isa.CtaidX]", New: "l.ctaid(id)[min(r-isa.CtaidX, 1)]",
	},
	{
		Name: "laneid-uniform", Bug: "the analysis takes %laneid to be the same for all threads", By: pdom,
		File: "isa/uniform.go", Old: "TidX, TidY, TidZ, LaneID, WarpID,", New: "TidX, TidY, TidZ, WarpID,",
	},
	{
		Name: "token-window-mask", Bug: "a token is found in its window by a mask, as if it were a power of two", By: token,
		File: "sm/divergence/token.go", Old: "return p.Stack.Entry(w, i%p.window)", New: "return p.Stack.Entry(w, i&(p.window-1))",
	},
}

// splits are of the mechanisms that interleave the paths of a warp.
var splits = []Mutant{
	{
		Name: "multipath-goes-on", Bug: "the first split that comes to a reconvergence point goes on without the others", By: multipath,
		File: "sm/divergence/multipath.go", Old: "if e.Pending &^= x.Mask; e.Pending != 0 {", New: "if e.Pending &^= x.Mask; e.Pending == e.Mask {",
	},
	{
		Name: "multipath-exit-pending", Bug: "an entry waits for threads that have exited", By: multipath,
		File: "sm/divergence/multipath.go", Old: "e.Pending &^= o.Taken", New: "e.Pending &^= 0",
	},
	{
		Name: "multipath-last-parked", Bug: "of the splits without a slot the one that came last gets the next", By: multipath,
		File: "sm/divergence/multipath.go", Old: "for ; k < p.Pool.Len(w)-1; k++ { // those above go down by one\n", New: "for ; k < p.Pool.Len(w)-2; k++ { // those above go down by one\n",
	},
	{
		Name: "multipath-parent", Bug: "threads that have met go to the bottom and not to the entry around", By: multipath,
		File: "sm/divergence/multipath.go", Old: "x := Split{Side{At: e.At, Mask: e.Mask}, e.Parent}", New: "x := Split{Side{At: e.At, Mask: e.Mask}, 0}",
	},
	{
		Name: "multipath-half-branch", Bug: "the second side of a branch keeps the mask of both", By: multipath,
		File: "sm/divergence/multipath.go", Old: "Split{Side{At: j.Fall, Mask: not}, to}", New: "Split{Side{At: j.Fall, Mask: split.Mask}, to}",
	},
	{
		Name: "subwarp-stale-place", Bug: "a path that makes room for another one goes on where it was when it became the top", By: subwarp,
		File: "sm/divergence/subwarp.go", Old: "p.Stack.Top(w).At = s.At()\n", New: "",
	},
	{
		Name: "subwarp-any-path", Bug: "a path outside of the convergence barriers of the one that waits takes its place", By: subwarp,
		File: "sm/divergence/subwarp.go", Old: "!p.siblings(w, e.Mask, p.Stack.Top(w).Mask) || ", New: "",
	},
	{
		Name: "subwarp-two-run", Bug: "the slot of the path that waits can still issue", By: subwarp,
		File: "sm/divergence/subwarp.go", Old: "s.Valid = false\n\t\tfor ;", New: "for ;",
	},
	{
		Name: "subwarp-lost-path", Bug: "the paths above the one that is chosen do not go down", By: subwarp,
		File: "sm/divergence/subwarp.go", Old: "*p.Stack.Entry(w, k) = *p.Stack.Entry(w, k+1)\n\t\t}\n\t\t*p.Stack.Top(w) = top", New: "_ = k\n\t\t}\n\t\t*p.Stack.Top(w) = top",
	},
}
