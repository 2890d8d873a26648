package verify

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/sm/divergence/tokens"
	"divergo/testbench"
)

// corner runs statements, which leave a result in %out, with so many threads of a CTA, and returns
// the results.
func corner(t *testing.T, cfg gpu.Config, functions, body string, threads int) ([]uint32, *testbench.Session) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
`+functions+`
.visible .entry k(.param .u64 to)
{
	.reg .u32 %i, %lane, %warp, %out, %a<9>;
	.reg .u64 %to, %at;
	.reg .pred %p<9>;
	mov.u32 %i, %tid.x;
	mov.u32 %lane, %laneid;
	shr.u32 %warp, %i, 5;
	mov.u32 %out, 0;
	ld.param.u64 %to, [to];
	mul.wide.u32 %at, %i, 4;
	add.u64 %to, %to, %at;
`+body+`
	st.global.u32 [%to], %out;
	exit;
}
`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	cfg.GPU.SMs = 1
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
	require.NoError(t, err)
	to := s.Alloc(4 * threads)
	bank := binary.LittleEndian.AppendUint64(nil, to)
	require.NoError(t, s.Launch(testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1},
		Block: [3]uint32{uint32(threads), 1, 1}, Params: bank,
	}))
	data := make([]byte, 4*threads)
	s.Read(to, data)
	out := make([]uint32, threads)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out, s
}

func under(mechanism string) gpu.Config {
	c := small()
	c.Divergence.Mechanism = mechanism
	return c
}

// TestArriveInParts makes some lanes of a dynamic warp arrive at a barrier without waiting, and
// others later. All continue, and each is counted once.
func TestArriveInParts(t *testing.T) {
	out, _ := corner(t, under("dwf"), "", `
	setp.ge.u32 %p0, %i, 32;
	@%p0 bra WAIT;
	and.b32 %a0, %lane, 3;
	setp.eq.u32 %p1, %a0, 0;
	@%p1 bar.arrive 1, 64;
	add.u32 %out, %out, 1;
	@!%p1 bar.arrive 1, 64;
	add.u32 %out, %out, 2;
	bra DONE;
WAIT:
	bar.sync 1, 64;
	mov.u32 %out, 7;
DONE:`, 64)
	for i, v := range out {
		assert.Equal(t, [...]uint32{3, 7}[i/32], v, "thread %d", i)
	}
}

// TestWarpSyncOfTheLiving makes threads wait at a vote for their whole warp. Some are not there
// yet, and exit instead. The others continue without them.
func TestWarpSyncOfTheLiving(t *testing.T) {
	out, _ := corner(t, under("barrier"), "", `
	setp.ge.u32 %p0, %lane, 12;
	@%p0 bra VOTE;
	setp.lt.u32 %p1, %lane, 5;
	@%p1 exit;
	mov.u32 %a1, 9;
VOTE:
	setp.ne.u32 %p2, %lane, 31;
	vote.sync.ballot.b32 %out, %p2, -1;`, 32)
	for i, v := range out {
		assert.Equal(t, [...]uint32{0, 0x7fffffe0}[min(i/5, 1)], v, "thread %d", i)
	}
}

// TestBarrierRestoredWithoutTheDead makes half of a warp call a recursive function, in whose third
// activation some threads exit. The others meet at DONE in the first two without them.
func TestBarrierRestoredWithoutTheDead(t *testing.T) {
	for _, mechanism := range []string{"barrier", "subwarp"} {
		out, _ := corner(t, under(mechanism), `
.func (.reg .u32 %sum) levels(.reg .u32 %n)
{
	.reg .pred %last, %leaves;
	.reg .u32 %less;
	mov.u32 %sum, 0;
	setp.eq.u32 %last, %n, 0;
	@%last bra DONE;
	setp.eq.u32 %leaves, %n, 7;
	@%leaves exit;
	sub.u32 %less, %n, 1;
	call (%sum), levels, (%less);
	add.u32 %sum, %sum, 1;
DONE:
	ret;
}`, `
	setp.lt.u32 %p0, %lane, 16;
	@%p0 bra JOIN;
	and.b32 %a0, %lane, 3;
	mul.lo.u32 %a0, %a0, %a0; // 0, 1, 4, 9
	call (%out), levels, (%a0);
