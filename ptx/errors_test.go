package ptx

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	wantLine   = regexp.MustCompile(`// ERROR (".*")`)
	wantPhrase = regexp.MustCompile(`"([^"]*)"`)
)

// everyError collects the diagnostics of a file: those of Parse or, if there
// are none, those of each kernel.
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

// The files in testdata/errors say on each line which diagnostics it gets.
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
