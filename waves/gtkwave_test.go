package waves_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
	"divergo/waves"
	"divergo/waves/vcdread"
)

// shown is a line of GTKWave's signal list: its text, its signal, and the function that formats the
// value. A group has no function.
type shown struct {
	text   string
	signal string
	read   func(value uint64) string
}

func hex(digits int) func(uint64) string {
	return func(v uint64) string { return fmt.Sprintf("%0*X", digits, v) }
}

func decimal(v uint64) string { return fmt.Sprint(v) }

func readPhase(v uint64) string { return []string{"Idle", "Busy", "Reply"}[v] }

func readSigned(v uint64) string { return fmt.Sprint(int8(v)) }

func instruction(pc uint64) string { return fmt.Sprintf("@%%p%d bra L%x;", pc, pc) }

// askGTKWave opens a save file in GTKWave, from another directory. It returns the text and value of
// each line of the signal list at each of the markers. The first answer is the primary marker that
// the file sets.
func askGTKWave(t *testing.T, save string, markers []uint64) (marker string, answers [][]string) {
	need.Tool(t, "gtkwave", "xvfb-run", "xauth")
	dir := t.TempDir()
	var tcl strings.Builder
	fmt.Fprintf(&tcl, "set out [open answers.txt w]\nputs $out [gtkwave::getMarker]\n")
	for _, m := range markers {
		fmt.Fprintf(&tcl, "gtkwave::setMarker %d\n", m)
		fmt.Fprintln(&tcl, `for {set i 0} {$i < [gtkwave::getTotalNumTraces]} {incr i} {
	puts $out "[gtkwave::getTraceNameFromIndex $i]|[gtkwave::getTraceValueAtMarkerFromIndex $i]"
}
puts $out "."`)
	}
	tcl.WriteString("close $out\nexit\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ask.tcl"), []byte(tcl.String()), 0o644))
	tool(t, dir, "xvfb-run", "-a", "gtkwave", "-S", "ask.tcl", save)
	text, err := os.ReadFile(filepath.Join(dir, "answers.txt"))
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	marker = lines[0]
	var at []string
	for _, l := range lines[1:] {
		if l == "." {
			answers = append(answers, at)
			at = nil
			continue
		}
		at = append(at, l)
	}
	return marker, answers
}

// createToy dumps a run of the toy to a file whose name has spaces.
func createToy(t *testing.T, opts waves.Options) (save string) {
	dir := filepath.Join(t.TempDir(), "my dumps")
	require.NoError(t, os.Mkdir(dir, 0o755))
	y := newToy(t, 1)
	name := "a toy.vcd"
	if opts.FST {
		name = "a toy.fst"
	}
	f, err := waves.Create(y.sys, filepath.Join(dir, name), opts)
	require.NoError(t, err)
	runToy(y)
	require.NoError(t, f.Close())
	return filepath.Join(dir, "a toy.gtkw")
}

func TestGTKWaveReadsTheModelsValues(t *testing.T) {
	for name, fst := range map[string]bool{"VCD": false, "FST": true} {
		t.Run(name, func(t *testing.T) { requireGTKWaveReadsTheModelsValues(t, fst) })
	}
}