JOIN:
	add.u32 %out, %out, 7;`, 32)
		for i, v := range out {
			want := 7
			if i >= 16 {
				want = [...]int{7, 8, 11, 0}[i&3]
			}
			assert.EqualValues(t, want, v, "%s, thread %d", mechanism, i)
		}
	}
}

// TestReturnOfACoveredPath makes half of one path leave a function while the branch of the other
// path covers it. All threads return to the caller together.
func TestReturnOfACoveredPath(t *testing.T) {
	for delay := range 12 {
		nops := ""
		for range delay {
			nops += "	add.u32 %b3, %b3, 1;\n"
		}
		const call = `
	call (%a1), f, (%lane);
	call (%out), f, (%lane);
	add.u32 %out, %out, 64;`
		f := `
.func (.reg .u32 %r) f(.reg .u32 %lane)
{
	.reg .u32 %b<9>;
	.reg .pred %q<9>;
	mov.u32 %r, 1;
	and.b32 %b0, %lane, 1;
	setp.ne.u32 %q1, %b0, 0;
	setp.ge.u32 %q0, %lane, 16;
	@%q0 bra HIGH;
` + nops + `
	@%q1 bra ODD;
	add.u32 %r, %r, 2;
	bra MEET;
ODD:
	add.u32 %r, %r, 4;
MEET:
	add.u32 %r, %r, 8;
	bra JOIN;
HIGH:
	add.u32 %b4, %b4, 1;
	add.u32 %b4, %b4, 1;
	add.u32 %b4, %b4, 1;
	@%q1 ret;
	add.u32 %r, %r, 16;
JOIN:
	add.u32 %r, %r, 32;
	ret;
}`
		out, s := corner(t, under("dpe"), f, call, 32)
		for i, v := range out {
			want := [2][2]uint32{{64 + 32 + 8 + 2 + 1, 64 + 32 + 8 + 4 + 1}, {64 + 32 + 16 + 1, 64 + 1}}[i/16][i%2]
			assert.Equal(t, want, v, "delay %d, thread %d", delay, i)
		}
		_, pdom := corner(t, under("pdom"), f, call, 32)
		assert.Equal(t, pdom.Runs[0].Counters.Active[32], s.Runs[0].Counters.Active[32],
			"delay %d: what all execute together", delay)
	}
}

// TestReleaseInParts opens a barrier for two of four warps at a time. Warps of the pool that wait
// there have threads of all four. The threads that are not released keep waiting.
func TestReleaseInParts(t *testing.T) {
	out, _ := corner(t, under("dwf"), "", `
	and.b32 %a0, %lane, 1;
	setp.eq.u32 %p0, %a0, 0;
	setp.eq.and.u32 %p1, %warp, 2, %p0;
	setp.eq.or.u32 %p1, %warp, 3, %p1;
	@%p1 bra LATE; // warp 3, and half of warp 2
	setp.lt.and.u32 %p2, %warp, 2, !%p0;
	@%p2 bra OTHERS; // half of warps 0 and 1: the other lanes
BAR:
	add.u32 %a5, %a5, 1;
	bar.sync 1, 64;
	mov.u32 %out, 5;
	bra DONE;
OTHERS:
	add.u32 %a1, %a1, 1;
	bra BAR;
LATE:
	mov.u32 %a2, 50;
LOOP:
	sub.u32 %a2, %a2, 1;
	setp.ne.u32 %p3, %a2, 0;
	@%p3 bra LOOP;
	bra BAR;
DONE:`, 128)
	for i, v := range out {
		assert.EqualValues(t, 5, v, "thread %d", i)
	}
}

// TestTokenMoves checks that a warp by itself waits for each spill and each fill as long as the
// keys demand, if memory is faster.
func TestTokenMoves(t *testing.T) {
	const loop = `
	mov.u32 %a0, 0;
