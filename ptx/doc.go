// Package ptx reads PTX, the virtual instruction set of NVIDIA's compilers. It lowers a kernel to
// an isa.Program that the machine executes.
//
//	m, err := ptx.Parse("k.ptx", src)
//	p, err := m.Program("saxpy")
//
// # How it works
//
// The lexer (lexer.go) cuts the text into tokens, one at a time. The parser (parse.go, module.go,
// decl.go) reads them by recursive descent into a small syntax tree (ast.go). It also gives the
// module-level variables their addresses. Lowering (lower.go, operands.go) walks the tree of one
// kernel and resolves names in nested scopes (scope.go). For each instruction it finds the fitting
// row of the instruction table (families.go, match.go) and fills in an isa.Inst.
//
// The instruction table follows the PTX ISA manual: one row per section, with its types, modifiers
// and operands as sets. Section numbers in this package are those of version 7.6 of the manual.
//
// One PTX instruction becomes one machine instruction, without removal, insertion or reordering.
// There are two exceptions. First, if control could run past the closing brace of a kernel or
// function, the brace becomes an exit or return. Second, some constructs need additional
// instructions. Those are marked as inserted, so that they do not count:
//
//   - recursion: instructions that save registers;
//   - vprintf: instructions that fill in a record;
//   - bar.red: a b2r behind the barrier, by which the threads read the result;
//   - brx.idx: its first comparison is the instruction, the rest of the tree is inserted;
//   - ld and st of 32 bytes: two accesses of 16 bytes;
//   - mma.m8n8k4 with an f32 sum: two steps;
//   - wmma (wmma.go);
//   - texture and surface accesses: loads and arithmetic (texture.go);
//   - an operand that is a register plus a constant: an addition before the instruction.
//
// # What the manual leaves to the implementation
//
//   - mad.f32 without rounding is mad.rn.f32, fused, for every target, as on sm_20 and later. The
//     truncation of the product on sm_1x is not modelled.
//   - Code for sm_1x flushes subnormal numbers of .f32, as the manual says.
//   - Without .address_size, addresses have 64 bits if the kernel uses 64-bit addresses anywhere,
//     and 32 otherwise.
//   - A kernel has those module-level .shared and .local variables that it names.
//   - nanosleep and prefetch do nothing. Neither does griddepcontrol, which is reported by a note.
//   - elect.sync elects the lowest thread of its membermask.
//   - A number of 8 bits that is NaN becomes 0x7F.
//   - The fragments of wmma are those of mma.
//   - mma adds in the order of k, see package isa. cp.async with a src-size above cp-size reads
//     cp-size bytes.
//   - .relu turns -0 into +0; NaN of 16 bits is 0x7FFF.
//   - shfl from a thread that does not participate gives the value set by sm.absent_lane.
//   - vote and shfl without .sync are accepted for every target.
//   - discard and applypriority do nothing, nor do other hints to caches.
//   - WARP_SZ is read from the machine, like a special register: it cannot be part of a constant
//     expression.
//   - The secondary operation of a video instruction works on the exact result of the primary one.
//     Without .sat that may be beyond the destination's type.
//   - An index of brx.idx beyond its list selects the last label.
//   - .const variables lie together in memory: isspacep recognises them by that.
//
// # Functions
//
// The functions that a kernel can reach follow it in its program (callgraph.go, call.go). A call is
// one instruction. It writes its return PC into a register, through which the function's return
// jumps. Functions whose address is taken share that register. If a function has several returns,
// all but one become jumps to that one. The paths of a branch then meet in the function.
//
// Variables of the .param space of functions and calls are in local memory. Caller and callee agree
// on their places by their types; st.param and ld.param access them. The memory and the registers
// of a function exist once for each thread. Those of a recursive function are in frames on a stack,
// where the caller saves the values that it still reads (isa.SaveRegisters). Registers at module
// level belong to no function and are not saved. Functions called by address count as recursive
// together if one of them may lead to another.
//
// Parameters in registers are passed through memory too, by inserted instructions. The guard of a
// call becomes a branch around it. A .param variable is an argument of one call. No other call may
// stand between that call and the accesses to its arguments. __assertfail is a trap that reports
// the failed condition. Other functions of CUDA's run time are only declared and so refused, except
// vprintf.
//
// vprintf, which printf of CUDA C calls, becomes inserted instructions. They copy the address of
// the format and the arguments into the module's print buffer (vprintf.go). The number of arguments
// must be known. The format is therefore a string of the module with its initial value, whose
// address passes through one mov or cvta per register. The buffer has a fixed size. CUDA's
// overwrites the oldest records when it is full; here a call without room prints nothing and
// returns -2.
//
// # What is not supported
//
//   - textures of several samples, and texture reads with offsets or with a depth to compare
//   - atomics on vectors
//   - sparse matrices and those of FP8 and less, wgmma and tcgen05
//   - conversions to less than 8 bits and with random rounding
//   - clusters, bulk copies, mbarrier and cache policies
//   - registers of 128 bits
//   - min and max of three numbers
//   - alloca, brkpt, and variable numbers of arguments
//
// Each is reported by a diagnostic that names the instruction; none is ignored. A kernel that
// avoids these, and calls no function defined in another file, can be lowered even if others in the
// same file use them.
package ptx
