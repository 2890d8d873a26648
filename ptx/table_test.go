package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// kernelOf is a module with one kernel that has registers and variables of all
// kinds around the given statements.
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
	.reg .f32 %f32_<9>; .reg .f64 %f64_<9>; .reg .f16 %f16_<9>; .reg .f16x2 %f16x2_<9>; .reg .b16 %bf16_<9>; .reg .b32 %bf16x2_<9>; .reg .b32 %tf32_<9>;
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

// instances are instructions that use the row f: for each combination of types
// once with every word of every group, the other groups at their first word
// where required.
func instances(f *family) (texts []string) {
	combos := [][]isa.Type{nil}
	for _, set := range f.types {
		var next [][]isa.Type
		for _, c := range combos {
			for t := range isa.Type(len(typeWords)) {
				if set.has(t) {
					next = append(next, append(c[:len(c):len(c)], t))
				}
			}
		}
		combos = next
	}
	for _, types := range combos {
		texts = append(texts, instance(f, types, -1, nil))
		for g := range f.groups {
			for i := range f.groups[g].words {
				texts = append(texts, instance(f, types, g, &f.groups[g].words[i]))
			}
		}
	}
	return texts
}

func instance(f *family, types []isa.Type, chosen int, m *modifier) string {
	op := []string{f.name}
	has := map[string]bool{}
	for g := range f.groups {
		switch {
		case g == chosen:
			op = append(op, m.word)
			has[m.word] = true
		case f.groups[g].need:
			op = append(op, f.groups[g].words[0].word)
			has[f.groups[g].words[0].word] = true
		}
	}
	switch {
	case has["relaxed"] && f.name != "atom" && f.name != "red", has["acquire"] && f.name == "ld", has["release"] && f.name == "st":
		op = append(op, "gpu")
	case has["nc"]:
		op = append(op, "global")
	case has["sat"] && (f.name == "mad" || f.name == "mad24") && !types[0].Float():
		op[1] = "hi"
	}
	for _, t := range types {
		op = append(op, typeName(t))
	}
	var operands []string
	for i, a := range f.args {
		operands = append(operands, sample(f, a, i, types, has))
	}
	if len(operands) > 0 && operands[len(operands)-1] == "" {
		operands = operands[:len(operands)-1]
	}
	guard := ""
	if f.op == isa.OpBra && has["hrd"] {
		guard = "@%p0 " // there is nothing to herd without a condition
	}
	return guard + strings.Join(op, ".") + " " + strings.Join(operands, ", ") + ";"
}

// sample is an operand of the row f: register number i of the type it wants.
func sample(f *family, a arg, i int, types []isa.Type, has map[string]bool) string {
	t := isa.U64
	switch a.of {
	case same:
		if len(types) > 0 {
			t = types[0]
		}
	case second:
		t = types[1]
	case doubled:
		t = types[0]
		if has["wide"] {
			t = twice[t]
		}
	case word32:
		t = isa.U32
	case onePred:
		t = isa.Pred
	}
	reg := fmt.Sprintf("%%%s_%d", typeName(t), i)
	if t == isa.Pred {
		reg = fmt.Sprintf("%%p%d", i)
	}
	switch {
	case a.name == "table":
		return "0x96"
	case f.op == isa.OpLop3 && a.role == dstPred:
		return reg + "|%p8"
	}
	switch a.role {
	case memory:
		return "[%u64_8+4]"
	case target:
		return "there"
	case dstVec, srcVec:
		if has["v2"] {
			return "{" + reg + "," + reg + "}"
		}
		if has["v4"] {
			return "{" + reg + "," + reg + "," + reg + "," + reg + "}"
		}
	case srcPred:
		if a.opt && !has["and"] && !has["or"] && !has["xor"] {
			return ""
		}
	}
	return reg
}

// Every type and every modifier of every row must lower, and the datapath of
// the machine must have it.
func TestEveryRowLowers(t *testing.T) {
	seen := 0
	for _, f := range table {
		if f.op == isa.OpCall || f.name == "brx" || (&isa.Inst{Op: f.op}).Matrix() || f.op == isa.OpCopy || f.op == isa.OpCopyWait {
			continue // their operands are lists and a function, fragments, or two addresses
		}
		for _, text := range instances(f) {
			if strings.Contains(text, ".v4") && strings.Contains(text, "64 ") {
				continue // wider than 128 bits
			}
			if strings.HasPrefix(text, "st.") && (strings.Contains(text, ".const") || strings.Contains(text, ".param")) ||
				strings.HasPrefix(text, "ld.nc.") && !strings.Contains(text, "global") ||
				(f.op == isa.OpAtom || f.op == isa.OpRed) && (strings.Contains(text, ".const") || strings.Contains(text, ".param") || strings.Contains(text, ".local")) {
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
