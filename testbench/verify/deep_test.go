package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// inBlocks are the mechanisms with one stack for each CTA.
var inBlocks = []string{"tbc", "tbc-lcp", "tbc-ideal", "capri"}

// TestDeepRecursion makes thread i call a function i levels deep; no thread returns before the
// deepest. A stack of the CTA that kept the meeting point of each level would have an entry for
// each thread.
func TestDeepRecursion(t *testing.T) {
	for _, mechanism := range inBlocks {
		out, _ := corner(t, under(mechanism), `
.func (.reg .u32 %sum) levels(.reg .u32 %n)
{
	.reg .pred %last;
	.reg .u32 %less;
	mov.u32 %sum, 0;
	setp.eq.u32 %last, %n, 0;
	@%last bra DONE;
	sub.u32 %less, %n, 1;
	call (%sum), levels, (%less);
	add.u32 %sum, %sum, 1;
DONE:
	ret;
}`, "	call (%out), levels, (%i);", 128)
		for i, v := range out {
			assert.EqualValues(t, i, v, "%s, thread %d", mechanism, i)
		}
	}
}

// TestDeepNest runs 200 nested branches. Thread i leaves at number i, and reaches the meeting point
// of each outer one.
func TestDeepNest(t *testing.T) {
	var in, back strings.Builder
	for level := range 200 {
		fmt.Fprintf(&in, "	setp.le.u32 %%p0, %%i, %d;\n	@%%p0 bra L%d;\n	add.u32 %%out, %%out, 1;\n",
			level, level)
		fmt.Fprintf(&back, "L%d:\n	add.u32 %%a0, %%a0, 1;\n", 199-level)
	}
	for _, mechanism := range inBlocks {
		out, _ := corner(t, under(mechanism), "",
			in.String()+back.String()+"	shl.b32 %a0, %a0, 16;\n	add.u32 %out, %out, %a0;", 256)
		for i, v := range out {
			assert.EqualValues(t, (min(i, 199)+1)<<16|min(i, 200), v, "%s, thread %d", mechanism, i)
		}
	}
}
