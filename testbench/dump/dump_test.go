package dump

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/ptx"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/waves"
	"divergo/waves/vcdread"
)

// machine returns a machine of one SM with a mechanism and a loaded kernel.
func machine(t *testing.T, mechanism string, change ...func(*gpu.Config)) *gpu.Machine {
	c := gpu.Default()
	c.GPU.SMs, c.L2.Size = 1, 64<<10
	c.Divergence.Mechanism = mechanism
	for _, f := range change {
		f(&c)
	}
	m, err := gpu.New(c)
	require.NoError(t, err)
	k, err := ptx.Parse("k.ptx", []byte(".version 7.6\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }"))
	require.NoError(t, err)
	p, err := testbench.Program(k, "k")
	require.NoError(t, err)
	require.NoError(t, m.Load(sm.Kernel{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}))
	return m
}

// TestTables checks that the tables of a mechanism are found under any name, with their number of
// parts.
func TestTables(t *testing.T) {
	for mechanism, want := range map[string]map[string][2]int{
		"pdom":  {"Table": {1, 32}, "Stack.Depth": {1, 32}, "Stack.Entries": {2 * 32, 32}},
		"token": {"Table": {1, 32}, "Stack.Depth": {1, 32}, "Stack.Entries": {16, 32}, "Spilled": {1, 32}},
		"dpe":   {"Table": {2, 32}, "Stack.Depth": {1, 32}, "Stack.Entries": {32, 32}},
		"ptpc":  {"Table": {1, 32}, "Threads": {1, 32}},
		"barrier": {
			"Table": {1, 32}, "Stack.Depth": {1, 32}, "Stack.Entries": {32, 32}, "Barriers": {8, 32},
			"Waiting": {1, 32},
		},
		"dwf": {"Table": {1, 32}, "Statics": {1, 32}, "Home": {1, 32}},
		"capri": {
			"Table": {1, 32}, "Stack.Depth": {1, 8}, "Stack.Entries": {64, 8}, "Private.Depth": {1, 32},
			"Private.Entries": {12, 32}, "Home": {1, 32},
		},
	} {
		got := map[string][2]int{}
		for _, x := range newView(machine(t, mechanism), nil).tables {
			got[x.name] = [2]int{x.size(), x.parts}
		}
		assert.Equal(t, want, got, mechanism)
	}
}

// TestPatterns checks that every pattern of a save file selects a signal, with every mechanism.
// Patterns of names do so with some.
func TestPatterns(t *testing.T) {
	named := map[string]bool{}
	caches := func(c *gpu.Config) { c.Const.Size, c.ICache.Size, c.Texture.Size = 2048, 2048, 4096 }
	for _, x := range divergence.Mechanisms() {
		m := machine(t, x.Name, caches)
		v := newView(m, nil)
		filter := append(v.marks(), v.joins()...)
		for _, g := range v.groups() {
			filter = append(filter, g.Opens...)
			for _, p := range g.Patterns {
				if !strings.HasPrefix(p, "clocks") {
					p, _, _ = strings.Cut(p, "#")
					filter = append(filter, p)
				}
			}
		}
		_, err := waves.Attach(m.System(), io.Discard, waves.Options{Filter: filter})
		require.NoError(t, err, x.Name)
		for _, n := range names(m) {
			if named[n.Pattern] {
				continue
			}
			_, err := waves.Attach(m.System(), io.Discard, waves.Options{Filter: []string{n.Pattern}})
			named[n.Pattern] = named[n.Pattern] || err == nil
		}
	}
	for p, some := range named {
		assert.True(t, some, p)
	}
}

// TestNamed checks that PCs, and no other signals, are shown as instructions.
func TestNamed(t *testing.T) {
	pc := regexp.MustCompile(`(^|\.)(PC|RPC|Target|Current)(\[\d+\])?$`)
	for _, x := range divergence.Mechanisms() {
		for _, sim := range machine(t, x.Name).System().Sims() {
			for _, s := range sim.Signals() {
				last := s.Path[strings.LastIndexByte(s.Path, '.')+1:]
				if pc.MatchString(last) {
					require.GreaterOrEqual(t, s.Width, 31, "%s: %s is no PC", x.Name, s.Path)
				} else {
					require.NotContains(t, last, "PC", "%s: %s has no names", x.Name, s.Path)
				}
			}
		}
	}
}

