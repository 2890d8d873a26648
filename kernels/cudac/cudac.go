// Package cudac compiles CUDA C to PTX with clang only: no NVIDIA toolkit, no CUDA headers, no GPU.
//
// The options keep the control flow of the source, the subject of this project:
//
//   - loops are not unrolled
//   - an if stays a branch and does not become selp
//   - && and || stay two branches
//   - equal tails of two paths are not merged
//   - blocks lie in source order: a reconvergence point lies behind the paths that meet there
//
// The compiler still changes two things. An if with a single cheap operation on a register can
// become selp. A loop whose result has a closed form disappears unless opaque hides it.
//
// Multiplications and additions are never contracted to fma. So the host's float32 arithmetic is an
// exact reference.
//
// The header divergo.h replaces CUDA's own and is included ahead of each file. It has KERNEL,
// __shared__ and other attributes, threadIdx and similar variables, and opaque. It also has the
// atomics, votes and shuffles that the kernels use. __syncthreads and the __nvvm builtins are the
// compiler's.
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

// Compiler is the compiler that Compile runs. Its name includes the version, since other versions
// emit other PTX.
const Compiler = "clang-19"

//go:embed divergo.h
var header []byte

// options are the compiler's options, grouped by purpose.
var options = []string{
	"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
	"-S", "-O1", "-fno-unroll-loops", "-ffp-contract=off",
	// Keep one basic block for each basic block of the source.
	"-mllvm", "-two-entry-phi-node-folding-threshold=0",
	"-mllvm", "-sink-common-insts=false",
	"-mllvm", "-simplifycfg-branch-fold-threshold=0", "-mllvm", "-jump-is-expensive=false",
	// Keep the order of the source. Without lifetime markers, no clean-up block lies between a
	// loop's header and its body.
	"-mllvm", "-disable-block-placement",
	"-Xclang", "-disable-lifetime-markers",
	// Emit source lines as .loc and .file, without DWARF and without the folder.
	"-gline-directives-only", "-fdebug-compilation-dir=.",
}

// optimised are the options of CompileLevel without the level, like those that the documentation
// recommends. Signed integers wrap around and nothing is contracted, so that the host can compute
// the same results.
var optimised = []string{
	"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_35",
	"-S", "-std=c++20", "-ffp-contract=off", "-fwrapv", "-fno-rtti", "-w",
}

// targets are the GPUs to compile for. Votes and shuffles need the second one.
var targets = [...][]string{
	{"--cuda-gpu-arch=sm_35"},
	{"--cuda-gpu-arch=sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx64"},
}

// Compile translates a CUDA C file to PTX. The target is sm_70 if the file's first line names it,
// else sm_35.
//
// The text depends on the content and the base name of the file, not on its folder. The error holds
// the compiler's messages, or reports that the compiler is not installed.
func Compile(file string) ([]byte, error) {
	target, err := target(file)
	if err != nil {
		return nil, err
	}
	return compilePlain(file, targets[target])
}

// Compile32 is Compile for 32-bit addresses. It returns nil for files for sm_70, which has only
// 64-bit addresses.
func Compile32(file string) ([]byte, error) {
	target, err := target(file)
	if err != nil || target > 0 {
		return nil, err
	}
	return compilePlain(file, append(slices.Clone(targets[0]), "-m32"))
}

// target returns the index in targets of a file's target.
func target(file string) (int, error) {
	source, err := os.ReadFile(file)
	if first, _, _ := bytes.Cut(source, []byte("\n")); bytes.Contains(first, []byte("sm_70")) {
		return 1, err
	}
	return 0, err
}

// compilePlain keeps the control flow, and removes the folder from the text.
func compilePlain(file string, target []string) ([]byte, error) {
	ptx, err := compile(file, slices.Concat(options, target))
	return bytes.ReplaceAll(ptx, []byte(`"./`), []byte(`"`)), err
}

// CompileLevel translates a CUDA C++ file to PTX for sm_35 at an optimisation level, -O0 to -O3. It
// omits the options that keep control flow.
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
	clang := exec.Command(Compiler,
		slices.Concat([]string{"-include", include}, options, []string{filepath.Base(file), "-o", "-"})...)
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
