package memsys_test

import (
	"go/build"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImports checks the layers. The memory system may import rtl, isa, units and dram; the DRAM
// may import rtl. Both may import the table of keys. The packages audit and memtest have separate
// lists.
func TestImports(t *testing.T) {
	for dir, allowed := range map[string][]string{
		".": {
			"divergo/internal/key", "divergo/rtl", "divergo/isa", "divergo/memsys/dram",
			"divergo/units",
		},
		"dram":                {"divergo/internal/key", "divergo/rtl"},
		"../internal/audit":   {"divergo/isa", "divergo/memsys", "divergo/memsys/dram", "divergo/units"},
		"../internal/memtest": {"divergo/rtl", "divergo/memsys"},
	} {
		pkg, err := build.ImportDir(dir, 0)
		require.NoError(t, err)
		for _, path := range pkg.Imports {
			if strings.Contains(path, ".") || strings.HasPrefix(path, "divergo/") {
				assert.Contains(t, allowed, path, dir)
			}
		}
	}
}
