package output_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/output"
)

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestKeepReplaces(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a.vcd")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))

	f, err := output.Create(name)
	require.NoError(t, err)
	fmt.Fprint(f, "new")
	old, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "old", string(old), "nothing appears before Keep")

	require.NoError(t, f.Keep())
	f.Discard()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "new", string(text))
	assert.Equal(t, []string{"a.vcd"}, names(t, folder))
}

func TestDiscardLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	f, err := output.Create(filepath.Join(folder, "a.vcd"))
	require.NoError(t, err)
	fmt.Fprint(f, "half")
	f.Discard()
	f.Discard()
	assert.Empty(t, names(t, folder))
}

func TestCreateRefuses(t *testing.T) {
	folder := t.TempDir()
	_, err := output.Create(folder)
	assert.ErrorContains(t, err, "is a folder")
	_, err = output.Create(filepath.Join(folder, "none", "a.vcd"))
	assert.ErrorContains(t, err, "no folder")
	readOnly := filepath.Join(folder, "r.vcd")
	require.NoError(t, os.WriteFile(readOnly, []byte("old"), 0o400))
	_, err = output.Create(readOnly)
	assert.ErrorContains(t, err, "read-only")
}

func TestDevice(t *testing.T) {
	f, err := output.Create(os.DevNull)
	require.NoError(t, err)
	fmt.Fprint(f, "gone")
	assert.NoError(t, f.Keep())
}

// TestWriteFolder: a folder is new and complete, or nothing changes.
func TestWriteFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	files := map[string][]byte{"x": []byte("1"), "sub/y": []byte("2")}
	require.NoError(t, output.WriteFolder(folder, files))
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	assert.ErrorContains(t, output.WriteFolder(folder, nil), "exists already")
	assert.ErrorContains(t, output.WriteFolder(filepath.Join(folder, "x", "c"), files), "no folder")
	entries, err := os.ReadDir(filepath.Dir(folder))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func ExampleCreate() {
	_, err := output.Create("no/such/folder/out.vcd")
	fmt.Println(err)
	// Output: no/such/folder/out.vcd: no folder no/such/folder
}
