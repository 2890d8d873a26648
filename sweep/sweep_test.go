package sweep

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// TestMain lets the test binary be a worker, or a whole run that a test kills. It registers
// mechanisms that end a worker.
func TestMain(m *testing.M) {
	crash("panics", func() { panic("planted") })
	crash("exits", func() { os.Exit(3) })
	if len(os.Args) == 6 && os.Args[1] == "sweep" {
		os.Exit(child(os.Args[2], os.Args[3], os.Args[5]))
	}
	os.Exit(m.Run())
}

// child is a process that the tests start.
func child(verb, plan, folder string) int {
	p, err := Read(plan)
	if err == nil {
		var s *Store
		if s, err = OpenStore(folder); err == nil {
			if verb == "work" {
				err = Work(p, s, os.Stdin, os.Stdout, os.Stderr)
			} else {
				_, err = Run(p, s, Options{Jobs: 2, Stderr: os.Stderr})
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// crash registers a mechanism that calls a function before a program runs.
func crash(name string, do func()) {
	m, _ := divergence.Find("pdom")
	m.Name = name
	m.Prepare = func(divergence.Options, *isa.Program) *isa.Program {
		do()
		return nil
	}
	divergence.Register(m)
}

// readPlan writes a plan into a new folder and reads it.
func readPlan(t testing.TB, text string) (*Plan, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "plan.toml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	return Read(name)
}

func newPlan(t testing.TB, text string) *Plan {
	t.Helper()
	p, err := readPlan(t, text)
	require.NoError(t, err)
	return p
}

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := OpenStore(filepath.Join(t.TempDir(), "store"))
	require.NoError(t, err)
	return s
}

// fill makes points in this process; without a list, all.
func fill(t testing.TB, p *Plan, s *Store, points ...int) {
	t.Helper()
	m := maker{Plan: p, stderr: io.Discard, stopped: func() bool { return false }}
	if points == nil {
		points = make([]int, p.Len())
		for i := range points {
			points[i] = i
		}
	}
	for _, i := range points {
		r, err := m.make(i, "")
		require.NoError(t, err)
		require.NoError(t, s.Put(p.Key(i), r))
	}
}

// short is 1 with -short.
func short() int {
	if testing.Short() {
		return 1
	}
	return 0
}

// table returns the collected table in a format.
func table(t testing.TB, format string, p *Plan, s *Store, columns ...string) string {
	t.Helper()
	var b bytes.Buffer
	_, err := Write(&b, format, p, s, columns)
	require.NoError(t, err)
	return b.String()
}

const small = `
kernel = "vecadd"
gpu.sms = 1
[product]
mechanism = ["pdom", "tbc"]
[[zip]]
sm.simd_width = [8, 16]
sm.threads = [512, 1024]
`

// TestPlan: what a plan means, for a plan by hand.
func TestPlan(t *testing.T) {
	p := newPlan(t, small)
	require.Equal(t, 4, p.Len())
	assert.Equal(t, []Axis{
		{"mechanism", []any{"pdom", "tbc"}},
		{"sm.simd_width", []any{int64(8), int64(16)}},
		{"sm.threads", []any{int64(512), int64(1024)}},
	}, p.Axes)
	assert.Equal(t, []Axis{{"kernel", []any{"vecadd"}}, {"gpu.sms", []any{int64(1)}}}, p.Fixed)
	assert.Equal(t, Point{2, []any{"tbc", int64(8), int64(512)}}, p.Point(2))
	c := p.Config(3)
	assert.Equal(t, []any{"tbc", 16, 1024, 1}, []any{c.Divergence.Mechanism, c.SM.SIMDWidth, c.SM.Threads, c.GPU.SMs})
	assert.Equal(t, "divergo run vecadd --size small --mech tbc --set sm.simd_width=16 --set sm.threads=1024 --set gpu.sms=1",
		p.Command(3))
	points, err := p.Shard(2, 3)
	require.NoError(t, err)
	assert.Equal(t, []int{1}, points)
	for _, n := range []int{0, 4} {
		_, err = p.Shard(n, 3)
		assert.ErrorContains(t, err, "want I/N with I from 1 to N")
	}
}

// TestKey: a key changes with everything that the result depends on, and with nothing else.
func TestKey(t *testing.T) {
	base := "kernel = \"vecadd\"\nmechanism = \"pdom\"\nseed = 3\n"
	key := func(text string) Key { return newPlan(t, text).Key(0) }
	want := key(base)
	for _, same := range []string{
		"seed = 3\nkernel = \"vecadd\"\ndivergence.mechanism = \"pdom\"\n",
		base + "preset = \"tbc\"\n",
		"kernel = \"vecadd small\"\nseed = 3\n[product]\nmechanism = [\"pdom\", \"tbc\"]\n",
	} {
		assert.Equal(t, want, key(same), same)
	}
	for _, other := range []string{
		"kernel = \"vecadd medium\"\nmechanism = \"pdom\"\nseed = 3\n",
		"kernel = \"bitonic\"\nmechanism = \"pdom\"\nseed = 3\n",
		"kernel = \"vecadd\"\nmechanism = \"tbc\"\nseed = 3\n",
		"kernel = \"vecadd\"\nmechanism = \"pdom\"\nseed = 4\n",
		base + "gpu.sms = 3\n", base + "max_cycles = 5\n", base + "herd = \"all\"\n", base + "preset = \"slp\"\n",
	} {
		assert.NotEqual(t, want, key(other), other)
	}
}

// TestFiles: a key changes with the files that a point reads, and the plan's folder is where they are.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("k.ptx", ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n")
	write("launch.json", `{"schema": "divergo.launch.v1", "module": "k.ptx", "launches": [{"grid": [1], "block": [32], "args": []}]}`)
	write("machine.toml", "[gpu]\nsms = 2\n")
	write("part.h", "// 1\n")
	write("prog.cu", "#include \"part.h\"\nint main() {}\n")
	write("plan.toml", "config = \"machine.toml\"\n[product]\nkernel = [\"launch.json\", \"prog.cu 7\"]\n")
	keys := func() (list []Key) {
		p, err := Read(filepath.Join(dir, "plan.toml"))
		require.NoError(t, err)
		assert.Equal(t, 2, p.Config(0).GPU.SMs)
		return []Key{p.Key(0), p.Key(1)}
	}
	before := keys()
	assert.Equal(t, before, keys())
	write("k.ptx", ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n\tbar.sync 0;\n\tret;\n}\n")
	after := keys()
	assert.NotEqual(t, before[0], after[0])
	assert.Equal(t, before[1], after[1])
	write("part.h", "// 2\n")
	assert.NotEqual(t, after[1], keys()[1])
}

// TestRun: the table of a sweep does not depend on the number of workers, nor on the order of the
// points, and a second run makes nothing.
func TestRun(t *testing.T) {
	p := newPlan(t, small)
	one, two := newStore(t), newStore(t)
	r, err := Run(p, one, Options{Jobs: 2})
	require.NoError(t, err)
	assert.Equal(t, []int{4, 0, 4}, []int{r.Points, r.Before, r.Made})
	want := table(t, "csv", p, one)
	assert.Equal(t, 5, strings.Count(want, "\n"))
	assert.Equal(t, 4, strings.Count(want, ",finished,"))
	r, err = Run(p, one, Options{Jobs: 2})
	require.NoError(t, err)
	assert.Equal(t, []int{4, 4, 0}, []int{r.Points, r.Before, r.Made})
	for shard := 3; shard > 0; shard-- {
		points, err := p.Shard(shard, 3)
		require.NoError(t, err)
		_, err = Run(p, two, Options{Jobs: 1, Points: points})
		require.NoError(t, err)
	}
	assert.Equal(t, want, table(t, "csv", p, two))
}

// TestStatistics: a row has what a run by itself counts, also on a machine that other points had.
func TestStatistics(t *testing.T) {
	p := newPlan(t, "repeat = 2\n"+small)
	s := newStore(t)
	fill(t, p, s)
	k, err := kernels.Find("vecadd")
	require.NoError(t, err)
	for row, err := range Collect(p, s) {
		require.NoError(t, err)
		session, err := testbench.NewSession(p.Config(row.Index), testbench.Limits{})
		require.NoError(t, err)
		require.NoError(t, k.Sizes[0].New(1+uint64(row.Index%2)).Run(runner.New(session)))
		c := session.Counters()
		assert.Equal(t, float64(c.Cycles), row.Result.Value("cycles"))
		assert.Equal(t, float64(c.Lanes)/float64(c.Cycles), row.Result.Value("ipc"))
		assert.Equal(t, float64(c.Active[32]), row.Result.Value("active_lane_histogram[32]"))
	}
}

// TestOutcomes: points that fail have results, and the others run.
func TestOutcomes(t *testing.T) {
	p := newPlan(t, `
gpu.sms = 2
max_cycles = 3000
[product]
kernel = ["vecadd", "bitonic", "matmul medium"]
sm.threads = [32, 1024]
`)
	s := newStore(t)
	fill(t, p, s)
	rows := strings.Split(table(t, "csv", p, s, "message"), "\n")
	// vecadd has CTAs of more than 32 threads; matmul takes more than 3,000 cycles.
	assert.Contains(t, rows[1], "vecadd,32,refused,\"a block of 128 threads needs 128 threads, an SM has 32\"")
	assert.Contains(t, rows[2], "vecadd,1024,finished,")
	assert.Contains(t, rows[6], "matmul medium,1024,watchdog,watchdog: not finished after 3000 cycles")
	st, err := ReadStatus(p, s)
	require.NoError(t, err)
	total := 0
	for _, o := range st.Outcomes {
		total += o.Points
	}
	assert.Equal(t, 6, total)
}

// TestCrash: a point whose worker crashes is tried three times. All others get their results.
func TestCrash(t *testing.T) {
	for _, name := range []string{"exits", "panics"}[:2-short()] {
		p := newPlan(t, "kernel = \"vecadd\"\ngpu.sms = 1\n[product]\nmechanism = [\"pdom\", \""+name+"\", \"tbc\", \"dwf\"]\n")
		s := newStore(t)
		r, err := Run(p, s, Options{Jobs: 2})
		require.NoError(t, err)
		assert.Equal(t, 3, r.Made)
		require.Len(t, r.Lost, 1)
		assert.Equal(t, []int{1, 3}, []int{r.Lost[0].Point, r.Lost[0].Tries})
		assert.Contains(t, r.Lost[0].Why, map[string]string{"panics": "panic: planted", "exits": "exit status 3"}[name])
		rows := table(t, "jsonl", p, s, "cycles")
		assert.Equal(t, 3, strings.Count(rows, `"finished"`))
		assert.Contains(t, rows, `{"mechanism":"`+name+`","outcome":"missing"}`)
	}
}

// TestMemory: a point that does not fit beside the others waits. One that never fits runs by itself.
func TestMemory(t *testing.T) {
	p := newPlan(t, "kernel = \"vecadd\"\n[product]\ngpu.sms = [1, 64]\nsm.simd_width = [8, 16]\n")
	small, large := p.Config(0), p.Config(2)
	require.Greater(t, memoryOf(&large), memoryOf(&small))
	for _, c := range []struct {
		free uint64
		most int // workers that are busy at once
	}{{memoryOf(&small), 1}, {2*memoryOf(&large) + 1, 2}} {
		most, waited := 0, false
		e := newEngine(p, newStore(t), Options{Jobs: 2})
		e.Stop = func() bool {
			busy := 0
			for _, w := range e.workers {
				if w.bundle != nil {
					busy++
				}
			}
			most, waited = max(most, busy), waited || e.report.Waiting > 0
			return false
		}
		e.free = c.free
		require.NoError(t, e.prepare())
		e.loop()
		e.end()
		require.NoError(t, e.err)
		assert.Equal(t, []int{4, c.most}, []int{e.report.Made, most})
		assert.Equal(t, c.most == 1, waited)
		assert.Equal(t, c.free, e.free)
	}
}

// TestStart: workers that cannot start end the run with an error.
func TestStart(t *testing.T) {
	_, err := Run(newPlan(t, small), newStore(t), Options{Jobs: 1, Worker: []string{"/bin/false"}})
	assert.ErrorContains(t, err, "3 workers ended before their first point: the worker ended: exit status 1")
}

// TestInterrupted: a run that is killed at any moment, and runs again, gives the same table.
func TestInterrupted(t *testing.T) {
	moments := 20
	if testing.Short() {
		moments = 1
	}
	p := newPlan(t, `
kernel = "vecadd"
gpu.sms = 1
[product]
mechanism = ["pdom", "tbc", "dwf", "ppc"]
sm.simd_width = [8, 16, 32]
`)
	whole := newStore(t)
	start := time.Now()
	_, err := Run(p, whole, Options{Jobs: 2})
	require.NoError(t, err)
	spent := time.Since(start)
	want := table(t, "csv", p, whole)
	random := rand.New(rand.NewPCG(1, 2))
	partly := 0
	for range moments {
		s := newStore(t)
		c := exec.Command(os.Args[0], "sweep", "run", p.File, "--store", s.Folder())
		require.NoError(t, c.Start())
		time.Sleep(time.Duration(random.Float64() * float64(spent)))
		require.NoError(t, c.Process.Kill())
		_ = c.Wait() // it was killed
		missing, err := s.Missing(p)
		require.NoError(t, err)
		if n := len(missing); n > 0 && n < p.Len() {
			partly++
		}
		_, err = Run(p, s, Options{Jobs: 2})
		require.NoError(t, err)
		require.Equal(t, want, table(t, "csv", p, s))
	}
	t.Logf("%d of %d runs were killed between their first result and their last", partly, moments)
}

// TestStop: a run that is told to stop ends soon, and keeps what it has.
func TestStop(t *testing.T) {
	p := newPlan(t, "gpu.sms = 1\n[product]\nkernel = [\"vecadd\", \"matmul large\"]\n")
	s := newStore(t)
	made := false
	r, err := Run(p, s, Options{
		Jobs: 2, Stop: func() bool { return made },
		Progress: func(r Report) { made = r.Made > 0 },
	})
	require.NoError(t, err)
	assert.Equal(t, 1, r.Made)
	missing, err := s.Missing(p)
	require.NoError(t, err)
	assert.Equal(t, []int{1}, missing)
}

// TestStore: equal results are one file. Another result for the same point is an error, and both
// are kept.
func TestStore(t *testing.T) {
	s := newStore(t)
	k := Key{1, 2}
	none, err := s.Get(k)
	require.NoError(t, err)
	assert.Nil(t, none)
	a := &Result{Outcome: "finished", LimitedBy: "grid", Warnings: []Warning{{Key: "k", Text: "a < b"}}, Stats: []Stat{
		{"cycles", uint64(12)}, {"ipc", 1e-7}, {"active_lane_histogram[3]", uint64(5)}, {"cycle_breakdown.Stall", uint64(1)},
	}}
	var group sync.WaitGroup
	for range 8 { // workers that race for one point
		group.Go(func() { assert.NoError(t, s.Put(k, a)) })
	}
	group.Wait()
	got, err := s.Get(k)
	require.NoError(t, err)
	assert.Equal(t, a, got)
	b := &Result{Outcome: "fault", Message: "why", Stats: []Stat{}}
	for range 2 {
		var conflict *Conflict
		require.ErrorAs(t, s.Put(k, b), &conflict)
		assert.ErrorContains(t, conflict, "the model is not deterministic")
		for name, r := range map[string]*Result{conflict.Kept: a, conflict.Other: b} {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			got, err := decode(name, text)
			require.NoError(t, err)
			assert.Equal(t, r, got)
		}
	}
	files, err := filepath.Glob(filepath.Join(s.Folder(), "*", "*"))
	require.NoError(t, err)
	assert.Len(t, files, 2)
	keys, err := s.keys()
	require.NoError(t, err)
	assert.Equal(t, map[Key]bool{k: true}, keys)
}

// TestStoreRefuses: no other folder or file is taken for a store, and a damaged result is an error.
func TestStoreRefuses(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes"), nil, 0o666))
	_, err := OpenStore(dir)
	assert.ErrorContains(t, err, "holds notes and is no store of a sweep")
	_, err = OpenStore(filepath.Join(dir, "notes"))
	assert.ErrorContains(t, err, "want a folder for the results")
	require.NoError(t, os.WriteFile(filepath.Join(dir, marker), []byte("{\"schema\":\"divergo.sweep.v9\"}\n"), 0o666))
	_, err = OpenStore(dir)
	assert.ErrorContains(t, err, "a store of another version")
	s := newStore(t)
	require.NoError(t, s.Put(Key{}, &Result{Outcome: "finished"}))
	name := s.file(Key{})
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for cut := range len(text) - 1 {
		require.NoError(t, os.WriteFile(name, text[:cut], 0o666))
		_, err = s.Get(Key{})
		assert.ErrorContains(t, err, "is no result", "%d bytes", cut)
	}
}

// TestChanged: a worker refuses points whose plan has changed since its run began.
func TestChanged(t *testing.T) {
	p := newPlan(t, small)
	require.NoError(t, os.WriteFile(p.File, []byte(strings.Replace(small, "vecadd", "bitonic", 1)), 0o666))
	_, err := Run(p, newStore(t), Options{})
	assert.ErrorContains(t, err, "has changed during the sweep")
}

// TestFolder: results do not depend on the folder in which a sweep begins. The PTX has a warning with
// the name of its file.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o777))
	for name, text := range map[string]string{
		"k.ptx":       ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\tgriddepcontrol.wait;\n\tret;\n}\n",
		"launch.json": `{"schema": "divergo.launch.v1", "module": "k.ptx", "launches": [{"grid": [1], "block": [32], "args": []}]}`,
		"plan.toml":   "kernel = \"launch.json\"\ngpu.sms = 1\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "in", name), []byte(text), 0o666))
	}
	var lines []string
	for _, from := range []string{dir, filepath.Join(dir, "in"), "/"} {
		t.Chdir(from)
		file, err := filepath.Rel(from, filepath.Join(dir, "in", "plan.toml"))
		require.NoError(t, err)
		p, err := Read(file)
		require.NoError(t, err)
		s := newStore(t)
		_, err = Run(p, s, Options{})
		require.NoError(t, err)
		text, err := os.ReadFile(s.file(p.Key(0)))
		require.NoError(t, err)
		lines = append(lines, string(text))
	}
	assert.Contains(t, lines[0], `"k.ptx:6:2: warning: griddepcontrol does nothing`)
	assert.Equal(t, lines[0], lines[1])
	assert.Equal(t, lines[0], lines[2])
}

