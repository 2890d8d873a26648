package properties

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"divergo/gpu"
	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twins are rewritings of a kernel that do not change its results.
var twins = []struct {
	name  string
	alike bool // a warp that reconverges at post-dominators issues as many instructions
	tree  func(k *draw.Kernel)
	text  func(text string) string
}{
	{name: "branches inverted, arms swapped", tree: func(k *draw.Kernel) {
		k.Each(func(s *draw.Stmt, _ int) {
			if s.Kind == draw.If {
				s.Alt = !s.Alt
			}
		})
	}},
	{name: "arms in another place", tree: func(k *draw.Kernel) {
		k.Each(func(s *draw.Stmt, _ int) {
			if s.Kind == draw.If {
				s.N = 1 - min(s.N, 1)
			}
		})
	}},
	{name: "code that nobody comes to", tree: func(k *draw.Kernel) {
		never := draw.Cond{Value: draw.Constant, Reg: -1, Mask: 1, Cmp: "eq", Limit: 1}
		k.Body = wrapped(k.Body, func(b []draw.Stmt) []draw.Stmt {
			return append([]draw.Stmt{{
				Kind: draw.If, Cond: never,
				Body: [][]draw.Stmt{{{Kind: draw.Compute, D: 1}, {Kind: draw.Test, Cond: never}}},
			}}, b...)
		})
	}},
	{name: "guards that all pass", tree: func(k *draw.Kernel) {
		always := draw.Cond{Value: draw.Constant, Reg: -1, Mask: 1, Cmp: "eq"}
		k.Body = wrapped(k.Body, func(b []draw.Stmt) []draw.Stmt {
			return []draw.Stmt{{Kind: draw.If, Cond: always, Body: [][]draw.Stmt{b}}}
		})
	}},
	{name: "arms whose threads stay together in both", tree: func(k *draw.Kernel) {
		k.Each(func(s *draw.Stmt, _ int) {
			if s.Kind == draw.If && len(s.Body) == 1 {
				s.Body = append(s.Body, nil)
			}
		})
	}},
	{name: "registers renamed", alike: true, text: func(text string) string {
		return regexp.MustCompile(`%r([0-3])`).ReplaceAllStringFunc(text,
			func(r string) string { return "%r" + string('0'+(r[2]-'0')^2) })
	}},
	{name: "labels renamed", alike: true, text: func(text string) string {
		return regexp.MustCompile(`\bL(\d+)_`).ReplaceAllString(text, "$$at_${1}_")
	}},
	{name: "the first trip before its loop", text: peeled},
}

// peeled puts the first trip of the first loop before the loop, with new labels.
func peeled(text string) string {
	top := regexp.MustCompile(`(?m)^(L\d+_top):\n`)
	for _, m := range top.FindAllStringSubmatchIndex(text, -1) {
		body, _, tested := strings.Cut(text[m[1]:], "\tbra "+text[m[2]:m[3]]+";\n")
		// it repeats by its test, or the end found is that of another loop
		if !tested || strings.Contains(body, "\n}") {
			continue
		}
		first := body
		for _, l := range regexp.MustCompile(`(?m)^(\w+):`).FindAllStringSubmatch(body, -1) {
			first = regexp.MustCompile(`\b`+l[1]+`\b`).ReplaceAllString(first, "first_"+l[1])
		}
		return text[:m[0]] + first + text[m[0]:]
	}
	return text
}

// wrapped changes blocks: the outermost first, then the nested ones.
func wrapped(b []draw.Stmt, change func([]draw.Stmt) []draw.Stmt) []draw.Stmt {
	for i := range b {
		for j := range b[i].Body {
			b[i].Body[j] = wrapped(b[i].Body[j], change)
		}
	}
	return change(b)
}

// TestTwins checks that a kernel and its twin have the same results, in the golden model and under
// each mechanism. Half of the kernels are bred, as those of a steered check. Machine and golden model
// share the reader of programs; here that reader must agree on two programs.
func TestTwins(t *testing.T) {
	features := plainFeatures &^ (draw.Gotos | draw.Backwards | draw.Breaks | draw.Continues | draw.Repeats |
		draw.Larges | draw.Votes)
	seeds := uint64(96)
	if testing.Short() {
		seeds = 12
	}
	var mechanisms []divergence.Mechanism
	for _, m := range divergence.Mechanisms() {
		if slices.Contains(shipped(), m.Name) {
			mechanisms = append(mechanisms, m)
		}
	}
	drawn := func(seed uint64) draw.Case {
		c := draw.New(seed, features)
		if seed/uint64(len(twins))%2 == 0 {
			return c
		}
		other := draw.New(seed+seeds, features)
		return draw.Breed(seed, features, &c, &other, c.Machine)
	}
	runs := 0
	for seed := range seeds {
		c := drawn(seed)
		k, err := c.Compile()
		require.NoError(t, err)
		ended, want := run(t, k, golden.Options{MaxSteps: bredSteps(k)})
		twin := twins[seed%uint64(len(twins))]
		d := drawn(seed)
		if twin.tree != nil {
			twin.tree(&d.Kernel)
		}
		text, params := d.PTX()
		if twin.text != nil {
			text = twin.text(text)
		}
		other, err := d.CompileText(text, params)
		require.NoError(t, err, text)
		require.Len(t, other.Args, len(k.Args), "seed %d, %s", seed, twin.name)
		again, got := run(t, other, golden.Options{MaxSteps: bredSteps(k)})
		require.Equal(t, golden.Finished, ended.End)
		require.Equal(t, ended.End, again.End)
		require.Equal(t, want, got, "seed %d, %s", seed, twin.name)

		for i := range 4 { // each mechanism with some
			mech := mechanisms[(int(seed)+4*i)%len(mechanisms)]
			var r runner
			var issued [2]uint64
			for j, k := range []*draw.Compiled{k, other} {
				f, err := r.Check(k, mech.Name)
				require.NoError(t, err)
				require.Nil(t, f, "seed %d, %s: %v", seed, twin.name, f)
				s := r.sessions[mech.Name]
				issued[j] = s.Runs[len(s.Runs)-1].Counters.Instructions
				runs++
			}
			if twin.alike && mech.Meets {
				assert.Equal(t, issued[0], issued[1], "seed %d, %s under %s: instructions", seed, twin.name, mech.Name)
			}
		}
	}
	require.Positive(t, runs)
}

