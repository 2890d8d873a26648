package isa

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWithLayout checks blocks in topological order, each loop in one piece. The expected orders
// were made by hand.
func TestWithLayout(t *testing.T) {
	for _, c := range []struct {
		name string
		ends []string
		want []string // blocks in order, with the new jumps
	}{
		// A -> B -> C, and D behind the exit of C, which returns to it
		{"cold block at the end", []string{"?D", "", "x", "C"}, []string{"A", "B", ">C", "D", "C"}},
		// the loop B, D contains the exit C
		{"exit in a loop", []string{"", "?D", "x", "B"}, []string{"A", "B", ">C", "D", "C"}},
		// the loop B, C, E contains the exit D of C
		{"exit in a loop of two ways", []string{"", "?E", "?E", "x", "B"}, []string{"A", "B", "C", ">D", "E", "D"}},
		// a loop in that order is left as it is
		{"topological", []string{"?D", "?D", "?B", "x"}, nil},
	} {
		p := flow(t, c.ends...)
		made := WithLayout(p)
		if c.want == nil {
			assert.Empty(t, Layout(p), c.name)
			assert.True(t, p == made, c.name)
			continue
		}
		assert.NotEmpty(t, Layout(p), c.name)
		assert.Empty(t, Layout(made), c.name)
		var got []string
		for pc := range made.Insts {
			in := &made.Insts[pc]
			old := made.OriginOf(uint32(pc))
			switch b := string(rune('A' + p.Block(old))); {
			case in.Inserted:
				got = append(got, ">"+string(rune('A'+p.Block(made.OriginOf(in.Target)))))
			case p.Blocks[p.Block(old)].Start == old:
				got = append(got, b)
			}
			if in.Jumps() && !in.Inserted {
				assert.Equal(t, p.Insts[old].Target, made.OriginOf(in.Target), "%s: branch at %d", c.name, old)
			}
		}
		assert.Equal(t, c.want, got, c.name)
	}
}
