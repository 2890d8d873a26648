package verify

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/units"
)

// element returns the position of element i of a thread's fragment in its matrix. The manual's
// figures give it by groupID = laneid >> 2 and threadID_in_group = laneid % 4.
type element func(i, groupID, threadID int) (row, column int)

// layouts are those of the PTX ISA, sections 9.7.13.4.1 to 9.7.13.4.14.
var layouts = []struct {
	shape            string
	d, a, b          string // types
	m, k             int
	numA, numB, numC int // elements of a thread
	placeA, placeB   element
	placeC           element
}{
	{
		"m16n8k8", "f32 f16", "f16 bf16", "", 16, 8, 4, 2, 4,
		func(i, g, t int) (int, int) { return pick(i < 2, g, g+8), t*2 + i&1 },
		func(i, g, t int) (int, int) { return t*2 + i, g },
		func(i, g, t int) (int, int) { return pick(i < 2, g, g+8), t*2 + i&1 },
	},
	{
		"m16n8k16", "f32 f16", "f16 bf16", "", 16, 16, 8, 4, 4,
		func(i, g, t int) (int, int) {
			return pick(i < 2 || 4 <= i && i < 6, g, g+8), pick(i < 4, t*2+i&1, t*2+i&1+8)
		},
		func(i, g, t int) (int, int) { return pick(i < 2, t*2+i&1, t*2+i&1+8), g },
		func(i, g, t int) (int, int) { return pick(i < 2, g, g+8), t*2 + i&1 },
	},
	{
		"m16n8k4", "f32", "tf32", "", 16, 4, 2, 1, 4,
		func(i, g, t int) (int, int) { return pick(i == 0, g, g+8), t },
		func(_, g, t int) (int, int) { return t, g },
		func(i, g, t int) (int, int) { return pick(i < 2, g, g+8), t*2 + i&1 },
	},
	{
		"m16n8k8", "f32", "tf32", "", 16, 8, 4, 2, 4,
		func(i, g, t int) (int, int) { return pick(i == 0 || i == 2, g, g+8), pick(i < 2, t, t+4) },
		func(i, g, t int) (int, int) { return pick(i == 0, t, t+4), g },
		func(i, g, t int) (int, int) { return pick(i < 2, g, g+8), t*2 + i&1 },
	},
	{
		"m8n8k16", "s32", "s8 u8", "s8 u8", 8, 16, 4, 4, 2,
		func(i, g, t int) (int, int) { return g, t*4 + i },
		func(i, g, t int) (int, int) { return t*4 + i, g },
		func(i, g, t int) (int, int) { return g, t*2 + i },
	},
	{
		"m16n8k16", "s32", "s8 u8", "s8 u8", 16, 16, 8, 4, 4,
		func(i, g, t int) (int, int) { return pick(i < 4, g, g+8), t*4 + i&3 },
		func(i, g, t int) (int, int) { return t*4 + i, g },
		func(i, g, t int) (int, int) { return pick(i < 2, g, g+8), t*2 + i&1 },
	},
	{
		"m16n8k32", "s32", "s8 u8", "s8 u8", 16, 32, 16, 8, 4,
		func(i, g, t int) (int, int) {
			return pick(i < 4 || 8 <= i && i < 12, g, g+8), pick(i < 8, t*4+i&3, t*4+i&3+16)
		},
		func(i, g, t int) (int, int) { return pick(i < 4, t*4+i&3, t*4+i&3+16), g },
		func(i, g, t int) (int, int) { return pick(i < 2, g, g+8), t*2 + i&1 },
	},
	{
		"m8n8k4", "f64", "f64", "", 8, 4, 1, 1, 2,
		func(_, g, t int) (int, int) { return g, t },
		func(_, g, t int) (int, int) { return t, g },
		func(i, g, t int) (int, int) { return g, t*2 + i },
	},
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// warps is the number of warps that do the same: some lane permutations leave the first one
// unchanged.
const warps = 3

// bitsOf encodes a small integer as an element.
func bitsOf(typ string, v int) uint64 {
	switch typ {
	case "f16":
		if v == 0 {
			return 0
		}
		e := int(math.Floor(math.Log2(math.Abs(float64(v)))))
		return uint64(pick(v < 0, 1, 0))<<15 | uint64(e+15)<<10 |
			uint64(math.Abs(float64(v))*math.Exp2(float64(10-e)))&0x3FF
	case "bf16":
		return uint64(math.Float32bits(float32(v)) >> 16)
	case "f32", "tf32":
		return uint64(math.Float32bits(float32(v)))
	case "f64":
		return math.Float64bits(float64(v))
	case "s8", "u8":
		return uint64(uint8(v))
	}
	return uint64(uint32(v))
}

func width(typ string) int {
	switch typ {
	case "f16", "bf16":
		return 16
	case "s8", "u8":
		return 8
	case "f64":
		return 64
	}
	return 32
}

// pack puts elements into registers, the first in the lowest bits.
func pack(typ string, elements []uint64) (registers []byte) {
	for i := 0; i < len(elements); i++ {
		switch e := elements[i]; width(typ) {
		case 8:
			registers = append(registers, byte(e))
		case 16:
			registers = binary.LittleEndian.AppendUint16(registers, uint16(e))
		case 32:
			registers = binary.LittleEndian.AppendUint32(registers, uint32(e))
		default:
			registers = binary.LittleEndian.AppendUint64(registers, e)
		}
	}
	return registers
}

// mmaKernel returns a kernel that loads the fragments of a thread, multiplies and stores the
// result.
func mmaKernel(shape, d, a, b, satfinite string, bytesA, bytesB, bytesC int) string {
	reg, size := "b32", 4
	if d == "f64" {
		reg, size = "f64", 8
	}
	sumReg := reg
	if d == "f32" {
		sumReg = "f32"
	}
	var s strings.Builder
	fmt.Fprintf(&s, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n")
	fmt.Fprintf(&s, "\t.reg .%s %%x<16>;\n\t.reg .%s %%c<4>, %%d<4>;\n\t.reg .b64 %%rd<4>;\n\t.reg .b32 %%r<2>;\n", reg,
		sumReg)
	fmt.Fprintf(&s, "\tld.param.u64 %%rd0, [in];\n\tld.param.u64 %%rd1, [out];\n\tmov.u32 %%r0, %%tid.x;\n")
	total := bytesA + bytesB + bytesC
	fmt.Fprintf(&s, "\tmad.wide.u32 %%rd0, %%r0, %d, %%rd0;\n\tmad.wide.u32 %%rd1, %%r0, %d, %%rd1;\n", total, bytesC)
	list := func(name string, first, n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%%%s%d", name, first+i))
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	na, nb, nc := bytesA/size, bytesB/size, bytesC/size
	for i := range na + nb {
		fmt.Fprintf(&s, "\tld.global.%s %%x%d, [%%rd0+%d];\n", reg, i, i*size)
	}
	for i := range nc {
		fmt.Fprintf(&s, "\tld.global.%s %%c%d, [%%rd0+%d];\n", sumReg, i, (na+nb+i)*size)
	}
	fmt.Fprintf(&s, "\tmma.sync.aligned.%s.row.col%s.%s.%s.%s.%s %s, %s, %s, %s;\n", shape, satfinite, d, a, b, d,
		list("d", 0, nc), list("x", 0, na), list("x", na, nb), list("c", 0, nc))
	for i := range nc {
		fmt.Fprintf(&s, "\tst.global.%s [%%rd1+%d], %%d%d;\n", sumReg, i*size, i)
	}
	s.WriteString("\tret;\n}\n")
	return s.String()
}

// runKernel runs the only kernel of a text on buffers, compares it with the golden model, and
// returns the last buffer.
func runKernel(t *testing.T, c gpu.Config, text string, block int, buffers ...[]byte) ([]byte, error) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	s := session(t, c)
	var bank []byte
	var at uint64
	for _, b := range buffers {
		at = s.Alloc(len(b))
		s.Write(at, b)
		bank = binary.LittleEndian.AppendUint64(bank, at)
	}
	err = Run(s, testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(block), 1, 1},
		Params: bank,
	})
	out := make([]byte, len(buffers[len(buffers)-1]))
	s.Read(at, out)
	return out, err
}

