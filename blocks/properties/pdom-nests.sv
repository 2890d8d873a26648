
`include "threads.svh"
  localparam [47:0] nowhere = {32'hffffffff, 16'd0};
  // No instruction lies at the last PC, which stands for no reconvergence point.
  always @* begin
    assume (outcome_target_pc != 32'hffffffff && outcome_fall_pc != 32'hffffffff);
    assume (!fire_valid || slot_pc[fire_warp*32 +: 32] != 32'hfffffffe);
    assume (!outcome_valid || slot_pc[outcome_warp*32 +: 32] != 32'hfffffffe);
    for (v = 0; v < `WARPS; v = v + 1) assume (!resume[v] || slot_pc[v*32 +: 32] != 32'hfffffffe);
  end
  integer v, a, b;
  reg [`LANES-1:0] low, high, above, rest;
  reg [47:0] place, waits, rpc;
  always @* if (!first)
    for (v = 0; v < `WARPS; v = v + 1) begin
      if (v == w) assert (slot_valid[v] == (alive != 0));
      if (slot_valid[v]) begin
        assert (stack_depth[v] != 0 && stack_depth[v] < `DEPTH);
        above = 0; // threads of entries above
        for (b = `DEPTH - 1; b >= 0; b = b - 1)
          if (b < stack_depth[v]) begin
            if (b + 1 == stack_depth[v]) begin
              high = slot_mask[v*`LANES +: `LANES];
              place = {slot_pc[v*32 +: 32], slot_depth[v*16 +: 16]};
            end else begin
              high = stack_entries_mask[v*`DEPTH + b];
              place = {stack_entries_at_pc[v*`DEPTH + b], stack_entries_at_depth[v*`DEPTH + b]};
            end
            rpc = {stack_entries_rpc_pc[v*`DEPTH + b], stack_entries_rpc_depth[v*`DEPTH + b]};
            assert (b + 2 * ones(high) <= `DEPTH);
            assert (high != 0 && place != rpc);
            assert ((high & above) == 0 || (above & ~high) == 0);
            rest = high & ~above;
            if (rest != 0) assert (place[47:16] != 32'hffffffff);
            if (v == w && rest[l]) assert (place == at);
            above = above | high;
            rest = high;
            for (a = b - 1; a >= 0; a = a - 1) begin
              low = stack_entries_mask[v*`DEPTH + a];
              waits = {stack_entries_at_pc[v*`DEPTH + a], stack_entries_at_depth[v*`DEPTH + a]};
              if (rest & low) assert (waits == rpc);
              rest = rest & ~low;
            end
            if (rest) assert (rpc == nowhere);
          end
        if (v == w) assert (above == alive);
      end
    end
