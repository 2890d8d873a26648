// Package cudac compiles CUDA C to PTX with clang alone: no toolkit of NVIDIA,
// no CUDA headers, no GPU.
//
// The options keep the control flow of the source, because the control flow is
// what this project studies: loops are not unrolled, ifs stay branches instead
// of becoming selp, && and || stay two branches, equal tails of two paths are
// not merged, and blocks lie in source order, so that a reconvergence point
// lies behind the paths that meet there. Two things the compiler still does: an
// if with a single cheap operation on a register can become selp, and a loop
// whose result has a closed form disappears unless opaque hides that.
//
// Multiplications and additions are never contracted to fma, which makes plain
// float32 arithmetic of the host an exact reference.
//
// The header divergo.h takes the place of CUDA's own and is included ahead of
// each file. It has KERNEL, __shared__ and the other attributes, threadIdx and
// friends, opaque, and the atomics, votes and shuffles that the kernels use; __syncthreads and the
// __nvvm builtins are the compiler's.
package cudac

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Compiler is the program that Compile runs. The version is part of the name
// because another one emits other PTX.
const Compiler = "clang-19"

//go:embed divergo.h
var header []byte

// options of the compiler, in groups of one purpose.
var options = []string{
	"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
	"-S", "-O1", "-fno-unroll-loops", "-ffp-contract=off",
	// One basic block for each basic block of the source.
	"-mllvm", "-two-entry-phi-node-folding-threshold=0",
	"-mllvm", "-sink-common-insts=false",
	"-mllvm", "-simplifycfg-branch-fold-threshold=0", "-mllvm", "-jump-is-expensive=false",
	// The order of the source: without lifetime markers no clean-up block is
	// put between a loop's header and its body.
	"-mllvm", "-disable-block-placement",
	"-Xclang", "-disable-lifetime-markers",
	// Source lines as .loc and .file, without DWARF and without the folder.
	"-gline-directives-only", "-fdebug-compilation-dir=.",
}

// optimised are the options of CompileLevel, but for the level: as the README
// tells users to compile. Signed integers wrap around, and nothing is contracted, so
// that the host can compute the same.
var optimised = []string{
	"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_35",
	"-S", "-std=c++20", "-ffp-contract=off", "-fwrapv", "-fno-rtti", "-w",
}

// targets are the GPUs to compile for. Votes and shuffles want the second one.
var targets = [...][]string{
	{"--cuda-gpu-arch=sm_35"},
	{"--cuda-gpu-arch=sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx64"},
}

// Compile translates the CUDA C file to PTX, for sm_35 unless its first line says
// that it is for sm_70. The text depends on the content
// and the base name of the file, not on its folder. The error holds the
// compiler's messages, or says that the compiler is not installed.
func Compile(file string) ([]byte, error) {
	target, err := target(file)
	if err != nil {
		return nil, err
	}
	return compilePlain(file, targets[target])
}

// Compile32 is Compile for addresses of 32 bits. The text is nil for a file that is for
// sm_70, which has no such.
func Compile32(file string) ([]byte, error) {
	target, err := target(file)
	if err != nil || target > 0 {
		return nil, err
	}
	return compilePlain(file, append(slices.Clone(targets[0]), "-m32"))
}

// target says for which of targets a file is.
func target(file string) (int, error) {
	source, err := os.ReadFile(file)
	if first, _, _ := bytes.Cut(source, []byte("\n")); bytes.Contains(first, []byte("sm_70")) {
		return 1, err
	}
	return 0, err
}

// compilePlain keeps control flow, and the folder out of the text.
func compilePlain(file string, target []string) ([]byte, error) {
	ptx, err := compile(file, slices.Concat(options, target))
	return bytes.ReplaceAll(ptx, []byte(`"./`), []byte(`"`)), err
}

// CompileLevel translates the CUDA C++ file to PTX for sm_35 at a level of
// optimisation, -O0 to -O3, without the options that keep control flow.
func CompileLevel(file, level string) ([]byte, error) {
	return compile(file, append(slices.Clone(optimised), level))
}

// compile runs the compiler on a file.
func compile(file string, options []string) ([]byte, error) {
	temp, err := os.MkdirTemp("", "cudac")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	include := filepath.Join(temp, "divergo.h")
	if err := os.WriteFile(include, header, 0o600); err != nil {
		return nil, err
	}
	var messages bytes.Buffer
	clang := exec.Command(Compiler, slices.Concat([]string{"-include", include}, options, []string{filepath.Base(file), "-o", "-"})...)
	clang.Dir = filepath.Dir(file)
	clang.Stderr = &messages
	ptx, err := clang.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("compile %s: %s is not installed (Debian package %s): %w", file, Compiler, Compiler, err)
	}
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w\n%s", file, err, messages.Bytes())
	}
	return ptx, nil
}
