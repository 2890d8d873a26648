package docs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
	"divergo/internal/chart"
)

// TestFigures: the pictures of the documents are what the model gives today.
func TestFigures(t *testing.T) {
	files, err := filepath.Glob("figures/*.svg")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		f, err := experiments.FindFigure(strings.TrimSuffix(filepath.Base(file), ".svg"))
		require.NoError(t, err)
		d, err := f.Draw()
		require.NoError(t, err)
		var want bytes.Buffer
		_, err = chart.Column(d.Charts).WriteTo(&want)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644))
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want.Bytes(), got), "%s: run go test ./docs -run Figures -update", file)
	}
}