// TestEffects: axes that change nothing are told, with the limit that the machine knows.
func TestEffects(t *testing.T) {
	p := newPlan(t, `
kernel = "vecadd"
gpu.sms = 16
[product]
sm.threads = [1024, 1536]
divergence.capri.entries = [16, 32]
sm.simd_width = [8, 16]
`)
	assert.Equal(t, []Effect{{Axes: []string{"divergence.capri.entries"}, Why: "no point has mechanism capri"}}, p.Idle())
	s := newStore(t)
	fill(t, p, s)
	effects, err := Effects(p, s)
	require.NoError(t, err)
	assert.Equal(t, []Effect{
		{Axes: []string{"sm.threads"}, Groups: 4, Why: "the CTAs of an SM are limited by grid"},
		{Axes: []string{"divergence.capri.entries"}, Groups: 4, Why: "no point has mechanism capri"},
		{Axes: []string{"sm.simd_width"}, Groups: 4, Changed: 4},
	}, effects)
}

// TestElements: elements of histograms are in the order of their numbers. One that a result leaves out
// is 0, and a point without a result has no value.
func TestElements(t *testing.T) {
	p, s := newPlan(t, small), newStore(t)
	for i, list := range [][]Stat{
		{{"active_lane_histogram[10]", uint64(1)}},
		{{"active_lane_histogram[4]", uint64(2)}, {"cycle_breakdown.Stall", uint64(3)}, {"ipc", 0.5}},
		{},
	} {
		require.NoError(t, s.Put(p.Key(i), &Result{Outcome: "finished", Stats: list}))
	}
	assert.Equal(t, strings.Join([]string{
		"mechanism,sm.simd_width,sm.threads,outcome,ipc,active_lane_histogram[4],active_lane_histogram[10],cycle_breakdown.Stall",
		"pdom,8,512,finished,0,0,1,0",
		"pdom,16,1024,finished,0.5,2,0,3",
		"tbc,8,512,finished,0,0,0,0",
		"tbc,16,1024,missing,,,,",
		"",
	}, "\n"), table(t, "csv", p, s, "cycle_breakdown", "active_lane_histogram", "ipc"))
}

