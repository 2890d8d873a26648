package properties

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"divergo/gpu"
	"divergo/isa"
	"divergo/properties/books"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"
	"divergo/testbench/verify"
	"divergo/testbench/view"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wrap is a mechanism whose loops run until their counters wrap.
const wrap = "wrap"

func init() {
	m, _ := divergence.Find("pdom")
	m.Name, m.Doc = wrap, "branches back are the other way round"
	m.Prepare = func(_ divergence.Options, p *isa.Program) *isa.Program {
		made := *p
		made.Insts = slices.Clone(p.Insts)
		for pc := range made.Insts {
			if in := &made.Insts[pc]; in.Conditional() && in.Target < uint32(pc) {
				in.Guard.Not = !in.Guard.Not
			}
		}
		return &made
	}
	divergence.Register(m)
}

var origin = Origin{By: "mine check --runs 300", Program: "mine"}

// looped returns a kernel with a loop of some trips, in four threads.
func looped(t *testing.T, trips int, before ...draw.Stmt) *draw.Compiled {
	t.Helper()
	k, err := (&draw.Case{
		Machine: draw.Plain(4), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{4, 1, 1},
		Kernel: draw.Kernel{
			Words: 64, Lean: true,
			Body: append(before, draw.Stmt{
				Kind: draw.Loop, Alt: true, N: trips,
				Cond: draw.Cond{
					Value: draw.Constant, Salt: uint32(trips), Reg: -1, Mask: ^uint32(0),
					Cmp: "lt",
				}, Body: [][]draw.Stmt{{{Kind: draw.Compute}}},
			}),
		},
	}).Compile()
	require.NoError(t, err)
	return k
}

// failure returns the failure of a case.
func failure(t *testing.T, k *draw.Compiled, mechanism string) *Failure {
	t.Helper()
	var r runner
	f, err := r.Check(k, mechanism)
	require.NoError(t, err)
	require.NotNil(t, f)
	return f
}

// kept writes and shows a failure, and returns its folder and page.
func kept(t *testing.T, f *Failure, in string) (folder, page string) {
	t.Helper()
	b, err := f.Write(in, origin, nil)
	require.NoError(t, err)
	require.NoError(t, f.Show(b.Folder, origin, nil))
	text, err := os.ReadFile(filepath.Join(b.Folder, readmeFile))
	require.NoError(t, err)
	return b.Folder, string(text)
}

// marker returns the time at which a save file opens.
func marker(t *testing.T, folder string) uint64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "wave.gtkw"))
	require.NoError(t, err)
	at := regexp.MustCompile(`(?m)^\*\S+ (\d+) `).FindStringSubmatch(string(text))
	require.NotNil(t, at)
	fs, err := strconv.ParseUint(at[1], 10, 64)
	require.NoError(t, err)
	return fs
}

// placeOf returns the place where the timeline of a folder opens.
func placeOf(t *testing.T, folder string) view.Place {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(folder, timelineFile))
	require.NoError(t, err)
	m := regexp.MustCompile(`id="head">([^<]*)<`).FindSubmatch(page)
	require.NotNil(t, m)
	packed, err := base64.StdEncoding.DecodeString(string(m[1]))
	require.NoError(t, err)
	var head struct{ At view.Place }
	require.NoError(t, json.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(&head))
	return head.At
}

