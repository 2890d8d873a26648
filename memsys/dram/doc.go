// Package dram is the far end of the memory system. It models the channels of graphics DRAM behind
// the L2, their controllers and their contents.
//
//	Request --> queue --> one command a cycle --> bank 0..n-1 --> data bus --> Response
//	            (32)      RD WR ACT PRE           open row        8 B a cycle
//
// A [Channel] keeps the requests of its L2 slice in a queue. The scheduler is FR-FCFS (Rixner et
// al., ISCA 2000): requests to the open row of a bank go first, then the oldest. A command issues
// only when every timing of the data sheet allows it. The default timings are those of the GDDR3 of
// Fung and Aamodt (HPCA 2011, table 2). GPGPU-Sim 2.1.1b supplies the values that the paper omits.
//
// The [AddrMap] assigns each address to one channel, which holds its bytes. A [Store] gives the
// host access to all channels.
//
// The rest is optional: refresh, a cap on the age of requests, watermarks that collect writes, and a
// hash that spreads addresses over the channels. A [Sheet] has the banks and times of a kind of DRAM.
//
// Power-down, tFAW and groups of banks are not modelled.
package dram
