// Package verilog runs a user's Verilog divergence unit as a mechanism: in a whole SM, with its memory
// system, under every kernel and checker.
//
//	its ports        Version, Shape, Plain, Port, Inputs, Outputs, Entry, Kind
//	its files        Init, Build, Open
//	in an SM         Unit
//
// A unit is a folder with Verilog files that have a module named unit. Verilator makes a model of it,
// which is loaded into this program or runs as a child. Page docs/reference/rtl-interface.md is the
// port specification.
package verilog
