package safety_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa/safety"
	"divergo/ptx"
)

const prologue = `.version 6.4
.target sm_70
.address_size 64
.visible .global .align 4 .b8 table[1024];
`

const registers = `
	.reg .pred %p<10>;
	.reg .b32 %r<40>;
	.reg .b64 %rd<40>;
	.reg .f32 %f<40>;
	.shared .align 4 .b8 tile[1024];
`

// kernel is a kernel k with the parameters in, out and n, already loaded into %rd0, %rd1 and %r0.
// In %r1 is the thread's number, in %rd2 its place in an array of words.
func kernel(body string) string {
	return prologue + ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{" + registers + `
	ld.param.u64 %rd0, [in];
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r0, [n];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd0, %rd2;
	add.u64 %rd4, %rd1, %rd2;
` + body + "\n}\n"
}

func analyse(t testing.TB, text string) *safety.Report {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	p, err := m.Program("k")
	require.NoError(t, err)
	return safety.Analyze(p)
}

// wanted are the verdicts in the comments of a text: "// safe", or "// unsafe:" and the danger. All
// branches and loads from global memory have one.
func wanted(text string) (want []string) {
	for i, line := range strings.Split(text, "\n") {
		if _, comment, ok := strings.Cut(line, "// "); ok &&
			(comment == "safe" || strings.HasPrefix(comment, "unsafe: ")) {
			want = append(want, fmt.Sprintf("%d: %s", i+1, comment))
		}
	}
	return want
}

func verdicts(r *safety.Report) []string {
	lines := map[int32]string{}
	for _, list := range [...][]safety.Verdict{r.Branches, r.Loads} {
		for _, v := range list {
			s := "safe"
			if !v.Safe {
				s = "unsafe: " + v.Danger.String()
			}
			lines[r.Prog.Insts[v.PC].Pos.Line] = s
		}
	}
	var got []string
	for line := range int32(2000) {
		if s, ok := lines[line]; ok {
			got = append(got, fmt.Sprintf("%d: %s", line, s))
		}
	}
	return got
}

// TestPaper checks the statements of Sartori & Kumar, Branch and Data Herding (2012), sections V
// and VII, about their benchmarks. Each case has the loop or test in question.
func TestPaper(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		// Figure 1. The escape test is safe. The counter ends the loop: it is the same in all
		// threads, so that nothing is lost. Section VII-A calls all branches safe. The test of the
		// bounds is not, since it keeps threads from storing outside.
		//
		//	bounds --> [start] --> [--i == 0?] --> [xx + yy >= 4?] --> [body] --+
		//	  |                      |    ^            |                      |
		//	  v                      v    +------------|----------------------+
		//	[exit] <-- [store i] <---+-----------------+
		{"Mandelbrot", `
			setp.ge.u32 %p0, %r1, %r0;
			@%p0 bra END; // unsafe: address
			ld.global.f32 %f0, [%rd3]; // safe
			mov.u32 %r2, 256;
			mov.f32 %f1, 0f00000000;
			mov.f32 %f2, 0f00000000;
		LOOP:
			add.s32 %r2, %r2, -1;
			setp.eq.s32 %p1, %r2, 0;
			@%p1 bra DONE; // unsafe: loop bound
			mul.f32 %f3, %f1, %f1;
			mul.f32 %f4, %f2, %f2;
			add.f32 %f5, %f3, %f4;
			setp.ge.f32 %p2, %f5, 0f40800000;
			@%p2 bra DONE; // safe
			mul.f32 %f6, %f1, %f2;
			fma.rn.f32 %f2, %f6, 0f40000000, %f0;
			sub.f32 %f1, %f3, %f4;
			bra LOOP;
		DONE:
			st.global.u32 [%rd4], %r2;
		END:
			exit;`},
		// SobelFilter: "it only affects pixel values".
		//
		//	[sum] --> [< 0?] --> [> 255?] --> [255] --> [store]
		//	            +--> [0] ---|------------------>^
		//	                        +------------------>^
		{"SobelFilter", `
			ld.global.s32 %r2, [%rd3]; // safe
			ld.global.s32 %r3, [%rd3+4]; // safe
			sub.s32 %r4, %r2, %r3;
			setp.lt.s32 %p0, %r4, 0;
			@!%p0 bra HIGH; // safe
			mov.u32 %r4, 0;
			bra STORE;
		HIGH:
			setp.gt.s32 %p1, %r4, 255;
			@!%p1 bra STORE; // safe
			mov.u32 %r4, 255;
		STORE:
			st.global.u8 [%rd4], %r4;
			exit;`},
		// volumeRender: threads finish "when the object at that pixel is opaque or too far away".
		// The volume is a table of known size that the index cannot leave, like a texture.
		{"volumeRender", `
			ld.global.f32 %f0, [%rd3]; // safe
			mov.f32 %f1, 0f00000000;
			mov.u32 %r2, 0;
			mov.u64 %rd5, table;
		LOOP:
			cvt.rzi.s32.f32 %r3, %f0;
			max.s32 %r3, %r3, 0;
			min.s32 %r3, %r3, 255;
			mul.wide.s32 %rd6, %r3, 4;
			add.s64 %rd7, %rd5, %rd6;
			ld.global.f32 %f2, [%rd7]; // safe
			add.f32 %f1, %f1, %f2;
			setp.gt.f32 %p0, %f1, 0f3F733333;
			@%p0 bra DONE; // safe
			add.f32 %f0, %f0, 0f3C23D70A;
			setp.gt.f32 %p1, %f0, 0f43000000;
			@%p1 bra DONE; // safe
			add.u32 %r2, %r2, 1;
			setp.lt.u32 %p2, %r2, 500;
			@%p2 bra LOOP; // unsafe: loop bound
		DONE:
			st.global.f32 [%rd4], %f1;
			exit;`},
		// histogram: "herding only affects histogram data". The counted value is a byte, so that
		// the bin exists.
		{"histogram", `
			ld.global.u8 %r2, [%rd3]; // safe
			setp.ge.u32 %p0, %r2, 128;
			@%p0 bra SKIP; // safe
			mul.wide.u32 %rd5, %r2, 4;
			mov.u64 %rd6, tile;
			add.s64 %rd6, %rd6, %rd5;
			atom.shared.add.u32 %r3, [%rd6], 1;
		SKIP:
			bar.sync 0;
			mov.u64 %rd7, tile;
			ld.shared.u32 %r4, [%rd7+64];
			st.global.u32 [%rd4], %r4;
			exit;`},
		// lbm: the test for an obstacle in the cell.
		{"lbm", `
			ld.global.u32 %r2, [%rd3]; // safe
			ld.global.f32 %f0, [%rd3+4]; // safe
			ld.global.f32 %f1, [%rd3+8]; // safe
			and.b32 %r3, %r2, 1;
			setp.eq.u32 %p0, %r3, 0;
			@%p0 bra FLUID; // safe
			mov.f32 %f2, %f1;
			mov.f32 %f3, %f0;
			bra STREAM;
		FLUID:
			add.f32 %f4, %f0, %f1;
			mul.f32 %f2, %f4, 0f3F000000;
			mov.f32 %f3, %f2;
		STREAM:
			st.global.f32 [%rd4], %f2;
			st.global.f32 [%rd4+4], %f3;
			exit;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := kernel(c.body)
			assert.Equal(t, wanted(text), verdicts(analyse(t, text)))
		})
	}
}

