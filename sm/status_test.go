package sm_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhy: the reasons why a warp of each sub-core does not issue, in turn.
func TestWhy(t *testing.T) {
	const text = `
	.shared .align 4 .b8 copied[4];
	mov.u64 %rd1, 268435456;
	mov.u32 %r2, copied;
	ld.global.u32 %r3, [%rd1];
	cp.async.ca.shared.global [%r2], [%rd1], 4;
	setp.eq.u32 %p1, %r3, 0;
	@%p1 bra END;
	cp.async.wait_all;
	st.global.u32 [%rd1], %r3;
	bar.sync 0;
END:
	exit;`
	cfg := config()
	cfg.Schedulers = 2
	b := newBench(t, &cfg, text, 64, 1)
	reasons := map[uint8][]string{}
	for b.Host.Q().Ended < b.Host.ctas {
		require.Less(t, b.sim.Now(), uint64(1000))
		b.sim.Run(1)
		for _, p := range b.Paths() {
			if of := reasons[p.Row]; p.Why != "nothing: it runs" && (len(of) == 0 || of[len(of)-1] != p.Why) {
				reasons[p.Row] = append(of, p.Why)
			}
		}
	}
	first := []string{
		"register %rd1", "register %r3", "predicate %p1", "the outcome of its branch", "asynchronous copies",
		"the outcome of its branch", "a barrier", "its instructions in flight", "the outcome of its branch",
	}
	assert.Equal(t, first, reasons[0])
	assert.Equal(t, slices.Delete(first, 6, 7), reasons[1], "it comes to the barrier last")
}
