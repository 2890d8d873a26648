package area_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/gpu/area"
	"divergo/sm/divergence"
)

func TestProbe(t *testing.T) {
	for _, p := range gpu.Presets() {
		for _, m := range divergence.Mechanisms() {
			cfg := p.Config().Under(m.Name)
			a, err := area.Of(&cfg, area.Nodes()[0])
			require.NoError(t, err, m.Name)
			assert.Positive(t, a.Low)
			assert.LessOrEqual(t, a.Low, a.Mid)
			assert.LessOrEqual(t, a.Mid, a.High)
			assert.Less(t, a.SM.Mid, a.Mid)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	cfg := gpu.Default()
	node := area.Nodes()[0]
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			_, _ = area.Of(&cfg, node)
		}
	})
	b.Run("new core", func(b *testing.B) {
		n := 0
		for b.Loop() {
			cfg.SM.MemQueue = 1 + n%256
			cfg.SM.CTAs = 1 + n/256%32
			n++
			_, _ = area.Of(&cfg, node)
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			_ = cfg.Check()
		}
	})
}
