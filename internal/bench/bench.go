// Package bench measures the speed of built binaries of divergo. It has a fixed set of runs, each
// in its own process. Runs of two binaries alternate, so that other load on the machine affects
// both.
package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kernels is the default set. It has arithmetic with loops that threads leave at different times,
// tiles in shared memory, barriers, and pointers into memory in many launches.
var Kernels = []string{"mandelbrot", "matmul", "bitonic", "bfs"}

// machine is a simulated machine of the set.
type machine struct {
	Name string
	Args []string // of the verb run
}

// machines are the machines that each kernel runs on.
var machines = []machine{
	{"slp, one SM", []string{"--preset", "slp", "--set", "gpu.sms=1"}},
	{"slp", []string{"--preset", "slp"}},
	{"tbc", []string{"--preset", "tbc"}},
}

// Case is a run of the set.
type Case struct {
	Kernel  string `json:"kernel"`
	Size    string `json:"size"`
	Machine string `json:"machine"`
	Traced  bool   `json:"traced"` // every signal goes into a waveform, which is discarded
	Workers int    `json:"workers"`
	Part    string `json:"part,omitempty"`  // of the simulator: see Parts
	Axis    string `json:"axis,omitempty"`  // of what grows: see Growth
	Value   int    `json:"value,omitempty"` // on the axis
	args    []string
	short   []string // the same run, but shorter; nil: none
	plain   bool     // the output is not that of run --json
	env     []string // more environment variables
}

// Cases are the runs of some kernels: each on each machine, traced and not, on one processor and on all.
func Cases(kernels []string, size string, processors int) (list []Case) {
	workers := []int{1}
	if processors > 1 {
		workers = append(workers, processors)
	}
	for _, kernel := range kernels {
		for _, m := range machines {
			for _, traced := range []bool{false, true} {
				for _, n := range workers {
					args := append([]string{"run", kernel, "--size", size, "--json", "--workers", strconv.Itoa(n)},
						m.Args...)
					if traced {
						args = append(args, "--vcd", os.DevNull)
					}
					list = append(list, Case{
						Kernel: kernel, Size: size, Machine: m.Name, Traced: traced, Workers: n, args: args,
					})
				}
			}
		}
	}
	return list
}

// Times is the least time of several runs, in seconds.
type Times struct {
	Elapsed   float64 `json:"elapsed_s"`
	Processor float64 `json:"processor_s"` // of all processors, in the program and in the system
}

// Result is the result of the runs of a case.
type Result struct {
	Case
	Cycles       uint64  `json:"cycles"`
	Instructions uint64  `json:"warp_instructions"`
	New          Times   `json:"new"`
	Old          *Times  `json:"old,omitempty"`     // of the binary to compare with
	Faster       float64 `json:"faster,omitempty"`  // old elapsed time over new
	Lighter      float64 `json:"lighter,omitempty"` // old processor time over new
	Differs      bool    `json:"differs,omitempty"` // the two binaries count different cycles or instructions
	// Of the last run: the largest memory, 0 if the system does not tell.
	Memory uint64 `json:"memory_bytes,omitempty"`
	// With Count: instructions of the processor, and for each simulated cycle.
	Counted  uint64  `json:"instructions,omitempty"`
	PerCycle float64 `json:"instructions_per_cycle,omitempty"`
}

// Rate is the number of simulated warp instructions for each second of elapsed time.
func (r *Result) Rate() float64 { return float64(r.Instructions) / r.New.Elapsed }

// Measure runs a case count times, with one binary or with two in turn. old is "" for one binary.
// The error has the output of the program.
func Measure(c Case, binary, old string, count int) (*Result, error) {
	r := &Result{Case: c}
	var other *Result
	if old != "" {
		other = &Result{Case: c}
	}
	for range count {
		if other != nil {
			if err := other.run(old); err != nil {
				return nil, err
			}
		}
		if err := r.run(binary); err != nil {
			return nil, err
		}
	}
	if other != nil {
		r.Old = &other.New
		r.Faster, r.Lighter = r.Old.Elapsed/r.New.Elapsed, r.Old.Processor/r.New.Processor
		r.Differs = r.Cycles != other.Cycles || r.Instructions != other.Instructions
	}
	return r, nil
}

// Failure is a run that failed.
type Failure struct {
	Command string
	Code    int    // exit code, -1 if it has none
	Said    string // on standard error
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%s: exit code %d: %s", f.Command, f.Code, strings.TrimSpace(f.Said))
}

// run measures the time of one run.
func (r *Result) run(binary string) error {
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	stdout, stderr := limited{full: kill}, limited{full: kill}
	c := exec.CommandContext(ctx, binary, r.args...)
	c.Env = append(os.Environ(), r.env...)
	c.Stdout, c.Stderr = &stdout, &stderr
	start := time.Now()
	err := c.Run()
	elapsed := time.Since(start)
	if err := r.read(ctx, c, err, &stdout, &stderr); err != nil {
		return err
	}
	least(&r.New.Elapsed, elapsed)
	least(&r.New.Processor, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	r.Memory = peak(c.ProcessState)
	return nil
}

// read reads what a run printed. Its error is err.
func (r *Result) read(ctx context.Context, c *exec.Cmd, err error, stdout, stderr *limited) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: more than %d bytes of output, want what run --json prints", c, maxOutput)
	case errors.As(err, &exit):
		return &Failure{c.String(), exit.ExitCode(), string(stderr.text)}
	case err != nil || r.plain:
		return err
	}
	var result struct {
		Stats struct {
			Cycles       uint64 `json:"cycles"`
			Instructions uint64 `json:"warp_instructions"`
		} `json:"stats"`
	}
	if err := json.Unmarshal(stdout.text, &result); err != nil {
		return fmt.Errorf("%s: its result is not what run --json prints: %w", c, err)
	}
	r.Cycles, r.Instructions = result.Stats.Cycles, result.Stats.Instructions
	return nil
}

// maxOutput is the largest output of a run, in bytes. That of run --json is about ten thousand
// bytes.
const maxOutput = 4 << 20

// limited keeps output. If there is too much, it calls full, which ends the program.
type limited struct {
	text []byte
	full func()
}

func (l *limited) Write(text []byte) (int, error) {
	if len(l.text)+len(text) > maxOutput {
		l.full()
		return 0, io.ErrShortWrite
	}
	l.text = append(l.text, text...)
	return len(text), nil
}

// least keeps the smaller time. The clocks of the system may not register a short run.
func least(to *float64, t time.Duration) {
	if s := max(t, time.Microsecond).Seconds(); *to == 0 || s < *to {
		*to = s
	}
}

// Host describes the measuring computer.
type Host struct {
	Processor  string `json:"processor"` // model, if the system reports it
	Processors int    `json:"processors"`
	Platform   string `json:"platform"`
}

// ThisHost describes this computer.
func ThisHost() Host {
	h := Host{Processor: "unknown", Processors: runtime.NumCPU(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	text, _ := os.ReadFile("/proc/cpuinfo") // Linux
	lines := strings.Split(string(text), "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "model name") }); i >= 0 {
		_, model, _ := strings.Cut(lines[i], ":")
		h.Processor = strings.TrimSpace(model)
	}
	return h
}
