package verify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"
	"divergo/units"
)

// crossLane returns a kernel around statements that leave a result of each thread in %out. The
// number of a thread in its CTA is %i; the input %x differs between threads.
func crossLane(body string) string {
	return `.version 7.6
.target sm_80
.address_size 64
.visible .entry k(.param .u64 to)
{
	.reg .u32 %i, %x, %out, %a<9>;
	.reg .u64 %to, %at;
	.reg .pred %p<10>;
	mov.u32 %i, %tid.x;
	mad.lo.u32 %x, %i, 2654435761, 12345;
	shr.u32 %x, %x, 20;
	mov.u32 %out, 0;
` + body + `
	ld.param.u64 %to, [to];
	mul.wide.u32 %at, %i, 4;
	add.u64 %to, %to, %at;
	st.global.u32 [%to], %out;
	exit;
}
`
}

func input(i int) uint32 { return (uint32(i)*2654435761 + 12345) >> 20 }

// runCrossLane runs one CTA, compares it with the golden model, and returns the results of its
// threads.
func runCrossLane(t *testing.T, c gpu.Config, body string, threads int) ([]uint32, error) {
	t.Helper()
	out, _, err := crossLaneSession(t, c, body, threads)
	return out, err
}

// crossLaneMachines are those of crossLaneSession.
var crossLaneMachines = sessions{}

// crossLaneSession does the same and also returns the session, which the next call resets.
func crossLaneSession(t *testing.T, c gpu.Config, body string, threads int) ([]uint32, *testbench.Session, error) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(crossLane(body)))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	c.GPU.SMs = 1
	s := crossLaneMachines.of(t, c)
	to := s.Alloc(4 * threads)
	bank := binary.LittleEndian.AppendUint64(nil, to)
	err = Run(s, testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(threads), 1, 1},
		Params: bank,
	})
	data := make([]byte, 4*threads)
	s.Read(to, data)
	require.NoError(t, s.Err())
	out := make([]uint32, threads)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out, s, err
}

// mates returns the range of threads of the warp of thread i, within the CTA.
func mates(i, threads int) (first, end int) { return i / 32 * 32, min(i/32*32+32, threads) }

const threadsOfCTA = 80 // the last warp is half empty

// algorithms are typical uses of cross-lane instructions, with the whole warp together, and a
// reference on the host.
var algorithms = []struct {
	name, body string
	want       func(i int) uint32
}{
	{"scan", `
	mov.u32 %out, %x;
	mov.u32 %a1, 1;
again:
	shfl.sync.up.b32 %a2|%p1, %out, %a1, 0, -1;
	@%p1 add.u32 %out, %out, %a2;
	shl.b32 %a1, %a1, 1;
	setp.lt.u32 %p2, %a1, 32;
	@%p2 bra again;`, func(i int) (sum uint32) {
		first, _ := mates(i, threadsOfCTA)
		for j := first; j <= i; j++ {
			sum += input(j)
		}
		return sum
	}},
	{"butterfly", `
	mov.u32 %out, %x;
	shfl.bfly.b32 %a1, %out, 4, 31;
	max.u32 %out, %out, %a1;
	shfl.bfly.b32 %a1, %out, 2, 31;
	max.u32 %out, %out, %a1;
	shfl.bfly.b32 %a1, %out, 1, 31;
	max.u32 %out, %out, %a1;`, func(i int) (most uint32) {
		for j := i &^ 7; j < i&^7+8; j++ {
			most = max(most, input(j))
		}
		return most
	}},
	{"ballot compaction", `
	and.b32 %a1, %x, 3;
	setp.eq.u32 %p1, %a1, 0;
	vote.sync.ballot.b32 %a2, !%p1, 0xffffffff;
	mov.u32 %a3, %lanemask_lt;
	and.b32 %a3, %a2, %a3;
	popc.b32 %out, %a3;`, func(i int) (before uint32) {
		first, _ := mates(i, threadsOfCTA)
		for j := first; j < i; j++ {
			if input(j)&3 != 0 {
				before++
			}
		}
		return before
	}},
	{"match", `
	and.b32 %a1, %x, 7;
	match.any.sync.b32 %out, %a1, -1;`, func(i int) (same uint32) {
		first, end := mates(i, threadsOfCTA)
		for j := first; j < end; j++ {
			if input(j)&7 == input(i)&7 {
				same |= 1 << (j - first)
			}
		}
		return same
	}},
	{"redux", `
	neg.s32 %a1, %x;
	redux.sync.min.s32 %out, %a1, -1;`, func(i int) uint32 {
		first, end := mates(i, threadsOfCTA)
		least := int32(0)
		for j := first; j < end; j++ {
			least = min(least, -int32(input(j)))
		}
		return uint32(least)
	}},
	{"popc of the CTA", `
	and.b32 %a1, %x, 3;
	setp.eq.u32 %p1, %a1, 0;
	bar.red.popc.u32 %out, 3, %p1;`, func(int) (n uint32) {
		for j := range threadsOfCTA {
			if input(j)&3 == 0 {
				n++
			}
		}
		return n
	}},
	{"or of the warps of a count", `
	setp.lt.u32 %p2, %i, 64;
	mov.u32 %a1, 1;
	@!%p2 mov.u32 %a1, 2;
	setp.eq.u32 %p1, %i, 70;
	mov.u32 %a3, 64;
	@!%p2 mov.u32 %a3, 32;
	bar.red.or.pred %p3, %a1, %a3, %p1;
	selp.u32 %out, 7, 5, %p3;`, func(i int) uint32 {
		if i >= 64 {
			return 7
		}
		return 5
	}},
	{"live threads", `
	setp.eq.u32 %p1, %i, 20;
	@%p1 exit;
	bar.warp.sync -1;
	activemask.b32 %out;`, func(i int) (live uint32) {
		first, end := mates(i, threadsOfCTA)
		for j := first; j < end; j++ {
			if j != 20 {
				live |= 1 << (j - first)
			}
		}
		if i == 20 {
			return 0
		}
		return live
	}},
}

