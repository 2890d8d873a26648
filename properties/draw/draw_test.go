package draw

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestForward checks that no goto leads back, so that only loops repeat. The text of arms out of
// line has no such order.
func TestForward(t *testing.T) {
	gotos := 0
	for seed := range uint64(600) {
		c := New(seed, AllFeatures&^Outlines&^Backwards)
		k, err := c.Compile()
		require.NoError(t, err)
		for pc, s := range Shapes(k.Prog) {
			if in := &k.Prog.Insts[pc]; in.Conditional() && s == shapeGoto {
				gotos++
				require.Greater(t, in.Target, uint32(pc), "seed %d", seed)
			}
		}
	}
	require.Greater(t, gotos, 100)
}

// TestDrawRepeats checks that a case depends only on its seed.
func TestDrawRepeats(t *testing.T) {
	for seed := range uint64(50) {
		assert.Equal(t, New(seed, AllFeatures), New(seed, AllFeatures))
	}
}

// TestFeatures checks that a kernel has only the features that it is allowed.
func TestFeatures(t *testing.T) {
	needs := map[Kind]Features{}
	for _, c := range choices {
		needs[c.kind] = c.needs
	}
	for _, only := range []string{"gotos,exits", "-loops", "-barriers,-exits,-atomics", "loops"} {
		f, err := ParseFeatures(only)
		require.NoError(t, err)
		for seed := range uint64(50) {
			c := New(seed, f)
			c.Kernel.Each(func(s *Stmt, _ int) {
				assert.Equal(t, needs[s.Kind], needs[s.Kind]&f, "%s: %v", only, s.Kind)
			})
		}
	}
	_, err := ParseFeatures("gotoes")
	assert.EqualError(t, err, `unknown feature "gotoes"; did you mean "gotos"?`)
}

// TestPlan checks that barriers are written only where all threads of a CTA are together.
func TestPlan(t *testing.T) {
	any, all := Cond{Value: Thread, Reg: -1, Mask: 1, Cmp: "eq"}, Cond{Value: CTA, Mask: 1, Cmp: "eq"}
	bar, call := []Stmt{{Kind: Barrier}}, []Stmt{{Kind: Call}}
	within := func(s Stmt, b ...Stmt) []Stmt {
		s.Body = [][]Stmt{b}
		return []Stmt{s}
	}
	for _, c := range []struct {
		name   string
		body   []Stmt
		counts map[string]int // of texts
	}{
		{"alone", bar, map[string]int{"bar.sync": 1}},
		{"in a branch by CTA", within(Stmt{Kind: If, Cond: all}, bar...), map[string]int{"bar.sync": 1}},
		{"in a divergent branch", within(Stmt{Kind: If, Cond: any}, bar...), map[string]int{"bar.sync": 0}},
		{
			"in a loop by CTA, which nobody may leave",
			within(Stmt{Kind: Loop, Cond: all, N: 2}, Stmt{Kind: Barrier},
				Stmt{Kind: Break, N: 1, Cond: any}),
			map[string]int{"bar.sync": 1, "bra": 2},
		},
		{
			"a goto across it",
			[]Stmt{{Kind: Goto, N: 1, Cond: any}, {Kind: Barrier}, {Kind: Mark}},
			map[string]int{"bar.sync": 1, "bra": 0},
		},
		{
			"a goto behind it",
			[]Stmt{{Kind: Barrier}, {Kind: Goto, N: 1, Cond: any}, {Kind: Mark}},
			map[string]int{"bar.sync": 1, "bra": 1},
		},
		{
			"a goto into a loop with it",
			append([]Stmt{{Kind: Goto, N: 1, Cond: any}},
				within(Stmt{Kind: Loop, Cond: all, N: 2}, Stmt{Kind: Mark},
					Stmt{Kind: Barrier})...),
			map[string]int{"bar.sync": 1, "bra": 2},
		},
		{
			"an exit apart from others", append(within(Stmt{Kind: If, Cond: any}, Stmt{Kind: Exit, Cond: any}), bar...),
			map[string]int{"bar.sync": 1, "exit": 0},
		},
		{
			"an exit without barriers", within(Stmt{Kind: If, Cond: any}, Stmt{Kind: Exit, Cond: any}),
			map[string]int{"exit": 1},
		},
		{
			"a goto back",
			[]Stmt{{Kind: Mark}, {Kind: Goto, Alt: true, N: 1, Cond: any}},
			map[string]int{"bra": 1, "sub.u32": 1},
		},
		{
			"a goto back across it",
			[]Stmt{{Kind: Mark}, {Kind: Barrier}, {Kind: Goto, Alt: true, N: 1, Cond: any}},
			map[string]int{"bra": 0},
		},
		{"with a count", []Stmt{{Kind: Barrier, N: 3, Alt: true}}, map[string]int{"bar.sync 3, 32": 1}},
		{
			"with a count that exits make too large",
			[]Stmt{{Kind: Exit, Cond: any}, {Kind: Barrier, N: 3, Alt: true}},
			map[string]int{"bar.sync 3": 1},
		},
		{"that reduces", []Stmt{{Kind: Barrier, Op: 1}}, map[string]int{"bar.red.popc.u32": 1}},
		{"a vote of all", []Stmt{{Kind: Vote}}, map[string]int{"vote.sync.ballot.b32": 1}},
		{
			"a vote of some", within(Stmt{Kind: If, Cond: any}, Stmt{Kind: Vote}),
			map[string]int{"vote.sync.ballot.b32": 0},
		},
		{
			"a goto across a vote",
			[]Stmt{{Kind: Goto, N: 1, Cond: any}, {Kind: Vote}, {Kind: Mark}},
			map[string]int{"bra": 0},
		},
		{"in a function that all call", call, map[string]int{"bar.sync": 1, "ret": 2}},
		{
			"in a function that some call", append(within(Stmt{Kind: If, Cond: any}, call...), call...),
			map[string]int{"bar.sync": 0, "ret": 3},
		},
		{"in a function that may call itself", call, map[string]int{"bar.sync": 0, "ret": 4}},
		{
			"a goto across the call",
			[]Stmt{{Kind: Goto, N: 1, Cond: any}, call[0], {Kind: Mark}},
			map[string]int{"bar.sync": 1, "bra": 0},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := Kernel{Body: c.body, Words: 64}
			if strings.Contains(c.name, " call") {
				k.Funcs = [][]Stmt{{{Kind: Return, Cond: any}, {Kind: Barrier}}}
			}
			if strings.HasSuffix(c.name, " itself") { // by address, as no other call does
				k.Funcs[0] = append(k.Funcs[0], Stmt{Kind: Call, N: 1, Alt: true, Cond: any})
				k.Funcs = append(k.Funcs, nil)
			}
			text, _ := k.ptx([3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 32)
			for word, want := range c.counts {
				n := strings.Count(text, word+" ") + strings.Count(text, word+";")
				assert.Equal(t, want, n, "%s in\n%s", word, text)
			}
		})
	}
}

