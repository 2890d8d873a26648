package ptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// kernelOf is a module with one kernel that has registers and variables of all kinds around the
// given statements.
func kernelOf(body string) string {
	return `.version 7.0
.target sm_70
.address_size 64
.global .align 4 .b8 g[64];
.const .align 4 .b8 cc[64];
.extern .shared .align 16 .b8 dyn[];
.entry k(.param .u64 ptr, .param .u32 n)
{
	.reg .pred %p<9>;
	.reg .b8 %b8_<9>; .reg .u8 %u8_<9>; .reg .s8 %s8_<9>;
	.reg .b16 %b16_<9>; .reg .u16 %u16_<9>; .reg .s16 %s16_<9>;
	.reg .b32 %b32_<9>; .reg .u32 %u32_<9>; .reg .s32 %s32_<9>;
	.reg .b64 %b64_<9>; .reg .u64 %u64_<9>; .reg .s64 %s64_<9>;
	.reg .f32 %f32_<9>; .reg .f64 %f64_<9>; .reg .f16 %f16_<9>; .reg .f16x2 %f16x2_<9>; .reg .b16 %bf16_<9>; .reg .b32 %bf16x2_<9>; .reg .b32 %tf32_<9>; .reg .b64 %f32x2_<9>; .reg .b16 %e4m3x2_<9>, %e5m2x2_<9>;
	.shared .align 4 .b8 sh[61];
	.local .align 4 .b8 lo[64];
` + body + "\n}\n"
}

// lowerBody lowers the statements of a kernel.
func lowerBody(t testing.TB, body string) (*isa.Program, error) {
	t.Helper()
	m, err := Parse("k.ptx", []byte(kernelOf(body)))
	if err != nil {
		return nil, err
	}
	return m.Program("k")
}

// Every type and every modifier of every row must lower, and the datapath of
// the machine must have it.
func TestEveryRowLowers(t *testing.T) {
	seen := 0
	for _, f := range table {
		if f.op == isa.OpCall || f.name == "brx" || (&isa.Inst{Op: f.op}).Matrix() || f.op == isa.OpCopy ||
			f.op == isa.OpCopyWait || f.fetches {
			// Their operands are lists and a function, fragments, two addresses, or textures: see
			// TestAccepted.
			continue
		}
		for _, text := range f.instances() {
			if strings.Contains(text, ".v4") && strings.Contains(text, "64 ") || strings.Contains(text, ".v8") {
				continue // wider than 128 bits: see TestPairs
			}
			if strings.HasPrefix(text, "st.") &&
				(strings.Contains(text, ".const") || strings.Contains(text, ".param")) ||
				strings.HasPrefix(text, "ld.nc.") && !strings.Contains(text, "global") ||
				(f.op == isa.OpAtom || f.op == isa.OpRed) &&
					(strings.Contains(text, ".const") || strings.Contains(text, ".param") ||
						strings.Contains(text, ".local")) {
				continue // refused: see the tests of diagnostics
			}
			p, err := lowerBody(t, "there: "+text)
			if !assert.NoError(t, err, "section %s: %s", f.ref, text) {
				continue
			}
			require.Equal(t, f.op, p.Insts[0].Op, text)
			assert.NoError(t, isa.Bind(p), text)
			seen++
		}
	}
	assert.Greater(t, seen, 1500)
}
