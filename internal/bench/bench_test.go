//go:build unix

package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/bench"
)

// program is a shell script that replaces a binary.
func program(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "divergo")
	require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o755))
	return name
}

const counts = `echo '{"stats": {"cycles": 700, "warp_instructions": 50}}'` + "\n"

func TestMeasureInTurn(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	c := bench.Cases([]string{"bfs"}, "small", 1)[0]
	r, err := bench.Measure(c, program(t, "echo -n new >>"+log+"\n"+counts),
		program(t, "echo -n old >>"+log+"\nsleep 0.05\n"+counts), 3)
	require.NoError(t, err)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, "oldnewoldnewoldnew", string(text))
	assert.Equal(t, uint64(700), r.Cycles)
	assert.Equal(t, uint64(50), r.Instructions)
	assert.False(t, r.Differs)
	assert.GreaterOrEqual(t, r.Old.Elapsed, 0.05)
	assert.InDelta(t, r.Old.Elapsed/r.New.Elapsed, r.Faster, 1e-9)
	assert.InDelta(t, 50/r.New.Elapsed, r.Rate(), 1e-6)

	r, err = bench.Measure(c, program(t, counts),
		program(t, `echo '{"stats": {"cycles": 701, "warp_instructions": 50}}'`), 1)
	require.NoError(t, err)
	assert.True(t, r.Differs)
}

func TestMeasureWhatFails(t *testing.T) {
	c := bench.Cases([]string{"bfs"}, "small", 1)[0]
	_, err := bench.Measure(c, program(t, "echo 'no such kernel' >&2; exit 2"), "", 1)
	var failure *bench.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, 2, failure.Code)
	assert.ErrorContains(t, err, "bfs --size small --json --workers 1 --preset slp --set gpu.sms=1: exit code 2: no such kernel")
	_, err = bench.Measure(c, program(t, "echo cycles: 3"), "", 1)
	assert.ErrorContains(t, err, "not what run --json prints")
	for _, to := range []string{"", " >&2"} { // a program that does not end, and ignores the end of its pipe
		_, err = bench.Measure(c, program(t, "trap '' PIPE; while :; do echo 0123456789012345678901234567890123456789"+
			to+"; done"), "", 1)
		assert.ErrorContains(t, err, "more than 4194304 bytes of output")
	}
	_, err = bench.Measure(c, filepath.Join(t.TempDir(), "nowhere"), "", 1)
	assert.Error(t, err)
}

func TestCases(t *testing.T) {
	list := bench.Cases(bench.Kernels, "medium", 8)
	assert.Len(t, list, 4*3*2*2)
	assert.Len(t, bench.Cases(bench.Kernels, "medium", 1), 4*3*2, "one processor is all")
	assert.Positive(t, bench.ThisHost().Processors)
}

func ExampleCases() {
	for _, c := range bench.Cases([]string{"bfs"}, "small", 4)[:4] {
		fmt.Println(c.Kernel, c.Machine, c.Traced, c.Workers)
	}
	// Output:
	// bfs slp, one SM false 1
	// bfs slp, one SM false 4
	// bfs slp, one SM true 1
	// bfs slp, one SM true 4
}
