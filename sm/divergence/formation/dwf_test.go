package formation_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/formation"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// formations are the mechanisms with a warp pool, under each issue policy.
func formations() (list []divergence.Options) {
	for _, name := range []string{"dwf", "dwf-wb"} {
		for _, word := range formation.IssuePolicy("").Words() {
			policy := formation.IssuePolicy(word.Name)
			list = append(list, formation.Keys.With(divergence.Options{Mechanism: name},
				formation.Params{Issue: policy, Ways: 2}))
		}
	}
	return list
}

// bench runs k and returns what was issued.
func (b pipeline) run(t *testing.T, o divergence.Options, k kernel) micro.Result {
	t.Helper()
	m, ok := divergence.Find(o.Mechanism)
	require.True(t, ok)
	r, err := micro.Bench(b).Run(m, o, k, 100_000)
	require.NoError(t, err)
	require.True(t, r.Done, "threads are left, %+v", o)
	return r
}

// pipeline is a bench whose branches resolve while other slots issue.
type pipeline micro.Bench

// threadsIn are the numbers of the threads in an issue, by lane, -1 for none.
func threadsIn(i micro.Issue, lanes int) (list []int) {
	for lane := range lanes {
		if i.Mask>>lane&1 == 0 {
			list = append(list, -1)
		} else {
			list = append(list, i.Thread(lane, lanes))
		}
	}
	return list
}

// TestDWFVector is vector T5.1 of the design notes (section 5): two warps of
// four threads go to B or C in consecutive cycles.
//
//	  0
//	 / \
//	C   B
//	 \ /
//	  D
func TestDWFVector(t *testing.T) {
	const b, c, d = 3, 1, 4
	for _, v := range []struct {
		name  string
		taken [2]uint32 // lanes of each warp that go to B
		atB   [][]int
		atC   [][]int
	}{
		{"other lanes", [2]uint32{0b0011, 0b1100}, [][]int{{0, 1, 6, 7}}, [][]int{{4, 5, 2, 3}}},
		{
			"same lanes",
			[2]uint32{0b0011, 0b0011},
			[][]int{{0, 1, -1, -1}, {4, 5, -1, -1}},
			[][]int{{-1, -1, 2, 3}, {-1, -1, 6, 7}},
		},
	} {
		k := seq(
			when(func(t *thread) bool { return v.taken[t.TID/4]>>(t.TID%4)&1 != 0 }, "B"),
			nop, to("D"), at("B", nop), at("D", exit))
		for _, o := range formations() {
			r := pipeline{Lanes: 4, Warps: 2, Latency: 5}.run(t, o, k)
			groups := map[uint32][][]int{}
			for _, i := range r.Issues {
				groups[i.PC] = append(groups[i.PC], threadsIn(i, 4))
			}
			assert.Equal(t, v.atB, groups[b], "%s, %+v", v.name, o)
			assert.Equal(t, v.atC, groups[c], "%s, %+v", v.name, o)
			if o.Mechanism == "dwf-wb" { // the static warps are back
				assert.ElementsMatch(t, [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}, groups[d], "%s, %+v", v.name, o)
			}
			assert.EqualValues(t, 2, r.Stats.Branches)
			assert.EqualValues(t, 2, r.Stats.Divergent)
		}
	}
}

// TestDWFWide is the vector "other lanes" in warps of 64 lanes: threads 40 to 63 of warp 0 and threads 0
// to 39 of warp 1 go to B, and fill one warp there. The others fill one at C.
func TestDWFWide(t *testing.T) {
	const lanes, b, c = 64, 3, 1
	toB := func(t *thread) bool { return (t.TID%lanes >= 40) == (t.TID < lanes) }
	k := seq(when(toB, "B"), nop, to("D"), at("B", nop), at("D", exit))
	var atB, atC []int
	for lane := range lanes {
		atB, atC = append(atB, lane), append(atC, lanes+lane)
		if lane < 40 {
			atB[lane], atC[lane] = lanes+lane, lane
		}
	}
	for _, o := range formations() {
		r := pipeline{Lanes: lanes, Warps: 2, Latency: 5}.run(t, o, k)
		groups := map[uint32][][]int{}
		for _, i := range r.Issues {
			groups[i.PC] = append(groups[i.PC], threadsIn(i, lanes))
		}
		assert.Equal(t, [][]int{atB}, groups[b], "%+v", o)
		assert.Equal(t, [][]int{atC}, groups[c], "%+v", o)
	}
}

