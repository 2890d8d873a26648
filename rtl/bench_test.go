package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The kernel must compute what the hand-fused step function computes, in every cycle.
func TestMiniEqualsFused(t *testing.T) {
	for _, p := range append(profiles, profile{"odd", 150, 3, 63, 13}) {
		t.Run(p.Name, func(t *testing.T) {
			m, f := New(p), newFused(p)
			for c := range 20_000 {
				m.Run(1)
				f.Run(1)
				require.Equal(t, f.dump(nil), m.dump(nil), "cycle %d", c)
			}
		})
	}
}

func TestMiniChecked(t *testing.T) {
	for _, p := range append(profiles, profile{"odd", 150, 3, 63, 13}) {
		t.Run(p.Name, func(t *testing.T) {
			m, c := New(p), New(p)
			m.Run(20_000)
			require.NoError(t, c.RunChecked(20_000))
			require.Equal(t, m.dump(nil), c.dump(nil))
			require.Equal(t, m.Hash(), c.Hash())
		})
	}
}

func BenchmarkMini(b *testing.B) {
	for _, p := range profiles {
		b.Run("kernel/"+p.Name, func(b *testing.B) {
			m := New(p)
			m.Run(100_000)
			e := m.Evals()
			b.ReportAllocs()
			b.ResetTimer()
			m.Run(uint64(b.N))
			b.ReportMetric(float64(m.Evals()-e)/float64(b.N), "evals/op")
		})
		b.Run("fused/"+p.Name, func(b *testing.B) {
			m := newFused(p)
			m.Run(100_000)
			b.ReportAllocs()
			b.ResetTimer()
			m.Run(uint64(b.N))
		})
	}
}
