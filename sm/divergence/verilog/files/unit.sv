  // A stack of up to DEEP entries for each warp. An entry has the point where its threads continue, the
  // point where they meet those of the entry below, and a mask. Point and mask of the top entry are in
  // the slot registers.
  localparam int DEEP = 2 * LANES;
  localparam int AT = $clog2(DEEP); // bits of the number of an entry

  point_t                       at   [WARPS][DEEP];
  point_t                       meet [WARPS][DEEP];
  logic [DEEP-1:0][LANES-1:0]   mask [WARPS];
  logic [WARPS-1:0][AT:0]       size; // entries of each warp

  function automatic point_t here(input logic [WARP-1:0] w);
    return {slot_depth[w], slot_pc[w]};
  endfunction

  function automatic point_t after(input point_t p);
    return {p[POINT-1:PC], p[PC-1:0] + 32'd1};
  endfunction

  // top is the number of the top one of n entries.
  function automatic logic [AT-1:0] top(input logic [AT:0] n);
    logic [AT:0] last;
    last = n - 1;
    return last[AT-1:0];
  endfunction

  // settle moves the threads m of warp w, which has n entries, to point p. It pops entries whose threads
  // have met the others, or have ended: those of gone.
  task automatic settle(input logic [WARP-1:0] w, input point_t p, input logic [LANES-1:0] m,
                        input logic [AT:0] n, input logic [LANES-1:0] gone);
    for (int i = 0; i < DEEP; i++)
      if (n != 0 && (m == 0 || p == meet[w][top(n)])) begin
        n = n - 1;
        if (n != 0) begin
          p = at[w][top(n)];
          m = mask[w][top(n)] & ~gone;
        end
      end
    slot_valid[w] <= n != 0;
    {slot_depth[w], slot_pc[w]} <= p;
    slot_mask[w] <= m;
    size[w] <= n;
    if (n == 0) begin
      retire_valid <= 1;
      retire_warp <= w;
    end
  endtask

  // push adds an entry to the n ones of warp w and makes it the top.
  task automatic push(input logic [WARP-1:0] w, input logic [AT:0] n, input point_t p, input point_t join_at,
                      input logic [LANES-1:0] m);
    at[w][n[AT-1:0]] <= p;
    meet[w][n[AT-1:0]] <= join_at;
    mask[w][n[AT-1:0]] <= m;
    {slot_depth[w], slot_pc[w]} <= p;
    slot_mask[w] <= m;
    size[w] <= n + 1;
  endtask

  // branch splits the top entry of warp w. The entry becomes the one that waits at the reconvergence
  // point, and each side that is not there already gets an entry above it. The taken side runs first.
  task automatic branch(input logic [WARP-1:0] w);
    logic [LANES-1:0] taken, other;
    logic [AT:0] n;
    taken = slot_mask[w] & outcome_taken;
    other = slot_mask[w] & ~outcome_taken;
    n = size[w];
    if (other == 0) settle(w, outcome_target, taken, n, 0);
    else if (taken == 0) settle(w, outcome_fall, other, n, 0);
    else if (outcome_target == meet[w][top(n)]) settle(w, outcome_fall, other, n, 0);
    else if (outcome_fall == meet[w][top(n)]) settle(w, outcome_target, taken, n, 0);
    else begin
      if (outcome_meet == meet[w][top(n)]) n = n - 1; // the entry below waits there
      else begin
        at[w][top(n)] <= outcome_meet;
        mask[w][top(n)] <= slot_mask[w];
        {slot_depth[w], slot_pc[w]} <= outcome_meet;
      end
      if (outcome_fall != outcome_meet) begin
        push(w, n, outcome_fall, outcome_meet, other);
        n = n + 1;
      end
      if (outcome_target != outcome_meet) push(w, n, outcome_target, outcome_meet, taken);
    end
  endtask

  always_ff @(posedge clk) begin
    retire_valid <= 0;
    if (fire_valid && !fire_control)
      settle(fire_warp, after({slot_depth[fire_warp], fire_pc}), slot_mask[fire_warp], size[fire_warp], 0);
    if (outcome_valid)
      case (outcome_kind)
        BRANCH: branch(outcome_warp);
        EXIT: begin
          mask[outcome_warp] <= mask[outcome_warp] & ~{DEEP{outcome_taken}};
          settle(outcome_warp, after(here(outcome_warp)), slot_mask[outcome_warp] & ~outcome_taken,
                 size[outcome_warp], outcome_taken);
        end
        NEXT: settle(outcome_warp, after(here(outcome_warp)), slot_mask[outcome_warp], size[outcome_warp], 0);
        default: ; // BARRIER: the warp waits for resume
      endcase
    for (int i = 0; i < WARPS; i++)
      if (resume[i]) settle(i[WARP-1:0], after(here(i[WARP-1:0])), slot_mask[i], size[i], 0);
    if (launch_valid) begin
      slot_valid[launch_warp] <= 1;
      push(launch_warp, 0, 0, NOWHERE, launch_mask);
    end
    if (rst) begin
      slot_valid <= 0;
      retire_valid <= 0;
    end
  end

  assign busy  = 0;
  assign error = 0;

  // The debug port: group 0 runs; the others wait below it, the next one first.
  logic [AT:0] entry;
  assign entry = size[debug_warp] - 1 - debug_index;
  assign debug_valid = debug_index < size[debug_warp];
  assign debug_at = debug_index == 0 ? here(debug_warp) : at[debug_warp][entry[AT-1:0]];
  assign debug_mask = debug_index == 0 ? slot_mask[debug_warp] : mask[debug_warp][entry[AT-1:0]];
  assign debug_meet = meet[debug_warp][entry[AT-1:0]];
endmodule
