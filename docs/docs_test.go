package docs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
	"divergo/internal/slurmtest"
)

// block is an indented block of a document: a listing or a shell session.
type block struct {
	line  int
	lines []string
}

// blocks returns the indented blocks of a Markdown text.
func blocks(text string) (list []block) {
	open := false
	for i, line := range strings.Split(text, "\n") {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && !open:
			list = append(list, block{line: i + 1, lines: []string{code}})
			open = true
		case indented:
			list[len(list)-1].lines = append(list[len(list)-1].lines, code)
		case strings.TrimSpace(line) != "":
			open = false
		case open: // an empty line belongs to the block if the block continues
			list[len(list)-1].lines = append(list[len(list)-1].lines, "")
		}
	}
	return list
}

var continuation = regexp.MustCompile(`\\\n\s*`)

// commands returns the lines of a block that a shell runs, without comments and with continuations
// joined. A Python program is one command.
func (b *block) commands() (list []string) {
	if imports.MatchString(b.lines[0]) {
		return []string{python + "'" + strings.ReplaceAll(strings.Join(b.lines, "\n"), "'", `'\''`) + "'"}
	}
	text := continuation.ReplaceAllString(strings.Join(b.lines, "\n"), " ")
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "   ") // a column at the right explains the command
		line, _, _ = strings.Cut(line, " #")
		switch word, _, _ := strings.Cut(line, " "); word {
		case "divergo", "go", "cp", "clang-19", "gtkwave", "iverilog", "vvp", "node":
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// python begins a command that runs a Python program. It is Debian's, which has pandas.
const python = "/usr/bin/python3 -c "

// imports matches the first line of a Python program, not of one in Go.
var imports = regexp.MustCompile(`^import \w`)

// TestCommands runs the commands of each document in order. The folder of a document holds the
// repository's kernels, and the listings that begin with their file name. With -short it runs only
// the README. It skips a document if a tool of its commands is not installed.
func TestCommands(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	bin := t.TempDir()
	// a profile would compile all packages again
	build := exec.Command("go", "build", "-pgo=off", "-o", bin, "./cmd/divergo")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	path := bin + string(os.PathListSeparator) + os.Getenv("PATH")

	files := pages(t)
	if testing.Short() {
		files = nil
	}
	for _, file := range append(files, "../README.md") {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, b := range blocks(string(text)) {
				for _, c := range b.commands() {
					need.Tool(t, called(c)...)
				}
			}
			dir := t.TempDir()
			require.NoError(t, os.Symlink(filepath.Join(root, "kernels"), filepath.Join(dir, "kernels")))
			home := root // folder of go commands
			if file == ownMechanism {
				home = dir
				for name, text := range ownFiles(t) {
					require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
				}
			}
			if strings.Contains(string(text), onCluster) {
				slurmtest.New(t)
			}
			for _, b := range blocks(string(text)) {
				if name, ok := strings.CutPrefix(b.lines[0], "// "); ok && filepath.Ext(name) != "" &&
					!strings.Contains(name, " ") {
					text := b.lines
					if ext := filepath.Ext(name); ext == ".json" || ext == ".toml" { // not their comments
						text = text[1:]
					}
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(text, "\n")), 0o644))
					continue
				}
				for _, c := range b.commands() {
					line := strings.ReplaceAll(runnable(t, dir, c), "../divergo", root)
					if line == "" {
						continue
					}
					ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
					cmd := exec.CommandContext(ctx, "sh", "-c", line)
					cmd.Dir = dir
					if strings.HasPrefix(line, "go ") {
						cmd.Dir = home
					}
					cmd.Env = append(os.Environ(), "PATH="+path, "NODE_PATH="+need.Modules,
						"GOBIN="+t.TempDir(), "GONOSUMDB=*")
					out, err := cmd.CombinedOutput()
					cancel()
					assert.NoError(t, err, "%s, block at line %d: %s\n%s", file, b.line, c, out)
				}
			}
		})
	}
}

