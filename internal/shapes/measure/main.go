//go:build linux

// Command measure runs a built divergo on texts of extreme shapes, as "dis" and as "run". It prints
// the processor time and peak memory of each run. It needs Linux: other systems count peak memory
// in another unit, or not at all.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"divergo/internal/shapes"
)

func main() {
	bytes := flag.Int("bytes", 10_000_000, "of each text")
	only := flag.String("shapes", "", "those whose names match `REGEXP`")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: measure [flags] DIVERGO")
		os.Exit(2)
	}
	wanted, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Printf("%-24s %9s %5s %5s %8s %8s  %s\n", "shape", "bytes", "verb", "exit", "CPU s", "MB",
		"first line of the diagnostic")
	for _, s := range shapes.All {
		if !wanted.MatchString(s.Name) {
			continue
		}
		text := s.Text(*bytes)
		for _, verb := range []string{"dis", "run"} {
			measure(s.Name, text, flag.Arg(0), verb)
		}
	}
}

// measure runs one verb on a text.
func measure(shape, text, program, verb string) {
	args := []string{verb, "/dev/stdin"}
	if verb == "run" {
		args = append(args, "--set", "gpu.sms=1")
	}
	c := exec.Command(program, args...)
	c.Stdin = strings.NewReader(text)
	var diagnostic strings.Builder
	c.Stderr = &diagnostic
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	timer := time.AfterFunc(5*time.Minute, func() { _ = c.Process.Kill() })
	_ = c.Wait()
	timer.Stop()
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	first, _, _ := strings.Cut(diagnostic.String(), "\n")
	fmt.Printf("%-24s %9d %5s %5d %8.1f %8d  %s\n", shape, len(text), verb, c.ProcessState.ExitCode(),
		(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), usage.Maxrss/1024,
		first[:min(len(first), 150)])
}
