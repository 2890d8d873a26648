
  // Lane by lane. A lemma for each: what the votes are, from numbers of lanes.
  integer l;
  reg signed [7:0] votes;
  reg [7:0] takers, all_;
  always @* begin
    votes = 0;
    takers = 0;
    all_ = 0;
    for (l = 0; l < `LANES; l = l + 1) begin
      if (active[l]) votes = taken[l] ? votes + 8'sd1 : votes - 8'sd1;
      takers = takers + (taken[l] & active[l]);
      all_ = all_ + active[l];
      assert (votes == takers + takers - all_);
    end
    assert (direction == (votes > 0 || votes == 0 && previous));
  end
