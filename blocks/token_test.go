package blocks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

// TestTokenWindows: with one or two tokens on the chip and two warps, places in windows and in the queue of
// transfers wrap all the time. A place that wraps is cut to its width by every simulator.
func TestTokenWindows(t *testing.T) {
	need.Tool(t, "iverilog")
	if testing.Short() {
		t.Skip("takes four seconds")
	}
	for window := 1; window <= 2; window++ {
		s := token.Defaults(true)
		s["window"] = window
		require.NoError(t, Equal([]Case{{token, s}}, Icarus, 20_000, 1), "window %d", window)
	}
}
