package waves_test

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/waves"
	"divergo/waves/vcdread"
)

const toyCycles = 400

// dumpToy runs the toy and returns its dump.
func dumpToy(t testing.TB, workers int, opts waves.Options, run func(y *toy)) []byte {
	y := newToy(t, workers)
	var b bytes.Buffer
	d, err := waves.Attach(y.sys, &b, opts)
	require.NoError(t, err)
	run(y)
	require.NoError(t, d.Close())
	return b.Bytes()
}

func runToy(y *toy) { y.sys.Run(y.core, toyCycles) }

func read(t testing.TB, vcd []byte) *vcdread.Dump {
	d, err := vcdread.ReadAll(bytes.NewReader(vcd))
	require.NoError(t, err)
	return d
}

// requireModel compares the dump with the samples that lie within it, and returns their number.
func requireModel(t *testing.T, d *vcdread.Dump, samples []sample) int {
	n := 0
	for _, s := range samples {
		if s.fs < d.Begin || s.fs >= d.End {
			continue
		}
		if _, ok := d.Signal(s.name); !ok {
			continue
		}
		if v, err := d.Value(s.name, s.fs); err != nil || v != s.value {
			require.Fail(t, "wrong value", "%s at %d fs: %d (%v), the model has %d", s.name, s.fs, v, err, s.value)
		}
		n++
	}
	return n
}

func TestDumpShowsEveryValueOfTheModel(t *testing.T) {
	samples := model(t, toyCycles)
	d := read(t, dumpToy(t, 1, waves.Options{}, runToy))
	assert.Equal(t, "1 fs", d.Timescale)
	for _, s := range samples {
		_, ok := d.Signal(s.name)
		require.True(t, ok, "the dump lacks %s", s.name)
	}
	n := requireModel(t, d, samples)
	assert.Greater(t, n, len(samples)-100, "nearly all samples lie within the dump")
}

func TestDumpHasTheSameBytesHoweverItWasMade(t *testing.T) {
	opts := waves.Options{Clocks: true}
	want := dumpToy(t, 1, opts, runToy)
	for _, workers := range []int{2, 4} {
		assert.True(t, bytes.Equal(want, dumpToy(t, workers, opts, runToy)), "%d workers", workers)
	}
	assert.True(t, bytes.Equal(want, dumpToy(t, 1, opts, func(y *toy) {
		for range toyCycles {
			y.sys.Run(y.core, 1)
		}
	})), "cycle by cycle")
}

func TestDumpDoesNotDisturb(t *testing.T) {
	traced, untraced := newToy(t, 1), newToy(t, 1)
	d, err := waves.Attach(traced.sys, &bytes.Buffer{}, waves.Options{})
	require.NoError(t, err)
	runToy(traced)
	runToy(untraced)
	require.NoError(t, d.Close())
	assert.Equal(t, untraced.sys.Hash(), traced.sys.Hash())
}

// TestDumpLeavesOthersAlone: Sims without a watched signal are not observed.
func TestDumpLeavesOthersAlone(t *testing.T) {
	d, err := waves.Attach(newToy(t, 1).sys, &bytes.Buffer{}, waves.Options{
		Filter: []string{"toy.sm[3]", "toy.sm_5.PC"}, Trigger: &waves.Trigger{
			Signal: "toy.sm[6].PC", Op: ">",
			Value: "2",
		},
		Marks: []string{"toy.sm[7].PC"}, // of a Sim without signals in the dump
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"toy.sm[3]", "toy.sm[5]", "toy.sm[6]"}, d.Observed())
}

func TestDumpsAreWellFormed(t *testing.T) {
	for name, d := range tortureDumps {
		t.Run(name, func(t *testing.T) { requireWellFormed(t, string(dumpToy(t, 1, d.opts, d.run))) })
	}
}

