package testbench

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
)

// TestPeaks checks that the declaration of a counter determines its combination over SMs: the sum
// or the maximum.
func TestPeaks(t *testing.T) {
	type counts struct {
		Sum   uint64
		Peak  uint64                `stat:"peak"`
		Peaks struct{ A, B uint64 } `stat:"peak"`
	}
	a := counts{Sum: 3, Peak: 5}
	b := counts{Sum: 4, Peak: 2}
	a.Peaks.A, a.Peaks.B, b.Peaks.A, b.Peaks.B = 1, 9, 7, 8
	combine(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem(), func(a, b uint64) uint64 { return a + b },
		func(a, b uint64) uint64 { return max(a, b) })
	want := counts{Sum: 7, Peak: 5}
	want.Peaks.A, want.Peaks.B = 7, 9
	assert.Equal(t, want, a)

	var x, y Counters
	x.Divergence.MaxDepth, y.Divergence.MaxDepth, x.Divergence.Pushes, y.Divergence.Pushes = 3, 2, 3, 2
	x.add(&y)
	assert.EqualValues(t, 3, x.Divergence.MaxDepth)
	assert.EqualValues(t, 5, x.Divergence.Pushes)
}

// TestNoMemoryInstructions checks that the machine's actions at the end of a kernel count as no
// instructions.
func TestNoMemoryInstructions(t *testing.T) {
	s := session(t, Limits{})
	require.NoError(t, s.Launch(one(kernel(t, "r.ptx", "", "", "ret;"), 32)))
	c := &s.Runs[0].Counters
	assert.Zero(t, c.Coalescer.Accesses)
	assert.Zero(t, c.Coalescer.Lines)
	assert.EqualValues(t, len(s.Machine.SMs), c.L1.Fences)
}

// TestCountersAreRead checks that readCounters or since fills every field of Counters. A missing
// one would be a statistic of 0.
func TestCountersAreRead(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "counters.go", nil, 0)
	require.NoError(t, err)
	read := map[string]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); !ok || !slices.Contains([]string{"readCounters", "addCore", "since"}, f.Name.Name) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok {
				for _, to := range a.Lhs {
					if i, ok := to.(*ast.IndexExpr); ok {
						to = i.X
					}
					if field, ok := to.(*ast.SelectorExpr); ok {
						read[field.Sel.Name] = true
					}
				}
			}
			return true
		})
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Counters]()) {
		assert.True(t, read[f.Name] || !f.IsExported(), f.Name)
	}
}

// TestEachCounterAddsUp checks that each counter of all blocks is added up, whatever its
// neighbours, and that nothing else changes.
func TestEachCounterAddsUp(t *testing.T) {
	var x, y Counters
	peaks, n := 0, 0
	var each func(v reflect.Value, peak bool, f func(v reflect.Value, peak bool))
	each = func(v reflect.Value, peak bool, f func(v reflect.Value, peak bool)) {
		switch v.Kind() {
		case reflect.Uint64:
			f(v, peak)
		case reflect.Array:
			for i := range v.Len() {
				each(v.Index(i), peak, f)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if field := v.Type().Field(i); field.IsExported() {
					each(v.Field(i), peak || field.Tag.Get("stat") == "peak", f)
				}
			}
		}
	}
	set := func(to uint64) func(reflect.Value, bool) {
		return func(v reflect.Value, _ bool) { v.SetUint(to) }
	}
	each(reflect.ValueOf(&x).Elem(), false, set(5))
	each(reflect.ValueOf(&y).Elem(), false, set(3))
	x.warpSize, x.mechanism = 32, "pdom"
	x.add(&y)
	each(reflect.ValueOf(&x).Elem(), false, func(v reflect.Value, peak bool) {
		n++
		want := uint64(8)
		if peak {
			want = 5
			peaks++
		}
		require.Equal(t, want, v.Uint())
	})
	assert.Greater(t, n, 150)
	assert.NotZero(t, peaks)
	assert.Equal(t, 32, x.warpSize)
	assert.Equal(t, "pdom", x.mechanism)
	assert.Nil(t, x.Mechanism)
}

// BenchmarkCounters measures the two reads of the counters of 30 SMs at each launch.
func BenchmarkCounters(b *testing.B) {
	s, err := NewSession(gpu.Default(), Limits{})
	require.NoError(b, err)
	for b.Loop() {
		readCounters(s.Machine)
	}
}
