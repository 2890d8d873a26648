package litmus

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParseErrors checks that each error in a file is reported with its line.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.litmus: no test in it"},
		{"st.u32 [x], 1", `t.litmus:1: found "st.u32": want a line such as "test NAME" first`},
		{"test a\nT0\nst.u32 [x], 1\ntest a\nT0\nst.u32 [x], 1", "t.litmus:4: test a: there is one of that name"},
		{"test a", "no threads"},
		{"test a\nT1 @ cta 0", `thread "T1 @ cta 0": want "T0 @ cta N"`},
		{"test a\nT0 @ cta 9", "want a CTA from 0 to 7"},
		{"test a\nT0\nst.u32 [x], 1 | st.u32 [x], 1", "2 columns, but 1 threads"},
		{"test a\nT0\nlda.u32 r0, [x]", `unknown instruction "lda"; did you mean "ld"`},
		{"test a\nT0\nld.f32 r0, [x]", ".f32: unexpected modifier"},
		{"test a\nT0\nld.release.gpu.u32 r0, [x]", "ld has no such memory order"},
		{"test a\nT0\nld.relaxed.u32 r0, [x]", "want a scope"},
		{"test a\nT0\nld.weak.gpu.u32 r0, [x]", "a weak access has no scope"},
		{"test a\nT0\nld.gpu.u32 r0, [x]", "a weak access has no scope"},
		{"test a\nT0\nld r0, [x]", "want a type of 32 bits"},
		{"test a\nT0\nfence.sc", "want a scope"},
		{"test a\nT0\nmembar.gpu", ".gpu: unexpected modifier"},
		{"test a\nT0\natom.relaxed.gpu.u32 r0, [x], 1", "want an operation: add, inc"},
		{"test a\nT0\natom.relaxed.gpu.cas.b32 r0, [x], 1", "3 operands, want 4"},
		{"test a\nT0\nld.u32 r99, [x]", "want a register from r0 to r15"},
		{"test a\nT0\nld.u32 r0, x", "want a variable in brackets"},
		{"test a\nT0\nst.u32 [x], -1", "want a register or a number"},
		{"test a\nT0\nst.shared.u32 [x], 1", "x is in another address space"},
		{
			"test a\nT0 @ cta 0 | T1 @ cta 1\nshared x\nst.u32 [x], 1 | st.u32 [x], 1",
			"T0 and T1 of different CTAs access x",
		},
		{"test a\nT0\nst.u32 [x], 1\nforbid T0:r0 == 1", "no such register"},
		{"test a\nT0\nst.u32 [x], 1\nallow x >= 1", "want terms such as"},
		{"test a\nT0\nst.u32 [x], 1\nallow x == 1\nst.u32 [x], 1", "behind the conditions"},
		{"test a\nT0\nfence.sc.gpu", "no variable is accessed"},
		{"test a\nT0\n" + strings.Repeat("st.u32 [x], 1\n", 24), "want at most 24"},
		{"test a\nT0 | T1 | T2 | T3 | T4 | T5 | T6 | T7\n" +
			strings.Repeat(strings.Repeat("atom.relaxed.gpu.add.u32 r0, [x], 1 |", 7)+"ld.u32 r0, [x]\n",
				2), "executions to look at, want at most"},
	} {
		_, err := Parse("t.litmus", c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

// TestConditions checks that each claim that the model contradicts is reported with an outcome.
func TestConditions(t *testing.T) {
	tests, err := Parse("t.litmus", `
test SB
T0 @ cta 0            | T1 @ cta 1
st.u32 [x], 1;        | st.u32 [y], 1
ld.u32 %r0, [y]       | ld.u32 r0, [x]
allow T0:r0 == 0 && T1:r0 = 0 || x == 7
forbid T0:r0 == 0 && T1:r0 == 0
allow x == 2
forbid T0:r0 != 0 && T0:r0 != 1
`)
	require.NoError(t, err)
	err = tests[0].judge(tests[0].allowed())
	assert.EqualError(t, err, `t.litmus:2: test SB: the model allows T0:r0=0 T1:r0=0 x=1 y=1, which is against: forbid T0:r0 == 0 && T1:r0 == 0
t.litmus:2: test SB: the model allows no outcome with x == 2`)
}

// FuzzParse checks that no file causes a panic, and that every accepted file gives a kernel with
// outcomes.
func FuzzParse(f *testing.F) {
	f.Add("test a\nT0 @ cta 0 | T1\nshared x\natom.acq_rel.cta.cas.b32 r0, [x], 0, 1 | red.add.u32 [x], r1\nforbid x == 9 || T0:r0 == 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		tests, err := Parse("t.litmus", text)
		if err != nil {
			return
		}
		for _, one := range tests {
			_ = one.ptx(true)
		}
	})
}
