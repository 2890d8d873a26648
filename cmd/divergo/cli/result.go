package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"divergo/gpu"
	"divergo/internal/table"
	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/races"
)

// result is the output of a run.
type result struct {
	Schema    string              `json:"schema"`
	Kernel    string              `json:"kernel"`
	Size      string              `json:"size,omitempty"`
	Seed      uint64              `json:"seed"`
	Mechanism string              `json:"mechanism"`
	Outcome   string              `json:"outcome"`
	Fault     *testbench.Fault    `json:"fault,omitempty"`
	Waiting   []testbench.Waiting `json:"waiting,omitempty"`
	Reference string              `json:"reference,omitempty"` // built-in kernels: "equal", or the difference
	Launches  []launchResult      `json:"launches"`
	Sample    *sampleResult       `json:"sample,omitempty"`  // with --sample
	Printed   []string            `json:"printed,omitempty"` // one string for each call of printf
	Dropped   uint32              `json:"printed_dropped,omitempty"`
	Races     []*races.Race       `json:"races,omitempty"` // with --races
	Config    map[string]any      `json:"config"`
	Stats     map[string]any      `json:"stats"`
	Profile   map[string]any      `json:"profile,omitempty"`
	counters  testbench.Counters
	preset    string
	settings  []gpu.Setting
	kernels   []testbench.KernelRuns // compare only
}

// launchResult is one launch of a run.
type launchResult struct {
	Kernel    string    `json:"kernel"`
	Grid      [3]uint32 `json:"grid"`
	Block     [3]uint32 `json:"block"`
	Cycles    uint64    `json:"cycles"`
	CTAsPerSM int       `json:"ctas_per_sm"`
	Limit     string    `json:"limited_by"`
	Emulated  bool      `json:"emulated,omitempty"`

	Functional *functionalResult  `json:"functional,omitempty"` // of an emulated launch
	Divided    *testbench.Divided `json:"divided,omitempty"`    // with --sample, of a large launch
}

// sampleResult is the estimate of a run with --sample.
type sampleResult struct {
	Every      int     `json:"every"`
	Launches   int     `json:"launches"`
	Simulated  int     `json:"simulated"`
	Divided    int     `json:"divided"`
	Cycles     float64 `json:"cycles"` // of all launches
	Bound      float64 `json:"bound"`
	Confidence float64 `json:"confidence"`
}

// newSample returns the estimate of a session, nil if it is not sampled.
func newSample(s *testbench.Session) *sampleResult {
	if s.Sample == nil {
		return nil
	}
	e := s.Sample.Estimate()
	return &sampleResult{
		s.Sample.Every, len(s.Runs), e.Simulated, e.Divided, math.Round(e.Cycles), math.Ceil(e.Bound), testbench.Confidence,
	}
}

// String describes the estimate in a line.
func (r *sampleResult) String() string {
	return fmt.Sprintf("%d of %d launches simulated, of %d some CTAs: cycles of all %.0f ± %.0f (%.1f %%), confidence %.1f %%",
		r.Simulated, r.Launches, r.Divided, r.Cycles, r.Bound, 100*r.Bound/max(r.Cycles, 1), 100*r.Confidence)
}

// functionalResult are the counts of a launch on the functional model.
type functionalResult struct {
	Instructions uint64         `json:"warp_instructions"`
	Lanes        uint64         `json:"thread_instructions"`
	Active       []uint64       `json:"active_lane_histogram"`
	Lines        uint64         `json:"mem_lines"`
	Branches     []branchResult `json:"branches"`
}

// branchResult are the outcomes of a branch.
type branchResult struct {
	PC        int    `json:"pc"`
	Where     string `json:"where"` // source line
	Executed  uint64 `json:"executed"`
	Divergent uint64 `json:"divergent"`
}

// newFunctional returns the counts of an emulated launch, or nil.
func newFunctional(r *testbench.Run, warpSize int) *functionalResult {
	c := r.Functional
	if c == nil {
		return nil
	}
	f := &functionalResult{
		Instructions: c.Instructions, Lanes: c.Lanes, Active: c.Active[:warpSize+1], Lines: c.Lines,
		Branches: []branchResult{},
	}
	for pc, b := range c.Branches {
		if b.Executed > 0 {
			f.Branches = append(f.Branches, branchResult{pc, r.Launch.Prog.Called(uint32(pc)), b.Executed, b.Divergent})
		}
	}
	return f
}

// schema returns the name of a verb's JSON format. The number grows when the meaning of a field
// changes.
func schema(verb string) string { return "divergo." + verb + ".v1" }

// newResult collects the results of a session.
func newResult(s *testbench.Session, preset, kernel, size string, seed uint64) *result {
	r := &result{
		Schema: schema("run"), Kernel: kernel, Size: size, Seed: seed,
		Mechanism: s.Machine.Config.Divergence.Mechanism,
		Outcome:   gpu.Finished.String(),
		Launches:  []launchResult{},
		Config:    make(map[string]any),
		Stats:     make(map[string]any),
		counters:  s.Counters(),
		preset:    preset,
		settings:  s.Machine.Config.Resolved(),
		Sample:    newSample(s),
	}
	for i := range s.Runs {
		run := &s.Runs[i]
		r.Launches = append(r.Launches, launchResult{
			run.Launch.Prog.Name, run.Launch.Grid, run.Launch.Block, run.Outcome.Cycle, run.Occupancy.CTAs,
			run.Occupancy.Limit, run.Emulated, newFunctional(run, s.Machine.Config.SM.WarpSize),
			run.Divided,
		})
		r.Printed = append(r.Printed, run.Printed.Records...)
		r.Dropped += run.Printed.Dropped
		if !run.Outcome.OK() {
			r.Outcome, r.Fault, r.Waiting = run.Outcome.End.String(), run.Outcome.Fault, run.Outcome.Waiting
		}
	}
	for _, k := range r.settings {
		r.Config[k.Key] = k.Value
	}
	for _, stat := range testbench.Stats() {
		r.Stats[stat.Name] = stat.Value(&r.counters)
	}
	return r
}

