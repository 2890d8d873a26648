
`include "threads.svh"
  integer v, i;
  reg [`LANES-1:0] all, taken_, not_taken;
  reg [47:0] from, to;
  reg cur_, top;
  always @* if (!first)
    for (v = 0; v < `WARPS; v = v + 1) begin
      if (v == w) assert (table__valid[v] == (alive != 0));
      if (!table__valid[v]) assert (!again[v]);
      else begin
        assert (stack_depth[v] != 0 && stack_depth[v] <= `LANES);
        all = stack_entries_side_0_mask[v*`LANES]; // of the running path of the pair below
        assert (all != 0 && (v != w || all == alive));
        for (i = 0; i < `LANES; i = i + 1)
          if (i < stack_depth[v]) begin
            top = i + 1 == stack_depth[v];
            taken_ = stack_entries_side_0_mask[v*`LANES + i];
            not_taken = stack_entries_side_1_mask[v*`LANES + i];
            from = {stack_entries_side_0_at_pc[v*`LANES + i], stack_entries_side_0_at_depth[v*`LANES + i]};
            to = {stack_entries_side_1_at_pc[v*`LANES + i], stack_entries_side_1_at_depth[v*`LANES + i]};
            cur_ = stack_entries_cur[v*`LANES + i];
            assert ((taken_ | not_taken) == all && (taken_ & not_taken) == 0);
            assert (i == 0 ? not_taken == 0 && !cur_ : taken_ != 0 && not_taken != 0);
            assert (i + ones(all) <= `LANES + 1);
            all = cur_ ? not_taken : taken_;
            if (top) begin
              assert (again[v] == (i != 0 && from == to));
              assert (slot_mask[v*`LANES +: `LANES] == all);
              if (v == w) assert ({slot_pc[v*32 +: 32], slot_depth[v*16 +: 16]} == (cur_ ? to : from));
            end
            if (v == w && taken_[l] && (cur_ || top)) assert (from == at);
            if (v == w && not_taken[l] && (!cur_ || top)) assert (to == at);
          end
      end
    end
