package blocks

import (
	"fmt"

	"divergo/sm/divergence"
)

var tokenOrder = &Property{
	Name: "token-stack-order", Block: tokenStack,
	Doc: "tokens leave in the reverse order of their pushes, each as it was pushed, whether it was on the chip or in memory; " +
		"memory takes any time",
	Sizes: []Sizes{{"lanes": 4, "window": 4}, {"lanes": 32, "window": 16}}, Steps: 9,
	Macros:  chunk,
	Falsify: [2]string{"window_stack_depth - 8'd1", "window_stack_depth - 8'd2"},
}

// chunk is the number of tokens that move together.
func chunk(s Sizes) map[string]string {
	return map[string]string{"CHUNK": fmt.Sprint(min(s["window"], divergence.TransferWords))}
}
