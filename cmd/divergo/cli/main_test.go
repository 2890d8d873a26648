package cli

import (
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"divergo/internal/need"
	"divergo/isa"
	"divergo/sm/divergence"
)

func TestMain(m *testing.M) {
	if os.Getenv("PLANTED") != "" {
		plant()
	}
	divergo := func() { os.Exit(Run(os.Args[1:], os.Stdout, os.Stderr)) }
	testscript.Main(m, map[string]func(){"divergo": divergo})
}

// plant registers three mechanisms with bugs, as a user's program does. In late, the targets of
// backward branches are off by one. In wrap, backward branches are inverted, so that loops end when
// their counters wrap. In lost, backward branches lead to the next instruction.
func plant() {
	m, _ := divergence.Find("pdom")
	for name, change := range map[string]func(in *isa.Inst){
		"late": func(in *isa.Inst) { in.Target++ },
		"wrap": func(in *isa.Inst) { in.Guard.Not = !in.Guard.Not },
		"lost": func(in *isa.Inst) { in.Target = in.Reconv },
	} {
		m.Name = name
		m.Prepare = func(_ divergence.Options, p *isa.Program) *isa.Program {
			made := *p
			made.Insts = slices.Clone(p.Insts)
			for pc := range made.Insts {
				if in := &made.Insts[pc]; in.Conditional() && in.Target+2 < uint32(pc) {
					change(in)
				}
			}
			return &made
		}
		divergence.Register(m)
	}
}

// TestScripts runs the scripts of testdata/script. They can use these commands, besides
// testscript's own:
//
//	exits CODE PROGRAM ARGS...   the program ends with this exit code
//	json PATH VALUE              the last standard output is JSON with this value (* for any) at a path a/b/0
//	same                         the folder has no files but those that the script started with
//	png FILE W H                 the file is a picture of this size
//	narrow N                     no line of the last standard output has more than N columns
//	screen N M                   the last standard output has at most N lines; all but the first have
//	                             at most M columns
//	page FILE CODE...            the commands of a page, in its folder, end with these exit codes
//	need TOOL...                 the script is skipped if one of these tools is not installed
//
// A script that takes seconds begins with [short] skip.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"json":   checkJSON,
			"same":   nothingNew,
			"png":    checkPNG,
			"narrow": narrow,
			"screen": screen,
			"page":   runPage,
			"need":   needTools,
		},
		Setup: func(env *testscript.Env) error {
			entries, err := os.ReadDir(env.WorkDir)
			if err != nil {
				return err
			}
			known := map[string]bool{}
			for _, e := range entries {
				known[e.Name()] = true
			}
			env.Values["known"] = known
			env.Values["test"] = env.T()
			env.Setenv("ESC", "\x1b")
			return nil
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d\n%s", code, want, ts.ReadFile("stderr"))
	}
}

func screen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: screen N M")
	}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	if most, _ := strconv.Atoi(args[0]); len(lines) > most {
		ts.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines[1:] {
		if most, _ := strconv.Atoi(args[1]); len(line) > most {
			ts.Fatalf("%d columns: %s", len(line), line)
		}
	}
}

func needTools(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: need TOOL...")
	}
	if why := need.Missing(args...); why != "" {
		ts.Value("test").(testscript.T).Skip(why)
	}
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for step := range strings.SplitSeq(args[0], "/") {
		switch at := v.(type) {
		case map[string]any:
			value, ok := at[step]
			if !ok {
				ts.Fatalf("no %q in %s", step, args[0])
			}
			v = value
		case []any:
			i, err := strconv.Atoi(step)
			ts.Check(err)
			if i >= len(at) {
				ts.Fatalf("%s has %d elements", args[0], len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%s goes on behind a value", args[0])
		}
	}
	text, err := json.Marshal(v)
	ts.Check(err)
	if got := strings.Trim(string(text), `"`); args[1] != "*" && got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

func nothingNew(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: same")
	}
	entries, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	known := ts.Value("known").(map[string]bool)
	for _, e := range entries {
		if !known[e.Name()] {
			ts.Fatalf("%s was left behind", e.Name())
		}
	}
}

// narrow checks the width of the last standard output, which is ASCII.
func narrow(ts *testscript.TestScript, neg bool, args []string) {
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if line = strings.TrimSuffix(line, "\n"); len(line) > most {
			ts.Fatalf("%d columns, want at most %d: %s", len(line), most, line)
		}
	}
}

// runPage runs the commands of a page: lines that begin with four spaces and the program's name. It
// appends their output to page.txt.
func runPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: page FILE CODE...")
	}
	var got []string
	var said strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		command, ok := strings.CutPrefix(line, "    divergo ")
		if !ok {
			continue
		}
		c := exec.Command("divergo", strings.Fields(command)...)
		c.Dir = ts.MkAbs(filepath.Dir(args[0]))
		c.Env = append(os.Environ(), "PLANTED="+ts.Getenv("PLANTED"), "PATH="+ts.Getenv("PATH"))
		if path, err := exec.LookPath("divergo"); err == nil {
			c.Path, c.Err = path, nil
		}
		text, _ := c.CombinedOutput() // the exit code is checked below
		said.WriteString(line + string(text))
		got = append(got, strconv.Itoa(c.ProcessState.ExitCode()))
	}
	ts.Check(os.WriteFile(ts.MkAbs("page.txt"), []byte(said.String()), 0o666))
	if !slices.Equal(got, args[1:]) {
		ts.Fatalf("the commands of %s end with %v\n%s", args[0], got, &said)
	}
}

func checkPNG(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: png FILE W H")
	}
	picture, err := png.Decode(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	size := picture.Bounds().Size()
	if strconv.Itoa(size.X) != args[1] || strconv.Itoa(size.Y) != args[2] {
		ts.Fatalf("%s is %dx%d", args[0], size.X, size.Y)
	}
}
