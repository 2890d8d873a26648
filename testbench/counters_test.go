package testbench

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPeaks: whatever a counter is called, its declaration says whether those of
// several SMs are added up or the largest is meant.
func TestPeaks(t *testing.T) {
	type counts struct {
		Sum   uint64
		Peak  uint64                `stat:"peak"`
		Peaks struct{ A, B uint64 } `stat:"peak"`
	}
	a := counts{Sum: 3, Peak: 5}
	b := counts{Sum: 4, Peak: 2}
	a.Peaks.A, a.Peaks.B, b.Peaks.A, b.Peaks.B = 1, 9, 7, 8
	combine(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem(), func(a, b uint64) uint64 { return a + b }, func(a, b uint64) uint64 { return max(a, b) })
	want := counts{Sum: 7, Peak: 5}
	want.Peaks.A, want.Peaks.B = 7, 9
	assert.Equal(t, want, a)

	var x, y Counters
	x.Divergence.MaxDepth, y.Divergence.MaxDepth, x.Divergence.Pushes, y.Divergence.Pushes = 3, 2, 3, 2
	x.add(&y)
	assert.EqualValues(t, 3, x.Divergence.MaxDepth)
	assert.EqualValues(t, 5, x.Divergence.Pushes)
}

// TestNoMemoryInstructions: what the machine does at the end of a kernel is no
// instruction of it.
func TestNoMemoryInstructions(t *testing.T) {
	s := session(t, Limits{})
	require.NoError(t, s.Launch(one(kernel(t, "r.ptx", "", "", "ret;"), 32)))
	c := &s.Runs[0].Counters
	assert.Zero(t, c.Coalescer.Accesses)
	assert.Zero(t, c.Coalescer.Lines)
	assert.EqualValues(t, len(s.Machine.SMs), c.L1.Fences)
}
