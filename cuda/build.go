package cuda

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed include runtime
var files embed.FS

// compiler has its version in its name, because another one has other headers.
const compiler = "clang-19"

// libclc is where Debian's package libclc-19 has the mathematics of devices.
const libclc = "/usr/lib/clc/nvptx64--nvidiacl.bc"

// DefaultArch is the GPU that programs are compiled for: the first with all
// atomics, and the last that has votes and shuffles with and without _sync.
const DefaultArch = "sm_60"

// Options of Build, as those of a compiler.
type Options struct {
	Defines, Includes, LibraryDirs, Libraries []string // -D -I -L -l
	Level                                     string   // -O
	Standard                                  string   // -std; "": the compiler's
	Arch                                      string   // sm_60
	Divergo                                   string   // path of the simulator, for programs that are started by themselves
}

// Build makes a program of source and object files. The error has the
// compiler's messages, which have file, line and column.
func Build(sources []string, program string, o Options) error {
	temp, err := os.MkdirTemp("", "divergo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	b := &build{Options: o, temp: temp}
	if err := b.unpack(); err != nil {
		return err
	}
	include := filepath.Join(temp, "include")
	objects := []string{b.file("cudart.o")}
	if err := b.clang("-O2", "-isystem", include, "-DDIVERGO_PATH="+strconv.Quote(o.Divergo), "-c", b.file("runtime/cudart.c"), "-o", objects[0]); err != nil {
		return err
	}
	for i, source := range sources {
		object := b.file(fmt.Sprintf("%d.o", i))
		switch filepath.Ext(source) {
		case ".cu":
			err = b.cuda(source, object)
		case ".cpp", ".cc", ".cxx", ".C", ".c":
			err = b.clang(append(b.common(source), "-isystem", include, "-c", source, "-o", object)...)
		case ".o", ".a":
			object = source
		default:
			err = fmt.Errorf("%s: want a file that ends in .cu, .cpp, .cc, .cxx, .C, .c, .o or .a", source)
		}
		if err != nil {
			return err
		}
		objects = append(objects, object)
	}
	// Above 4 GiB, so that addresses of the host are none of the device.
	link := append([]string{"-pie"}, objects...)
	for _, l := range o.LibraryDirs {
		link = append(link, "-L"+l)
	}
	for _, l := range o.Libraries {
		if l != "cudart" && l != "cudart_static" && l != "cuda" {
			link = append(link, "-l"+l)
		}
	}
	return b.clang(append(link, "-lstdc++", "-lm", "-o", program)...)
}

// build is a run of Build.
type build struct {
	Options
	temp string // folder of everything but the sources
}

func (b *build) file(name string) string { return filepath.Join(b.temp, name) }

// unpack writes the headers and the runtime where the compiler finds them.
func (b *build) unpack() error {
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(b.file(path), 0o700))
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(b.file(path), text, 0o600)
	})
}

// common are the options of every compilation of a user's file.
func (b *build) common(source string) []string {
	args := []string{"-O" + b.Level, "-fPIE"}
	if b.Standard != "" && filepath.Ext(source) != ".c" {
		args = append(args, "-std="+b.Standard)
	}
	for _, d := range b.Defines {
		args = append(args, "-D"+d)
	}
	for _, i := range b.Includes {
		args = append(args, "-I"+i)
	}
	return args
}

// ptxVersion lets the compiler use all instructions that an architecture has.
var ptxVersion = []string{"-Xclang", "-target-feature", "-Xclang", "+ptx64"}

// cuda compiles a file for the device, then for the host, with the device's code in it.
func (b *build) cuda(source, object string) error {
	device := b.file("device.bc")
	if _, err := os.Stat(device); err != nil {
		args := []string{
			"--target=nvptx64-nvidia-cuda", "-march=" + b.Arch, "-nogpulib", "-O2", "-ffp-contract=off", "-fno-math-errno",
			"-emit-llvm", "-c", b.file("runtime/device.cc"), "-o", device,
		}
		if err := b.clang(slices.Concat(args, ptxVersion)...); err != nil {
			return err
		}
	}
	// The version of the SDK chooses how kernels are launched.
	both := slices.Concat(b.common(source), []string{
		"-x", "cuda", "--cuda-gpu-arch=" + b.Arch, "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.1",
		"-isystem", b.file("include"), "-include", "cuda_runtime.h", "-Wno-unknown-cuda-version",
	})
	ptx := object + ".ptx"
	args := []string{
		"--cuda-device-only", "-S", source, "-o", ptx, "-gline-directives-only", "-fdebug-compilation-dir=.",
		// Multiplications and additions become fma, as nvcc does it, but not those of libclc, which count on every rounding.
		"-ffp-contract=fast-honor-pragmas",
		"-Xclang", "-mlink-builtin-bitcode", "-Xclang", device, "-Wno-linker-warnings",
	}
	_, missing := os.Stat(libclc)
	if missing == nil {
		args = append(args, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc)
	}
	if err := b.clang(slices.Concat(both, args, ptxVersion)...); err != nil {
		return err
	}
	text, err := os.ReadFile(ptx)
	if err != nil {
		return err
	}
	if err := undefined(source, text, missing != nil); err != nil {
		return err
	}
	text = append(bytes.ReplaceAll(text, []byte(`"./`), []byte(`"`)), 0) // as long as C has it
	if err := os.WriteFile(ptx, text, 0o600); err != nil {
		return err
	}
	return b.clang(append(both, "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx, "-c", source, "-o", object)...)
}

var external = regexp.MustCompile(`(?m)^\.extern \.func .*?(\w+)$`)

// undefined names the device functions that are used and defined nowhere.
func undefined(source string, ptx []byte, mathMissing bool) error {
	var errs []error
	for _, found := range external.FindAllSubmatch(ptx, -1) {
		name := string(found[1])
		switch plain, ours := strings.CutPrefix(name, "__nv_"); {
		case name == "vprintf" || name == "__assertfail":
		case ours:
			errs = append(errs, fmt.Errorf("%s: the device function %s is not supported", source, plain))
		case mathMissing && strings.HasPrefix(name, "_Z"):
			errs = append(errs, fmt.Errorf("%s: the device function %s is in %s, which is not there (Debian package libclc-19)", source, name, libclc))
		default:
			errs = append(errs, fmt.Errorf("%s: the device function %s is defined in no file; functions of the device in other files are not supported", source, name))
		}
	}
	return errors.Join(errs...)
}

// clang runs the compiler.
func (b *build) clang(args ...string) error {
	out, err := exec.Command(compiler, args...).CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not installed (Debian packages clang-19, libclc-19 and g++): %w", compiler, err)
	case err != nil && bytes.Contains(out, []byte("'cmath' file not found")):
		return fmt.Errorf("the C++ library is not installed (Debian package g++)\n%s", out)
	case err != nil:
		return fmt.Errorf("%s: %w\n%s", compiler, err, bytes.TrimSpace(out))
	}
	return nil
}
