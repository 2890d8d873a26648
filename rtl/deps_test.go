package rtl_test

import (
	"go/build"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImports: the kernel is the lowest layer and imports only the standard library.
func TestImports(t *testing.T) {
	for dir, allowed := range map[string][]string{".": nil, "rtltest": {"divergo/rtl"}} {
		pkg, err := build.ImportDir(dir, 0)
		require.NoError(t, err)
		for _, path := range pkg.Imports {
			if strings.Contains(path, ".") || strings.HasPrefix(path, "divergo/") {
				assert.Contains(t, allowed, path, dir)
			}
		}
	}
}
