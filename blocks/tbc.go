package blocks

import (
	"math/bits"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var tbc = &Block{
	Name: "tbc", Source: "sm/divergence/compaction/tbc.go",
	Doc: "mechanism tbc: a stack for each CTA, whose warps are compacted at its branches",
	Notes: "A CTA uses the columns of its warps in all masks. Threads that have exited or are parked at a barrier\n" +
		"stay in the masks of the stack: a mask counts without them when it is read. Error 1: a warp of a CTA waits\n" +
		"at another branch than the others, or for them at its reconvergence point. In the model the CTA hangs.\n",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 2, 32, true, 4},
		{"warps", "warps and slots of an SM", 8, 4, 64, true, 4},
		{"entries", "entries of a stack", 64, 16, 64, true, 16},
	},
	promises: "in_step",
	compacts: true,
	derive: func(s Sizes) {
		s["calls"], s["slots"], s["compacts"] = 1, s["warps"], 1
		s["ctas"] = s["warps"] / 2
		s["ctas_bits"] = max(1, bits.Len(uint(s["ctas"]-1)))
		s["count_bits"] = s["warps_bits"] + 1
	},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[MechanismIn]) (rtl.Ticker, *rtl.Wire[MechanismOut]) {
			b := &TBC{
				In: in, lanes: s["lanes"], warps: s["warps"], ctas: s["ctas"], deep: s["entries"] / 2,
				full:  s["entries"] - 2 - s["warps_bits"] - s["lanes_bits"],
				Table: rtl.NewMem[divergence.Slot](s["warps"]), Home: rtl.NewMem[units.Rows](s["warps"]),
				Blocks: rtl.NewMem[ctaBlock](s["ctas"]), Count: rtl.NewMem[uint8](s["ctas"]),
				Owner: rtl.NewMem[uint8](s["warps"]), Masks: rtl.NewMem[units.BlockMask](s["entries"]),
				Stack: units.NewStack(s["ctas"], s["entries"], blockEntry{divergence.Nowhere, divergence.Nowhere}),
			}
			return b, &b.Out
		})
	},
}

// TBC is thread block compaction, between the ports of a Verilog unit: see compaction.TBC. A CTA has the
// slots with the numbers of its warps, and the same columns of all masks.
type TBC struct {
	rtl.State[struct {
		Retire bool   // the last threads of a row have ended
		Row    uint8  `bits:"warps_bits"`
		Gone   uint64 `bits:"warps"` // rows without threads, to be retired
		Wrong  bool   // warps of a CTA wait at different places

		Used    uint64          `bits:"warps"`             // rows of CTAs that run
		Starts  uint64          `bits:"ctas"`              // CTAs of which other warps have yet to start
		Turned  uint64          `bits:"ctas"`              // CTAs with a new top entry
		Held    uint64          `bits:"warps"`             // slots that wait until all threads of their CTA arrive
		Parked  uint64          `bits:"warps"`             // rows of CTAs of which all waiting threads are parked
		Live    units.BlockMask `len:"lanes" bits:"warps"` // bottom entries
		Arrived units.BlockMask `len:"lanes" bits:"warps"` // threads that wait until all of their CTA arrive
		Taken   units.BlockMask `len:"lanes" bits:"warps"` // target entries
		Not     units.BlockMask `len:"lanes" bits:"warps"`

		units.Compactor
		Busy   bool  // the compactor has threads
		Static bool  // of static warps
		CTA    uint8 `bits:"ctas_bits"`
		Slot   uint8 `bits:"warps_bits"` // of the next warp
		At     divergence.Point
		Made   bool  // a slot has a new warp
		Into   uint8 `bits:"warps_bits"` // that slot
	}]
	Table  *rtl.Mem[divergence.Slot]
	Home   *rtl.Mem[units.Rows]      `reset:"none" len:"lanes" bits:"warps_bits"` // by slot
	Blocks *rtl.Mem[ctaBlock]        `reset:"none"`                               // by CTA
	Count  *rtl.Mem[uint8]           `reset:"none" bits:"count_bits"`             // by CTA: warps on the way to the end of the block
	Owner  *rtl.Mem[uint8]           `reset:"none" bits:"ctas_bits"`              // by row
	Stack  units.Stack[blockEntry]   // by CTA
	Masks  *rtl.Mem[units.BlockMask] `reset:"none" len:"lanes" bits:"warps"` // by entry above the bottom
	In     *rtl.Wire[MechanismIn]
	Out    rtl.Wire[MechanismOut]

	lanes, warps, ctas, deep, full int
}

