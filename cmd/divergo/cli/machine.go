package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/races"
	"divergo/testbench/verify"
)

// machineFlags select and configure the machine.
type machineFlags struct {
	preset, file, mechanism, lanes string
	base, baseMechanism            string // the launch file's config file and mechanism
	set                            []string
	workers                        int
	maxCycles                      uint64
	verify                         bool
	fast                           string
	sample                         int
	pad                            uint64
	races                          bool
	watched                        *races.Detector    // of the last session, with --races
	told                           map[[2]string]bool // line pairs of the races already reported
	detailed                       span               // --fast: launches that the machine simulates
	warnings                       warnings
}

// addConfig adds the flags that describe a machine. The preset that is set beforehand is the
// default.
func (m *machineFlags) addConfig(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&m.preset, "preset", cmp.Or(m.preset, gpu.DefaultPreset),
		"machine to start from; \"divergo list presets\"")
	f.StringVar(&m.file, "config", "", "TOML `FILE` with keys that change the preset")
	f.StringArrayVar(&m.set, "set", nil,
		"`KEY=VALUE` that changes preset and file; \"divergo list keys\"; can be repeated")
}

// add adds the flags of verbs that run a machine. one adds --mech, for verbs with one mechanism.
func (m *machineFlags) add(c *cobra.Command, one bool) {
	m.addConfig(c)
	f := c.Flags()
	if one {
		f.StringVar(&m.mechanism, "mech", "", "divergence mechanism `NAME`; \"divergo list mechanisms\"")
		f.IntVar(&m.sample, "sample", 0, "simulate one of `K` launches of a kernel, and one of K CTAs of a large one, and estimate "+
			"the cycles of all, with a bound (docs/howto/sampling.md); the functional model runs the others")
	}
	f.StringVar(&m.lanes, "lanes", "", "lane permutation `NAME`; \"divergo list lanes\"")
	f.IntVar(&m.workers, "workers", 0, "processors that simulate, as far as they pay; 0: all; the result is the same for any number")
	f.BoolVar(&m.verify, "verify", false,
		"compare every thread with the golden model: PCs, registers at the exit, memory")
	f.StringVar(&m.fast, "fast", "",
		"simulate launches `N..M`, counted from 1; the functional model runs the others, which the statistics leave out")
	f.Uint64Var(&m.pad, "pad", 0, "threads may read `BYTES` outside of buffers, where they get zeros; a warning counts that")
	f.BoolVar(&m.races, "races", false,
		"report data races: accesses of two threads to a byte that nothing orders (docs/howto/races.md); the exit code is then 1")
	f.Uint64Var(&m.maxCycles, "max-cycles", 0,
		"give up a launch after so many core cycles, one of --fast after as many instructions as fit into them; 0: never")
}

// inWords describes a machine: its preset, its size, and the keys with other values than those of the
// preset.
func inWords(preset string, c *gpu.Config) string {
	text := fmt.Sprintf("preset %s: SMs %d, warps of an SM %d, lanes of a warp %d", preset, c.GPU.SMs, c.SM.Warps(), c.SM.WarpSize)
	p, err := gpu.FindPreset(preset)
	if err != nil {
		return text
	}
	base := p.Config()
	was := base.Resolved()
	var changed []string
	for i, k := range c.Resolved() {
		if k.Value != was[i].Value && k.Key != "divergence.mechanism" {
			changed = append(changed, fmt.Sprintf("%s=%v", k.Key, k.Value))
		}
	}
	if len(changed) > 0 {
		text += "; changed: " + strings.Join(changed, " ")
	}
	return text
}

