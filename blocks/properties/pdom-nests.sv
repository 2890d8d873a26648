
  reg first = 1;
  reg [`LANES-1:0] alive [0:`WARPS-1]; // threads that have not ended
  wire ends = outcome_valid && outcome_kind == 1 && !(fire_valid && !fire_control && fire_warp == outcome_warp);
  always @(posedge clk) begin
    first <= 0;
    if (launch_valid && !table__valid[launch_warp]) alive[launch_warp] <= launch_mask;
    if (ends && table__valid[outcome_warp]) alive[outcome_warp] <= alive[outcome_warp] & ~outcome_taken;
  end
  integer w, a, b;
  reg [`LANES-1:0] all, low, high;
  always @* begin
    if (first) assume (reset);
    // PCs are those of a program
    assume (outcome_target_pc < 32'hffff_fff0);
    assume (outcome_fall_pc < 32'hffff_fff0);
    if (!first)
      for (w = 0; w < `WARPS; w = w + 1)
        if (table__valid[w]) begin
          assert (stack_depth[w] != 0);
          assert (stack_depth[w] <= `DEPTH - 1);
          all = table__mask[w];
          for (a = 0; a < `DEPTH; a = a + 1)
            if (a + 1 < stack_depth[w]) begin
              low = stack_entries_mask[w*`DEPTH + a];
              all = all | low;
              assert ((table__mask[w] & low) == 0 || (table__mask[w] & ~low) == 0);
              for (b = a + 1; b < `DEPTH; b = b + 1)
                if (b + 1 < stack_depth[w]) begin
                  high = stack_entries_mask[w*`DEPTH + b];
                  assert ((high & low) == 0 || (high & ~low) == 0);
                end
            end
          assert (all == alive[w]);
        end
  end