// TestCrossLane runs the algorithms under every mechanism, with a few placements of threads in
// lanes.
func TestCrossLane(t *testing.T) {
	for _, m := range divergence.Mechanisms() {
		for _, lanes := range []units.Permutation{units.Sequential, units.Random, units.Swizzle} {
			c := small()
			c.Divergence.Mechanism, c.SM.Lanes = m.Name, lanes
			for _, a := range algorithms {
				t.Run(fmt.Sprint(m.Name, "/", lanes, "/", a.name), func(t *testing.T) {
					got, err := runCrossLane(t, c, a.body, threadsOfCTA)
					// a warp that is not full takes in threads of others
					if m.Name == "dwf" && a.name == "live threads" {
						require.ErrorContains(t, err, "fault: threads of several warps")
						return
					}
					require.NoError(t, err)
					for i := range got {
						require.Equal(t, a.want(i), got[i], "thread %d", i)
					}
				})
			}
		}
	}
}

// apart has two groups of threads that reach the same vote on different paths, the second one
// through a loop. They name each other: the threads with %laneid below 24. Only the membermask
// brings them together.
const apart = `
	and.b32 %a1, %i, 31;
	setp.ge.u32 %p1, %a1, 24;
	@%p1 bra rest;
	setp.lt.u32 %p2, %a1, 8;
	@%p2 bra vote;
	and.b32 %a2, %i, 1;
	setp.eq.u32 %p3, %a2, 0;
	@%p3 bra vote;
	add.u32 %x, %x, 1;
	setp.lt.u32 %p4, %i, 1000;
	@%p4 bra vote;
rest:
	add.u32 %out, %out, 5;
	bra join;
vote:
	redux.sync.add.u32 %out, %x, 0x00ffffff;
join:`

func sumApart(i int) (sum uint32) {
	if i%32 >= 24 {
		return 5
	}
	first, _ := mates(i, 64)
	for j := first; j < first+24; j++ {
		sum += input(j)
		if j%32 >= 8 && j&1 == 1 {
			sum++
		}
	}
	return sum
}

// TestWarpSync checks that convergence barriers bring together the threads of a membermask,
// whatever the lanes and the order of paths.
func TestWarpSync(t *testing.T) {
	for _, lanes := range []units.Permutation{units.Sequential, units.Random} {
		for _, word := range divergence.PathOrder("").Words() {
			order := divergence.PathOrder(word.Name)
			c := small()
			c.Divergence.Mechanism, c.Divergence.PathOrder, c.SM.Lanes = "barrier", order, lanes
			got, err := runCrossLane(t, c, apart, 64)
			require.NoError(t, err)
			for i := range got {
				require.Equal(t, sumApart(i), got[i], "thread %d", i)
			}
		}
	}
}