func requireGTKWaveReadsTheModelsValues(t *testing.T, fst bool) {
	pcs := map[uint64]string{}
	for pc := range uint64(500) {
		pcs[pc] = instruction(pc)
	}
	save := createToy(t, waves.Options{
		FST:   fst,
		Names: []waves.Names{{Pattern: "**.PC", Of: pcs}},
		Groups: []waves.Group{
			{Name: "Client 3", Color: waves.Green, Patterns: []string{
				"toy.sm[3].Phase", "toy.sm[3].PC", "toy.sm_3.Signed", "toy.sm[3].Flag", "toy.sm[3].Tag",
				"toy.sm[3].Grant",
			}},
			{Name: "All phases", Color: waves.Yellow, Patterns: []string{"toy.sm.Phase"}},
			{Name: "Memory", Color: waves.Red, Patterns: []string{"toy.mem.Server.Top", "toy.mem.Sink"}},
		},
	})
	want := []shown{
		{text: "Client 3"},
		{"Phase", "toy.sm_3.Phase", readPhase},
		{"PC", "toy.sm_3.PC", instruction},
		{"Signed", "toy.sm_3.Signed", readSigned},
		{"Flag", "toy.sm_3.Flag", decimal},
		{"Tag/Client", "toy.sm_3.Tag.Client", decimal},
		{"Tag/Wide", "toy.sm_3.Tag.Wide", hex(16)},
		{"Grant", "toy.sm_3.Grant", decimal},
		{text: "Client 3"},
		{text: "All phases"},
	}
	for i := range 10 {
		if i != 3 { // it is in the first group
			want = append(want, shown{fmt.Sprintf("sm_%d/Phase", i), fmt.Sprintf("toy.sm_%d.Phase", i), readPhase})
		}
	}
	want = append(want,
		shown{text: "All phases"},
		shown{text: "Memory"},
		shown{"Server/Top", "toy.mem.Server.Top", decimal},
		shown{"Sink/Last", "toy.mem.Sink.Last", hex(4)},
		shown{"Sink/Sleep", "toy.mem.Sink.Sleep", decimal},
		shown{text: "Memory"})

	// These are the model's values at random cycles of each clock, and the times for GTKWave.
	byTime := map[string]map[uint64]uint64{}
	for _, s := range model(t, toyCycles) {
		if byTime[s.name] == nil {
			byTime[s.name] = map[uint64]uint64{}
		}
		byTime[s.name][s.fs] = s.value
	}
	y := newToy(t, 1)
	r := rand.New(rand.NewPCG(1, 2))
	var core, markers []uint64
	for range 20 {
		c := 1 + r.Uint64N(toyCycles-3)
		core = append(core, c)
		markers = append(markers, y.core.Fs(c)+r.Uint64N(1250000/4)) // the next edge of either clock may come before it
	}
	marker, answers := askGTKWave(t, save, markers)
	assert.Equal(t, "-1", marker)
	require.Len(t, answers, len(markers))
	for i, fs := range markers {
		require.Len(t, answers[i], len(want))
		for j, w := range want {
			text, value, _ := strings.Cut(answers[i][j], "|")
			require.Equal(t, w.text, text)
			if w.read == nil {
				continue
			}
			at := y.core.Fs(core[i])
			if strings.HasPrefix(w.signal, "toy.mem.") {
				at = y.mem.Fs(fs * 8 / 1e7) // 800 MHz
			}
			v, known := byTime[w.signal][at]
			require.True(t, known, "%s at %d", w.signal, at)
			require.Equal(t, w.read(v), value, "%s at %d", w.signal, fs)
		}
	}
}

func TestGTKWaveOpensAtTheTrigger(t *testing.T) {
	save := createToy(t, waves.Options{Trigger: &waves.Trigger{
		Signal: "toy.sm[*].PC", Op: ">=", Value: "90",
		Before: 150,
	}})
	at := newToy(t, 1).core.Fs(firstCycle(t, func(q *clientState) bool { return q.PC >= 90 }))
	marker, answers := askGTKWave(t, save, []uint64{at})
	assert.Equal(t, fmt.Sprint(at), marker)
	// Without groups in the options there is one for each module and struct, up to 300 signals.
	groups, traces := map[string]int{}, 0
	for _, l := range answers[0] {
		if text, value, _ := strings.Cut(l, "|"); value == "" {
			groups[text]++
		} else {
			traces++
		}
	}
	assert.Equal(t, 300, traces)
	assert.Equal(t, 2, groups["toy.sm_0"], "it begins and ends")
	assert.Equal(t, 2, groups["toy.sm_0.Tag"])
}

