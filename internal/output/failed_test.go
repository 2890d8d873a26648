package output

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFailedWrite: a file with a failed Write leaves the old file unchanged, even if the caller
// ignores the error.
func TestFailedWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
	f, err := Create(name)
	require.NoError(t, err)
	require.NoError(t, f.file.Close())
	f.file, err = os.Open(f.file.Name()) // it cannot be written
	require.NoError(t, err)
	_, first := f.Write([]byte("new"))
	require.ErrorContains(t, first, name+": ")
	assert.Equal(t, first, f.Keep())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
	entries, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}
