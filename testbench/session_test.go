package testbench

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm"
)

// kernel lowers an entry with the given parameters, module variables and body.
func kernel(t *testing.T, file, module, params, body string) *isa.Program {
	t.Helper()
	src := ".version 4.2\n.target sm_35\n.address_size 64\n" + module + "\n.entry k(" + params +
		") {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<4>;\n" + body + "\n}\n"
	m, err := ptx.Parse(file, []byte(src))
	require.NoError(t, err)
	p, err := Program(m, "k")
	require.NoError(t, err)
	return p
}

// small returns a machine of two SMs.
func small() gpu.Config {
	c := gpu.Default()
	c.GPU.SMs, c.L2.Size = 2, 64<<10
	return c
}

func session(t *testing.T, limits Limits) *Session {
	t.Helper()
	s, err := NewSession(small(), limits)
	require.NoError(t, err)
	return s
}

func one(p *isa.Program, block uint32, params ...byte) Launch {
	return Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{block, 1, 1}, Params: params}
}

// storeAt makes each thread store a value at data + 4*tid.
const storeAt = `
	ld.param.u64 %rd1, [data];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	`

func TestPlaceAndRun(t *testing.T) {
	p := kernel(t, "k.ptx", "", ".param .u64 data, .param .u32 n", storeAt+`
	ld.param.u32 %r2, [n];
	ld.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, %r2;
	st.global.u32 [%rd1], %r3;
	exit;`)
	s := session(t, Limits{})
	var args []Arg
	for _, spec := range []string{"buf:iota:u32:40", "u32:1000"} {
		a, err := ParseArg(spec, 1)
		require.NoError(t, err)
		args = append(args, a)
	}
	bank, buffers, err := s.Place(p, args)
	require.NoError(t, err)
	require.Equal(t, []Buffer{{0, isa.GlobalBase, 160}}, buffers)
	require.NoError(t, s.Launch(one(p, 40, bank...)))

	out := make([]byte, 160)
	s.Read(buffers[0].Addr, out)
	require.NoError(t, s.Err())
	for i := range 40 {
		assert.EqualValues(t, 1000+i, binary.LittleEndian.Uint32(out[4*i:]))
	}
	c := s.Counters()
	assert.EqualValues(t, 2*9, c.Instructions, "two warps of 9 instructions")
	assert.EqualValues(t, 40*9, c.Lanes)
}

// TestCountersAddUp checks that every SM cycle is in one class, and every instruction in one bin.
func TestCountersAddUp(t *testing.T) {
	p := kernel(t, "k.ptx", "", ".param .u64 data", storeAt+`
	st.global.u32 [%rd1], %r1;
	and.b32 %r2, %r1, 3;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra L;
	add.u32 %r2, %r2, 1;
L:	exit;`)
	s := session(t, Limits{})
	data := s.Alloc(4 * 100)
	for range 3 {
		require.NoError(t, s.Launch(one(p, 100, binary.LittleEndian.AppendUint64(nil, data)...)))
	}
	require.Len(t, s.Runs, 3)
	total := s.Counters()
	var cycles uint64
	for i := range s.Runs {
		c := &s.Runs[i].Counters
		cycles += c.Cycles
		assert.EqualValues(t, 4, c.Divergence.Branches, "a branch for each of the 4 warps")
		assert.EqualValues(t, 4, c.Divergence.Divergent)
		assert.EqualValues(t, 100*10-25, c.Lanes, "every fourth thread leaves one instruction out")
		assert.EqualValues(t, 2, c.Divergence.MaxDepth, "the base entry and the paths above it")
	}
	assert.Equal(t, cycles, total.Cycles)
	assert.EqualValues(t, 2, total.Divergence.MaxDepth)

	var classes, issued, lanes uint64
	for _, n := range total.Classes {
		classes += n
	}
	for k, n := range total.Active {
		issued += n
		lanes += uint64(k) * n
	}
	assert.Equal(t, 2*total.Cycles, classes, "two SMs")
	assert.Equal(t, total.SMCycles, classes)
	assert.Equal(t, total.Instructions, issued)
	assert.Equal(t, total.Lanes, lanes)
	assert.Equal(t, 4*total.Instructions, total.Classes.Issue(), "a warp enters 8 lanes in 4 cycles")
}

