// A module of divergo's authors with the ports of VX_split_join of Vortex, to try the unit without it. It
// has none of Vortex's code.
`include "VX_define.vh"
module VX_split_join
  import VX_gpu_pkg::*;
(
  input  logic                       clk,
  input  logic                       reset,
  input  logic                       valid, // split or sjoin, of warp wid
  input  logic [`NW_WIDTH-1:0]       wid,
  input  split_t                     split,
  input  join_t                      sjoin,
  output logic                       join_valid, // a cycle after sjoin
  output logic                       join_is_dvg,
  output logic                       join_is_else,
  output logic [`NW_WIDTH-1:0]       join_wid,
  output logic [`NUM_THREADS-1:0]    join_tmask,
  output logic [`PC_BITS-1:0]        join_pc,
  input  logic [`NW_WIDTH-1:0]       stack_wid,
  output logic [`DV_STACK_SIZEW-1:0] stack_ptr
);
  typedef struct packed {
    logic                    second; // the other side has been returned
    logic [`NUM_THREADS-1:0] both, other;
    logic [`PC_BITS-1:0]     pc;     // of the other side
  } entry_t;

  entry_t                                     stack [`NUM_WARPS][`DV_STACK_SIZE];
  logic [`NUM_WARPS-1:0][`DV_STACK_SIZEW-1:0] size;
  logic [`DV_STACK_SIZEW-1:0]                 top;
  entry_t                                     e;
  assign top       = size[wid] - 1;
  assign e         = stack[wid][top];
  assign stack_ptr = size[stack_wid];

  always_ff @(posedge clk) begin
    if (valid && split.valid && split.is_dvg) begin
      stack[wid][size[wid]] <= '{0, split.then_tmask | split.else_tmask, split.else_tmask, split.next_pc};
      size[wid] <= size[wid] + 1;
    end else if (valid && sjoin.valid && sjoin.stack_ptr != size[wid]) begin
      stack[wid][top].second <= 1;
      if (e.second) size[wid] <= top;
    end
    join_valid   <= valid && sjoin.valid && !reset;
    join_is_dvg  <= sjoin.stack_ptr != size[wid];
    join_is_else <= !e.second;
    join_wid     <= wid;
    join_tmask   <= e.second ? e.both : e.other;
    join_pc      <= e.second ? 0 : e.pc;
    if (reset) size <= 0;
  end
endmodule
