package verify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// program is a file of testdata: a module, and the runs that the comment at its top gives as shell
// commands.
type program struct {
	name   string
	module *ptx.Module
	runs   []command
}

// command is the part of a command "divergo run" that the tests support.
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

// machine is a configuration to test with.
type machine struct {
	name string
	gpu.Config
}

// machines are the presets that differ most in their pipelines, with wide and with narrow warps.
// They have two SMs, so that CTAs are resident together.
func machines(t *testing.T) (list []machine) {
	t.Helper()
	for _, name := range []string{"tbc", "kepler", "maxwell"} {
		p, err := gpu.FindPreset(name)
		require.NoError(t, err)
		for _, warp := range []int{8, 32} {
			c := p.Config()
			c.GPU.SMs, c.L2.Size = 2, small().L2.Size
			c.SM.WarpSize = warp
			c.SM.Threads = min(c.SM.Threads, 64*warp)
			for _, width := range []*int{&c.SM.SIMDWidth, &c.SM.DPWidth, &c.SM.SFUWidth} {
				*width = min(*width, warp)
			}
			list = append(list, machine{fmt.Sprintf("%s/%d", name, warp), c})
		}
	}
	return list
}

// TestPrograms runs cases that the kernels of the suite do not have. The programs have no data
// races, so they have one right answer.
func TestPrograms(t *testing.T) {
	list, all := programs(t), machines(t)
	if testing.Short() {
		all = all[:1]
	}
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			made := sessions{}
			for _, p := range list {
				runProgram(t, made, m.Config, &p)
			}
		})
	}
}

// TestMechanisms runs the programs under every registered mechanism, on the small machine and on a
// random one. With -short it runs every fourth program.
func TestMechanisms(t *testing.T) {
	list := programs(t)
	for i, d := range divergence.Mechanisms() {
		machines := []machine{{"small", small()}, {"drawn", drawn(uint64(i))}}
		if testing.Short() {
			machines = machines[:1]
		}
		for _, m := range machines {
			m.GPU.SMs = 2
			m.Divergence.Mechanism = d.Name
			t.Run(d.Name+"/"+m.name, func(t *testing.T) {
				made := sessions{}
				for j, p := range list {
					if forall.LeftOut(i+j, 4) {
						continue
					}
					if p.name == "roles" {
						runRoles(t, made, m.Config, &p)
					} else {
						runProgram(t, made, m.Config, &p)
					}
				}
			})
		}
	}
}

// runRoles is runProgram for the program whose warps wait for warps on the other side of a branch.
// Not every mechanism lets them continue. Until it is stuck, the machine must be right.
func runRoles(t *testing.T, made sessions, c gpu.Config, p *program) {
	t.Helper()
	t.Run(p.name, func(t *testing.T) {
		s := made.of(t, c)
		err := Run(s, p.runs[0].launch(t, s, p.module))
		if err == nil {
			return
		}
		d := mismatch(t, err)
		require.NotNil(t, d.Outcome)
		require.Equal(t, gpu.Deadlock, d.Outcome.End)
		require.Empty(t, d.Paths)
		require.Empty(t, d.Broken)
	})
}

// runProgram performs all runs of the program's file on one session.
func runProgram(t *testing.T, made sessions, c gpu.Config, p *program) {
	t.Helper()
	t.Run(p.name, func(t *testing.T) {
		s := made.of(t, c)
		for _, r := range p.runs {
			require.NoError(t, Run(s, r.launch(t, s, p.module)))
		}
	})
}

// TestProgramsHaveOneAnswer checks that the programs have no data races. The golden model varies
// the number of instructions in a thread's turn, and every thread must end alike.
func TestProgramsHaveOneAnswer(t *testing.T) {
	for _, p := range programs(t) {
		t.Run(p.name, func(t *testing.T) {
			s := session(t, small())
			for _, c := range p.runs {
				r := loaded(t, s, c.launch(t, s, p.module))
				want, memory, err := r.golden(golden.Options{Registers: true})
				require.NoError(t, err)
				require.Equal(t, golden.Finished, want.End)
				printed := takePrinted(t, r.launch.Prog, memory)
				for _, slice := range []uint64{1, 7} {
					got, other, err := r.golden(golden.Options{Registers: true, Slice: slice})
					require.NoError(t, err)
					skip := ordered(r.launch.Prog)
					for i := range got.Threads {
						require.Equal(t, want.Threads[i].Trace, got.Threads[i].Trace, "%v", r.name(i))
						for n, v := range got.Threads[i].Regs {
							require.True(t, v == want.Threads[i].Regs[n] || skip.regs[n], "%v %s", r.name(i),
								r.launch.Prog.Regs[n].Name)
						}
					}
					require.Equal(t, printed, takePrinted(t, r.launch.Prog, other))
					require.Equal(t, memory, other)
				}
			}
		})
	}
}

// takePrinted empties the print buffer: the records in it, sorted.
func takePrinted(t *testing.T, p *isa.Program, m *golden.Memory) []string {
	t.Helper()
	if p.Printer == 0 {
		return nil
	}
	printed, err := testbench.ReadPrinted(p, m.Read)
	require.NoError(t, err)
	require.NoError(t, m.Write(p.Printer, make([]byte, isa.PrintBytes)))
	return slices.Sorted(slices.Values(printed.Records))
}

// loaded returns a launch immediately before its start; the launch does not take place.
func loaded(t *testing.T, s *testbench.Session, l testbench.Launch) *run {
	t.Helper()
	var r *run
	enough := errors.New("enough")
	leave := s.OnLaunch.Add(func(l *testbench.Loaded) {
		var err error
		r, err = begin(s, &l.Launch, false)
		require.NoError(t, err)
		l.Refuse(enough)
	})
	require.ErrorIs(t, s.Launch(l), enough)
	leave()
	for _, w := range r.watchers {
		w.detach()
	}
	return r
}
