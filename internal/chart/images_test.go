package chart

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImages: the file has the pictures unchanged, side by side, each over its label.
func TestImages(t *testing.T) {
	row := &Images{Title: "two"}
	var want []image.Image
	for i, label := range []string{"left", "right"} {
		picture := image.NewGray(image.Rect(0, 0, 3, 2))
		picture.Set(i, 1, color.Gray{200})
		want = append(want, picture)
		row.Row = append(row.Row, Labelled{label, picture})
	}
	var at []string
	var got []image.Image
	for _, e := range parse(t, draw(t, Column{row})) {
		if e.name != "image" {
			continue
		}
		at = append(at, e.attr["x"])
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(e.attr["href"], "data:image/png;base64,"))
		require.NoError(t, err)
		picture, err := png.Decode(bytes.NewReader(raw))
		require.NoError(t, err)
		got = append(got, picture)
	}
	assert.Equal(t, want, got)
	assert.Equal(t, []string{"16", "27"}, at, "a margin of 16 pixels; 3 and a gap of 8 further")
}
