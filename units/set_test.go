package units_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/units"
)

// TestSet: the next line is the first one at or after a place, going round, by a look at each line.
func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		words := 1 + r.IntN(len(units.Set{}))
		var s units.Set
		for range r.IntN(4) {
			s.Add(r.IntN(64 * words))
		}
		i := r.IntN(64 * words)
		want := -1
		for n := 0; n < 64*words && want < 0; n++ {
			if at := (i + n) % (64 * words); s.Has(at) {
				want = at
			}
		}
		assert.Equal(t, want, s.Next(i, words), "%b from %d", s, i)
	}
}
