package docs

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
	"divergo/internal/forall"
)

// TestFigures: the pictures of the documents are those that the model draws.
func TestFigures(t *testing.T) {
	files, err := filepath.Glob("figures/*.svg")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		if forall.LeftOut(i, 8) {
			continue
		}
		f, err := experiments.FindFigure(strings.TrimSuffix(filepath.Base(file), ".svg"))
		require.NoError(t, err)
		d, err := f.Make(experiments.Quick)
		require.NoError(t, err)
		var want bytes.Buffer
		_, err = d.Charts.WriteTo(&want)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644))
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(pixels(t, want.Bytes()), pixels(t, got)),
			"%s: run go test ./docs -run Figures -update", file)
	}
}

var embedded = regexp.MustCompile(`base64,[^"]*`)

// pixels replaces the encoding of embedded pictures by their pixels. The encoding can change with a
// release of Go.
func pixels(t *testing.T, svg []byte) []byte {
	return embedded.ReplaceAllFunc(svg, func(data []byte) []byte {
		raw, err := base64.StdEncoding.DecodeString(string(data[len("base64,"):]))
		require.NoError(t, err)
		picture, err := png.Decode(bytes.NewReader(raw))
		require.NoError(t, err)
		return fmt.Append(nil, picture)
	})
}
