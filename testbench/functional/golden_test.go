package functional_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/testbench"
	"divergo/testbench/functional"
	"divergo/testbench/golden"
)

// features are those of kernels with one meaning: a vote of the threads that happen to be together
// depends on the machine.
const features = draw.AllFeatures &^ (draw.Counts | draw.Anywhere | draw.Rushes | draw.Herds)

// ordered are the registers that hold what atomics have found in memory, in the order in which they
// took place.
var ordered = []string{"%sink", "%seen", "%mail"}

// TestGolden: random kernels leave the same memory, registers and numbers of instructions as in the
// golden model, and fault at the same instruction.
func TestGolden(t *testing.T) {
	kernels, from := uint64(20_000), uint64(1)
	if testing.Short() {
		kernels = 100
	}
	if s := os.Getenv("DIVERGO_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		from = n
	}
	const parts = 4
	for part := range uint64(parts) {
		t.Run(fmt.Sprint("part ", part), func(t *testing.T) {
			t.Parallel()
			cfg := gpu.Default()
			cfg.GPU.SMs = 1
			s, err := testbench.NewSession(cfg, testbench.Limits{})
			require.NoError(t, err)
			faults := 0
			for seed := from + part; seed < from+kernels; seed += parts {
				c := draw.New(seed, features)
				c.Narrow() // warps of the functional model have 32 lanes at most
				k, err := c.Compile()
				require.NoError(t, err)
				s.Reset()
				err = k.Launch(s, func(l testbench.Launch) error {
					faulted, err := compare(s, l, &k.Machine)
					if faulted {
						faults++
					}
					return err
				})
				require.NoError(t, err, "seed %d\n%s", seed, k.Text)
			}
			require.Positive(t, faults, "no kernel has faulted")
		})
	}
}

// again reports whether the threads of a warp execute an instruction one after the other.
func again(in isa.Inst) bool { return in.Op == isa.OpCall && in.Indirect() }

// compare runs a launch on both models, and returns how they differ. The session gets the memory
// that the functional model leaves.
func compare(s *testbench.Session, l testbench.Launch, c *gpu.Config) (faulted bool, err error) {
	if err := s.PlaceModule(l.Prog); err != nil {
		return false, err
	}
	var memory golden.Memory
	for _, r := range s.Memory().Ranges() {
		data := make([]byte, r.End-r.Start)
		s.Read(r.Start, data)
		if err := memory.Map(r.Start, uint64(len(data))); err != nil {
			return false, err
		}
		if err := memory.Write(r.Start, data); err != nil {
			return false, err
		}
	}
	want, err := golden.Run(l.Prog, l.Golden(c), &memory, golden.Options{Registers: true})
	if err != nil {
		return false, err
	}
	setup := l.Functional(c, 8)
	setup.Independent = true
	threads := int(l.Block[0] * l.Block[1] * l.Block[2])
	different := ""
	m := functional.NewMemory(s.Memory().Ranges(), 0, s.Machine.Store.Read)
	got, err := functional.RunWatched(setup, m, func(e functional.Exited) {
		at := int(e.CTA)*threads + e.Thread
		if at >= len(want.Threads) || different != "" {
			return
		}
		w := &want.Threads[at]
		for i, v := range w.Regs {
			if e.Regs[i] != v && !slices.Contains(ordered, l.Prog.Regs[i].Name) {
				different = fmt.Sprintf("thread %d: %s is %#x, want %#x", at, l.Prog.Regs[i].Name, e.Regs[i], v)
				return
			}
		}
		for i, v := range w.Preds {
			if e.Preds[i] != v {
				different = fmt.Sprintf("thread %d: %s is %v, want %v", at, l.Prog.Preds[i], e.Preds[i], v)
				return
			}
		}
	})
	switch {
	case err != nil:
		return false, err
	case want.End == golden.Faulted:
		if got.Fault == nil || got.Fault.PC != want.Fault.PC || got.Fault.Kind.String() != want.Fault.Kind.String() {
			return true, fmt.Errorf("ends with %v %+v, want the fault %+v", got.End, got.Fault, want.Fault)
		}
		return true, nil
	case want.End.String() != got.End.String():
		return false, fmt.Errorf("ends with %v %+v, want %v %+v", got.End, got.Fault, want.End, want.Fault)
	case different != "":
		return false, fmt.Errorf("%s", different)
	case got.Lanes != want.Steps && !slices.ContainsFunc(l.Prog.Insts, again):
		return false, fmt.Errorf("%d thread instructions, want %d", got.Lanes, want.Steps)
	}
	m.Changes(s.Write)
	for _, r := range s.Memory().Ranges() {
		a, b := make([]byte, r.End-r.Start), make([]byte, r.End-r.Start)
		s.Read(r.Start, a)
		if err := memory.Read(r.Start, b); err != nil {
			return false, err
		}
		for i := range a {
			if a[i] != b[i] {
				return false, fmt.Errorf("the byte at %#x is %#x, want %#x", r.Start+uint64(i), a[i], b[i])
			}
		}
	}
	return false, s.Err()
}
