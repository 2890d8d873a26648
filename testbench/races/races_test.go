package races

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/memsys"
	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
)

// kernel returns a kernel around a body.
//
// In the body, %i is the number of a thread in its CTA, and %c that of the CTA. %to is a buffer of
// 32 KiB, %mine the word of the thread in it, and %at the thread's word in shared memory.
func kernel(target int, body string) string {
	return fmt.Sprintf(`.version 7.6
.target sm_%d
.address_size 64
.visible .entry k(.param .u64 to)
{
	.reg .u32 %%i, %%c, %%g, %%at, %%a<9>;
	.reg .u64 %%to, %%mine, %%b<4>;
	.reg .pred %%p<4>;
	.shared .align 16 .b8 s[2048];
	ld.param.u64 %%to, [to];
	mov.u32 %%i, %%tid.x;
	mov.u32 %%c, %%ctaid.x;
	mad.lo.u32 %%g, %%c, 64, %%i;
	mul.wide.u32 %%mine, %%g, 4;
	add.u64 %%mine, %%to, %%mine;
	shl.b32 %%a0, %%i, 2;
	mov.u32 %%at, s;
	add.u32 %%at, %%at, %%a0;
	setp.eq.u32 %%p0, %%i, 0;
	setp.eq.u32 %%p1, %%c, 0;
%s
	exit;
}
`, target, body)
}

// start returns a session with a kernel whose grids have CTAs of 64 threads.
func start(t *testing.T, mechanism string, target int, body string, ctas uint32) (*testbench.Session,
	testbench.Launch,
) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(kernel(target, body)))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	cfg := gpu.Default()
	cfg.GPU.SMs, cfg.L2.Size, cfg.Divergence.Mechanism = 2, 64<<10, mechanism
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
	require.NoError(t, err)
	bank := binary.LittleEndian.AppendUint64(nil, s.Alloc(8*4096))
	return s, testbench.Launch{Prog: p, Grid: [3]uint32{ctas, 1, 1}, Block: [3]uint32{64, 1, 1}, Params: bank}
}