// TestOpensWhereItFailed checks where the waveform and the timeline open: at the cycle that the checker names, or
// at the issue of the first differing instruction. It does not open where threads first diverge.
func TestOpensWhereItFailed(t *testing.T) {
	seen := map[bool]int{} // by whether the checker names a cycle
	for seed := range uint64(16) {
		if testing.Short() && len(seen) == 2 {
			break
		}
		mechanism := []string{late, hasty}[seed%2]
		var f *Failure
		for at := 100 * seed; f == nil; at++ {
			c := draw.New(at, plainFeatures)
			k, err := c.Compile()
			require.NoError(t, err)
			var r runner
			f, err = r.Check(k, mechanism)
			require.NoError(t, err)
		}
		folder, page := kept(t, f, t.TempDir())
		named := regexp.MustCompile(`It failed in cycle (\d+)\.`).FindStringSubmatch(page)
		require.NotNil(t, named, page)
		cycle, err := strconv.ParseUint(named[1], 10, 64)
		require.NoError(t, err)
		s, err := f.session(maxCycles)
		require.NoError(t, err)
		assert.Equal(t, s.Machine.Core().Fs(cycle), marker(t, folder))
		at := placeOf(t, folder)
		assert.Equal(t, cycle, at.Cycle)
		if first := regexp.MustCompile(`(?m)^    thread \((\d+),(\d+),(\d+)\) of CTA \((\d+),(\d+),(\d+)\)`).FindStringSubmatch(page); first != nil {
			var n [6]uint64
			for i := range n {
				n[i], err = strconv.ParseUint(first[i+1], 10, 64)
				require.NoError(t, err)
			}
			g, b := f.Case.Grid, f.Case.Block
			require.NotNil(t, at.Thread)
			assert.Equal(t, n[3]+uint64(g[0])*(n[4]+uint64(g[1])*n[5]), at.Thread.CTA)
			assert.Equal(t, int(n[0]+uint64(b[0])*(n[1]+uint64(b[1])*n[2])), at.Thread.Index)
		}
		if said := regexp.MustCompile(`SM \d+, cycle (\d+)`).FindStringSubmatch(f.What); said != nil {
			assert.Equal(t, said[1], named[1], f.What)
			seen[true]++
			continue
		}
		require.NotNil(t, f.Mismatch, f.What)
		first := ^uint64(0) // issue of the first instruction that differs from the golden model
		steps := map[golden.ID]int{}
		s.OnLaunch.Add(func(*testbench.Loaded) {
			for _, m := range s.Machine.SMs {
				m.Issue.OnIssue.Add(func(e sm.Issued) {
					for mask := e.Mask; mask != 0; mask &= mask - 1 {
						h := e.Home(bits.TrailingZeros64(mask))
						x := m.Thread(int(h.Row), int(h.Lane))
						id := golden.ID{CTA: x.CTA, Thread: x.TID}
						for _, p := range f.Mismatch.Paths {
							if p.Thread == id && p.At == steps[id] {
								first = min(first, e.Cycle)
							}
						}
						steps[id]++
					}
				})
			}
		})
		_ = f.again(s)
		if first != ^uint64(0) && f.Mismatch.Threads <= len(f.Mismatch.Paths) &&
			!strings.Contains(page, ", in the golden model") {
			assert.Equal(t, first, cycle)
			seen[false]++
		}
	}
	assert.Len(t, seen, 2)
}

// TestLastInstructions checks that a page shows at most ten instructions of a thread, and the
// differing results.
func TestLastInstructions(t *testing.T) {
	k := looped(t, 3)
	_, page := kept(t, failure(t, k, late), t.TempDir())
	lines := regexp.MustCompile(`(?m)^    . cycle +\d+  PC +(\d+)  (.*?)  +kernel.ptx:\d+$`).FindAllStringSubmatch(page,
		-1)
	require.NotEmpty(t, lines, page)
	assert.LessOrEqual(t, len(lines), 10*shownTrails)
	for _, l := range lines {
		pc, err := strconv.Atoi(l[1])
		require.NoError(t, err)
		assert.Equal(t, k.Prog.Mnemonic(uint32(pc)), l[2])
	}
	assert.Contains(t, page, "\n        in the golden model  PC ")

	f := failure(t, simple(t), wrong)
	assert.Equal(t, checkRegisters, f.Checker)
	assert.Equal(t, "another value, written by add", f.place(nil))
	_, page = kept(t, f, t.TempDir())
	assert.Regexp(t, `\n    > cycle +\d+  PC +\d+  add\.u32 .*\n        %\w+ = 0x[0-9a-f]{8}, in the golden model 0x[0-9a-f]{8}\n`, page)
}

// wrong is a mechanism whose program has another constant.
const wrong = "wrong"

func init() {
	m, _ := divergence.Find("pdom")
	m.Name, m.Doc = wrong, "a constant is another one"
	m.Prepare = func(_ divergence.Options, p *isa.Program) *isa.Program {
		made := *p
		made.Insts = slices.Clone(p.Insts)
		for pc := range made.Insts {
			if in := &made.Insts[pc]; books.Opcode(p, uint32(pc)) == "add" && in.Src[1].Kind == isa.OperandImm {
				in.Src[1].Imm ^= 1
				break
			}
		}
		return &made
	}
	divergence.Register(m)
}

// nothing is an empty kernel.
const nothing = ".version 7.6\n.target sm_70\n.address_size 64\n.visible .entry kernel() { ret; }\n"

