package need

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// skipped is a test that keeps the reason for skipping it.
type skipped struct {
	testing.TB
	why []any
}

func (s *skipped) Helper()          {}
func (s *skipped) Skip(args ...any) { s.why = args }

func TestTool(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Setenv("PATHEXT", ".exe")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	var s skipped
	Tool(&s, "make", "gcc")
	assert.Equal(t, []any{"needs make, gcc: apt-get install make gcc libc6-dev, or .ci/install for all tools"}, s.why)

	for _, name := range []string{"make", "make.exe"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o755))
	}
	s = skipped{}
	Tool(&s, "make")
	assert.Nil(t, s.why)
	Tool(&s, "make", "gcc")
	assert.Equal(t, []any{"needs gcc: apt-get install gcc libc6-dev, or .ci/install for all tools"}, s.why)

	assert.PanicsWithValue(t, `need: internal/need/tools.txt has no tool "mak"`, func() { Missing("mak") })
}

// TestTable: each line has all columns, and each tool appears once.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, l := range tools() {
		assert.NotEmpty(t, l.packages, l.name)
		assert.False(t, names[l.name], l.name)
		names[l.name] = true
	}
	for _, name := range CUDA {
		assert.True(t, names[name], name)
	}
}
