// Package isa is the machine's view of a PTX kernel: fixed-size instructions,
// programs, control-flow analysis and the lane datapath that executes one warp
// instruction on rows of 32 lanes.
//
// One PTX instruction is one machine instruction and the PC is its index, so
// that issue counts compare with any PTX-level simulator.
//
// # Lane datapath
//
// Bind resolves the opcode, types and modifiers of each instruction once;
// Execute is then an indexed call. Results are exact and the same on every
// machine. Where the manual leaves a choice, this one is made:
//
//   - Every f32 operation that yields NaN gives 0x7FFFFFFF, and every f64 one
//     0x7FF8000000000000. Only abs.f64, neg.f64, copysign, and what merely moves
//     bits let a NaN through.
//   - Integer division by zero gives all ones, the remainder the dividend. The
//     smallest negative number divided by -1 is itself, with remainder 0.
//   - .ftz flushes a result that is subnormal after rounding.
//   - mad of floats is fma: one rounding, as from sm_20 on.
//   - A conversion to an integer type out of whose range the value lies gives
//     the nearest end of the range; NaN gives 0, or the sign bit alone if either
//     type has 64 bits (PTX ISA 9.0, cvt).
//   - div, rcp and sqrt of f32 without a modifier are approximate, as in PTX
//     before version 1.4.
//   - The approximate functions are good to about half a unit of the last place,
//     sin and cos to 2^-25 for all arguments.
package isa
