//go:build unix

package output_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/output"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, output.WriteFile(name, []byte(text)))
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// TestLinks: a link remains a link, and its target is written, also through several links. Each
// link is relative to its own folder. The target need not exist.
func TestLinks(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.Mkdir(at("far"), 0o755))
	require.NoError(t, os.WriteFile(at("far/old"), []byte("old"), 0o644))
	for link, leads := range map[string]string{
		"a": "b", "b": "far/c", "far/c": "old", "new": "far/new",
		"round": "trip", "trip": "round",
	} {
		require.NoError(t, os.Symlink(leads, at(link)))
	}
	write(t, at("a"), "text")
	write(t, at("new"), "more")
	assert.Equal(t, "text", read(t, at("far/old")))
	assert.Equal(t, "more", read(t, at("far/new")))
	for _, link := range []string{"a", "b", "far/c", "new"} {
		info, err := os.Lstat(at(link))
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&os.ModeSymlink, link)
	}
	_, err := output.Create(at("round"))
	assert.ErrorContains(t, err, "round: more than 40 links")
}

// TestPermissions: a new file has the user's permissions for new files. A replaced file keeps its
// permissions.
func TestPermissions(t *testing.T) {
	folder := t.TempDir()
	before := syscall.Umask(0o027)
	defer syscall.Umask(before)
	fresh, old := filepath.Join(folder, "new"), filepath.Join(folder, "old")
	require.NoError(t, os.WriteFile(old, nil, 0o600))
	require.NoError(t, os.Chmod(old, 0o606))
	write(t, fresh, "x")
	write(t, old, "x")
	for name, want := range map[string]os.FileMode{fresh: 0o640, old: 0o606} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode(), name)
	}
}

// TestStream: a stream is written during the run, and remains a stream.
func TestStream(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	end, err := os.OpenFile(fifo, os.O_RDWR, 0)
	require.NoError(t, err)
	defer end.Close()
	f, err := output.Create(fifo)
	require.NoError(t, err)
	assert.True(t, f.Stream())
	fmt.Fprint(f, "text")
	got := make([]byte, 4)
	_, err = end.Read(got)
	require.NoError(t, err)
	assert.Equal(t, "text", string(got))
	f.Discard()
	info, err := os.Lstat(fifo)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeNamedPipe)
}

// TestDescriptor: an open file of the process is a stream even if it is a regular file.
func TestDescriptor(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	behind, err := os.Create(name)
	require.NoError(t, err)
	defer behind.Close()
	descriptor := fmt.Sprintf("/dev/fd/%d", behind.Fd())
	write(t, descriptor, "text")
	assert.Equal(t, "text", read(t, name))
	before, err := behind.Stat()
	require.NoError(t, err)
	after, err := os.Stat(name)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
}
