package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/trace"
)

// traced runs do on a machine, and returns the session and its trace.
func traced(
	t require.TestingT, cfg gpu.Config, limits testbench.Limits, workers int, do func(*testbench.Session) error,
) (*testbench.Session, []byte) {
	s, err := testbench.NewSession(cfg, limits)
	require.NoError(t, err)
	s.Machine.System().Workers = workers
	var b bytes.Buffer
	h := trace.HeaderOf(s.Machine)
	h.Name = "test"
	w, err := trace.NewWriter(&b, h)
	require.NoError(t, err)
	r := trace.Attach(s, w, nil)
	var o *testbench.Outcome
	if err = do(s); err != nil && !errors.As(err, &o) {
		require.NoError(t, err)
	}
	require.NoError(t, r.Close())
	return s, b.Bytes()
}

// counts checks that a trace has the statistics of the run.
func counts(t *testing.T, s *testbench.Session, file []byte, name string) *trace.Totals {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	totals, err := r.Count()
	require.NoError(t, err)
	c := s.Counters()
	values := map[string]string{}
	for _, stat := range testbench.Stats() {
		values[stat.Name] = fmt.Sprint(stat.Value(&c))
	}
	finished := s.Runs[len(s.Runs)-1].Outcome.OK()
	same := 0
	for _, stat := range totals.Stats() {
		if want, there := values[stat.Name]; there {
			same++
			switch stat.Name {
			case "branches", "divergent_branches", "stack_spills", "stack_fills", // may be on their way to the mechanism
				"l1_loads", "l1_load_hits", "l1_load_misses", "l1_load_merges": // or back to the SM
				if !finished {
					continue
				}
			}
			assert.Equal(t, want, stat.Value, "%s: %s", name, stat.Name)
		}
	}
	assert.Equal(t, 18, same, "statistics that trace and run have")
	for _, stat := range r.Summary.Stats {
		assert.Equal(t, values[stat.Name], stat.Value, stat.Name)
	}
	assert.Equal(t, c.Instructions, r.Summary.Counts[trace.Issue])
	return totals
}

// small checks the mean size of a record: 16 bytes, and 6 if no warp is regrouped.
func small(t *testing.T, s *testbench.Session, file []byte, name string) {
	r, err := trace.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	records, most := uint64(0), uint64(6)
	for _, n := range r.Summary.Counts {
		records += n
	}
	if s.Machine.SMs[0].Div.Homes() != nil {
		most = 16
	}
	assert.LessOrEqual(t, uint64(len(file)), most*records, name)
}

// TestKernels checks, for each mechanism, that the records of kernels add up to their statistics, and
// that a trace does not depend on the number of goroutines.
func TestKernels(t *testing.T) {
	for i, name := range []string{"bitonic", "bfs", "queens", "mandelbrot"} {
		kernel, err := kernels.Find(name)
		require.NoError(t, err)
		for j, m := range divergence.Mechanisms() {
			if forall.LeftOut(i+j, 4) {
				continue
			}
			cfg := gpu.Default()
			cfg.GPU.SMs = 2
			cfg.Divergence.Mechanism = m.Name
			require.NoError(t, cfg.Set("divergence.token.window=4")) // so that it spills
			run := func(workers int) (*testbench.Session, []byte) {
				return traced(t, cfg, testbench.Limits{}, workers, func(s *testbench.Session) error {
					return kernel.Sizes[0].New(1).Run(runner.New(s))
				})
			}
			s, file := run(1)
			counts(t, s, file, name+", "+m.Name)
			small(t, s, file, name+", "+m.Name)
			_, other := run(2)
			assert.True(t, bytes.Equal(file, other), "%s, %s: two goroutines", name, m.Name)
		}
	}
}

// TestRandom checks the same for random kernels on random machines, however they end.
func TestRandom(t *testing.T) {
	for seed := range uint64(40) {
		if forall.LeftOut(int(seed), 8) {
			continue
		}
		c := draw.New(seed, draw.AllFeatures)
		k, err := c.Compile()
		require.NoError(t, err)
		for _, m := range divergence.Mechanisms() {
			k, err := k.For(m.Name)
			require.NoError(t, err)
			cfg := k.Machine.Under(m.Name)
			s, file := traced(t, cfg, testbench.Limits{MaxCycles: 200_000}, 1, func(s *testbench.Session) error {
				bank, _, err := s.Place(k.Prog, k.Args)
				require.NoError(t, err)
				return s.Launch(testbench.Launch{Prog: k.Prog, Grid: c.Grid, Block: c.Block, Params: bank})
			})
			counts(t, s, file, fmt.Sprintf("%s, seed %d", m.Name, c.Seed))
		}
	}
}

// TestOutcomes: a slot waits for an outcome, in a trace, in the cycles in which its entry of the slot table
// says so, under each mechanism.
func TestOutcomes(t *testing.T) {
	kernel, err := kernels.Find("bitonic")
	require.NoError(t, err)
	for i, m := range divergence.Mechanisms() {
		if forall.LeftOut(i, 4) && m.Name != "dwf" {
			continue
		}
		cfg := gpu.Default()
		cfg.GPU.SMs = 1
		cfg.SM.SIMDWidth = cfg.SM.WarpSize // an issue stage that can issue in each cycle looks at its slots
		cfg.Divergence.Mechanism = m.Name
		var waits [][]bool // by slot and cycle
		_, file := traced(t, cfg, testbench.Limits{}, 1, func(s *testbench.Session) error {
			slots := s.Machine.SMs[0].Div.Slots()
			for _, sim := range s.Machine.System().Sims() {
				if sim.Name() != "sm[0]" {
					continue
				}
				waits = make([][]bool, slots.Len())
				defer sim.Observe(func(cycle uint64, _ []uint64) { // the table is that of the next cycle
					for at := range slots.Len() {
						of, list := slots.At(at), waits[at]
						now := of.Valid && of.Mask != 0 && of.Wait == divergence.WaitsControl
						for uint64(len(list)) <= cycle { // without a change
							list = append(list, len(list) > 0 && list[len(list)-1])
						}
						waits[at] = append(list[:cycle+1], now)
					}
				})()
			}
			return kernel.Sizes[0].New(1).Run(runner.New(s))
		})
		r, err := trace.NewReader(bytes.NewReader(file), int64(len(file)))
		require.NoError(t, err)
		found := 0
		for rec, err := range r.Records(trace.Query{}) {
			require.NoError(t, err)
			if rec.Kind != trace.Wait || rec.Reason != trace.Control {
				continue
			}
			found++
			for c := rec.From; c < rec.Cycle; c++ {
				require.True(t, waits[rec.Slot][c], "%s: cycle %d of %+v", m.Name, c, *rec)
			}
		}
		assert.Positive(t, found, m.Name)
	}
}
