package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/need"
)

// attacks are cases of one kind. Each is a command line that a clumsy or malicious user could give.
// The command must end soon, report the fault and leave everything unchanged.
type attacks struct {
	on    string   // the attacked feature
	file  string   // name of the file that holds a case's text; $NAME is an environment variable
	args  string   // arguments before those of a case
	tools []string // tools that the cases need
	cases []attack
}

// attack is a case. The standard error must contain its fragment.
type attack struct {
	name     string
	text     string // content of the file
	args     string // 'some words' are one argument
	code     int
	fragment string
	more     files  // files that the case reads
	leaves   string // files that the case leaves
	answers  bool   // prints on the standard output in spite of exit code 2
}

// files are file contents by name. "-> x" makes a link to x, a name that ends in / a folder, and #!
// a program.
type files map[string]string

// mild is a kernel without a fault.
const mild = ptxHead + `.visible .entry k(.param .u64 to, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	mov.u32 %r1, %tid.x;
	ld.param.u32 %r2, [n];
	setp.ge.u32 %p, %r1, %r2;
	@%p bra DONE;
	ld.param.u64 %rd1, [to];
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	st.global.u32 [%rd1], %r2;
DONE:
	ret;
}
`

const ptxHead = ".version 6.0\n.target sm_70\n.address_size 64\n"

// body returns a kernel with these instructions, which begin at line 8.
func body(code string) string { return module("", code) }

// module returns a kernel with these declarations on line 4.
func module(declarations, code string) string {
	return ptxHead + declarations + "\n" + `.visible .entry h() {
	.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>;
	.reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 %fd<4>;
	` + code + "\n\tret;\n}\n"
}

// launch returns a launch file with these members.
func launch(members string) string {
	return `{"schema": "divergo.launch.v1", "module": "k.ptx", ` + members + "}\n"
}

// oneLaunch is a valid launch of k.ptx.
const oneLaunch = `"buffers": [{"name": "a", "init": "buf:zero:64"}], "launches": [{"block": 16, "args": ["a", "u32:16"]}]`

// repeat returns n texts, each formatted with its number.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// allAttacks is the table of TestHostile.
func allAttacks() []attacks {
	return slices.Concat(attacksOnPTX(), attacksOnRuns(), attacksOnInputs(), attacksOnOutputs(), attacksOnFlags(),
		attacksOnVerbs(), attacksOnCUDA())
}

// TestHostile: divergo reports every attack with the matching exit code, and leaves nothing behind.
// With -short, one attack in four of each kind.
func TestHostile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of files and devices of Unix")
	}
	n := 0
	for _, kind := range allAttacks() {
		for i, c := range kind.cases {
			if n++; forall.LeftOut(i, 4) {
				continue
			}
			t.Run(kind.on+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				need.Tool(t, kind.tools...)
				c.try(t, &kind)
			})
		}
	}
	assert.GreaterOrEqual(t, n, 120)
}

// Patterns of a place in a program, of the thread or warp there, and of a crash.
var (
	placeOfProgram = regexp.MustCompile(`\.(ptx|cu):\d+, PC \d+: \S`)
	threadThere    = regexp.MustCompile(`thread \(\d+,\d+,\d+\) of CTA \(\d+,\d+,\d+\)|CTA \(\d+,\d+,\d+\) warp \d+ lanes [0-9a-f]+`)
	crash          = regexp.MustCompile(`panic|goroutine \d|runtime error|\.go:\d|%!`)
)

// try runs the case in a folder of its own.
func (c *attack) try(t *testing.T, kind *attacks) {
	work, temp := t.TempDir(), t.TempDir()
	env := append(os.Environ(), "TMPDIR="+temp, "DIVERGO_FLAGS=")
	make := files{"k.ptx": mild, "data": "0123456789abcdef"}
	for name, text := range c.more {
		make[name] = text
	}
	if variable, found := strings.CutPrefix(kind.file, "$"); found {
		env = append(env, variable+"="+c.text)
	} else if kind.file != "" {
		make[kind.file] = c.text
	}
	make.in(t, work)
	before := snapshot(t, work)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "divergo", words(kind.args+" "+c.args)...) // TestMain provides it
	var stdout, stderr bytes.Buffer
	command.Dir, command.Env, command.Stdout, command.Stderr = work, env, &stdout, &stderr
	err := command.Run()
	require.NoError(t, ctx.Err(), "does not end\n%s", &stderr)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}

	said := stderr.String()
	assert.Equal(t, c.code, command.ProcessState.ExitCode(), said)
	assert.Contains(t, said, c.fragment)
	assert.NotRegexp(t, crash, said)
	assert.LessOrEqual(t, len(said), 20_000, "of standard error")
	for i, r := range said {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' || r == utf8.RuneError {
			t.Errorf("byte %d of standard error is %q", i, said[i])
		}
	}
	if c.code == exitProgram {
		assert.Regexp(t, placeOfProgram, said)
		assert.Regexp(t, threadThere, said)
	}
	if c.code == exitUsage && !c.answers {
		assert.Empty(t, stdout.String(), "standard output")
	}
	after := snapshot(t, work)
	for _, name := range strings.Fields(c.leaves) {
		assert.NotEmpty(t, after[name], name)
		delete(after, name)
	}
	for name, text := range before {
		assert.Equal(t, text, after[name], name)
		delete(after, name)
	}
	assert.Empty(t, slices.Collect(maps.Keys(after)), "new files")
	assert.Empty(t, snapshot(t, temp), "temporary files")
}

// in makes the files.
func (f files) in(t *testing.T, dir string) {
	for name, text := range f {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		target, link := strings.CutPrefix(text, "-> ")
		switch {
		case strings.HasSuffix(name, "/"):
			require.NoError(t, os.MkdirAll(path, 0o777))
		case link:
			require.NoError(t, os.Symlink(target, path))
		case strings.HasPrefix(text, "#!"):
			require.NoError(t, os.WriteFile(path, []byte(text), 0o777))
		case strings.HasPrefix(name, "readonly"):
			require.NoError(t, os.WriteFile(path, []byte(text), 0o444))
		case strings.HasPrefix(name, "huge"): // a sparse file, which takes no space
			file, err := os.Create(path)
			require.NoError(t, err)
			require.NoError(t, errors.Join(file.Truncate(20<<30), file.Close()))
		default:
			require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		}
	}
}

// snapshot returns everything in a folder, by name.
func snapshot(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := fmt.Sprint(info.Mode(), " ")
		if info.Mode().IsRegular() && info.Size() < 1<<30 {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(content)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += target
		}
		name, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = text
		return err
	}))
	return all
}

// words splits a command line. Text between ' is one word, possibly an empty one.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}