// TestBuckets checks that a cause has one folder, with a count and the seeds. If its own case
// passes, the cause is gone.
func TestBuckets(t *testing.T) {
	in := t.TempDir()
	f := failure(t, looped(t, 3), late)
	write := func(f *Failure) (b Bucket) {
		got, err := f.Write(in, origin, nil)
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(got.Folder, bucketFile))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &b))
		b.Folder, b.New = got.Folder, got.New
		assert.Equal(t, b, *got)
		return b
	}
	first := write(f)
	assert.Equal(t, Bucket{
		bucketSchema, late, checkPaths, "another way, after bra", 1,
		[]uint64{0},
		filepath.Join(in, "late-0"), true,
	}, first)
	other := failure(t, looped(t, 3, draw.Stmt{Kind: draw.Compute, Op: 3}), late)
	other.Case.Seed = 7
	assert.Equal(t, Bucket{bucketSchema, late, checkPaths, "another way, after bra", 2, []uint64{0, 7}, first.Folder, false},
		write(other))
	assert.Equal(t, Bucket{bucketSchema, late, checkPaths, "another way, after bra", 3, []uint64{0, 7}, first.Folder, false},
		write(f), "a seed again")

	another := write(failure(t, simple(t), wrong))
	assert.Equal(t, filepath.Join(in, "wrong-0"), another.Folder)
	require.NoError(t, os.WriteFile(filepath.Join(first.Folder, kernelFile), []byte(nothing), 0o666))
	passed, err := Replay(first.Folder)
	require.NoError(t, err)
	require.Nil(t, passed)
	again := write(f)
	assert.Equal(t, 1, again.Count)
	assert.Equal(t, filepath.Join(in, "late-0-2"), again.Folder)
}

// TestPlaces checks that a place is a rule, whatever the text of the checker.
func TestPlaces(t *testing.T) {
	b := books.Found("partition", "a thread in no group", "SM 0, cycle 3: lanes 0x3 of row 4")
	assert.Equal(t, "a thread in no group", b.Place())
	b.Last = "bra"
	assert.Equal(t, "a thread in no group, after bra", b.Place())
	b, _ = judge(&verify.Mismatch{
		Launch:  testbench.Launch{Prog: simple(t).Prog},
		Outcome: &testbench.Outcome{End: gpu.Deadlock, Cycle: 3412},
	})
	assert.Equal(t, "deadlock", b.Place())
	b, _ = judge(&verify.Mismatch{
		Launch:  testbench.Launch{Prog: simple(t).Prog},
		Outcome: &testbench.Outcome{End: gpu.Faulted, Fault: &testbench.Fault{Kind: sm.Misaligned.String()}},
	})
	assert.Equal(t, "misaligned", b.Place())
	b, _ = judge(&verify.Mismatch{Launch: testbench.Launch{Prog: simple(t).Prog}, Values: 1})
	assert.Equal(t, "another value", b.Place())
}

// TestWaveOfALongRun checks the waveform of a run that the watchdog ends. It has the cycles around
// the failure, within its limit of bytes.
func TestWaveOfALongRun(t *testing.T) {
	defer func(was uint64) { maxCycles = was }(maxCycles)
	maxCycles = 200_000
	f := failure(t, looped(t, 1), wrap)
	require.Equal(t, checkOutcome, f.Checker, f.What)
	require.Contains(t, f.What, "watchdog: not finished after 200000 cycles")
	folder, page := kept(t, f, t.TempDir())
	assert.Contains(t, page, "mine run launch.json --verify --max-cycles 200000\n")
	info, err := os.Stat(filepath.Join(folder, waveFile))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(10<<20))

	for _, cycle := range []uint64{100, 190_000} {
		name := filepath.Join(t.TempDir(), waveFile)
		full, err := f.wave(name, cycle, 1<<30, nil)
		require.NoError(t, err)
		assert.Equal(t, window{cycle - min(cycle, waveBefore), cycle + waveBehind}, *full)
		large, err := os.Stat(name)
		require.NoError(t, err)
		most := int(large.Size()) - 1
		w, err := f.wave(name, cycle, most, nil)
		require.NoError(t, err)
		assert.LessOrEqual(t, w.from, cycle)
		assert.Less(t, w.to-w.from, full.to-full.from)
		small, err := os.Stat(name)
		require.NoError(t, err)
		assert.LessOrEqual(t, small.Size(), int64(most))
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		s, err := f.session(1)
		require.NoError(t, err)
		assert.Contains(t, string(text), fmt.Sprintf("\n#%d\n", s.Machine.Core().Fs(cycle)))
		assert.Contains(t, string(text), fmt.Sprintf("\n#%d\n$dumpvars\n", s.Machine.Core().Fs(w.from)))
	}
}