// TestDWFInvariants checks every cycle of random kernels:
//
//   - Each thread is in one place, at the PC that it would be at by itself (W1).
//   - A warp has at most one thread of each home lane.
//   - The table knows the lanes of the warps that it points to (W2).
//   - A slot shows the threads of its pool entry.
//   - A warp that gets a slot was in the pool at the start of the cycle.
//   - The issued warp is the policy's choice among the ready ones.
func TestDWFInvariants(t *testing.T) {
	const lanes, warps = 4, 4
	decided := map[formation.IssuePolicy]int{} // issues that the policy had a say in
	for seed := range uint64(12) {
		exits, bars := seed%3 == 1, seed%3 == 2
		k := microtest.RandomKernel(seed, lanes*warps, exits, bars)
		var want [][]uint32
		for tid := range lanes * warps {
			want = append(want, microtest.Alone(k, tid))
		}
		for i, o := range formations() {
			keys := formation.Keys.Of(o)
			keys.Aging = i % 2 * 50
			o = formation.Keys.With(o, keys)
			k := microtest.RandomKernel(seed, lanes*warps, exits, bars)
			read, done := 0, make([]int, lanes*warps)
			var before choices
			in := map[int]bool{}
			each := func(p divergence.Policy, issued []micro.Issue) {
				for ; read < len(issued); read++ {
					for _, thread := range threadsIn(issued[read], lanes) {
						if thread >= 0 {
							done[thread]++
						}
					}
				}
				var seen [warps]uint64
				for _, path := range p.Paths(nil) {
					if path.Mask&seen[path.Row] != 0 {
						require.Fail(t, "a thread is in two places")
					}
					seen[path.Row] |= path.Mask
					for m := path.Mask; m != 0; m &= m - 1 {
						thread := int(path.Row)*lanes + bits.TrailingZeros64(m)
						at := done[thread]
						if path.Wait == divergence.WaitsControl || path.Wait == divergence.WaitsBarrier {
							at-- // it has been issued
						}
						if want[thread][at] != path.PC {
							require.Equal(t, want[thread][at], path.PC, "thread %d, seed %d, %+v", thread, seed, o)
						}
					}
				}
				poolHolds(t, p.(*formation.DWF))
				in = pooled(t, p.(*formation.DWF), in)
				if before.issued(t, p.(*formation.DWF), keys, issued) {
					decided[keys.Issue]++
				}
			}
			b := pipeline{Lanes: lanes, Warps: warps, Latency: i % 3 * 3, Each: each}
			r := b.run(t, o, k)
			require.Equal(t, want, microtest.PerThread(r.Issues, lanes, lanes*warps), "seed %d, %+v", seed, o)
			if bars {
				microtest.NoneAhead(t, k, r.Issues, lanes, lanes*warps)
			}
			b.Each = nil
			require.Equal(t, r, b.run(t, o, microtest.RandomKernel(seed, lanes*warps, exits, bars)),
				"the policy is a function of the state (W3)")
		}
	}
	for _, word := range formation.IssuePolicy("").Words() {
		policy := formation.IssuePolicy(word.Name)
		assert.Greater(t, decided[policy], 100, policy)
	}
}

