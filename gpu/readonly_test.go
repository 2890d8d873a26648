package gpu_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
)

// straight returns a program of n instructions and one loop-free path.
func straight(t *testing.T, n int) *isa.Program {
	t.Helper()
	p := program(t, strings.Repeat("add.u32 %r1, %r2, 7;\n", n-6)+"exit;")
	require.Len(t, p.Insts, n)
	return p
}

// fetching is a machine of one SM with an instruction cache.
func fetching(size, line int, prefetch bool) gpu.Config {
	c := small()
	c.GPU.SMs = 1
	c.ICache.Size, c.ICache.Assoc, c.ICache.Line, c.ICache.Prefetch = size, size/line, line, prefetch
	return c
}

// fetches runs a loaded machine and returns the counts of its instruction cache in the run.
func fetches(t *testing.T, m *gpu.Machine) memsys.ReadCacheCounters {
	t.Helper()
	before := *m.Units[0].ICache.Count.Q()
	require.Equal(t, gpu.Finished, m.Run(nil, 1e6))
	n := *m.Units[0].ICache.Count.Q()
	n.Reads -= before.Reads
	n.Hits -= before.Hits
	n.Misses -= before.Misses
	n.PrefetchHits -= before.PrefetchHits
	return n
}

// TestFetchMisses counts the misses of one warp that runs instructions in a row: one for each line.
// The instructions of a line after the first one hit.
func TestFetchMisses(t *testing.T) {
	const n, line = 75, 64
	lines := uint64(n*8+line-1) / line
	c := fetching(4096, line, false)
	c.SM.FetchWidth, c.SM.IBuffer = 1, 1
	m := load(t, c, straight(t, n), 1, 32)
	got := fetches(t, m)
	assert.Equal(t, memsys.ReadCacheCounters{Reads: n, Hits: n - lines, Misses: lines}, got)
	slow := m.Cycles()

	c.ICache.Prefetch = true
	m = load(t, c, straight(t, n), 1, 32)
	got = fetches(t, m)
	assert.Equal(t, lines, got.Misses+got.PrefetchHits, "each line is missed, or was requested before")
	assert.EqualValues(t, 1, got.Misses, "after the first miss each line is requested one line ahead")
	assert.Less(t, m.Cycles(), slow)

	c.ICache.Size = 0
	m = load(t, c, straight(t, n), 1, 32)
	require.Equal(t, gpu.Finished, m.Run(nil, 1e6))
	assert.Less(t, m.Cycles()+(lines-1)*50, slow, "the warp waits for each line")
}

// TestFetchOfALine: a fetch reads instructions of one line, however wide it is.
func TestFetchOfALine(t *testing.T) {
	const n = 75
	c := fetching(1024, 32, false)
	c.SM.FetchWidth, c.SM.IBuffer = 8, 8
	got := fetches(t, load(t, c, straight(t, n), 1, 32))
	assert.EqualValues(t, (n*8+31)/32, got.Misses)
	assert.Zero(t, got.Hits, "the slot takes all instructions of a line when it comes")
}

// TestFetchOfALoop: a loop of more lines than the cache has misses each of them in every round, with
// LRU; a loop that fits misses each once.
func TestFetchOfALoop(t *testing.T) {
	const rounds = 10
	body := "mov.u32 %r5, 0;\nLOOP:\n" + strings.Repeat("add.u32 %r4, %r4, 1;\n", 21) +
		"add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 10;\n@%p1 bra LOOP;\nexit;"
	p := program(t, body)
	first, last := uint64(6*8/64), uint64(6+23)*8/64 // lines of the loop
	all := uint64(len(p.Insts)*8+63) / 64
	got := fetches(t, load(t, fetching(1024, 64, false), p, 1, 32))
	assert.Equal(t, all, got.Misses)
	got = fetches(t, load(t, fetching(128, 64, false), p, 1, 32))
	assert.Equal(t, (last-first+1)*rounds+all-last-1, got.Misses)
}

// TestFetchOfKernels: kernels have their own lines, which stay from one launch to the next.
func TestFetchOfKernels(t *testing.T) {
	c := fetching(4096, 64, false)
	one, two := straight(t, 40), straight(t, 48)
	m := load(t, c, one, 1, 32)
	assert.EqualValues(t, 5, fetches(t, m).Misses)
	k := *m.SMs[0].Kernel()
	k.Prog = two
	require.NoError(t, m.Load(k))
	assert.EqualValues(t, 6, fetches(t, m).Misses)
	k.Prog = one
	require.NoError(t, m.Load(k))
	assert.Zero(t, fetches(t, m).Misses)
}

// TestFetchOfWarps: warps that wait for the same line share one request, and all go on.
func TestFetchOfWarps(t *testing.T) {
	const n, line = 75, 64
	got := fetches(t, load(t, fetching(4096, line, false), straight(t, n), 3, 256))
	assert.EqualValues(t, (n*8+line-1)/line, got.Misses)
	assert.NotZero(t, got.Merges)
}