// ctaBlock is the block that a CTA executes.
type ctaBlock struct {
	Rows   uint64 `bits:"warps"`
	Static bool   // its threads stay in their warps
	ParkAt divergence.Point

	Open               bool             // a warp waits at a branch
	At                 divergence.Point // of that branch
	Target, Fall, Meet divergence.Point
}

// blockEntry is an entry of a stack, without its mask.
type blockEntry struct{ At, RPC divergence.Point }

// Tick makes a warp, takes a step for each CTA with a new top, and serves the events.
func (b *TBC) Tick() {
	in, q, d := b.In.At(), b.Q(), b.D()
	b.Out.Set(b.outputs(in))
	d.Retire, d.Made = q.Gone != 0, q.Busy
	if q.Gone != 0 {
		d.Row, d.Gone = uint8(bits.TrailingZeros64(q.Gone)), q.Gone&(q.Gone-1)
	}
	if q.Busy {
		b.compact()
	}
	b.turn()
	if in.FireValid {
		b.fire(int(in.FireWarp), in.FireControl)
	}
	if in.OutcomeValid {
		b.outcome(int(in.OutcomeWarp), in)
	}
	if in.LaunchValid {
		b.launch(in)
	}
}

// compact puts the next warp into its slot.
func (b *TBC) compact() {
	q, d := b.Q(), b.D()
	mask, homes := d.Next()
	if c := q.Compactor; q.Static {
		mask, homes = c.NextStatic()
		d.Pending = c.Pending
	}
	*b.Table.Edit(int(q.Slot)) = divergence.Slot{Valid: true, CTA: q.CTA, PC: q.At.PC, Depth: q.At.Depth, Mask: mask}
	*b.Home.Edit(int(q.Slot)) = homes.Row
	d.Into, d.Slot, d.Busy = q.Slot, q.Slot+1, d.Pending.Warps() != 0
}

// turn pops top entries that have no threads or are at the end of their block. One with work goes to
// the compactor, if that is free.
func (b *TBC) turn() {
	q, d := b.Q(), b.D()
	loads := uint64(0)
	for c := range b.ctas {
		if q.Turned>>c&1 != 0 {
			n, threads := int(*b.Stack.Depth.At(c)), uint64(0)
			for l := range b.lanes {
				threads |= b.mask(l, n)
			}
			e := *b.Stack.At(c, n-1)
			if n > 1 && (threads&b.Blocks.At(c).Rows == 0 || e.At == e.RPC) {
				*b.Stack.Depth.Edit(c) = uint8(n - 1)
			} else {
				loads |= 1 << c
			}
		}
	}
	if loads != 0 && !d.Busy {
		b.load(bits.TrailingZeros64(loads))
	}
}

// mask is a lane of the top one of n entries, of all CTAs, without threads that are parked.
func (b *TBC) mask(l, n int) uint64 {
	q := b.Q()
	runs := q.Live[l] &^ (q.Arrived[l] & q.Parked)
	if n == 1 {
		return runs
	}
	return runs & b.Masks.At(n - 1)[l]
}

