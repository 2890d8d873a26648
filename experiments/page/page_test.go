package page_test

import (
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments/page"
	"divergo/internal/need"
)

// sample is a figure in the form of a journal.
const sample = `{"figure": "s9-fig1", "doc": "a < b", "source": "Someone, figure 1", "header": ["kernel", "n", "v"], "rows": [["k", 3, 0.5]],
	"notes": ["Theirs: 1.", "Ours is less."],
	"svg": "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"300\"><title>t</title><rect width=\"400\" height=\"300\" fill=\"#d55e00\"/></svg>"}`

func written(t *testing.T) string {
	t.Helper()
	figure, err := page.Read([]byte(sample))
	require.NoError(t, err)
	assert.Equal(t, []any{"k", int64(3), .5}, figure.Rows[0])
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, []page.Figure{figure}))
	return b.String()
}

// TestPage: text is escaped, the picture is not, and the paper's values stand apart.
func TestPage(t *testing.T) {
	text := written(t)
	assert.Contains(t, text, `<h2>s9-fig1: a &lt; b</h2>`)
	assert.Contains(t, text, `<rect width="400" height="300" fill="#d55e00"/>`)
	assert.Contains(t, text, `<td>k</td><td>3</td><td>0.5</td>`)
	theirs, ours, ok := strings.Cut(text, "<h3>Ours</h3>")
	require.True(t, ok)
	assert.Contains(t, theirs, "<p>Theirs: 1.</p>")
	assert.NotContains(t, ours, "Theirs: 1.")
	assert.Contains(t, ours, "<p>Ours is less.</p>")

	assert.Contains(t, text, "<details>")
	figure, err := page.Read([]byte(strings.Replace(sample, `"header"`, `"table": true, "header"`, 1)))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, []page.Figure{figure}))
	before, _, _ := strings.Cut(b.String(), "<svg")
	assert.Contains(t, before, "<td>k</td>", "the table is first")
	assert.NotContains(t, b.String(), "<details>")

	_, err = page.Read([]byte(`{"rows": 3}`))
	assert.Error(t, err)
	_, err = page.Read([]byte(`{"figure": "s9-fig2", "svg": "<svg><script>alert(1)</script></svg>"}`))
	assert.ErrorContains(t, err, "s9-fig2: picture with <script>")
}

// TestCells: columns have the digits that their numbers need, three at most, also where a number is
// whole. Text stays as it is.
func TestCells(t *testing.T) {
	f := page.Figure{Rows: [][]any{
		{"herding, %", 30.0, int64(1), 5.179, uint64(7), "1.5"},
		{"pdom", 55.0, 1.0003, .5, 3, "-"},
		{"mean", 40.7, .25, 0.99951, int64(12)},
	}}
	assert.Equal(t, [][]string{
		{"herding, %", "30.0", "1.00", "5.179", "7", "1.5"},
		{"pdom", "55.0", "1.00", "0.500", "3", "-"},
		{"mean", "40.7", "0.25", "1.000", "12"},
	}, f.Cells())
}

// browse opens a file in headless Chromium. It returns the rendered document, a screenshot, and the
// browser's console messages.
func browse(t *testing.T, file string) (dom string, picture []byte, console []string) {
	t.Helper()
	need.Tool(t, "chromium")
	dir := t.TempDir()
	shot := filepath.Join(dir, "page.png")
	run := func(args ...string) (string, string) {
		// timeout ends the browser and its children.
		args = append([]string{
			"--kill-after=5", "120", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
			"--enable-logging=stderr", "--user-data-dir=" + filepath.Join(dir, "profile"),
			"--window-size=1300,1200",
		}, args...)
		c := exec.Command("timeout", append(args, "file://"+file)...)
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		require.NoError(t, c.Run(), "%s", errs.String())
		return out.String(), errs.String()
	}
	_, errs := run("--screenshot=" + shot)
	dom, more := run("--dump-dom")
	picture, err := os.ReadFile(shot)
	require.NoError(t, err)
	return dom, picture, regexp.MustCompile(`.*CONSOLE.*`).FindAllString(errs+more, -1)
}

// TestBrowser: the page is self-contained and rendered. An error would appear on the console.
func TestBrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(written(t)), 0o644))
	dom, shot, console := browse(t, file)
	assert.Empty(t, console)
	assert.Contains(t, dom, "s9-fig1")
	picture, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	painted := 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if r, g, b, _ := picture.At(x, y).RGBA(); r>>8 == 0xd5 && g>>8 == 0x5e && b>>8 == 0 {
				painted++
			}
		}
	}
	assert.Equal(t, 400*300, painted, "the picture is there, at its size")

	foreign := strings.Replace(written(t), "</body>", `<script>document.body.innerText = "changed"</script></body>`, 1)
	require.NoError(t, os.WriteFile(file, []byte(foreign), 0o644))
	dom, _, console = browse(t, file)
	assert.NotEmpty(t, console, "the test sees errors")
	assert.Contains(t, dom, "s9-fig1", "the policy of the page allows no script")
}

// TestCommitted: the page of the documentation is rendered without errors, and is not large.
func TestCommitted(t *testing.T) {
	file, err := filepath.Abs("../../docs/figures.html")
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Less(t, len(text), 2<<20)
	for _, outside := range []string{`src="http`, `href="http`, "url("} {
		assert.NotContains(t, string(text), outside, "it stands alone")
	}
	dom, shot, console := browse(t, file)
	assert.Empty(t, console)
	assert.Equal(t, strings.Count(string(text), "<section "), strings.Count(dom, "<section "))
	assert.Greater(t, strings.Count(dom, "<svg "), 20)
	picture, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	assert.Equal(t, 1300, picture.Bounds().Dx())
}
