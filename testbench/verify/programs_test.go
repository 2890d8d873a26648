package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
)

// program is a file of testdata: a module, and the runs that the comment at
// its top gives as commands for a shell.
type program struct {
	name   string
	module *ptx.Module
	runs   []command
}

// command is the part of a command "divergo run" that tests understand.
type command struct {
	kernel      string
	grid, block [3]uint32
	shared      uint32
	args        []testbench.Arg
}

func programs(t *testing.T) []program {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	list := make([]program, len(files))
	for i, file := range files {
		list[i] = load(t, file)
	}
	return list
}

func load(t *testing.T, file string) program {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	name := filepath.Base(file)
	p := program{name: strings.TrimSuffix(name, ".ptx")}
	p.module, err = ptx.Parse(name, text)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if words, ok := strings.CutPrefix(line, "//\tdivergo run "+name); ok {
			p.runs = append(p.runs, parse(t, strings.Fields(words)))
		}
	}
	require.NotEmpty(t, p.runs, "%s has no command at its top", file)
	return p
}

func parse(t *testing.T, words []string) command {
	t.Helper()
	c := command{block: [3]uint32{1, 1, 1}}
	for i := 0; i+1 < len(words); i += 2 {
		var err error
		switch flag, value := words[i], words[i+1]; flag {
		case "--kernel":
			c.kernel = value
		case "--grid":
			c.grid, err = testbench.ParseDim(value)
		case "--block":
			c.block, err = testbench.ParseDim(value)
		case "--shared":
			var n uint64
			n, err = strconv.ParseUint(value, 10, 32)
			c.shared = uint32(n)
		case "--arg":
			var a testbench.Arg
			a, err = testbench.ParseArg(value, uint64(len(c.args)))
			c.args = append(c.args, a)
		default:
			err = fmt.Errorf("unknown flag %s", flag)
		}
		require.NoError(t, err, "%v", words)
	}
	return c
}

// launch places the arguments of a run on a session.
func (c *command) launch(t *testing.T, s *testbench.Session, m *ptx.Module) testbench.Launch {
	t.Helper()
	p, err := testbench.Program(m, c.kernel)
	require.NoError(t, err)
	bank, _, err := s.Place(p, c.args)
	require.NoError(t, err)
	return testbench.Launch{Prog: p, Grid: c.grid, Block: c.block, Shared: c.shared, Params: bank}
}

// machines are the presets that differ most in their pipelines, with wide and
// with narrow warps, and two SMs so that CTAs are resident together.
func machines(t *testing.T) map[string]gpu.Config {
	t.Helper()
	list := map[string]gpu.Config{}
	for _, name := range []string{"tbc2011", "kepler", "maxwell"} {
		p, err := gpu.FindPreset(name)
		require.NoError(t, err)
		for _, warp := range []int{8, 32} {
			c := p.Config()
			c.GPU.SMs = 2
			c.SM.WarpSize = warp
			c.SM.Threads = min(c.SM.Threads, 64*warp)
			for _, width := range []*int{&c.SM.SIMDWidth, &c.SM.DPWidth, &c.SM.SFUWidth} {
				*width = min(*width, warp)
			}
			list[fmt.Sprintf("%s/%d", name, warp)] = c
		}
	}
	return list
}

// TestPrograms runs what the kernels of the suite do not have. The programs
// are data-race free, so that they have one right answer.
func TestPrograms(t *testing.T) {
	list := programs(t)
	for name, c := range machines(t) {
		t.Run(name, func(t *testing.T) {
			for _, p := range list {
				t.Run(p.name, func(t *testing.T) {
					s := session(t, c)
					for _, r := range p.runs {
						require.NoError(t, Run(s, r.launch(t, s, p.module)))
					}
				})
			}
		})
	}
}
