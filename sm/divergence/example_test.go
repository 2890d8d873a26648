package divergence_test

import (
	"fmt"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
)

// A warp of four threads splits at a branch and joins behind it.
func Example() {
	pdom, _ := divergence.Find("pdom")
	kernel := micro.Kernel{
		{If: func(t *micro.Thread) bool { return t.TID < 1 }, To: "then"},
		{To: "join"}, // else
		{Label: "then"},
		{Label: "join", Exit: true},
	}
	r, err := micro.Run(pdom, divergence.Options{PathOrder: divergence.TakenFirst}, 4, 1, kernel, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range r.Issues {
		fmt.Printf("pc %d  mask %04b\n", i.PC, i.Mask)
	}
	// Output:
	// pc 0  mask 1111
	// pc 2  mask 0001
	// pc 1  mask 1110
	// pc 3  mask 1111
}