// poolHolds checks that the parts of the warp pool agree.
func poolHolds(t *testing.T, p *formation.DWF) {
	check := func(ok bool, what string, i int) {
		if !ok {
			require.Fail(t, what, "%d", i)
		}
	}
	for i := range p.Pool.Warps.Len() {
		used := *p.Pool.Used.At(i >> 6)>>(i&63)&1 != 0
		check(used == (p.Pool.Warps.At(i).Occ != 0), "an entry is used if it has threads", i)
	}
	for i := range p.Pool.LUT.Lines.Len() {
		l := p.Pool.LUT.Lines.At(i)
		w := p.Pool.Warps.At(int(l.Data.Index))
		if !l.Valid || !w.Open || w.PC != l.PC {
			continue
		}
		check(w.Occ == l.Data.Occ, "table and pool differ in line", i)
		for other := range p.Pool.Warps.Len() {
			o := p.Pool.Warps.At(other)
			born := [2]uint64{p.Places.At(other).Born, p.Places.At(int(l.Data.Index)).Born}
			check(!o.Open || o.PC != w.PC || born[0] <= born[1], "the table does not have the youngest in line", i)
		}
		for other := range i {
			o := p.Pool.LUT.Lines.At(other)
			check(!o.Valid || o.PC != l.PC, "two lines for a PC", i)
		}
	}
	waitingHolds(t, p)
	q := p.Q()
	for i := range p.Table.Len() {
		s, k := p.Table.At(i), p.Picked.At(i)
		check(s.Valid != q.Free.Has(i), "slot free and in use", i)
		switch {
		case !s.Valid:
		case k.Joins:
			w := p.Pool.Warps.At(int(k.Warp))
			check(w.Occ == s.Mask, "slot and pool differ", i)
			for m := s.Mask; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m)
				check(w.Row[lane] == p.Home.At(i).Row[lane] && (s.Mixed || s.Row == w.Row[lane]), "row", i)
			}
		case k.Static:
			check(s.Mask == p.Statics.At(int(s.Row)).Live || q.Half, "a static warp is not complete", i)
		}
	}
}

// pooled checks the pool entries in slots: each was in the pool, or in a slot, at the end of the
// last cycle. It returns those that are there in this cycle.
func pooled(t *testing.T, p *formation.DWF, before map[int]bool) map[int]bool {
	now := map[int]bool{}
	for i := range p.Pool.Warps.Len() {
		if p.Pool.Warps.At(i).Occ == 0 || p.Places.At(i).AtBar {
			continue
		}
		now[i] = true
		if p.Places.At(i).InSlot && !before[i] {
			require.Fail(t, "a warp has a slot in the cycle in which it was formed", "entry %d", i)
		}
	}
	return now
}

// waitingHolds counts independently the threads that wait at each PC. It also lists the pool
// entries that want a slot and do not go first, in order of formation.
func waitingHolds(t *testing.T, p *formation.DWF) {
	threads, warps := make([]int, p.Queues.At.Len()), make([][]uint16, p.Queues.At.Len())
	for i := range p.Table.Len() {
		if s := p.Table.At(i); s.Valid && s.Wait == divergence.Runs {
			threads[s.PC] += bits.OnesCount64(s.Mask)
		}
	}
	const nobody = 1<<16 - 1
	for i := p.Q().Oldest; i != nobody; i = p.Places.At(int(i)).Newer {
		at, w := p.Places.At(int(i)), p.Pool.Warps.At(int(i))
		threads[w.PC] += bits.OnesCount64(w.Occ)
		if !at.First {
			warps[w.PC] = append(warps[w.PC], i)
		}
	}
	for pc := range p.Queues.At.Len() {
		w := p.Queues.At.At(pc)
		if threads[pc] != int(w.Threads) {
			require.Equal(t, threads[pc], int(w.Threads), "threads at PC %d", pc)
		}
		var got []uint16
		if *p.Queues.Queued.At(pc >> 6)>>(pc&63)&1 != 0 {
			for i := w.Oldest; i != w.Newest; i = *p.Queues.Behind.At(int(i)) {
				got = append(got, i)
			}
			got = append(got, w.Newest)
		}
		if !slices.Equal(warps[pc], got) || int(w.Warps) != len(got) {
			require.Equal(t, warps[pc], got, "warps at PC %d, counted as %d", pc, w.Warps)
		}
	}
}

// choices are what could have been issued in the last cycle, or could have had a
// slot.
type choices struct {
	slots   []choice
	current uint32
	threads map[uint32]int // by PC
	read    int            // of what has been issued
}

type choice struct {
	row   int
	pc    uint32
	mask  uint64
	count uint16
	born  uint64
}

