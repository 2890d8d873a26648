// The sizes that VX_split_join of Vortex takes from its file of this name, as divergo has them.
`ifndef VX_DEFINE_VH
`define VX_DEFINE_VH
`include "VX_platform.vh"

`define NUM_WARPS      64 // WARPS
`define NW_WIDTH       6  // WARP
`define NUM_THREADS    32 // LANES
`define PC_BITS        48 // POINT: a call depth and a PC
`define DV_STACK_SIZE  31 // entries of a stack
`define DV_STACK_SIZEW 5  // bits of its pointer

`endif
