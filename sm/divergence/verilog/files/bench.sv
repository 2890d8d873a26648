// A bench for other simulators: random threads run a small program on the unit, and each clock edge
// becomes a line of trace.csv. With Icarus Verilog, in the folder of the unit:
//
//   iverilog -g2012 -o bench.out divergo.sv unit.sv bench/bench.sv && vvp bench.out +seed=1
//   divergo rtl score trace.csv --mech pdom
//
// Change the program, or replace it with what drives your own design: the trace is all that counts.
module bench;
  import divergo::*;

  localparam int CTAS = 2;        // CTAs that run
  localparam int OF_CTA = 3;      // warps of each
  localparam int CYCLES = 2000; 
  localparam int LATE = 8;        // an outcome comes after 1 to LATE cycles
  localparam int DEEPEST = 3;     // calls of the recursive function

  logic clk = 0;
  logic rst = 1;
  logic [LANES-1:0] launch_mask = 0, outcome_taken = 0;
  logic launch_valid = 0, fire_valid = 0, fire_control = 0, outcome_valid = 0;
  logic [WARP-1:0] launch_warp = 0, launch_first = 0, fire_warp = 0, outcome_warp = 0;
  logic [CTA-1:0] launch_cta = 0;
  logic [WARP:0] launch_warps = OF_CTA;
  logic [PC-1:0] fire_pc = 0;
  point_t outcome_target = 0, outcome_fall = 0, outcome_meet = NOWHERE;
  logic [KIND-1:0] outcome_kind = 0;
  logic [WARPS-1:0] resume = 0;
  wire [WARPS-1:0] slot_valid;
  wire [WARPS-1:0][PC-1:0] slot_pc;
  wire [WARPS-1:0][LANES-1:0] slot_mask;
  wire [WARPS-1:0][DEPTH-1:0] slot_depth;
  wire retire_valid, busy, debug_valid;
  wire [WARP-1:0] retire_warp;
  wire [7:0] error;
  logic [WARP-1:0] debug_warp = 0;
  logic [6:0] debug_index = 0;
  wire [POINT-1:0] debug_at, debug_meet;
  wire [LANES-1:0] debug_mask;

  unit unit (.*);

  always #5 clk = !clk;

  // The program. Random lanes take a branch, and exit at 8 and 13.
  //
  //    0        a loop around all:         10 barrier            18        a recursive function:
  //    1 bra 7  meet 10: if                11 bra 0, of a warp   19 bra 22 meet 22: if
  //    3 bra 5  meet 5: if in if           13 exit, some         20 call 18
  //    6 bra 10, all                       14 bra 17 meet 17     22 return
  //    7 bra 9  meet 9: a loop in else     15 call 18
  //    8 exit, some                        17 exit, all
  //    9 bra 7  meet 10
  function automatic logic control(input logic [PC-1:0] pc);
    case (pc)
      1, 3, 6, 7, 8, 9, 10, 11, 13, 14, 15, 17, 19, 20, 22: return 1;
      default: return 0;
    endcase
  endfunction

  // What the bench knows of a warp.
  int unsigned wait_for [WARPS];     // cycles until its outcome; 0: none is due
  logic [WARPS-1:0] running = 0;     // started, and not without threads
  logic [WARPS-1:0] pending = 0;     // waits for its outcome
  logic [WARPS-1:0] blocked = 0;     // waits at the barrier
  int turns [WARPS];                 // how often the warp has gone back to 0
  logic [LANES-1:0] live [WARPS];
  int started = 0;

  // The warps of a warp's CTA.
  function automatic logic [WARPS-1:0] of_cta(input int w);
    return ((64'd1 << OF_CTA) - 1) << (w / OF_CTA * OF_CTA);
  endfunction

  // Whether all other warps of a CTA wait at the barrier, or have ended.
  function automatic logic all_others_wait(input int w);
    logic [WARPS-1:0] others;
    others = of_cta(w) & ~(64'd1 << w);
    return (others & running & ~blocked) == 0 && started >= (w / OF_CTA + 1) * OF_CTA;
  endfunction

  // resolve drives the outcome of a warp.
  task automatic resolve(input int w);
    logic [LANES-1:0] mask, some;
    logic [PC-1:0] pc, to, meet;
    logic [DEPTH-1:0] depth, target_depth;
    mask = slot_mask[w];
    pc = slot_pc[w];
    depth = slot_depth[w];
    target_depth = depth;
    some = {$urandom} & mask;
    to = pc + 1;
    meet = NOWHERE[PC-1:0];
    outcome_valid = 1;
    outcome_warp = w;
    outcome_kind = BRANCH;
    pending[w] = 0;
    case (pc)
      1:  begin to = 7; meet = 10; end
      3:  begin to = 5; meet = 5; end
      6:  begin to = 10; meet = 10; some = mask; end
      7:  begin to = 9; meet = 9; end
      9:  begin to = 7; meet = 10; end
      11: begin
        to = 0; meet = 12;
        some = (turns[w] < 3) ? mask : 0;
        turns[w]++;
      end
      14: begin to = 17; meet = 17; end
      15, 20: begin to = 18; target_depth = depth + 1; some = mask; end
      19: begin to = 22; meet = 22; if (depth == DEEPEST) some = mask; end
      22: begin to = (depth == 1) ? 16 : 21; target_depth = depth - 1; some = mask; end
      10: begin
        outcome_kind = BARRIER;
        blocked[w] = 1;
        if (all_others_wait(w)) begin
          outcome_kind = NEXT;
          blocked[w] = 0;
          resume = blocked & of_cta(w);
          blocked = blocked & ~of_cta(w);
        end
      end
      default: begin // exits
        outcome_kind = EXIT;
        some = (pc == 17) ? mask : some & {$urandom};
        live[w] = live[w] & ~some;
        if (live[w] == 0) begin
          running[w] = 0;
          if (all_others_wait(w)) begin
            resume = blocked & of_cta(w);
            blocked = blocked & ~of_cta(w);
          end
        end
      end
    endcase
    outcome_taken = some;
    outcome_target = {target_depth, to};
    outcome_fall = {depth, pc + 32'd1};
    if (pc == 22) outcome_fall = {depth, pc};
    outcome_meet = (meet == NOWHERE[PC-1:0]) ? NOWHERE : {depth, meet};
  endtask

  // drive chooses the events of the next edge.
  task automatic drive;
    int first, w;
    {launch_valid, fire_valid, outcome_valid} = 0;
    resume = 0;
    for (int i = 0; i < WARPS; i++) if (wait_for[i] > 1) wait_for[i]--;
    first = $urandom % WARPS;
    for (int i = 0; i < WARPS && !outcome_valid; i++) begin
      w = (first + i) % WARPS;
      if (pending[w] && wait_for[w] == 1) resolve(w);
    end
    for (int i = 0; i < WARPS && !fire_valid; i++) begin
      w = (first + 7 * i) % WARPS;
      if (slot_valid[w] && running[w] && !pending[w] && !blocked[w] && !resume[w] &&
          !(outcome_valid && outcome_warp == w)) begin
        fire_valid = $urandom % 4 != 0;
        fire_warp = w;
        fire_pc = slot_pc[w];
        fire_control = control(slot_pc[w]);
        if (fire_valid && fire_control) begin
          pending[w] = 1;
          wait_for[w] = 1 + $urandom % LATE;
        end
        i = WARPS;
      end
    end
    if (started < CTAS * OF_CTA && $urandom % 8 == 0) begin
      launch_valid = 1;
      launch_warp = started;
      launch_cta = started / OF_CTA;
      launch_first = started / OF_CTA * OF_CTA;
      launch_mask = $urandom | 1;
      running[started] = 1;
      live[started] = launch_mask;
      turns[started] = 0;
      started++;
    end
  endtask

  int trace, seed;
  int unsigned noise;
  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    noise = $urandom(seed);
    trace = $fopen("trace.csv", "w");
    $fdisplay(trace, "%s", {
      "rst,launch_mask,launch_valid,launch_warp,launch_cta,launch_first,launch_warps,fire_pc,fire_valid,fire_control,",
      "fire_warp,outcome_target,outcome_fall,outcome_meet,outcome_taken,outcome_valid,outcome_kind,outcome_warp,resume,",
      "slot_valid,slot_pc,slot_mask,slot_depth,retire_valid,retire_warp,error"});
    for (int i = 0; i < WARPS; i++) wait_for[i] = 0;
    repeat (2) @(negedge clk);
    rst = 0;
    for (int n = 0; n < CYCLES && !(started == CTAS * OF_CTA && running == 0); n++) begin
      drive();
      @(negedge clk);
    end
    {launch_valid, fire_valid, outcome_valid} = 0;
    resume = 0;
    repeat (3) @(negedge clk);
    $fclose(trace);
    $finish;
  end

  // The ports as they are sampled at each edge.
  always @(posedge clk)
    $fdisplay(trace, "%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h,%h",
      rst, launch_mask, launch_valid, launch_warp, launch_cta, launch_first, launch_warps, fire_pc, fire_valid,
      fire_control, fire_warp, outcome_target, outcome_fall, outcome_meet, outcome_taken, outcome_valid,
      outcome_kind, outcome_warp, resume, slot_valid, slot_pc, slot_mask, slot_depth, retire_valid, retire_warp,
      error);
endmodule
