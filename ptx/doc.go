// Package ptx reads PTX, the virtual instruction set of NVIDIA's compilers, and
// lowers a kernel to an isa.Program that the machine executes.
//
//	m, err := ptx.Parse("k.ptx", src)
//	p, err := m.Program("saxpy")
//
// # How it works
//
// The lexer (lexer.go) cuts the text into tokens, one at a time. The parser
// (parse.go, module.go, decl.go) reads them by recursive descent into a small
// syntax tree (ast.go) and gives the module-level variables their addresses.
// Lowering (lower.go, operands.go) walks the tree of one kernel: it resolves
// names in nested scopes (scope.go), finds the row of the instruction table
// that fits each instruction (families.go, match.go) and fills in an isa.Inst.
//
// The instruction table is written like the PTX ISA manual: a row for each
// section, with its types, modifiers and operands as sets. Section numbers in
// this package are those of version 7.6 of the manual.
//
// One PTX instruction becomes one machine instruction; nothing is removed,
// inserted or reordered. There is one exception: where control could run past
// the closing brace of a kernel, that brace becomes an exit.
//
// # What the manual leaves to the implementation
//
//   - mad.f32 without rounding is mad.rn.f32, fused, for every target, as on
//     sm_20 and later. The truncation of the product on sm_1x is not modelled.
//   - Code for sm_1x flushes subnormal numbers of .f32, as the manual says.
//   - Without .address_size, addresses have 64 bits if the kernel uses 64-bit
//     addresses anywhere, and 32 otherwise.
//   - A kernel has those module-level .shared and .local variables that it
//     names.
//   - brkpt is a trap, nanosleep and prefetch do nothing.
//
// # What is not supported
//
// Device functions and calls, warp-level instructions (shfl, vote, match,
// redux, activemask, bar.warp, bar.red), carry chains, textures and surfaces,
// half precision, vector registers, video and matrix instructions, clusters,
// asynchronous copies, and WARP_SZ, because the width of a warp belongs to the
// machine. Each is a diagnostic that names the instruction; none is ignored.
// A kernel that does not use what is missing can be lowered even if others in
// the same file do.
package ptx
