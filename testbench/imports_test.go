package testbench_test

import (
	"go/build"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImports checks that the host's side imports neither the workloads nor the command line.
func TestImports(t *testing.T) {
	pkg, err := build.ImportDir(".", 0)
	require.NoError(t, err)
	allowed := []string{
		"divergo/gpu", "divergo/internal/input", "divergo/internal/nearest", "divergo/internal/papers",
		"divergo/internal/printable", "divergo/internal/printf", "divergo/internal/sample",
		"divergo/internal/splitmix",
		"divergo/isa", "divergo/memsys", "divergo/memsys/dram", "divergo/ptx",
		"divergo/rtl", "divergo/sm", "divergo/sm/divergence", "divergo/testbench/functional",
		"divergo/testbench/golden", "divergo/units",
	}
	for _, path := range pkg.Imports {
		if strings.Contains(path, ".") || strings.HasPrefix(path, "divergo/") {
			assert.Contains(t, allowed, path)
		}
	}
}
