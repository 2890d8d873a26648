package ptx

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkProgram reads and lowers a kernel emitted by clang.
func BenchmarkProgram(b *testing.B) {
	src, err := os.ReadFile("testdata/clang/memory-o3.ptx")
	require.NoError(b, err)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		m, err := Parse("k.ptx", src)
		require.NoError(b, err)
		_, err = m.Program("local")
		require.NoError(b, err)
	}
}

// BenchmarkLongKernel reads and lowers, but does not analyse, a kernel of 200,000 instructions.
// Every tenth has a branch, every hundredth a block. The time per instruction should equal that of
// a short kernel.
func BenchmarkLongKernel(b *testing.B) {
	var body strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&body, "L%d:\tadd.s32 %%s32_1, %%s32_2, %d;\n", i, i)
		body.WriteString(strings.Repeat("\tfma.rn.f32 %f32_1, %f32_2, %f32_3, 0f3F800000;\n", 8))
		fmt.Fprintf(&body, "\t@%%p1 bra L%d;\n", (i*7919)%20_000)
		if i%10 == 0 {
			body.WriteString("{ .reg .f32 %f32_1; }\n")
		}
	}
	src := []byte(kernelOf(body.String()))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		m, err := Parse("k.ptx", src)
		require.NoError(b, err)
		_, _, err = m.lower(m.kernels[0], false)
		require.NoError(b, err)
	}
}