// print writes the result as text: the most important values, or all.
func (r *result) print(w io.Writer, all bool) error {
	if text := strings.Join(r.Printed, ""); text != "" {
		fmt.Fprintln(w, strings.TrimSuffix(text, "\n"))
	}
	head := table.New()
	head.Row("kernel", strings.TrimSpace(r.Kernel+" "+r.Size))
	if plain := ptx.Demangled(r.Kernel); plain != r.Kernel {
		head.Row("", plain)
	}
	head.Row("mechanism", r.Mechanism)
	head.Row("outcome", r.Outcome)
	if r.Reference != "" {
		head.Row("reference", r.Reference)
	}
	if r.Sample != nil {
		head.Row("sampled", r.Sample)
	}
	if n := len(r.Launches); n > 0 {
		l := r.Launches[n-1]
		emulated, sum, branches := 0, functionalResult{}, branchResult{}
		for _, l := range r.Launches {
			if f := l.Functional; f != nil {
				emulated++
				sum.Instructions += f.Instructions
				sum.Lanes += f.Lanes
				sum.Lines += f.Lines
				for _, b := range f.Branches {
					branches.Executed, branches.Divergent = branches.Executed+b.Executed, branches.Divergent+b.Divergent
				}
			}
		}
		if emulated > 0 {
			head.Row("emulated", fmt.Sprintf("%d of them, which the statistics leave out: warp instructions %d, "+
				"thread instructions %d, branches %d, of these divergent %d, memory lines %d", emulated,
				sum.Instructions, sum.Lanes, branches.Executed, branches.Divergent, sum.Lines))
		}
		head.Row("launches", fmt.Sprintf("%d; grid %s, block %s, %d CTAs an SM (limited by %s)", n, shape(l.Grid),
			shape(l.Block), l.CTAsPerSM, l.Limit))
	}
	if r.Dropped > 0 {
		head.Row("printed", fmt.Sprintf("%d records; %d more did not fit the print buffer of %d bytes", len(r.Printed),
			r.Dropped, isa.PrintBytes))
	}
	if _, err := head.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := r.printStats(w, all); err != nil {
		return err
	}
	if all {
		return printConfig(w, r.settings)
	}
	return r.printMachine(w)
}

// summary lists the statistics that a run prints without --all. The mechanism's own statistics are
// printed, too.
var summary = []string{
	"cycles", "warp_instructions", "thread_instructions", "ipc", "simd_efficiency", "cycle_breakdown", "idle_breakdown",
	"branches", "divergent_branches", "stack_max_depth", "stack_spills", "inserted_instructions", "compacted_entries",
	"sync_stalls_branch", "sync_stalls_join", "capri_accuracy", "pool_evictions", "absent_lane_reads",
	"herded_branches", "herded_loads",
	"mem_instructions", "mem_lines", "shared_bank_conflicts", "l1_hit_rate", "l2_hit_rate", "dram_row_hit_rate",
	"dram_bw_util",
}

// printStats writes all statistics, or those of the summary and the nonzero ones of the mechanism.
func (r *result) printStats(w io.Writer, all bool) error {
	t := table.New("statistic", "value", "unit")
	more := 0
	row := func(name string, shown bool, value any, unit string) {
		if !shown || !all && (value == uint64(0) || value == 0.0) {
			more++
			return
		}
		t.Row(name, value, unit)
	}
	for _, stat := range testbench.Stats() {
		shown := all || slices.Contains(summary, stat.Name) || strings.HasPrefix(stat.Name, r.Mechanism+".")
		switch v := stat.Value(&r.counters).(type) {
		case []uint64:
			for i, n := range v {
				if n > 0 {
					row(fmt.Sprintf("%s[%d]", stat.Name, i), shown, n, stat.Unit)
				}
			}
		case map[string]uint64:
			for _, name := range sortedNames(v) {
				row(stat.Name+"."+name, shown, v[name], stat.Unit)
			}
		default:
			row(stat.Name, shown, v, stat.Unit)
		}
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	if more > 0 {
		fmt.Fprintf(w, "(%d more with --all)\n", more)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printMachine writes one line: the preset, the keys that differ from it, and the named keys.
func (r *result) printMachine(w io.Writer, named ...string) error {
	preset, err := gpu.FindPreset(r.preset)
	if err != nil {
		return err
	}
	usual := preset.Config()
	line := "machine: " + r.preset
	for i, k := range usual.Resolved() {
		if of := r.settings[i]; of.Value != k.Value && of.Key != "divergence.mechanism" ||
			slices.Contains(named, of.Key) {
			line += fmt.Sprintf(" %s=%v", of.Key, of.Value)
		}
	}
	_, err = fmt.Fprintln(w, line)
	return err
}

// printConfig writes the resolved configuration, one section a line.
func printConfig(w io.Writer, settings []gpu.Setting) error {
	t := table.New()
	section, line := "", []string(nil)
	flush := func() {
		if section != "" {
			t.Row(section, strings.Join(line, " "))
		}
	}
	for _, s := range settings {
		name, key, _ := strings.Cut(s.Key, ".")
		if name != section {
			flush()
			section, line = name, nil
		}
		line = append(line, fmt.Sprintf("%s=%v", key, s.Value))
	}
	flush()
	_, err := t.WriteTo(w)
	return err
}

func sortedNames(m map[string]uint64) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func shape(d [3]uint32) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }

// printJSON writes v as JSON, indented by two spaces for each level.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