// bothSides has a bar.warp.sync of all threads on both sides of a branch. Data passes from one side
// to the other.
const bothSides = `
	.shared .align 4 .b8 box[256];
	.reg .u64 %s;
	mul.wide.u32 %at, %i, 4;
	mov.u64 %s, box;
	add.u64 %s, %s, %at;
	xor.b32 %a1, %i, 1;
	mul.wide.u32 %at, %a1, 4;
	mov.u64 %to, box;
	add.u64 %to, %to, %at;
	st.shared.u32 [%s], %x;
	and.b32 %a1, %i, 1;
	setp.eq.u32 %p1, %a1, 0;
	@%p1 bra even;
	bar.warp.sync 0xffffffff;
	ld.shared.u32 %out, [%to];
	add.u32 %out, %out, 1;
	bra join;
even:
	bar.warp.sync -1;
	ld.shared.u32 %out, [%to];
join:`

func TestWarpBarrierOnBothSides(t *testing.T) {
	for _, m := range []string{"barrier", "subwarp"} {
		c := small()
		c.Divergence.Mechanism = m
		got, err := runCrossLane(t, c, bothSides, 64)
		require.NoError(t, err, m)
		for i := range got {
			require.Equal(t, input(i^1)+uint32(i&1), got[i], m)
		}
	}
}

// TestVotesApart checks that votes of the same threads at different instructions never combine, on
// the machine or in the golden model.
func TestVotesApart(t *testing.T) {
	c := small()
	c.Divergence.Mechanism = "barrier"
	_, err := runCrossLane(t, c, `
	and.b32 %a1, %i, 1;
	setp.eq.u32 %p1, %a1, 0;
	@%p1 bra even;
	vote.sync.ballot.b32 %out, %p1, -1;
	bra join;
even:
	vote.sync.ballot.b32 %out, %p1, -1;
join:`, 32)
	var o *testbench.Outcome
	require.ErrorAs(t, err, &o)
	require.Equal(t, gpu.Deadlock, o.End)
	var d *Mismatch
	require.False(t, errors.As(err, &d), "the golden model is stuck too")
	assert.Contains(t, o.Error(), "lanes aaaaaaaa: waits to reconverge")
	assert.Contains(t, o.Error(), "vote.sync.ballot.b32 %out, %p1, -1")
}

// TestMissing checks that every mechanism without convergence barriers reports the missing threads.
func TestMissing(t *testing.T) {
	for _, m := range divergence.Mechanisms() {
		if m.Name == "barrier" || m.Name == "subwarp" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			c := small()
			c.Divergence.Mechanism = m.Name
			_, err := runCrossLane(t, c, `
	and.b32 %a1, %i, 31;
	setp.lt.u32 %p1, %a1, 12;
	@%p1 bra low;
	add.u32 %out, %out, 1;
	bra join;
low:
	shfl.sync.idx.b32 %out, %x, 3, 31, 0xffff7fff;
join:`, 32)
			d := mismatch(t, err)
			assert.Equal(t, golden.Finished, d.Golden, "the others exit")
			text := d.Outcome.Error()
			assert.Contains(t, text, "fault: threads missing\n")
			assert.Contains(t, text, "at k.ptx:20, PC 9: shfl.sync.idx.b32 %out, %x, 3, 31, 0xffff7fff\n")
			assert.Contains(t, text, "membermask also names the threads with %laneid 12-14, 16-31, which have not exited and are not here: mechanism \""+m.Name+"\"")
		})
	}
}

