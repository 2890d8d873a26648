package profile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/testbench/profile"
)

// TestSources checks that PTX may name any file, but only files below the folders are shown.
func TestSources(t *testing.T) {
	top := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(top, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	secret := write("secret.txt", "secret")
	kernel := write("work/sub/k.cu", "one\r\ntwo")
	header := write("include/h.cuh", "header")
	write("work/h.cuh/file", "a folder in the place of a header")
	require.NoError(t, os.Symlink(secret, filepath.Join(top, "work", "link.cu")))
	require.NoError(t, os.Symlink("sub/k.cu", filepath.Join(top, "work", "inside.cu")))

	work, include := filepath.Join(top, "work"), filepath.Join(top, "include")
	find := profile.Sources(nil, work, include)
	for _, name := range []string{kernel, "sub/k.cu", "inside.cu", filepath.Join(work, "sub", "..", "inside.cu")} {
		assert.Equal(t, []string{"one", "two"}, find(name), name)
	}
	for _, name := range []string{header, "/elsewhere/h.cuh"} {
		assert.Equal(t, []string{"header"}, find(name), name)
	}
	for _, name := range []string{
		secret, "../secret.txt", "link.cu", filepath.Join(work, "link.cu"), "sub", "", ".",
		"k.cu", "/dev/zero",
	} {
		assert.Nil(t, find(name), name)
	}
	assert.Nil(t, profile.Sources(nil, work)(header), "no folder that holds it")
	known := func(name string) (string, bool) { return "built in", name == "sub/k.cu" }
	assert.Equal(t, []string{"built in"}, profile.Sources(known, work)("sub/k.cu"))
}
