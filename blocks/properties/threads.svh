  // The threads of any warp w that have not ended, and the place of the one in any lane l. Both stay the same.
  reg first = 1;
  reg [`WARPS_BITS-1:0] w;
  reg [`LANES_BITS-1:0] l;
  reg [`LANES-1:0] alive = 0;
  reg [47:0] at;
  wire [`LANES-1:0] runs = slot_valid[w] ? slot_mask[w*`LANES +: `LANES] : 0; // the threads of its running path
  wire fires = fire_valid && !fire_control && fire_warp == w;
  wire ends = outcome_valid && outcome_warp == w;
  always @(posedge clk) begin
    first <= 0;
    if (first) begin
      w <= fire_warp;
      l <= outcome_taken[`LANES_BITS-1:0];
    end
    if (reset) alive <= 0;
    else if (alive == 0) begin
      alive <= launch_valid && launch_warp == w ? launch_mask : 0;
      at <= 0;
    end else begin
      if (ends && outcome_kind == 1) alive <= alive & ~(runs & outcome_taken);
      if (runs[l])
        if (fires || resume[w] || ends && outcome_kind[0]) at[47:16] <= at[47:16] + 1;
        else if (ends && outcome_kind == 0)
          at <= outcome_taken[l] ? {outcome_target_pc, outcome_target_depth} : {outcome_fall_pc, outcome_fall_depth};
    end
  end
  // The events of a cycle concern different warps with a valid slot, and only running threads end.
  always @* begin
    if (first) assume (reset);
    assume (!fire_valid || slot_valid[fire_warp]);
    assume (!outcome_valid || slot_valid[outcome_warp]);
    assume ((resume & ~slot_valid) == 0);
    assume (!(fire_valid && outcome_valid && fire_warp == outcome_warp));
    assume (!(fire_valid && resume[fire_warp]) && !(outcome_valid && resume[outcome_warp]));
    if (outcome_valid && outcome_kind == 1) assume ((outcome_taken & ~slot_mask[outcome_warp*`LANES +: `LANES]) == 0);
  end
  function [`LANES_BITS:0] ones(input [`LANES-1:0] d);
    integer k;
    begin
      ones = 0;
      for (k = 0; k < `LANES; k = k + 1) ones = ones + d[k];
    end
  endfunction