LOOP:
	add.u32 %a0, %a0, 1;
	setp.le.u32 %p0, %a0, %lane;
	@%p0 bra LOOP;
	add.u32 %out, %a0, 1;`
	run := func(spill, fill int) (cycles uint64, st testbench.Counters) {
		cfg := under("token")
		cfg.Divergence = tokens.Keys.With(cfg.Divergence, tokens.Params{Window: 4, Pop: 32, Spill: spill, Fill: fill})
		out, s := corner(t, cfg, "", loop, 32)
		for i, v := range out {
			assert.EqualValues(t, i+2, v)
		}
		return s.Runs[0].Counters.Cycles, s.Runs[0].Counters
	}
	const base, more = 2000, 5000 // memory is faster
	both, st := run(base, base)
	n := st.Divergence.Spills
	require.Positive(t, n)
	require.Equal(t, n, st.Divergence.Fills)
	spill, _ := run(base+more, base)
	fill, _ := run(base, base+more)
	assert.Equal(t, n*more, spill-both)
	assert.Equal(t, n*more, fill-both)
}

// TestAcrossTheEnd checks that an access that begins in an allocation and ends past it is out of
// bounds.
func TestAcrossTheEnd(t *testing.T) {
	for bytes, fails := range map[int]bool{4: true, 5: true, 6: true, 7: true, 8: false} {
		m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry k(.param .u64 from)
{
	.reg .u32 %a;
	.reg .u64 %from;
	ld.param.u64 %from, [from];
	ld.global.u32 %a, [%from+4];
	exit;
}`))
		require.NoError(t, err)
		p, err := testbench.Program(m, "")
		require.NoError(t, err)
		s, err := testbench.NewSession(under("pdom"), testbench.Limits{})
		require.NoError(t, err)
		bank := binary.LittleEndian.AppendUint64(nil, s.Alloc(bytes))
		err = s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: bank})
		if fails {
			assert.ErrorContains(t, err, "fault: out of bounds, 4 bytes of global memory", "%d bytes", bytes)
		} else {
			assert.NoError(t, err, "%d bytes", bytes)
		}
	}
}

// TestArriveThenWait makes some threads of a warp arrive at a barrier without waiting, and wait at
// the next one. The other threads have not reached the first one yet. Both barriers open.
func TestArriveThenWait(t *testing.T) {
	for _, mechanism := range []string{"dwf", "dwf-wb"} {
		out, _ := corner(t, under(mechanism), "", `
	and.b32 %a0, %lane, 3;
	setp.ne.u32 %p0, %a0, 0;
	@%p0 bra GO;
	mov.u32 %a2, 50;
LOOP:
	sub.u32 %a2, %a2, 1;
	setp.ne.u32 %p3, %a2, 0;
	@%p3 bra LOOP;
GO:
	setp.lt.u32 %p1, %i, 32;
	@%p1 bar.arrive 1, 64;
	@!%p1 bar.sync 1, 64;
	add.u32 %out, %out, 1;
	bar.sync 2;
	add.u32 %out, %out, 2;`, 64)
		for i, v := range out {
			assert.EqualValues(t, 3, v, "%s, thread %d", mechanism, i)
		}
	}
}

