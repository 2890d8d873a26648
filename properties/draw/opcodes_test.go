package draw

import (
	"strings"
	"testing"

	"divergo/ptx"

	"github.com/stretchr/testify/assert"
)

// TestOpcodesAreDrawn checks that kernels have every opcode of the PTX reader's table, or that
// there is a reason.
func TestOpcodesAreDrawn(t *testing.T) {
	left := map[string]bool{}
	for _, name := range ptx.Opcodes() {
		left[name] = true
	}
	for name, why := range undrawn {
		assert.True(t, left[name], name)
		assert.NotEmpty(t, why, name)
	}
	for seed := uint64(0); seed < 3000 && len(left) > len(undrawn); seed++ {
		c := New(seed, AllFeatures)
		text, _ := c.PTX()
		for line := range strings.Lines(text) {
			name := Mnemonic(strings.TrimSpace(line))
			assert.Empty(t, undrawn[name], "seed %d: %s", seed, line)
			delete(left, name)
		}
	}
	for name := range undrawn {
		delete(left, name)
	}
	assert.Empty(t, left, "opcodes that no kernel has")
}
