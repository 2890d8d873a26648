package golden

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/ptx"
)

// program lowers a kernel with the given body. It has parameters out (u64) and
// n (u32) and some registers of each kind.
func program(t testing.TB, body string) *isa.Program {
	t.Helper()
	src := `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .pred %p<4>;
	.reg .b16 %h<4>;
	.reg .b32 %r<16>;
	.reg .b64 %d<8>;
	.reg .f32 %f<8>;
	.shared .align 8 .b8 tile[1024];
	.local .align 8 .b8 stack[32];
` + body + `
}
`
	m, err := ptx.Parse("k.ptx", []byte(src))
	require.NoError(t, err)
	p, err := m.Program("k")
	require.NoError(t, err)
	return p
}

const out = isa.GlobalBase

// launch runs a body on words of zeroed memory at out, and returns them.
func launch(t testing.TB, body string, l Setup, words int, o Options) ([]uint32, *Result) {
	t.Helper()
	p := program(t, body)
	var m Memory
	require.NoError(t, m.Map(out, uint64(words)*4))
	l.Params = binary.LittleEndian.AppendUint64(nil, out)
	l.Params = binary.LittleEndian.AppendUint32(l.Params, uint32(words))
	r, err := Run(p, l, &m, o)
	require.NoError(t, err)
	raw := make([]byte, words*4)
	require.NoError(t, m.Read(out, raw))
	got := make([]uint32, words)
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return got, r
}

// grid1 returns a launch of ctas CTAs of n threads.
func grid1(ctas, n uint32) Setup {
	return Setup{Grid: [3]uint32{ctas, 1, 1}, Block: [3]uint32{n, 1, 1}}
}

// index puts the linear number of a thread of a 1-D grid into %r1 and its
// address in out into %d2.
const index = `
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r1, %r1, %r2, %r3;
	mad.wide.u32 %d2, %r1, 4, %d1;
`

func TestDivergentLoops(t *testing.T) {
	got, r := launch(t, index+`
	mov.u32 %r4, 0;
LOOP:
	setp.ge.u32 %p1, %r4, %r3;
	@%p1 bra DONE;
	add.u32 %r4, %r4, 1;
	bra LOOP;
DONE:
	mul.lo.u32 %r4, %r4, %r4;
	st.global.u32 [%d2], %r4;
	exit;`, grid1(2, 4), 8, Options{PCs: true, Registers: true})
	assert.Equal(t, []uint32{0, 1, 4, 9, 0, 1, 4, 9}, got)
	assert.Equal(t, Finished, r.End)
	require.Len(t, r.Threads, 8)
	assert.Equal(t, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 7, 8, 11, 12, 13}, r.Threads[1].PCs)
	var steps uint64
	for _, th := range r.Threads {
		assert.Equal(t, uint64(len(th.PCs)), th.Steps)
		h := uint64(0)
		for _, pc := range th.PCs {
			h = Trace(h, pc)
		}
		assert.Equal(t, h, th.Trace)
		assert.NotEmpty(t, th.Regs)
		steps += th.Steps
	}
	assert.Equal(t, steps, r.Steps)
	assert.Equal(t, r.Threads[3].Trace, r.Threads[7].Trace)
	assert.NotEqual(t, r.Threads[3].Trace, r.Threads[2].Trace)
}

func TestSpecialRegisters(t *testing.T) {
	l := Setup{Grid: [3]uint32{2, 3, 2}, Block: [3]uint32{5, 2, 2}, SharedBytes: 64, WarpSize: 8}
	for name, want := range map[string]uint32{ // of the thread (3, 1, 1) of CTA (1, 2, 1): 18 of 20
		"tid.x": 3, "tid.y": 1, "tid.z": 1, "ntid.x": 5, "ntid.y": 2, "ntid.z": 2,
		"ctaid.x": 1, "ctaid.y": 2, "ctaid.z": 1, "nctaid.x": 2, "nctaid.y": 3, "nctaid.z": 2,
		"laneid": 2, "warpid": 2, "nwarpid": 3,
		"lanemask_eq": 4, "lanemask_lt": 3, "lanemask_le": 7, "lanemask_gt": 0xFFFF_FFF8, "lanemask_ge": 0xFFFF_FFFC,
		"dynamic_smem_size": 64, "total_smem_size": 64, "clock": 0, "smid": 0,
	} {
		p := program(t, "mov.u32 %r1, %"+name+"; exit;")
		p.SharedBytes = 0
		l.Params = make([]byte, 12)
		r, err := Run(p, l, &Memory{}, Options{Registers: true})
		require.NoError(t, err)
		last := r.Threads[len(r.Threads)-2]
		assert.Equal(t, uint64(want), last.Regs[0], name)
	}
}

