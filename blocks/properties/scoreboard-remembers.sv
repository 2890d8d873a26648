
  reg first = 1;
  // any register, row and lane, which stay the same
  reg [`WARPS_BITS-1:0] r;
  reg [`REGISTERS_BITS-1:0] g;
  reg [`LANES_BITS-1:0] l;
  always @(posedge clk) if (first) begin
    r <= query_row;
    g <= query_register;
    l <= query_lanes[`LANES_BITS-1:0];
  end
  wire [`LANES*`WARPS*`REGISTERS-1:0] cells = `CELLS;
  reg pending = 0;
  always @(posedge clk) begin
    first <= 0;
    if (reset) pending <= 0;
    else if (issue && query_row == r && query_register == g && query_lanes[l]) pending <= 1;
    else if (written_row == r && written_register == g && written_lanes[l]) pending <= 0;
  end
  always @* begin
    if (first) assume (reset);
    if (!first) begin
      assert (cells[(g*`WARPS + r)*`LANES + l] == pending);
      if (query_row == r && query_register == g && query_lanes == (1 << l)) assert (busy == pending);
    end
  end