// TestFormats: all formats have the same columns and values.
func TestFormats(t *testing.T) {
	p := newPlan(t, small)
	s := newStore(t)
	fill(t, p, s, 0, 2)
	rows, err := csv.NewReader(strings.NewReader(table(t, "csv", p, s))).ReadAll()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(table(t, "jsonl", p, s)), "\n")
	require.Len(t, lines, 4)
	text := table(t, "parquet", p, s)
	assert.Equal(t, text, table(t, "parquet", p, s))
	file, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	for i, c := range file.Schema().Columns() {
		assert.Equal(t, []string{rows[0][i]}, c)
	}
	reader := parquet.NewReader(file)
	for n, row := range rows[1:] {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(lines[n]), &object))
		read := make([]parquet.Row, 1)
		_, err := reader.ReadRows(read)
		if err != io.EOF {
			require.NoError(t, err)
		}
		for i, name := range rows[0] {
			v := read[0][i]
			got, value := "", ""
			if !v.IsNull() {
				got = v.String()
			}
			if x, ok := object[name]; ok {
				value = fmt.Sprint(x)
			}
			if f, err := strconv.ParseFloat(row[i], 64); err == nil { // texts of a number differ
				x, err := strconv.ParseFloat(got, 64)
				require.NoError(t, err)
				y, err := strconv.ParseFloat(value, 64)
				require.NoError(t, err)
				assert.Equal(t, []float64{f, f}, []float64{x, y}, name)
				continue
			}
			assert.Equal(t, []string{row[i], row[i]}, []string{got, value}, name)
		}
	}
	_, err = Write(io.Discard, "xml", p, s, nil)
	assert.ErrorContains(t, err, "unknown format \"xml\"")
	_, err = Write(io.Discard, "csv", p, s, []string{"cycels"})
	assert.ErrorContains(t, err, "unknown statistic \"cycels\"; did you mean \"cycles\"?")
	_, err = Write(io.Discard, "csv", p, s, []string{"cycles.Stall"})
	assert.ErrorContains(t, err, "cycles has no elements")
}

