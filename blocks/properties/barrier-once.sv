
  // Any row r that waits, and any barrier n of any CTA c: r, n and c stay the same.
  reg first = 1;
  reg [`WARPS_BITS-1:0] r;
  reg [`CTAS_BITS-1:0] c;
  reg [3:0] n;
  reg waits_r = 0;
  reg [`CTAS_BITS+3:0] place; // the barrier at which the row waits
  // What barrier n has counted, and the rows of its CTA that have not ended.
  reg [`WARPS-1:0] alive = 0, here = 0;
  reg [6:0] expected = 0;
  function [6:0] ones(input [`WARPS-1:0] d);
    integer k;
    begin
      ones = 0;
      for (k = 0; k < `WARPS; k = k + 1) ones = ones + d[k];
    end
  endfunction
  wire [7:0] after = {8'd0, row} + {8'd0, need}; // behind the last row of a CTA that starts
  wire starts = start && after <= `WARPS && cta == c;
  wire arrives = !start && arrive && cta == c;
  wire ends = !start && !arrive && exit && cta == c;
  wire [`WARPS-1:0] one = {{`WARPS-1{1'b0}}, 1'b1};
  wire [`WARPS-1:0] left = ends ? alive & ~(one << row) : alive;
  wire [`WARPS-1:0] came = arrives && number == n ? here | one << row : here;
  wire [6:0] wanted = arrives && number == n ? need : expected;
  wire complete = (arrives && number == n || ends && here != 0 && wanted == 0) &&
    (wanted == 0 ? (left & ~came) == 0 : ones(came) >= wanted);
  wire comes = !start && arrive && waits && row == r; // the row begins to wait
  always @(posedge clk) begin
    first <= 0;
    if (first) begin
      r <= row;
      c <= cta;
      n <= number;
    end
    if (reset) begin
      waits_r <= 0;
      alive <= 0;
      here <= 0;
      expected <= 0;
    end else begin
      waits_r <= (waits_r || comes) && !rows[r];
      if (comes) place <= {cta, number};
      if (starts) alive <= ((one << need) - one) << row;
      else alive <= left;
      here <= starts || complete ? 0 : came;
      expected <= starts ? 0 : wanted;
    end
  end
  integer i;
  always @* begin
    if (first) assume (reset);
    // A CTA starts when the last one in its place has ended. Rows are live, and do nothing while they wait.
    if (start) assume (unit_live[cta] == 0);
    if (!start && (arrive || exit)) assume (unit_live[cta][row]);
    if (!start && (arrive || exit)) assume (!(waits_r && row == r));
    if (!first) begin
      // one release for each wait
      if (rows[r]) assert (waits_r || comes);
      // when its barrier is complete, and then always
      if (waits_r && place == {c, n}) assert (rows[r] == complete);
      if (comes && cta == c && number == n) assert (rows[r] == complete);
      // why: registers that agree
      assert (unit_live[c] == alive);
      assert (unit_named_arrived[{c, n}] == here);
      if (here != 0) assert (unit_named_need[{c, n}] == expected);
      if (waits_r) assert (unit_live[place[`CTAS_BITS+3:4]][r]);
      for (i = 0; i < 16 * `CTAS; i = i + 1) begin
        assert (unit_named_waiting[i][r] == (waits_r && place == i));
        assert ((unit_named_waiting[i] & ~unit_named_arrived[i]) == 0);
      end
    end
  end