// config returns the machine that the flags describe. Later sources override earlier ones: the
// preset, a launch file's configuration, --config, --set, then --mech and --lanes.
func (m *machineFlags) config() (gpu.Config, error) {
	preset, err := gpu.FindPreset(m.preset)
	if err != nil {
		return gpu.Config{}, fmt.Errorf("--preset: %w", err)
	}
	c := preset.Config()
	if m.base != "" {
		text, err := input.Read(m.base, gpu.MaxDocument)
		if err != nil {
			return c, err
		}
		if err := c.Load(printable.Name(m.base), text); err != nil {
			return c, err
		}
	}
	if m.baseMechanism != "" {
		c.Divergence.Mechanism = m.baseMechanism
	}
	var text []byte
	if m.file != "" {
		if text, err = input.Read(m.file, gpu.MaxDocument); err != nil {
			return c, fmt.Errorf("--config: %w", err)
		}
		if err := c.Load(printable.Name(m.file), text); err != nil {
			return c, err
		}
	}
	var changed []string
	var errs []error
	for _, assignment := range m.set {
		if err := c.Set(assignment); err != nil {
			errs = append(errs, fmt.Errorf("--set: %w", err))
		}
		name, _, _ := strings.Cut(assignment, "=")
		changed = append(changed, strings.TrimSpace(name))
	}
	if m.mechanism != "" {
		if _, err := divergence.Open(m.mechanism); err != nil {
			errs = append(errs, fmt.Errorf("--mech: %w", err))
		} else {
			c.Divergence.Mechanism = m.mechanism
			changed = append(changed, "divergence.mechanism")
		}
	}
	if m.lanes != "" {
		if err := c.Set("sm.lanes=" + m.lanes); err != nil {
			errs = append(errs, fmt.Errorf("--lanes: %w", err))
		}
		changed = append(changed, "sm.lanes")
	}
	if m.pad > maxPad {
		errs = append(errs, fmt.Errorf("--pad %d: want at most %d bytes", m.pad, maxPad))
	}
	if m.fast != "" {
		if m.detailed, err = parseSpan(m.fast); err != nil {
			errs = append(errs, fmt.Errorf("--fast %w", err))
		}
	}
	if m.sample < 0 || m.sample == 1 {
		errs = append(errs, fmt.Errorf("--sample %d: want 2 or more", m.sample))
	}
	errs = append(errs, gpu.Locate(c.Check(), printable.Name(m.file), text, changed))
	return c, errors.Join(errs...)
}

// samples refuses flags that --sample has no meaning with.
func (m *machineFlags) samples(c *cobra.Command) error {
	for _, name := range []string{"fast", "verify", "races", "vcd", "trace", "profile"} {
		if m.sample > 0 && c.Flags().Changed(name) {
			return fmt.Errorf("--sample simulates some launches and CTAs: leave out --%s, or use --fast N..M in place of --sample",
				name)
		}
	}
	return nil
}

// reads registers the files that the flags read.
func (m *machineFlags) reads(files *output.Set) {
	if m.file != "" {
		files.Reads("--config", m.file)
	}
	if m.base != "" {
		files.Reads("the machine", m.base)
	}
}

// host returns the machine that workloads use to run a session.
func (m *machineFlags) host(s *testbench.Session) kernels.Machine {
	if m.verify {
		return verify.New(s)
	}
	return runner.New(s)
}

// launch runs one grid.
func (m *machineFlags) launch(s *testbench.Session, l testbench.Launch) error {
	if m.verify {
		return verify.Run(s, l)
	}
	return s.Launch(l)
}

// maxPad is the largest value of --pad, in bytes. It limits how far outside of a buffer reads are
// allowed.
const maxPad = 1 << 20

// span is a range of numbers, both ends included.
type span struct{ from, to int }

// parseSpan reads N..M, N.., ..M or N, counted from 1.
func parseSpan(text string) (span, error) {
	from, to, several := strings.Cut(text, "..")
	s := span{1, math.MaxInt}
	var errs [2]error
	if from != "" || !several {
		s.from, errs[0] = strconv.Atoi(from)
	}
	if !several {
		s.to = s.from
	} else if to != "" {
		s.to, errs[1] = strconv.Atoi(to)
	}
	if errs != [2]error{} || s.from < 1 || s.to < s.from {
		return s, fmt.Errorf("%q: want launches N..M, N.. or ..M, counted from 1", text)
	}
	return s, nil
}