// TestMma multiplies matrices of small integers, whose products are exact in every type. It uses
// the manual's layouts, with the threads in their lanes and in others.
func TestMma(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, l := range layouts {
		for _, d := range strings.Fields(l.d) {
			for _, a := range strings.Fields(l.a) {
				if d == "f16" && a != "f16" {
					continue
				}
				for _, b := range strings.Fields(pickWord(l.b, a)) {
					t.Run(strings.Join([]string{l.shape, d, a, b}, "."), func(t *testing.T) {
						var x [16][32]int
						var y [32][8]int
						var z [16][8]int
						element := func(typ string) int { return rng.IntN(8) - pick(typ == "u8", 0, 4) }
						for i := range l.m {
							for k := range l.k {
								x[i][k] = element(a)
							}
							for j := range z[i] {
								z[i][j] = rng.IntN(200) - 100
							}
						}
						for k := range l.k {
							for j := range y[k] {
								y[k][j] = element(b)
							}
						}
						var in []byte
						var sizes [3]int
						for lane := range 32 {
							g, tid := lane>>2, lane%4
							var fa, fb, fc []uint64
							for i := range l.numA {
								row, column := l.placeA(i, g, tid)
								fa = append(fa, bitsOf(a, x[row][column]))
							}
							for i := range l.numB {
								row, column := l.placeB(i, g, tid)
								fb = append(fb, bitsOf(b, y[row][column]))
							}
							for i := range l.numC {
								row, column := l.placeC(i, g, tid)
								fc = append(fc, bitsOf(d, z[row][column]))
							}
							pa, pb, pc := pack(a, fa), pack(b, fb), pack(d, fc)
							sizes = [3]int{len(pa), len(pb), len(pc)}
							in = append(append(append(in, pa...), pb...), pc...)
						}
						var want []byte
						for lane := range 32 {
							var fd []uint64
							for i := range l.numC {
								row, column := l.placeC(i, lane>>2, lane%4)
								sum := z[row][column]
								for k := range l.k {
									sum += x[row][k] * y[k][column]
								}
								fd = append(fd, bitsOf(d, sum))
							}
							want = append(want, pack(d, fd)...)
						}
						text := mmaKernel(l.shape, d, a, b, "", sizes[0], sizes[1], sizes[2])
						for _, lanes := range []units.Permutation{units.Sequential, units.Balanced} {
							c := small()
							c.GPU.SMs = 1
							c.SM.Lanes = lanes
							got, err := runKernel(t, c, text, 32*warps, bytes.Repeat(in, warps),
								make([]byte, warps*len(want)))
							require.NoError(t, err)
							assert.Equal(t, bytes.Repeat(want, warps), got, "%s", lanes)
						}
					})
				}
			}
		}
	}
}

