package experiments

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/kernels"
	"divergo/testbench"
)

// TestKeep: a run of the plan is kept, and is not made again by a command that continues.
func TestKeep(t *testing.T) {
	t.Cleanup(func() { Keep(nil, nil) })
	s := paperTBC
	s.seed = 1
	small := func() (kernels.Workload, error) { return workload("bitonic", "small") }
	forget := func() {
		runsLock.Lock()
		delete(runs, ran{s, "kept"})
		runsLock.Unlock()
	}
	t.Cleanup(forget)
	var list []Run
	Keep(nil, func(r Run) error { list = append(list, r); return nil })
	first, err := s.once("kept", small)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.NotZero(t, first.Cycles)

	text, err := json.Marshal(list)
	require.NoError(t, err)
	var read []Run
	require.NoError(t, json.Unmarshal(text, &read))
	forget()
	Keep(read, func(Run) error { return errors.New("made again") })
	again, err := s.once("kept", func() (kernels.Workload, error) { return nil, errors.New("made again") })
	require.NoError(t, err)
	want, got := first.Counters, again.Counters
	want.Mechanism, got.Mechanism = nil, nil
	assert.Equal(t, exported(t, want), exported(t, got))

	forget()
	Keep(nil, func(Run) error { return errors.New("no room") })
	_, err = s.once("kept", small)
	assert.EqualError(t, err, "no room")
}

// exported is the text of the counters.
func exported(t *testing.T, c testbench.Counters) string {
	t.Helper()
	text, err := json.Marshal(c)
	require.NoError(t, err)
	return string(text)
}
