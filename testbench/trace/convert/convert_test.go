package convert_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/trace"
	"divergo/testbench/trace/convert"
)

// traced runs do under a mechanism, and returns its session and trace.
func traced(t *testing.T, mechanism string, do func(s *testbench.Session) error) (*testbench.Session, *trace.Reader) {
	t.Helper()
	cfg := gpu.Default()
	cfg.GPU.SMs = 2
	cfg.Divergence.Mechanism = mechanism
	require.NoError(t, cfg.Set("divergence.token.window=4")) // so that it spills
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	require.NoError(t, err)
	var b bytes.Buffer
	h := trace.HeaderOf(s.Machine)
	h.Name, h.Values = "test", true
	w, err := trace.NewWriter(&b, h)
	require.NoError(t, err)
	r := trace.Attach(s, w, nil)
	require.NoError(t, do(s))
	require.NoError(t, r.Close())
	read, err := trace.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	return s, read
}

// kernel returns the run of a built-in kernel.
func kernel(t *testing.T, name string) func(s *testbench.Session) error {
	k, err := kernels.Find(name)
	require.NoError(t, err)
	return func(s *testbench.Session) error { return k.Sizes[0].New(1).Run(runner.New(s)) }
}

// odd runs the kernel of testdata, with four threads.
func odd(t *testing.T) func(s *testbench.Session) error {
	text, err := os.ReadFile("testdata/odd.ptx")
	require.NoError(t, err)
	m, err := ptx.Parse("odd.ptx", text)
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	return func(s *testbench.Session) error {
		return s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{4, 1, 1}})
	}
}

// TestKinds: each kind of record occurs under the mechanisms that have it.
func TestKinds(t *testing.T) {
	all := []trace.Kind{
		trace.Issue, trace.Branch, trace.Wait, trace.Request, trace.Reply, trace.Start, trace.Exit, trace.Write,
	}
	stack := append([]trace.Kind{trace.Push, trace.Pop, trace.Reconverge}, all...)
	for _, c := range []struct {
		mechanism, kernel string
		want              []trace.Kind
	}{
		{"pdom", "bitonic", append([]trace.Kind{trace.Arrive, trace.Release}, stack...)},
		{"dpe", "bitonic", append([]trace.Kind{trace.Arrive, trace.Release}, stack...)},
		{"tbc", "bitonic", append([]trace.Kind{trace.Compact, trace.Merge}, stack...)},
		{"capri", "bfs", append([]trace.Kind{trace.Compact, trace.Merge}, stack...)},
		{"dwf", "bitonic", append([]trace.Kind{trace.Arrive, trace.Release, trace.Merge}, all...)},
		{"token", "queens", append([]trace.Kind{trace.Inserted, trace.Spill, trace.Fill}, stack...)},
		{"barrier", "bitonic", append([]trace.Kind{trace.Inserted}, stack...)},
		{"ptpc", "bitonic", append([]trace.Kind{trace.Reconverge}, all...)},
	} {
		_, r := traced(t, c.mechanism, kernel(t, c.kernel))
		for _, k := range c.want {
			assert.NotZero(t, r.Summary.Counts[k], "%s of %s, %s", k, c.mechanism, c.kernel)
		}
	}
}

// TestCSV reads the CSV with another reader: its lines add up to the statistics.
func TestCSV(t *testing.T) {
	s, r := traced(t, "tbc", kernel(t, "bitonic"))
	var b bytes.Buffer
	require.NoError(t, convert.CSV(&b, r, convert.Select{}))
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	records, issued, lanes := uint64(0), uint64(0), 0
	for _, n := range r.Summary.Counts {
		records += n
	}
	assert.Len(t, lines, int(records)+1)
	regrouped := 0
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = l[i]
		}
		if row["kind"] != "issue" {
			continue
		}
		issued++
		mask, err := strconv.ParseUint(row["mask"], 0, 32)
		require.NoError(t, err)
		lanes += bits.OnesCount64(mask)
		if row["homes"] != "" {
			regrouped++
			assert.Len(t, strings.Fields(row["homes"]), bits.OnesCount64(mask))
		}
	}
	c := s.Counters()
	assert.Equal(t, c.Instructions, issued)
	assert.Equal(t, c.Lanes, uint64(lanes))
	assert.NotZero(t, regrouped)
}

