package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

// fakeGo is a Go command whose binaries record their build settings. Each prints its arguments.
const fakeGo = `#!/bin/sh
case $* in
"env GOHOSTOS") echo linux ;;
"env GOHOSTARCH") echo amd64 ;;
"env GOROOT") echo ../goroot ;;
"build -C "*" -trimpath -pgo=off -ldflags=-s -w -o "*"/lab/divergo.wasm ./cmd/divergo")
	test "$GOOS $GOARCH" = "js wasm" || exit 1
	echo program >"$8"
	;;
"build -C "*" -trimpath -o "*" ./cmd/divergo")
	test -d "$3/.git" || exit 1
	printf '#!/bin/sh\necho "$@"\n# %s\n' "$GOOS $GOARCH cgo=$CGO_ENABLED env=$GOENV flags=$GOFLAGS" >"$6"
	chmod 755 "$6"
	;;
*) exit 1 ;;
esac
`

// TestRelease makes a release of a small repository with fakeGo, which compiles nothing.
func TestRelease(t *testing.T) {
	need.Tool(t, "git")
	script, err := os.ReadFile("../../../.ci/release")
	require.NoError(t, err)
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), mode))
	}
	command := func(words ...string) (string, error) {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "PATH="+dir+"/bin:"+os.Getenv("PATH"), "GOFLAGS=-race", "GOOS=plan9", "TZ=UTC",
			"GIT_COMMITTER_DATE=2001-02-03T04:05:06Z", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(words ...string) string {
		t.Helper()
		out, err := command(words...)
		require.NoError(t, err, out)
		return out
	}
	refused := func(fragment string, words ...string) {
		t.Helper()
		out, err := command(append([]string{".ci/release"}, words...)...)
		require.Error(t, err, out)
		require.Contains(t, out, fragment)
	}
	write("bin/go", fakeGo, 0o755)
	write("goroot/lib/wasm/wasm_exec.js", "script", 0o644)
	write("repo/.ci/release", string(script), 0o755)
	write("repo/cmd/divergo/cli/version.go", "const release = \"1.2.3\"\n", 0o644)
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		write("repo/"+name, name, 0o644)
	}
	must("git", "init", "-q")
	must("git", "add", ".")
	must("git", "commit", "-q", "-m", "release")

	out := must(".ci/release", "../first")
	assert.Contains(t, out, "check --runs 340000 --seed 10203000000 ")
	assert.Contains(t, out, "/first-"+strings.TrimSpace(must("git", "rev-parse", "--short=12", "HEAD"))+".journal")
	must(".ci/release", "../second")
	must("diff", "-r", "../first", "../second")
	must("sh", "-c", "cd ../first && sha256sum --check --strict SHA256SUMS")
	archives, err := filepath.Glob(dir + "/first/*.tar.gz")
	require.NoError(t, err)
	require.Len(t, archives, 6)
	for _, archive := range archives {
		name := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		words := strings.Split(name, "-") // divergo, version, system, architecture
		require.Equal(t, []string{"divergo", "1.2.3"}, words[:2])
		binary := name + "/divergo"
		if words[2] == "windows" {
			binary += ".exe"
		}
		list := strings.Fields(must("tar", "-tf", archive))
		require.Equal(t, []string{
			name + "/", name + "/CHANGELOG.md", name + "/LICENSE", name + "/README.md", binary,
			name + "/lab/", name + "/lab/divergo.wasm", name + "/lab/wasm_exec.js",
		}, list)
		times := must("tar", "--full-time", "-tvf", archive)
		require.Equal(t, len(list), strings.Count(times, " 0/0 "), times)
		require.Equal(t, len(list), strings.Count(times, " 2001-02-03 04:05:06 "), times)
		want := "\n# " + words[2] + " " + words[3] + " cgo=0 env=off flags=\n"
		require.Contains(t, must("tar", "-xOf", archive, binary), want)
	}

	refused("found 0 arguments")
	refused("first exists", "../first")
	write("repo/notes", "", 0o644)
	refused("?? notes", "../third")
	require.NoError(t, os.Remove(filepath.Join(repo, "notes")))
	write("repo/cmd/divergo/cli/version.go", "const release = \"1.2.3+devel\"\n", 0o644)
	must("git", "commit", "-q", "-a", "-m", "devel")
	refused(`has version "1.2.3+devel"`, "../third")
	assert.NoFileExists(t, dir+"/third")
}