// TestPCNames: a PC shows its instruction and the line of the source that the PTX was compiled from.
func TestPCNames(t *testing.T) {
	k, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_70
.address_size 64
.visible .entry k() {
	.reg .b32 %r<2>;
	mov.u32 %r1, 1;
	.loc 1 12 3
	add.u32 %r1, %r1, 1;
	ret;
}
.file 1 "/home/me/my.cu"
`))
	require.NoError(t, err)
	p, err := testbench.Program(k, "k")
	require.NoError(t, err)
	names := pcNames(p)
	assert.Equal(t, "0 mov.u32 %r1, 1", names[0])
	assert.Equal(t, "1 add.u32 %r1, %r1, 1 // my.cu:12", names[1])
	assert.Equal(t, "none", names[0xffffffff])
}

// TestRowsOfCompaction: a save file has the pending threads of the compactor by static warp, and the
// home of each lane of a slot.
func TestRowsOfCompaction(t *testing.T) {
	groups := map[string][]string{}
	for _, g := range newView(machine(t, "tbc"), nil).groups() {
		groups[g.Name] = g.Patterns
	}
	assert.Contains(t, groups["Mechanism"], "sm[0].Div.Compacts.Pending#31")
	assert.Equal(t, []string{"sm[0].Div.Home[5].Row"}, groups["Homes of slot 5"])
	for _, g := range newView(machine(t, "tbc-ideal"), nil).groups() {
		groups[g.Name] = g.Patterns
	}
	assert.Equal(t, []string{"sm[0].Div.Home[5].Row", "sm[0].Div.Home[5].Lane"}, groups["Homes of slot 5"])
}

// TestSaveFile checks the view of GTKWave. It opens where a branch first diverges. The cycle comes
// first, then the slot that is divided, then the stack of its CTA or its warp barrier, then the closed
// groups. Where slots join, the first view shows the join as well. With -short it views one mechanism in
// four.
func TestSaveFile(t *testing.T) {
	k, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .pred %p<2>; .reg .b32 %r<3>;
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 7;
	@%p1 bra L;
	add.u32 %r2, %r1, 1;
	add.u32 %r2, %r2, 1;
L:	add.u32 %r2, %r1, 2;
	ret;
}`))
	require.NoError(t, err)
	prog, err := testbench.Program(k, "k")
	require.NoError(t, err)
	for i, x := range divergence.Mechanisms() {
		if forall.LeftOut(i, 4) {
			continue
		}
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			c := gpu.Default()
			c.GPU.SMs, c.L2.Size = 2, 64<<10
			c.Divergence.Mechanism = x.Name
			s, err := testbench.NewSession(c, testbench.Limits{})
			require.NoError(t, err)
			var vcd bytes.Buffer
			var d *waves.Dump
			s.OnLaunch.Add(func(l *testbench.Loaded) {
				d, err = Attach(s, &vcd, waves.Options{Filter: []string{"sm[0].**"}, Clocks: true})
				l.Refuse(err)
			})
			require.NoError(t, s.Launch(testbench.Launch{
				Prog: prog, Grid: [3]uint32{1, 1, 1},
				Block: [3]uint32{64, 1, 1}, Params: make([]byte, 8),
			}))
			require.NoError(t, d.Close())
			name := filepath.Join(t.TempDir(), "k.vcd")
			require.NoError(t, d.Save(name))
			b, err := os.ReadFile(strings.TrimSuffix(name, "vcd") + "gtkw")
			require.NoError(t, err)
			save := string(b)

			var marker uint64
			_, err = fmt.Sscanf(save[strings.Index(save, "\n*")+2:], "%f %d", new(float64), &marker)
			require.NoError(t, err)
			w, err := vcdread.ReadAll(&vcd)
			require.NoError(t, err)
			value := func(signal string, fs uint64) uint64 {
				v, err := w.Value(signal, fs)
				require.NoError(t, err)
				return v
			}
			require.NotZero(t, value("sm_0.Div.Stats.Divergent", marker))
			require.Zero(t, value("sm_0.Div.Stats.Divergent", marker-1))

			// The join is on the first screen: every mechanism brings the threads together before the end.
			var zoom float64
			_, err = fmt.Sscanf(save[strings.Index(save, "\n*")+2:], "%f", &zoom)
			require.NoError(t, err)
			require.Less(t, zoom, -22.88, "more than 10 cycles in 200 pixels")

			rows := regexp.MustCompile(`(?m)^(?:-(.*)|\+\{(.*)\} (.*))$`).FindAllStringSubmatch(save[strings.Index(save,
				"[sst_expanded]"):], -1)
			require.Equal(t, "clocks.cycle[63:0]", rows[0][3])
			open := regexp.MustCompile(`(?m)^@800200\n-(Warp|Slot) `)
			closed := regexp.MustCompile(`(?m)^@c00200\n-`)
			require.Regexp(t, open, save)
			require.Less(t, open.FindStringIndex(save)[0], closed.FindStringIndex(save)[0])
			require.NotRegexp(t, `(?m)^-(Warp|Slot|Static warp|CTA) [5-9]`, save, "nothing of warps that are not there")
			first := save[open.FindStringIndex(save)[0]:closed.FindStringIndex(save)[0]]
			require.Regexp(t, `PC\[31:0\]|PC\[30:0\]`, first)
			require.Regexp(t, `Mask`, first)
			if strings.HasPrefix(x.Name, "tbc") {
				require.Contains(t, first, "\n@800200\n-CTA 0\n")
			}
			require.Equal(t, x.Name == "dwf-wb", strings.Contains(first, "\n@800200\n-Static warp "))
		})
	}
}

