// The types of the ports of VX_split_join.
`include "VX_define.vh"
package VX_gpu_pkg;
  typedef struct packed {
    logic                    valid;
    logic                    is_dvg;     // both masks have threads
    logic [`NUM_THREADS-1:0] then_tmask; // threads that run first
    logic [`NUM_THREADS-1:0] else_tmask; // the others
    logic [`PC_BITS-1:0]     next_pc;    // where the others continue
  } split_t;

  typedef struct packed {
    logic                       valid;
    logic [`DV_STACK_SIZEW-1:0] stack_ptr; // the stack pointer before the split
  } join_t;
endpackage