// requireWellFormed checks the demands of the format, and those of readers beyond it.
func requireWellFormed(t *testing.T, vcd string) {
	lines := strings.Split(vcd, "\n")
	require.Empty(t, lines[len(lines)-1], "the last line ends")
	assert.Regexp(t, `^#\d+$`, lines[len(lines)-2], "the last line is a time")
	name := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	var scope []string
	seen := map[string]bool{}
	values := false
	changed := map[string]bool{} // at one time
	last := -1
	for _, l := range lines {
		f := strings.Fields(l)
		switch {
		case len(f) == 0:
		case f[0] == "$scope":
			assert.Regexp(t, name, f[2])
			scope = append(scope, f[2])
			path := strings.Join(scope, ".")
			assert.False(t, seen[path], "%s opens twice", path)
			seen[path] = true
		case f[0] == "$upscope":
			scope = scope[:len(scope)-1]
		case f[0] == "$var":
			require.NotEmpty(t, scope, "%s is in a scope", l)
			assert.Contains(t, []string{"wire", "reg"}, f[1])
			assert.Regexp(t, name, f[4])
			if f[2] == "1" {
				assert.Equal(t, "$end", f[5])
			} else {
				assert.Regexp(t, `^\[\d+:0\]$`, f[5])
			}
		case f[0] == "$enddefinitions":
			assert.Empty(t, scope)
		case f[0] == "$dumpvars":
			values = true
		case f[0][0] == '#':
			time, err := strconv.Atoi(f[0][1:])
			require.NoError(t, err)
			require.Greater(t, time, last, "time rises")
			last = time
			clear(changed)
		case f[0][0] != '$':
			require.True(t, values, "no value comes before $dumpvars")
			id := f[len(f)-1]
			if len(f) == 1 {
				id = l[1:]
			}
			require.False(t, changed[id], "%s has two values at one time", id)
			changed[id] = true
		}
	}
}

func TestClocks(t *testing.T) {
	vcd := dumpToy(t, 1, waves.Options{Clocks: true, Filter: []string{"toy.mem"}, From: 13, To: 60}, runToy)
	d := read(t, vcd)
	y := newToy(t, 1)
	for _, domain := range []*rtl.Domain{y.core, y.mem} {
		s, ok := d.Signal("clocks." + domain.Name())
		require.True(t, ok)
		rises := map[uint64]bool{}
		for i, c := range d.Changes[s.Net] {
			if i > 0 {
				assert.NotEqual(t, d.Changes[s.Net][i-1].Value, c.Value, "every change is one")
			}
			rises[c.Time] = c.Value == 1
		}
		for n := uint64(0); domain.Fs(n) <= d.End; n++ {
			if domain.Fs(n) >= d.Begin {
				assert.True(t, rises[domain.Fs(n)], "%s rises at %d", domain.Name(), n)
			}
			if middle := domain.Fs(n) + (domain.Fs(n+1)-domain.Fs(n))/2; middle > d.Begin && middle < d.End {
				assert.Contains(t, rises, middle)
				assert.False(t, rises[middle], "%s falls in %d", domain.Name(), n)
			}
		}
	}
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		filter []string
		want   []string
	}{
		{[]string{"toy.sm[3].Phase"}, []string{"toy.sm_3.Phase"}},
		{[]string{"toy.sm_3.Phase"}, []string{"toy.sm_3.Phase"}},
		{
			[]string{"toy.sm[3].Tag", "toy.mem.Sink"},
			[]string{"toy.sm_3.Tag.Client", "toy.sm_3.Tag.Wide", "toy.mem.Sink.Last", "toy.mem.Sink.Sleep"},
		},
		{[]string{"toy.sm.Phase", "toy.sm_3.Tag", "toy.mem.Server.Done[7]"}, []string{
			"toy.sm_0.Phase", "toy.sm_1.Phase", "toy.sm_2.Phase", "toy.sm_3.Phase", "toy.sm_4.Phase", "toy.sm_5.Phase",
			"toy.sm_6.Phase", "toy.sm_7.Phase", "toy.sm_8.Phase", "toy.sm_9.Phase",
			"toy.sm_3.Tag.Client", "toy.sm_3.Tag.Wide", "toy.mem.Server.Done_7",
		}},
		{[]string{"**.Server.Top", "toy.*.Sink.S*"}, []string{"toy.mem.Server.Top", "toy.mem.Sink.Sleep"}},
		{[]string{"toy.sm[3].Hist[1?][0]"}, []string{"toy.sm_3.Hist_10_0", "toy.sm_3.Hist_11_0"}},
	} {
		d := read(t, dumpToy(t, 1, waves.Options{Filter: c.filter}, runToy))
		var got []string
		for _, s := range d.Signals {
			got = append(got, s.Path)
		}
		assert.ElementsMatch(t, c.want, got, "%v", c.filter)
		assert.Positive(t, requireModel(t, d, model(t, 100)), "%v", c.filter)
	}
}

