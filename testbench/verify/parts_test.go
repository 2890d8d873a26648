package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// TestPartOfAWarp makes the halves of a warp reach a barrier apart, on two sides of a branch or by
// guard. They wait there or only arrive.
//
// From sm_70 on each thread counts by itself. It is a fault if the mechanism counts a warp, or a
// path of it whatever its guards, as a whole. Before sm_70 the barrier counts warps. The paper's
// thread block compaction demands that all warps of an entry reach one barrier. No thread continues
// if each half waits for the other at a barrier of its own.
func TestPartOfAWarp(t *testing.T) {
	apart := `
	setp.ge.u32 %p1, %r2, 16;
	@%p1 bra HIGH;
	st.shared.u32 [%r3], %r1;
	bar.sync 0;
	bra JOIN;
HIGH:
	st.shared.u32 [%r3], %r1;
	bar.sync 0;
JOIN:`
	arrives := `
	setp.ge.u32 %p1, %r2, 16;
	setp.ge.u32 %p2, %r1, 32;
	@%p2 bra WAIT;
	@%p1 bra UP;
	bar.arrive 1, 64;
	bra DONE;
UP:
	st.shared.u32 [%r3], %r1;
	bar.arrive 1, 64;
	bra DONE;
WAIT:
	bar.sync 1, 64;
DONE:`
	guarded := `
	setp.ge.u32 %p1, %r2, 16;
	st.shared.u32 [%r3], %r1;
	@%p1 bar.sync 0;
	@!%p1 bar.sync 0;`
	numbers := strings.Replace(apart, "HIGH:\n\tst.shared.u32 [%r3], %r1;\n\tbar.sync 0;",
		"HIGH:\n\tst.shared.u32 [%r3], %r1;\n\tbar.sync 1;", 1)
	for _, c := range []struct {
		name, body, target string
		faults, hangs      []string
		missing            string // from the warp that is there in part
	}{
		{"apart, sm_70", apart, "sm_70", wholeWarps, []string{"tbc", "tbc-lcp", "tbc-ideal"}, "0-15"},
		{"apart, sm_60", apart, "sm_60", nil, []string{"tbc", "tbc-lcp", "tbc-ideal"}, ""},
		{"at two barriers, sm_70", numbers, "sm_70", wholeWarps, but(wholeWarps...), "(0-15|16-31)"},
		{"by guard, sm_70", guarded, "sm_70", but("dwf", yielding), nil, "0-15"},
		{
			"without waiting, sm_70", arrives, "sm_70", but("dwf", "dwf-wb", "tbc", "tbc-lcp", "tbc-ideal", yielding),
			[]string{"tbc", "tbc-lcp", "tbc-ideal"},
			"(0-15|16-31)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mech := range divergence.Mechanisms() {
				m, err := ptx.Parse("k.ptx", []byte(`.version 6.0
.target `+c.target+`
.address_size 64
.visible .entry k()
{
	.reg .u32 %r<9>;
	.reg .pred %p<4>;
	.shared .align 4 .b8 tile[256];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %laneid;
	mov.u32 %r3, tile;
	shl.b32 %r4, %r1, 2;
	add.u32 %r3, %r3, %r4;
`+c.body+`
	exit;
}`))
				require.NoError(t, err)
				p, err := testbench.Program(m, "")
				require.NoError(t, err)
				cfg := small()
				cfg.GPU.SMs, cfg.Divergence.Mechanism = 1, mech.Name
				s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
				require.NoError(t, err)
				err = s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}})
				switch {
				case slices.Contains(c.faults, mech.Name):
					require.ErrorContains(t, err, "fault: part of a warp at a barrier", mech.Name)
					assert.Regexp(t, "threads with %laneid "+c.missing+" have not come: mechanism \""+mech.Name+"\"",
						err.Error())
				case slices.Contains(c.hangs, mech.Name):
					require.ErrorContains(t, err, "SIMT deadlock", mech.Name)
				default:
					require.NoError(t, err, mech.Name)
				}
			}
		})
	}
}