// TestDuckDB: DuckDB reads the columns, types and values of a Parquet file as the CSV has them.
func TestDuckDB(t *testing.T) {
	need.Tool(t, "node", "duckdb")
	p := newPlan(t, small)
	s := newStore(t)
	fill(t, p, s, 0, 2)
	want, err := csv.NewReader(strings.NewReader(table(t, "csv", p, s))).ReadAll()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "results.parquet")
	require.NoError(t, os.WriteFile(file, []byte(table(t, "parquet", p, s)), 0o644))
	cmd := exec.Command("node", "-e", `
		const { DuckDBInstance } = require("@duckdb/node-api")
		DuckDBInstance.create().then(db => db.connect()).then(async c => {
			const r = await c.runAndReadAll("FROM '" + process.argv[1] + "'")
			const rows = r.getRows().map(row => row.map(v => v === null ? "" : String(v)))
			console.log(JSON.stringify([r.columnNames(), r.columnTypes().map(String), ...rows]))
		})`, file)
	cmd.Env = append(os.Environ(), "NODE_PATH="+need.Modules)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var got [][]string
	require.NoError(t, json.Unmarshal(out, &got))
	require.Len(t, got, len(want)+1)
	assert.Equal(t, want[0], got[0])
	for i, name := range want[0] {
		switch name {
		case "mechanism", "outcome":
			assert.Equal(t, "VARCHAR", got[1][i], name)
		case "sm.simd_width", "cycles":
			assert.Equal(t, "BIGINT", got[1][i], name)
		case "ipc":
			assert.Equal(t, "DOUBLE", got[1][i], name)
		}
		for n, row := range want[1:] {
			if got := got[2+n][i]; got != row[i] { // texts of a fraction differ
				x, err := strconv.ParseFloat(row[i], 64)
				require.NoError(t, err)
				y, err := strconv.ParseFloat(got, 64)
				require.NoError(t, err)
				assert.Equal(t, x, y, name)
			}
		}
	}
}

