package testbench

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
)

// TestSamplingRule checks which launches are simulated.
func TestSamplingRule(t *testing.T) {
	p := Sampling{Every: 4}
	l := Launch{Prog: &isa.Program{}}
	var simulated []bool
	for range 85 {
		simulated = append(simulated, p.next(&l, 1000))
	}
	for i := range 5 {
		assert.True(t, simulated[i], "launch %d is one of the first five", i)
	}
	places := map[int]bool{}
	for i := 8; i < 84; i += 4 {
		assert.Contains(t, simulated[i:i+4], true, "launches from %d on", i)
	}
	for i := 5; i < 84; i++ {
		if simulated[i] && !simulated[i-1] {
			places[i%4] = true
			assert.Equal(t, cold, p.units[i].state)
			assert.True(t, simulated[i+1], "launch %d is behind a cold one", i+1)
			assert.Equal(t, warm, p.units[i+1].state)
		}
	}
	assert.Greater(t, len(places), 2, "the place changes")
	assert.True(t, p.next(&l, 1280), "more work: another stratum")
	assert.Same(t, p.units[0].stratum, p.units[1].stratum)
	p.next(&l, 1023)
	assert.Same(t, p.units[0].stratum, p.units[len(p.units)-1].stratum, "as much work but for an eighth")
	for _, other := range []Launch{
		{Prog: &isa.Program{}}, {Prog: l.Prog, Shared: 4}, {Prog: l.Prog, Grid: [3]uint32{2}}, {Prog: l.Prog, Block: [3]uint32{2}},
	} {
		p.next(&other, 1000)
		assert.NotSame(t, p.units[0].stratum, p.units[len(p.units)-1].stratum)
	}
}

// sampledUnits makes a session's launches of one stratum.
func sampledUnits(list ...unit) *Sampling {
	t := &stratum{}
	p := &Sampling{Every: 4, order: []*stratum{t}}
	for _, u := range list {
		u.stratum = t
		p.units = append(p.units, u)
	}
	return p
}

// TestSamplingEstimate checks estimates against figures computed by hand.
func TestSamplingEstimate(t *testing.T) {
	is := func(state unitState, work, cycles float64) unit {
		return unit{work: work, cycles: cycles, state: state}
	}
	// Equal launches; the cold one takes a tenth more. Of seven launches three are predicted.
	e := sampledUnits(is(undivided, 8, 100), is(undivided, 8, 100), is(undivided, 8, 100), is(skipped, 8, 0),
		is(skipped, 8, 0), is(cold, 8, 110), is(warm, 8, 100)).Estimate()
	assert.Equal(t, 5, e.Simulated)
	assert.InDelta(t, 700, e.Cycles, 1e-9)
	assert.InDelta(t, 0.1*300, e.Bound, 1e-9)

	// The first launch predicts nothing. The others have the mean 12 and the variance 4; two more have the
	// variance 4 (2 + 4/3). With two degrees of freedom t is c sqrt(2 / (1 - c²)) for the confidence c.
	e = sampledUnits(is(undivided, 8, 50), is(undivided, 8, 10), is(undivided, 8, 12), is(undivided, 8, 14),
		is(skipped, 8, 0), is(skipped, 8, 0)).Estimate()
	assert.InDelta(t, 50+36+24, e.Cycles, 1e-9)
	assert.InDelta(t, 0.997*math.Sqrt(2/(1-0.997*0.997))*math.Sqrt(4*(2+4./3)), e.Bound, 1e-6)

	// A fifth more work takes between 100 and 120 cycles.
	e = sampledUnits(is(undivided, 10, 1), is(undivided, 10, 100), is(undivided, 10, 100), is(skipped, 12, 0)).Estimate()
	assert.InDelta(t, 201+110, e.Cycles, 1e-9)
	assert.InDelta(t, 10, e.Bound, 1e-9)

	// Nothing is known of cold launches: they may be wrong by as much as they take.
	e = sampledUnits(is(cold, 8, 70), is(cold, 8, 70)).Estimate()
	assert.InDelta(t, 140, e.Cycles, 1e-9)
	assert.InDelta(t, 140, e.Bound, 1e-9)

	// Bounds of divided launches add, that of the second one also for the launch it predicts.
	divided := unit{work: 8, cycles: 100, bound: 6, divided: true, state: undivided}
	e = sampledUnits(divided, divided, divided, is(skipped, 8, 0)).Estimate()
	assert.Equal(t, 3, e.Divided)
	assert.InDelta(t, 400, e.Cycles, 1e-9)
	assert.InDelta(t, 24, e.Bound, 1e-9)
}

