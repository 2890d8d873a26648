package lab_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cmd/divergo/cli"
	"divergo/cmd/divergo/lab"
	"divergo/internal/browser"
	"divergo/internal/need"
	"divergo/internal/output"
)

// program is compiled once for all tests.
var program = sync.OnceValues(func() (*lab.Program, error) { return lab.Build("divergo/cmd/divergo") })

// native returns what a command line prints on this machine.
func native(t *testing.T, args ...string) string {
	t.Helper()
	var out, failed bytes.Buffer
	require.Zero(t, cli.Run(args, &out, &failed), "%s", &failed)
	return out.String()
}

// TestNode: WebAssembly prints the bytes that the native program prints, and writes the same files.
func TestNode(t *testing.T) {
	need.Tool(t, "node")
	if testing.Short() {
		t.Skip("compiles the whole program")
	}
	p, err := program()
	require.NoError(t, err)
	folder := t.TempDir()
	t.Chdir(folder)
	require.NoError(t, os.WriteFile("divergo.wasm", p.Wasm, 0o600))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	script := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	for _, line := range []string{
		"compare bitonic --mech pdom,tbc,dwf,token,barrier", "run mandelbrot --mech dpe --all", "run bfs --preset volta --json",
		"run vecadd --vcd FILE",
	} {
		nativeFile, wasmFile := filepath.Join(folder, "native.vcd"), filepath.Join(folder, "wasm.vcd")
		want := native(t, strings.Fields(strings.ReplaceAll(line, "FILE", nativeFile))...)
		node := exec.Command("node", append([]string{"--stack-size=8192", script, "divergo.wasm"},
			strings.Fields(strings.ReplaceAll(line, "FILE", wasmFile))...)...)
		var failed bytes.Buffer
		node.Stderr = &failed
		got, err := node.Output()
		require.NoError(t, err, "%s: %s", line, &failed)
		assert.Equal(t, want, string(got), line)
		if strings.Contains(line, "FILE") {
			a, err := os.ReadFile(nativeFile)
			require.NoError(t, err)
			b, err := os.ReadFile(wasmFile)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(a, b), "%s: the waveforms differ", line)
		}
	}
}

// TestPage uses the page as a person does: a kernel of the tree, PTX of one's own, a mistake, a
// cancelled run, and a shared link.
func TestPage(t *testing.T) {
	need.Tool(t, "chromium")
	if testing.Short() {
		t.Skip("compiles the whole program")
	}
	p, err := program()
	require.NoError(t, err)
	site, err := lab.Site(p)
	require.NoError(t, err)
	assert.Less(t, len(site["divergo.wasm.gz"]), 8<<20)
	folder := filepath.Join(t.TempDir(), "site")
	require.NoError(t, output.WriteFolder(folder, site))
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)

	page := browser.Open(t, server.URL, 1300, 900)
	idle := func() {
		page.Wait(`/^(ready|done|stopped|cancelled)/.test(document.getElementById("state").textContent)`)
	}
	set := func(id, value string) {
		browser.Get[bool](page, `(() => { const e = document.getElementById("`+id+`"); e.value = `+"`"+value+"`"+
			`; e.dispatchEvent(new Event("change")); return true })()`)
	}
	idle()
	set("kernel", "bitonic")
	page.Wait(`document.getElementById("ptx").value.includes("bitonic")`)
	run := func() {
		page.Click("#run")
		page.Wait(`document.getElementById("run").disabled === false`)
	}
	run()
	assert.Empty(t, page.Text("errors"))
	assert.Equal(t, native(t, "compare", "bitonic", "--size", "small", "--mech", "pdom,dwf,tbc", "--preset", "tbc"), page.Text("table"))
	page.Click("#tab-cycles")
	page.Wait(`document.querySelector("#cycles img").naturalWidth > 100`)
	page.Click("#tab-timeline")
	page.Wait(`document.querySelector("#timeline iframe").contentDocument?.body?.textContent.includes("bitonic small")`)
	if folder := os.Getenv("PICTURES"); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "lab-timeline.png"), page.Picture(), 0o600))
	}
	page.Click("#tab-table")

	// PTX of one's own, with a mistake, then without
	page.Click("#edit")
	set("ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  blah;\n  ret;\n}\n")
	run()
	assert.Contains(t, page.Text("errors"), "kernel.ptx:6:3")
	set("ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n")
	link := browser.Get[string](page, `pack(state())`)
	run()
	assert.Empty(t, page.Text("errors"))
	assert.Contains(t, page.Text("table"), "finished")

	// a run that takes long is cancelled, and the page goes on
	page.Click("#edit")
	set("kernel", "mandelbrot")
	page.Wait(`document.getElementById("size").options.length > 2`)
	set("size", "large")
	page.Click("#run")
	page.Wait(`/cycle \d/.test(document.getElementById("state").textContent)`)
	page.Click("#cancel")
	set("kernel", "vecadd")
	page.Wait(`document.getElementById("ptx").value.includes("vecadd")`)
	run()
	assert.Contains(t, page.Text("table"), "vecadd small")
	if folder := os.Getenv("PICTURES"); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "lab.png"), page.Picture(), 0o600))
	}

	// the link of a page brings its state to a narrow window
	other := browser.Open(t, server.URL+"/#"+link, 800, 900)
	other.Wait(`document.getElementById("ptx").value.includes(".entry k()")`)
	assert.Equal(t, 800, browser.Get[int](other, "document.documentElement.scrollWidth"))
	if folder := os.Getenv("PICTURES"); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "lab-800.png"), other.Picture(), 0o600))
	}
}