func TestMemorySpaces(t *testing.T) {
	got, r := launch(t, index+`
	// shared, local and parameter memory through generic addresses
	mov.u64 %d3, tile;
	cvta.shared.u64 %d3, %d3;
	st.u32 [%d3+8], 11;
	ld.shared.u32 %r4, [tile+8];
	st.global.u32 [%d1], %r4;
	st.local.u16 [stack+2], 0x8001;
	ld.local.s16 %r5, [stack+2];
	st.global.u32 [%d1+4], %r5;
	mov.u64 %d4, n;
	cvta.param.u64 %d4, %d4;
	ld.u32 %r6, [%d4];
	st.global.u32 [%d1+8], %r6;
	// vectors and narrow types
	mov.u32 %r7, 0x80818283;
	st.global.u32 [%d1+16], %r7;
	ld.global.v4.u8 {%r8, %r9, %r10, %r11}, [%d1+16];
	st.global.v2.u32 [%d1+24], {%r8, %r11};
	ld.global.s8 %d5, [%d1+19];
	shr.s64 %d5, %d5, 4;
	st.global.u32 [%d1+12], %d5;
	atom.global.add.u32 %r12, [%d1+20], 5;
	atom.global.cas.b32 %r13, [%d1+20], 5, %r12;
	red.global.max.u32 [%d1+20], 3;
	exit;`, grid1(1, 1), 8, Options{})
	require.Equal(t, Finished, r.End, "%+v", r.Fault)
	assert.Equal(t, []uint32{11, 0xFFFF_8001, 8, 0xFFFF_FFF8, 0x8081_8283, 3, 0x83, 0x80}, got)
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       Fault
	}{
		{
			"global behind the end", "st.global.u32 [%d1+32], 1;",
			Fault{Kind: outOfBounds, Addr: out + 32, Space: isa.SpaceGlobal, Size: 4},
		},
		{
			"global before the start", "ld.global.u32 %r4, [%d1+-4];",
			Fault{Kind: outOfBounds, Addr: out - 4, Space: isa.SpaceGlobal, Size: 4},
		},
		{
			"vector misaligned", "ld.global.v2.u32 {%r4, %r5}, [%d1+4];",
			Fault{Kind: misaligned, Addr: out + 4, Space: isa.SpaceGlobal, Size: 8},
		},
		{
			"shared", "st.shared.u8 [tile+1024], 1;",
			Fault{Kind: outOfBounds, Addr: 1024, Space: isa.SpaceShared, Size: 1},
		},
		{"local", "st.local.u64 [stack+32], 1;", Fault{Kind: outOfBounds, Addr: 32, Space: isa.SpaceLocal, Size: 8}},
		{"parameters", "ld.param.u32 %r4, [n+4];", Fault{Kind: outOfBounds, Addr: 12, Space: isa.SpaceParam, Size: 4}},
		{
			"generic store to parameters", "mov.u64 %d3, n; cvta.param.u64 %d3, %d3; st.u32 [%d3], 0;",
			Fault{Kind: readOnly, Addr: isa.ParamWindow + 8, Space: isa.SpaceParam, Size: 4},
		},
		{
			"null", "mov.u64 %d3, 0; atom.add.u32 %r4, [%d3], 1;",
			Fault{Kind: outOfBounds, Space: isa.SpaceGlobal, Size: 4},
		},
		{"trap", "trap;", Fault{Kind: trapped}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, r := launch(t, index+`
	setp.ne.u32 %p1, %r1, 6;
	@%p1 bra OUT;
	`+c.body+`
OUT:
	exit;`, grid1(2, 4), 8, Options{})
			require.Equal(t, Faulted, r.End)
			got := *r.Fault
			assert.Equal(t, ID{CTA: [3]uint32{1, 0, 0}, Thread: [3]uint32{2, 0, 0}}, got.ID)
			assert.GreaterOrEqual(t, got.PC, uint32(8))
			got.ID, got.PC = ID{}, 0
			assert.Equal(t, c.want, got)
		})
	}
}

