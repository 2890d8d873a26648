package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// floors are the layers of packages, from the lowest. A package imports only packages of lower
// layers, and none of its own. Sub-packages without an entry are in the layer of their parent and
// may import it.
var floors = [][]string{
	{"internal", "divergo"},
	{"rtl"},
	{"isa", "waves"},
	{"ptx", "units", "memsys/dram"},
	{"memsys", "sm/divergence"},
	{"sm", "internal/audit", "internal/memtest"},
	{"gpu", "blocks"},
	{"testbench/golden", "testbench/functional"},
	{"testbench"},
	{"kernels"},
	{"kernels/runner"},
	{"testbench/verify", "testbench/litmus", "experiments"},
	{"properties/draw", "properties/books", "properties/models"},
	{"properties", "cuda", "internal/hostcheck", "internal/gpucheck"},
	{"sweep"},
	{"cmd", "internal/mutants/hunt"},
	{"docs"},
	{"examples"},
}

// libraries lists third-party modules by the packages that may import them. Those without a package
// are for tests of any package.
var libraries = map[string][]string{
	"github.com/spf13/cobra":             {"cmd"},
	"golang.org/x/term":                  {"cmd"},
	"golang.org/x/sys":                   {"isa"},
	"github.com/ebitengine/purego":       {"sm/divergence"},
	"golang.org/x/tools":                 {"rtl"},
	"github.com/pelletier/go-toml/v2":    {"gpu", "sweep"},
	"github.com/parquet-go/parquet-go":   {"sweep"},
	"github.com/ianlancetaylor/demangle": {"ptx"},
	"github.com/klauspost/compress":      {"testbench", "waves"},
	"github.com/pierrec/lz4":             {"waves"},
	"github.com/stretchr/testify":        nil,
	"github.com/leanovate/gopter":        {"internal"},
	"github.com/chromedp/chromedp":       {"internal"},
}

// floor returns the layer of a package, and the entry of floors that it belongs to.
func floor(path string) (level int, entry string) {
	level = -1
	for i, names := range floors {
		for _, n := range names {
			if (path == n || strings.HasPrefix(path, n+"/")) && len(n) > len(entry) {
				level, entry = i, n
			}
		}
	}
	return level, entry
}

// TestImportsGoDown checks the layers.
func TestImportsGoDown(t *testing.T) {
	list := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
	list.Dir = ".."
	out, err := list.Output()
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		imports := strings.Fields(line)
		path := strings.TrimPrefix(imports[0], "divergo/")
		level, entry := floor(path)
		if !assert.GreaterOrEqual(t, level, 0, "%s is on no floor", path) {
			continue
		}
		for _, i := range imports[1:] {
			if other, ours := strings.CutPrefix(i, "divergo/"); ours {
				l, e := floor(other)
				assert.True(t, l < level || e == entry, "%s imports %s, which is not below it", path, other)
				continue
			}
			for library, homes := range libraries {
				if strings.HasPrefix(i, library) {
					assert.Contains(t, homes, entry, "%s imports %s", path, i)
				}
			}
		}
	}
}

// benches are the packages for tests and for programs that test the checks. No command that ships
// imports them.
var benches = []string{
	"internal/memtest", "internal/forall", "rtl/rtltest", "waves/vcdread", "internal/mutants",
	"internal/gpucheck", "internal/hostcheck", "internal/slurmtest", "kernels/cudac",
}

// TestNoTestBenchShips: divergo links no test bench and no package for writing tests. Packages
// properties and testbench/verify ship, since `divergo check` and --verify use them.
func TestNoTestBenchShips(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "./cmd/divergo")
	list.Dir = ".."
	out, err := list.Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Contains(t, packages, "divergo/properties")
	for _, p := range packages {
		path, ours := strings.CutPrefix(p, "divergo/")
		assert.False(t, ours && (slices.Contains(benches, path) || strings.HasSuffix(path, "test")),
			"divergo needs %s, a test bench", p)
		assert.NotEqual(t, "testing", p, "divergo needs what tests are written with")
		for library, homes := range libraries {
			assert.False(t, homes == nil && strings.HasPrefix(p, library), "divergo needs %s, a library for tests", p)
		}
	}
	for _, b := range benches {
		assert.DirExists(t, "../"+b)
	}
}

// TestOnePlaceMakesFiles: package output writes all files for users. Other packages write only
// temporary files for another program, and generated files of this repository.
func TestOnePlaceMakesFiles(t *testing.T) {
	makes := regexp.MustCompile(`\bos\.(Create|WriteFile|OpenFile|CreateTemp|Rename)\(`)
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if makes.Match(text) {
			found[filepath.ToSlash(filepath.Dir(path))] = true
		}
		return err
	}))
	want := map[string]bool{
		"../internal/output": true, "../kernels/cudac": true, "../cuda": true,
		"../kernels/internal/generate": true, "../internal/mutants": true, "../internal/slurmtest": true,
		"../internal/bench": true,
	}
	for folder := range found {
		assert.True(t, want[folder], "%s makes files", folder)
	}
	assert.True(t, found["../internal/output"])
}

// TestPathsExist: the files and folders of this repository that documents name exist.
func TestPathsExist(t *testing.T) {
	path := regexp.MustCompile("`((?:docs|cmd|examples|experiments|gpu|internal|isa|kernels|memsys|properties|ptx|rtl|sm|testbench|tools|units|waves|\\.ci)/[^`\\s:]+)`")
	found := 0
	for _, file := range append(pages(t), "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range path.FindAllStringSubmatch(string(text), -1) {
			list, err := filepath.Glob("../" + strings.NewReplacer("NAME", "*", "FAMILY", "*").Replace(m[1]))
			require.NoError(t, err)
			assert.NotEmpty(t, list, "%s: %s", file, m[1])
			found++
		}
	}
	assert.Greater(t, found, 30)
}

// TestLines: no line of Go is longer than 120 columns, with tabs of 4. Lines with a string or a
// struct tag are exempt, because these cannot be broken.
func TestLines(t *testing.T) {
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasPrefix(string(text), "// Code generated ") {
			return err
		}
		raw := false // the line is in a string of several lines
		for i, line := range strings.Split(string(text), "\n") {
			within := raw
			raw = raw != (strings.Count(line, "`")%2 == 1)
			if !within && utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > 120 && !strings.ContainsAny(line, "`\"") {
				assert.Fail(t, "a line of more than 120 columns", "%s:%d: %s", path, i+1, line)
			}
		}
		return err
	}))
}