// load sends the threads of the top entry of a CTA to the compactor. At the bottom the warps are
// the static ones. If all threads are parked, their barrier opens.
func (b *TBC) load(c int) {
	q, d := b.Q(), b.D()
	n, k := int(*b.Stack.Depth.At(c)), b.Blocks.At(c)
	at := b.Stack.At(c, n-1).At
	var run units.BlockMask
	for l := range b.lanes {
		run[l] = b.mask(l, n) & k.Rows
	}
	if run.Warps() == 0 {
		for l := range b.lanes {
			run[l] = q.Live[l] & k.Rows
			d.Arrived[l] &^= k.Rows
		}
		d.Parked &^= k.Rows
		at = k.ParkAt
		at.PC++
		b.Stack.Entry(c, 0).At = at
	}
	warps := run.Compacted()
	if d.Static = n == 1 || k.Static; d.Static {
		warps = bits.OnesCount64(run.Warps())
	}
	*b.Count.Edit(c) = uint8(warps)
	d.Pending, d.Busy, d.At = run, true, at
	d.CTA, d.Slot = uint8(c), uint8(bits.TrailingZeros64(k.Rows))
	d.Turned &^= 1 << c
}

// fire moves a warp to its next instruction, or lets it wait for its outcome.
func (b *TBC) fire(slot int, control bool) {
	s, d := *b.Table.At(slot), b.D()
	if !s.Valid || s.Wait != divergence.Runs {
		return
	}
	to := b.Table.Edit(slot)
	if control {
		to.Wait = divergence.WaitsControl
		return
	}
	s.PC++
	to.PC = s.PC
	c := int(s.CTA)
	n := int(*b.Stack.Depth.At(c))
	e, count := *b.Stack.At(c, n-1), *b.Count.At(c)
	if s.At() != e.RPC {
		return
	}
	if count == 1 && b.Blocks.At(c).Open {
		d.Wrong, to.Wait = true, divergence.WaitsControl // for ever
		return
	}
	to.Valid = false
	b.Stack.Entry(c, n-1).At = e.RPC
	*b.Count.Edit(c) = count - 1
	if count == 1 {
		d.Turned |= 1 << c
		*b.Stack.Depth.Edit(c) = uint8(n - 1) // the bottom entry ends nowhere
	}
}