func TestStatsAreNamedOnceAndComputed(t *testing.T) {
	s := session(t, Limits{})
	p := kernel(t, "k.ptx", "", "", "exit;")
	require.NoError(t, s.Launch(one(p, 48)))
	c := s.Counters()
	seen := map[string]any{}
	for _, stat := range Stats() {
		assert.NotContains(t, seen, stat.Name)
		assert.NotEmpty(t, stat.Doc, stat.Name)
		assert.NotEmpty(t, stat.Source, stat.Name)
		seen[stat.Name] = stat.Value(&c)
	}
	assert.EqualValues(t, 2, seen["warp_instructions"])
	assert.EqualValues(t, 48, seen["thread_instructions"])
	assert.InDelta(t, 0.75, seen["simd_efficiency"], 1e-12, "48 of 2 x 32 lanes")
	assert.InDelta(t, 48/float64(c.Cycles), seen["ipc"], 1e-12)
	histogram := seen["active_lane_histogram"].([]uint64)
	require.Len(t, histogram, 33)
	assert.EqualValues(t, 1, histogram[16])
	assert.EqualValues(t, 1, histogram[32])
	for _, name := range []string{"cycles", "cycle_breakdown"} {
		assert.Contains(t, seen, name)
	}
}

func TestFaultIsExplained(t *testing.T) {
	p := kernel(t, "f.ptx", "", ".param .u64 data", storeAt+`
	st.global.u32 [%rd1], %r1;
	exit;`)
	s := session(t, Limits{})
	data := s.Alloc(4 * 33)
	err := s.Launch(one(p, 64, binary.LittleEndian.AppendUint64(nil, data)...))
	var o *Outcome
	require.ErrorAs(t, err, &o)
	assert.Equal(t, gpu.Faulted, o.End)
	require.NotNil(t, o.Fault)
	assert.Equal(t, [3]uint32{33, 0, 0}, o.Fault.Thread, "the first thread behind the end")
	assert.EqualValues(t, 4, o.Fault.PC)
	assert.Equal(t, data+4*33, o.Fault.Addr)
	assert.Equal(t, "f.ptx:15", o.Fault.Where)
	assert.ErrorContains(t, err, "0 bytes behind the end of the allocation [0x10000000, 0x10000084)")
	assert.ErrorContains(t, err, "st.global.u32 [%rd1], %r1")

	s = session(t, Limits{})
	s.Alloc(4)
	err = s.Launch(one(p, 1, binary.LittleEndian.AppendUint64(nil, isa.GlobalBase-8)...))
	assert.ErrorContains(t, err, "8 bytes before the allocation")
}

func TestDeadlockSaysWhoWaits(t *testing.T) {
	p := kernel(t, "d.ptx", "", "", `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bra L;
	bar.sync 1, 64;
	exit;
L:	bar.sync 2, 64;
	exit;`)
	s := session(t, Limits{})
	var o *Outcome
	require.ErrorAs(t, s.Launch(one(p, 64)), &o)
	assert.Equal(t, gpu.Deadlock, o.End)
	require.Len(t, o.Waiting, 2)
	for i, w := range o.Waiting {
		assert.Equal(t, i, w.Warp)
		assert.Equal(t, "waits at a barrier", w.Reason)
		assert.Equal(t, "ffffffff", w.Mask)
	}
	assert.EqualValues(t, 5, o.Waiting[0].PC)
	assert.EqualValues(t, 3, o.Waiting[1].PC)
	assert.ErrorContains(t, o, "warp 1 lanes ffffffff: waits at a barrier at d.ptx:13, PC 3: bar.sync 1, 64")
}

func TestLimits(t *testing.T) {
	p := kernel(t, "l.ptx", "", "", `
L:	add.u32 %r1, %r1, 1;
	bra L;
	exit;`)
	var o *Outcome
	s := session(t, Limits{MaxCycles: 3000})
	require.ErrorAs(t, s.Launch(one(p, 1)), &o)
	assert.Equal(t, gpu.OutOfTime, o.End)
	assert.EqualValues(t, 3000, o.Cycle)
	require.Len(t, o.Waiting, 1)
	assert.EqualError(t, s.Launch(one(p, 1)),
		"launch 1 did not finish, and the machine stands where it stopped: Reset first")
	s.Reset()
	require.ErrorAs(t, s.Launch(one(p, 1)), &o)

	asked := 0
	require.ErrorAs(t, session(t, Limits{Stop: func() bool { asked++; return asked == 5 }}).Launch(one(p, 1)), &o)
	assert.Equal(t, gpu.Stopped, o.End)
	assert.Equal(t, 5, asked)
}

