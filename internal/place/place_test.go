package place_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/internal/place"
)

func TestPlace(t *testing.T) {
	text := []byte("one\n\ttwo three\r\nfour")
	row, column := place.Of(text, 9)
	assert.Equal(t, [2]int{2, 6}, [2]int{row, column})
	assert.EqualError(t, place.Error("f", text, row, column, "want 3"), "f:2:6: want 3\n    \ttwo three\n    \t    ^")
	row, column = place.Of(text, 99)
	assert.Equal(t, [2]int{3, 5}, [2]int{row, column})
	assert.EqualError(t, place.Error("f", text, 9, 1, "gone"), "f:9:1: gone")
}