// outcome serves a control instruction.
func (b *TBC) outcome(slot int, in *MechanismIn) {
	s := *b.Table.At(slot)
	if !s.Valid || s.Wait != divergence.WaitsControl {
		return
	}
	q, d := b.Q(), b.D()
	c := int(s.CTA)
	n, k := int(*b.Stack.Depth.At(c)), *b.Blocks.At(c)
	e := *b.Stack.At(c, n-1)
	branch, exit, barrier := in.OutcomeKind == kindBranch, in.OutcomeKind == kindExit, in.OutcomeKind == kindBarrier
	holds := barrier && in.OutcomeCTA // until all threads of the CTA have arrived
	splits := branch && in.OutcomeCTA // with the other warps of the CTA
	taken, mask, to := s.Mask&in.OutcomeTaken, s.Mask, s.At()
	switch {
	case branch && taken == s.Mask:
		to = in.OutcomeTarget
	case branch:
		to = in.OutcomeFall
	case !barrier:
		to.PC++
	}
	if exit {
		mask &^= taken
	}
	if splits && k.Open && k.At != s.At() {
		d.Wrong = true // the warp waits for ever
		return
	}
	opens := splits && !k.Open
	if opens {
		k.Open, k.At, k.Target, k.Fall, k.Meet = true, s.At(), in.OutcomeTarget, in.OutcomeFall, in.OutcomeMeet
		*b.Blocks.Edit(c) = k
	} else if splits && k.Target != in.OutcomeTarget {
		taken = 0 // of an indirect branch: these threads return to it
	}

	// The warps that a barrier releases.
	resumed := in.Resume & k.Rows
	joins := uint64(0) // of these, the ones that reach the end of the block
	for i := range b.warps {
		if w := *b.Table.At(i); resumed>>i&1 != 0 && w.Valid && w.Wait == divergence.WaitsBarrier {
			t := b.Table.Edit(i)
			w.PC++
			t.PC, t.Wait = w.PC, divergence.Runs
			if w.At() == e.RPC {
				t.Valid = false
				joins |= 1 << i
			}
		}
	}

	// The masks.
	home := b.Home.At(slot)
	live, gone := uint64(0), uint64(0) // rows
	for l := range b.lanes {
		thread, takes := if1(s.Mask>>l&1 != 0, 1<<home[l]), taken>>l&1 != 0
		ends := if1(exit && takes, thread)
		gone |= ends
		d.Live[l] &^= ends
		live |= d.Live[l]
		d.Arrived[l] = d.Arrived[l]&^if1(q.Held&resumed != 0, k.Rows) | if1(holds, thread)
		d.Taken[l] = d.Taken[l]&^if1(opens, k.Rows) | if1(splits && takes, thread)
		d.Not[l] = d.Not[l]&^if1(opens, k.Rows) | if1(splits && !takes, thread)
	}
	d.Gone |= gone &^ live

	// The warp, and the count of those on the way.
	dead := exit && live&k.Rows == 0 // the CTA has no threads
	joined := !splits && !barrier && mask != 0 && to == e.RPC
	t := b.Table.Edit(slot)
	t.Valid = !dead && !splits && !joined && mask != 0
	t.Mask = mask
	t.Set(to)
	t.Wait = divergence.Runs
	if barrier {
		t.Wait = divergence.WaitsBarrier
	}
	if joined || joins != 0 {
		b.Stack.Entry(c, n-1).At = e.RPC
	}
	count := int(*b.Count.Next(c)) - bits.OnesCount64(joins)
	if splits || joined || mask == 0 {
		count--
	}

	// If all warps on the way wait at a barrier, they are parked.
	held := q.Held &^ resumed
	if holds {
		held |= 1 << slot
	}
	at := b.Table.At(bits.TrailingZeros64(held&k.Rows) & (b.warps - 1)).At()
	parks := (barrier || exit) && held&k.Rows != 0 && bits.OnesCount64(held&k.Rows) == count &&
		(q.Parked&k.Rows == 0 || k.ParkAt == at)
	for i := range b.warps {
		if (held&k.Rows)>>i&1 != 0 && b.Table.At(i).At() != at {
			parks = false
		}
	}
	if parks {
		for i := range b.warps {
			if (held&k.Rows)>>i&1 != 0 {
				b.Table.Edit(i).Valid = false
			}
		}
		held &^= k.Rows
		d.Parked |= k.Rows
		b.Blocks.Edit(c).ParkAt = at
		count = 0
	}
	d.Held = held
	*b.Count.Edit(c) = uint8(count)
	switch {
	case dead:
		*b.Stack.Depth.Edit(c) = 0
		d.Parked &^= k.Rows
		d.Used &^= k.Rows
	case count == 0:
		d.Turned |= 1 << c
		if k.Open {
			b.split(c, n, &k, e)
		} else if n > 1 {
			*b.Stack.Depth.Edit(c) = uint8(n - 1)
		}
	}
}

// if1 is x if a condition holds, else 0.
func if1(c bool, x uint64) uint64 {
	if c {
		return x
	}
	return 0
}

// split pushes the target entries of a CTA with n entries, the top one of which is e: see
// compaction.TBC.
func (b *TBC) split(c, n int, k *ctaBlock, e blockEntry) {
	d := b.D()
	b.Blocks.Edit(c).Open = false
	taken, not := d.Taken, d.Not
	for l := range b.lanes {
		taken[l] &= k.Rows
		not[l] &= k.Rows
	}
	rpc := k.Meet
	if n >= b.full {
		rpc = e.RPC
	}
	replace := rpc == e.RPC && n > 1
	top := b.Stack.Entry(c, n-1)
	if alone := taken.Warps() == 0 || not.Warps() == 0; alone && n >= b.deep && (replace || k.At.Depth > 0) {
		to := k.Fall
		if not.Warps() == 0 {
			to = k.Target
		}
		top.At = to
		if to == e.RPC {
			*b.Stack.Depth.Edit(c) = uint8(n - 1)
		}
		return
	}
	if replace {
		n--
	} else {
		top.At = rpc
	}
	first, second := blockEntry{k.Fall, rpc}, blockEntry{k.Target, rpc} // the second one runs first
	takers, others := divergence.Crowd{Threads: taken.Threads()}, divergence.Crowd{Threads: not.Threads()}
	if n >= b.deep && !divergence.Smaller(takers, others) {
		first, second = second, first
		taken, not = not, taken
	}
	if first.At != rpc {
		b.push(c, n, k.Rows, first, &not)
		n++
	}
	if second.At != rpc {
		b.push(c, n, k.Rows, second, &taken)
		n++
	}
	*b.Stack.Depth.Edit(c) = uint8(n)
}

