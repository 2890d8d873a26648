package golden

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// TestHalvesExhaustively compares every instruction with one 16-bit source with the machine's
// lanes, on all sources. With -short it takes 32 of every 2,048 sources.
func TestHalvesExhaustively(t *testing.T) {
	n, step := 0, isa.RowLanes
	if testing.Short() {
		step *= 64
	}
	seen := map[uint16]bool{}
	for _, in := range forms() {
		from := in.Type
		if in.Op == isa.OpCvt {
			from = in.SrcType
		}
		if from != isa.F16 && from != isa.BF16 || arity(in.Op) != 1 || predicated(&in) || in.DstBits != 0 ||
			seen[in.Exec] {
			continue
		}
		seen[in.Exec] = true
		n++
		var a, d isa.Row
		x := isa.Lanes{Mask: ^uint32(0), Src: [isa.MaxSrcs]*isa.Row{&a}, Dst: [isa.MaxDsts]*isa.Row{&d}}
		for first := 0; first < 1<<16; first += step {
			for lane := range a {
				a[lane] = uint64(first + lane)
			}
			isa.Execute(&in, &x)
			for lane := range a {
				want, ok := Eval(&in, a[lane:lane+1])
				if !ok || want[0] != d[lane] {
					require.Failf(t, "different", "%s of %#x: golden %#x, datapath %#x", describe(&in), a[lane],
						want[0], d[lane])
				}
			}
		}
	}
	require.Greater(t, n, 140)
}
