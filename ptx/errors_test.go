package ptx

import (
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

var (
	wantLine   = regexp.MustCompile(`// ERROR (".*")`)
	wantPhrase = regexp.MustCompile(`"([^"]*)"`)
)

// everyError collects the diagnostics of a file: those of Parse or, if there are none, those of
// each kernel.
func everyError(file string, src []byte) (list List) {
	m, err := Parse(file, src)
	if err != nil {
		return err.(List)
	}
	for _, k := range m.Kernels() {
		if _, err := m.Program(k); err != nil {
			list = append(list, err.(List)...)
		}
	}
	return list
}

// The files in testdata/errors name, on each line, its diagnostics.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			got := map[int][]string{}
			for _, e := range everyError(file, src) {
				got[int(e.Pos.Line)] = append(got[int(e.Pos.Line)], e.Msg)
				if e.Pos.Line > 0 {
					assert.NotEmpty(t, e.Code)
					assert.LessOrEqual(t, int(e.Pos.Col), len(e.Line)+1, e.Msg)
				}
			}
			for i, line := range strings.Split(string(src), "\n") {
				n := i + 1
				var want []string
				if m := wantLine.FindStringSubmatch(line); m != nil {
					for _, p := range wantPhrase.FindAllStringSubmatch(m[1], -1) {
						want = append(want, p[1])
					}
				}
				if !assert.Len(t, got[n], len(want), "line %d: %s", n, line) {
					continue
				}
				for i, w := range want {
					assert.Regexp(t, w, got[n][i], "line %d", n)
				}
			}
			assert.Empty(t, got[0])
		})
	}
}

// A diagnostic shows the source line without its indentation. The caret points at the column,
// whatever the width of the characters before it. Long lines are cut.
func TestErrorText(t *testing.T) {
	e := Error{
		File: "k.ptx", Pos: isa.Pos{Line: 3, Col: 14}, Msg: "undeclared register %x",
		Line: "\t\tadd.s32\t%r1, %x, 5; // é",
	}
	assert.Equal(t, "k.ptx:3:14: undeclared register %x\n\tadd.s32\t%r1, %x, 5; // é\n\t       \t   ^", e.Error())
	e.Pos.Col = 1000
	assert.NotPanics(t, func() { _ = e.Error() })
	e = Error{File: "k.ptx", Pos: isa.Pos{Line: 1, Col: 5001}, Msg: "m", Line: strings.Repeat("1, ", 2000)}
	lines := strings.Split(e.Error(), "\n")
	require.Len(t, lines, 3)
	assert.Less(t, len(lines[1]), 130)
	assert.Equal(t, len(lines[2])-1, 61, "the caret stands in the middle")
	assert.Equal(t, "k.ptx: m", (&Error{File: "k.ptx", Msg: "m"}).Error())
}

func TestDidYouMean(t *testing.T) {
	for word, want := range map[string]string{
		"ad":   "; did you mean add?",
		"mvo":  "; did you mean mov?",
		"setq": "; did you mean set?",
		"xyz":  "",
	} {
		assert.Equal(t, want, didYouMean(word, []string{"add", "mov", "set"}), word)
	}
	assert.Empty(t, didYouMean(strings.Repeat("a", 1000), []string{"add"}))
}

// The package may import only packages below it.
func TestImports(t *testing.T) {
	pkg, err := build.ImportDir(".", 0)
	require.NoError(t, err)
	for _, path := range pkg.Imports {
		if strings.Contains(path, ".") || strings.HasPrefix(path, "divergo/") {
			assert.Contains(t, []string{
				"divergo/isa", "divergo/internal/graph", "divergo/internal/nearest",
				"divergo/internal/place", "divergo/internal/printf", "github.com/ianlancetaylor/demangle",
			}, path)
		}
	}
}
