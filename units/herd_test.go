package units_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/units"
)

func majority(t *testing.T, tie units.Tie) units.Majority {
	m, err := units.NewMajority(tie)
	require.NoError(t, err)
	return m
}

// The vectors of the paper's figure 9 are for a full warp, with a count that exceeds 16. The others
// follow the rule that the majority of the active lanes decides (section III). They have parts of a
// warp, for which the count of figure 9 would always say no.
func TestMajority(t *testing.T) {
	m := majority(t, units.TieNotTaken)
	for _, c := range []struct {
		taken, active uint64
		want          bool
	}{
		{0x0001_ffff, 0xffff_ffff, true},  // 17 of 32
		{0x0000_ffff, 0xffff_ffff, false}, // 16 of 32
		{0x0000_7fff, 0xffff_ffff, false}, // 15 of 32
		{0xffff_ffff, 0xffff_ffff, true},
		{0, 0xffff_ffff, false},
		{0x0000_03ff, 0x0000_03ff, true}, // all of 10
		{0xffff_fff0, 0x0000_000f, false},
		{0b0110, 0b0111, true},           // 2 of 3
		{0b1001, 0b0111, false},          // 1 of 3: an inactive lane has no vote
		{0x8000_0000, 0x8000_0000, true}, // only the last lane
	} {
		for _, previous := range []bool{false, true} {
			assert.Equal(t, c.want, m.Taken(c.taken, c.active, previous), "%#x of %#x", c.taken, c.active)
		}
	}
}

func TestMajorityTie(t *testing.T) {
	for _, c := range []struct {
		tie            units.Tie
		previous, want bool
	}{
		{units.TieNotTaken, true, false},
		{units.TieTaken, false, true},
		{units.TiePrevious, false, false},
		{units.TiePrevious, true, true},
	} {
		m := majority(t, c.tie)
		assert.Equal(t, c.want, m.Taken(0b0101, 0b1111, c.previous), "%s after %t", c.tie, c.previous)
		assert.True(t, m.Taken(0b0111, 0b1111, c.previous), "no tie")
	}
	_, err := units.NewMajority("takn")
	assert.ErrorContains(t, err, `did you mean "taken"?`)
}

// A counter of 2^k-1 bits takes exactly 2^k-1-k full adders. The 32nd bit passes a half adder for
// each bit of the count of the other 31.
func TestMajorityLogic(t *testing.T) {
	for _, c := range []struct{ lanes, full, half int }{{32, 26, 5}, {16, 11, 4}, {2, 0, 1}, {1, 0, 0}} {
		logic := units.HerdParts()[1].Logic(c.lanes)
		assert.Equal(t, units.Logic{Kind: units.FullAdder, Bits: 1, Count: 2 * c.full}, logic[0])
		assert.Equal(t, units.Logic{Kind: units.HalfAdder, Bits: 1, Count: 2 * c.half}, logic[1])
	}
}

// redirected sends a load of all lanes with the given addresses through the selector.
func redirected(c units.HerdConfig, size int, active uint32, addr [isa.RowLanes]uint64) [isa.RowLanes]uint64 {
	p := units.NewPopular(&c)
	p.Redirect(&addr, active, size)
	return addr
}

// blocks returns the addresses of a warp whose lanes read consecutive words. Each letter stands for
// a block.
func blocks(letters string, size uint64) (addr [isa.RowLanes]uint64) {
	block := units.HerdBlock(int(size))
	for i, l := range letters {
		addr[i] = 0x1000_0000 + uint64(l-'A')*block + uint64(i)*size%block
	}
	return addr
}

func repeat(n int, s string) string { return strings.Repeat(s, n) }

func TestPopular(t *testing.T) {
	all := uint32(0xffff_ffff)
	herd, first, halves := units.DefaultHerd(), units.DefaultHerd(), units.DefaultHerd()
	first.Load, halves.HalfWarp = units.HerdFirst, true
	for _, c := range []struct {
		what       string
		config     units.HerdConfig
		size       uint64
		active     uint32
		have, want string
	}{
		{"20 lanes against 12", herd, 4, all, repeat(20, "A") + repeat(12, "B"), repeat(32, "A")},
		{"12 lanes against 20", herd, 4, all, repeat(12, "A") + repeat(20, "B"), repeat(32, "B")},
		{"a tie goes to the lowest lane", herd, 4, all, repeat(16, "B") + repeat(16, "A"), repeat(32, "B")},
		{"alternating", herd, 4, all, repeat(16, "CA"), repeat(32, "C")},
		{"of the most popular the one with the lowest lane", herd, 4, 0b11111, "ABBCC", "BBBBB"},
		{"coalesced loads stay", herd, 4, all, repeat(32, "A"), repeat(32, "A")},
		{"inactive lanes have no vote, and stay", herd, 4, 0b00011, "ABBBB", "AABBB"},
		{"nobody", herd, 4, 0, "ABC", "ABC"},
		{"bytes are in blocks of 32", herd, 1, all, repeat(20, "A") + repeat(12, "B"), repeat(32, "A")},
		{
			"in halves", halves, 4, all, repeat(10, "A") + repeat(6, "B") + repeat(2, "A") + repeat(14, "C"),
			repeat(16, "A") + repeat(16, "C"),
		},
	} {
		got := redirected(c.config, int(c.size), c.active, blocks(c.have, c.size))
		assert.Equal(t, blocks(c.want, c.size), got, c.what)
	}
	got := redirected(first, 4, 0b1110, [isa.RowLanes]uint64{8, 500, 4, 500, 12})
	assert.Equal(t, [isa.RowLanes]uint64{8, 500, 500, 500, 12}, got, "the address of the lowest active lane")
}

// Section IV: 32, 64 or 128 bytes depending on the type.
func TestHerdBlock(t *testing.T) {
	for size, want := range map[int]uint64{1: 32, 2: 64, 4: 128, 8: 128, 16: 128} {
		assert.Equal(t, want, units.HerdBlock(size))
	}
}

func ExampleMajority() {
	m, _ := units.NewMajority(units.TieNotTaken)
	fmt.Println(m.Taken(0b0111, 0b1111, false), m.Taken(0b0011, 0b1111, false))
	// Output: true false
}
