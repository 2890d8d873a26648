package profile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/browser"
	"divergo/internal/need"
	"divergo/testbench/profile"
)

// opened opens the page of odd under mechanisms.
func opened(t *testing.T, source func(string) []string, mechanisms ...string) *browser.Page {
	r := profile.Report{Title: "odd <1>", Machine: "1 SM", Source: source}
	for _, mechanism := range mechanisms {
		p, err := profiled(mechanism)
		require.NoError(t, err)
		r.Runs = append(r.Runs, profile.Run{Name: mechanism, WarpSize: 32, Cycles: 1234, Kernels: p.Kernels()})
	}
	var page bytes.Buffer
	require.NoError(t, r.Page(&page))
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, page.Bytes(), 0o600))
	b := browser.Open(t, "file://"+file, 1300, 900)
	b.Wait(`document.documentElement.dataset.ready === "yes"`)
	return b
}

// texts returns the texts of the elements that a CSS selector names.
func texts(p *browser.Page, selector string) []string {
	return browser.Get[[]string](p, `[...document.querySelectorAll(`+"`"+selector+"`"+`)].map((e) => e.textContent)`)
}

// focus gives the focus to the element that a CSS selector names first.
func focus(p *browser.Page, selector string) {
	browser.Get[bool](p, "(document.querySelector(`"+selector+"`).focus(), true)")
}

// TestPage: the page has header, totals and hottest lines; metrics, instructions and other files are shown
// as asked for, by clicks and by keys. The counts are those of TestLines.
func TestPage(t *testing.T) {
	need.Tool(t, "chromium")
	p := opened(t, source, "pdom", "tbc")
	assert.Equal(t, []string{"odd <1>"}, texts(p, "h1"))
	assert.Equal(t, "1 SM", p.Text("machine"))
	assert.Equal(t, []string{"", "pdom", "tbc"}, texts(p, "#totals thead th"))
	assert.Equal(t, []string{"cycles of the run", "1,234", "1,234"}, texts(p, "#totals tbody tr:first-child > *"))
	assert.Equal(t, []string{"L1 load misses", "3", "3"}, texts(p, "#totals tbody tr:nth-child(7) > *"))
	assert.Equal(t, []string{"SIMD efficiency", "0.6375", "0.6375"}, texts(p, "#totals tbody tr:last-child > *"), "408 of 20 x 32 lanes")
	assert.Equal(t, []string{"Lines with most cycles"}, texts(p, "#hothead"))
	assert.Contains(t, texts(p, "#hot a"), "odd.cu:5")
	assert.NotContains(t, texts(p, "#kernels .file"), "no instruction: CTAs begin, or moves of a stack")

	// another metric: by the list, whose keys work too, and by the totals
	focus(p, "#metric")
	p.Press("w") // warp instructions
	assert.Equal(t, []string{"odd.cu:3", "odd.cu:4", "odd.cu:5", "odd.cu:6"}, texts(p, "#hot a"))
	assert.Equal(t, []string{"6", "30.0%", "6", "30.0%"}, texts(p, "#l-0-0-4 > .first, #l-0-0-4 > .part"))
	p.Click("#totals tr:nth-child(5) button")
	assert.Equal(t, []string{"Lines with most divergent branches"}, texts(p, "#hothead"))
	assert.Equal(t, []string{"odd.cu:4"}, texts(p, "#hot a"))
	assert.Equal(t, []string{"2 of 2", "100.0%", "2 of 2", "100.0%"}, texts(p, "#l-0-0-4 > .first, #l-0-0-4 > .part"))
	assert.Equal(t, "divergent branches", browser.Get[string](p, "document.activeElement.textContent"), "the focus stays")
	focus(p, "#totals tr:nth-child(4) button")
	p.Press("\r")
	assert.Equal(t, "12", texts(p, "#l-0-0-5 > .first")[0], "lanes of odd.cu:5 in the mean")
	assert.Equal(t, []string{"8 lanes: 3", "16 lanes: 3"}, texts(p, "#l-0-0-5 > td:nth-of-type(3) title"))

	// the instructions of a line, which stay when the metric changes
	assert.Empty(t, texts(p, ".inst"))
	focus(p, "#l-0-0-4 button")
	p.Press("\r")
	assert.Equal(t, []string{"3 and.b32 %r2, %r1, 1", "4 setp.eq.u32 %p1, %r2, 0", "5 @%p1 bra DONE"}, texts(p, ".inst .code"))
	p.Click("#totals tr:nth-child(5) button")
	assert.Len(t, texts(p, ".inst"), 3)
	p.Click("#l-0-0-4 button")
	assert.Empty(t, texts(p, ".inst"))

	// cycles of no instruction
	p.Click("#others")
	assert.Contains(t, texts(p, "#kernels .file"), "no instruction: CTAs begin, or moves of a stack")
}

// TestNoSource: without a source each line is shown.
func TestNoSource(t *testing.T) {
	need.Tool(t, "chromium")
	p := opened(t, nil, "pdom")
	assert.True(t, browser.Get[bool](p, `document.getElementById("otherslabel").hidden`))
	assert.Equal(t, []string{"odd.cu", "no instruction: CTAs begin, or moves of a stack"}, texts(p, "#kernels .file"))
}
