package isa

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// same is require.Equal for the inside of a loop over millions of values: it
// costs nothing where they are equal.
func same[T comparable](t *testing.T, want, got T, message ...any) {
	if want != got {
		t.Helper()
		require.Equal(t, want, got, message...)
	}
}