// TestPerfetto reads the JSON with another reader: the slices are the instructions and the waits, in
// the cycles of the trace, and no two slices of a slot overlap.
func TestPerfetto(t *testing.T) {
	s, r := traced(t, "dpe", kernel(t, "bitonic"))
	totals, err := r.Count()
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, convert.Perfetto(&b, r, convert.Select{}))
	var file struct {
		TraceEvents []struct {
			Name, Ph, Cat string
			Ts, Dur       *uint64
			Pid, Tid      *int
			S             string
			Args          map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &file))
	issued, waited := uint64(0), uint64(0)
	type place struct{ pid, tid int }
	busy := map[place]map[uint64]bool{}
	named := map[place]bool{}
	for _, e := range file.TraceEvents {
		require.NotNil(t, e.Pid)
		at := place{*e.Pid, *e.Tid}
		require.Positive(t, at.pid)
		switch e.Ph {
		case "M":
			named[at] = true
			require.NotEmpty(t, e.Args["name"])
		case "i":
			require.Equal(t, "t", e.S)
			require.NotNil(t, e.Ts)
		case "X":
			require.True(t, named[at])
			if e.Cat == "issue" {
				issued++
			} else {
				require.Equal(t, "wait", e.Cat)
				waited += *e.Dur
			}
			if busy[at] == nil {
				busy[at] = map[uint64]bool{}
			}
			for cycle := *e.Ts; cycle < *e.Ts+*e.Dur; cycle++ {
				require.False(t, busy[at][cycle], "slot %v, cycle %d", at, cycle)
				busy[at][cycle] = true
			}
		default:
			require.Fail(t, "a phase", e.Ph)
		}
	}
	assert.Equal(t, s.Counters().Instructions, issued)
	sum := uint64(0)
	for _, n := range totals.Waits {
		sum += n
	}
	assert.Equal(t, sum, waited)
}

// TestKonata reads the log by the rules of Konata's documentation (docs/kanata-log-format.md of
// github.com/shioyadan/Konata): each instruction begins with I, has its stages while it is in the
// pipeline, and ends with R. It issues in the cycle of its record.
func TestKonata(t *testing.T) {
	s, r := traced(t, "pdom", kernel(t, "bitonic"))
	var b bytes.Buffer
	require.NoError(t, convert.Konata(&b, r, convert.Select{}))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	require.Equal(t, "Kanata\t0004", lines[0])
	require.True(t, strings.HasPrefix(lines[1], "C=\t"))
	cycle := 0
	alive, issued, ended := map[string]string{}, map[string]int{}, 0 // threads by ID; issues by thread and cycle
	for _, l := range lines[1:] {
		f := strings.Split(l, "\t")
		number := func(i int) int {
			n, err := strconv.Atoi(f[i])
			require.NoError(t, err, l)
			return n
		}
		switch f[0] {
		case "C=":
			cycle = number(1)
		case "C":
			require.Positive(t, number(1))
			cycle += number(1)
		case "I":
			require.Len(t, f, 4)
			require.Empty(t, alive[f[1]])
			alive[f[1]] = f[3]
		case "L":
			require.NotEmpty(t, alive[f[1]], l)
		case "S":
			require.NotEmpty(t, alive[f[1]], l)
			require.Equal(t, "0", f[2])
			if f[3] == "Is" {
				issued[fmt.Sprint(alive[f[1]], " ", cycle)]++
			}
		case "R":
			require.NotEmpty(t, alive[f[1]], l)
			require.Equal(t, "0", f[3])
			delete(alive, f[1])
			ended++
		default:
			require.Fail(t, "a command", l)
		}
	}
	assert.Empty(t, alive)
	assert.Equal(t, s.Counters().Instructions, uint64(ended))
	for rec, err := range r.Records(trace.Query{}) {
		require.NoError(t, err)
		if rec.Kind == trace.Issue {
			at := fmt.Sprint(int(rec.SM)*r.Header.Slots+int(rec.Slot), " ", rec.Cycle)
			assert.Equal(t, 1, issued[at], at)
		}
	}
}

