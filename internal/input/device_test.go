//go:build unix

package input_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/input"
)

// TestReadDevices: devices and pipes are read only up to the limit.
func TestReadDevices(t *testing.T) {
	_, err := input.Read("/dev/zero", 1000)
	assert.EqualError(t, err, "/dev/zero: does not end after 1000 bytes, want at most that many")
	text, err := input.Read("/dev/null", 1000)
	assert.NoError(t, err)
	assert.Empty(t, text)

	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	go func() {
		if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
			_, _ = io.WriteString(f, "through a pipe")
			_ = f.Close()
		}
	}()
	text, err = input.Read(pipe, 1000)
	require.NoError(t, err)
	assert.Equal(t, "through a pipe", string(text))
}
