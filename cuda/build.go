package cuda

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/output"
	"divergo/ptx"
)

//go:embed include runtime
var files embed.FS

// compiler has its version in its name, because another one has other headers.
const compiler = "clang-19"

// libclc is where Debian's package libclc-19 has the mathematics of devices.
const libclc = "/usr/lib/clc/nvptx64--nvidiacl.bc"

// DefaultArch is the GPU that programs are compiled for: the first with all
// atomics, and the last that has votes and shuffles with and without _sync.
const (
	DefaultArch   = "sm_60"
	defaultTarget = 60
)

// Options of a compilation, as those of a compiler.
type Options struct {
	Defines, Includes, LibraryDirs, Libraries []string // -D -I -L -l
	Level                                     string   // -O
	Standard                                  string   // -std; "": the compiler's
	Arch                                      string   // sm_60

	// Relocatable code of the device can use functions and variables of other
	// files; it becomes one module when the program is linked.
	Relocatable bool
	Flush       bool // -ftz=true
	Divide      bool // -prec-div=false
	Root        bool // -prec-sqrt=false
	FastMath    bool // -use_fast_math: all three, and approximate instructions in place of functions

	Caches Caches   // of loads and stores
	Extra  []string // for the compiler, of every file
	Device []string // for the compiler, of the device's part
	Host   []string // for the compiler, of the host's part
	Linker []string // for the linker

	Verbose  bool      // the compiler's command lines are messages
	Language string    // of all files, as -x: "c", "c++" or "cu"; "": by their extension
	Divergo  string    // path of the simulator, for programs that are started by themselves
	Messages io.Writer // where the compiler's warnings go; nil: nowhere
}

// Build makes a program of source and object files. The error has the
// compiler's messages, which have file, line and column.
func Build(sources []string, program string, o Options) error {
	var files output.Set
	defer files.Discard()
	o.Reads(&files, sources)
	file, err := files.CreateAny("-o", program)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return with(o, func(b *build) error {
		objects, err := b.objects(sources)
		if err != nil {
			return err
		}
		linked := b.file("program")
		if err := b.link(objects, linked); err != nil {
			return err
		}
		return file.KeepCopy(linked)
	})
}

// Reads names the files that are read: sources, objects and libraries.
func (o *Options) Reads(files *output.Set, sources []string) {
	for _, name := range sources {
		files.Reads("the input "+name, name)
	}
	for _, l := range o.Libraries {
		for _, dir := range o.LibraryDirs {
			for _, ending := range []string{".a", ".so"} {
				if file := filepath.Join(dir, "lib"+l+ending); fileExists(file) {
					files.Reads("the library "+l, file)
				}
			}
		}
	}
}

// object is a file for the linker, and the source that it was made of, or itself.
type object struct{ file, source string }

// objects compiles what is not compiled yet.
func (b *build) objects(sources []string) (list []object, err error) {
	for i, source := range sources {
		o := object{source, source}
		if !b.linked(source) {
			o.file = b.file(fmt.Sprintf("%d.o", i))
			if err := b.compile(source, o.file); err != nil {
				return nil, err
			}
		}
		list = append(list, o)
	}
	return list, nil
}

// build is a run of the compiler.
type build struct {
	Options
	temp       *output.Scratch     // folder of everything but the sources and the outputs
	registered map[string]bool     // device's parts that were linked before (-dlink)
	lists      map[string][]string // of sources: options for the list of the files that it includes
	respelled  map[string]string   // copies of files that the compiler reads in their place
}

// with does something in a folder that has the headers and the runtime.
func with(o Options, do func(*build) error) error {
	temp, err := output.TempFolder()
	if err != nil {
		return err
	}
	defer temp.Remove()
	b := &build{Options: o, temp: temp}
	if err := b.unpack(); err != nil {
		return err
	}
	return do(b)
}

func (b *build) file(name string) string { return b.temp.Path(name) }

// unpack writes the headers and the runtime where the compiler finds them.
func (b *build) unpack() error {
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		return b.temp.WriteFile(b.file(path), text)
	})
}