// tail keeps the last bytes that are written.
type tail struct{ text []byte }

func (w *tail) Write(b []byte) (int, error) {
	w.text = append(w.text, b...)
	w.text = w.text[max(0, len(w.text)-10000):]
	return len(b), nil
}

// many is the number of points of TestMany.
var many = flag.Int("points", 1000, "points of TestMany")

// TestMany: plans with many points are read and collected. Every result is there, in plan order.
func TestMany(t *testing.T) {
	values := make([]string, *many/100)
	for i := range values {
		values[i] = fmt.Sprint(100 + i)
	}
	text := `
kernel = "vecadd"
[product]
clocks.core_mhz = [` + strings.Join(values, ", ") + `]
sm.scheduler = ["lrr", "gto"]
sm.simd_width = [1, 2, 4, 8, 16]
seed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
`
	phase := func(what string, do func()) {
		start := time.Now()
		do()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("%s: %v, %d MB of the system so far", what, time.Since(start).Round(time.Millisecond), m.Sys>>20)
	}
	var p *Plan
	phase("plan", func() { p = newPlan(t, text) })
	require.Equal(t, *many, p.Len())
	s := newStore(t)
	m := maker{Plan: p, stopped: func() bool { return false }}
	r, err := m.make(0, "")
	require.NoError(t, err)
	phase("synthetic results", func() {
		for i := range p.Len() {
			r.Stats[0].Value = uint64(i)
			line, err := r.encode()
			require.NoError(t, err)
			name := s.file(p.Key(i))
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
			require.NoError(t, os.WriteFile(name, line, 0o666))
		}
	})
	phase("missing", func() {
		missing, err := s.Missing(p)
		require.NoError(t, err)
		assert.Empty(t, missing)
	})
	phase("status", func() {
		st, err := ReadStatus(p, s)
		require.NoError(t, err)
		assert.Equal(t, []Outcome{{Name: "finished", Points: *many}}, st.Outcomes)
		for _, e := range st.Effects {
			assert.Equal(t, e.Groups, e.Changed)
		}
	})
	for _, format := range Formats {
		phase(format, func() {
			last := &tail{}
			missing, err := Write(last, format, p, s, nil)
			require.NoError(t, err)
			assert.Zero(t, missing)
			if format != "parquet" {
				assert.Contains(t, string(last.text), fmt.Sprint(*many-1))
			}
		})
	}
}