// TestWaveOfLaunches checks that several launches have one waveform.
func TestWaveOfLaunches(t *testing.T) {
	k := simple(t)
	k.Again = 1
	f := &Failure{
		Mechanism: "pdom", Case: *k.Case,
		perform: func(s *testbench.Session, run func(testbench.Launch) error) error { return k.Launch(s, run) },
	}
	name := filepath.Join(t.TempDir(), waveFile)
	_, err := f.wave(name, 700, waveBytes, nil)
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "$enddefinitions"))
}

// TestInterruptedWave checks that the folder is complete except for the waveform, and has no hidden
// files.
func TestInterruptedWave(t *testing.T) {
	f := failure(t, looped(t, 3), late)
	for _, at := range []string{"", ".wave.vcd"} { // at once, or when a file of this name exists
		b, err := f.Write(t.TempDir(), origin, nil)
		require.NoError(t, err)
		f.seen = nil
		require.NoError(t, f.Show(b.Folder, origin, func() bool {
			entries, err := os.ReadDir(b.Folder)
			require.NoError(t, err)
			return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), at) })
		}))
		entries, err := os.ReadDir(b.Folder)
		require.NoError(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		assert.Equal(t, []string{readmeFile, bucketFile, kernelFile, launchFile, machineFile}, names)
		page, err := os.ReadFile(filepath.Join(b.Folder, readmeFile))
		require.NoError(t, err)
		assert.NotContains(t, string(page), waveFile)
		assert.Equal(t, at != "", strings.Contains(string(page), "It failed in cycle"))
	}
}

// TestStoppedCheck checks that a stopped run ends in the middle and counts for nothing.
func TestStoppedCheck(t *testing.T) {
	asked := 0
	r := runner{Stop: func() bool { asked++; return asked > 3 }}
	f, err := r.Check(looped(t, 3), late)
	require.ErrorIs(t, err, errStopped)
	assert.Nil(t, f)
	asked = 0
	report, err := Run(Options{Mechanisms: []string{"pdom"}, Runs: 3, Stop: func() bool { asked++; return asked > 10 }})
	require.NoError(t, err)
	assert.Zero(t, report.Cases)
	assert.Empty(t, report.Seeds)
	assert.Nil(t, report.Failure)
}

// TestPageOfATest checks that the page of a failure of Check has the command of the test.
func TestPageOfATest(t *testing.T) {
	t.Chdir(t.TempDir())
	Check(new(fake), late, Options{Features: draw.AllFeatures &^ draw.Outlines})
	files, err := filepath.Glob("counterexample/*/" + readmeFile)
	require.NoError(t, err)
	require.Len(t, files, 1)
	page, err := os.ReadFile(files[0])
	require.NoError(t, err)
	assert.Contains(t, string(page), "\n    go test ../.. -run '^TestMine$'\n")
	assert.Contains(t, string(page), "is a program with one that has the mechanism `late`")
	assert.Contains(t, string(page), " --features -outlines\n")
	set, err := draw.ParseFeatures((draw.Loops | draw.Gotos).Flag())
	require.NoError(t, err)
	assert.Equal(t, draw.Loops|draw.Gotos, set)
}

// TestPageOfUsedMachine checks the page of a machine that fails because it has run before. It has
// the command that runs all its kernels, because a replay shows nothing. Its bucket counts without
// a replay.
func TestPageOfUsedMachine(t *testing.T) {
	k := simple(t)
	k.Seed = draw.MachineSeeds + 2
	perform := func(s *testbench.Session, run func(testbench.Launch) error) error { return k.Launch(s, run) }
	f := &Failure{
		Checker: checkReset, Mechanism: "pdom", Case: *k.Case,
		at: books.Finding{Rule: books.Rule{Checker: checkReset, Name: "memory: another value"}}, perform: perform,
	}
	in := t.TempDir()
	_, page := kept(t, f, in)
	assert.NotContains(t, page, "--replay")
	assert.Contains(t, page, "\n    mine check pdom --seed 4 --runs 3\n")
	b, err := f.Write(in, origin, nil)
	require.NoError(t, err)
	assert.Equal(t, 2, b.Count)
}
