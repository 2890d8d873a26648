package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRecovered: a panic becomes an error that says what to do, and where it happened.
func TestRecovered(t *testing.T) {
	require.NoError(t, recovered(func() error { return nil }))
	err := recovered(func() error { panic("index out of range") })
	assert.Regexp(t, `^panic: index out of range: .*"divergo check"`, err.Error())
	assert.Contains(t, err.Error(), "recovered_test.go")
	assert.Equal(t, exitUsage, exitCode(err))
}
