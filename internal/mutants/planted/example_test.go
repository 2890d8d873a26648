package planted_test

import (
	"fmt"

	"divergo/internal/mutants/planted"
)

// Mutant 7 compares with <= in place of <.
func Example() {
	for _, on := range []int{0, 7} {
		planted.On = on
		fmt.Println(planted.Less(7, 3, 3), planted.Less(8, 3, 3))
	}
	planted.On = 0
	// Output:
	// false false
	// true false
}
