package mutants

// What the machine and the golden model share: reading PTX and making a program
// of it. Only what others compute shows a bug there; the programs of hostcheck
// do.
const host = "./internal/hostcheck TestPrograms"

var shared = []Mutant{
	{
		Name: "read-selp-swapped", Bug: "selp gets its sources in the wrong order", Audit: host,
		File: "ptx/operands.go", Old: "case isa.OpLop3:\n\t\to.lookupTable()",
		New: "case isa.OpLop3:\n\t\to.lookupTable()\n\tcase isa.OpSelp:\n\t\to.out.Src[0], o.out.Src[1] = o.out.Src[1], o.out.Src[0]",
	},
	{
		Name: "read-shift-wraps", Bug: "the treatments of large shifts are mixed up", Audit: host,
		File: "ptx/modifiers.go", Old: `{"clamp", ignore}, {"wrap", flag(isa.FlagWrap)}`, New: `{"clamp", flag(isa.FlagWrap)}, {"wrap", ignore}`,
	},
	{
		Name: "read-ordered", Bug: "a comparison that NaN passes is read as one that it does not", Audit: host,
		File: "ptx/modifiers.go", Old: "{\"neu\", compare(isa.CmpNeu)}", New: "{\"neu\", compare(isa.CmpNe)}",
	},
	{
		Name: "read-initialiser-word", Bug: "of an initialiser of 8 bytes the lower 4 are there twice", Audit: host,
		File: "ptx/decl.go", Old: "in.v.init[at+i] = byte(value >> (8 * i))", New: "in.v.init[at+i] = byte(value >> (8 * (i & 3)))",
	},
	{
		Name: "read-indirect-recursion", Bug: "a function is recursive if it calls itself, and not if another one does that it calls", Audit: host,
		File: "ptx/callgraph.go", Old: "size[n] > 1 || loop[c.family] {", New: "loop[c.family] {",
	},
	{
		Name: "frame-predicates", Bug: "recursive functions keep registers and no predicates", Audit: host,
		File: "isa/frames.go", Old: "s.kept[call] = append(s.kept[call], value{Operand: o})",
		New: "if o.Kind != OperandPred {\n\t\t\t\ts.kept[call] = append(s.kept[call], value{Operand: o})\n\t\t\t}",
	},
	{
		Name: "frame-half", Bug: "of registers of 64 bits recursive functions keep the lower half", Audit: host,
		File: "isa/frames.go", Old: "s.Regs[o.Index].Type.Bits() == 64 {", New: "s.Regs[o.Index].Type.Bits() == 128 {",
	},
}