// TestFetchSleeps: warps at eight places take turns with an instruction cache of one line and one
// MSHR. Nearly all cycles are latency, in which the SM has nothing to do: it evaluates no process in
// most of them, although more requests wait than the cache can take.
func TestFetchSleeps(t *testing.T) {
	var body strings.Builder
	for warp := range 8 {
		fmt.Fprintf(&body, "setp.ge.u32 %%p1, %%r1, %d;\n@%%p1 bra L%d;\n%sexit;\nL%d:\n", 32*(warp+1), warp,
			strings.Repeat("add.u32 %r1, %r1, 0;\n", 16), warp)
	}
	c := fetching(64, 64, false)
	c.ICache.MSHRs, c.Icnt.Latency, c.L2.Latency = 1, 100, 200
	m := load(t, c, program(t, body.String()+"exit;"), 1, 256)
	require.Equal(t, gpu.Finished, m.Run(nil, 1e6))
	assert.Less(t, m.System().Sims()[0].Evals(), m.Cycles()/2)
}

// TestReadOnlyCaches: caches do not change what a kernel computes.
func TestReadOnlyCaches(t *testing.T) {
	p := program(t, mixed)
	want := load(t, small(), p, 6, 96)
	require.Equal(t, gpu.Finished, want.Run(nil, 1e6))
	for _, prefetch := range []bool{false, true} {
		for _, size := range []int{0, 64, 1024} {
			c := small()
			c.ICache.Size, c.ICache.Assoc, c.ICache.MSHRs, c.ICache.Prefetch = size, 1, 1, prefetch
			c.Const.Size, c.Const.Assoc = 64, 1
			c.Texture.Size, c.Texture.Assoc = size, 1
			m := load(t, c, p, 6, 96)
			require.Equal(t, gpu.Finished, m.Run(nil, 1e6))
			assert.Equal(t, words(t, want, 6*96), words(t, m, 6*96), fmt.Sprintf("icache of %d bytes", size))
		}
	}
}

// TestParametersOfALaunch: each launch reads its own parameters, although L2 and constant cache had
// those of the launch before.
func TestParametersOfALaunch(t *testing.T) {
	c := small()
	c.GPU.SMs, c.L2.Keep = 1, true
	c.Const.Size, c.Const.Assoc = 1024, 4
	m := load(t, c, program(t, "mov.u32 %r3, 7; st.global.u32 [%rd0], %r3; exit;"), 1, 32)
	require.Equal(t, gpu.Finished, m.Run(nil, 1e6))
	k := *m.SMs[0].Kernel()
	k.Params = binary.LittleEndian.AppendUint64(nil, isa.GlobalBase+8)
	require.NoError(t, m.Load(k))
	require.Equal(t, gpu.Finished, m.Run(nil, 1e6))
	assert.Equal(t, []uint32{7, 0, 7, 0}, words(t, m, 4))
	assert.Equal(t, memsys.ReaderCounters{Accesses: 2, Places: 2}, *m.Units[0].Const.Count.Q())
	assert.EqualValues(t, 2, m.Units[0].ConstCache.Count.Q().Misses, "the lines go at the end of a kernel")
}

// TestTexelsOfALaunch: each launch reads what the launch before has stored, although the texture
// cache had the line. Only default loads with .nc pass the cache.
func TestTexelsOfALaunch(t *testing.T) {
	c := small()
	c.GPU.SMs = 1
	c.Texture.Size, c.Texture.Assoc = 1024, 4
	m := load(t, c, program(t, `ld.global.nc.u32 %r1, [%rd0];
		ld.global.nc.cg.u32 %r2, [%rd0];
		ld.global.u32 %r3, [%rd0];
		bar.sync 0;
		add.u32 %r1, %r1, %r2;
		add.u32 %r1, %r1, %r3;
		add.u32 %r1, %r1, 1;
		st.global.u32 [%rd0], %r1;
		exit;`), 1, 32)
	for _, want := range []uint32{1, 4, 13} {
		require.NoError(t, m.Load(*m.SMs[0].Kernel()))
		require.Equal(t, gpu.Finished, m.Run(nil, 1e6))
		assert.Equal(t, []uint32{want}, words(t, m, 1))
	}
	assert.Equal(t, memsys.ReaderCounters{Accesses: 3, Places: 3}, *m.Units[0].Texture.Count.Q())
	assert.EqualValues(t, 3, m.Units[0].TextureCache.Count.Q().Misses, "the lines go at the end of a kernel")
}

// TestParameterFault: a read behind the parameters is a fault, as without a constant cache.
func TestParameterFault(t *testing.T) {
	for _, size := range []int{0, 1024} {
		c := small()
		c.Const.Size = size
		p := program(t, "mov.u64 %rd1, buffer;\nld.param.u64 %rd2, [%rd1+8];\nexit;")
		m := load(t, c, p, 1, 32)
		require.Equal(t, gpu.Faulted, m.Run(nil, 1e6))
		f, _ := m.SMs[0].Fault()
		assert.Equal(t, sm.OutOfBounds, f.Kind)
	}
}