// called returns the tools that a command calls, directly or through divergo.
func called(command string) []string {
	switch {
	case strings.HasPrefix(command, "divergo cuda "), command == "divergo sweep own.toml": // builds a program
		return need.CUDA
	case strings.HasPrefix(command, "divergo rtl build "):
		return []string{"verilator", "g++", "make"}
	case strings.HasPrefix(command, "iverilog "), strings.HasPrefix(command, "vvp "):
		return []string{"iverilog"}
	case strings.HasPrefix(command, "divergo prove "):
		return []string{"yosys", "abc"}
	case strings.HasPrefix(command, "divergo area "):
		return []string{"yosys", "abc", "osu018", "osu035"}
	case strings.HasPrefix(command, python):
		return []string{"pandas"}
	case strings.HasPrefix(command, "node "):
		return []string{"node", "duckdb"}
	case strings.HasPrefix(command, "clang-19 "):
		return []string{"clang-19"}
	case strings.Contains(command, onCluster):
		return slurmtest.Tools
	}
	return nil
}

// onCluster is the flag of commands that use a cluster.
const onCluster = " --engine slurm"

var drawn = regexp.MustCompile(`^divergo reproduce( [\w-]+)+$`)

var benchtime = regexp.MustCompile(` -benchtime \S+`)

// runnable returns the command that the test runs in place of a reader's command.
//
// It runs the binary instead of go run, and each benchmark once and small. It makes a part of a large
// sweep. It checks files instead of opening a window, and measures some of the claims. TestClaims of
// package experiments measures all claims. runnable is empty for figures that TestDocumented of
// package experiments draws.
func runnable(t *testing.T, dir, command string) string {
	t.Helper()
	switch {
	case strings.HasPrefix(command, "go run ./cmd/divergo "):
		return "divergo " + strings.TrimPrefix(command, "go run ./cmd/divergo ")
	case drawn.MatchString(command):
		return ""
	case command == "divergo list claims":
		return command + " COST"
	case strings.Contains(command, " -bench "):
		return benchtime.ReplaceAllString(command, "") + " -benchtime 1x -short"
	case command == "divergo sweep machines.toml": // 12 of the 288 machines of the tutorial, on all kernels
		return command + " --shard 1/24"
	case strings.HasPrefix(command, "gtkwave "):
		for _, f := range strings.Fields(command)[1:] {
			assert.FileExists(t, filepath.Join(dir, f), command)
		}
		return ""
	case strings.HasPrefix(command, "divergo wave "):
		return command + " --print"
	}
	return command
}

// pages returns the pages of the four folders, and their index.
func pages(t *testing.T) []string {
	files, err := filepath.Glob("*/*.md")
	require.NoError(t, err)
	require.Greater(t, len(files), 15)
	return append(files, "README.md")
}

// TestIndex: the index names each page once, and the README names the index.
func TestIndex(t *testing.T) {
	index, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, f := range pages(t) {
		if f != "README.md" {
			assert.Equal(t, 1, strings.Count(string(index), "]("+f+")"), f)
		}
	}
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "docs/README.md")
}

// TestLinks: the targets of all links exist.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\[[^\]\n]+\]\(([\w./-]+)(#[^)]*)?\)`)
	found := 0
	for _, file := range append(pages(t), "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			assert.FileExists(t, filepath.Join(filepath.Dir(file), m[1]), file)
			found++
		}
	}
	assert.Greater(t, found, 20)
}

var listed = regexp.MustCompile(`^\s*(-|\d+\.) `)

// TestProse: prose fits terminals and small screens. Tables and listings may be wide.
func TestProse(t *testing.T) {
	const columns, lines = 120, 8
	for _, file := range pages(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		paragraph, fenced := 0, false
		for i, line := range strings.Split(string(text), "\n") {
			item := listed.MatchString(line)
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced || line == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    ") ||
				strings.HasPrefix(line, "![") {
				paragraph = 0
				continue
			}
			if paragraph++; item {
				paragraph = 1
			}
			assert.LessOrEqual(t, len([]rune(line)), columns, "%s:%d", file, i+1)
			assert.LessOrEqual(t, paragraph, lines, "%s:%d", file, i+1)
		}
	}
}
