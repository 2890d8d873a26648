package waves_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
	"divergo/waves"
	"divergo/waves/vcdread"
)

// dateInFST is the offset of the date in the header. Before it come the type of the block, nine
// numbers of 8 bytes, the time scale and 128 bytes for the version. Source: fstapi.c of GTKWave.
const dateInFST = 1 + 9*8 + 1 + 128

// TestFST: an FST file has the same contents as the dump.
func TestFST(t *testing.T) {
	need.Tool(t, "gtkwave")
	for name, vcd := range tortureDumps(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f, err := waves.NewFST(filepath.Join(dir, "x.fst"))
			require.NoError(t, err)
			for rest := vcd; len(rest) > 0; { // in pieces
				n := min(len(rest), 1000)
				_, err := f.Write(rest[:n])
				require.NoError(t, err)
				rest = rest[n:]
			}
			require.NoError(t, f.Close())
			fst, err := os.ReadFile(filepath.Join(dir, "x.fst"))
			require.NoError(t, err)
			assert.Equal(t, "none\x00", string(fst[dateInFST:][:5]), "no date")
			back, _ := tool(t, dir, "fst2vcd", "x.fst")
			got, err := vcdread.ReadAll(strings.NewReader(back))
			require.NoError(t, err)
			requireSameDump(t, read(t, vcd), got)
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Len(t, files, 1)
		})
	}
}

func TestCreateFST(t *testing.T) {
	need.Tool(t, "gtkwave")
	dir := t.TempDir()
	y := newToy(t, 1)
	f, err := waves.Create(y.sys, filepath.Join(dir, "x.fst"), waves.Options{})
	require.NoError(t, err)
	runToy(y)
	require.NoError(t, f.Close())
	back, _ := tool(t, dir, "fst2vcd", "x.fst")
	assert.Contains(t, back, "$enddefinitions")
	save, err := os.ReadFile(filepath.Join(dir, "x.gtkw"))
	require.NoError(t, err)
	assert.Contains(t, string(save), filepath.Join(dir, "x.fst"))
}

// TestFSTWithoutConverter runs without vcd2fst, and with one that fails.
func TestFSTWithoutConverter(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Chdir(dir)
	_, err := waves.NewFST(filepath.Join(dir, "x.fst"))
	assert.ErrorContains(t, err, "FST is made by vcd2fst, which is not installed (Debian package gtkwave)")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "vcd2fst"),
		[]byte("#!/bin/sh\n>x.fst.hier; echo no room >&2\nexit 3\n"), 0o755))
	f, err := waves.NewFST(filepath.Join(dir, "x.fst"))
	require.NoError(t, err)
	f.Write([]byte("$date\n")) // it may come before or after the end of the program
	assert.ErrorContains(t, f.Close(), "vcd2fst: exit status 3: no room")
	assert.NoFileExists(t, filepath.Join(dir, "x.fst.hier"))

	f, err = waves.NewFST(filepath.Join(dir, "x.fst"))
	require.NoError(t, err)
	assert.NoError(t, f.Close(), "nothing was started")
}