// TestBarrier passes values from thread to thread; only the barrier orders their accesses.
func TestBarrier(t *testing.T) {
	for _, slice := range []uint64{1, 3, defaultSlice} {
		got, r := launch(t, index+`
	mov.u64 %d3, tile;
	mad.wide.u32 %d4, %r3, 4, %d3;
	st.shared.u32 [%d4], %r3;
	bar.sync 0;
	add.u32 %r5, %r3, 1;
	rem.u32 %r5, %r5, %r2;
	mad.wide.u32 %d5, %r5, 4, %d3;
	ld.shared.u32 %r6, [%d5];
	bar.sync 0;
	st.shared.u32 [%d4], %r6;
	bar.sync 0;
	ld.shared.u32 %r6, [%d5];
	st.global.u32 [%d2], %r6;
	exit;`, grid1(2, 4), 8, Options{Slice: slice})
		require.Equal(t, Finished, r.End)
		assert.Equal(t, []uint32{2, 3, 0, 1, 2, 3, 0, 1}, got)
	}
}

func TestBarrierIgnoresExitedThreads(t *testing.T) {
	_, r := launch(t, index+`
	setp.lt.u32 %p1, %r3, 2;
	@%p1 exit;
	bar.sync 0;
	exit;`, grid1(1, 4), 4, Options{})
	assert.Equal(t, Finished, r.End)
}

// TestProducerConsumer checks that warp 0 arrives and continues, while warp 1 waits for its data.
func TestProducerConsumer(t *testing.T) {
	got, r := launch(t, index+`
	setp.ge.u32 %p1, %r3, 4;
	@%p1 bra CONSUME;
	mov.u32 %r4, 0;
SPIN:
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p2, %r4, 10000;
	@%p2 bra SPIN;
	st.shared.u32 [tile], %r4;
	bar.arrive 1, 8;
	exit;
CONSUME:
	bar.sync 1, 8;
	ld.shared.u32 %r5, [tile];
	st.global.u32 [%d2], %r5;
	exit;`, Setup{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{6, 1, 1}, WarpSize: 4}, 6, Options{Slice: 7})
	require.Equal(t, Finished, r.End, "%+v", r.Waiting)
	assert.Equal(t, []uint32{0, 0, 0, 0, 10000, 10000}, got)
}

// TestBarrierWithCount checks that a warp arrives with its last thread, and only at the barrier
// that it names.
func TestBarrierWithCount(t *testing.T) {
	warps := Setup{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 1, 1}, WarpSize: 4}
	slowest := `
	mov.u32 %r4, 0;
	setp.ne.u32 %p1, %r3, 3;
	@%p1 bra READY;
SPIN:
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p2, %r4, 1000;
	@%p2 bra SPIN;
	st.shared.u32 [tile], %r4;
READY:
`
	got, r := launch(t, index+slowest+`
	setp.ge.u32 %p1, %r3, 4;
	@%p1 exit;
	bar.sync 1, 4;
	ld.shared.u32 %r5, [tile];
	st.global.u32 [%d2], %r5;
	exit;`, warps, 8, Options{Slice: 7})
	require.Equal(t, Finished, r.End)
	assert.Equal(t, []uint32{1000, 1000, 1000, 1000, 0, 0, 0, 0}, got)

	// Warp 1 waits at barrier 1 while warp 0 passes barrier 2.
	got, r = launch(t, index+`
	setp.ge.u32 %p3, %r3, 4;
	@%p3 bra JOIN;`+slowest+`
	bar.sync 2, 4;
	`+strings.Repeat("mov.u32 %r6, 2000;\n", 8)+`
	st.shared.u32 [tile], %r6;
JOIN:
	bar.sync 1, 8;
	ld.shared.u32 %r5, [tile];
	st.global.u32 [%d2], %r5;
	exit;`, warps, 8, Options{Slice: 7})
	require.Equal(t, Finished, r.End)
	assert.Equal(t, []uint32{2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000}, got)

	// Exited threads are no arrivals.
	_, r = launch(t, index+`
	setp.ge.u32 %p3, %r3, 4;
	@%p3 exit;
	bar.sync 1, 8;
	exit;`, warps, 8, Options{})
	assert.Equal(t, Deadlocked, r.End)
}