// named are the instructions with a membermask, here of all threads of the warp. Each has its
// result for thread i, if the threads with the given bits have not exited.
var named = []struct {
	name, text string
	want       func(i int, live uint32) uint32
}{
	{"vote", "vote.sync.ballot.b32 %out, %p9, -1;", func(_ int, live uint32) uint32 { return live }},
	{"shfl", "shfl.sync.bfly.b32 %out, %x, 2, 31, -1;", func(i int, _ uint32) uint32 { return input(i ^ 2) }},
	{"match", "match.any.sync.b32 %out, %a1, -1;", func(i int, live uint32) (same uint32) {
		for j := range 32 {
			if j&1 == i&1 {
				same |= 1 << j
			}
		}
		return same & live
	}},
	{"redux", "redux.sync.add.u32 %out, %x, -1;", func(i int, live uint32) (sum uint32) {
		for j := range 32 {
			if live>>j&1 != 0 {
				sum += input(i/32*32 + j)
			}
		}
		return sum
	}},
	{"bar.warp", "bar.warp.sync -1;\n\tmov.u32 %out, 7;", func(int, uint32) uint32 { return 7 }},
}

// TestNamedElsewhere checks membermasks whose threads are on another path, exit there or arrive
// later.
//
// An instruction waits for all that have not exited (PTX ISA, vote.sync). A mechanism either runs
// them to the instruction first, or reports the missing ones. It never gives a wrong result.
func TestNamedElsewhere(t *testing.T) {
	const (
		even, odd = 0x55555555, 0xaaaaaaaa
		turns     = "\tmov.u32 %a2, 0;\nturn:\n\tadd.u32 %a2, %a2, 1;\n\tsetp.lt.u32 %p3, %a2, 20;\n\t@%p3 bra turn;\n"
		later     = "\t@%p1 bra all;\n" + turns
	)
	blockwide := []string{"tbc", "tbc-lcp", "capri"}
	// under convergence barriers a path waits for the named threads
	converging := []string{"barrier", "subwarp", yielding}
	stacks := slices.Concat([]string{"pdom", "pdom-lcp", "token"}, converging, blockwide)
	smallest := slices.Concat([]string{"ppc", "ppc-explicit", "ptpc"}, converging)
	for _, c := range []struct {
		name, body string // the even threads have %p1
		live       uint32
		right      []string // mechanisms that bring all named threads together
	}{
		{"exit on the side that runs first, taken", "\t@!%p1 bra leave;\n\tINST\n\tbra join;\nleave:\n" + turns +
			"\texit;\njoin:", even, stacks},
		{
			"exit on the side that runs first, of the smaller PC", "\t@%p1 bra all;\n" + turns + "\texit;\nall:\n\tINST",
			even, smallest,
		},
		{"later, joined by the post-dominator", later + "all:\n\tINST", even | odd, but("dwf")},
		{
			"later, joined by nothing but the instruction",
			later + "\tsetp.lt.u32 %p3, %i, 1000;\n\t@%p3 bra all;\n\tbra join;\nall:\n\tINST\njoin:", even |
				odd, slices.Concat([]string{"ppc", "ptpc"}, converging),
		},
		{"at another instruction", "\t@%p1 bra all;\n\tINST\n\tbra join;\nall:\n\tINST\njoin:", even | odd, nil},
		{"all are here", "\tINST", even | odd, all()},
	} {
		for _, inst := range named {
			t.Run(c.name+"/"+inst.name, func(t *testing.T) {
				for _, m := range all() {
					cfg := under(m)
					if m == yielding {
						cfg = under("barrier")
						require.NoError(t, cfg.Set("divergence.barrier.yield=true"))
					}
					got, err := runCrossLane(t, cfg,
						"\tand.b32 %a1, %i, 1;\n\tsetp.eq.u32 %p1, %a1, 0;\n\tsetp.lt.u32 %p9, %i, 99;\n"+
							strings.ReplaceAll(c.body, "INST", inst.text), 64)
					if slices.Contains(c.right, m) || inst.name == "bar.warp" && slices.Contains(converging, m) {
						require.NoError(t, err, m)
						for i := range got {
							if c.live>>(i%32)&1 != 0 {
								require.Equal(t, inst.want(i, c.live), got[i], "%s, thread %d", m, i)
							}
						}
						continue
					}
					var o *testbench.Outcome
					require.ErrorAs(t, err, &o, m)
					switch text := o.Error(); {
					case slices.Contains(converging, m):
						require.Equal(t, gpu.Deadlock, o.End, m)
						assert.Contains(t, text, "lanes 55555555: waits to reconverge", m)
						assert.Contains(t, text, "lanes aaaaaaaa: waits to reconverge", m)
					case m == "tbc-ideal": // its threads leave their lanes
						assert.Contains(t, text, "threads of several warps", m)
					default:
						assert.Equal(t, "threads missing", o.Fault.Kind, m)
						assert.Regexp(t, "membermask also names the threads with %laneid (0, 2, 4, .*28, 30|1, 3, 5, .*29, 31), which have not exited", text, m)
					}
				}
			})
		}
	}
}

