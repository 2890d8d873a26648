// Package isa is the machine's view of a PTX kernel: fixed-size instructions,
// programs, control-flow analysis and the lane datapath that executes one warp
// instruction on rows of 32 lanes.
//
// One PTX instruction is one machine instruction and the PC is its index, so
// that issue counts compare with any PTX-level simulator.
package isa
