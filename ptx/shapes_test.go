package ptx_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/shapes"
	"divergo/isa"
	"divergo/ptx"
)

// read processes a text as far as before its run. It returns the number of allocated bytes.
func read(t *testing.T, text string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := ptx.Parse("k.ptx", []byte(text))
	if err == nil {
		kernels := m.Kernels()
		instructions := 0
		for _, k := range kernels {
			var p *isa.Program
			if p, err = m.Program(k); err != nil {
				break
			}
			require.NoError(t, isa.Bind(p))
			require.NoError(t, p.Fprint(io.Discard, ptx.Demangled))
			if instructions += len(p.Insts); instructions > 50_000 {
				break
			}
		}
	}
	runtime.ReadMemStats(&after)
	if err != nil {
		var list ptx.List
		require.ErrorAs(t, err, &list)
		require.NotZero(t, list[0].Pos.Line, list[0].Msg)
		require.Less(t, len(err.Error()), 10_000, "a diagnostic can be read")
	}
	return after.TotalAlloc - before.TotalAlloc
}

// TestShapes checks that a text four times as long takes about four times the memory, not sixteen.
// Quadratic time would take minutes here.
func TestShapes(t *testing.T) {
	for _, s := range shapes.All {
		t.Run(s.Name, func(t *testing.T) {
			const bytes = 8_000
			small := read(t, s.Text(bytes))
			assert.Less(t, read(t, s.Text(4*bytes)), 8*small+1<<20)
		})
	}
}

// TestTooLarge checks that oversized programs are refused before they are built.
func TestTooLarge(t *testing.T) {
	for shape, want := range map[string]string{
		"brx-many":       "the kernel and its functions have more than 524288 instructions",
		"live-recursive": "with those that save registers around the calls of recursive functions there are more than 524288 instructions",
	} {
		for _, s := range shapes.All {
			if s.Name != shape {
				continue
			}
			m, err := ptx.Parse("k.ptx", []byte(s.Text(100_000)))
			require.NoError(t, err)
			_, err = m.Program("")
			require.Error(t, err, shape)
			assert.Contains(t, err.Error(), want)
			assert.True(t, strings.HasPrefix(err.Error(), "k.ptx:"), err)
		}
	}
}
