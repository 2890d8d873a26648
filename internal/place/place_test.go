package place_test

import (
	"strings"
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
	assert.EqualError(t, place.Error("f", text, 3, 5, "end"), "f:3:5: end\n    four\n        ^")

	long := []byte("x\n" + strings.Repeat("a", 1000) + "b" + strings.Repeat("c", 1000))
	assert.EqualError(t, place.Error("f", long, 2, 1001, "b"),
		"f:2:1001: b\n    "+strings.Repeat("a", 60)+"b"+strings.Repeat("c", 59)+"\n    "+strings.Repeat(" ", 60)+"^")
}