// TestRegrouped checks that compacted warps mix threads of several warps, and that a vote cannot
// tell them apart.
func TestRegrouped(t *testing.T) {
	for _, mech := range []string{"tbc", "tbc-lcp", "dwf"} {
		c := small()
		c.Divergence.Mechanism = mech
		_, err := runCrossLane(t, c, `
	shr.u32 %a1, %i, 5;
	xor.b32 %a1, %a1, %i;
	and.b32 %a1, %a1, 1;
	setp.eq.u32 %p1, %a1, 0;
	@%p1 bra even;
	activemask.b32 %out;
	bra join;
even:
	activemask.b32 %out;
join:`, 64)
		require.Error(t, err, mech)
		assert.Contains(t, err.Error(), "fault: threads of several warps\n")
		assert.Contains(t, err.Error(), "but threads of other warps are with it: mechanism \""+mech+
			"\" regroups the threads of a CTA")
	}
}

// TestMembermaskFaults checks membermasks that are wrong on any machine: the golden model rejects
// them too.
func TestMembermaskFaults(t *testing.T) {
	for _, tt := range []struct{ body, text string }{
		{
			"	vote.sync.any.pred %p1, %p2, 0xffffff7f;",
			"fault: thread not in its own membermask\n  thread (7,0,0) of CTA (0,0,0)",
		},
		{`	mov.u32 %a1, -1;
	setp.eq.u32 %p1, %i, 5;
	@%p1 mov.u32 %a1, 0x20;
	match.any.sync.b32 %out, %x, %a1;`, "fault: different membermasks\n  thread (0,0,0) of CTA (0,0,0)"},
	} {
		for _, mech := range []string{"pdom", "barrier", "tbc", "ptpc"} {
			c := small()
			c.Divergence.Mechanism = mech
			_, err := runCrossLane(t, c, tt.body, 32)
			var o *testbench.Outcome
			require.ErrorAs(t, err, &o, mech)
			assert.Contains(t, o.Error(), tt.text)
			var d *Mismatch
			require.False(t, errors.As(err, &d), "%v", err)
		}
	}
}

// TestHeldTogether checks that an instruction without .sync acts on the threads that the mechanism
// holds together, whichever they are. Diverged threads reach the vote in the loop one by one, two
// by two, or in larger groups. A stack runs the threads that stay in the loop together.
func TestHeldTogether(t *testing.T) {
	const body = `
	and.b32 %a1, %x, 15;
	and.b32 %a2, %i, 31;
again:
	activemask.b32 %a3;
	popc.b32 %a3, %a3;
	shfl.down.b32 %a4, %a3, 1, 31;
	vote.any.pred %p2, %p1;
	@!%p2 mad.lo.u32 %out, %out, 3, %a4;
	sub.s32 %a1, %a1, 1;
	setp.ge.s32 %p3, %a1, 0;
	@%p3 bra again;`
	for _, m := range divergence.Mechanisms() {
		for _, lanes := range []units.Permutation{units.Sequential, units.Random} {
			c := small()
			c.Divergence.Mechanism, c.SM.Lanes = m.Name, lanes
			got, err := runCrossLane(t, c, body, 32)
			if m.Name == "tbc-ideal" { // its threads leave their lanes
				require.ErrorContains(t, err, "regroups the threads of a CTA")
				continue
			}
			require.NoError(t, err, m.Name)
			if m.Name != "pdom" {
				continue
			}
			for i := range got {
				want := uint32(0)
				for round := range input(i)&15 + 1 {
					inside := uint32(0)
					for j := range 32 {
						if input(j)&15 >= round {
							inside++
						}
					}
					if next := i + 1; next < 32 && input(next)&15 < round {
						inside = 0 // for a lane that has left
					}
					want = want*3 + inside
				}
				require.Equal(t, want, got[i], "thread %d", i)
			}
		}
	}
}
