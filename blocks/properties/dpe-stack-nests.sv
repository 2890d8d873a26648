
  // Threads that have not ended. The PC of any one, in a lane l that stays the same, and whether its path waits.
  reg first = 1;
  reg [`LANES-1:0] live = 0;
  reg [`LANES_BITS-1:0] l;
  reg [31:0] at;
  reg waits;
  wire [`LANES-1:0] fires = fire && issues[fire_path] ? mask[fire_path*`LANES +: `LANES] : 0;
  // The path of an outcome: it comes in order, so that it is that of a path below the top if one waits there.
  reg [1:0] behind; // paths of the entry below the top that wait for their outcome
  reg [2*`LANES-1:0] masks;
  reg [63:0] pcs;
  integer i;
  always @* begin
    behind = 0;
    masks = mask;
    pcs = pc;
    for (i = 0; i < `LANES; i = i + 1)
      if (i + 2 == depth) begin
        behind = {stack_entries_side_1_wait_[i] == 1, stack_entries_side_0_wait_[i] == 1};
        if (behind[0]) masks[0 +: `LANES] = stack_entries_side_0_mask[i];
        if (behind[1]) masks[`LANES +: `LANES] = stack_entries_side_1_mask[i];
        if (behind[0]) pcs[31:0] = stack_entries_side_0_at_pc[i];
        if (behind[1]) pcs[63:32] = stack_entries_side_1_at_pc[i];
      end
  end
  wire [`LANES-1:0] ends = masks[path*`LANES +: `LANES];
  wire waiting = behind[path] || (path ? path_1_wait_ : path_0_wait_) == 1;
  wire outcome = waiting && (branch || exit);
  always @(posedge clk) begin
    first <= 0;
    if (first) l <= lanes[`LANES_BITS-1:0];
    if (reset) live <= 0;
    else if (depth == 0) begin
      live <= start ? lanes : 0;
      at <= 0;
      waits <= 0;
    end else if (ready) begin
      if (fires[l]) begin
        if (control) waits <= 1;
        else at <= at + 1;
      end
      if (outcome && ends[l]) begin
        at <= branch && lanes[l] ? target : at + 1;
        waits <= 0;
      end
      if (outcome && !branch) live <= live & ~lanes;
    end
  end
  always @* begin
    if (first) assume (reset);
    assume (target != 32'hffffffff);
    assume (!fire || pc[fire_path*32 +: 32] != 32'hfffffffe);
    assume (!outcome || pcs[path*32 +: 32] != 32'hfffffffe);
    if (branch || exit) assume (waiting && (behind == 0 || behind[path]));
    if (exit && !branch) assume ((lanes & ~ends) == 0);
  end
  function [`LANES_BITS:0] ones(input [`LANES-1:0] d);
    integer k;
    begin
      ones = 0;
      for (k = 0; k < `LANES; k = k + 1) ones = ones + d[k];
    end
  endfunction
  integer a, b;
  reg [`LANES-1:0] high_0, high_1, low_0, low_1, above, rest;
  reg [31:0] pc_0, pc_1;
  reg [1:0] wait_0, wait_1;
  always @* if (!first) begin
    assert (depth <= `LANES);
    above = 0;
    for (b = `LANES - 1; b >= 0; b = b - 1)
      if (b < depth) begin
        high_0 = b + 1 == depth ? path_0_mask : stack_entries_side_0_mask[b];
        high_1 = b + 1 == depth ? path_1_mask : stack_entries_side_1_mask[b];
        pc_0 = b + 1 == depth ? path_0_at_pc : stack_entries_side_0_at_pc[b];
        pc_1 = b + 1 == depth ? path_1_at_pc : stack_entries_side_1_at_pc[b];
        wait_0 = b + 1 == depth ? path_0_wait_ : stack_entries_side_0_wait_[b];
        wait_1 = b + 1 == depth ? path_1_wait_ : stack_entries_side_1_wait_[b];
        // sizes
        assert (b + ones(high_0) <= `LANES && b + ones(high_1) <= `LANES);
        assert ((high_0 & high_1) == 0);
        assert (b + ones(high_0 | high_1) <= `LANES + 1);
        // waits
        assert (wait_0 <= 1 && wait_1 <= 1);
        if (wait_0 == 1) begin
          assert (high_0 != 0 && pc_0 != stack_entries_rpc_pc[b]);
          assert (b + 1 == depth || b + 2 == depth && wait_1 == 0);
        end
        if (wait_1 == 1) begin
          assert (high_1 != 0 && pc_1 != stack_entries_rpc_pc[b]);
          assert (b + 1 == depth || b + 2 == depth && wait_0 == 0);
        end
        // where
        rest = high_0 & ~above;
        if (rest != 0) assert (pc_0 != 32'hffffffff);
        if (rest[l]) assert (pc_0 == at && wait_0 == waits);
        rest = high_1 & ~above;
        if (rest != 0) assert (pc_1 != 32'hffffffff);
        if (rest[l]) assert (pc_1 == at && wait_1 == waits);
        above = above | high_0 | high_1;
        rest = high_0 | high_1;
        for (a = b - 1; a >= 0; a = a - 1) begin
          low_0 = stack_entries_side_0_mask[a];
          low_1 = stack_entries_side_1_mask[a];
          assert (((high_0 | high_1) & (low_0 | low_1)) == 0 || ((high_0 | high_1) & ~low_0) == 0 ||
                  ((high_0 | high_1) & ~low_1) == 0);
          if (rest & low_0) assert (stack_entries_side_0_at_pc[a] == stack_entries_rpc_pc[b]);
          if (rest & low_1) assert (stack_entries_side_1_at_pc[a] == stack_entries_rpc_pc[b]);
          if (b + 1 == depth && a + 2 == depth) begin // a pair may still go between
            if (stack_entries_side_0_wait_[a] == 1) begin
              assert ((low_0 & (high_0 | high_1)) == 0);
              assert (b + ones(high_0) + ones(low_0) <= `LANES + 1);
              assert (b + ones(high_1) + ones(low_0) <= `LANES + 1);
              assert (b + ones(high_0 | high_1) + ones(low_0) <= `LANES + 2);
            end
            if (stack_entries_side_1_wait_[a] == 1) begin
              assert ((low_1 & (high_0 | high_1)) == 0);
              assert (b + ones(high_0) + ones(low_1) <= `LANES + 1);
              assert (b + ones(high_1) + ones(low_1) <= `LANES + 1);
              assert (b + ones(high_0 | high_1) + ones(low_1) <= `LANES + 2);
            end
          end
          rest = rest & ~(low_0 | low_1);
        end
        if (rest) assert (stack_entries_rpc_pc[b] == 32'hffffffff);
      end
    assert (above == live);
  end