// TestWhatIsNotThere checks that unused parts of a mechanism or a program have no signals:
// likely-convergence points, lanes of compacted warps, calls.
func TestWhatIsNotThere(t *testing.T) {
	const plain, calls = ".visible .entry k() { ret; }", ".func f() { ret; } .visible .entry k() { call f, (); ret; }"
	for _, c := range []struct {
		mechanism, text string
		want            []string
	}{
		{"pdom", plain, []string{"Lane_00"}}, // it has no signals of compaction
		{"pdom", calls, []string{"Lane_00", "Depth"}},
		{"pdom-lcp", plain, []string{"LPC", "Lane_00"}},
		{"tbc", plain, nil},
		{"tbc-lcp", calls, []string{"LPC", "Depth"}},
		{"tbc-ideal", plain, []string{"Lane_00"}},
	} {
		k, err := ptx.Parse("k.ptx", []byte(".version 7.6\n.target sm_70\n.address_size 64\n"+c.text))
		require.NoError(t, err)
		p, err := testbench.Program(k, "k")
		require.NoError(t, err)
		config := gpu.Default()
		config.Divergence.Mechanism = c.mechanism
		s, err := testbench.NewSession(config, testbench.Limits{})
		require.NoError(t, err)
		var vcd bytes.Buffer
		var d *waves.Dump
		s.OnLaunch.Add(func(l *testbench.Loaded) {
			d, err = Attach(s, &vcd, waves.Options{Filter: []string{"sm[0].Div.Stack.**", "sm[0].Operands.**"}})
			l.Refuse(err)
		})
		one := [3]uint32{1, 1, 1}
		require.NoError(t, s.Launch(testbench.Launch{Prog: p, Grid: one, Block: one}))
		require.NoError(t, d.Close())
		var got []string
		for _, word := range []string{"LPC", "Lane_00", "Depth"} {
			if strings.Contains(vcd.String(), " "+word+" ") {
				got = append(got, word)
			}
		}
		assert.Equal(t, c.want, got, "%s: %s", c.mechanism, c.text)
	}
}

// TestExampleOfTrigger checks that every machine has the trigger of the error message.
func TestExampleOfTrigger(t *testing.T) {
	_, err := waves.ParseTrigger("nonsense")
	require.Error(t, err)
	quoted := regexp.MustCompile(`for example "(.*)"`).FindStringSubmatch(err.Error())
	require.NotNil(t, quoted, err)
	for _, x := range divergence.Mechanisms() {
		trigger, err := waves.ParseTrigger(quoted[1])
		require.NoError(t, err)
		_, err = waves.Attach(machine(t, x.Name).System(), io.Discard,
			waves.Options{Filter: []string{"sm.Issue.Fire"}, Trigger: trigger})
		require.NoError(t, err, x.Name)
	}
}

// TestClassesAreWords checks that a trigger may name classes.
func TestClassesAreWords(t *testing.T) {
	m := machine(t, "pdom")
	trigger, err := waves.ParseTrigger("sm[0].Issue.Class == W29-32")
	require.NoError(t, err)
	var vcd bytes.Buffer
	_, err = waves.Attach(m.System(), &vcd,
		waves.Options{Names: names(m), Trigger: trigger, Filter: []string{"sm.Issue.Fire"}})
	require.NoError(t, err)
	assert.NotContains(t, vcd.String(), "Class", "it need not be in the dump")
	trigger.Value = "W29_32"
	_, err = waves.Attach(m.System(), io.Discard, waves.Options{Names: names(m), Trigger: trigger})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "perhaps W29-32")
}

// TestViewOfAnotherSM checks that a filter for one SM shows that SM.
func TestViewOfAnotherSM(t *testing.T) {
	m := machine(t, "pdom")
	for filter, sm := range map[string]string{
		"sm[3].**": "sm[3]", "sm_07.Issue": "sm[7]", "sm_00": "sm[0]",
		"l2[1]": "sm[0]", "sm[*].Issue": "sm[0]",
	} {
		v := newView(m, []string{filter})
		assert.Equal(t, sm, v.sm, filter)
		assert.True(t, slices.ContainsFunc(v.groups(),
			func(g waves.Group) bool { return slices.Contains(g.Patterns, sm+".Issue.Class") }))
	}
}
