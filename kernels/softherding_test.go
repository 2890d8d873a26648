package kernels

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// TestMajority: in the paper's form more than 16 votes win (claim HERDING-02), so a few threads
// cannot win even if they all agree. In the other form more than half of the votes win.
func TestMajority(t *testing.T) {
	for _, c := range []struct {
		voters, votes int
		half, active  bool
	}{
		{32, 17, true, true},
		{32, 16, false, false},
		{32, 32, true, true},
		{32, 0, false, false},
		{10, 10, false, true},
		{10, 5, false, false},
		{16, 16, false, true},
		{17, 17, true, true},
		{31, 16, false, true},
		{1, 1, false, true},
		{1, 0, false, false},
	} {
		conditions := make([]bool, c.voters)
		for i := range c.votes {
			conditions[(7*i)%c.voters] = true
		}
		if n := len(slices.DeleteFunc(slices.Clone(conditions), func(b bool) bool { return !b })); n != c.votes {
			for i := range conditions {
				conditions[i] = i < c.votes
			}
		}
		half, active, err := majority(newOracle(t, 0), conditions)
		require.NoError(t, err)
		for i := range conditions {
			assert.Equal(t, c.half, half[i], "%d of %d", c.votes, c.voters)
			assert.Equal(t, c.active, active[i], "%d of %d", c.votes, c.voters)
		}
	}
}

// TestThreeInstructions: the paper's form adds a vote, a population count and a comparison to a
// branch (claim HERDING-01).
func TestThreeInstructions(t *testing.T) {
	counts := map[Voting]map[isa.Op]int{}
	length := map[Voting]int{}
	for _, form := range []Voting{VoteNone, VoteHalf} {
		p := program(t, "brh.ptx", string(form))
		counts[form] = map[isa.Op]int{}
		for pc := range p.Insts {
			counts[form][p.Insts[pc].Op]++
		}
		length[form] = len(p.Insts)
	}
	for _, op := range []isa.Op{isa.OpVote, isa.OpPopc, isa.OpSetp} {
		assert.Equal(t, 1, counts[VoteHalf][op]-counts[VoteNone][op], "%v", op)
	}
	assert.Equal(t, 3, length[VoteHalf]-length[VoteNone])
}

// TestSoftHerding: each pixel has the result of its warp's votes.
func TestSoftHerding(t *testing.T) {
	for _, form := range []Voting{VoteNone, VoteHalf, VoteActive} {
		w := NewSoftHerding(form, 48, 32, 40, 1)
		require.NoError(t, w.Run(newOracle(t, 0)), form)
		assert.NoError(t, w.Check(), form)
	}
	plain, herded := NewSoftHerding(VoteNone, 48, 32, 40, 1), NewSoftHerding(VoteHalf, 48, 32, 40, 1)
	differs := 0
	for i := range plain.want {
		if plain.want[i] != herded.want[i] {
			differs++
		}
	}
	assert.Greater(t, differs, 100, fmt.Sprint("of ", len(plain.want)))
	assert.ErrorContains(t, NewSoftHerding(VoteHalf, 12, 4, 8, 1).Run(&memory{}),
		"brh_half: a picture of 12x4; want multiples of 8 and 4")
}

// majority puts conditions to the vote, one for each of the first threads of a warp. The other
// threads do not vote. For each voter it returns whether the vote was won in the paper's form, and
// relative to the voters.
func majority(m Machine, conditions []bool) (half, active []bool, err error) {
	words := make([]uint32, 32)
	for i, c := range conditions {
		if c {
			words[i] = 1
		}
	}
	condition, won, wonActive := upload(m, words), m.Alloc(4*32), m.Alloc(4*32)
	err = m.Launch(Call{
		Module: "brh.ptx",
		Kernel: "brh_vote",
		Grid:   [3]uint32{1, 1, 1},
		Block:  [3]uint32{32, 1, 1},
		Params: bank(condition, won, wonActive, uint32(len(conditions))),
	})
	for i := range conditions {
		half = append(half, download[uint32](m, won, 32)[i] != 0)
		active = append(active, download[uint32](m, wonActive, 32)[i] != 0)
	}
	return half, active, err
}
