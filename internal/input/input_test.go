package input_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/input"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	small, large := filepath.Join(dir, "small"), filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(small, []byte("text"), 0o600))
	f, err := os.Create(large)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(10<<30)) // without bytes on the disk
	require.NoError(t, f.Close())
	for _, c := range []struct{ name, want, fault string }{
		{small, "text", ""},
		{large, "", large + ": has 10737418240 bytes, want at most 4"},
		{dir, "", dir + ": is a folder, want a file"},
		{filepath.Join(dir, "none"), "", "none: no such file"},
	} {
		text, err := input.Read(c.name, 4)
		assert.Equal(t, c.want, string(text), c.name)
		if c.fault == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, c.fault)
		}
	}
}
