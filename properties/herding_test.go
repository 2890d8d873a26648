package properties

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
)

func TestX(t *testing.T) {
	var r Runner
	n, bad := 0, map[string]int{}
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		c := Draw(seed, AllFeatures)
		c.Machine.Herd.Enable = true
		c.Machine.Herd.BranchFraction = 100 - rnd.IntN(2)*50
		k, err := c.Compile()
		require.NoError(t, err)
		for _, m := range divergence.Mechanisms() {
			f, err := r.Check(k, m.Name)
			require.NoError(t, err)
			n++
			if f != nil {
				bad[f.Checker]++
				if bad[f.Checker] <= 2 {
					t.Logf("seed %d %s: %s: %.1500s", seed, m.Name, f.Checker, f.What)
				}
			}
		}
	}
	t.Log(n, bad)
}
