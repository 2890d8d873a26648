package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/rtl"
)

// TestObservers: all observers are called in their order, and may leave in any order.
func TestObservers(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var o rtl.Observers[string]
		assert.False(t, o.Any())
		var heard []string
		var leave [3]func()
		for i, name := range []string{"a", "b", "c"} {
			leave[i] = o.Add(func(event string) { heard = append(heard, name+event) })
		}
		o.Notify("1")
		assert.Equal(t, []string{"a1", "b1", "c1"}, heard)
		there := map[int]string{0: "a", 1: "b", 2: "c"}
		for _, i := range order {
			leave[i]()
			leave[i]()
			delete(there, i)
			heard = nil
			o.Notify("2")
			var want []string
			for j := range 3 {
				if name, ok := there[j]; ok {
					want = append(want, name+"2")
				}
			}
			assert.Equal(t, want, heard, order)
		}
		assert.False(t, o.Any())
	}
}

// TestObserversDuringEvent: an observer that leaves or comes during an event does not make others
// miss the event.
func TestObserversDuringEvent(t *testing.T) {
	var o rtl.Observers[int]
	var heard []string
	var leave func()
	leave = o.Add(func(int) {
		heard = append(heard, "first")
		leave()
		o.Add(func(int) { heard = append(heard, "third") })
	})
	o.Add(func(int) { heard = append(heard, "second") })
	o.Notify(1)
	assert.Equal(t, []string{"first", "second"}, heard)
	heard = nil
	o.Notify(2)
	assert.Equal(t, []string{"second", "third"}, heard)
}
