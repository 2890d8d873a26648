
  reg first = 1;
  reg [`LINES_BITS-1:0] line; // any line, which stays the same
  always @(posedge clk) if (first) line <= request[`LINES_BITS-1:0];
  reg [`LINES_BITS:0] waits = 0; // grants to others since the line has requested
  wire [`LINES_BITS-1:0] distance = line - from;
  always @(posedge clk) begin
    first <= 0;
    if (reset || !request[line] || grant[line]) waits <= 0;
    else if (grant != 0) waits <= waits + 1'b1;
  end
  always @* begin
    if (first) assume (reset);
    if (!first) begin
      assert (waits < `LINES);
      assert (waits == 0 || waits + distance < `LINES); // each grant to another brings the line nearer
    end
  end