// push writes entry n of a CTA, in its columns.
func (b *TBC) push(c, n int, rows uint64, e blockEntry, mask *units.BlockMask) {
	*b.Stack.Entry(c, n) = e
	for l := range b.lanes {
		b.Masks.Edit(n)[l] = b.Masks.At(n)[l]&^rows | mask[l]
	}
}

// launch adds a warp to the bottom entry. The first one of a CTA begins a stack, the last one
// completes its entry.
func (b *TBC) launch(in *MechanismIn) {
	q, d, c := b.Q(), b.D(), int(in.LaunchCTA)
	row, end := int(in.LaunchWarp), int(in.LaunchFirst)+int(in.LaunchWarps)
	rows := (uint64(1)<<in.LaunchWarps - 1) << in.LaunchFirst
	switch {
	case in.LaunchMask == 0 || in.LaunchWarp < in.LaunchFirst || row >= end || end > b.warps:
		return
	case in.LaunchWarp == in.LaunchFirst:
		if *b.Stack.Depth.At(c) != 0 || q.Used&rows != 0 {
			return
		}
		*b.Blocks.Edit(c) = ctaBlock{Rows: rows, Static: in.LaunchStatic}
		*b.Stack.Depth.Edit(c) = 1
		*b.Stack.Entry(c, 0) = blockEntry{RPC: divergence.Nowhere}
		d.Used |= rows
	case q.Starts>>c&1 == 0 || b.Blocks.At(c).Rows != rows:
		return
	}
	*b.Owner.Edit(row) = in.LaunchCTA
	for l := range b.lanes {
		d.Live[l] |= in.LaunchMask >> l & 1 << in.LaunchWarp
	}
	if d.Starts |= 1 << c; row+1 == end {
		d.Starts &^= 1 << c
		d.Turned |= 1 << c
	}
}

// outputs reads the registers.
func (b *TBC) outputs(in *MechanismIn) (out MechanismOut) {
	q := b.Q()
	out.slots(b.Table)
	out.RetireValid, out.RetireWarp = q.Retire, q.Row
	if out.CompactValid, out.CompactSlot = q.Made, q.Into; q.Made {
		out.CompactHome = *b.Home.At(int(q.Into))
	}
	out.Busy = q.Busy || q.Turned != 0 || q.Gone != 0
	if q.Wrong {
		out.Error = 1
	}
	w := int(in.DebugWarp)
	c := int(*b.Owner.At(w))
	n, k, i := int(*b.Stack.Depth.At(c)), b.Blocks.At(c), int(in.DebugIndex)
	live := uint64(0)
	for l := range b.lanes {
		live |= q.Live[l]
	}
	if live>>w&1 == 0 || i >= n+4 {
		return out
	}
	out.DebugValid = true
	e := b.Stack.At(c, n-1)
	out.DebugMeet = e.RPC
	var mask units.BlockMask
	switch i {
	case 0:
		out.DebugAt = q.At
		if q.Busy && int(q.CTA) == c {
			mask = q.Pending
		}
	case 1, 2:
		out.DebugMeet, out.DebugAt = k.Meet, k.Target
		groups := q.Taken
		if i == 2 {
			groups, out.DebugAt = q.Not, k.Fall
		}
		if k.Open {
			mask = groups
		}
	case 3:
		out.DebugAt = k.ParkAt
		if q.Parked>>w&1 != 0 {
			mask = q.Arrived
		}
	default:
		e = b.Stack.At(c, n+3-i)
		out.DebugAt, out.DebugMeet = e.At, e.RPC
		mask = *b.Masks.At(n + 3 - i)
		if i == n+3 {
			mask = q.Live
		}
	}
	for l := range b.lanes {
		out.DebugMask |= (mask[l] & q.Live[l]) >> w & 1 << l
	}
	return out
}
