package nearest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/internal/nearest"
)

func TestWord(t *testing.T) {
	presets := []string{"tbc", "slp", "ppc", "kepler", "maxwell"}
	for _, test := range []struct{ word, want string }{
		{"kepler", "kepler"},
		{"keplre", "kepler"},
		{"Maxwel", "maxwell"},
		{"tcb", "tbc"},
		{"ppc", "ppc"},
		{"slp201", ""},
		{"pcc", "ppc"},
		{"volta2017", ""},
		{"", ""},
	} {
		assert.Equal(t, test.want, nearest.Word(test.word, presets), test.word)
	}
	assert.Empty(t, nearest.Word("kepler", nil))
	assert.Empty(t, nearest.Word("", []string{"pc"}))
	assert.Empty(t, nearest.Word("ab", []string{"pc"}), "nothing in common")
	assert.Empty(t, nearest.Word("--svg", []string{"--arg", "--seed"}), "one letter of three in common")
	assert.Equal(t, "--seed", nearest.Word("--sead", []string{"--arg", "--seed"}))
	assert.Equal(t, "ab", nearest.Word("b", []string{"ab"}))
}

// TestTie: a tie goes to the first, whatever the order of the alphabet.
func TestTie(t *testing.T) {
	assert.Equal(t, "l2.size", nearest.Word("l3.size", []string{"l2.size", "l1.size"}))
}

// TestExchange: an exchange of neighbours is one change, not two.
func TestExchange(t *testing.T) {
	assert.Equal(t, "abcd", nearest.Word("abdc", []string{"abxy", "abcd"}))
	assert.Equal(t, "ba", nearest.Word("ab", []string{"xy", "ba"}))
}

func ExampleUnknown() {
	presets := []string{"kepler", "maxwell"}
	fmt.Println(nearest.Unknown("preset", "kelper", presets))
	fmt.Println(nearest.Unknown("preset", "volta", presets))
	// Output:
	// unknown preset "kelper"; did you mean "kepler"?
	// unknown preset "volta"; want one of kepler, maxwell
}
