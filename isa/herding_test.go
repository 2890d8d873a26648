package isa

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// herdedProgram has one instruction of each kind that herding distinguishes.
func herdedProgram() *Program {
	guard := Operand{Kind: OperandPred}
	return &Program{Name: "k", Preds: []string{"%p1"}, Insts: []Inst{
		{Op: OpLd, Space: SpaceGlobal, Text: "ld.global.f32 %f1, [%rd1]"},
		{Op: OpLd, Space: SpaceGeneric, Text: "ld.u32 %r1, [%rd1]"},
		{Op: OpLd, Space: SpaceShared, Text: "ld.shared.u32 %r1, [sh]"},
		{Op: OpSt, Space: SpaceGlobal, Text: "st.global.u32 [%rd1], %r1"},
		{Op: OpBra, Guard: guard, Flags: FlagUni, Target: 8, Text: "bra.uni L"},
		{Op: OpBra, Target: 8, Text: "bra L"},
		{Op: OpBar, Text: "bar.sync 0"},
		{Op: OpRet, NSrc: 1, Text: "ret"},
		{Op: OpExit, Text: "exit"},
	}}
}

func TestApply(t *testing.T) {
	p := herdedProgram()
	branches, loads := p.Herdable()
	assert.Equal(t, []int{4}, branches)
	assert.Equal(t, []int{0, 1}, loads)
	h := Herding{Kernel: "k", Branches: []int{4}, Loads: []int{0, 1}, Threshold: 7}
	q, err := h.Apply(p)
	require.NoError(t, err)
	for pc, want := range []string{
		"ld.global.hrd.f32 %f1, [%rd1]", "ld.hrd.u32 %r1, [%rd1]", "ld.shared.u32 %r1, [sh]",
		"st.global.u32 [%rd1], %r1", "bra.hrd L",
	} {
		assert.Equal(t, want, q.Insts[pc].Text)
		assert.Equal(t, strings.Contains(want, "hrd"), q.Insts[pc].Flags&FlagHerd != 0, want)
	}
	assert.Equal(t, 7, q.HerdLimit)
	assert.Equal(t, herdedProgram(), p, "the program itself stays as it is")
	assert.False(t, p.Herds())
	assert.True(t, q.Herds())
	assert.False(t, q.WithoutHerding().Herds())
	assert.Same(t, p, p.WithoutHerding())
}

func TestApplyRefuses(t *testing.T) {
	for _, c := range []struct {
		h    Herding
		want string
	}{
		{Herding{Kernel: "other"}, `it is for kernel "other", this is "k"`},
		{Herding{Threshold: -1}, "threshold -1: want a number of herded instructions, 0 to 4294967295"},
		{Herding{Branches: []int{9}}, "branch 9: k has the PCs 0 to 8; the nearest branch that can be herded is at 4"},
		{Herding{Branches: []int{-1}}, "branch -1: k has the PCs 0 to 8"},
		{Herding{Branches: []int{6}}, "branch 6: bar.sync 0 is a barrier, no branch; the nearest branch that can be herded is at 4"},
		{Herding{Branches: []int{3}}, "branch 3: st.global.u32 [%rd1], %r1 is a store, no branch"},
		{Herding{Branches: []int{5}}, "branch 5: bra L is a branch without a condition, which all lanes take"},
		{Herding{Branches: []int{7}}, "branch 7: ret is an indirect branch, which may lead to more than two places: it is never herded"},
		{Herding{Loads: []int{3}}, "load 3: st.global.u32 [%rd1], %r1 is a store, no load; the nearest load that can be herded is at 1"},
		{Herding{Loads: []int{4}}, "load 4: @%p1 bra.uni L is a branch, no load"},
		{Herding{Loads: []int{2}}, "load 2: ld.shared.u32 %r1, [sh] is a load from shared memory, which has banks and no blocks"},
	} {
		_, err := c.h.Apply(herdedProgram())
		assert.ErrorContains(t, err, c.want)
	}
}

func TestReadHerding(t *testing.T) {
	h, err := ReadHerding("h.json",
		[]byte(`{"schema": 1, "kernel": "k", "branches": [4], "loads": [0, 1], "threshold": 12}`))
	require.NoError(t, err)
	text, err := json.Marshal(h)
	require.NoError(t, err)
	assert.Equal(t, `{"schema":1,"kernel":"k","branches":[4],"loads":[0,1],"threshold":12}`, string(text))
	text, err = json.Marshal(Herding{})
	require.NoError(t, err)
	assert.Equal(t, `{"schema":1,"kernel":"","branches":[],"loads":[]}`, string(text))
	again, err := ReadHerding("again.json", text)
	require.NoError(t, err)
	assert.Empty(t, again.Branches)
}

func TestReadHerdingRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "h.json:1:1: no JSON: the text ends in the middle of a value"},
		{`[1]`, `h.json:1:1: want an object, {"schema": 1,`},
		{`{}`, `h.json:1:1: no "schema": want "schema": 1`},
		{"{\"schema\": 2}", "h.json:1:12: schema: found 2, want 1"},
		{"{\"schema\": 1,\n \"branch\": [1]}", `h.json:2:2: unknown member "branch"; did you mean "branches"?`},
		{"{\"schema\": 1,\n \"loads\": 3}", "h.json:2:11: loads: found 3, want a list of PCs, [12, 40]"},
		{"{\"schema\": 1,\n \"loads\": [3,\n  -4]}", "h.json:3:3: loads: found -4, want a PC"},
		{"{\"schema\": 1,\n \"loads\": [[3], 1.5]}", "h.json:2:17: loads: found 1.5, want a PC"},
		{"{\"schema\": 1, \"kernel\": 3}", "h.json:1:25: kernel: found 3, want the name of a kernel"},
		{
			"{\"schema\": 1, \"kernel\": {\"a\": [1]}, \"threshold\": true}",
			"h.json:1:50: threshold: found true, want a number of herded instructions, 0 to 4294967295",
		},
		{"{\"schema\": 1, \"threshold\": 4294967296}", "threshold: found 4294967296"},
		{"{\"schema\": 1, \"schema\": 1}", `h.json:1:15: "schema" is there twice`},
		{
			"{\"schema\": 1,\n \"loads\": [3, x]}",
			"h.json:2:15: no JSON: invalid character 'x' looking for beginning of value",
		},
		{"\n", "h.json:1:1: no JSON: the text ends"},
		{"{\"schema\": 1} x", "h.json:1:15: no JSON: invalid character 'x' after top-level value"},
		{"{\"schema\": 1,\n\"loads\": [3", "h.json:2:12: no JSON: the text ends in the middle of a value"},
	} {
		_, err := ReadHerding("h.json", []byte(c.text))
		assert.ErrorContains(t, err, c.want, c.text)
	}
	h, err := ReadHerding("h.json",
		[]byte("{\"schema\": 1,\n \"kernel\": \"j\",\n \"branches\": [4,\n  6], \"loads\": [99]}"))
	require.NoError(t, err)
	_, err = h.Apply(herdedProgram())
	assert.ErrorContains(t, err, "h.json:2:12: it is for kernel \"j\", this is \"k\"\nh.json:4:3: branch 6: bar.sync 0 is a barrier, no branch")
	assert.ErrorContains(t, err, "h.json:4:17: load 99: k has the PCs 0 to 8")
}
