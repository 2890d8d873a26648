// Package dram is the far end of the memory system: the channels of graphics
// DRAM behind the L2, their controllers and the bytes that they hold.
//
//	Request --> queue --> one command a cycle --> bank 0..n-1 --> data bus --> Response
//	            (32)      RD WR ACT PRE           open row        8 B a cycle
//
// A [Channel] keeps the requests of its L2 slice in a queue, and FR-FCFS
// (Rixner et al., ISCA 2000) chooses among them: requests to the row that a bank
// holds open go first, then the oldest. A command is given only when every
// timing of the data sheet allows it; the defaults are the GDDR3 of Fung and
// Aamodt (HPCA 2011, table 2) with what GPGPU-Sim 2.1.1b configures where the
// paper is silent.
//
// The [AddrMap] gives each address to one channel, which holds its bytes. A
// [Store] is all of them together, for the host.
//
// Refresh, power-down and tFAW are not modelled.
package dram