// planted are kernels with a race, and its correction.
var planted = []struct {
	name   string
	target int // 0: 70
	ctas   uint32
	body   string // RACE is replaced by wrong or right
	wrong  string
	right  string
	kind   string
	space  string
}{
	{
		"no barrier before a read", 0, 1,
		"st.shared.u32 [%at], %i;\nRACE\nxor.b32 %a1, %at, 128;\nld.shared.u32 %a2, [%a1];",
		"", "bar.sync 0;", "write/read", "shared",
	},
	{
		"no barrier before a write", 0, 1,
		"xor.b32 %a1, %at, 128;\nld.shared.u32 %a2, [%a1];\nRACE\nst.shared.u32 [%at], %i;",
		"", "bar.sync 0;", "read/write", "shared",
	},
	{
		"a barrier too few in a loop", 0, 1,
		"mov.u32 %a3, 0;\nxor.b32 %a1, %at, 128;\nTOP:\nst.shared.u32 [%at], %a3;\nbar.sync 0;\nld.shared.u32 %a2, [%a1];\nRACE\nadd.u32 %a3, %a3, 1;\nsetp.lt.u32 %p2, %a3, 3;\n@%p2 bra TOP;",
		"", "bar.sync 0;", "read/write", "shared",
	},
	{
		"no barrier behind a store of a matrix", 90, 1,
		"and.b32 %a1, %i, 39;\nshl.b32 %a1, %a1, 4;\nmov.u32 %a2, s;\nadd.u32 %a1, %a1, %a2;\n" +
			"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a1], {%i};\nRACE\nxor.b32 %a3, %a1, 512;\nld.shared.u32 %a4, [%a3];",
		"", "bar.sync 0;", "write/read", "shared",
	},
	{
		"other values to one word", 0, 2, "RACE\nst.global.u32 [%to], %a1;",
		"mov.u32 %a1, %g;", "mov.u32 %a1, 1;", "write/write", "global",
	},
	{
		"threads of an instruction", 0, 1, "setp.gt.u32 %p2, %i, 1;\n@%p2 exit;\nRACE\nst.shared.u32 [s], %a1;",
		"mov.u32 %a1, %i;", "mov.u32 %a1, 7;", "write/write", "shared",
	},
	{
		"bytes that overlap", 0, 1, "sub.u32 %a1, %at, %a0;\nadd.u32 %a1, %a1, %i;\nRACE",
		"shl.b32 %a2, %i, 1;\nmul.lo.u32 %a2, %a2, 2;\nsub.u32 %a1, %at, %a2;\nst.shared.u16 [%a1], %i;",
		"st.shared.u8 [%a1], %i;\nld.shared.u8 %a3, [%a1];", "write/write", "shared",
	},
	{
		"a message without a fence", 0, 2,
		"add.u64 %b0, %to, 1024;\n@!%p0 exit;\n@!%p1 bra READER;\nst.global.u32 [%to], 5;\nRACE\nst.volatile.global.u32 [%b0], 1;\nexit;\nREADER:\nld.volatile.global.u32 %a1, [%b0];\nsetp.eq.u32 %p2, %a1, 0;\n@%p2 bra READER;\nmembar.gl;\nld.global.u32 %a2, [%to];",
		"", "membar.gl;", "write/read", "global",
	},
	{
		"a message that does not release", 0, 2,
		"add.u64 %b0, %to, 1024;\n@!%p0 exit;\n@!%p1 bra READER;\nst.global.u32 [%to], 5;\nRACE\nexit;\nREADER:\nld.acquire.gpu.global.u32 %a1, [%b0];\nsetp.eq.u32 %p2, %a1, 0;\n@%p2 bra READER;\nld.global.u32 %a2, [%to];",
		"st.relaxed.gpu.global.u32 [%b0], 1;", "st.release.gpu.global.u32 [%b0], 1;", "write/read", "global",
	},
	{
		"the last CTA adds up", 0, 2, "st.global.u32 [%mine], %i;\nRACE\nbar.sync 0;\n@!%p0 bra WAIT;\natom.global.add.u32 %a1, [%to+2048], 1;\nst.shared.u32 [s+1024], %a1;\nWAIT:\nbar.sync 0;\nld.shared.u32 %a1, [s+1024];\nsetp.ne.u32 %p2, %a1, 1;\n@%p2 exit;\nxor.b32 %a2, %g, 64;\nmul.wide.u32 %b1, %a2, 4;\nadd.u64 %b1, %to, %b1;\nld.global.u32 %a3, [%b1];",
		"", "bar.sync 0;\n@%p0 membar.gl;", "write/read", "global",
	},
	{
		"a barrier of the grid", 0, 2,
		"st.global.u32 [%mine], %i;\nbar.sync 0;\n@!%p0 bra JOIN;\nRACE\natom.global.add.u32 %a1, [%to+2048], 1;\nSPIN:\nld.volatile.global.u32 %a1, [%to+2048];\nsetp.lt.u32 %p2, %a1, 2;\n@%p2 bra SPIN;\nmembar.gl;\nJOIN:\nbar.sync 0;\nxor.b32 %a2, %g, 64;\nmul.wide.u32 %b1, %a2, 4;\nadd.u64 %b1, %to, %b1;\nld.global.u32 %a3, [%b1];",
		"", "membar.gl;", "write/read", "global",
	},
	{
		"an atomic and a read behind no barrier", 0, 1, "red.shared.add.u32 [s], 1;\nRACE\nld.shared.u32 %a1, [s];",
		"", "bar.sync 0;", "atomic/read", "shared",
	},
	{
		"an atomic and a store", 0, 2, "@%p0 st.global.u32 [%to], 0;\nRACE\nred.global.add.u32 [%to], 1;",
		"", "exit;", "write/atomic", "global",
	},
	{
		"a barrier of other warps", 0, 1,
		"setp.lt.u32 %p2, %i, 32;\n@%p2 bra FIRST;\nRACE\nxor.b32 %a1, %at, 128;\nld.shared.u32 %a2, [%a1];\nexit;\nFIRST:\nst.shared.u32 [%at], %i;\nbar.arrive 1, 64;",
		"xor.b32 %a3, %at, 128;\nld.shared.u32 %a4, [%a3];\nbar.sync 1, 64;", "bar.sync 1, 64;", "read/write", "shared",
	},
	{
		"a warp without a barrier", 70, 1,
		"st.shared.u32 [%at], %i;\nRACE\nxor.b32 %a1, %at, 4;\nld.shared.u32 %a2, [%a1];",
		"", "bar.warp.sync -1;", "write/read", "shared",
	},
	{
		"a barrier of half a warp", 70, 1,
		"setp.lt.u32 %p2, %i, 32;\n@%p2 st.shared.u32 [%at], %i;\nRACE\nxor.b32 %a1, %at, 64;\n@%p2 ld.shared.u32 %a2, [%a1];",
		"and.b32 %a3, %i, 16;\nmov.u32 %a4, 0xffff;\nshl.b32 %a4, %a4, %a3;\nbar.warp.sync %a4;", "bar.warp.sync -1;",
		"write/read", "shared",
	},
	{
		"a copy", 80, 1, "xor.b32 %a1, %at, 128;\ncp.async.ca.shared.global [%at], [%mine], 4;\ncp.async.wait_all;\nRACE\nld.shared.u32 %a2, [%a1];",
		"", "bar.sync 0;", "write/read", "shared",
	},
	{
		"a vector", 0, 1, "and.b32 %a1, %i, 60;\nshl.b32 %a1, %a1, 2;\nmov.u32 %a2, s;\nadd.u32 %a2, %a2, %a1;\nand.b32 %a4, %i, 3;\nsetp.eq.u32 %p2, %a4, 0;\n@%p2 st.shared.v4.u32 [%a2], {%i, %i, %i, %i};\nRACE\nld.shared.u32 %a3, [%at];",
		"", "bar.sync 0;", "write/read", "shared",
	},
}