// TestModuleVariables checks the values of module variables. They get their initial values once,
// and keep the stores of kernels, whatever is launched between. A module is one parsed text,
// whatever its name, and has its variables once for all of its kernels.
func TestModuleVariables(t *testing.T) {
	const body = `
	ld.param.u64 %rd1, [data];
	ld.global.u32 %r1, [counter];
	add.u32 %r1, %r1, 1;
	st.global.u32 [counter], %r1;
	st.global.u32 [%rd1], %r1;
	exit;`
	const variables = ".global .u32 counter = 41;\n.global .u32 other[3] = {1, 2};"
	p := kernel(t, "k.ptx", variables, ".param .u64 data", body)
	q := kernel(t, "k.ptx", ".global .u32 counter = 10;", ".param .u64 data", body)
	const entry = "(.param .u64 data) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" + body + "\n}\n"
	m, err := ptx.Parse("k.ptx", []byte(".version 4.2\n.target sm_35\n.address_size 64\n.global .u32 counter = 70;\n.entry first "+entry+".entry second "+entry))
	require.NoError(t, err)
	first, err := Program(m, "first")
	require.NoError(t, err)
	second, err := Program(m, "second")
	require.NoError(t, err)
	s := session(t, Limits{})
	data := s.Alloc(4)
	params := binary.LittleEndian.AppendUint64(nil, data)
	for _, step := range []struct {
		p    *isa.Program
		want uint32
	}{{p, 42}, {p, 43}, {q, 11}, {p, 44}, {first, 71}, {q, 12}, {second, 72}, {p, 45}} {
		require.NoError(t, s.Launch(one(step.p, 1, params...)))
		got := make([]byte, 4)
		s.Read(data, got)
		require.NoError(t, s.Err())
		assert.Equal(t, step.want, binary.LittleEndian.Uint32(got))
	}
}

// TestModuleVariablesEnd checks that the variables of a module are gone when another one is
// launched.
func TestModuleVariablesEnd(t *testing.T) {
	p := kernel(t, "a.ptx", ".global .u32 x = 1;", "", "ld.global.u32 %r1, [x]; exit;")
	q := kernel(t, "b.ptx", "", "",
		fmt.Sprintf("mov.u64 %%rd1, %d; ld.global.u32 %%r1, [%%rd1]; exit;", isa.ModuleBase))
	s := session(t, Limits{})
	require.NoError(t, s.Launch(one(p, 1)))
	var o *Outcome
	require.ErrorAs(t, s.Launch(one(q, 1)), &o)
	assert.Equal(t, gpu.Faulted, o.End)
}

func TestHostErrorsAreRemembered(t *testing.T) {
	p := kernel(t, "k.ptx", "", "", "exit;")
	for _, test := range []struct {
		do   func(s *Session)
		want string
	}{
		{func(s *Session) { s.Alloc(-1) }, "device memory: -1 bytes asked for"},
		{func(s *Session) { s.Write(64, []byte{1}) }, "never mapped"},
		{func(s *Session) { s.Read(64, []byte{1}) }, "never mapped"},
	} {
		s := session(t, Limits{})
		test.do(s)
		assert.ErrorContains(t, s.Err(), test.want)
		assert.ErrorContains(t, s.Launch(one(p, 1)), test.want)
	}
}

func TestLaunchCheck(t *testing.T) {
	free := kernel(t, "k.ptx", ".shared .u32 room[1024];", ".param .u32 n", "mov.u32 %r1, room; exit;")
	c := small()
	o, err := (&Launch{
		Prog: free, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1},
		Params: make([]byte, 4),
	}).Check(&c)
	require.NoError(t, err)
	assert.Equal(t, sm.Occupancy{CTAs: 4, Limit: "shared memory"}, o, "16 KiB for blocks of 4 KiB")

	for _, test := range []struct {
		change func(*Launch)
		want   string
	}{
		{func(l *Launch) { l.Grid[1] = 0 }, "grid 1x0x1: 0 CTAs in y, want 1 to 65535"},
		{func(l *Launch) { l.Grid[2] = 65536 }, "grid 1x1x65536: 65536 CTAs in z, want 1 to 65535"},
		{func(l *Launch) { l.Block[0] = 0 }, "block 0x1x1: 0 threads in x, want 1 to 1024"},
		{func(l *Launch) { l.Block[2] = 65 }, "block 64x1x65: 65 threads in z, want 1 to 64"},
		{func(l *Launch) { l.Block = [3]uint32{1024, 1024, 64} }, "needs 67108864 threads, an SM has 1024"},
		{func(l *Launch) { l.Shared = 1 << 30 }, "1073741824 bytes of dynamic shared memory, want at most"},
		{func(l *Launch) { l.Shared = 12<<10 + 1 }, "needs 16385 bytes of shared memory, an SM has 16384"},
		{func(l *Launch) { l.Params = nil }, "k takes 4 bytes of parameters, the launch gives 0"},
	} {
		l := one(free, 64, 0, 0, 0, 0)
		test.change(&l)
		_, err := l.Check(&c)
		assert.ErrorContains(t, err, test.want)
	}
}

