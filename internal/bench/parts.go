package bench

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed parts.ptx
var programs []byte

// Parts writes the programs of the parts into a folder, and returns a run for each part of the
// simulator: issue and arithmetic, with vectors and without, mechanisms that regroup threads, memory,
// waiting SMs, workers, the functional model, sampling, start, dumps, and random checks. Loops run the
// given number of times.
func Parts(dir string, times, processors int) ([]Case, error) {
	file := filepath.Join(dir, "parts.ptx")
	if err := os.WriteFile(file, programs, 0o666); err != nil {
		return nil, err
	}
	loop := func(part, entry string, sms, grid, block, workers int, more ...string) Case {
		args := func(n int) []string { return loopArgs(file, entry, sms, grid, block, n, workers, more...) }
		return Case{
			Part: part, Kernel: entry, Machine: "slp, SMs " + strconv.Itoa(sms), Workers: workers,
			args: args(times), short: args(times / 5),
		}
	}
	command := func(part string, args ...string) Case {
		return Case{Part: part, Kernel: strings.Join(args, " "), Workers: 1, args: args, plain: true}
	}
	scalar := loop("compute, no vectors", "compute", 1, 8, 128, 1)
	scalar.env = []string{"GODEBUG=cpu.avx2=off"}
	list := []Case{
		loop("compute", "compute", 1, 8, 128, 1),
		scalar,
		loop("divergent", "divergent", 1, 8, 128, 1),
		loop("memory", "memory", 1, 8, 128, 1),
		loop("waiting", "waiting", 1, 1, 32, 1),
		loop("waiting SMs", "waiting", 30, 30, 32, 1, "--set", "dram.channels=1"),
	}
	for _, mech := range []string{"pdom", "tbc", "capri", "dwf", "dwf-wb"} {
		list = append(list, loop("regroup, "+mech, "scattered", 1, 8, 128, 1, "--mech", mech))
	}
	for _, workers := range slices.Compact([]int{1, processors}) {
		list = append(list, loop("workers", "compute", 30, 240, 128, workers))
	}
	fst := command("dump, FST", "run", "mandelbrot", "--size", "small", "--vcd", filepath.Join(dir, "dump.fst"))
	fst.Kernel = "run mandelbrot --size small --vcd dump.fst"
	return append(list,
		command("functional", "run", "mandelbrot", "--size", "medium", "--fast", "2..2"),
		command("sampling", "run", "bfs", "--size", "medium", "--sample", "4"),
		command("start", "run", "vecadd"),
		command("start", "compare", "vecadd"),
		command("dump, VCD", "run", "mandelbrot", "--size", "small", "--vcd", os.DevNull),
		fst,
		command("check", "check", "--runs", "20", "--jobs", "1"),
	), nil
}

func loopArgs(file, entry string, sms, grid, block, times, workers int, more ...string) []string {
	return append([]string{
		"run", file, "--kernel", entry, "--grid", strconv.Itoa(grid), "--block", strconv.Itoa(block),
		"--arg", "buf:zero:8192", "--arg", fmt.Sprintf("u32:%d", times), "--set", fmt.Sprintf("gpu.sms=%d", sms),
		"--workers", strconv.Itoa(workers), "--json",
	}, more...)
}

// Growth writes programs into a folder, and returns runs along the axes on which a simulation
// grows: SMs, CTAs, instructions of a kernel, traced signals (by SMs) and DRAM channels. Each axis
// goes up to the given number of steps.
func Growth(dir string, steps int) ([]Case, error) {
	file := filepath.Join(dir, "parts.ptx")
	if err := os.WriteFile(file, programs, 0o666); err != nil {
		return nil, err
	}
	var list []Case
	add := func(axis string, value int, args []string) {
		list = append(list, Case{Axis: axis, Value: value, Kernel: "compute", Workers: 1, args: args})
	}
	for i := range steps {
		n := 1 << (2 * i)
		add("SMs", n, loopArgs(file, "compute", n, n, 64, 50, 1))
	}
	for i := range steps {
		n := 64 << (2 * i)
		add("CTAs", n, loopArgs(file, "compute", 4, n, 64, 2, 1))
	}
	for i := range steps {
		n := 256 << (2 * i)
		long := filepath.Join(dir, fmt.Sprintf("long%d.ptx", n))
		if err := os.WriteFile(long, straight(n), 0o666); err != nil {
			return nil, err
		}
		add("instructions", n, loopArgs(long, "long", 1, 1, 32, 1, 1))
	}
	for i := range min(steps, 4) {
		n := 1 << (2 * i)
		add("traced SMs", n, loopArgs(file, "compute", n, n, 64, 10, 1, "--vcd", os.DevNull))
	}
	for i := range min(steps, 4) {
		n := 1 << (2 * i)
		add("channels", n, loopArgs(file, "memory", 4, 32, 64, 50, 1, "--set", fmt.Sprintf("dram.channels=%d", n)))
	}
	return list, nil
}

// straight is a kernel of so many instructions without a branch.
func straight(n int) []byte {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n" +
		".visible .entry long(.param .u64 data, .param .u32 times)\n{\n\t.reg .b32 %r<4>;\n\tmov.u32 %r1, %tid.x;\n")
	for i := range n {
		fmt.Fprintf(&b, "\tadd.u32 %%r%d, %%r%d, %%r1;\n", 2+i%2, 3-i%2)
	}
	b.WriteString("\tret;\n}\n")
	return []byte(b.String())
}
