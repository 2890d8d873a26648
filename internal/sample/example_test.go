package sample_test

import (
	"fmt"

	"divergo/internal/sample"
)

// Speeds of one machine for three inputs.
func Example() {
	fmt.Println(sample.Geometric.Interval([]float64{1.20, 1.25, 1.30}))
	fmt.Println(sample.Front([]float64{10, 12, 14, 15}, []float64{1.0, 1.3, 1.2, 1.5}))
	// Output:
	// 1.249 [1.131, 1.380]
	// [0 1 3]
}