func TestWindow(t *testing.T) {
	samples := model(t, toyCycles)
	y := newToy(t, 1)
	for _, c := range []struct {
		from, to   uint64
		begin, end uint64
	}{
		{0, 10, 0, y.core.Fs(11) - 1},
		{100, 100, y.core.Fs(100), y.core.Fs(101) - 1},
		{37, 250, y.core.Fs(37), y.core.Fs(251) - 1},
	} {
		d := read(t, dumpToy(t, 1, waves.Options{From: c.from, To: c.to}, runToy))
		assert.Equal(t, c.begin, d.Begin)
		assert.Equal(t, c.end, d.End)
		assert.Positive(t, requireModel(t, d, samples))
		for _, s := range d.Signals {
			assert.Zero(t, d.At(s.Net, c.begin).Unknown, "%s is known from the start", s.Path)
		}
	}
}

func TestWindowAfterTheEnd(t *testing.T) {
	d := read(t, dumpToy(t, 1, waves.Options{From: 2 * toyCycles}, runToy))
	y := newToy(t, 1)
	runToy(y)
	for _, s := range y.signals() {
		v, err := d.Value(s.name, d.End)
		require.NoError(t, err)
		assert.Equal(t, s.value(), v, "%s: the dump shows the end of the run", s.name)
	}
}

func TestAttachLate(t *testing.T) {
	y := newToy(t, 1)
	y.sys.Run(y.core, 150)
	var b bytes.Buffer
	w, err := waves.Attach(y.sys, &b, waves.Options{})
	require.NoError(t, err)
	y.sys.Run(y.core, 100)
	require.NoError(t, w.Close())
	y.sys.Run(y.core, 10)
	require.NoError(t, w.Close(), "a second Close does nothing")
	d := read(t, b.Bytes())
	assert.Equal(t, y.mem.Fs(93), d.Begin, "the first time at which all domains have a cycle to run")
	assert.Positive(t, requireModel(t, d, model(t, 250)))
}

// bomb ends a run with a panic.
type bomb struct {
	rtl.State[struct{ Count uint16 }]
}

func (b *bomb) Tick() {
	if b.Q().Count == 50 {
		panic("boom")
	}
	b.D().Count++
}

func TestDumpOfARunThatPanics(t *testing.T) {
	sys := rtl.NewSystem("s")
	core := sys.Domain("core", 1e9)
	_, err := sys.Add("s.bomb", core, &bomb{})
	require.NoError(t, err)
	var b bytes.Buffer
	w, err := waves.Attach(sys, &b, waves.Options{})
	require.NoError(t, err)
	assert.Panics(t, func() { sys.Run(core, 100) })
	require.NoError(t, w.Close())
	v, err := read(t, b.Bytes()).Value("s.bomb.Count", core.Fs(50))
	require.NoError(t, err)
	assert.EqualValues(t, 50, v)
}

func TestEveryWriteEndsWithALine(t *testing.T) {
	y := newToy(t, 1)
	var writes lineWriter
	w, err := waves.Attach(y.sys, &writes, waves.Options{})
	require.NoError(t, err)
	y.sys.Run(y.core, 5000)
	require.NoError(t, w.Close())
	assert.Greater(t, writes.n, 10)
	assert.Zero(t, writes.broken)
}

// lineWriter counts writes, and those that do not end at the end of a line.
type lineWriter struct{ n, broken int }

func (w *lineWriter) Write(b []byte) (int, error) {
	w.n++
	if len(b) > 0 && b[len(b)-1] != '\n' {
		w.broken++
	}
	return len(b), nil
}

// fullDisk fails after some bytes.
type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestFullDisk(t *testing.T) {
	y := newToy(t, 1)
	_, err := waves.Attach(y.sys, &fullDisk{10}, waves.Options{})
	assert.ErrorIs(t, err, errFull)
	w, err := waves.Attach(y.sys, &fullDisk{1 << 20}, waves.Options{})
	require.NoError(t, err)
	y.sys.Run(y.core, 10000)
	assert.ErrorIs(t, w.Close(), errFull)
}

