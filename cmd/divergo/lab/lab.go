// Package lab makes a static site on which divergo runs in the browser.
//
// The program is divergo itself, compiled to WebAssembly. A worker runs its command lines on files in
// memory. So the page shows what the same command prints in a shell. Any web server can serve the
// site; nothing leaves the browser.
package lab

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"divergo/gpu"
	"divergo/internal/output"
	"divergo/kernels"
	"divergo/sm/divergence"
)

//go:embed page
var page embed.FS

// Program is divergo as WebAssembly, and the script of the same Go release that runs it.
type Program struct {
	Wasm   []byte
	Script []byte // wasm_exec.js
}

// names are the files of a Program in a folder.
var names = [2]string{"divergo.wasm", "wasm_exec.js"}

// Beside reads a program that lies in the folder of a release. It is nil without one.
func Beside(folder string) (*Program, error) {
	var p Program
	for i, to := range []*[]byte{&p.Wasm, &p.Script} {
		data, err := os.ReadFile(filepath.Join(folder, names[i]))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		*to = data
	}
	return &p, nil
}

// Build compiles a main package with the Go of the PATH, in the module of the current folder.
func Build(pkg string) (*Program, error) {
	temporary, err := output.TempFolder()
	if err != nil {
		return nil, err
	}
	defer temporary.Remove()
	wasm := temporary.Path(names[0])
	build := exec.Command("go", "build", "-trimpath", "-pgo=off", "-ldflags=-s -w", "-o", wasm, pkg)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := output.Run(build); err != nil {
		return nil, fmt.Errorf("go build for WebAssembly: %w\n%s", err, bytes.TrimSpace(said))
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	var p Program
	if p.Wasm, err = os.ReadFile(wasm); err != nil {
		return nil, err
	}
	p.Script, err = os.ReadFile(filepath.Join(string(bytes.TrimSpace(root)), "lib", "wasm", names[1]))
	return &p, err
}

// index describes what the page offers.
type index struct {
	Kernels    []kernel `json:"kernels"`
	Mechanisms []named  `json:"mechanisms"`
	Presets    []named  `json:"presets"`
	Start      start    `json:"start"`
}

type kernel struct {
	named
	PTX   string  `json:"ptx"`
	CUDA  string  `json:"cuda,omitempty"`
	Sizes []named `json:"sizes"`
}

type named struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// start is what the page shows first.
type start struct {
	Kernel     string   `json:"kernel"`
	Size       string   `json:"size"`
	Preset     string   `json:"preset"`
	Mechanisms []string `json:"mechanisms"`
}

// Site returns the files of the site by name, with slashes. The bytes depend on the program alone.
func Site(p *Program) (map[string][]byte, error) {
	site := map[string][]byte{"wasm_exec.js": p.Script}
	entries, err := page.ReadDir("page")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if site[e.Name()], err = page.ReadFile("page/" + e.Name()); err != nil {
			return nil, err
		}
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(p.Wasm); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	site["divergo.wasm.gz"] = packed.Bytes()

	offers := index{Start: start{"mandelbrot", "small", gpu.DefaultPreset, []string{"pdom", "tbc", "dwf"}}}
	for _, m := range divergence.Mechanisms() {
		offers.Mechanisms = append(offers.Mechanisms, named{m.Name, m.Doc})
	}
	for _, p := range gpu.Presets() {
		offers.Presets = append(offers.Presets, named{p.Name, p.Doc})
	}
	for _, k := range kernels.All() {
		entry := kernel{named: named{k.Name, k.Doc}}
		for _, s := range k.Sizes {
			entry.Sizes = append(entry.Sizes, named{s.Name, s.Doc})
		}
		if entry.PTX, entry.CUDA, err = sources(site, k); err != nil {
			return nil, err
		}
		offers.Kernels = append(offers.Kernels, entry)
	}
	site["index.json"], err = json.Marshal(offers)
	return site, err
}

// sources adds the PTX of a kernel to the site, and the CUDA source unless the kernel is written in
// PTX. It returns their names below kernels/.
func sources(site map[string][]byte, k kernels.Kernel) (ptx, cuda string, err error) {
	ptx = k.Module()
	text, err := kernels.PTX(ptx)
	if err != nil {
		return "", "", err
	}
	site["kernels/"+ptx] = []byte(text)
	cuda = strings.TrimSuffix(ptx, ".ptx") + ".cu"
	text, ok := kernels.Source(cuda)
	if !ok {
		return ptx, "", nil
	}
	site["kernels/"+cuda] = []byte(text)
	return ptx, cuda, nil
}
