package testbench

import (
	"go/ast"
	"go/parser"
	"go/token"
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

// TestCountersAreRead: whatever Counters has is filled from the machine, in
// readCounters or since. A field that is not would be a statistic of 0.
func TestCountersAreRead(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "counters.go", nil, 0)
	require.NoError(t, err)
	read := map[string]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); !ok || f.Name.Name != "readCounters" && f.Name.Name != "since" {
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
