package rtl

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachIslandIsTakenOnce: members take islands of one share at the same time, its owner from the
// front and the others from the end. They leave none out and take none twice.
func TestEachIslandIsTakenOnce(t *testing.T) {
	const islands, rounds = 20_000, 20
	m := &member{}
	place := map[*island]int{}
	for i := range islands {
		m.share = append(m.share, new(island))
		place[m.share[i]] = i
	}
	for range rounds {
		m.left.Store(islands << 32)
		taken := make([]atomic.Int32, islands)
		begin := make(chan struct{})
		var others sync.WaitGroup
		for range 2 {
			others.Go(func() {
				<-begin
				for i := m.last(); i != nil; i = m.last() {
					taken[place[i]].Add(1)
				}
			})
		}
		close(begin)
		for i := m.first(); i != nil; i = m.first() {
			taken[place[i]].Add(1)
		}
		others.Wait()
		for i := range taken {
			require.EqualValues(t, 1, taken[i].Load(), i)
		}
	}
}