// TestBarrierOfTheNextCTA has a CTA end with an arrival of warp 1 at barrier 1. In the next one, in its place,
// warp 0 waits there for warp 1, which arrives late.
func TestBarrierOfTheNextCTA(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry k(.param .u64 to)
{
	.reg .u32 %i, %cta, %n, %v;
	.reg .u64 %to;
	.reg .pred %p, %q;
	mov.u32 %i, %tid.x;
	mov.u32 %cta, %ctaid.x;
	ld.param.u64 %to, [to];
	setp.lt.u32 %p, %i, 32;
	setp.eq.u32 %q, %cta, 1;
	@%q bra NEXT;
	@!%p bar.arrive 1, 64;
	exit;
NEXT:
	mov.u32 %n, 0;
	@%p bra WAIT;
LOOP:
	add.u32 %n, %n, 1;
	setp.lt.u32 %q, %n, 50;
	@%q bra LOOP;
	st.global.u32 [%to], %n;
	membar.cta;
	bar.arrive 1, 64;
	exit;
WAIT:
	bar.sync 1, 64;
	ld.volatile.global.u32 %v, [%to];
	st.global.u32 [%to+4], %v;
	exit;
}`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, mechanism := range []string{"pdom", "dpe", "multipath", "ptpc", "ppc", "token", "barrier", "dwf"} {
		cfg := under(mechanism)
		cfg.GPU.SMs, cfg.SM.CTAs = 1, 1
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
		require.NoError(t, err)
		to := s.Alloc(8)
		require.NoError(t, s.Launch(testbench.Launch{
			Prog: p, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1},
			Params: binary.LittleEndian.AppendUint64(nil, to),
		}), mechanism)
		data := make([]byte, 8)
		s.Read(to, data)
		assert.EqualValues(t, 50, binary.LittleEndian.Uint32(data[4:]), mechanism)
	}
}

// TestVotesAfterAnExit: warp 0 waits with its votes while warp 1 waits for memory and then exits.
// The votes do not count at the next barrier.
func TestVotesAfterAnExit(t *testing.T) {
	for _, mechanism := range []string{"pdom", "tbc", "tbc-lcp", "capri", "multipath", "ptpc", "barrier", "dwf"} {
		out, _ := corner(t, under(mechanism), "", `
	setp.ge.u32 %p0, %i, 32;
	setp.lt.u32 %p1, %i, 64;
	mov.u32 %a0, 0;
	@%p0 ld.global.u32 %a0, [%to];
	setp.eq.and.u32 %p2, %a0, 0, %p0;
	@%p2 exit;
	bar.red.popc.u32 %a1, 2, %p1;
	bar.red.popc.u32 %a2, 2, %p1;
	mad.lo.u32 %out, %a1, 100, %a2;`, 64)
		for i, v := range out[:32] {
			assert.EqualValues(t, 3232, v, "%s, thread %d", mechanism, i)
		}
	}
}

// TestNumbersOfBarriers checks a barrier number in a register. A dynamic warp has threads of two
// warps that should wait at different barriers. An instruction has only one number, so this is a
// fault.
func TestNumbersOfBarriers(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .u32 %a<4>;
	.reg .pred %p;
	mov.u32 %a0, %laneid;
	and.b32 %a0, %a0, 1;
	mov.u32 %a1, %tid.x;
	shr.u32 %a1, %a1, 5;
	setp.eq.u32 %p, %a0, %a1;
	@%p bra ON;
	add.u32 %a2, %a2, 1;
ON:
	add.u32 %a3, %a1, 3;
	bar.sync %a3, 32;
	exit;
}`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, mechanism := range []string{"pdom", "dwf-wb", "dwf"} {
		cfg := under(mechanism)
		cfg.GPU.SMs = 1
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
		require.NoError(t, err)
		err = s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}})
		if mechanism == "dwf" {
			assert.ErrorContains(t, err, "bar.sync %a3, 32")
			assert.ErrorContains(t, err, "fault")
		} else {
			assert.NoError(t, err, mechanism)
		}
	}
}

// TestLastBytesOfSharedMemory fills an SM with CTAs whose shared memory is no multiple of its
// allocation unit. Each CTA has its last bytes.
func TestLastBytesOfSharedMemory(t *testing.T) {
	for _, variable := range []struct {
		text    string
		dynamic uint32
	}{{".shared .align 4 .b8 room[5460];", 0}, {".extern .shared .align 4 .b8 room[];", 5460}} {
		m, err := ptx.Parse("k.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n"+variable.text+`
.visible .entry k()
{
	.reg .u32 %a<4>;
	mov.u32 %a0, room;
	mov.u32 %a1, %tid.x;
	mad.lo.u32 %a0, %a1, 4, %a0;
	st.shared.u32 [%a0+5332], %a1;
	bar.sync 0;
	ld.shared.u32 %a2, [%a0+5332];
	exit;
}`))
		require.NoError(t, err)
		p, err := testbench.Program(m, "")
		require.NoError(t, err)
		cfg := under("pdom")
		cfg.GPU.SMs, cfg.Shared.Size = 1, 16<<10
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
		require.NoError(t, err)
		assert.NoError(t, Run(s, testbench.Launch{
			Prog: p, Grid: [3]uint32{6, 1, 1}, Block: [3]uint32{32, 1, 1},
			Shared: variable.dynamic,
		}))
	}
}