// TestVulnerable puts an operation behind a branch or a load.
func TestVulnerable(t *testing.T) {
	const outcome = "ld.global.u32 %r2, [%rd3]; // "
	const branch = "\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra SKIP; // "
	for _, c := range []struct{ name, body string }{
		{"nothing", outcome + "safe" + branch + "safe\nadd.u32 %r3, %r2, 1;\nSKIP: exit;"},
		{"a store under control", outcome + "unsafe: address" + branch +
			"unsafe: address\nst.global.u32 [%rd4], %r2;\nSKIP: exit;"},
		{"a guarded store", outcome + "unsafe: address\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 st.global.u32 [%rd4], %r1;\nexit;"},
		{
			"an address of two definitions",
			outcome + "unsafe: address" + branch +
				"unsafe: address\nadd.u64 %rd4, %rd4, 4;\nSKIP: st.global.u32 [%rd4], %r1;\nexit;",
		},
		{"an address that is loaded", outcome +
			"unsafe: address\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r1;\nexit;"},
		{"an index that is masked, into a known table", outcome + `safe
			and.b32 %r3, %r2, 255;
			mul.wide.u32 %rd5, %r3, 4;
			mov.u64 %rd6, table;
			add.u64 %rd6, %rd6, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"the same, beyond the table", outcome + `unsafe: address
			and.b32 %r3, %r2, 255;
			mul.wide.u32 %rd5, %r3, 4;
			mov.u64 %rd6, table;
			add.u64 %rd6, %rd6, %rd5;
			st.global.u32 [%rd6+4], %r1;
			exit;`},
		{"the same, not aligned", outcome + `unsafe: address
			and.b32 %r3, %r2, 255;
			mul.wide.u32 %rd5, %r3, 2;
			mov.u64 %rd6, table;
			add.u64 %rd6, %rd6, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"an index of parts, into a known table, from before in a loop", outcome + `safe
			mov.u32 %r3, 0;
			mov.u32 %r5, 10;
			mov.u64 %rd6, table;
		LOOP:
			mul.wide.u32 %rd5, %r3, 4;
			add.u64 %rd7, %rd6, %rd5;
			st.global.u32 [%rd7], %r1;
			shl.b32 %r6, %r2, 4;
			and.b32 %r6, %r6, 240;
			and.b32 %r7, %r1, 15;
			setp.gt.u32 %p0, %r2, 77;
			@%p0 bra SAME; // safe
			or.b32 %r3, %r6, %r7;
		SAME:
			add.u32 %r2, %r2, 3;
			add.u32 %r5, %r5, -1;
			setp.ne.u32 %p1, %r5, 0;
			@%p1 bra LOOP; // unsafe: loop bound
			exit;`},
		{"a divisor", outcome + "unsafe: divisor\ndiv.u32 %r3, %r1, %r2;\nst.global.u32 [%rd4], %r3;\nexit;"},
		{"a division under control", outcome + "unsafe: divisor" + branch +
			"unsafe: divisor\nrem.u32 %r3, %r1, %r2;\nSKIP: exit;"},
		{"a divisor that is not 0", outcome +
			"safe\nand.b32 %r3, %r2, 7;\nadd.u32 %r3, %r3, 1;\ndiv.u32 %r3, %r1, %r3;\nst.global.u32 [%rd4], %r3;\nexit;"},
		{"a barrier under control", outcome + "unsafe: barrier" + branch + "unsafe: barrier\nbar.sync 0;\nSKIP: exit;"},
		{"a barrier behind", outcome + "safe" + branch + "safe\nadd.u32 %r3, %r3, 1;\nSKIP: bar.sync 0;\nexit;"},
		{"a vote under control", outcome + "unsafe: threads of a warp" + branch +
			"unsafe: threads of a warp\nvote.sync.ballot.b32 %r3, %p0, -1;\nSKIP: exit;"},
		{"a vote about it", outcome + "safe\nsetp.ne.u32 %p0, %r2, 0;\nvote.sync.ballot.b32 %r3, %p0, -1;\nst.global.u32 [%rd4], %r3;\nexit;"},
		{"the threads of a shuffle", outcome +
			"unsafe: threads of a warp\nshfl.sync.idx.b32 %r3, %r1, 0, 31, %r2;\nst.global.u32 [%rd4], %r3;\nexit;"},
		{"a trap", outcome + "unsafe: end of a thread" + branch + "unsafe: end of a thread\ntrap;\nSKIP: exit;"},
		{"an exit before a barrier", outcome + "unsafe: barrier" + branch +
			"unsafe: barrier\nexit;\nSKIP: bar.sync 0;\nexit;"},
		{"an index of brx", outcome + "unsafe: indirect target\nlist: .branchtargets A, B;\nbrx.idx %r2, list;\nA: mov.u32 %r3, 1;\nB: st.global.u32 [%rd4], %r3;\nexit;"},
		{"by way of memory", outcome + `unsafe: address
			st.global.u32 [%rd4], %r2;
			ld.global.u32 %r3, [%rd4]; // unsafe: address
			mul.wide.u32 %rd5, %r3, 4;
			add.u64 %rd6, %rd4, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"by way of shared memory, from another branch", outcome + "unsafe: address" + branch + `unsafe: address
			mov.u64 %rd7, tile;
			st.shared.u32 [%rd7], %r1;
		SKIP:
			bar.sync 0;
			mov.u64 %rd8, tile;
			ld.shared.u32 %r3, [%rd8];
			mul.wide.u32 %rd5, %r3, 4;
			add.u64 %rd6, %rd1, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"not by way of another array", outcome + `safe
			st.global.u32 [%rd4], %r2;
			ld.global.u32 %r3, [%rd3+4]; // unsafe: address
			mul.wide.u32 %rd5, %r3, 4;
			add.u64 %rd6, %rd4, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"a loop by data", outcome + `unsafe: loop bound
		LOOP:
			shr.u32 %r2, %r2, 1;
			setp.ne.u32 %p0, %r2, 0;
			@%p0 bra LOOP; // unsafe: loop bound
			exit;`},
		{"a counter with a bound by data", outcome + `unsafe: loop bound
			mov.u32 %r3, 0;
		LOOP:
			add.u32 %r3, %r3, 1;
			setp.lt.u32 %p0, %r3, %r2;
			@%p0 bra LOOP; // unsafe: loop bound
			exit;`},
		{"entry of a loop that counts to what may be 0", outcome + "unsafe: loop bound" + branch + `unsafe: loop bound
			mov.u32 %r3, %r0;
		LOOP:
			add.u32 %r3, %r3, -1;
			setp.ne.u32 %p1, %r3, 0;
			@%p1 bra LOOP; // unsafe: loop bound
		SKIP:
			exit;`},
		{"entry of a loop of 10 rounds", outcome + "safe" + branch + `safe
			mov.u32 %r3, 10;
		LOOP:
			add.u32 %r3, %r3, -1;
			setp.ne.u32 %p1, %r3, 0;
			@%p1 bra LOOP; // unsafe: loop bound
		SKIP:
			exit;`},
		{"a step that passes the bound, so that no exit counts", outcome + "unsafe: loop bound" + `
			mov.u32 %r3, 10;
		LOOP:
			setp.ne.u32 %p0, %r2, %r3;
			@%p0 bra OUT; // unsafe: loop bound
			add.u32 %r3, %r3, -3;
			setp.ne.u32 %p1, %r3, 0;
			@%p1 bra LOOP; // unsafe: loop bound
		OUT:
			exit;`},
		{"a leap that passes the bound from any start, ahead of the type's end", outcome + `safe
			ld.global.u32 %r3, [%rd5]; // unsafe: loop bound
		LOOP:
			setp.ne.u32 %p0, %r2, %r3;
			@%p0 bra OUT; // safe
			add.s32 %r3, %r3, -20;
			setp.gt.s32 %p1, %r3, 1;
			@%p1 bra LOOP; // unsafe: loop bound
		OUT:
			exit;`},
		{"a leap that can wrap around", outcome + `unsafe: loop bound
			ld.global.u32 %r3, [%rd5]; // unsafe: loop bound
		LOOP:
			setp.ne.u32 %p0, %r2, %r3;
			@%p0 bra OUT; // unsafe: loop bound
			add.u32 %r3, %r3, -20;
			setp.gt.u32 %p1, %r3, 1;
			@%p1 bra LOOP; // unsafe: loop bound
		OUT:
			exit;`},
		{"a counter that not every round counts", outcome + `unsafe: loop bound
			mov.u32 %r3, 0;
		LOOP:
			add.u32 %r2, %r2, 7;
			setp.gt.u32 %p0, %r2, 99;
			@%p0 bra NEXT; // unsafe: loop bound
			add.u32 %r3, %r3, 1;
		NEXT:
			setp.lt.u32 %p1, %r3, 5;
			@%p1 bra LOOP; // unsafe: loop bound
			exit;`},
		{"a test of the counter that not every round makes", outcome + `unsafe: loop bound
			mov.u32 %r3, 0;
		LOOP:
			add.u32 %r3, %r3, 1;
			setp.gt.u32 %p0, %r2, 99;
			@%p0 bra NEXT; // unsafe: loop bound
			setp.gt.u32 %p1, %r3, 5;
			@%p1 bra OUT; // unsafe: loop bound
		NEXT:
			shr.u32 %r2, %r2, 1;
			bra LOOP;
		OUT:
			exit;`},
		{"what stays where a guard does not hold", outcome + `unsafe: address
			setp.gt.u32 %p0, %r1, 9;
			@%p0 mov.u32 %r2, 0;
			mul.wide.u32 %rd5, %r2, 4;
			add.u64 %rd6, %rd4, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"what others bring to a barrier", outcome + `unsafe: address
			setp.gt.u32 %p0, %r2, 9;
			setp.gt.u32 %p1, %r1, 31;
			@%p1 bra SECOND; // unsafe: barrier
			bar.red.popc.u32 %r3, 0, %p0;
			exit;
		SECOND:
			bar.red.popc.u32 %r4, 0, %p1;
			mul.wide.u32 %rd5, %r4, 4;
			add.u64 %rd6, %rd4, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"the other one of two ways that meet early", outcome + "unsafe: address" + `
			mov.u64 %rd5, %rd4;
			setp.gt.u32 %p0, %r2, 9;
			@%p0 bra EARLY; // unsafe: address
			add.u64 %rd5, %rd4, 4;
			setp.gt.u32 %p1, %r1, 9;
			@%p1 bra EARLY; // unsafe: address
			mov.u64 %rd6, %rd4;
			bra LATE;
		EARLY:
			add.u64 %rd6, %rd5, 8;
		LATE:
			st.global.u32 [%rd6], %r1;
			exit;`},
		{"two ways into a loop", outcome + "unsafe: loop bound" + branch + `unsafe: loop bound
		LOOP:
			add.u32 %r2, %r2, 1;
		SKIP:
			add.u32 %r2, %r2, 3;
			setp.lt.u32 %p1, %r2, 99;
			@%p1 bra LOOP; // unsafe: loop bound
			exit;`},
		{"rounds that an address behind the loop depends on", outcome + `unsafe: address
			mov.u32 %r3, 0;
			mov.u64 %rd5, %rd4;
		LOOP:
			add.u64 %rd5, %rd5, 4;
			add.u32 %r2, %r2, 7;
			setp.gt.u32 %p0, %r2, 99;
			@%p0 bra OUT; // unsafe: address
			add.u32 %r3, %r3, 1;
			setp.lt.u32 %p1, %r3, 5;
			@%p1 bra LOOP; // unsafe: address
		OUT:
			st.global.u32 [%rd5], %r3;
			exit;`},
		{"rounds that nothing behind the loop depends on", outcome + `safe
			mov.u32 %r3, 0;
		LOOP:
			add.u32 %r2, %r2, 7;
			setp.gt.u32 %p0, %r2, 99;
			@%p0 bra OUT; // safe
			add.u32 %r3, %r3, 1;
			setp.lt.u32 %p1, %r3, 5;
			@%p1 bra LOOP; // unsafe: loop bound
		OUT:
			st.global.u32 [%rd4], %r2;
			exit;`},
		{"who is together", outcome + "unsafe: address" + branch + `unsafe: address
			add.u32 %r3, %r3, 1;
		SKIP:
			activemask.b32 %r4;
			mul.wide.u32 %rd5, %r4, 4;
			add.u64 %rd6, %rd4, %rd5;
			st.global.u32 [%rd6], %r1;
			exit;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := kernel(c.body)
			assert.Equal(t, wanted(text), verdicts(analyse(t, text)))
		})
	}
}

