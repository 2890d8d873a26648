package sm_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
)

var skips = []sm.Skip{sm.SkipNone, sm.SkipBCC, sm.SkipSCC}

// TestSkipVectors uses masks of 16 threads on 4 lanes, drawn as the quads that enter a pipe, lane 0
// on the left. Other masks are worked out by hand.
func TestSkipVectors(t *testing.T) {
	for _, c := range []struct {
		mask           string
		lanes, width   int
		none, bcc, scc int
	}{
		{"xxxx xxxx xxxx xxxx", 16, 4, 4, 4, 4},
		{"xxxx xxxx ---- ----", 16, 4, 4, 2, 2}, // one half off
		{"---- xxxx ---- xxxx", 16, 4, 4, 2, 2}, // every second quad off: 0xf0f0
		{"-x-x -x-x -x-x -x-x", 16, 4, 4, 4, 2}, // every second lane off: 0xaaaa
		{"x--- x--- x--- x---", 16, 4, 4, 4, 1}, // one lane of each quad, all the same
		{"x--- x--- ---- --xx", 16, 4, 4, 3, 1}, // the figure at skips
		{"---- ---- -x-- ----", 16, 4, 4, 1, 1},
		{"xxxx x--- ---- ----", 16, 4, 4, 2, 2}, // five lanes fill two groups
		{"---- ---- ---- ----", 16, 4, 4, 1, 1}, // no lane executes
		{"x-x- --x- ---- ----", 16, 1, 16, 3, 3},
		{"x--- ---x ---- ----", 16, 8, 2, 1, 1},
		{"x--- ---- ---- ---x", 16, 16, 1, 1, 1},
		{"xxxx ---- ---- ---- ---- ---- ---- ---x", 32, 8, 4, 2, 1},
		{"xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx", 32, 32, 1, 1, 1},
	} {
		mask, lane := uint64(0), 0
		for _, r := range c.mask {
			if r == 'x' {
				mask |= 1 << lane
			}
			if r != ' ' {
				lane++
			}
		}
		require.Equal(t, c.lanes, lane, c.mask)
		got := [3]int{}
		for i, s := range skips {
			got[i] = sm.Groups(s, mask, c.lanes, c.width)
		}
		assert.Equal(t, [3]int{c.none, c.bcc, c.scc}, got, "%s on %d lanes", c.mask, c.width)
	}
}

// skipKernel has branches and guards on bits of a hash of the thread. Each pipe has instructions
// under them.
const skipKernel = `
	mov.u32 %r1, %tid.x;
	mad.lo.u32 %r2, %r1, 40503, SALT;
	shr.u32 %r3, %r2, 3;
	mov.u32 %r9, 4;
LOOP:
	and.b32 %r4, %r3, 3;
	setp.eq.u32 %p1, %r4, 0;
	@%p1 add.u32 %r5, %r5, 1;
	@%p1 bra ELSE;
	cvt.rn.f64.u32 %d1, %r3;
	and.b32 %r6, %r3, 4;
	setp.eq.u32 %p2, %r6, 0;
	@%p2 add.f64 %d2, %d1, %d1;
	bra JOIN;
ELSE:
	rcp.approx.f32 %r7, %r3;
	@!%p2 sqrt.approx.f32 %r8, %r7;
JOIN:
	shr.u32 %r3, %r3, 2;
	sub.u32 %r9, %r9, 1;
	setp.ne.u32 %p3, %r9, 0;
	@%p3 bra LOOP;
	exit;`

func salted(text string, salt uint32) string {
	return strings.ReplaceAll(text, "SALT", strconv.FormatUint(uint64(salt), 10))
}

// TestSkipProperties: the skipping hardware has the properties of all hardware.
func TestSkipProperties(t *testing.T) {
	cfg := config()
	cfg.Skip, cfg.SIMDWidth, cfg.DPWidth, cfg.SFUWidth = sm.SkipBCC, 4, 2, 1
	rtltest.Properties(t, func() *rtl.Sim { return newBench(t, &cfg, salted(skipKernel, 99), 80, 3).sim }, 1500)
}
