
  reg first = 1;
  always @(posedge clk) first <= 0;
  reg [`LANES_BITS-1:0] lane; // any lane, which stays the same
  always @(posedge clk) if (first) lane <= target[`LANES_BITS-1:0];
  wire [`LANES-1:0] stays = mask_q & ~lanes;
  wire splits = branch && (mask_q & lanes) != 0 && stays != 0;
  wire pushes = ready && !exit && !sync && (branch ? splits : ssy);
  wire fills = moves_q && !store_q, spills = moves_q && store_q;
  // tokens of the warp: does the lane wait in it, is it one of ssy
  reg [`TOKENS-1:0] memory_waits, memory_joins, waits, joins;
  wire [255:0] shifted = filled >> lane, kept = words >> lane;
  integer i, j;
  always @(posedge clk)
    for (i = 0; i < `TOKENS; i = i + 1)
      if (spills && answer && i >= at_q && i < at_q + `CHUNK) begin
        memory_waits[i] <= kept[64*(i % `CHUNK)];
        memory_joins[i] <= words[64*(i % `CHUNK) + 63];
      end
  reg held, region;
  always @* begin
    region = 0;
    held = mask_q[lane];
    for (i = 0; i < `TOKENS; i = i + 1) begin
      if (i >= window_spilled && !fills) begin
        waits[i] = window_stack_entries_mask[i % `WINDOW] >> lane;
        joins[i] = window_stack_entries_sync[i % `WINDOW];
      end else if (spills && i >= at_q) begin
        waits[i] = kept[64*(i % `CHUNK)];
        joins[i] = words[64*(i % `CHUNK) + 63];
      end else begin
        waits[i] = memory_waits[i];
        joins[i] = memory_joins[i];
      end
      if (i < depth && joins[i]) region = 1;
      if (i < depth && waits[i]) held = 1;
    end
    if (first) assume (reset);
    // a program has so many tokens at once, and a sync in a region of ssy or without a token
    if (pushes) assume (depth < `TOKENS);
    if (ready && sync && depth != 0) assume (region);
    // memory returns what it has been given
    if (fills && answer)
      for (i = 0; i < `TOKENS; i = i + 1)
        if (i >= at_q && i < at_q + `CHUNK)
          assume (shifted[64*(i % `CHUNK)] == memory_waits[i] && filled[64*(i % `CHUNK) + 63] == memory_joins[i]);
    if (!first) begin
      // no lane is lost: it runs or waits in a token until it exits
      if (valid_q && live[lane]) assert (held);
      if (!valid_q) assert (!live[lane]);
      // and none is doubled: a lane that runs or waits in a token is in those of ssy below, and in no other one
      if (valid_q && mask_q[lane]) assert (live[lane]);
      for (j = 0; j < `TOKENS; j = j + 1)
        if (j < depth) begin
          if (mask_q[lane]) assert (waits[j] == joins[j]);
          for (i = 0; i < j; i = i + 1)
            if (waits[j]) assert (waits[i] == joins[i]);
        end
      // why: registers that agree
      assert (window_spilled <= depth && depth - window_spilled <= `WINDOW && window_spilled % `CHUNK == 0 && depth <= `TOKENS);
      if (!valid_q) assert (depth == 0 && !moves_q);
      if (fills) assert (mask_q == 0 && at_q == window_spilled && depth == window_spilled + `CHUNK);
      if (spills) assert (at_q + `CHUNK == window_spilled);
    end
  end
