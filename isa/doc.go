// Package isa defines the machine form of a PTX kernel. It holds fixed-size instructions, programs
// and control-flow analysis. Its lane datapath executes one warp instruction on rows of 32 lanes.
//
// One PTX instruction is one machine instruction and the PC is its index. Issue counts therefore
// compare with those of any PTX-level simulator.
//
// # Lane datapath
//
// Bind resolves the opcode, types and modifiers of each instruction once; Execute is then an
// indexed call. Results are exact and the same on every machine. Where the manual leaves a choice,
// the datapath makes this one:
//
//   - Every f32 operation with a NaN result gives 0x7FFFFFFF, every f64 operation
//     0x7FF8000000000000. Only abs.f64, neg.f64, copysign and plain moves of bits pass a NaN
//     through.
//   - Integer division by zero gives all ones, and so does the remainder. The smallest negative
//     number divided by -1 is itself, with remainder 0.
//   - .ftz flushes a result that is subnormal after rounding. To nearest it also flushes the number just
//     below the smallest normal one that has as many digits as a normal one.
//   - mad of floats is fma: one rounding, as from sm_20 on.
//   - A conversion of an out-of-range value to an integer type gives the nearest end of the range.
//     NaN gives 0, or only the sign bit if either type has 64 bits (PTX ISA 9.0, cvt).
//   - div, rcp and sqrt of f32 without a modifier are approximate, as in PTX before version 1.4.
//   - The approximate functions are accurate to about half a unit in the last place. sin and cos have
//     the period of a GPU: 2 pi as f32 has it, so the error grows with the argument. ex2 and tanh of
//     f16 and bf16 round toward zero.
//
// An H200 makes the same choices, by the results of package internal/gpucheck, but passes the bits of an
// f64 NaN through.
package isa
