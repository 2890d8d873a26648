
  always @* begin
    assert ((grant & ~request) == 0);
    assert ((grant & (grant - 1'b1)) == 0);
    assert ((grant == 0) == (request == 0));
  end
