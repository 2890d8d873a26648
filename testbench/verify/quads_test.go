package verify

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/units"
)

// quadKernel returns a kernel with mma.m8n8k4 of f16 in given layouts on fragments from memory. It
// has 4 registers of A and B, those of C, and then those of D. If inPlace, D has the registers of
// C.
func quadKernel(layout, d, c string, inPlace bool) string {
	regs := map[string]int{"f16": 4, "f32": 8}
	list := func(name string, n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%%%s%d", name, i))
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	sum := "d"
	if inPlace {
		sum = "c"
	}
	var s strings.Builder
	fmt.Fprintf(&s, ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n")
	fmt.Fprintf(&s, "\t.reg .b32 %%r<1>, %%a<2>, %%b<2>, %%c<8>, %%d<8>;\n\t.reg .b64 %%rd<2>;\n\tld.param.u64 %%rd0, [in];\n\tld.param.u64 %%rd1, [out];\n")
	fmt.Fprintf(&s, "\tmov.u32 %%r0, %%tid.x;\n\tmad.wide.u32 %%rd0, %%r0, %d, %%rd0;\n\tmad.wide.u32 %%rd1, %%r0, %d, %%rd1;\n", 4*(4+regs[c]), 4*regs[d])
	for i, name := range []string{"%a0", "%a1", "%b0", "%b1"} {
		fmt.Fprintf(&s, "\tld.global.b32 %s, [%%rd0+%d];\n", name, 4*i)
	}
	for i := range regs[c] {
		fmt.Fprintf(&s, "\tld.global.b32 %%c%d, [%%rd0+%d];\n", i, 16+4*i)
	}
	fmt.Fprintf(&s, "\tmma.sync.aligned.m8n8k4.%s.%s.f16.f16.%s %s, %s, %s, %s;\n", layout, d, c, list(sum, regs[d]),
		list("a", 2), list("b", 2), list("c", regs[c]))
	for i := range regs[d] {
		fmt.Fprintf(&s, "\tst.global.b32 [%%rd1+%d], %%%s%d;\n", 4*i, sum, i)
	}
	s.WriteString("\tret;\n}\n")
	return s.String()
}

// sumPlace returns the position of element i of C or D, by the manual's formulas (PTX ISA 8.5,
// section 9.7.14.5.1).
func sumPlace(typ string, lane, i int) (row, column int) {
	if typ == "f16" {
		return lane%4 + pick(lane < 16, 0, 4), i
	}
	x := lane&0b1 + i&0b10
	return pick(lane < 16, x, x+4), i&0b100 + lane&0b10 + i&0b1
}

// TestMmaQuads multiplies four pairs of matrices of small integers in the layouts of the manual,
// with the threads in their lanes and in others.
func TestMmaQuads(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, layout := range []string{"row.row", "row.col", "col.row", "col.col"} {
		for _, types := range [][2]string{{"f32", "f32"}, {"f16", "f16"}, {"f32", "f16"}} {
			for _, inPlace := range []bool{false, true} {
				d, c := types[0], types[1]
				var a, b [4][8][8]int
				var sum [4][8][8]int
				for q := range 4 {
					for i := range 8 {
						for j := range 8 {
							a[q][i][j], b[q][i][j], sum[q][i][j] = rng.IntN(9)-4, rng.IntN(9)-4, rng.IntN(100)-50
						}
					}
				}
				var in, want []byte
				for lane := range 32 {
					q, low := lane%16/4, pick(lane < 16, 0, 4)
					var fa, fb, fc, fd []uint64
					for i := range 4 {
						row, column := lane%4+low, i
						if strings.HasPrefix(layout, "col") {
							row, column = i%4+low, lane%4
						}
						fa = append(fa, bitsOf("f16", a[q][row][column]))
						row, column = i, lane%4+low
						if strings.HasSuffix(layout, "row") {
							row, column = lane%4, i+low
						}
						fb = append(fb, bitsOf("f16", b[q][row][column]))
					}
					for i := range 8 {
						row, column := sumPlace(c, lane, i)
						fc = append(fc, bitsOf(c, sum[q][row][column]))
						row, column = sumPlace(d, lane, i)
						v := sum[q][row][column]
						for k := range 4 {
							v += a[q][row][k] * b[q][k][column]
						}
						fd = append(fd, bitsOf(d, v))
					}
					in = append(append(append(in, pack("f16", fa)...), pack("f16", fb)...), pack(c, fc)...)
					want = append(want, pack(d, fd)...)
				}
				for _, lanes := range []units.Permutation{units.Sequential, units.Balanced} {
					m := small()
					m.GPU.SMs = 1
					m.SM.Lanes = lanes
					got, err := runKernel(t, m, quadKernel(layout, d, c, inPlace), 32*warps, bytes.Repeat(in, warps),
						make([]byte, warps*len(want)))
					require.NoError(t, err)
					require.Equal(t, bytes.Repeat(want, warps), got, "%s %s %s %s", layout, d, c, lanes)
				}
			}
		}
	}
}

// TestMmaQuadsOfAnything multiplies random bits, with NaN and infinities among them. The golden
// model is the reference. In the second kernel the registers of A are also those of D.
func TestMmaQuadsOfAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, text := range []string{
		quadKernel("row.col", "f32", "f32", false), quadKernel("col.row", "f32", "f16", true),
		strings.NewReplacer("{%d0, %d1, %d2", "{%a0, %b1, %a1", "{%a0, %a1}, {%b0",
			"{%a1, %a0}, {%b0").Replace(quadKernel("col.col", "f32", "f32", false)),
		quadKernel("row.row", "f16", "f16", true),
	} {
		in := make([]byte, 32*48)
		for i := range in {
			in[i] = byte(rng.Uint32())
			if rng.IntN(8) == 0 {
				in[i] = []byte{0, 0x7F, 0x80, 0xFF, 0x7C}[rng.IntN(5)]
			}
		}
		_, err := runKernel(t, small(), text, 32, in, make([]byte, 32*32))
		require.NoError(t, err, "%s", text)
	}
}

// TestStmatrix stores matrices whose elements identify thread, register and half.
func TestStmatrix(t *testing.T) {
	const kernel = `.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %%r<8>, %%d<4>;
	.reg .b64 %%rd<4>;
	.reg .pred %%p<2>;
	.shared .align 16 .b8 tile[1552];
	ld.param.u64 %%rd0, [out];
	mov.u32 %%r0, %%tid.x;
	mad.wide.u32 %%rd0, %%r0, 16, %%rd0;
	and.b32 %%r1, %%r0, 31;
	sub.u32 %%r2, %%r0, %%r1;
	mov.u32 %%r3, tile;
	mad.lo.u32 %%r2, %%r2, 16, %%r3;
	mul.lo.u32 %%r4, %%r1, 0x00080008;
	add.u32 %%d0, %%r4, 0x00010000;
	add.u32 %%d1, %%r4, 0x00030002;
	add.u32 %%d2, %%r4, 0x00050004;
	add.u32 %%d3, %%r4, 0x00070006;
	sub.u32 %%r5, 31, %%r1;
	mad.lo.u32 %%r5, %%r5, 16, %%r2;
	setp.ge.u32 %%p1, %%r1, %d;
	@%%p1 mov.u32 %%r5, 3;
	stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%r5+16], {%s};
	bar.sync 0;
	mad.lo.u32 %%r6, %%r1, 16, %%r2;
	ld.shared.v4.b32 {%%d0, %%d1, %%d2, %%d3}, [%%r6+16];
	st.global.v4.b32 [%%rd0], {%%d0, %%d1, %%d2, %%d3};
	ret;
}
`
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			for _, lanes := range []units.Permutation{units.Sequential, units.Balanced} {
				c := small()
				c.GPU.SMs = 1
				c.SM.Lanes = lanes
				text := fmt.Sprintf(kernel, 8*n, n, trans, strings.Join([]string{"%d0", "%d1", "%d2", "%d3"}[:n], ", "))
				out, err := runKernel(t, c, text, 32*warps, make([]byte, 512*warps))
				require.NoError(t, err, "x%d%s %s", n, trans, lanes)
				for at := range len(out) / 2 {
					var want uint16
					// Thread 31-j of a warp supplies row j.
					j, column := 31-at/8%32, at%8
					if i, row := j/8, j%8; i < n {
						if trans != "" {
							row, column = column, row
						}
						want = uint16((4*row+column/2)*8 + 2*i + column%2)
					}
					require.Equal(t, want, binary.LittleEndian.Uint16(out[2*at:]), "x%d%s %s: element %d", n, trans,
						lanes, at)
				}
			}
		}
	}
}
