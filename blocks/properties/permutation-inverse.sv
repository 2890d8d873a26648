
  integer w, l;
  reg [`LANES_BITS-1:0] m, warp, lane;
  always @*
    for (w = 0; w < `LANES; w = w + 1)
      for (l = 0; l < `LANES; l = l + 1) begin
        warp = w;
        m = warp[0] ? ~(warp >> 1) : warp >> 1;
        lane = l;
        lane = lane ^ m;
        assert (lanes[lane*`LANES + w] == locations[l*`LANES + w]);
      end