// TestFunctions checks that a call is vulnerable, and so are the uses of a parameter.
func TestFunctions(t *testing.T) {
	function := func(body string) string {
		return prologue + `.func (.param .b32 back) f(.param .b64 at, .param .b32 x)
{
	.reg .pred %q<3>;
	.reg .b32 %s<5>;
	.reg .b64 %sd<5>;
	ld.param.u64 %sd0, [at];
	ld.param.u32 %s0, [x];
	` + body + `
	st.param.b32 [back], %s0;
	ret;
}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{` + registers + `
	ld.param.u64 %rd0, [in];
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r2, [%rd0]; // %s
	setp.ne.u32 %p0, %r2, 0;
	@%p0 bra SKIP; // unsafe: call
	{
	.param .b64 p0;
	.param .b32 p1;
	.param .b32 r;
	st.param.b64 [p0], %rd1;
	st.param.b32 [p1], %r2;
	call (r), f, (p0, p1);
	ld.param.b32 %r3, [r];
	}
SKIP:
	exit;
}
`
	}
	for _, c := range []struct{ name, body, load string }{
		{"arithmetic", "setp.gt.u32 %q0, %s0, 5;\n@%q0 bra L; // safe\nadd.u32 %s0, %s0, 1;\nL:", "unsafe: call"},
		{
			"an address", "setp.gt.u32 %q0, %s0, 5;\n@%q0 bra L; // unsafe: address\nst.global.u32 [%sd0], %s0;\nL:",
			"unsafe: call",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(function(c.body), "%s\n", c.load+"\n", 1)
			assert.Equal(t, wanted(text), verdicts(analyse(t, text)))
		})
	}
}