func TestSaveFiles(t *testing.T) {
	save := createToy(t, waves.Options{
		Filter: []string{"toy.sm.Phase", "toy.sm.PC", "toy.sm.Flag"},
		Groups: []waves.Group{
			{Name: "PCs", Color: waves.Green, Patterns: []string{"**.Phase", "**.PC"}},
			{Name: "Flags", Patterns: []string{"**.Flag"}},
			{Name: "Nothing", Patterns: []string{"toy.mem"}},
		}, Names: []waves.Names{
			{Pattern: "toy.sm[4].PC", Of: map[uint64]string{0x1a: " @p  bra\n L;"}},
			{Pattern: "**.PC", Of: map[uint64]string{0x1a: "bra", 3: "add"}},
			{Pattern: "**.Flag", Of: map[uint64]string{0: "low"}},
		},
	})
	surfer, err := os.ReadFile(strings.TrimSuffix(save, "gtkw") + "sucl")
	require.NoError(t, err)
	commands := strings.Split(string(surfer), "\n")
	assert.Equal(t, []string{
		"divider_add PCs", "variable_add toy.sm_0.Phase", "item_set_format a_toy_1_Phase",
		"variable_add toy.sm_1.Phase",
	}, commands[:4])
	assert.Contains(t, string(surfer), "variable_add toy.sm_3.PC\nitem_set_format a_toy_2_PC\n")
	assert.Contains(t, string(surfer), "divider_add Flags\nvariable_add toy.sm_0.Flag\nvariable_add toy.sm_1.Flag\n")
	mapping, err := os.ReadFile(filepath.Join(filepath.Dir(save), ".surfer", "mappings", "a_toy_2_PC.map"))
	require.NoError(t, err)
	assert.Equal(t, "Name = a_toy_2_PC\nBits = 16\n0x3 add\n0x1a bra\n", string(mapping))

	dir := strings.TrimSuffix(save, ".gtkw") + ".filters"
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	contents := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		contents[f.Name()] = string(b)
	}
	assert.Equal(t, map[string]string{
		"1_Phase.txt": "0 Idle\n1 Busy\n2 Reply\n",
		"2_PC.txt":    "0003 add\n001A bra\n",
		"3_PC.txt":    "001A @p bra L;\n",
	}, contents, "one file for each table, however many signals use it")
	text, err := os.ReadFile(save)
	require.NoError(t, err)
	assert.Equal(t, 20, strings.Count(string(text), "\n[color] 4\n"), "GTKWave's number of green")
	assert.Equal(t, 20, strings.Count(string(text), "[color]"), "a normal trace names none")
	assert.NotContains(t, string(text), "Nothing", "a group of no signals")
	assert.Equal(t, 9, strings.Count(string(text), "^2 "+filepath.Join(dir, "2_PC.txt")+"\n"))
}

