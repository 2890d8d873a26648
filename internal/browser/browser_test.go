package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/browser"
	"divergo/internal/need"
)

// TestPage: clicks and keys reach the page, values come back, a picture is made.
func TestPage(t *testing.T) {
	need.Tool(t, "chromium")
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(`<!DOCTYPE html><button id="b">0</button><script>
		let keys = "";
		b.onclick = () => { b.textContent = Number(b.textContent) + 1 };
		document.onkeydown = (e) => { keys += e.key };
		</script>`), 0o600))
	p := browser.Open(t, "file://"+file, 800, 600)
	p.Click("#b")
	p.Press("xy")
	p.Wait(`keys === "xy"`)
	assert.Equal(t, "1", p.Text("b"))
	assert.Equal(t, 7, browser.Get[int](p, "Promise.resolve(3 + 4)"))
	assert.Equal(t, 800, browser.Get[int](p, "innerWidth"))
	assert.Equal(t, "\x89PNG", string(p.Picture()[:4]))
}
