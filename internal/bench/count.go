package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// ErrNoValgrind is the error of Count without the tool that counts.
var ErrNoValgrind = errors.New("valgrind is not installed, which counts instructions: apt-get install valgrind")

var refs = regexp.MustCompile(`I +refs: +([0-9,]+)`)

// Count counts the processor's instructions of a case with valgrind's cachegrind, on one processor
// and without Go's collector. They do not depend on other programs. If the case has a shorter run,
// the result is the difference of both: what each further cycle costs.
func Count(c Case, binary string) (*Result, error) {
	long := &Result{Case: c}
	if err := long.count(binary); err != nil {
		return nil, err
	}
	if c.short == nil {
		return long, nil
	}
	short := &Result{Case: c}
	short.args = c.short
	if err := short.count(binary); err != nil {
		return nil, err
	}
	if n := long.Cycles - short.Cycles; n > 0 {
		long.PerCycle = (float64(long.Counted) - float64(short.Counted)) / float64(n)
	}
	return long, nil
}

// count runs the case under valgrind.
func (r *Result) count(binary string) error {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return ErrNoValgrind
	}
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	stdout, stderr := limited{full: kill}, limited{full: kill}
	c := exec.CommandContext(ctx, valgrind, append([]string{
		"--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=" + os.DevNull, binary,
	}, r.args...)...)
	c.Env = append(append(os.Environ(), "GOGC=off", "GOMAXPROCS=1"), r.env...)
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	if err := r.read(ctx, c, err, &stdout, &stderr); err != nil {
		return err
	}
	found := refs.FindSubmatch(stderr.text)
	if found == nil {
		return fmt.Errorf("%s: no line \"I refs\", want the count of cachegrind", c)
	}
	r.Counted, err = strconv.ParseUint(strings.ReplaceAll(string(found[1]), ",", ""), 10, 64)
	return err
}
