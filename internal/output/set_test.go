package output_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/output"
)

// TestSet: no file of a command conflicts with another one.
func TestSet(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(at("in"), []byte("old"), 0o644))
	require.NoError(t, os.Link(at("in"), at("hard")))
	require.NoError(t, os.Symlink("in", at("soft")))
	require.NoError(t, os.Symlink("x.vcd", at("later")))
	require.NoError(t, os.Symlink(".", at("here")))
	var s output.Set
	defer s.Discard()
	s.Reads("the input", at("in"))
	_, err := s.Create("--vcd", at("x.vcd"), ".vcd")
	require.NoError(t, err)
	require.NoError(t, s.Claim("its save file", at("x.gtkw")))
	for name, want := range map[string]string{
		"in": "is the input too", "hard": "is the input too", "soft": "is the input too",
		"x.vcd": "is --vcd too", "later": "is --vcd too", "here/x.vcd": "is --vcd too",
	} {
		_, err := s.Create("--dump", at(name), ".vcd")
		assert.ErrorContains(t, err, want, name)
	}
	_, err = s.Create("--dump", at("x.gtkw"), ".gtkw")
	assert.ErrorContains(t, err, "is its save file too")
	for range 2 {
		_, err = s.Create("--dump", os.DevNull, "")
		assert.NoError(t, err)
	}
	s.Discard()
	assert.Equal(t, []string{"hard", "here", "in", "later", "soft"}, names(t, folder))
}

// TestPromise: the extension of a name fits the contents of the file.
func TestPromise(t *testing.T) {
	folder := t.TempDir()
	var s output.Set
	defer s.Discard()
	for name, want := range map[string]string{
		"a.fst": ".fst is that of another format", "a.VCD": "", "a.svg": "another format", "a": "", "a.wave": "",
		"a.1": "", "README.md": ".md is that of another format", "main.go": "another format",
	} {
		_, err := s.Create("--vcd", filepath.Join(folder, name), ".vcd")
		if want == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, want, name)
		}
	}
	_, err := s.Create("--dump", filepath.Join(folder, "a.png"), "")
	assert.ErrorContains(t, err, "raw bytes")
}

// TestNewFolder: a new folder never has the contents of another one.
func TestNewFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, output.TryFolder(folder))
	assert.NoDirExists(t, filepath.Dir(folder), "nothing is made to try")
	for _, want := range []string{"x-1", "x-1-2", "x-1-3"} {
		got, err := output.NewFolder(folder, "x-1")
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(folder, want), got)
	}
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	assert.ErrorContains(t, output.TryFolder(filepath.Join(file, "c")), "file is no folder")
	_, err := output.NewFolder(file, "x")
	assert.Error(t, err)
}