// TestLean checks that a constant condition of a lean kernel takes no instructions. Nor does it
// compute a thread's number if that is its number in the CTA.
func TestLean(t *testing.T) {
	yes, no := Cond{Value: Constant, Reg: -1, Mask: 1, Cmp: "eq"}, Cond{
		Value: Constant, Salt: 1, Reg: -1, Mask: 1,
		Cmp: "lt", Limit: 1,
	}
	for _, c := range []struct {
		s    Stmt
		want string // the executed instructions of the kernel
	}{
		{Stmt{Kind: Exit, Cond: yes}, "exit; ret;"},
		{Stmt{Kind: Exit, Cond: no}, "ret;"},
		{Stmt{Kind: Exit, Cond: yes, Alt: true}, "exit; ret;"},
		{Stmt{Kind: Break, N: 1, Cond: yes}, "ret;"},
		{Stmt{
			Kind: Loop, N: 2, Alt: true, Cond: Cond{Value: Constant, Salt: 2, Mask: 3},
			Body: [][]Stmt{{{
				Kind: Break, N: 1,
				Cond: yes,
			}}},
		}, "mov.u32 %n0, 2; mov.u32 %c0, 0; bra L1_end; add.u32 %c0, %c0, 1; setp.lt.u32 %p, %c0, %n0; @%p bra L1_top; ret;"},
		{Stmt{Kind: Put, Alt: true}, "mov.u32 %r0, %tid.x; ld.param.u64 %own, [private]; @%g st.global.u32 [%own+0], %r0; ret;"},
	} {
		k := Kernel{Body: []Stmt{c.s}, Words: 64, Lean: true}
		text, _ := k.ptx([3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 32)
		var got []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.HasSuffix(line, ";") && !strings.HasPrefix(line, ".") {
				got = append(got, line)
			}
		}
		assert.Equal(t, c.want, strings.Join(got, " "))
	}
}

// TestTables checks that TestMessages and TestFetch of package properties cover all entries.
func TestTables(t *testing.T) {
	assert.Len(t, messages, 14)
	for way := range messages {
		assert.Equal(t, way >= 7 && way < drawnMessages, messages[way].early)
	}
	assert.Len(t, types, 14)
}

// TestDrawnSituations checks that kernels have situations which no bin counts.
func TestDrawnSituations(t *testing.T) {
	left := map[string]*regexp.Regexp{}
	for name, text := range map[string]string{
		"local byte at an odd address":      `st\.local\.[usb]8 \[%(at|short)\+[13]\]`,
		"half word at an odd one":           `st\.(global|shared|local)[.a-z]*\.[usb]16 \[%\w+\+\d*[26]\]`,
		"copy of fewer bytes":               `cp\.async\.ca\.shared\.global \[\S+ \[\S+ [48], %v;`,
		"copy that some threads ignore":     `cp\.async\.ca\.shared\.global \[\S+ \[\S+ [48], %o;`,
		"special integers of each thread":   `ld\.const\.v2\.u32 \{%low0, %high0\}`,
		"special doubles of each thread":    `specials3\[32\] = \{0x0, 0x8000000000000000,`,
		"a form with .relu":                 `\.relu`,
		"prmt with a mode":                  `prmt\.b32\.rc16|prmt\.rc16`,
		"shuffle from a lane in segments":   `shfl\.sync\.idx\.b32 \S+ \S+ %r\d, \d+`,
		"most of a 64-bit product and more": `madc\.hi\.s64`,
	} {
		left[name] = regexp.MustCompile(text)
	}
	for seed := uint64(0); len(left) > 0 && seed < 4000; seed++ {
		c := New(seed, AllFeatures)
		text, _ := c.PTX()
		maps.DeleteFunc(left, func(_ string, r *regexp.Regexp) bool { return r.MatchString(text) })
	}
	assert.Empty(t, slices.Sorted(maps.Keys(left)))
}

// TestGroupsHaveBarriers: seed 10,693,754 drew 16 groups of two warps. Some warps came to the barrier
// of all, the last of 16, when others had yet to come to it as that of their group.
func TestGroupsHaveBarriers(t *testing.T) {
	for warps := 1; warps <= 64; warps++ {
		for d := range 64 {
			few := groupOf(d, warps)
			assert.Zero(t, warps%few, "%d warps", warps)
			assert.LessOrEqual(t, warps/few, 15, "%d warps", warps)
		}
	}
}
