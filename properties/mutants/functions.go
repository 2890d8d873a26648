package mutants

// functions are bugs of calls, of barriers with a count, and of what threads of a warp learn of each other.
var functions = []Mutant{
	{
		Name: "call-depth-lost", Bug: "threads of a recursive function meet at its branch, whatever called them", By: []string{"pdom", "ptpc", "barrier"},
		File: "sm/divergence/jump.go", Old: "j.target.Depth++", New: "j.target.Depth += 0",
	},
	{
		Name: "call-indirect-all", Bug: "threads with other targets of an indirect call go on behind it", By: any,
		File: "sm/divergence/jump.go", Old: "j.target.PC, j.fall.PC = o.Target, o.PC", New: "j.target.PC, j.fall.PC = o.Target, o.PC+1",
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
