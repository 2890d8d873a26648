
  wire [`LANES*`WARPS-1:0] held = `PENDING;
  reg [`LANES*`WARPS-1:0] was;
  reg [`LANES-1:0] left_mask;
  reg [`LANES*`WARPS_BITS-1:0] left_row;
  reg past = 0;
  always @(posedge clk) begin
    past <= !reset && !load;
    was <= held;
    left_mask <= mask;
    left_row <= row;
  end
  integer l;
  reg [`WARPS-1:0] before, now;
  always @* if (past)
    for (l = 0; l < `LANES; l = l + 1) begin
      before = was[l*`WARPS +: `WARPS];
      now = held[l*`WARPS +: `WARPS];
      assert (left_mask[l] == (before != 0));
      if (left_mask[l]) begin
        assert (before[left_row[l*`WARPS_BITS +: `WARPS_BITS]]);
        assert (now == (before & ~({{`WARPS-1{1'b0}}, 1'b1} << left_row[l*`WARPS_BITS +: `WARPS_BITS])));
      end else assert (now == 0);
    end