// TestGTKWaveOpensAtAMark: a save file opens at a mark, where client 3 first counts in one half of
// Hist. Groups with a change there are open, and come first. A row may be a bit of several signals.
func TestGTKWaveOpensAtAMark(t *testing.T) {
	y := newToy(t, 1)
	q := y.clients[3].Q()
	run := func(changed func() bool) {
		for !changed() {
			y.sys.Run(y.core, 1)
		}
	}
	hist := uint64(0) // bits 0 of Hist[0][1] to Hist[11][1]
	run(func() bool {
		for i := range q.Hist {
			hist |= uint64(q.Hist[i][1]) & 1 << i
		}
		return hist != 0
	})
	cycle := y.core.Now()

	label := func(path string) string { return strings.TrimPrefix(path, "toy.sm[3].") }
	save := createToy(t, waves.Options{Clocks: true, To: cycle + 50, Marks: []string{
		"toy.nothing", "toy.sm[3].Hist[*][1]", "toy.sm[3].Phase",
	}, Groups: []waves.Group{
		{Patterns: []string{"clocks.cycle"}},
		{
			Name: "Closed", Closed: true, Opens: []string{"toy.mem.Server.Done[7]"},
			Patterns: []string{"toy.mem.Server.Top"},
		},
		{Name: "Opened", Closed: true, Label: label, Opens: []string{"toy.nothing", "toy.sm[3].PC"}, Patterns: []string{
			"toy.sm[3].PC", "toy.sm[3].Tag.Client", "toy.sm[3].Hist[*][1]#0",
		}},
		{Name: "Unused", Used: true, Patterns: []string{"toy.sm[3].PC", "toy.sm[3].Hist[*][1]#7"}},
	}})
	marker, answers := askGTKWave(t, save, []uint64{y.core.Fs(cycle)})
	assert.Equal(t, fmt.Sprint(y.core.Fs(cycle)), marker)
	assert.Equal(t, []string{
		fmt.Sprintf("cycle|%d", cycle),
		"Opened|", fmt.Sprintf("PC|%04X", q.PC), fmt.Sprintf("Tag/Client|%d", q.Tag.Client), fmt.Sprintf("Hist#0|%03X",
			hist), "Opened|",
		"Closed|", "Top|", "Closed|", // GTKWave gives no value of hidden lines
	}, answers[0])
	text, err := os.ReadFile(save)
	require.NoError(t, err)
	assert.Contains(t, string(text), fmt.Sprintf("@%x\n-Closed\n", 0xc00200),
		"GTKWave's flags of a group that is closed")
	assert.Contains(t, string(text), fmt.Sprintf("@%x\n-Opened\n", 0x800200), "and of one that is open")
}

// TestGTKWaveOpensAtACycle: a save file opens at the cycle of Options.At, whatever the marks.
// Groups with a change shortly before are open. A cycle outside the dump is ignored.
func TestGTKWaveOpensAtACycle(t *testing.T) {
	y := newToy(t, 1)
	const cycle = 200
	open := func(at uint64) string {
		save := createToy(t, waves.Options{
			Clocks: true, To: 400, At: at, Marks: []string{"toy.sm[3].Phase"},
			Groups: []waves.Group{
				{Name: "Closed", Closed: true, Opens: []string{"toy.nothing"}, Patterns: []string{"toy.mem.Server.Top"}},
				{Name: "Opened", Closed: true, Opens: []string{"toy.sm[3].Seed"}, Patterns: []string{"toy.sm[3].Seed"}},
			},
		})
		text, err := os.ReadFile(save)
		require.NoError(t, err)
		return string(text)
	}
	text := open(cycle)
	assert.Regexp(t, fmt.Sprintf(`\n\*-[0-9.]+ %d -1`, y.core.Fs(cycle)), text)
	assert.Contains(t, text, fmt.Sprintf("[timestart] %d\n", y.core.Fs(cycle)-y.core.Fs(20)))
	assert.Contains(t, text, "@800200\n-Opened\n")
	assert.Contains(t, text, "@c00200\n-Closed\n")
	assert.NotContains(t, open(500), fmt.Sprint(y.core.Fs(500)), "behind the end")
}

// TestCounterOfCycles: the counter has the number of the cycle from its start to its end.
func TestCounterOfCycles(t *testing.T) {
	y := newToy(t, 1)
	d := dumpToy(t, 1, waves.Options{Clocks: true, Filter: []string{"toy.mem"}, From: 13, To: 60}, runToy)
	dump, err := vcdread.ReadAll(strings.NewReader(string(d)))
	require.NoError(t, err)
	for c := uint64(13); c <= 60; c++ {
		for _, fs := range []uint64{y.core.Fs(c), y.core.Fs(c+1) - 1} {
			v, err := dump.Value("clocks.cycle", fs)
			require.NoError(t, err)
			require.Equal(t, c, v, "at %d", fs)
		}
	}
}
