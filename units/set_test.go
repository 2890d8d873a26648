package units_test

import (
	"fmt"

	"divergo/units"
)

// An arbiter grants its requests in turn.
func ExampleSet_Next() {
	var requests units.Set
	for _, i := range []int{2, 5, 100} {
		requests.Add(i)
	}
	last := 0
	for range 4 {
		last = requests.Next(last+1, units.Words(units.MaxSet))
		fmt.Print(last, " ")
	}
	// Output: 2 5 100 2
}