// bredSteps bounds the instructions of the threads of a bred kernel.
func bredSteps(k *draw.Compiled) uint64 { return 10_000 * uint64(k.Threads()) }

// TestPeeled checks that a loop is peeled in some kernels. Otherwise the twin would equal the
// kernel.
func TestPeeled(t *testing.T) {
	n := 0
	for seed := range uint64(40) {
		c := draw.New(seed, plainFeatures&^(draw.Gotos|draw.Backwards|draw.Breaks|draw.Continues))
		if text, _ := c.PTX(); peeled(text) != text {
			n++
		}
	}
	assert.Greater(t, n, 5)
}

// TestTwinsDiffer checks that swapping the arms of branches without inverting them changes a
// kernel.
func TestTwinsDiffer(t *testing.T) {
	differ := 0
	for seed := range uint64(20) {
		c := draw.New(seed, plainFeatures&^(draw.Gotos|draw.Backwards|draw.Repeats|draw.Larges))
		k, err := c.Compile()
		require.NoError(t, err)
		_, want := run(t, k, golden.Options{})
		c.Kernel.Each(func(s *draw.Stmt, _ int) {
			if s.Kind == draw.If && len(s.Body) == 2 {
				slices.Reverse(s.Body)
			}
		})
		other, err := c.Compile()
		require.NoError(t, err)
		if _, got := run(t, other, golden.Options{}); !assert.ObjectsAreEqual(want, got) {
			differ++
		}
	}
	assert.Greater(t, differ, 3)
}

// inOrder are mechanisms whose warps are static and choose their paths by masks alone. So each warp issues
// the same instructions, whatever the latencies.
var inOrder = []string{"pdom", "pdom-lcp", "token"}

// TestLatencies runs a mechanism against itself on a machine with other latencies. The results are equal,
// and so is what is issued by lanes, though not in the same order.
func TestLatencies(t *testing.T) {
	features := plainFeatures &^ (draw.Repeats | draw.Larges | draw.Races | draw.Messages)
	seeds := uint64(64)
	if testing.Short() {
		seeds = 6
	}
	var latencies []gpu.Key
	for _, k := range gpu.Keys() {
		if strings.HasSuffix(k.Unit, "cycles") {
			latencies = append(latencies, k)
		}
	}
	require.Greater(t, len(latencies), 20)
	slower := 0
	for seed := range seeds {
		c := draw.New(seed*draw.MachineSeeds+seed, features)
		other := c
		r := rand.New(rand.NewPCG(seed, 11))
		for _, k := range latencies {
			machine := other.Machine
			if draw.Key(r, &machine, &k); machine.Check() == nil {
				other.Machine = machine
			}
		}
		mechanism := inOrder[seed%uint64(len(inOrder))]
		var counts [2]testbench.Counters
		var memory [2][]byte
		for i, c := range []*draw.Case{&c, &other} {
			k, err := c.Compile()
			require.NoError(t, err)
			k, err = k.For(mechanism)
			require.NoError(t, err)
			var r runner
			f, err := r.Check(k, mechanism)
			require.NoError(t, err)
			require.Nil(t, f)
			s := r.sessions[mechanism].Session
			counts[i] = s.Runs[len(s.Runs)-1].Counters
			memory[i] = buffers(t, s, k)
		}
		a, b := &counts[0], &counts[1]
		what := fmt.Sprintf("%s, seed %d", mechanism, c.Seed)
		assert.Equal(t, memory[0], memory[1], what)
		assert.Equal(t, a.Active, b.Active, what)
		assert.Equal(t, a.Inserted, b.Inserted, what)
		assert.Equal(t, a.Divergence.Pushes, b.Divergence.Pushes, what)
		assert.Equal(t, a.Divergence.MaxDepth, b.Divergence.MaxDepth, what)
		if a.Cycles != b.Cycles {
			slower++
		}
	}
	assert.Greater(t, slower, int(seeds)/2, "other latencies take other times")
}

// buffers returns the contents of a kernel's buffers at the end of a run.
func buffers(t *testing.T, s *testbench.Session, k *draw.Compiled) (all []byte) {
	t.Helper()
	params := s.Runs[len(s.Runs)-1].Launch.Params // addresses
	for i := range k.Args {
		data := make([]byte, k.Args[i].Bytes)
		s.Read(binary.LittleEndian.Uint64(params[8*i:]), data)
		all = append(all, data...)
	}
	require.NoError(t, s.Err())
	return all
}
