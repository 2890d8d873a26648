package properties

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"divergo/isa"
	"divergo/properties/draw"
	"divergo/sm/divergence"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// late is a mechanism with a bug: backward branches lead to the second instruction of their loop.
const late = "late"

func init() {
	m, _ := divergence.Find("pdom")
	m.Name, m.Doc = late, "branches back are off by one"
	m.Prepare = func(_ divergence.Options, p *isa.Program) *isa.Program {
		made := *p
		made.Insts = slices.Clone(p.Insts)
		for pc := range made.Insts {
			if in := &made.Insts[pc]; in.Conditional() && in.Target+2 < uint32(pc) {
				in.Target++
			}
		}
		return &made
	}
	divergence.Register(m)
}

// shipped returns the mechanisms without those of these tests.
func shipped() (names []string) {
	for _, m := range divergence.Mechanisms() {
		if !slices.Contains([]string{late, wrap, wrong, hasty, alone, asserted, covered}, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// TestFindsAndShrinks checks that a bug is found, that the counterexample is small, and that its
// folder replays.
func TestFindsAndShrinks(t *testing.T) {
	r, err := Run(Options{
		Mechanisms: []string{late}, Seed: 20, Runs: 300, Features: draw.AllFeatures &^ draw.Outlines,
		Shrink: time.Hour,
	})
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	f := r.Failure
	assert.Equal(t, checkPaths, f.Checker)
	assert.True(t, alike(r.Found.at.Rule, f.at.Rule))
	k, err := f.Case.Compile()
	require.NoError(t, err)
	assert.LessOrEqual(t, len(k.Prog.Insts), 12, k.Text)
	assert.Equal(t, 1, f.Case.Threads(), "one thread shows it")
	assert.Equal(t, draw.Plain(4), f.Case.Machine)

	by := Origin{By: "mine check late", Program: "mine"}
	b, err := f.Write(filepath.Join(t.TempDir(), "found"), by, nil)
	require.NoError(t, err)
	dir := b.Folder
	require.NoError(t, f.Show(dir, by, nil))
	again, err := Replay(dir)
	require.NoError(t, err)
	require.NotNil(t, again)
	assert.Equal(t, f.What, strings.ReplaceAll(again.What, filepath.ToSlash(dir)+"/", ""))
	for name, has := range map[string]string{
		kernelFile: ".visible .entry", machineFile: "warp_size = 4", readmeFile: "\n    mine check --replay .\n",
		waveFile: "$enddefinitions", "wave.gtkw": "-Warp 0", timelineFile: "<!DOCTYPE html>",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Contains(t, string(text), has)
	}
	_, err = Replay(t.TempDir())
	assert.ErrorContains(t, err, launchFile)
}

// TestShrinksFar checks that a bug's counterexamples are equally small, whatever kernel found it:
// one loop with constant trips. Kernels of rare situations are left out: some of them keep two
// statements, neither of which can go by itself.
func TestShrinksFar(t *testing.T) {
	var sizes []int
	for seed := uint64(0); len(sizes) < 9; seed += 50 {
		r, err := Run(Options{
			Mechanisms: []string{late}, Seed: seed, Runs: 300, Shrink: time.Hour,
			Features: draw.AllFeatures &^ (draw.Specials | draw.Herds | draw.Anywhere | draw.Rushes | draw.Depths),
		})
		require.NoError(t, err)
		require.NotNil(t, r.Failure)
		k, err := r.Failure.Case.Compile()
		require.NoError(t, err)
		sizes = append(sizes, len(k.Prog.Insts))
	}
	assert.LessOrEqual(t, slices.Max(sizes), 8, sizes)
}

// TestStepTakenBack checks that a step does not count if the mechanism cannot run the simpler case
// and undoes it. Otherwise shrink would repeat it for ever.
func TestStepTakenBack(t *testing.T) {
	c := draw.Case{
		Machine: draw.Plain(4), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{3, 1, 1},
		Kernel: draw.Kernel{Words: 64, Lean: true, Apart: true, Body: []draw.Stmt{
			{
				Kind: draw.Apart, Op: 1, Cond: draw.Cond{Value: draw.Lane, Reg: -1, Mask: 7, Cmp: "lt", Limit: 2},
				Body: [][]draw.Stmt{{}},
			},
			{
				Kind: draw.Loop, N: 7, Alt: true, Cond: draw.Cond{Value: draw.Register, Reg: 3, Mask: 7, Cmp: "lt"},
				Body: [][]draw.Stmt{{{Kind: draw.Compute, Op: 3, A: 1, B: 3}}},
			},
			{Kind: draw.Put, A: 3, N: 3},
		}},
	}
	k, err := c.Compile()
	require.NoError(t, err)
	var r runner
	f, err := r.try(k, late)
	require.NoError(t, err)
	require.NotNil(t, f)
	d := c
	d.Kernel.Body = slices.Clone(c.Kernel.Body)
	d.Kernel.Body[0].Op = 0 // the sides meet at their ends, not after the branch
	assert.Nil(t, r.fails(d, f))
	d.Kernel.Body = d.Kernel.Body[1:]
	assert.NotNil(t, r.fails(d, f), "a step")
}

// TestJobs checks that the first failure is the same for any number of goroutines, and that a run
// resumes at the end of another.
func TestJobs(t *testing.T) {
	one, err := Run(Options{Mechanisms: []string{late}, Runs: 300, Shrink: 1})
	require.NoError(t, err)
	three, err := Run(Options{Mechanisms: []string{late}, Runs: 300, Shrink: 1, Jobs: 3})
	require.NoError(t, err)
	assert.Equal(t, one.Found.Case.Seed, three.Found.Case.Seed)
	assert.Equal(t, one.Found.What, three.Found.What)

	whole, err := Run(Options{Mechanisms: []string{"ptpc"}, Seed: 90, Runs: 80})
	require.NoError(t, err)
	first, err := Run(Options{Mechanisms: []string{"ptpc"}, Seed: 90, Runs: 30})
	require.NoError(t, err)
	assert.EqualValues(t, 120, first.Next)
	second, err := Run(Options{Mechanisms: []string{"ptpc"}, Seed: first.Next, Runs: 50, Jobs: 2})
	require.NoError(t, err)
	sum := first.Total()
	total := second.Total()
	sum.add(&total)
	assert.Equal(t, whole.Total(), sum)
	assert.Equal(t, whole.Lanes, first.Lanes+second.Lanes)
}

// TestTurns checks that a campaign without named mechanisms gives each kernel four of sixteen, and that
// each mechanism meets seeds of each residue equally often.
func TestTurns(t *testing.T) {
	c := &campaign{turns: 4}
	for _, residues := range []uint64{2, 4, 8, 16} {
		met := map[[2]uint64]int{}
		for seed := range uint64(64) {
			n := 0
			for i := range 16 {
				if c.inTurn(i, seed) {
					n++
					met[[2]uint64{uint64(i), seed % residues}]++
				}
			}
			require.Equal(t, 4, n, "seed %d", seed)
		}
		require.Len(t, met, 16*int(residues))
		for at, n := range met {
			assert.Equal(t, 16/int(residues), n, "mechanism %d, residue %d of %d", at[0], at[1], residues)
		}
	}
	named := &campaign{turns: 1}
	for i := range 16 {
		assert.True(t, named.inTurn(i, 5))
	}
}

// cases generates cases for gopter, which shrinks them with Smaller.
func cases(features draw.Features) gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(draw.New(p.NextUint64(), features), caseShrinker)
	}
}

// caseShrinker is the gopter.Shrinker of cases.
func caseShrinker(v any) gopter.Shrink {
	list := slices.Collect(draw.Smaller(v.(draw.Case)))
	return func() (any, bool) {
		if len(list) == 0 {
			return nil, false
		}
		c := list[0]
		list = list[1:]
		return c, true
	}
}

// TestShrinkingKeepsCasesValid checks that every case of the shrinker can run.
func TestShrinkingKeepsCasesValid(t *testing.T) {
	p := gopter.DefaultTestParametersWithSeed(1)
	p.MinSuccessfulTests = 8
	if testing.Short() {
		p.MinSuccessfulTests = 2
	}
	properties := gopter.NewProperties(p)
	properties.Property("smaller cases compile", prop.ForAllNoShrink(func(c draw.Case) (bool, error) {
		for small := range draw.Smaller(c) {
			if _, err := small.Compile(); err != nil {
				return false, err
			}
			if err := small.Machine.Check(); err != nil {
				return false, err
			}
		}
		return true, nil
	}, cases(draw.AllFeatures)))
	properties.TestingRun(t)
}

// TestGopterShrinks: gopter finds the smallest case with a barrier by itself.
func TestGopterShrinks(t *testing.T) {
	p := gopter.DefaultTestParametersWithSeed(1)
	result := prop.ForAll(func(c draw.Case) bool {
		text, _ := c.PTX()
		return !strings.Contains(text, "bar.sync")
	}, cases(draw.Barriers|draw.Loops|draw.Solids)).Check(p)
	require.Equal(t, gopter.TestFailed, result.Status)
	c := result.Args[0].Arg.(draw.Case)
	assert.Len(t, c.Kernel.Body, 1)
	assert.Equal(t, 1, c.Threads())
}

// fake collects the messages of Check.
type fake struct{ errors, logs []string }

func (f *fake) Helper()      {}
func (f *fake) Name() string { return "TestMine" }
func (f *fake) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fake) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}

func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	var good, bad, unknown fake
	Check(&good, "pdom", Options{Runs: 10})
	assert.Empty(t, good.errors)
	assert.Len(t, good.logs, 1)
	Check(&bad, late)
	require.Len(t, bad.errors, 1)
	assert.Contains(t, bad.errors[0], "see counterexample/late")
	files, err := filepath.Glob("counterexample/late-*/kernel.ptx")
	require.NoError(t, err)
	assert.Len(t, files, 1)
	Check(&unknown, "pdon")
	require.Len(t, unknown.errors, 1)
	assert.Contains(t, unknown.errors[0], "pdon")
}
