package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/gpu"
	"divergo/sm"
)

// TestManyInFlight checks that a thread leaves only when all of its instructions are complete. A
// long pipe holds more than 255 of them.
func TestManyInFlight(t *testing.T) {
	for _, many := range []int{200, 256, 257, 512} {
		cfg := gpu.Default()
		cfg.SM.Scoreboard, cfg.SM.SIMDWidth, cfg.SM.Latency.IntMad = sm.PerRegister, 32, 1000
		cfg.SM.FetchWidth, cfg.SM.IBuffer = 8, 16
		var code strings.Builder
		fmt.Fprintf(&code, "	.reg .u32 %%many<%d>;\n", many)
		for i := range many {
			fmt.Fprintf(&code, "	mad.lo.u32 %%many%d, %%i, 3, 7;\n", i)
		}
		_, s := corner(t, cfg, "", code.String()+"	exit;", 1)
		assert.Greater(t, int(s.Counters().Cycles), 1000+many, "%d instructions", many)
	}
}
