// A divergence unit of which Vortex keeps the stacks: module VX_split_join, with a VX_ipdom_stack for each
// warp (Tine et al., MICRO 2021). docs/howto/vortex.md says where to get its files.
//
// In Vortex, programs tell the stack what to do: "split" pushes both sides of a branch, and "join" returns
// the side to run next, first the other side and then both. divergo's kernels have no such instructions.
// This unit splits at each divergent branch, and keeps the reconvergence point of each split: a warp that
// arrives there joins, as does one whose threads have all exited. A join takes 2 cycles.
// divergo: meets in_step stack
`include "VX_define.vh"
module unit
  import divergo::*, VX_gpu_pkg::*;
(
  // clock
  input  logic clk,                                // clock; every effect is at its rising edge
  input  logic rst,                                // synchronous reset: no warp is valid
  // launch
  input  logic [LANES-1:0] launch_mask,            // threads of the new warp, which begin at PC 0 and depth 0
  input  logic launch_valid,                       // a warp starts
  input  logic [WARP-1:0] launch_warp,             // its number, which is free: it has never started, or has retired
  input  logic [CTA-1:0] launch_cta,               // its CTA
  input  logic [WARP-1:0] launch_first,            // the first warp of the CTA
  input  logic [WARP:0] launch_warps,              // warps of the CTA
  // fire
  input  logic [PC-1:0] fire_pc,                   // PC of the issued instruction
  input  logic fire_valid,                         // an instruction was issued in this cycle
  input  logic fire_control,                       // an outcome will follow: the warp must not move until then
  input  logic [WARP-1:0] fire_warp,               // warp of the issued instruction
  // outcome
  input  logic [POINT-1:0] outcome_target,         // BRANCH: where the lanes of outcome_taken continue
  input  logic [POINT-1:0] outcome_fall,           // BRANCH: where the other lanes of the warp continue
  input  logic [POINT-1:0] outcome_meet,           // BRANCH: the reconvergence point of both sides, or NOWHERE
  input  logic [LANES-1:0] outcome_taken,          // BRANCH: lanes that take it; EXIT: lanes that end; a subset of slot_mask
  input  logic outcome_valid,                      // a control instruction has ended its execution
  input  logic [KIND-1:0] outcome_kind,            // BRANCH, EXIT, BARRIER or NEXT
  input  logic [WARP-1:0] outcome_warp,            // warp of the outcome
  // barrier
  input  logic [WARPS-1:0] resume,                 // warps that a CTA barrier releases: each continues with its next instruction
  // slots
  output logic [WARPS-1:0] slot_valid,             // the warp can be fetched and issued
  output logic [WARPS-1:0][PC-1:0] slot_pc,        // PC of the warp
  output logic [WARPS-1:0][LANES-1:0] slot_mask,   // its active lanes; never 0 in a valid slot
  output logic [WARPS-1:0][DEPTH-1:0] slot_depth,  // its call depth
  // retire
  output logic retire_valid,                       // a warp has no threads left; for one cycle
  output logic [WARP-1:0] retire_warp,             // that warp
  // control
  output logic busy,                               // the unit needs the next clock edge too, without an event
  output logic [7:0] error,                        // not 0: the run ends with this number
  // debug
  input  logic [WARP-1:0] debug_warp,              // warp of the question
  input  logic [6:0] debug_index,                  // number of a group: 0 runs, or waits to run; the others are parked
  output logic [POINT-1:0] debug_at,               // where its threads continue
  output logic [POINT-1:0] debug_meet,             // where they wait for others, or NOWHERE
  output logic [LANES-1:0] debug_mask,             // its threads; those of groups with a smaller index do not count
  output logic debug_valid                         // there is such a group
);

  localparam int DEEP = `DV_STACK_SIZE; // splits of a warp: each leaves fewer running threads
  localparam int AT = `DV_STACK_SIZEW;
  if (WARPS != `NUM_WARPS || LANES != `NUM_THREADS || POINT != `PC_BITS) $error("VX_define.vh has other sizes than divergo");

  logic [WARPS-1:0][AT-1:0]    splits; // open splits of each warp
  point_t                      meet [WARPS][DEEP]; // reconvergence point of each open split
  logic [WARPS-1:0][LANES-1:0] live;   // threads that have not exited
  logic [WARPS-1:0]            waits;  // the warp needs a join
  logic [WARPS-1:0]            ended;  // all its threads have exited
  logic [WARP-1:0]             turn;   // the warp that joins first

  function automatic point_t here(input logic [WARP-1:0] w);
    return {slot_depth[w], slot_pc[w]};
  endfunction

  function automatic point_t after(input point_t p);
    return {p[POINT-1:PC], p[PC-1:0] + 32'd1};
  endfunction

  // rejoin is where warp w, which has n open splits, meets others next.
  function automatic point_t rejoin(input logic [WARP-1:0] w, input logic [AT-1:0] n);
    logic [AT-1:0] top;
    top = n - 1;
    return n == 0 ? NOWHERE : meet[w][top];
  endfunction

  // first is the first warp of a set from warp w on, which is not empty.
  function automatic logic [WARP-1:0] first(input logic [WARPS-1:0] set, input logic [WARP-1:0] w);
    for (int i = 0; i < WARPS; i++)
      if (!set[w]) w = w + 1;
    return w;
  endfunction

  // A divergent branch splits at once. Joins use the same port in the other cycles.
  logic [LANES-1:0] taken, other;
  logic             diverges, joins;
  logic [WARP-1:0]  joiner;
  split_t           split;
  join_t            sjoin;
  assign taken    = slot_mask[outcome_warp] & outcome_taken;
  assign other    = slot_mask[outcome_warp] & ~outcome_taken;
  assign diverges = outcome_valid && outcome_kind == BRANCH && taken != 0 && other != 0;
  assign joins    = waits != 0 && !diverges;
  assign joiner   = first(waits, turn);
  assign split    = '{valid: diverges, is_dvg: 1, then_tmask: taken, else_tmask: other, next_pc: outcome_fall};
  assign sjoin    = '{valid: joins, stack_ptr: splits[joiner] - 1}; // the pointer before the split

  logic             join_valid, join_is_dvg, join_is_else;
  logic [WARP-1:0]  join_wid;
  logic [LANES-1:0] join_tmask;
  point_t           join_pc;
  logic [AT-1:0]    stack_ptr;
  VX_split_join stacks (
    .clk, .reset(rst), .valid(diverges || joins), .wid(diverges ? outcome_warp : joiner), .split, .sjoin,
    .join_valid, .join_is_dvg, .join_is_else, .join_wid, .join_tmask, .join_pc, .stack_wid(joiner), .stack_ptr);

  // move takes the threads m of warp w to point p. It has n open splits, and meets others at point r.
  task automatic move(input logic [WARP-1:0] w, input point_t p, input logic [LANES-1:0] m,
                      input logic [AT-1:0] n, input point_t r);
    slot_valid[w] <= m != 0 && p != r;
    {slot_depth[w], slot_pc[w]} <= p;
    slot_mask[w] <= m;
    splits[w] <= n;
    waits[w] <= m != 0 ? p == r : n != 0;
    ended[w] <= m == 0 && n == 0;
  endtask

  // stay moves the threads m of warp w to point p, without a change of its splits.
  task automatic stay(input logic [WARP-1:0] w, input point_t p, input logic [LANES-1:0] m);
    move(w, p, m, splits[w], rejoin(w, splits[w]));
  endtask

  // joined continues with the threads that a join has returned, apart from those that have exited.
  task automatic joined(input logic [WARP-1:0] w);
    logic [AT-1:0] below;
    below = splits[w] - 1;
    if (join_is_else) stay(w, join_pc, join_tmask & live[w]);
    else move(w, meet[w][below], join_tmask & live[w], below, rejoin(w, below));
  endtask

  always_ff @(posedge clk) begin
    if (joins) begin
      waits[joiner] <= 0;
      turn <= joiner + 1;
    end
    if (join_valid) joined(join_wid);
    if (fire_valid && !fire_control)
      stay(fire_warp, after({slot_depth[fire_warp], fire_pc}), slot_mask[fire_warp]);
    if (diverges) begin // the taken side runs first
      meet[outcome_warp][splits[outcome_warp]] <= outcome_meet;
      move(outcome_warp, outcome_target, taken, splits[outcome_warp] + 1, outcome_meet);
    end else if (outcome_valid)
      case (outcome_kind)
        BRANCH: stay(outcome_warp, taken != 0 ? outcome_target : outcome_fall, slot_mask[outcome_warp]);
        EXIT: begin
          live[outcome_warp] <= live[outcome_warp] & ~outcome_taken;
          stay(outcome_warp, after(here(outcome_warp)), slot_mask[outcome_warp] & ~outcome_taken);
        end
        NEXT: stay(outcome_warp, after(here(outcome_warp)), slot_mask[outcome_warp]);
        default: ; // BARRIER: the warp waits for resume
      endcase
    for (int i = 0; i < WARPS; i++)
      if (resume[i]) stay(i[WARP-1:0], after(here(i[WARP-1:0])), slot_mask[i]);
    if (launch_valid) begin
      live[launch_warp] <= launch_mask;
      move(launch_warp, 0, launch_mask, 0, NOWHERE);
    end
    // Warps end by exits and by joins: one of them retires in a cycle.
    retire_valid <= ended != 0;
    retire_warp <= first(ended, 0);
    if (ended != 0) ended[first(ended, 0)] <= 0;
    if (rst) begin
      slot_valid <= 0;
      waits <= 0;
      ended <= 0;
      turn <= 0;
      retire_valid <= 0;
    end
  end

  assign busy  = waits != 0 || ended != 0 || join_valid;
  assign error = 0;

  // VX_split_join has no port to look into its stacks, so the debug port reads a copy of them. A join must
  // return what the copy has.
  point_t           fall  [WARPS][DEEP]; // where the other side continues
  logic [LANES-1:0] elses [WARPS][DEEP]; // the other side; 0 after it has been returned
  logic [LANES-1:0] both  [WARPS][DEEP];
  logic [AT-1:0]    now, top;
  assign now = splits[outcome_warp];
  assign top = splits[join_wid] - 1;

  always_ff @(posedge clk) begin
    if (diverges) begin
      fall[outcome_warp][now] <= outcome_fall;
      elses[outcome_warp][now] <= other;
      both[outcome_warp][now] <= slot_mask[outcome_warp];
    end
    if (join_valid && join_is_else) elses[join_wid][top] <= 0;
    if (!rst) begin
      assert (!joins || stack_ptr == splits[joiner]) else $error("stack of warp %0d: another depth", joiner);
      assert (!join_valid || join_is_dvg && join_is_else == (elses[join_wid][top] != 0) && (
                join_is_else ? join_tmask == elses[join_wid][top] && join_pc == fall[join_wid][top]
                             : join_tmask == both[join_wid][top]))
        else $error("stack of warp %0d: a join returns other threads than were split", join_wid);
    end
  end

  // The groups of a warp are the running threads, and for each split, from the last one, the other side and
  // both. A side that a join has returned is no group.
  always_comb begin
    logic [6:0] left; // groups before the one of the question
    logic [AT-1:0] n;
    left = debug_index;
    n = splits[debug_warp];
    debug_valid = left == 0;
    debug_at = here(debug_warp);
    debug_mask = slot_mask[debug_warp];
    debug_meet = rejoin(debug_warp, n);
    while (!debug_valid && n != 0) begin
      n = n - 1;
      if (elses[debug_warp][n] != 0) begin
        left = left - 1;
        debug_valid = left == 0;
        debug_at = fall[debug_warp][n];
        debug_mask = elses[debug_warp][n] & live[debug_warp];
        debug_meet = meet[debug_warp][n];
      end
      if (!debug_valid) begin
        left = left - 1;
        debug_valid = left == 0;
        debug_at = meet[debug_warp][n];
        debug_mask = both[debug_warp][n] & live[debug_warp];
        debug_meet = rejoin(debug_warp, n);
      end
    end
  end
endmodule