// TestPlanted checks that each race is reported, with its accesses, and that nothing is reported
// after the correction.
func TestPlanted(t *testing.T) {
	for _, c := range planted {
		for _, mechanism := range []string{"pdom", "barrier", "multipath", "tbc", "dwf", "ppc", "token", "subwarp"} {
			if c.name == "a barrier of half a warp" && mechanism != "pdom" && mechanism != "barrier" {
				continue // bar.warp.sync of parts of a warp is not for all mechanisms
			}
			t.Run(c.name+"/"+mechanism, func(t *testing.T) {
				target := max(c.target, 70)
				for _, racy := range []bool{true, false} {
					text := c.right
					if racy {
						text = c.wrong
					}
					s, l := start(t, mechanism, target, strings.ReplaceAll(c.body, "RACE", text), c.ctas)
					d := Attach(s)
					require.NoError(t, s.Launch(l))
					if !racy {
						assert.Empty(t, d.Found(), text)
						continue
					}
					kinds := []string{}
					for _, r := range d.Found() {
						kinds = append(kinds, r.kind()+" "+r.Space)
					}
					a, b, _ := strings.Cut(c.kind, "/")
					assert.Subset(t, []string{a + "/" + b + " " + c.space, b + "/" + a + " " + c.space}, kinds,
						"either may come first")
					assert.NotEmpty(t, kinds)
				}
			})
		}
	}
}

// TestReport checks that a race is reported with both threads, their instructions and source lines,
// once for each pair of lines.
func TestReport(t *testing.T) {
	s, l := start(t, "pdom", 70, "st.shared.u32 [%at], %i;\nxor.b32 %a1, %at, 128;\nld.shared.u32 %a2, [%a1];\nst.shared.u32 [%a1], 9;", 1)
	d := Attach(s)
	require.NoError(t, s.Launch(l))
	found := d.Found()
	require.NotEmpty(t, found)
	r := found[0]
	assert.Equal(t, 1, r.Launch)
	assert.Equal(t, "k", r.Kernel)
	assert.EqualValues(t, 64, r.Count, "each thread reads a word of the other warp")
	lines := map[string]bool{}
	for _, r := range found {
		pair := r.First.Where + " " + r.Second.Where
		assert.False(t, lines[pair], "twice: %s", pair)
		lines[pair] = true
	}
	assert.Equal(t, "k.ptx:21", r.First.Where)
	assert.Equal(t, "st.shared.u32 [%at], %i", r.First.Text)
	assert.Equal(t, "k.ptx:23", r.Second.Where)
	assert.Equal(t, "ld.shared.u32 %a2, [%a1]", r.Second.Text)
	assert.Equal(t, r.First.Thread[0]^32, r.Second.Thread[0], "each reads what the one of the other warp has written")
	assert.EqualValues(t, 4*r.First.Thread[0], r.Address)
}

