package verify

import (
	"bytes"
	"reflect"
	"slices"

	"divergo/isa"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// Recall remembers what the golden model made of launches, for the same launch on another machine.
// Only the launch and device memory before it decide the result, unless the model follows the
// groups of threads or the votes of a machine. Such a run is not remembered. The zero value is ready.
type Recall struct{ runs []recalled }

// recalled is a run of the golden model.
type recalled struct {
	prog   *isa.Program
	setup  golden.Setup
	pad    uint64
	image  []region // device memory before
	want   *golden.Result
	memory *golden.Memory // device memory behind
}

// Forget drops all runs.
func (k *Recall) Forget() { k.runs = nil }

// RunStrict is the function RunStrict, with the golden model's results that k remembers. A nil k
// remembers none.
func (k *Recall) RunStrict(s *testbench.Session, l testbench.Launch) error {
	return k.compared(s, true, func() error { return s.Launch(l) })
}

// model returns the golden model's result of the launch, and device memory behind it.
func (r *run) model() (*golden.Result, *golden.Memory, error) {
	o := golden.Options{Registers: true, Writes: r.writes}
	if r.recall == nil || !r.writes || r.together() != nil || r.herds() != nil {
		return r.golden(o)
	}
	setup := r.launch.Golden(&r.session.Machine.Config)
	same := func(k recalled) bool {
		return k.prog == r.launch.Prog && k.pad == r.session.Pad && reflect.DeepEqual(k.setup, setup) &&
			slices.EqualFunc(k.image, r.image, region.equal)
	}
	if i := slices.IndexFunc(r.recall.runs, same); i >= 0 {
		return r.recall.runs[i].want, r.recall.runs[i].memory, nil
	}
	want, memory, err := r.golden(o)
	if err == nil && want.Steps < golden.DefaultMaxSteps { // the limit of steps depends on the machine
		r.recall.runs = append(r.recall.runs, recalled{r.launch.Prog, setup, r.session.Pad, r.image, want, memory})
	}
	return want, memory, err
}

// equal reports whether two regions have the same addresses and bytes.
func (v region) equal(o region) bool { return v.Range == o.Range && bytes.Equal(v.data, o.data) }