// TestExtrapolate checks the cycles of a divided launch against figures computed by hand.
func TestExtrapolate(t *testing.T) {
	// A short part measures 2 cycles an instruction, the late waves of the first one 1.
	short := timing{[]float64{0, 60, 80, 100}, []float64{0, 20, 30, 45}}
	first := timing{[]float64{0, 60, 80, 380, 400, 420}, []float64{0, 20, 30, 300, 320, 330}}
	cycles, bound := extrapolate([]timing{first, short, short}, 825)
	// Start 400 with 320 instructions, end 40 with 25, and between them 480 at 2 or 1.
	assert.InDelta(t, 400+40+480*1.5, cycles, 1e-9)
	assert.InDelta(t, 480, bound, 1e-9)

	// Parts of 1, 2 and 3 cycles an instruction: the standard error of the mean is 1/sqrt(3).
	part := func(c float64) timing {
		return timing{[]float64{0, 60, 60 + 10*c, 60 + 10*c, 60 + 12*c, 60 + 12*c}, []float64{0, 20, 30, 30, 32, 32}}
	}
	_, bound = extrapolate([]timing{part(1), part(2), part(3)}, 32+12+100)
	assert.InDelta(t, 100*0.997*math.Sqrt(2/(1-0.997*0.997))/math.Sqrt(3), bound, 1e-6)
}

// TestParts checks that the parts of a launch lie apart, from its start to its end.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		every        int
		ctas, wave   uint64
		parts, waves int
	}{
		{4, 199, 1, 0, 0},
		{4, 200, 1, 10, 64 + 9*5},
		{50, 200, 1, 5, 64 + 4*5},
		{8, 40_000_003, 16, 62500, 64 + 62499*5},
	} {
		p := Sampling{Every: c.every}
		list := p.parts(c.ctas, c.wave, 7)
		require.Len(t, list, c.parts)
		end, sum := uint64(0), uint64(0)
		for i, part := range list {
			require.GreaterOrEqual(t, part.first, end)
			require.True(t, i > 0 || part.first == 0)
			end, sum = part.end, sum+part.end-part.first
		}
		if list != nil {
			assert.Equal(t, c.ctas, end)
			assert.Equal(t, uint64(c.waves)*c.wave, sum)
		}
	}
}

// ticketing is a kernel whose threads take a ticket each, and store it at their place.
const ticketing = `.version 4.2
.target sm_35
.address_size 64
.entry count(.param .u64 to, .param .u64 tickets) {
	.reg .b32 %r<5>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [to];
	ld.param.u64 %rd2, [tickets];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r3, %r1, %r2, %r3;
	mul.wide.u32 %rd3, %r3, 4;
	add.u64 %rd1, %rd1, %rd3;
	atom.global.add.u32 %r4, [%rd2], 1;
	st.global.u32 [%rd1], %r4;
	exit;
}`

// TestDivided runs a large launch whose CTAs take tickets in the order of the grid: each thread runs
// once, in whatever part it is.
func TestDivided(t *testing.T) {
	m, err := ptx.Parse("count.ptx", []byte(ticketing))
	require.NoError(t, err)
	p, err := Program(m, "")
	require.NoError(t, err)
	cfg := gpu.Default()
	cfg.GPU.SMs = 1
	var runs [2]*Session
	const block = 32
	for i, sampled := range []bool{false, true} {
		s, err := NewSession(cfg, Limits{})
		require.NoError(t, err)
		if sampled {
			s.Sample = &Sampling{Every: 8}
		}
		l := Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{block, 1, 1}, Params: make([]byte, p.ParamBytes)}
		o, err := l.Check(&cfg)
		require.NoError(t, err)
		l.Grid[0] = uint32(220 * o.CTAs)
		threads := int(l.Grid[0]) * block
		to, tickets := s.Alloc(4*threads), s.Alloc(4)
		l.Params = append(Address(to), Address(tickets)...)
		require.NoError(t, s.Launch(l))
		seen := make([]bool, threads)
		data := make([]byte, 4*threads)
		s.Read(to, data)
		for at := 0; at < len(data); at += 4 {
			ticket := int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16
			require.False(t, seen[ticket], "ticket %d", ticket)
			seen[ticket] = true
		}
		runs[i] = s
	}
	full, run := runs[0].Runs[0], runs[1].Runs[0]
	require.NotNil(t, run.Divided)
	assert.Nil(t, full.Divided)
	assert.Less(t, run.Outcome.Cycle, full.Outcome.Cycle)
	assert.InDelta(t, float64(full.Outcome.Cycle), run.Divided.Cycles, run.Divided.Bound)
	e := runs[1].Sample.Estimate()
	assert.Equal(t, Estimate{1, 1, run.Divided.Cycles, run.Divided.Bound}, e)
}
