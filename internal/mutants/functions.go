package mutants

// functions are bugs of calls, of barriers with a count, and of what threads of a warp learn of each other.
var functions = []Mutant{
	{
		Name: "call-depth-lost", Bug: "threads of a recursive function meet at its branch, whatever called them", By: []string{"pdom", "ptpc", "barrier"},
		File: "sm/divergence/jump.go", Old: "j.Target.Depth++", New: "j.Target.Depth += 0",
	},
	{
		Name: "call-indirect-all", Bug: "threads with other targets of an indirect call go on behind it", By: any,
		File: "sm/divergence/jump.go", Old: "j.Target.PC, j.Fall.PC = o.Target, o.PC", New: "j.Target.PC, j.Fall.PC = o.Target, o.PC+1",
	},
	{
		Name: "vote-exited", Bug: "an instruction of a warp waits for threads that have exited", By: pdom,
		File: "sm/crosslane.go", Old: "&^ *p.Exited.At(int(op.Row)) &^ op.Exec", New: "&^ op.Exec",
	},
	{
		Name: "bar-count-short", Bug: "a barrier with a count is one warp short", By: any,
		File: "sm/execute.go", Old: "o.Warps = uint8((value(1) + w - 1) / w)", New: "o.Warps = uint8((value(1) - 1) / w)",
	},
}

// corners are bugs that random kernels seldom come to.
var corners = []Mutant{
	{
		Name: "dwf-arrive-lost", Bug: "of a dynamic warp of which some lanes arrive at a barrier without waiting, these do not go on", By: dwf, Audit: "./testbench/verify TestArriveInParts",
		File: "sm/divergence/dwf.go", Old: "if in.Op == isa.OpBar && in.Mode == isa.ModeArrive {\n\t\ton = s.Mask", New: "if in.Op == isa.OpBar && in.Mode == isa.ModeArrive {\n\t\ton = not",
	},
	{
		Name: "dwf-arrive-forgotten", Bug: "lanes that arrive later take the place of those that have", By: dwf, Audit: "./testbench/verify TestArriveInParts",
		File: "sm/divergence/dwf.go", Old: "*here |= 1 << lane", New: "if here == &w.Passed {\n\t\t\t*here = 0\n\t\t}\n\t\t*here |= 1 << lane",
	},
	{
		Name: "warpsync-exited", Bug: "threads wait at a warpsync for those that have exited", By: conv, Audit: "./testbench/verify TestWarpSyncOfTheLiving",
		File: "sm/divergence/convbarrier.go", Old: "if here != e.Named&*p.Live.Edit(w) {", New: "if here != e.Named {",
	},
	{
		Name: "dwf-released-whole", Bug: "a warp of the pool that is released in part is freed", By: dwf, Audit: "./testbench/verify TestReleaseInParts",
		File: "sm/divergence/dwf.go", Old: "w.Occ &^= lanes\n\tif w.Occ == 0 {", New: "w.Occ &^= lanes\n\tif w.Occ|lanes != 0 {",
	},
	{
		Name: "dpe-covered-return", Bug: "threads of a covered path that leave a function apart are to meet as deep as the kernel is", By: dpe, Audit: "./testbench/verify TestReturnOfACoveredPath",
		File: "sm/divergence/dpe.go", Old: "x.At = j.Meet\n\t\t\ttop", New: "x.At = Point{PC: j.Meet.PC}\n\t\t\ttop",
	},
	{
		Name: "lsu-across-the-end", Bug: "the first byte of an access decides whether it is in an allocation", By: pdom, Audit: "./testbench/verify TestAcrossTheEnd",
		File: "sm/lsu.go", Old: "v[i].Start <= a && a+size <= v[i].End", New: "v[i].Start <= a && a < v[i].End",
	},
	{
		Name: "token-free-spill", Bug: "a spill costs what memory does", By: token, Audit: "./testbench/verify TestTokenMoves",
		File: "sm/divergence/token.go", Old: "p.move(w, s, p.sim.Now()+p.spill, t)", New: "p.move(w, s, p.sim.Now(), t)",
	},
	{
		Name: "token-free-fill", Bug: "a fill costs what memory does", By: token, Audit: "./testbench/verify TestTokenMoves",
		File: "sm/divergence/token.go", Old: "p.move(w, s, until+p.fill, Transfer{At: *spilled})\n\t\t\treturn", New: "p.move(w, s, until, Transfer{At: *spilled})\n\t\t\treturn",
	},
}
