package runner_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/testbench"
)

// cut gives a machine sms SMs and a small L2, so that it builds quickly.
func cut(cfg gpu.Config, sms int) gpu.Config {
	cfg.GPU.SMs, cfg.L2.Size = sms, 64<<10
	return cfg
}

func session(t *testing.T) *testbench.Session {
	t.Helper()
	cfg := cut(gpu.Default(), 1)
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	require.NoError(t, err)
	return s
}

// TestLaunchErrors: the runner finds the modules of the suite, and reports missing ones.
func TestLaunchErrors(t *testing.T) {
	m := runner.New(session(t))
	launch := kernels.Call{Module: "none.ptx", Kernel: "vecadd", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
	assert.ErrorContains(t, m.Launch(launch), `no PTX module "none.ptx"`)
	launch.Module, launch.Kernel = "vecadd.ptx", "vecad"
	assert.ErrorContains(t, m.Launch(launch), "vecadd")
	launch.Kernel = "vecadd"
	assert.ErrorContains(t, m.Launch(launch), "parameters, the launch gives 0")
}

// TestSeveralLaunches: launches of a workload share the device's memory, and their counters add up.
func TestSeveralLaunches(t *testing.T) {
	s := session(t)
	work := kernels.NewReduction(2000, 256, 3)
	require.NoError(t, work.Run(runner.New(s)))
	require.NoError(t, work.Check())
	require.Len(t, s.Runs, 2)
	assert.Equal(t, [3]uint32{8, 1, 1}, s.Runs[0].Launch.Grid)
	assert.Equal(t, [3]uint32{1, 1, 1}, s.Runs[1].Launch.Grid)
}

// TestNarrow: with 32-bit addresses each kernel has the same results, and all of them together need
// fewer registers.
func TestNarrow(t *testing.T) {
	registers := [2]int{}
	for _, k := range kernels.All() {
		if k.Votes {
			continue // has only 64-bit addresses
		}
		for i, join := range []func(*testbench.Session) *runner.Machine{runner.New, runner.New32} {
			s := session(t)
			work := k.Sizes[0].New(1)
			require.NoError(t, work.Run(join(s)), k.Name)
			require.NoError(t, work.Check(), k.Name)
			registers[i] += s.Runs[0].Launch.Prog.LiveRegs
		}
	}
	assert.Less(t, registers[1], registers[0])
}

func Example() {
	cfg := gpu.Default()
	cfg.GPU.SMs = 4
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	work := kernels.NewVecadd(256, 64, 1)
	if err := work.Run(runner.New(s)); err != nil {
		fmt.Println(err)
		return
	}
	c := s.Counters()
	fmt.Println("result:", work.Check(), "branches:", c.Divergence.Branches, "divergent:", c.Divergence.Divergent)
	// Output: result: <nil> branches: 8 divergent: 0
}
