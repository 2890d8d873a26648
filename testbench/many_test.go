package testbench

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/sm/divergence"
)

// copying is a kernel of 64 threads, each of which copies one word.
const copying = `.version 4.2
.target sm_35
.address_size 64
.entry copy(.param .u64 from, .param .u64 to) {
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [from];
	ld.param.u64 %rd2, [to];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd1, %rd1, %rd3;
	add.u64 %rd2, %rd2, %rd3;
	ld.global.u32 %r2, [%rd1];
	st.global.u32 [%rd2], %r2;
	exit;
}`

func copyLaunch(t *testing.T, cfg gpu.Config) (*Session, Launch, uint64, uint64) {
	m, err := ptx.Parse("copy.ptx", []byte(copying))
	require.NoError(t, err)
	p, err := Program(m, "")
	require.NoError(t, err)
	s, err := NewSession(cfg, Limits{})
	require.NoError(t, err)
	from, to := s.Alloc(256), s.Alloc(256)
	l := Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1},
		Params: append(Address(from), Address(to)...),
	}
	return s, l, from, to
}

// TestKeep checks an L2 that keeps its lines between launches. A launch hits all of them except the
// lines that the host has written since, and sees the new bytes of those. A line has 64 bytes.
func TestKeep(t *testing.T) {
	for _, keep := range []bool{false, true} {
		cfg := gpu.Default()
		cfg.GPU.SMs, cfg.L2.Keep = 1, keep
		s, l, from, to := copyLaunch(t, cfg)
		data := bytes.Repeat([]byte{1, 2, 3, 4}, 64)
		s.Write(from, data)
		require.NoError(t, s.Launch(l))
		require.NoError(t, s.Launch(l))
		copy(data[60:], "abcdefgh") // in two lines
		s.Write(from+60, data[60:68])
		require.NoError(t, s.Launch(l))
		got := make([]byte, 256)
		s.Read(to, got)
		assert.Equal(t, data, got, "keep %t", keep)
		s.Write(from, bytes.Repeat([]byte{5}, 256))
		require.NoError(t, s.Launch(l))
		s.Read(to, got)
		assert.Equal(t, bytes.Repeat([]byte{5}, 256), got, "keep %t", keep)
		var misses []uint64
		for i := range s.Runs {
			misses = append(misses, s.Runs[i].Counters.L2.Misses)
		}
		want := []uint64{4, 4, 4, 4}
		if keep {
			want = []uint64{4, 0, 2, 4}
		}
		assert.Equal(t, want, misses, "keep %t", keep)
	}
}

// TestKeepLarge is the same with host writes larger than the cache.
func TestKeepLarge(t *testing.T) {
	cfg := gpu.Default()
	cfg.GPU.SMs, cfg.DRAM.Channels, cfg.L2.Keep = 1, 1, true
	cfg.L2.Size, cfg.L2.Assoc = 512, 4
	s, l, from, to := copyLaunch(t, cfg)
	require.NoError(t, s.Launch(l))
	big := s.Alloc(1 << 20)
	s.Write(big, make([]byte, 1<<20))
	data := bytes.Repeat([]byte{7}, 256)
	s.Write(from, data)
	s.Write(from, append(data[:255:255], 8))
	require.NoError(t, s.Launch(l))
	got := make([]byte, 256)
	s.Read(to, got)
	assert.Equal(t, append(data[:255:255], 8), got)
}

// TestEmulates checks that launches on the functional model change memory like the machine's, count
// nothing, and are listed.
func TestEmulates(t *testing.T) {
	cfg := gpu.Default()
	cfg.GPU.SMs, cfg.L2.Keep = 1, true
	for _, m := range divergence.Mechanisms() {
		cfg.Divergence.Mechanism = m.Name
		s, l, from, to := copyLaunch(t, cfg)
		s.Emulates = func(number int) bool { return number == 2 }
		loaded := 0
		s.OnLaunch.Add(func(*Loaded) { loaded++ })
		got := make([]byte, 256)
		for i := range byte(3) {
			data := bytes.Repeat([]byte{i + 1}, 256)
			s.Write(from, data)
			require.NoError(t, s.Launch(l))
			s.Read(to, got)
			assert.Equal(t, data, got)
		}
		assert.Equal(t, 2, loaded)
		require.Len(t, s.Runs, 3)
		assert.True(t, s.Runs[1].Emulated)
		assert.False(t, s.Runs[2].Emulated)
		for _, stat := range Stats() {
			switch v := stat.Value(&s.Runs[1].Counters).(type) {
			case uint64:
				assert.Zero(t, v, "%s, %s", m.Name, stat.Name)
			case float64:
				assert.Zero(t, v, "%s, %s", m.Name, stat.Name)
			}
		}
		c := s.Counters()
		assert.Equal(t, s.Runs[0].Counters.Cycles+s.Runs[2].Counters.Cycles, c.Cycles)
	}
}

// TestEmulatedFaults checks the report of a launch that fails on the functional model.
func TestEmulatedFaults(t *testing.T) {
	s, l, _, _ := copyLaunch(t, gpu.Default())
	s.Emulates = func(int) bool { return true }
	l.Block[0] = 80
	err := s.Launch(l)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "fault: out of bounds, 4 bytes of global memory")
	assert.Contains(t, err.Error(), "thread (64,0,0) of CTA (0,0,0), emulated\n  at copy.ptx:13, PC 6: ld.global.u32")
	assert.ErrorContains(t, s.Launch(l), "did not finish")

	m, err := ptx.Parse("wait.ptx",
		[]byte(".version 7.0\n.target sm_35\n.address_size 64\n.entry wait() {\n.reg .pred %p;\n.reg .u32 %r;\nmov.u32 %r, %tid.x;\nsetp.ne.u32 %p, %r, 0;\n@%p bar.sync 0, 64;\nexit;\n}"))
	require.NoError(t, err)
	p, err := Program(m, "")
	require.NoError(t, err)
	s.Reset()
	err = s.Launch(Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{2, 1, 1}})
	assert.ErrorContains(t, err, "deadlock")
	assert.ErrorContains(t, err, "emulated, CTA (0,0,0) warp 0 lanes 00000003: waits at a barrier at wait.ptx:9")

	asked := 0
	s.Reset()
	s.Limits.Stop = func() bool { asked++; return true }
	err = s.Launch(Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{2, 1, 1}})
	assert.ErrorContains(t, err, "interrupted")
	assert.Equal(t, 1, asked)
}
