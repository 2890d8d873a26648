
  integer l;
  reg signed [7:0] votes;
  always @* begin
    votes = 0;
    for (l = 0; l < `LANES; l = l + 1)
      if (active[l]) votes = taken[l] ? votes + 8'sd1 : votes - 8'sd1;
    assert (direction == (votes > 0 || votes == 0 && previous));
  end
