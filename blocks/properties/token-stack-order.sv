
  reg first = 1;
  always @(posedge clk) first <= 0;
  reg [7:0] place; // any place in the stack, which stays the same
  always @(posedge clk) if (first) place <= target[7:0];
  wire [31:0] after = {1'b0, pc_q + 31'd1};
  wire [`LANES-1:0] stays = mask_q & ~lanes;
  wire splits = branch && (mask_q & lanes) != 0 && stays != 0;
  wire pushes = ready && !exit && !sync && (branch ? splits : ssy);
  wire [63:0] pushed = branch ? {after, 32'd0} | stays : {1'b1, target, 32'd0} | mask_q;
  reg [63:0] token;  // the last one that was pushed at the place
  reg [63:0] memory; // the word at the place
  wire [7:0] offset = place - at_q;
  wire moved = moves_q && answer && place >= at_q && offset < `CHUNK;
  wire [255:0] stored = words >> {offset[1:0], 6'd0};
  wire [255:0] loaded = filled >> {offset[1:0], 6'd0};
  reg [7:0] before = 0; // depth in the cycle before
  always @(posedge clk) begin
    before <= reset ? 0 : depth;
    if (pushes && depth == place) token <= pushed;
    if (moved && store_q) memory <= stored[63:0];
  end
  wire fills = moves_q && !store_q, spills = moves_q && store_q;
  wire [`WINDOW_BITS-1:0] slot = place;
  wire [63:0] held = {window_stack_entries_sync[slot], window_stack_entries_pc[slot], 32'd0} | window_stack_entries_mask[slot];
  always @* begin
    if (first) assume (reset);
    // memory has room for 64 tokens, and returns what it has been given
    if (pushes) assume (depth < 64 + `WINDOW);
    if (moved && !store_q) assume (loaded[63:0] == memory);
    if (!first) begin
      // the token that is popped from the place is the one that was pushed there
      if (before == place + 1 && depth == place)
        assert (pc_q == token[62:32] && mask_q == (token[`LANES-1:0] & live));
      // why: it is on the chip, in memory or on its way
      assert (window_spilled <= depth && depth - window_spilled <= `WINDOW && window_spilled[1:0] == 0 && depth <= 64 + `WINDOW);
      if (!valid_q) assert (depth == 0 && !moves_q);
      if (fills) assert (at_q == window_spilled && depth == window_spilled + `CHUNK);
      if (spills) assert (at_q + `CHUNK == window_spilled);
      if (place < depth) begin
        assert (token[31:0] >> `LANES == 0);
        if (place >= window_spilled && !fills) assert (held == token);
        else if (spills && place >= at_q) assert (stored[63:0] == token);
        else assert (memory == token);
      end
    end
  end