// TestWarpsInStep checks that before sm_70 the instructions of a warp are in order, because it runs
// in step.
func TestWarpsInStep(t *testing.T) {
	const body = "st.shared.u32 [%at], %i;\nxor.b32 %a1, %at, 4;\nld.shared.u32 %a2, [%a1];\nst.shared.u32 [%a1], 3;"
	for target, racy := range map[int]bool{35: false, 60: false, 70: true, 80: true} {
		s, l := start(t, "pdom", target, body, 1)
		d := Attach(s)
		require.NoError(t, s.Launch(l))
		assert.Equal(t, racy, len(d.Found()) > 0, "sm_%d", target)
	}
}

// TestLaunches checks that an earlier launch comes before a later one.
func TestLaunches(t *testing.T) {
	s, l := start(t, "pdom", 70, "sub.u32 %a1, 127, %g;\nmul.wide.u32 %b1, %a1, 4;\nadd.u64 %b1, %to, %b1;\nld.global.u32 %a2, [%b1+1024];\nst.global.u32 [%mine], %a2;\nst.global.u32 [%b1+2048], %a2;", 2)
	d := Attach(s)
	for range 3 {
		require.NoError(t, s.Launch(l))
	}
	assert.Empty(t, d.Found())
	d.Detach()
	assert.False(t, s.Machine.SMs[0].Issue.OnIssue.Any())
}

// TestUndisturbed checks that a detector does not change a run.
func TestUndisturbed(t *testing.T) {
	for _, c := range planted[:4] {
		var hashes [2]uint64
		for i := range hashes {
			s, l := start(t, "pdom", 70, strings.ReplaceAll(c.body, "RACE", c.wrong), c.ctas)
			if i == 1 {
				Attach(s)
			}
			require.NoError(t, s.Launch(l))
			hashes[i] = s.Machine.System().Hash()
		}
		assert.Equal(t, hashes[0], hashes[1], c.name)
	}
}

// TestAddresses checks the detector's reading of the register file at issue against the later
// requests of the load/store unit: each address that receives a store has a word of its own.
func TestAddresses(t *testing.T) {
	for _, mechanism := range []string{"pdom", "tbc", "dwf", "multipath"} {
		s, l := start(t, mechanism, 70,
			"and.b32 %a1, %i, 1;\nsetp.eq.u32 %p2, %a1, 0;\n@%p2 bra EVEN;\nst.global.u32 [%to+12], %i;\nbra JOIN;\nEVEN:\nst.global.u32 [%to+8], %i;\nJOIN:", 1)
		sent := map[uint64]bool{}
		for _, m := range s.Machine.SMs {
			m.LSU.OnAccess.Add(func(a sm.Accessed) {
				if a.Kind == memsys.Store {
					for lane := range 32 {
						if a.Access.Mask>>lane&1 != 0 {
							sent[a.Addr[lane]] = true
						}
					}
				}
			})
		}
		d := Attach(s)
		require.NoError(t, s.Launch(l))
		told := map[uint64]bool{}
		for _, r := range d.Found() {
			told[r.Address] = true
		}
		assert.Equal(t, sent, told, mechanism)
	}
}

// TestForgotten gives the detector space for fewer pages than a launch touches. It drops the oldest
// and counts them, and still finds a race on a remaining page.
func TestForgotten(t *testing.T) {
	const body = "mov.u32 %a1, 0;\nTOP:\nshl.b32 %a2, %a1, 12;\ncvt.u64.u32 %b1, %a2;\nadd.u64 %b1, %mine, %b1;\nst.global.u32 [%b1], %i;\nadd.u32 %a1, %a1, 1;\nsetp.lt.u32 %p2, %a1, 8;\n@%p2 bra TOP;\n" +
		"st.global.u32 [%to], %i;"
	for room, forgotten := range map[int]uint64{16: 0, 8: 0, 3: 6} {
		s, l := start(t, "pdom", 70, body, 1)
		d := Attach(s)
		d.SetRoom(room)
		require.NoError(t, s.Launch(l))
		assert.Equal(t, forgotten, d.Forgotten(), "room for %d of 8 pages, of which the first is touched again", room)
		assert.NotEmpty(t, d.Found())
	}
}