func TestAddressesOf32Bits(t *testing.T) {
	p := program(t, `
	mov.u32 %r1, 0xFFFFFFFC;
	st.shared.u32 [%r1+8], 5;
	ld.shared.u32 %r2, [tile+4];
	exit;`)
	p.AddressBits = 32
	r, err := Run(p, Setup{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: make([]byte, 12)}, &Memory{},
		Options{Registers: true})
	require.NoError(t, err)
	require.Equal(t, Finished, r.End)
	assert.Equal(t, uint64(5), r.Threads[0].Regs[1])
}

// TestDefaults checks that a warp has 32 threads, and that dynamic shared memory starts at its
// alignment after the static part.
func TestDefaults(t *testing.T) {
	p := program(t, "mov.u32 %r1, %laneid; mov.u32 %r2, %total_smem_size; exit;")
	p.SharedBytes, p.SharedAlign = 10, 16
	l := Setup{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{34, 1, 1}, SharedBytes: 8, Params: make([]byte, 12)}
	r, err := Run(p, l, &Memory{}, Options{Registers: true})
	require.NoError(t, err)
	assert.Equal(t, []uint64{1, 24}, r.Threads[33].Regs)
	l.SharedBytes = 0
	r, err = Run(p, l, &Memory{}, Options{Registers: true})
	require.NoError(t, err)
	assert.Equal(t, []uint64{0, 10}, r.Threads[32].Regs)
}

func TestDeadlock(t *testing.T) {
	_, r := launch(t, index+`
	setp.eq.u32 %p1, %r3, 0;
	@%p1 bra OTHER;
	bar.sync 0;
	exit;
OTHER:
	bar.sync 3;
	exit;`, grid1(2, 3), 6, Options{})
	require.Equal(t, Deadlocked, r.End)
	name := func(x uint32) ID { return ID{Thread: [3]uint32{x, 0, 0}} }
	assert.Equal(t, []Waiting{{name(0), 10, 3}, {name(1), 8, 0}, {name(2), 8, 0}}, r.Waiting)
	assert.Equal(t, "thread [2 0 0] of CTA [0 0 0]", r.Waiting[2].String())
}

// TestLock increments a counter under a spin lock. SIMT hardware can deadlock on it; thread by
// thread it cannot.
func TestLock(t *testing.T) {
	for _, slice := range []uint64{1, 2, 5, defaultSlice} {
		got, r := launch(t, index+`
TRY:
	atom.global.cas.b32 %r4, [%d1], 0, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra TRY;
	ld.global.u32 %r5, [%d1+4];
	add.u32 %r5, %r5, 1;
	st.global.u32 [%d1+4], %r5;
	atom.global.exch.b32 %r4, [%d1], 0;
	exit;`, grid1(3, 40), 2, Options{Slice: slice})
		require.Equal(t, Finished, r.End)
		assert.Equal(t, []uint32{0, 120}, got)
	}
}

func TestOutOfSteps(t *testing.T) {
	_, r := launch(t, index+`
	setp.eq.u32 %p1, %r3, 1;
	@!%p1 exit;
SPIN:
	bra SPIN;`, grid1(1, 3), 2, Options{MaxSteps: 500})
	require.Equal(t, OutOfSteps, r.End)
	assert.Equal(t, uint64(500), r.Steps)
	assert.Equal(t, []Waiting{{ID{Thread: [3]uint32{1, 0, 0}}, 8, -1}}, r.Waiting[:1])
}

