
  // Threads that have not ended, and the PC of any one, in a lane that stays the same.
  reg first = 1;
  reg [`LANES-1:0] live = 0;
  reg [`LANES_BITS-1:0] l;
  reg [31:0] at;
  always @(posedge clk) begin
    first <= 0;
    if (first) l <= lanes[`LANES_BITS-1:0];
    if (reset) live <= 0;
    else if (depth == 0) begin
      live <= start ? lanes : 0;
      at <= 0;
    end else if (ready) begin
      if (advance || branch) begin
        if (mask[l]) at <= !advance && lanes[l] ? target : at + 1;
      end else if (exit) live <= live & ~lanes;
    end
  end
  always @* begin
    if (first) assume (reset);
    assume (target != 32'hffffffff);
    assume (!ready || pc != 32'hfffffffe);
    if (ready && !advance && !branch && exit) assume ((lanes & ~mask) == 0);
  end
  function [`LANES_BITS:0] ones(input [`LANES-1:0] d);
    integer k;
    begin
      ones = 0;
      for (k = 0; k < `LANES; k = k + 1) ones = ones + d[k];
    end
  endfunction
  integer a, b;
  reg [`LANES-1:0] low, high, above, rest;
  always @* if (!first) begin
    assert (valid == (depth != 0));
    assert (depth < `DEPTH);
    above = 0; // lanes of entries above
    for (b = `DEPTH - 1; b >= 0; b = b - 1)
      if (b < depth) begin
        high = b + 1 == depth ? mask : stack_entries_mask[b];
        assert (b + 2 * ones(high) <= `DEPTH);
        assert ((high & above) == 0 || (above & ~high) == 0);
        rest = high & ~above;
        if (rest != 0) assert ((b + 1 == depth ? pc : stack_entries_at_pc[b]) != 32'hffffffff);
        if (rest[l]) assert ((b + 1 == depth ? pc : stack_entries_at_pc[b]) == at);
        above = above | high;
        rest = high;
        for (a = b - 1; a >= 0; a = a - 1) begin
          low = stack_entries_mask[a];
          if (rest & low) assert (stack_entries_at_pc[a] == stack_entries_rpc_pc[b]);
          rest = rest & ~low;
        end
        if (rest) assert (stack_entries_rpc_pc[b] == 32'hffffffff);
      end
    assert (above == live);
  end