func pickWord(word, dflt string) string {
	if word == "" {
		return dflt
	}
	return word
}

// TestMmaOfAnything multiplies random bits, with NaN and infinities among them. The golden model is
// the reference.
func TestMmaOfAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, l := range layouts {
		for _, d := range strings.Fields(l.d) {
			for _, a := range strings.Fields(l.a) {
				if d == "f16" && a != "f16" {
					continue
				}
				saturations := []string{""}
				if d == "s32" {
					saturations = []string{"", ".satfinite"}
				}
				for _, sat := range saturations {
					na, nb, nc := l.numA*width(a)/8, l.numB*width(a)/8, l.numC*width(d)/8
					in := make([]byte, 32*(na+nb+nc))
					for i := range in {
						in[i] = byte(rng.Uint32())
						if rng.IntN(8) == 0 {
							in[i] = []byte{0, 0x7F, 0x80, 0xFF, 0x7C}[rng.IntN(5)]
						}
					}
					_, err := runKernel(t, small(), mmaKernel(l.shape, d, a, a, sat, na, nb, nc), 32, in,
						make([]byte, 32*nc))
					require.NoError(t, err, "%s %s %s", l.shape, d, a)
				}
			}
		}
	}
}

// ldmatrixKernel returns a kernel that copies the input of each warp, rows of 16 bytes, to shared
// memory. Thread i supplies the address of row 31-i.
func ldmatrixKernel(n int, trans string) string {
	regs := []string{"%d0", "%d1", "%d2", "%d3"}[:n]
	return fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b32 %%r<8>, %%d<4>;
	.reg .b64 %%rd<4>;
	.shared .align 16 .b8 tile[1552];
	ld.param.u64 %%rd0, [in];
	ld.param.u64 %%rd1, [out];
	mov.u32 %%r0, %%tid.x;
	mad.wide.u32 %%rd0, %%r0, 16, %%rd0;
	mad.wide.u32 %%rd1, %%r0, 16, %%rd1;
	ld.global.v4.b32 {%%d0, %%d1, %%d2, %%d3}, [%%rd0];
	and.b32 %%r4, %%r0, 31;
	sub.u32 %%r1, %%r0, %%r4;
	mov.u32 %%r0, %%r4;
	mov.u32 %%r4, tile;
	mad.lo.u32 %%r1, %%r1, 16, %%r4;
	mad.lo.u32 %%r2, %%r0, 16, %%r1;
	st.shared.v4.b32 [%%r2+16], {%%d0, %%d1, %%d2, %%d3};
	mov.b32 %%d0, 0;
	mov.b32 %%d1, 0;
	mov.b32 %%d2, 0;
	mov.b32 %%d3, 0;
	bar.sync 0;
	sub.u32 %%r3, 31, %%r0;
	mad.lo.u32 %%r3, %%r3, 16, %%r1;
	setp.ge.u32 %%p1, %%r0, %d;
	@%%p1 mov.u32 %%r3, 3;
	ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%%r3+16];
	st.global.v4.b32 [%%rd1], {%%d0, %%d1, %%d2, %%d3};
	movmatrix.sync.aligned.m8n8.trans.b16 %%d0, %%d0;
	st.global.b32 [%%rd1], %%d0;
	ret;
}
`, 8*n, n, trans, strings.Join(regs, ", "))
}

func TestLdmatrix(t *testing.T) {
	in := make([]byte, 512)
	for i := range in {
		in[i] = byte(i*7 + i>>8)
	}
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			for _, lanes := range []units.Permutation{units.Sequential, units.Balanced} {
				c := small()
				c.GPU.SMs = 1
				c.SM.Lanes = lanes
				text := strings.Replace(ldmatrixKernel(n, trans), ".reg .b64", ".reg .pred %p<2>;\n\t.reg .b64", 1)
				out, err := runKernel(t, c, text, 32*warps, bytes.Repeat(in, warps), make([]byte, 512*warps))
				require.NoError(t, err, "x%d%s %s", n, trans, lanes)
				for thread := range 32 * warps {
					lane := thread % 32
					for i := range 4 {
						var want uint32
						for h := range 2 {
							row, column := lane/4, lane%4*2+h
							if (trans != "") != (i == 0) { // movmatrix has transposed the first matrix once more
								row, column = column, row
							}
							if i < n {
								at := (31-(8*i+row))*16 + 2*column
								want |= uint32(binary.LittleEndian.Uint16(in[at:])) << (16 * h)
							}
						}
						require.Equal(t, want, binary.LittleEndian.Uint32(out[16*thread+4*i:]),
							"x%d%s %s: thread %d register %d", n, trans, lanes, thread, i)
					}
				}
			}
		}
	}
}

// TestMatricesWantWholeWarps checks matrix instructions without all 32 threads of a warp. The
// machine and the golden model agree on the thread to blame.
func TestMatricesWantWholeWarps(t *testing.T) {
	const kernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %%r<8>;
	.reg .pred %%p<2>;
	.shared .align 16 .b8 tile[512];
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r1, tile;
	setp.eq.u32 %%p1, %%r0, 5;
%s
	ret;
}
`
	for _, tt := range []struct {
		name, body string
		threads    int
		want       string
	}{
		{"guard", "@!%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r0;", 32, "threads missing"},
		{"branch", "@%p1 bra L; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1]; L:", 32, "threads missing"},
		{
			"exited", "@%p1 exit; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2, %r3}, {%r0}, {%r0}, {%r0, %r0};",
			32, "threads missing",
		},
		{"short", "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r0;", 40, "threads missing"},
		{
			"misaligned", "add.u32 %r1, %r1, %r0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];", 32,
			"misaligned",
		},
		{"outside", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1+512];", 32, "out of bounds"},
		{"store", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1+16], {%r2, %r3, %r4, %r5};", 32, ""},
		{"misaligned store", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1+8], {%r2};", 32, "misaligned"},
		{"store outside", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1+512], {%r2, %r3};", 32, "out of bounds"},
		{"store of some", "@%p1 stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", 32, "threads missing"},
		{"quads of some", "@%p1 mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r2, %r3, %r4, %r5}, {%r0, %r0}, {%r0, %r0}, {%r2, %r3, %r4, %r5};", 32, "threads missing"},
		{"generic", "mov.u64 %rd1, 4096; ldmatrix.sync.aligned.m8n8.x1.b16 {%r2}, [%rd1];", 32, "out of bounds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := small()
			c.GPU.SMs = 1
			text := strings.Replace(fmt.Sprintf(kernel, tt.body), ".reg .pred", ".reg .b64 %rd<2>;\n\t.reg .pred", 1)
			_, err := runKernel(t, c, text, tt.threads, make([]byte, 4))
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.want)
			assert.NotContains(t, err.Error(), "differ")
		})
	}
	c := small()
	c.SM.WarpSize, c.SM.SIMDWidth, c.SM.DPWidth, c.SM.SFUWidth = 16, 8, 8, 8
	_, err := runKernel(t, c, fmt.Sprintf(kernel, "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r0;"), 32,
		make([]byte, 4))
	require.ErrorContains(t, err, "sm.warp_size is 16")
}
