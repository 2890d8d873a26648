package area_test

import (
	"fmt"

	"divergo/gpu"
	"divergo/gpu/area"
)

// The area of an SM grows with its lanes.
func Example() {
	node, err := area.FindNode(28)
	if err != nil {
		fmt.Println(err)
		return
	}
	narrow, wide := gpu.Default(), gpu.Default()
	wide.SM.SIMDWidth = 32
	for _, cfg := range []*gpu.Config{&narrow, &wide} {
		a, err := area.Of(cfg, node)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, p := range a.Parts {
			if p.Name == "ALU lanes" {
				fmt.Printf("%d lanes: %.1f mm2 in each SM\n", cfg.SM.SIMDWidth, p.Area.Mid)
			}
		}
	}
	// Output:
	// 8 lanes: 0.2 mm2 in each SM
	// 32 lanes: 0.7 mm2 in each SM
}