func TestParseDim(t *testing.T) {
	for _, test := range []struct {
		text string
		want [3]uint32
	}{{"7", [3]uint32{7, 1, 1}}, {"7,8", [3]uint32{7, 8, 1}}, {"0, 1,4294967295", [3]uint32{0, 1, 1<<32 - 1}}} {
		got, err := ParseDim(test.text)
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
	}
	for _, text := range []string{"", "1,2,3,4", "1,,2", "-1", "4294967296", "1x2"} {
		_, err := ParseDim(text)
		assert.ErrorContains(t, err, "want X, X,Y or X,Y,Z", text)
	}
}

// TestEveryCounterIsInAStatistic checks that no counter of the machine is missing from the table.
// The memory-stall matrix is a summary of counters of the L1 and the coalescer.
func TestEveryCounterIsInAStatistic(t *testing.T) {
	var leaves func(v reflect.Value, path string, visit func(path string, leaf reflect.Value))
	leaves = func(v reflect.Value, path string, visit func(string, reflect.Value)) {
		switch v.Kind() {
		case reflect.Uint64:
			visit(path, v)
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					leaves(v.Field(i), path+"."+f.Name, visit)
				}
			}
		case reflect.Array:
			for i := range v.Len() {
				leaves(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
			}
		}
	}
	base := Counters{warpSize: isa.MaxLanes}
	leaves(reflect.ValueOf(&base).Elem(), "", func(_ string, leaf reflect.Value) { leaf.SetUint(1000) })
	changed := base
	leaves(reflect.ValueOf(&changed).Elem(), "", func(path string, leaf reflect.Value) {
		for _, elsewhere := range []string{
			".SMCycles", ".L1.Stalls", ".Coalescer.Coalescing", ".ConstCache.Stalls", ".Const.Conflicts",
			".ConstCache.Prefetch", ".TextureCache.Stalls", ".Texture.Conflicts", ".TextureUnit.Conflicts", ".TextureCache.Prefetch",
		} {
			if strings.HasPrefix(path, elsewhere) || strings.HasPrefix(path, ".Stalls") &&
				strings.HasSuffix(path, "[0]") {
				return
			}
		}
		leaf.SetUint(2000)
		seen := false
		for _, s := range Stats() {
			seen = seen || !reflect.DeepEqual(s.Value(&base), s.Value(&changed))
		}
		assert.True(t, seen, path)
		leaf.SetUint(1000)
	})
}

// TestReset checks that a session after a reset behaves like a new one.
func TestReset(t *testing.T) {
	p := kernel(t, "k.ptx", ".global .u32 count = 5;", ".param .u64 data", storeAt+`
	ld.global.u32 %r2, [count];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%rd1], %r2;
	st.global.u32 [count], %r2;
	exit;`)
	s := session(t, Limits{})
	results := func() (out [4]byte, cycles uint64) {
		a := s.Alloc(128)
		require.NoError(t, s.Launch(one(p, 32, binary.LittleEndian.AppendUint64(nil, a)...)))
		s.Read(a+124, out[:])
		require.NoError(t, s.Err())
		require.Len(t, s.Runs, 1)
		return out, s.Runs[0].Counters.Cycles
	}
	first, cycles := results()
	require.Equal(t, [4]byte{6}, first)
	s.Reset()
	again, same := results()
	assert.Equal(t, first, again)
	assert.Equal(t, cycles, same)
}

// TestModulesSideBySide checks that variables at addresses of their own stay in place, and that
// each module can reach the other's.
func TestModulesSideBySide(t *testing.T) {
	const first, second = isa.ModuleBase + 256, isa.ModuleBase + 512
	at := func(base uint64, name string) *isa.Program {
		m, err := ptx.ParseAt("k.ptx", []byte(".version 6.4\n.target sm_60\n.address_size 64\n.global .u32 "+name+` = 5;
.entry k() { .reg .u32 %r<3>; ld.global.u32 %r1, [`+name+`]; add.u32 %r1, %r1, 1; st.global.u32 [`+name+"], %r1; exit; }"), base)
		require.NoError(t, err)
		assert.Equal(t, base+256, m.End())
		p, err := Program(m, "k")
		require.NoError(t, err)
		assert.Equal(t, base, p.Globals[0].Addr)
		return p
	}
	s := session(t, Limits{})
	a, b := at(first, "a"), at(second, "b")
	for range 3 {
		require.NoError(t, s.Launch(one(a, 1)))
		require.NoError(t, s.Launch(one(b, 1)))
	}
	data := make([]byte, 4)
	for _, addr := range []uint64{first, second} {
		require.NoError(t, s.Memory().Check(addr, 4))
		s.Read(addr, data)
		assert.Equal(t, []byte{8, 0, 0, 0}, data)
	}
	require.NoError(t, s.Err())
}