// issued checks that what has been issued in the last cycle was the policy's choice
// among the slots that were ready.
func (b *choices) issued(t *testing.T, p *formation.DWF, keys formation.Params, issues []micro.Issue) (chosen bool) {
	q := p.Q()
	minority := map[bool]int{false: 1, true: -1}[keys.Issue == formation.IssueMinority]
	early := func(w *choice) bool { return keys.Aging > 0 && q.Issued-1-w.born > uint64(keys.Aging) }
	anyCurrent := slices.ContainsFunc(b.slots, func(w choice) bool { return w.pc == b.current })
	before := func(x, y *choice) bool { // x goes strictly before y
		full := bits.OnesCount64(x.mask) - bits.OnesCount64(y.mask)
		var first []int // positive: x goes first
		switch {
		case early(x) || early(y):
			return early(x) && (!early(y) || x.born < y.born)
		case keys.Issue == formation.IssuePDOM:
			first = []int{int(y.count) - int(x.count), full}
		case keys.Issue == formation.IssuePC:
			first = []int{int(y.pc) - int(x.pc), full}
		case keys.Issue == formation.IssueTime:
			first = []int{int(y.born) - int(x.born)}
		case anyCurrent:
			return x.pc == b.current && y.pc != b.current
		default:
			first = []int{minority * (b.threads[x.pc] - b.threads[y.pc]), int(y.pc) - int(x.pc)}
		}
		for _, d := range first {
			if d != 0 {
				return d > 0
			}
		}
		return false
	}
	if b.read < len(issues) {
		i := issues[len(issues)-1]
		b.read = len(issues)
		at := slices.IndexFunc(b.slots,
			func(c choice) bool { return c.row == i.Row && c.pc == i.PC && c.mask == i.Mask })
		require.GreaterOrEqual(t, at, 0)
		for j := range b.slots {
			if y := &b.slots[j]; before(y, &b.slots[at]) {
				require.Fail(t, "not the policy's choice", "%+v: %+v before %+v, current PC %d", keys, b.slots[at], *y,
					b.current)
			}
			chosen = chosen || before(&b.slots[at], &b.slots[j])
		}
	}
	b.slots, b.current, b.threads = b.slots[:0], q.Current, map[uint32]int{}
	for i := range p.Table.Len() {
		if s, k := p.Table.At(i), p.Picked.At(i); s.Valid && s.Wait == divergence.Runs {
			b.slots = append(b.slots, choice{int(s.Row), s.PC, s.Mask, k.Count, k.Born})
			b.threads[s.PC] += bits.OnesCount64(s.Mask)
		}
	}
	for i := range p.Pool.Warps.Len() {
		if at, w := p.Places.At(i), p.Pool.Warps.At(i); w.Occ != 0 && !at.AtBar && !at.InSlot {
			b.threads[w.PC] += bits.OnesCount64(w.Occ)
		}
	}
	return chosen
}

// TestPDOMCount: the counter of PDOM priority is the number of reconvergence
// points that the furthest thread of a warp has passed.
func TestPDOMCount(t *testing.T) {
	k := seq(
		nop, when(odd, "A"), nop, at("A", nop), nop,
		when(below(5), "B"), to("C"), at("B", nop), at("C", nop), exit)
	passed := func(pc uint32) (n uint16) {
		for _, reconv := range []uint32{3, 8} {
			if pc > reconv {
				n++
			}
		}
		return n
	}
	seen := map[uint16]int{}
	pipeline{Lanes: 4, Warps: 3, Each: func(p divergence.Policy, _ []micro.Issue) {
		d := p.(*formation.DWF)
		for i := range d.Pool.Warps.Len() {
			if w := d.Pool.Warps.At(i); w.Occ != 0 {
				require.Equal(t, passed(w.PC), w.Count, "PC %d", w.PC)
				seen[w.Count]++
			}
		}
	}}.run(t, formation.Keys.With(divergence.Options{Mechanism: "dwf"}, formation.Params{
		Issue: formation.IssuePDOM,
		Ways:  4,
	}), k)
	assert.Len(t, seen, 3)
}

// TestDWFAcross: a warp is formed from any threads of the SM, also those of two CTAs (Fung &
// Aamodt, HPCA 2011, section 6.1). Each thread waits at the barrier of its own CTA.
func TestDWFAcross(t *testing.T) {
	for _, o := range formations() {
		asked := 0 // the first warp takes the branch in lanes 0 and 1, the second in 2 and 3
		k := seq(
			when(func(*thread) bool { asked++; return asked%8 == 1 || asked%8 == 2 || asked%8 == 7 || asked%8 == 0 },
				"B"),
			nop, to("D"), at("B", nop), at("D", line{Bar: true}), exit)
		r := pipeline{Lanes: 4, Warps: 1, CTAs: 2, Latency: 5}.run(t, o, k)
		groups := map[uint32][][]int{}
		for _, i := range r.Issues {
			groups[i.PC] = append(groups[i.PC], threadsIn(i, 4))
		}
		assert.Equal(t, [][]int{{0, 1, 6, 7}}, groups[3], "%+v", o)
		assert.Equal(t, [][]int{{4, 5, 2, 3}}, groups[1], "%+v", o)
	}
}

