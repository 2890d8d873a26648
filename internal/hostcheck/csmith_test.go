package hostcheck

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

//go:embed csmith.h
var csmithHeader string

// csmithOptions keep the programs small, and pointers aligned. They leave out floating point, since
// Csmith's checks of it call functions of the C library.
var csmithOptions = []string{
	"--lang-cpp", "--no-argc", "--concise", "--quiet", "--max-funcs", "4", "--max-block-depth", "3",
	"--max-block-size", "3",
	"--max-expr-complexity", "5", "--max-array-dim", "2", "--max-array-len-per-dim", "5", "--max-struct-fields", "5",
	"--max-union-fields", "4", "--no-packed-struct",
}

const (
	csmithThreads = 40  // two warps, one of them not full
	csmithLimit   = 200 // rounds, jumps and calls of a thread
)

// csmith returns the program of a seed. Csmith also leaves a file about the machine in its folder.
func csmith(seed uint64) (string, error) {
	dir, err := os.MkdirTemp("", "csmith")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	run := exec.Command("csmith", append([]string{"--seed", strconv.FormatUint(seed, 10)}, csmithOptions...)...)
	run.Dir = dir
	out, err := run.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("csmith is not installed (Debian packages csmith and libcsmith-dev): %w", err)
	}
	return string(out), err
}

var (
	prototype = regexp.MustCompile(`(?m)^\w.*\bfunc_\d+\(.*\);\n`)
	static    = regexp.MustCompile(`(?m)^static `)
	jump      = regexp.MustCompile(`goto (\w+);`)
	loopHead  = regexp.MustCompile(`for \(([^;]*); \(`)
	function  = regexp.MustCompile(`(?m)^(\w.*\bfunc_\d+\([^;]*\))\n\{`)
	indices   = regexp.MustCompile(`(?m)^.*if \(print_hash_value\).*\n`)
	variable  = regexp.MustCompile(`(?m)^((?:volatile )?u?int\d+_t) +(g_\d+) = `)
)

// member makes a struct of a program of Csmith. Its global variables and functions become members,
// so that each thread has its own variables.
func member(text string) (string, error) {
	_, text, found := strings.Cut(text, "static long __undefined;")
	program, sums, both := strings.Cut(text, "int main (void)")
	if !found || !both {
		return "", errors.New("csmith: this is not a program of its own")
	}
	program = prototype.ReplaceAllString(program, "")
	program = static.ReplaceAllString(program, "")
	program = loopHead.ReplaceAllString(program, "for ($1; tick() && (")
	program = jump.ReplaceAllString(program, "{ tick(); goto $1; }")
	program = function.ReplaceAllString(program, "$1\n{\n    tick();")
	_, sums, _ = strings.Cut(sums, "func_1();")
	sums, _, _ = strings.Cut(sums, "platform_main_end(")
	sums = indices.ReplaceAllString(sums, "")
	var b strings.Builder
	fmt.Fprintf(&b, "struct Program : Sum {\n%s\n    void run(uint32_t t) {\n        int i, j, k, print_hash_value = 0;\n", program)
	for i, v := range variable.FindAllStringSubmatch(program, -1) {
		fmt.Fprintf(&b, "        %s ^= (%s)(t * %d >> %d);\n", v[2], strings.TrimPrefix(v[1], "volatile "), 2*i+1, i%3)
	}
	fmt.Fprintf(&b, "        func_1();%s    }\n};\n", sums)
	return b.String(), nil
}

// csmithSource is the text of a batch.
func csmithSource(batch []*Program) (string, error) {
	var b, host strings.Builder
	fmt.Fprintf(&b, "#define LIMIT %d\n%s", csmithLimit, csmithHeader)
	for i, p := range batch {
		text, err := csmith(p.Seed)
		if err != nil {
			return "", err
		}
		program, err := member(text)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\nnamespace p%d { // seed %d\n%s}\n", i, p.Seed, program)
		fmt.Fprintf(&host, "    run<p%d::Program>();\n", i)
	}
	b.WriteString(`#pragma clang force_cuda_host_device end

template <class P> RUN void thread(uint32_t t, uint64_t *out) {
    P p;
    p.run(t);
    for (int k = 0; k < words; k++)
        out[k] = p.sum[k];
}
#ifdef __CUDA__
`)
	for i := range batch {
		fmt.Fprintf(&b, "KERNEL k%d(uint64_t *out) { thread<p%d::Program>(threadIdx.x, out + threadIdx.x * words); }\n",
			i, i)
	}
	fmt.Fprintf(&b, `#else
// run writes whether the program ends in time, and then what its threads have.
template <class P> void run() {
    static uint64_t out[%d][words];
    volatile uint64_t ends = 1;
    for (volatile uint32_t t = 0; t < %d; t = t + 1) {
        ticks = 0;
        if (setjmp(over) == 0)
            thread<P>(t, out[t]);
        else
            ends = 0;
    }
    uint64_t flag = ends;
    fwrite(&flag, sizeof flag, 1, stdout);
    fwrite(out, sizeof out, 1, stdout);
}
int main() {
%s}
#endif
`, csmithThreads, csmithThreads, &host)
	return b.String(), nil
}

// checkCsmith is Check for programs of Csmith. The batch has only their seeds.
func (r *Runner) checkCsmith(batch []*Program, levels []string, plan Plan) ([]*Failure, error) {
	text, err := csmithSource(batch)
	if err != nil {
		return nil, err
	}
	return r.check(text, batch, levels, plan)
}
