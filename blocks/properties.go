package blocks

import "fmt"

var compactorConserves = &Property{
	Name: "compactor-conserves", Block: compactor,
	Doc: "what leaves and what stays is what there was, each thread in its lane; every lane with threads gives one, " +
		"so that the warps are as few as can be",
	Sizes: []Sizes{{"lanes": 8, "warps": 8}, {"lanes": 32, "warps": 32}}, Steps: 4,
	Macros:  func(s Sizes) map[string]string { return map[string]string{"PENDING": all("pending", s["lanes"])} },
	Falsify: [2]string{"pending_1 - ", "pending_2 - "},
}

var majorityDefinition = &Property{
	Name: "majority-definition", Block: majority,
	Doc:   "lane by lane, a taker counts one up and another one down; the sign decides, and zero goes as the last branch",
	Sizes: []Sizes{{"lanes": 8}, {"lanes": 16}, {"lanes": 32}}, Steps: 4,
	Falsify: [2]string{"? previous :", "? ~previous :"},
}

var permutationInverse = &Property{
	Name: "permutation-inverse", Block: permutation,
	Doc: "thread (w, l) goes to lane l xor mask(w) (Rhu & Erez, ISCA 2013, equation 2), and nothing else: " +
		"the same exclusive-or leads back",
	Sizes: []Sizes{{"lanes": 8}, {"lanes": 32}}, Steps: 4,
	Falsify: [2]string{"locations_3[2]", "locations_3[1]"},
}

var arbiterGrants = &Property{
	Name: "arbiter-grants", Block: arbiter,
	Doc:   "a request is granted if there is one, and no two at once",
	Sizes: []Sizes{{"lines": 8}, {"lines": 16}}, Steps: 4,
	Falsify: [2]string{" == ", " != "},
}

var arbiterStarves = &Property{
	Name: "arbiter-fair", Block: arbiter,
	Doc:   "a line that keeps requesting is granted after at most lines - 1 grants to others",
	Sizes: []Sizes{{"lines": 8}, {"lines": 16}}, Steps: 4,
	Falsify: [2]string{"+ 3'd1", "+ 3'd0"},
}

var scoreboardRemembers = &Property{
	Name: "scoreboard-remembers", Block: scoreboard,
	Doc:   "a lane of a register of a row is busy from its issue to its write-back, whatever happens to others",
	Sizes: []Sizes{{"lanes": 4, "warps": 4, "registers": 4}, {"lanes": 8, "warps": 8, "registers": 8}}, Steps: 4,
	Macros: func(s Sizes) map[string]string {
		cells := "{"
		for r := s["registers"] - 1; r >= 0; r-- {
			for w := s["warps"] - 1; w >= 0; w-- {
				cells += fmt.Sprintf("board_pending_%d[%d]", w, r)
				if r+w > 0 {
					cells += ","
				}
			}
		}
		return map[string]string{"CELLS": cells + "}"}
	},
	Falsify: [2]string{"if (issue) board_pending_1", "if (~issue) board_pending_1"},
}

// nests is what a stack of paths must not lose.
const nests = "masks nest, each thread is on one path, where its own branches took it, and the depth is bounded"

var stackNests = &Property{
	Name: "pdom-stack-nests", Block: pathStack, Doc: nests,
	Sizes: []Sizes{{"lanes": 2}, {"lanes": 4}}, Steps: 5,
	Falsify: [2]string{" & lanes;", " | lanes;"},
}

var dpeStackNests = &Property{
	Name: "dpe-stack-nests", Block: dpeStack, Doc: nests,
	Sizes: []Sizes{{"lanes": 2}, {"lanes": 4}}, Steps: 6,
	Falsify: [2]string{" & lanes;", " | lanes;"},
}

var pdomNests = &Property{
	Name: "pdom-nests", Block: pdom, Doc: nests,
	Sizes: []Sizes{{"lanes": 2, "warps": 2}}, Steps: 5, Long: true,
	Falsify: [2]string{" & outcome_taken;", " | outcome_taken;"},
}

var ppcNests = &Property{
	Name: "ppc-nests", Block: ppc, Doc: nests,
	Sizes: []Sizes{{"lanes": 2, "warps": 2}, {"lanes": 4, "warps": 2}}, Steps: 5, Long: true,
	Falsify: [2]string{" & outcome_taken;", " | outcome_taken;"},
}

var barrierOnce = &Property{
	Name: "barrier-once", Block: barrier,
	Doc: "a row that waits at a barrier is released once: in the cycle in which the last expected row arrives or exits, " +
		"with all others that wait there",
	Sizes: []Sizes{{"warps": 4, "ctas": 2}, {"warps": 8, "ctas": 2}}, Steps: 5,
	Falsify: [2]string{"unit_named_waiting[t_9] <= (t_13 ? 4'd0", "unit_named_waiting[t_9] <= (t_13 ? t_95"},
}