func TestImpossibleLaunch(t *testing.T) {
	p := program(t, "exit;")
	_, err := Run(p, Setup{Grid: [3]uint32{1, 0, 1}, Block: [3]uint32{1, 1, 1}}, &Memory{}, Options{})
	assert.ErrorContains(t, err, "in y, want at least 1")
	assert.ErrorContains(t, err, "takes 12 bytes of parameters, found 0")
	p.Insts = append(p.Insts, isa.Inst{Op: isa.OpNone, Text: "mystery"})
	_, err = Run(p, Setup{Params: make([]byte, 12)}, &Memory{}, Options{})
	assert.ErrorContains(t, err, `no meaning for "mystery"`)
}

func TestMemory(t *testing.T) {
	var m Memory
	require.NoError(t, m.Map(0x1000, 16))
	require.NoError(t, m.Map(0x1010, 16))
	require.NoError(t, m.Map(0x800, 0))
	assert.ErrorContains(t, m.Map(0xFFF, 2), "overlaps [0x1000, 0x1010)")
	assert.ErrorContains(t, m.Map(0x101F, 1), "overlaps")
	assert.ErrorContains(t, m.Map(^uint64(0), 2), "end of the address space")
	require.NoError(t, m.Write(0x1008, []byte{1, 2, 3}))
	got := make([]byte, 4)
	require.NoError(t, m.Read(0x1007, got))
	assert.Equal(t, []byte{0, 1, 2, 3}, got)
	assert.ErrorContains(t, m.Read(0x100E, got), "no memory for 4 bytes at 0x100e")
	assert.Error(t, m.Write(0x1020, got))
	assert.NoError(t, m.Write(0x5000, nil))

	p := &isa.Program{Globals: []isa.Global{{Name: "g", Addr: isa.ModuleBase, Size: 8, Init: []byte{7}}}}
	require.NoError(t, m.MapGlobals(p))
	require.NoError(t, m.Read(isa.ModuleBase, got))
	assert.Equal(t, []byte{7, 0, 0, 0}, got)
	assert.ErrorContains(t, m.MapGlobals(p), "variable g")
}

func ExampleRun() {
	// out[tid] = tid * tid, for 4 threads
	module, err := ptx.Parse("square.ptx", []byte(`
.version 7.0
.target sm_70
.address_size 64
.visible .entry square(.param .u64 out) {
	.reg .b32 %r<3>;
	.reg .b64 %d<3>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	mul.lo.u32 %r2, %r1, %r1;
	mad.wide.u32 %d2, %r1, 4, %d1;
	st.global.u32 [%d2], %r2;
	exit;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := module.Program("square")
	if err != nil {
		fmt.Println(err)
		return
	}
	var m Memory
	if err := m.Map(isa.GlobalBase, 16); err != nil {
		fmt.Println(err)
		return
	}
	params := binary.LittleEndian.AppendUint64(nil, isa.GlobalBase)
	r, err := Run(p, Setup{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{4, 1, 1}, Params: params}, &m, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var words [16]byte
	if err := m.Read(isa.GlobalBase, words[:]); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.End, "after", r.Steps, "instructions")
	for i := range 4 {
		fmt.Println(binary.LittleEndian.Uint32(words[4*i:]))
	}
	// Output:
	// finished after 24 instructions
	// 0
	// 1
	// 4
	// 9
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		_, r := launch(b, index+`
	mov.u32 %r4, 0;
	mov.f32 %f1, 0f3F800000;
LOOP:
	add.u32 %r4, %r4, 1;
	xor.b32 %r5, %r4, %r1;
	fma.rn.f32 %f1, %f1, %f1, 0f3DCCCCCD;
	setp.lt.u32 %p1, %r4, 1000;
	@%p1 bra LOOP;
	st.global.u32 [%d2], %r5;
	exit;`, grid1(4, 64), 256, Options{})
		b.SetBytes(int64(r.Steps)) // MB/s are million instructions a second
	}
}
