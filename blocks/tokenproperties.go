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

var tokenLanesKept = &Property{
	Name: "token-stack-lanes", Block: tokenStack,
	Doc: "no lane is lost or doubled, through spill and fill: until it exits it runs or is in a token, and then in those of " +
		"ssy below and in no other one; with at most four tokens more than the window has",
	Sizes: []Sizes{{"lanes": 2, "window": 4}, {"lanes": 4, "window": 4}}, Steps: 5,
	Macros: func(s Sizes) map[string]string {
		m := chunk(s)
		m["TOKENS"] = fmt.Sprint(s["window"] + 4)
		return m
	},
	Falsify: [2]string{"taken = mask_q & lanes", "taken = mask_q"},
}

// chunk is the number of tokens that move together.
func chunk(s Sizes) map[string]string {
	return map[string]string{"CHUNK": fmt.Sprint(min(s["window"], divergence.TransferWords))}
}
