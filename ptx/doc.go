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
// inserted or reordered. There are two exceptions: where control could run past
// the closing brace of a kernel or function, that brace becomes an exit or return;
// and some need instructions that are marked as inserted, so that they do not
// count: recursion, to save registers, vprintf, to fill in a record, bar.red,
// whose result the threads read by b2r behind the barrier, and brx.idx, whose first
// comparison is the instruction and the rest of the tree inserted. The same goes for
// ld and st of 32 bytes, which are two of 16, mma.m8n8k4 with an f32 sum, which has two
// steps, wmma (wmma.go), and all that reads or writes a texture or a surface: loads and
// arithmetic (texture.go). An operand that is a register plus a constant has an
// addition inserted before.
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
//   - nanosleep and prefetch do nothing, nor does griddepcontrol, of which a note tells.
//   - elect.sync elects the lowest thread of its membermask.
//   - A number of 8 bits that is NaN becomes 0x7F.
//   - The fragments of wmma are those of mma.
//   - mma adds in the order of k, as isa says; cp.async with a src-size above cp-size
//     reads cp-size.
//   - .relu makes -0 +0, and what is NaN in 16 bits is 0x7FFF.
//   - shfl from a thread that does not take part gives what the machine says (sm.absent_lane).
//   - vote and shfl without .sync are accepted for every target.
//   - discard and applypriority do nothing, nor do other hints to caches.
//   - WARP_SZ is read from the machine, like a special register: it cannot be part of
//     a constant expression.
//   - The secondary operation of a video instruction works on the exact result of
//     the primary one, which without .sat may be beyond the destination's type.
//   - An index of brx.idx beyond its list takes the last label.
//   - .const variables lie together in memory: isspacep knows them by that.
//
// # Functions
//
// The functions that a kernel can reach follow it in its program (callgraph.go,
// call.go). A call is one instruction: it writes where to return to into a
// register that the function's return jumps through. Functions whose address is
// taken share that register. Of several returns of a function all but one become
// jumps to that one, so that the ways of a branch meet in the function.
//
// Variables of the .param space of functions and calls are in local memory, where
// caller and callee agree by their types, and st.param and ld.param access it.
// The memory and the registers of a function exist once for each thread. Those of
// a recursive function are in frames on a stack: the caller saves what it will
// still read (isa.SaveRegisters). Registers at module level belong to no function
// and are not saved. Functions called by address count as recursive
// together if one of them may lead to another.
//
// Parameters in registers are passed through memory too, by inserted
// instructions; the guard of a call becomes a branch around it. A .param variable
// is an argument of one call, and no other call stands between it and what
// accesses its arguments. __assertfail is a trap that says what failed; other
// functions of CUDA's run time are declared only and so refused, except for one.
//
// vprintf, which printf of CUDA C calls, becomes instructions that copy the address
// of the format and the arguments into the module's print buffer (vprintf.go). How
// many arguments there are has to be known: the format is a string of the module,
// whose address goes through one mov or cvta for each register, and has the
// initial value. The buffer has a fixed size. CUDA's overwrites the oldest records
// when it is full; here a call that finds no room prints nothing and returns -2.
//
// # What is not supported
//
// Textures of several samples, and those that are read with offsets or with a depth to
// compare, atomics on vectors, sparse matrices and those of FP8 and less, wgmma and tcgen05, conversions to less than 8 bits and with random rounding,
// clusters, bulk copies, mbarrier, registers of 128 bits, cache policies, min and max
// of three numbers, alloca, brkpt, and variable numbers of arguments. Each is
// a diagnostic that names the instruction; none is ignored. A kernel that does not
// use what is missing, or does not call a function that is defined in another file,
// can be lowered even if others in the same file do.
package ptx