// TestExitBeforeTheJoin makes threads of a function exit before the meeting point of its branch.
// There the others are one path again.
func TestExitBeforeTheJoin(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_70
.address_size 64
.func f(.param .u32 x)
{
	.reg .pred %p;
	.reg .u32 %v, %t;
	ld.param.u32 %v, [x];
	mov.u32 %t, %tid.x;
	setp.eq.u32 %p, %t, 0;
	@%p bra JOIN;
	setp.eq.u32 %p, %v, 0;
	@%p exit;
JOIN:
	bar.warp.sync -1;
	ret;
}
.visible .entry k()
{
	.reg .u32 %a;
	mov.u32 %a, %nctaid.x;
	{
	.param .u32 x;
	st.param.u32 [x], %a;
	call f, (x);
	}
	ret;
}`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, mechanism := range []string{"pdom", "dpe", "barrier", "multipath", "token", "tbc", "capri"} {
		s, err := testbench.NewSession(under(mechanism), testbench.Limits{MaxCycles: 100_000})
		require.NoError(t, err)
		assert.NoError(t, Run(s, testbench.Launch{Prog: p, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{32, 1, 1}}),
			mechanism)
	}
}

// TestPathUnderABarrier puts the paths of the top entry at one bar.sync each. Another path of the
// warp is at a third one, or on its way there. The dual-path stack cannot run it before the two
// meet. No thread continues without it.
func TestPathUnderABarrier(t *testing.T) {
	const last = "\tbar.sync 0;\n\tadd.u32 %a1, %a1, 1;\n\tbra END;\n"
	const branches = "\tand.b32 %a3, %a0, 1;\n\tsetp.eq.u32 %p, %a3, 0;\n\t@%p bra LOW;\n" + last + "LOW:\n" + last
	slow := strings.Repeat("\tadd.u32 %a2, %a2, %a0;\n", 8)
	for _, c := range []struct {
		name, fall, taken, deadlocks string
	}{
		{"waits, not taken", last, branches, ""},
		{"waits, taken", branches, last, ""},
		{"on its way, not taken", slow + last, branches, "SIMT deadlock"},
		{"on its way, taken", branches, slow + last, "SIMT deadlock"},
	} {
		m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .u32 %a<4>;
	.reg .pred %p;
	mov.u32 %a0, %laneid;
	setp.ge.u32 %p, %a0, 16;
	@%p bra FAR;
`+c.fall+"FAR:\n"+c.taken+"END:\n\texit;\n}"))
		require.NoError(t, err)
		p, err := testbench.Program(m, "")
		require.NoError(t, err)
		for _, mechanism := range []string{"barrier", "ptpc", "dpe", "multipath", "subwarp", "dwf"} {
			s, err := testbench.NewSession(under(mechanism), testbench.Limits{MaxCycles: 1_000_000})
			require.NoError(t, err)
			err = Run(s, testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}})
			if mechanism == "dpe" && c.deadlocks != "" {
				assert.ErrorContains(t, err, c.deadlocks, c.name)
			} else {
				assert.NoError(t, err, "%s: %s", mechanism, c.name)
			}
		}
	}
}

// TestPairBelowABarrier puts the paths of the top pair at one bar.sync each. Another path of the
// warp is on its way to a third one. Paired-path comparison cannot run it before the two meet. No
// thread continues without it.
func TestPairBelowABarrier(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .u32 %a<4>;
	.reg .pred %p;
	mov.u32 %a0, %laneid;
	setp.ge.u32 %p, %a0, 16;
	@%p bra FAR;
	setp.lt.u32 %p, %a0, 8;
	@%p bra LOW;
	bar.sync 0;
	bra END;
LOW:
	bar.sync 0;
	bra END;
FAR:
	bar.sync 0;
END:
	exit;
}`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, mechanism := range []string{"barrier", "ptpc", "dpe", "multipath", "dwf", "ppc", "ppc-explicit"} {
		s, err := testbench.NewSession(under(mechanism), testbench.Limits{MaxCycles: 1_000_000})
		require.NoError(t, err)
		err = Run(s, testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}})
		if strings.HasPrefix(mechanism, "ppc") {
			assert.ErrorContains(t, err, "SIMT deadlock", mechanism)
		} else {
			assert.NoError(t, err, mechanism)
		}
	}
}
