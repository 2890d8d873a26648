// Package sample has a place for each operator.
package sample

type slot struct {
	PC, Next uint32
	Live     bool
}

const lanes = 4

func step(s *slot, mask, killed uint32, done []bool) {
	if s.Live && mask != 0 {
		s.PC = s.Next
	}
	for i := range lanes {
		if i < 3 {
			continue
		}
		done[i] = mask&^killed > 1<<3
	}
}