// languages are those of files, by extension.
var languages = map[string]string{".cu": "cu", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++", ".c": "c"}

// language is that of a source, "" if it is not known.
func (b *build) language(source string) string {
	if b.Language != "" {
		return b.Language
	}
	return languages[filepath.Ext(source)]
}

// linked reports whether a file goes to the linker as it is.
func (b *build) linked(file string) bool {
	return b.Language == "" && slices.Contains([]string{".o", ".a", ".so"}, filepath.Ext(file))
}

// compile makes an object of a source.
func (b *build) compile(source, object string) error {
	switch b.language(source) {
	case "cu":
		return b.cuda(source, object, slices.Concat(b.lists[source], []string{"-c"})...)
	case "":
		return fmt.Errorf("%s: want a file that ends in .cu, .cpp, .cc, .cxx, .C, .c, .o, .a or .so", source)
	}
	return b.clang(slices.Concat(b.common(source), asGCC, b.host(), b.lists[source], []string{"-x", b.language(source), "-isystem", b.file("include"), "-c", source, "-o", object})...)
}

// libomp is the library that clang's OpenMP calls (Debian package libomp-19-dev).
const libomp = "/usr/lib/llvm-19/lib/libomp.so"

// openMP reports whether the host's part uses OpenMP.
func (b *build) openMP() bool { return slices.Contains(b.Host, "-fopenmp") }

// host are the options of the host's part. Without clang's library of OpenMP its
// pragmas do nothing, and its functions are those of GCC's: there is one thread.
func (b *build) host() []string {
	if !b.openMP() || fileExists(libomp) {
		return b.Host
	}
	return slices.DeleteFunc(slices.Clone(b.Host), func(o string) bool { return o == "-fopenmp" })
}

// lenient are options for old programs, in which there is what GCC warns of, and
// nvcc with it, and what is an error for clang: functions that end without a
// value, or are not declared, integers that become narrower in braces, "register".
var lenient = []string{
	"-fno-strict-return", "-Wno-c++11-narrowing", "-Wno-register", "-Wno-dynamic-exception-spec", "-Wno-reserved-user-defined-literal",
	"-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
	"-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch",
}

// asGCC are options for the host's part of programs whose authors used g++ without
// warnings: overflow of signed numbers wraps, and memory may be read by another type
// than it was written by. C++ leaves both undefined ([expr.pre], [basic.lval]).
var asGCC = []string{"-fwrapv", "-fno-strict-aliasing"}

// common are the options of every compilation of a user's file.
func (b *build) common(source string) []string {
	args := slices.Concat([]string{"-O" + b.Level, "-fPIE", "-Wno-unused-command-line-argument"}, lenient)
	if b.Standard != "" && b.language(source) != "c" {
		args = append(args, "-std="+b.Standard)
	}
	for _, d := range b.Defines {
		args = append(args, "-D"+d)
	}
	for _, i := range b.Includes {
		args = append(args, "-I"+i)
	}
	return append(args, b.Extra...)
}

// ptxVersion lets the compiler use all instructions that an architecture has.
func (b *build) ptxVersion() []string {
	version := "+ptx64"
	if number, err := strconv.Atoi(strings.TrimPrefix(b.Arch, "sm_")); err == nil && number >= 80 {
		version = "+ptx70" // redux.sync
	}
	return []string{"-Xclang", "-target-feature", "-Xclang", version}
}

// both are the options of both parts of a CUDA file. The version of the SDK
// chooses how kernels are launched.
func (b *build) both(source string) []string {
	// Some libraries have other code for clang than for nvcc: with -U__NVCC__ they get that.
	args := slices.Concat([]string{"-D__NVCC__"}, b.common(source), []string{
		"-x", "cuda", "--cuda-gpu-arch=" + b.Arch, "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.1",
		"-isystem", b.file("include"), "-include", "cuda_runtime.h", "-Wno-unknown-cuda-version",
		"-Xclang", "-fcuda-allow-variadic-functions", // the C++ library of CUDA declares such, and calls none
		"-D__CUDA_ARCH_LIST__=" + strings.TrimPrefix(b.Arch, "sm_") + "0",
	})
	if b.Relocatable {
		// A name that is the file's in every compilation of it, for its static variables.
		path, err := filepath.Abs(source)
		if err != nil {
			path = source
		}
		hash := sha256.Sum256(fmt.Append(nil, path, b.Defines))
		id := fmt.Sprintf("-cuid=%x", hash[:8])
		args = append(args, "-D__CUDACC_RDC__", "-fgpu-rdc", id, "-Xclang", id) // clang 19 itself gives it to the device's part alone
	}
	return args
}

// device compiles a file's part of the device; how says to what.
func (b *build) device(source, to string, how ...string) error {
	library := b.file("device.bc")
	if _, err := os.Stat(library); err != nil {
		args := []string{
			"--target=nvptx64-nvidia-cuda", "-march=" + b.Arch, "-nogpulib", "-O2", "-ffp-contract=off", "-fno-math-errno",
			"-emit-llvm", "-c", b.file("runtime/device.cc"), "-o", library,
		}
		if b.FastMath || b.Flush {
			args = append(args, "-DDIVERGO_FTZ")
		}
		if b.FastMath || b.Root {
			args = append(args, "-DDIVERGO_SQRT")
		}
		if err := b.clang(slices.Concat(args, b.ptxVersion())...); err != nil {
			return err
		}
	}
	args := []string{
		"--cuda-device-only", source, "-o", to, "-gline-directives-only", "-Xclang", "-debug-info-kind=line-tables-only", // which callSites reads
		"-fdebug-compilation-dir=.", "-fdebug-prefix-map=" + filepath.Clean(b.file(".")) + "=" + ours,
		// Multiplications and additions become fma, as nvcc does it, but not those of libclc, which count on every rounding.
		"-ffp-contract=fast-honor-pragmas",
		"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library, "-Wno-linker-warnings",
		// Threads of a warp that count on running in step exchange values in shared memory, often without volatile. ViennaCL's
		// sums of s[i] and s[i ^ 1] are right with nvcc: the stores between such loads stay where they are.
		"-mllvm", "-dse-memoryssa-scanlimit=0",
		// A variable that one thread of a warp has set goes to a shuffle in all of them. That it has no value in the others must
		// not tell the compiler that they do not come there.
		"-Xclang", "-no-enable-noundef-analysis",
		"-w", // the same warnings come with the host's part
	}
	if _, err := os.Stat(libclc); err == nil {
		args = append(args, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc)
	}
	if b.FastMath || b.Flush {
		args = append(args, "-fgpu-flush-denormals-to-zero")
	}
	if b.FastMath {
		args = append(args, "-fgpu-approx-transcendentals")
	}
	return b.compileDevice(slices.Concat(b.both(source), args, b.machineCode(), b.ptxVersion(), b.Device), how)
}

// machineCode are the options of the part of the compiler that makes PTX.
func (b *build) machineCode() []string {
	if b.FastMath || b.Divide {
		return []string{"-mllvm", "-nvptx-prec-divf32=1"}
	}
	return nil
}

// ptx compiles a file's part of the device to PTX.
func (b *build) ptx(source, to string) error {
	if err := b.device(source, to, "-S"); err != nil {
		return err
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	if !b.Relocatable {
		if err := undefined(source, text, "with relocatable code of the device (-rdc=true) it may be in another file"); err != nil {
			return err
		}
	}
	return b.temp.WriteFile(to, b.finished(text))
}

// finished is the PTX of the compiler as programs have it: names of files are those that it was given.
func (b *build) finished(ptx []byte) []byte {
	return b.Caches.apply(bytes.ReplaceAll(callSites(ptx), []byte(`"./`), []byte(`"`)))
}

// cuda compiles a file for the device, then for the host, with the device's code
// in it: PTX, or the compiler's own code, which can be linked with that of others.
// how says to what.
func (b *build) cuda(source, to string, how ...string) error {
	code := to + ".device"
	defer os.Remove(code)
	var err error
	if b.Relocatable {
		err = b.relocatable(source, code)
	} else if err = b.ptx(source, code); err == nil {
		err = b.appendTo(code, 0) // as long as C has it
	}
	if err != nil {
		return err
	}
	return b.accepted(slices.Concat(b.both(source), asGCC, b.host(), []string{"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", code, source, "-o", to}, how)...)
}

// assembly compiles a file to C++ that any compiler makes the object of: the
// assembler's text in a statement.
func (b *build) assembly(source, to string) error {
	file := b.file("host.s")
	if err := b.cuda(source, file, slices.Concat(b.lists[source], []string{"-S", "-fno-integrated-as"})...); err != nil {
		return err
	}
	assembler, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.WriteString("__asm__(\n")
	for line := range strings.Lines(string(assembler)) {
		fmt.Fprintln(&text, strconv.Quote(line))
	}
	text.WriteString(");\n")
	return b.temp.WriteFile(to, text.Bytes())
}

// appendTo adds a byte to a file.
func (b *build) appendTo(file string, c byte) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return b.temp.WriteFile(file, append(text, c))
}

var external = regexp.MustCompile(`(?m)^\.extern \.(?:func .*?|(?:global|const) .*?)(\w+)(?:\[\d*\])?;?$`)

// undefined names the device functions and variables that are used and defined
// nowhere; where else they may be is the advice.
func undefined(source string, text []byte, advice string) error {
	_, missing := os.Stat(libclc)
	var errs []error
	for _, found := range external.FindAllSubmatch(text, -1) {
		name := string(found[1])
		what := "function"
		if !bytes.HasPrefix(found[0], []byte(".extern .func")) {
			what = "variable"
		}
		switch plain, ours := strings.CutPrefix(name, "__nv_"); {
		case name == "vprintf" || name == "__assertfail":
		case ours:
			errs = append(errs, fmt.Errorf("%s: the device function %s is not supported", source, plain))
		case missing != nil && strings.HasPrefix(name, "_Z"):
			errs = append(errs, fmt.Errorf("%s: the device function %s is in %s, which is not there (Debian package libclc-19)", source, ptx.Demangled(name), libclc))
		default:
			errs = append(errs, fmt.Errorf("%s: the device %s %s is defined in no file; %s", source, what, ptx.Demangled(name), advice))
		}
	}
	return errors.Join(errs...)
}

// runtime compiles the runtime of the host. It waits for the simulator, so that
// the compiler's time for making it faster is never earned back.
func (b *build) runtime() (objects []string, err error) {
	names := []string{"cudart", "driver", "texture", "graph"}
	if slices.Contains(b.Libraries, "nvrtc") {
		names = append(names, "nvrtc")
	}
	for _, name := range names {
		object := b.file(name + ".o")
		objects = append(objects, object)
		if err := b.clang("-O0", "-w", "-fPIC", "-isystem", b.file("include"), "-DDIVERGO_PATH="+strconv.Quote(b.Divergo), "-c", b.file("runtime/"+name+".c"), "-o", object); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// link makes a program of objects.
func (b *build) link(objects []object, program string) error {
	own, err := b.runtime()
	if err != nil {
		return err
	}
	device, err := b.deviceLink(objects, b.file("linked.o"))
	if err != nil {
		return err
	}
	// Above 4 GiB, so that addresses of the host are none of the device.
	args := slices.Concat(b.host(), []string{"-pie"}, own)
	for _, o := range objects {
		args = append(args, o.file)
	}
	args = append(args, device...)
	for _, l := range b.LibraryDirs {
		args = append(args, "-L"+l)
	}
	libraries := b.Libraries
	switch {
	case b.openMP() && fileExists(libomp): // which has libgomp's functions as well
		libraries = slices.DeleteFunc(slices.Clone(libraries), func(l string) bool { return l == "gomp" })
	case b.openMP():
		libraries = append(slices.Clone(libraries), "gomp")
	}
	for _, l := range libraries {
		if !slices.Contains(ownLibraries, l) {
			args = append(args, "-l"+l)
		}
	}
	return b.clang(slices.Concat(args, b.Linker, []string{"-lstdc++", "-lm", "-o", program})...)
}

// ownLibraries are those of CUDA that are part of the runtime, or of headers.
var ownLibraries = []string{"cudart", "cudart_static", "cuda", "cudadevrt", "nvrtc", "nvToolsExt"}

// clang runs the compiler.
func (b *build) clang(args ...string) error {
	if b.Verbose && b.Messages != nil {
		fmt.Fprintln(b.Messages, "#$", compiler, strings.Join(args, " "))
	}
	c := exec.Command(compiler, args...)
	c.Env = append(os.Environ(), "TMPDIR="+b.temp.Path("."))
	out, err := output.Run(c)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not installed (Debian packages clang-19, libclc-19 and g++): %w", compiler, err)
	case err != nil && bytes.Contains(out, []byte("'cmath' file not found")):
		return fmt.Errorf("the C++ library is not installed (Debian package g++)\n%s", out)
	case err != nil && bytes.Contains(out, []byte("fatal error: 'cuda/")):
		return fmt.Errorf("NVIDIA's C++ library is not installed (Debian package libcu++-dev)\n%s", out)
	case err != nil:
		said := string(bytes.TrimSpace(out))
		if strings.Contains(said, "reference to __global__ function") {
			said += "\nkernels that launch kernels (dynamic parallelism) are not supported"
		}
		return &compilerError{err, said}
	}
	if b.Messages != nil {
		_, err = b.Messages.Write(out)
	}
	return err
}

// compilerError is what the compiler said when it failed.
type compilerError struct {
	err      error
	messages string
}

func (e *compilerError) Error() string { return fmt.Sprintf("%s: %s\n%s", compiler, e.err, e.messages) }
func (e *compilerError) Unwrap() error { return e.err }
