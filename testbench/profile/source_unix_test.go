//go:build unix

package profile_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/testbench/profile"
)

// TestSourcePipe checks that a pipe without a writer does not block a run.
func TestSourcePipe(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "k.cu"), 0o600))
	assert.Nil(t, profile.Sources(nil, folder)("k.cu"))
}
