package blocks

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"divergo/internal/output"
)

// packages are the Debian packages of the tools.
var packages = map[string]string{
	"verilator": "verilator", "iverilog": "iverilog", "vvp": "iverilog", "yosys": "yosys", "yosys-smtbmc": "yosys",
	"berkeley-abc": "berkeley-abc", "g++": "g++", "make": "make",
}

// Needs returns an error that says what to install if a tool is missing.
func Needs(tools ...string) error {
	var missing, install []string
	for _, t := range tools {
		if _, err := exec.LookPath(t); err != nil {
			missing = append(missing, t)
			install = append(install, packages[t])
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("found no %s; install it: apt-get install %s", strings.Join(missing, ", "), strings.Join(install, " "))
}

// run runs a tool in a folder and returns what it prints. The error has the first line in which it
// reports one.
func run(folder *output.Scratch, tool string, args ...string) (string, error) {
	said, _, err := timed(folder, tool, args...)
	return said, err
}

// timed is run that also returns the processor time of the tool.
func timed(folder *output.Scratch, tool string, args ...string) (said string, used time.Duration, err error) {
	c := exec.Command(tool, args...)
	c.Dir = folder.Path(".")
	text, err := output.Run(c)
	if c.ProcessState != nil {
		used = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	if err == nil {
		return string(text), used, nil
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(strings.ToLower(line), "error") {
			return string(text), used, fmt.Errorf("%s: %s", tool, strings.TrimSpace(line))
		}
	}
	return string(text), used, fmt.Errorf("%s: %w", tool, err)
}

// ErrFailed marks a property that does not hold.
var ErrFailed = errors.New("the property does not hold")
