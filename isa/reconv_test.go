package isa

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWithReconv draws programs as one letter per instruction: n, b for a branch, x for an exit, R
// for a reconvergence instruction. The targets of the branches follow.
func TestWithReconv(t *testing.T) {
	for _, c := range []struct {
		name    string
		blocks  []string
		want    string
		targets []uint32
	}{
		{
			// nb nb n nx: A -> B or C, D
			"if else", []string{"?C", "D", "", "x"}, "nbnbnRnx", []uint32{4, 5},
		},
		{"if", []string{"?C", "", "x"}, "nbnRnx", []uint32{3}},
		{"loop: threads that go round do not pass it", []string{"?A", "x"}, "nbRnx", []uint32{0}},
		{"loop around an if: the join is the latch", []string{"?C", "", "?A", "x"}, "nbnRnbRnx", []uint32{3, 0}},
		{"paths that meet at the exit only", []string{"?C", "x", "x"}, "nbnxnx", []uint32{4}},
		{"no branch that is conditional", []string{"B", "x"}, "nbnx", []uint32{2}},
		{"two branches with one join", []string{"?D", "?D", "", "x"}, "nbnbnRnx", []uint32{5, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := flow(t, c.blocks...)
			p.Labels = []Label{{"end", uint32(len(p.Insts))}}
			for i := range p.Blocks {
				p.Labels = append(p.Labels, Label{"block", p.Blocks[i].Start})
			}
			was := p.String()
			q := WithReconv(p)
			require.NoError(t, q.Check())
			assert.Equal(t, was, p.String(), "the program itself has changed")
			text, targets, next := "", []uint32(nil), uint32(0)
			for pc := range q.Insts {
				in := &q.Insts[pc]
				letter := map[Op]string{OpNop: "n", OpBra: "b", OpExit: "x"}[in.Op]
				if in.Inserted {
					letter = "R"
				}
				text += letter
				if in.Op == OpBra {
					targets = append(targets, in.Target)
				}
				assert.Equal(t, next, q.OriginOf(uint32(pc)))
				if !in.Inserted {
					next++
				}
			}
			assert.Equal(t, c.want, text)
			assert.Equal(t, c.targets, targets)
			assert.EqualValues(t, len(q.Insts), q.Labels[0].PC)
			for i := range p.Blocks {
				assert.Equal(t, p.Blocks[i].Start, q.OriginOf(q.Labels[i+1].PC))
			}
			assert.Same(t, q, WithReconv(q))
		})
	}
}
