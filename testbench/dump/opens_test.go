package dump_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
)

// divides watches the branches of an SM until one has threads on both sides.
type divides struct {
	way []decided // branches on their way to the mechanism, oldest first
	// These are the first divergent branch, and the cycle in which the mechanism has processed it;
	// 0: none.
	first decided
	done  uint64
}

// decided is a branch that has been executed.
type decided struct {
	cycle uint64
	apart bool // both sides have threads
}

// watchDivides follows each branch from the executing pipe to the mechanism.
func watchDivides(m *sm.SM) *divides {
	w := new(divides)
	m.ALU.OnBranch.Add(func(b sm.Branched) {
		w.way = append(w.way, decided{apart: b.Mask&b.Taken != 0 && b.Mask&^b.Taken != 0})
	})
	branches := func(o *divergence.Outcome) bool { return m.Program().Insts[o.PC].Branches() }
	m.ALU.Outcome.Tap(func(cycle uint64, o *divergence.Outcome) {
		if branches(o) {
			w.way[len(w.way)-1].cycle = cycle
		}
	})
	m.Div.Connections().Outcome.Tap(func(cycle uint64, o *divergence.Outcome) {
		if !branches(o) {
			return
		}
		if w.way[0].apart && w.done == 0 {
			w.first, w.done = w.way[0], cycle
		}
		w.way = w.way[1:]
	})
	return w
}

// TestOpensWhereThreadsPart checks that GTKWave opens at the first divergent branch of the run
// itself, with every mechanism and kernel. It skips launches without one in their first cycles.
func TestOpensWhereThreadsPart(t *testing.T) {
	const reach = 20_000 // core cycles of a launch
	opened := map[string]int{}
	for i, k := range kernels.All() {
		for j, x := range divergence.Mechanisms() {
			if forall.LeftOut(i+j, 16) {
				continue
			}
			c := gpu.Default()
			c.GPU.SMs, c.L2.Size = 1, 64<<10
			c.Divergence.Mechanism = x.Name
			var seen *divides
			s, err := testbench.NewSession(c, testbench.Limits{MaxCycles: reach})
			require.NoError(t, err)
			var d *waves.Dump
			s.OnLaunch.Add(func(l *testbench.Loaded) {
				if d == nil {
					seen = watchDivides(s.Machine.SMs[0])
					d, err = dump.Attach(s, io.Discard, waves.Options{Filter: []string{"sm[0].Div.Stats"}})
					l.Refuse(err)
				}
			})
			_ = k.Sizes[0].New(1).Run(runner.New(s)) // it may end at reach
			require.NotNil(t, d, "%s %s", k.Name, x.Name)
			require.NoError(t, d.Close())
			if seen.done == 0 {
				continue
			}
			opened[x.Name]++
			name := filepath.Join(t.TempDir(), "k.vcd")
			require.NoError(t, d.Save(name))
			b, err := os.ReadFile(strings.TrimSuffix(name, "vcd") + "gtkw")
			require.NoError(t, err)
			var marker uint64
			_, err = fmt.Sscanf(string(b[strings.Index(string(b), "\n*")+2:]), "%f %d", new(float64), &marker)
			require.NoError(t, err)
			core := s.Machine.Core()
			what := fmt.Sprintf("%s %s: branch of cycle %d, done with in cycle %d", k.Name, x.Name, seen.first.cycle,
				seen.done)
			assert.Greater(t, marker, core.Fs(seen.first.cycle), what)
			assert.LessOrEqual(t, marker, core.Fs(seen.done+1), what)
		}
	}
	for _, x := range divergence.Mechanisms() {
		assert.NotZero(t, opened[x.Name], x.Name)
	}
}