func TestResetEndsADump(t *testing.T) {
	y := newToy(t, 1)
	var b bytes.Buffer
	w, err := waves.Attach(y.sys, &b, waves.Options{})
	require.NoError(t, err)
	y.sys.Run(y.core, 100)
	y.sys.Reset()
	y.sys.Run(y.core, 50)
	assert.ErrorContains(t, w.Close(), "a reset or a restored snapshot")
	assert.Positive(t, requireModel(t, read(t, b.Bytes()), model(t, 100)))
}

func TestOptionErrors(t *testing.T) {
	y := newToy(t, 1)
	for _, c := range []struct {
		opts waves.Options
		want string
	}{
		{
			waves.Options{Filter: []string{"toy.sm[3].Phse"}},
			`filter "toy.sm[3].Phse" selects no signal: toy.sm[3] has no "Phse"; did you mean "Phase"?`,
		},
		{waves.Options{Filter: []string{"toy.ms[3].Phase"}}, `toy has no "ms[3]"; did you mean "sm[3]"?`},
		{waves.Options{Filter: []string{"**.Phasse"}}, `did you mean "Phase"?`},
		{waves.Options{Filter: []string{"tay"}}, `the design has no "tay"; did you mean "toy"?`},
		{waves.Options{From: 10, To: 9}, "the window from cycle 10 to cycle 9 is empty"},
		{
			waves.Options{Trigger: &waves.Trigger{Signal: "**.Phasse", Op: "==", Value: "1"}},
			`trigger "**.Phasse" selects no signal`,
		},
		{
			waves.Options{Trigger: &waves.Trigger{Signal: "**.Phase", Op: "==", Value: "Bussy"}},
			`trigger on toy.sm[0].Phase: value "Bussy": expected a number of 2 bits or Idle, Busy, Reply`,
		},
		{
			waves.Options{Trigger: &waves.Trigger{Signal: "**.Phase", Op: "==", Value: "4"}},
			`value "4": expected a number of 2 bits`,
		},
		{waves.Options{Trigger: &waves.Trigger{Signal: "**.PC", Op: "=", Value: "4"}}, `operator "=", expected one of`},
	} {
		_, err := waves.Attach(y.sys, &bytes.Buffer{}, c.opts)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := waves.Attach(rtl.NewSystem("empty"), &bytes.Buffer{}, waves.Options{})
	assert.ErrorContains(t, err, "no islands")
}

func TestSimAloneIsDumpedAsItRuns(t *testing.T) {
	k := rtl.MustNew("l", &lfsrs{})
	var b bytes.Buffer
	d, err := waves.AttachSim(k, &b, waves.Options{From: 10})
	require.NoError(t, err)
	k.Run(10000)
	long := b.Len()
	assert.Greater(t, long, 1<<20, "most of the dump is out before it is closed")
	require.NoError(t, d.Close())
	same := rtl.MustNew("l", &lfsrs{})
	var c bytes.Buffer
	d, err = waves.AttachSim(same, &c, waves.Options{From: 10})
	require.NoError(t, err)
	for range 10000 {
		same.Run(1)
	}
	require.NoError(t, d.Close())
	assert.True(t, bytes.Equal(b.Bytes(), c.Bytes()))
	v := read(t, b.Bytes())
	for i := range uint64(9990) {
		bit, err := v.Value("l.Bit_2", (10+i)*1e6)
		require.NoError(t, err)
		require.Equal(t, i%2, bit, "a bit that toggles in every cycle")
	}
}

// TestTwoDumps: each of two dumps equals a single dump, whenever the other ends.
func TestTwoDumps(t *testing.T) {
	all, some := waves.Options{Clocks: true}, waves.Options{Filter: []string{"**.Count"}}
	half := func(opts waves.Options) []byte {
		return dumpToy(t, 1, opts, func(y *toy) { y.sys.Run(y.core, toyCycles/2) })
	}
	for _, c := range []struct{ first, second waves.Options }{{all, some}, {some, all}} {
		y := newToy(t, 1)
		var first, second bytes.Buffer
		one, err := waves.Attach(y.sys, &first, c.first)
		require.NoError(t, err)
		two, err := waves.Attach(y.sys, &second, c.second)
		require.NoError(t, err)
		y.sys.Run(y.core, toyCycles/2)
		require.NoError(t, one.Close())
		y.sys.Run(y.core, toyCycles-toyCycles/2)
		require.NoError(t, two.Close())
		assert.Equal(t, string(half(c.first)), first.String())
		assert.Equal(t, string(dumpToy(t, 1, c.second, runToy)), second.String())
	}
}
