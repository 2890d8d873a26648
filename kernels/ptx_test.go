package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/need"
	"divergo/kernels/cudac"
)

// sources returns the names of the files in cuda, without extension.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("cuda/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".cu"))
	}
	return names
}

func TestPTXIsWhatTheSourcesCompileTo(t *testing.T) {
	need.Tool(t, cudac.Compiler)
	elsewhere := t.TempDir()
	for i, name := range sources(t) {
		if forall.LeftOut(i, 8) {
			continue
		}
		source, err := os.ReadFile("cuda/" + name + ".cu")
		require.NoError(t, err)
		copied := filepath.Join(elsewhere, name+".cu")
		require.NoError(t, os.WriteFile(copied, source, 0o600))

		fresh, err := cudac.Compile(copied)
		require.NoError(t, err)
		kept, err := PTX(name + ".ptx")
		require.NoError(t, err)
		assert.Equal(t, kept, string(fresh), "run go generate ./kernels")

		narrow, err := cudac.Compile32(copied)
		require.NoError(t, err)
		if narrow != nil {
			kept, err = PTX32(name + ".ptx")
			require.NoError(t, err)
			assert.Equal(t, kept, string(narrow), "run go generate ./kernels")
		}
	}
}

func TestEveryModuleHasASource(t *testing.T) {
	modules, err := filepath.Glob("ptx/*.ptx")
	require.NoError(t, err)
	assert.Len(t, modules, len(sources(t)))
}

func TestUnknownModule(t *testing.T) {
	_, err := PTX("vecadd")
	assert.ErrorContains(t, err, `"vecadd"`)
}

// TestControlFlowOfTheSourceSurvives: the branches of the source are branches of the PTX. Each line
// with an if or a loop has a conditional bra, or several with && or ||. A loop that only a break
// ends has no condition.
func TestControlFlowOfTheSourceSurvives(t *testing.T) {
	control := regexp.MustCompile(`^\s*(?:\} else )?(?:if|for|while) \(`)
	loc := regexp.MustCompile(`^\s*\.loc\s+1 (\d+) `)
	branch := regexp.MustCompile(`^\s*@!?%p\d+ bra`)
	for _, name := range sources(t) {
		text, err := PTX(name + ".ptx")
		require.NoError(t, err)
		branches := map[int]int{}
		line := 0
		for _, inst := range strings.Split(text, "\n") {
			if at := loc.FindStringSubmatch(inst); at != nil && at[1] != "0" {
				_, err := fmt.Sscan(at[1], &line)
				require.NoError(t, err)
			}
			if branch.MatchString(inst) {
				branches[line]++
			}
		}

		source, err := os.ReadFile("cuda/" + name + ".cu")
		require.NoError(t, err)
		for i, code := range strings.Split(string(source), "\n") {
			if control.MatchString(code) && !strings.Contains(code, "(;;)") {
				want := 1 + strings.Count(code, "&&") + strings.Count(code, "||")
				assert.GreaterOrEqual(t, branches[i+1], want, "%s.cu:%d: %s", name, i+1, code)
			}
		}
	}
}

func TestPTXIsPlain(t *testing.T) {
	for _, name := range sources(t) {
		text, err := PTX(name + ".ptx")
		require.NoError(t, err)
		assert.NotRegexp(t, `selp|fma\.|\.approx`, text, name)
		assert.NotRegexp(t, `\b(and|or)\.pred`, text, name)
		assert.Equal(t, []string{`.file	1 "` + name + `.cu"`},
			regexp.MustCompile(`\.file.*`).FindAllString(text, -1))
		assert.NotContains(t, text, `"/`, name)
	}
}