// TestSharedRegister checks that a register of the module is one value, whichever function writes
// it.
func TestSharedRegister(t *testing.T) {
	text := prologue + `.reg .b64 %far;
.func f()
{
	st.global.u32 [%far], 0;
	ret;
}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{` + registers + `
	ld.param.u64 %rd0, [in];
	ld.param.u64 %far, [out];
	ld.global.u32 %r2, [%rd0]; // unsafe: address
	setp.ne.u32 %p0, %r2, 0;
	@%p0 bra SKIP; // unsafe: address
	add.u64 %far, %far, 4;
SKIP:
	call f;
	exit;
}
`
	assert.Equal(t, wanted(text), verdicts(analyse(t, text)))
}

// TestChain checks for the shortest chain, from the load to the operation that it makes vulnerable.
func TestChain(t *testing.T) {
	r := analyse(t, kernel(`
		ld.global.u32 %r2, [%rd3];
		setp.ne.u32 %p0, %r2, 0;
		@%p0 bra SKIP;
		st.shared.u32 [tile], %r1;
	SKIP:
		bar.sync 0;
		ld.shared.u32 %r3, [tile];
		mul.wide.u32 %rd5, %r3, 4;
		add.u64 %rd6, %rd1, %rd5;
		st.global.u32 [%rd6], %r1;
		exit;`))
	require.Len(t, r.Loads, 1)
	var chain []string
	for i, s := range r.Loads[0].Chain {
		link := s.Link.String()
		if i == 0 {
			link = "-"
		}
		chain = append(chain, link+" "+strings.Fields(r.Prog.Mnemonic(s.PC))[0])
	}
	assert.Equal(t, []string{
		"- ld.global.u32", "value setp.ne.u32", "value @%p0", "controls st.shared.u32", "memory ld.shared.u32",
		"value mul.wide.u32", "value add.u64", "value st.global.u32",
	}, chain)
	assert.Equal(t, "address", r.Loads[0].Danger.String())
	assert.Equal(t, r.Loads[0].Chain[2:], r.Branches[0].Chain[:], "the chain of the branch is the rest")
}