// TestDWFBarrier: barriers count threads, however they are grouped.
func TestDWFBarrier(t *testing.T) {
	bar := line{Bar: true}
	for name, k := range map[string]kernel{
		"straight":               seq(nop, bar, nop, bar, exit),
		"after a branch":         seq(when(odd, "C"), nop, nop, to("D"), at("C", nop), at("D", bar), nop, exit),
		"a barrier in each path": seq(when(odd, "C"), nop, bar, to("D"), at("C", nop), nop, bar, at("D", bar), exit),
		"threads leave instead":  seq(when(odd, "OUT"), bar, nop, bar, exit, rep("OUT", 9), exit),
		"a warp leaves instead":  seq(when(tid(16), "OUT"), bar, nop, bar, exit, rep("OUT", 9), exit),
	} {
		for _, o := range formations() {
			for _, ctas := range []int{1, 2} {
				r := pipeline{Lanes: 8, Warps: 3, CTAs: ctas, Latency: 5}.run(t, o, k)
				if ctas == 1 {
					microtest.NoneAhead(t, k, r.Issues, 8, 24)
				}
				for i, pcs := range microtest.PerThread(r.Issues, 8, ctas*24) {
					require.Equal(t, microtest.Alone(k, i%24), pcs, "%s, %+v: thread %d", name, o, i)
				}
			}
		}
	}
}

// TestDWFBarrierBesideJoined: half of the threads of each warp wait for the others at the warp
// barrier at J. The others come to a CTA barrier, where the warps arrive without the first half. A
// barrier counts warps, as if all threads of a warp executed it (PTX ISA, bar, before sm_70).
func TestDWFBarrierBesideJoined(t *testing.T) {
	k := seq(when(odd, "J"), line{Bar: true}, at("J", nop), exit)
	for _, o := range formations() {
		r := pipeline{Lanes: 8, Warps: 3, Latency: 5}.run(t, o, k)
		for i, pcs := range microtest.PerThread(r.Issues, 8, 24) {
			require.Equal(t, microtest.Alone(k, i), pcs, "%+v: thread %d", o, i)
		}
	}
}

// TestRegrouping: even lanes of even warps and odd lanes of odd warps take one side, so that the
// halves of two warps fit together. The bodies issue half as often as with a stack, except for
// halves that miss each other. The sum of active lanes is the same.
func TestRegrouping(t *testing.T) {
	const warps, body = 8, 30
	k := seq(
		when(func(t *thread) bool { return (t.TID+t.TID/8)%2 == 0 }, "B"),
		rep("", body), to("D"), rep("B", body+1), at("D", exit))
	issued := func(o divergence.Options) (inBodies, lanes int) {
		r := pipeline{Lanes: 8, Warps: warps, Latency: 3}.run(t, o, k)
		for _, i := range r.Issues {
			if i.PC > 0 && !k[i.PC].Exit {
				inBodies++
			}
		}
		return inBodies, r.Lanes
	}
	stack, lanes := issued(divergence.Options{Mechanism: "pdom", PathOrder: divergence.TakenFirst})
	assert.Equal(t, 2*warps*(body+1), stack)
	for _, o := range formations() {
		n, sum := issued(o)
		assert.Equal(t, lanes, sum, "%+v", o)
		assert.GreaterOrEqual(t, n, stack/2, "%+v", o)
		assert.Less(t, n, stack*2/3, "%+v", o)
	}
}

