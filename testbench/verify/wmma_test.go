package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/units"
)

// wmmaKernel returns a kernel that loads three matrices of a buffer, multiplies and stores the
// result.
func wmmaKernel(shape string, types [4]string, layouts [4]string, offsets [3]int, strides [4]string) string {
	var s strings.Builder
	say := func(format string, a ...any) { fmt.Fprintf(&s, format+"\n", a...) }
	say(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{")
	sum := func(typ string) (reg string, n int) {
		switch typ {
		case "f16":
			return "b32", 4
		case "f64":
			return "f64", 2
		case "s32":
			return "b32", 8
		}
		return "f32", 8
	}
	fragment := map[string]int{ // registers of a thread for A and B, by shape and type
		"m16n16k16.f16 a": 8, "m16n16k16.f16 b": 8, "m8n32k16.f16 a": 8, "m8n32k16.f16 b": 8, "m32n8k16.f16 a": 8,
		"m32n8k16.f16 b":   8,
		"m16n16k16.bf16 a": 4, "m16n16k16.bf16 b": 4, "m8n32k16.bf16 a": 2, "m8n32k16.bf16 b": 8, "m32n8k16.bf16 a": 8,
		"m32n8k16.bf16 b": 2,
		"m16n16k16.s8 a":  2, "m16n16k16.s8 b": 2, "m8n32k16.s8 a": 1, "m8n32k16.s8 b": 4, "m32n8k16.s8 a": 4,
		"m32n8k16.s8 b":   1,
		"m16n16k8.tf32 a": 4, "m16n16k8.tf32 b": 4, "m8n8k4.f64 a": 1, "m8n8k4.f64 b": 1,
	}
	of := strings.Replace(types[1], "u8", "s8", 1)
	na, nb := fragment[shape+"."+of+" a"], fragment[shape+"."+of+" b"]
	reg := "b32"
	if of == "f64" {
		reg = "f64"
	}
	regC, nc := sum(types[3])
	regD, nd := sum(types[0])
	say("\t.reg .%s %%a<8>, %%b<8>;\n\t.reg .%s %%c<8>;\n\t.reg .%s %%d<8>;\n\t.reg .b64 %%rd<4>;\n\t.reg .b32 %%r<2>;",
		reg, regC, regD)
	list := func(name string, n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%%%s%d", name, i))
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	say("\tld.param.u64 %%rd0, [in];\n\tld.param.u64 %%rd1, [out];\n\tmov.u32 %%r0, 48;\n\tcvta.to.global.u64 %%rd2, %%rd0;")
	say("\twmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%rd2+%d]%s;", layouts[0], shape, types[1], list("a", na),
		offsets[0], strides[0])
	say("\twmma.load.b.sync.aligned.%s.%s.%s %s, [%%rd0+%d]%s;", shape, layouts[1], types[2], list("b", nb), offsets[1],
		strides[1])
	say("\twmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%rd2+%d]%s;", layouts[2], shape, types[3], list("c", nc),
		offsets[2], strides[2])
	form := strings.Join(types[:], ".")
	if types[1] == "f16" {
		form = types[0] + "." + types[3]
	}
	say("\twmma.mma.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;", layouts[0], layouts[1], shape, form, list("d", nd),
		list("a", na), list("b", nb), list("c", nc))
	say("\twmma.store.d.sync.aligned.%s.%s.global.%s [%%rd1], %s%s;", layouts[3], shape, types[0], list("d", nd),
		strides[3])
	say("\tret;\n}")
	return s.String()
}

// TestWmma multiplies matrices of small integers in all shapes, types and layouts. The strides are
// omitted, constant, or in a register.
func TestWmma(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for _, c := range []struct {
		shapes, sums, addends, of string
	}{
		{"m16n16k16 m8n32k16 m32n8k16", "f16 f32", "f16 f32", "f16"},
		{"m16n16k16 m8n32k16 m32n8k16", "f32", "f32", "bf16"},
		{"m16n16k16 m8n32k16 m32n8k16", "s32", "s32", "s8 u8"},
		{"m16n16k8", "f32", "f32", "tf32"},
		{"m8n8k4", "f64", "f64", "f64"},
	} {
		for _, shape := range strings.Fields(c.shapes) {
			for _, sum := range strings.Fields(c.sums) {
				for _, addend := range strings.Fields(c.addends) {
					for _, of := range strings.Fields(c.of) {
						for combination := range 16 {
							if testing.Short() && combination%5 != 0 {
								continue
							}
							oneWmma(t, rng, shape, [4]string{sum, of, of, addend}, combination)
						}
					}
				}
			}
		}
	}
}

func oneWmma(t *testing.T, rng *rand.Rand, shape string, types [4]string, combination int) {
	t.Helper()
	var m, n, k int
	_, err := fmt.Sscanf(shape, "m%dn%dk%d", &m, &n, &k)
	require.NoError(t, err)
	var layouts, strides [4]string
	for i := range layouts {
		layouts[i] = pickWord([]string{"", "col"}[combination>>i&1], "row")
	}
	const padding = 16 // elements of a line past the matrix, which must not count
	kind := rng.IntN(3)
	// fill returns a buffer with the elements of a matrix of small integers.
	fill := func(rows, columns int, layout, typ string, value func(i, j int) int, stride *string) []byte {
		lines, width := rows, columns
		if layout == "col" {
			lines, width = columns, rows
		}
		long := width
		switch kind {
		case 1:
			long = 16 + padding
			if width > 16 {
				long = 32 + padding
			}
			*stride = fmt.Sprintf(", %d", long)
		case 2:
			long = 48
			*stride = ", %r0"
		}
		elements := make([]uint64, lines*long)
		for i := range elements {
			elements[i] = rng.Uint64()
		}
		for i := range rows {
			for j := range columns {
				at := i*long + j
				if layout == "col" {
					at = j*long + i
				}
				elements[at] = bitsOf(typ, value(i, j))
			}
		}
		return pack(typ, elements)
	}
	var a, b, c [32][32]int
	for i := range a {
		for j := range a[i] {
			a[i][j], b[i][j], c[i][j] = rng.IntN(9)-pick(types[1] == "u8", 0, 4), rng.IntN(9)-pick(types[1] == "u8", 0,
				4), rng.IntN(100)-50
		}
	}
	var in []byte
	var offsets [3]int
	for i, buffer := range [][]byte{
		fill(m, k, layouts[0], types[1], func(i, j int) int { return a[i][j] }, &strides[0]),
		fill(k, n, layouts[1], types[1], func(i, j int) int { return b[i][j] }, &strides[1]),
		fill(m, n, layouts[2], types[3], func(i, j int) int { return c[i][j] }, &strides[2]),
	} {
		offsets[i] = len(in)
		in = append(in, buffer...)
	}
	product := func(i, j int) int {
		v := c[i][j]
		for l := range k {
			v += a[i][l] * b[l][j]
		}
		return v
	}
	want := fill(m, n, layouts[3], types[0], product, &strides[3])
	text := wmmaKernel(shape, types, layouts, offsets, strides)
	for _, lanes := range []units.Permutation{units.Sequential, units.Balanced} {
		machine := small()
		machine.GPU.SMs = 1
		machine.SM.Lanes = lanes
		got, err := runKernel(t, machine, text, 32, in, make([]byte, len(want)))
		require.NoError(t, err, "%s", text)
		elements := len(want) / (width(types[0]) / 8)
		for e := range elements {
			size := width(types[0]) / 8
			long := elements / pick(layouts[3] == "row", m, n)
			line, at := e/long, e%long
			if at >= pick(layouts[3] == "row", n, m) {
				continue // past the line
			}
			require.Equal(t, want[e*size:e*size+size], got[e*size:e*size+size], "%s %v %v %s: line %d element %d\n%s",
				shape, types, layouts, lanes, line, at, text)
		}
	}
}

// TestWmmaSaturates computes a sum past s32. It wraps, or becomes the largest number with
// .satfinite.
func TestWmmaSaturates(t *testing.T) {
	const kernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %%a<2>, %%b<2>, %%c<8>;
	.reg .b64 %%rd;
	ld.param.u64 %%rd, [out];
	mov.b32 %%a0, 0x01010101; mov.b32 %%a1, %%a0; mov.b32 %%b0, %%a0; mov.b32 %%b1, %%a0;
	mov.b32 %%c0, 0x7ffffff8; mov.b32 %%c1, %%c0; mov.b32 %%c2, %%c0; mov.b32 %%c3, %%c0;
	mov.b32 %%c4, %%c0; mov.b32 %%c5, %%c0; mov.b32 %%c6, %%c0; mov.b32 %%c7, %%c0;
	wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32%s {%%c0, %%c1, %%c2, %%c3, %%c4, %%c5, %%c6, %%c7},
		{%%a0, %%a1}, {%%b0, %%b1}, {%%c0, %%c1, %%c2, %%c3, %%c4, %%c5, %%c6, %%c7};
	wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%%rd], {%%c0, %%c1, %%c2, %%c3, %%c4, %%c5, %%c6, %%c7};
	ret;
}
`
	for sat, want := range map[string]uint64{"": 0x8000_0008, ".satfinite": 0x7FFF_FFFF} {
		c := small()
		c.GPU.SMs = 1
		got, err := runKernel(t, c, fmt.Sprintf(kernel, sat), 32, make([]byte, 1024))
		require.NoError(t, err)
		require.Equal(t, pack("s32", slices.Repeat([]uint64{want}, 256)), got, sat)
	}
}

// TestWmmaFragments changes fragments element by element, and writes a sum over the registers of
// both matrices.
func TestWmmaFragments(t *testing.T) {
	const kernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b32 %x<8>, %y<8>, %z<8>;
	.reg .f32 %f<8>;
	.reg .b64 %rd<2>;
	.shared .align 32 .b8 tile[1024];
	ld.param.u64 %rd0, [in];
	ld.param.u64 %rd1, [out];
	wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, [%rd0];
	mov.b32 %z0, 0x40004000;
	mul.rn.f16x2 %x0, %x0, %z0; mul.rn.f16x2 %x1, %x1, %z0; mul.rn.f16x2 %x2, %x2, %z0; mul.rn.f16x2 %x3, %x3, %z0;
	mul.rn.f16x2 %x4, %x4, %z0; mul.rn.f16x2 %x5, %x5, %z0; mul.rn.f16x2 %x6, %x6, %z0; mul.rn.f16x2 %x7, %x7, %z0;
	wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7}, [%rd0];
	mov.b32 %z0, 0; mov.b32 %z1, 0; mov.b32 %z2, 0; mov.b32 %z3, 0;
	mov.b32 %z4, 0; mov.b32 %z5, 0; mov.b32 %z6, 0; mov.b32 %z7, 0;
	wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%x0, %y1, %x2, %y3, %x4, %x5, %x6, %x7},
		{%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, {%y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7}, {%z0, %z1, %z2, %z3, %z4, %z5, %z6, %z7};
	wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile], {%x0, %y1, %x2, %y3, %x4, %x5, %x6, %x7};
	wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [tile], 16;
	wmma.store.d.sync.aligned.col.m16n16k16.f32 [%rd1], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};
	ret;
}
`
	var a [16][16]int
	var in, want []uint64
	for i := range a {
		for j := range a[i] {
			a[i][j] = (i*5+j*3)%7 - 3
			in = append(in, bitsOf("f16", a[i][j]))
		}
	}
	for j := range a {
		for i := range a { // by columns: 2 A times A transposed
			v := 0
			for k := range a {
				v += 2 * a[i][k] * a[j][k]
			}
			want = append(want, bitsOf("f32", v))
		}
	}
	c := small()
	c.GPU.SMs = 1
	got, err := runKernel(t, c, kernel, 32, pack("f16", in), make([]byte, 1024))
	require.NoError(t, err)
	require.Equal(t, pack("f32", want), got)
}
