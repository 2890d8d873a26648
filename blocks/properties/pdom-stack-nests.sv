
  reg first = 1;
  always @(posedge clk) first <= 0;
  integer a, b;
  always @* begin
    if (first) assume (reset);
    if (!first && valid) begin
      assert (depth != 0);
      assert (depth <= `DEPTH - 1);
      for (a = 0; a < `DEPTH; a = a + 1) begin
        if (a + 1 < depth)
          assert ((mask & stack_entries_mask[a]) == 0 || (mask & ~stack_entries_mask[a]) == 0);
        for (b = a + 1; b < `DEPTH; b = b + 1)
          if (b + 1 < depth)
            assert ((stack_entries_mask[b] & stack_entries_mask[a]) == 0 || (stack_entries_mask[b] & ~stack_entries_mask[a]) == 0);
      end
    end
  end
