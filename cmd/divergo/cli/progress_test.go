package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
)

func TestPosition(t *testing.T) {
	assert.Equal(t, "cycle 99, 0 of 8 CTAs, ? left", position(99, 0, 8, time.Minute))
	assert.Equal(t, "cycle 99, 2 of 8 CTAs, 3m0s left", position(99, 2, 8, time.Minute))
	assert.Equal(t, "cycle 99, 8 of 8 CTAs, 0s left", position(99, 8, 8, time.Minute))
}

// TestProgress: progress goes only to a terminal, and is wiped at the end.
func TestProgress(t *testing.T) {
	m, err := gpu.New(gpu.Default())
	require.NoError(t, err)
	var b strings.Builder
	p := newProgress(&b, "pdom")
	for range 1000 {
		p.tick(m)
	}
	p.clear()
	assert.Empty(t, b.String(), "no terminal")

	p.to = &b
	for range 1000 {
		p.tick(m)
	}
	assert.Equal(t, 1, strings.Count(b.String(), "\r"), "the clock allows one line")
	assert.Contains(t, b.String(), "pdom: cycle 0, 0 of 0 CTAs, ? left")
	p.clear()
	assert.True(t, strings.HasSuffix(b.String(), "\r\x1b[K"))
}