// TestStarvationEddy: a thread that has fallen behind never meets the others again. From then on
// each instruction takes one more warp. Warp barriers make its static warp wait for it (Fung &
// Aamodt, HPCA 2011, sections 2.3 and 2.4).
//
//	0 --> COLD: 8 nops    thread 0 only
//	|      |
//	R <----+
//	40 nops
func TestStarvationEddy(t *testing.T) {
	k := seq(
		nop, when(below(1), "COLD"),
		rep("R", 40), exit,
		rep("COLD", 8), to("R"))
	const (
		together = 4*(2+40+1) + 9      // four warps, and the cold block for one of them
		eddy     = together + (40 + 1) // a fifth warp from R on
	)
	for _, c := range []struct {
		options divergence.Options
		issues  int
	}{
		{divergence.Options{Mechanism: "pdom", PathOrder: divergence.TakenFirst}, together},
		{divergence.Options{Mechanism: "dwf"}, eddy},
		{divergence.Options{Mechanism: "dwf-wb"}, together},
	} {
		r := pipeline{Lanes: 4, Warps: 4, Latency: 3}.run(t, c.options, k)
		assert.Len(t, r.Issues, c.issues, c.options.Mechanism)
		for _, i := range r.Issues {
			if i.PC > 2 && i.PC < 42 && threadsIn(i, 4)[0] == 0 {
				assert.Equal(t, c.issues == eddy, i.Mask == 1, "%s: thread 0 is alone at PC %d",
					c.options.Mechanism, i.PC)
			}
		}
	}
}

// TestAging: threads of lanes 1 to 3 spin in their own loops until those of lane 0 release them.
// Threads of one lane never share a warp, so there are four times as many warps as slots. The
// majority policy always has enough warps in two of the loops. A starvation bound (W4) lets the
// others run.
func TestAging(t *testing.T) {
	for aging, finishes := range map[int]bool{0: false, 100: true} {
		set := false
		k := seq(
			when(func(t *thread) bool { return t.TID%4 == 0 }, "P"),
			when(func(t *thread) bool { return t.TID%4 == 1 }, "A"),
			when(func(t *thread) bool { return t.TID%4 == 2 }, "B"),
			at("C", when(func(*thread) bool { return !set }, "C")), exit,
			at("A", when(func(*thread) bool { return !set }, "A")), exit,
			at("B", when(func(*thread) bool { return !set }, "B")), exit,
			rep("P", 20), line{Do: func(*thread) { set = true }}, exit)
		m, _ := divergence.Find("dwf")
		r, err := micro.Bench{Lanes: 4, Warps: 4, Latency: 3}.Run(m,
			formation.Keys.With(divergence.Options{},
				formation.Params{Issue: formation.IssueMajority, Ways: 4, Aging: aging}), k, 20_000)
		require.NoError(t, err)
		assert.Equal(t, finishes, r.Done, "aging %d", aging)
	}
}

// TestMajorityOfReturned: at B wait 28 threads for a load and 4 that are ready, at C 8 that are ready.
// The majority is at B if all count that wait there, and at C if threads return when their load has
// completed (Fung & Aamodt, HPCA 2011, section 2.3). Eight others, at F,
// keep the SM busy until all are there.
func TestMajorityOfReturned(t *testing.T) {
	rows := func(from, to int) func(t *micro.Thread) bool {
		return func(t *micro.Thread) bool { return from <= t.TID/4 && t.TID/4 < to }
	}
	k := micro.Seq(
		micro.At("A", micro.When(rows(0, 7), "L")),
		micro.At("A2", micro.When(rows(10, 12), "F")),
		micro.At("A3", micro.When(rows(7, 8), "B")),
		micro.At("C", micro.To("D")),
		micro.At("L", micro.Line{Load: 500}),
		micro.At("B", micro.Nop),
		micro.To("D"),
		micro.At("F", micro.Nop), micro.Nop, micro.Nop, micro.Nop, micro.Nop, micro.Nop, micro.Nop, micro.Nop,
		micro.At("D", micro.Exit))
	for count, want := range map[formation.IssueCount]string{
		formation.CountWaiting: "B", formation.CountReturned: "C",
	} {
		o := formation.Keys.With(divergence.Options{Mechanism: "dwf", PathOrder: divergence.TakenFirst},
			formation.Params{Issue: formation.IssueMajority, Count: count, Ways: 4})
		r := microtest.Run(t, "dwf", o, 4, 12, k)
		first := ""
		for _, i := range r.Issues {
			if l := k[i.PC].Label; first == "" && (l == "B" || l == "C") {
				first = l
			}
		}
		assert.Equal(t, want, first, count)
	}
}