// steps returns the sides of a comparison with a commit log.
func steps(log string, r *trace.Reader) (a, b convert.Side) {
	return convert.Side{Name: "rtl.csv", Steps: convert.ReadCommit(strings.NewReader(log))},
		convert.Side{Name: "run", Steps: convert.Steps(r, convert.Select{}, true)}
}

// TestCommit compares a run with the commit log of testdata, which was written by hand from the PTX, and
// with logs that differ from it.
func TestCommit(t *testing.T) {
	text, err := os.ReadFile("testdata/odd.csv")
	require.NoError(t, err)
	_, r := traced(t, "pdom", odd(t))
	a, b := steps(string(text), r)
	d, equal, err := convert.Diff(a, b)
	require.NoError(t, err)
	require.Nil(t, d)
	assert.Equal(t, uint64(6), equal)

	for _, c := range []struct{ from, to, what, text string }{
		{"0,4,4,0xa", "0,4,4,0x2", "mask", "rtl.csv: PC 4, lanes 0x2"},
		{"0,3,3,0xf,,\n0,4,4", "0,3,3,0xf,,\n0,4,5", "PC", "PC 3, lanes 0xf"},
		{"- 11 - 13", "- 11 - 14", "value of %r3 in lane 3", "%r3 = - 11 - 14"},
		{"- 11 - 13", "- 11 - -", "lanes that write %r3", "CTA 0, warp 0 (hart 0)"},
		{"%r2,", "%r3,", "destination", "before, both did the same"},
		{"0,5,5,0xf,,\n", "", "rtl.csv has no further instruction of the warp", "rtl.csv: nothing"},
		{"0,5,5,0xf,,\n", "0,5,5,0xf,,\n0,6,6,1,,\n", "run has no further instruction of the warp", "run: nothing"},
		{"0,0,0,0xf", "0,1,0,0xf", "order", "it is the first instruction of the warp"},
		{"0,0,0,0xf", "1,0,0,0xf", "order", "warp 0 (hart 0)"},
	} {
		log := strings.Replace(string(text), c.from, c.to, 1)
		require.NotEqual(t, string(text), log, c.from)
		a, b := steps(log, r)
		d, _, err := convert.Diff(a, b)
		require.NoError(t, err)
		require.NotNil(t, d, c.to)
		assert.Equal(t, c.what, d.What)
		var out strings.Builder
		require.NoError(t, d.Print(&out, "rtl.csv", "run", 1))
		assert.Contains(t, out.String(), c.text)
	}
}

// TestCommitAgain: the commit log of a run, read back, is the run, under mechanisms that regroup warps
// too. Its masks add up to the thread instructions of the run.
func TestCommitAgain(t *testing.T) {
	for _, m := range []string{"pdom", "tbc", "dwf", "token"} {
		s, r := traced(t, m, kernel(t, "bitonic"))
		lanes := 0
		for step, err := range convert.Steps(r, convert.Select{}, true) {
			require.NoError(t, err)
			lanes += bits.OnesCount64(step.Mask)
		}
		assert.Equal(t, s.Counters().Lanes, uint64(lanes), m)
		var log bytes.Buffer
		require.NoError(t, convert.Commit(&log, r, convert.Select{}))
		a, b := steps(log.String(), r)
		d, equal, err := convert.Diff(a, b)
		require.NoError(t, err)
		require.Nil(t, d, m)
		assert.NotZero(t, equal)
	}
}

// TestBadCommit: what is no commit log is refused, with its line.
func TestBadCommit(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"", "an empty file, want a commit log with the columns launch,hart,order"},
		{"hart,order,mask\n", "line 1: no column pc_rdata"},
		{"hart,order,pc_rdata,mask,rs1\n", `line 1: column "rs1"`},
		{"hart,order,pc_rdata,mask\n0,0,x,1\n", `line 2: pc_rdata is "x", want a number`},
		{"hart,order,pc_rdata,mask\n0,0,1\n", "wrong number of fields"},
		{"hart,order,pc_rdata,mask,rd_addr,rd_wdata\n0,0,0,1,%r1,zz\n", "line 2: rd_wdata of lane 0"},
	} {
		for _, err := range convert.ReadCommit(strings.NewReader(c.log)) {
			require.ErrorContains(t, err, c.want)
		}
	}
}
