package cli

import (
	"errors"
	"go/build"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCobraStaysHere: only packages below cmd and tools import cobra and pflag.
func TestCobraStaysHere(t *testing.T) {
	packages := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch name := d.Name(); {
		case path == filepath.Join("../../..", "cmd"), path == filepath.Join("../../..",
			"tools"), name == "testdata", strings.HasPrefix(name, ".") && len(name) > 2:
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(path, 0)
		var none *build.NoGoError
		if errors.As(err, &none) {
			return nil
		}
		packages++
		for _, imported := range append(pkg.Imports, pkg.TestImports...) {
			assert.NotContains(t, imported, "spf13/", path)
		}
		return err
	})
	require.NoError(t, err)
	assert.Greater(t, packages, 10)
}
