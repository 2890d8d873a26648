package isa

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// same is require.Equal for loops over millions of values: it costs nothing if they are equal.
func same[T comparable](t *testing.T, want, got T, message ...any) {
	if want != got {
		t.Helper()
		require.Equal(t, want, got, message...)
	}
}