// TestSizes checks that programs of some 300,000 instructions take seconds, not minutes.
func TestSizes(t *testing.T) {
	n := 60_000
	if testing.Short() {
		n = 10_000
	}
	for _, c := range []struct {
		name string
		line func(i int) string
	}{
		{"ifs in a row", func(i int) string {
			return fmt.Sprintf("setp.ne.u32 %%p0, %%r2, %d;\n@%%p0 bra L%d;\nadd.u32 %%r2, %%r2, %%r1;\nL%d:\nadd.u32 %%r3, %%r2, 1;\n", i, i, i)
		}},
		{"out of one loop", func(i int) string {
			return fmt.Sprintf("add.u32 %%r2, %%r2, 3;\nsetp.eq.u32 %%p0, %%r2, %d;\n@%%p0 bra END;\n", i)
		}},
		{"nested", func(i int) string {
			if i < n/8 {
				return fmt.Sprintf("setp.eq.u32 %%p0, %%r2, %d;\n@%%p0 bra L%d;\n", i, i)
			}
			return fmt.Sprintf("add.u32 %%r2, %%r2, 1;\nL%d:\n", n/4-1-i)
		}},
		{"straight", func(i int) string { return "add.u32 %r2, %r2, %r1;\nxor.b32 %r3, %r3, %r2;\n" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			m := n
			if c.name == "nested" {
				m = n / 4
			}
			b.WriteString("ld.global.u32 %r2, [%rd3];\nHEAD:\n")
			for i := range m {
				b.WriteString(c.line(i))
			}
			b.WriteString("setp.ne.u32 %p1, %r2, 7;\n@%p1 bra HEAD;\nEND:\nst.global.u32 [%rd4], %r2;\nexit;")
			text := kernel(b.String())
			mod, err := ptx.Parse("k.ptx", []byte(text))
			require.NoError(t, err)
			p, err := mod.Program("k")
			require.NoError(t, err)
			start := time.Now()
			r := safety.Analyze(p)
			t.Log(len(p.Insts), "instructions:", time.Since(start))
			for _, v := range r.Branches {
				require.False(t, v.Safe, "PC %d: the loop is by data, and all of them decide about it", v.PC)
			}
		})
	}
}

func ExampleAnalyze() {
	m, err := ptx.Parse("k.ptx", []byte(kernel(`
	ld.global.u32 %r2, [%rd3];
	setp.ne.u32 %p0, %r2, 0;
	@%p0 bra SKIP;
	st.global.u32 [%rd4], %r2;
SKIP:
	exit;`)))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Program("k")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range safety.Analyze(p).Branches {
		fmt.Println(v.PC, v.Safe, v.Danger)
		for _, s := range v.Chain[1:] {
			fmt.Println(s.Link, p.Mnemonic(s.PC))
		}
	}
	// Output:
	// 9 false address
	// controls st.global.u32 [%rd4], %r2
}
