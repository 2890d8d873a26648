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

// compiler is the name of clang with its version, since other versions have other headers.
const compiler = "clang-19"

// libclc is the path of the device mathematics (Debian package libclc-19).
const libclc = "/usr/lib/clc/nvptx64--nvidiacl.bc"

// DefaultArch is the GPU that programs are compiled for. It is the first one with all atomics, and
// the last one that has votes and shuffles both with and without _sync.
const (
	DefaultArch   = "sm_60"
	defaultTarget = 60
)

// Options are the options of a compilation. They follow those of a compiler.
type Options struct {
	Defines, Includes, LibraryDirs, Libraries []string // -D -I -L -l
	Level                                     string   // -O
	Standard                                  string   // -std; "": the compiler's default
	Arch                                      string   // GPU, such as sm_60

	// Relocatable device code can use functions and variables of other files. The link makes one
	// module of all files.
	Relocatable bool
	Flush       bool // -ftz=true
	Divide      bool // -prec-div=false
	Root        bool // -prec-sqrt=false
	FastMath    bool // -use_fast_math: all three, and approximate instructions in place of functions

	Caches Caches   // cache operators of loads and stores
	Extra  []string // compiler options of every file
	Device []string // compiler options of the device part
	Host   []string // compiler options of the host part
	Linker []string // linker options

	Verbose  bool      // also print the compiler's command lines to Messages
	Language string    // -x, for all files: "c", "c++" or "cu"; "": by their extension
	Divergo  string    // path of the simulator, which a program starts if it runs without "divergo cuda run"
	Messages io.Writer // receives the compiler's warnings; nil: none
}

// Build makes a program from source and object files. Its error holds the compiler's messages, with
// file, line and column.
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

// Reads registers the input files: sources, objects and libraries.
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

// object is an input of the linker, and the source that it was made from; a given object is its own
// source.
type object struct{ file, source string }

// objects compiles the sources. Inputs of the linker stay as they are.
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

// build is one compilation, with its temporary folder.
type build struct {
	Options
	temp       *output.Scratch     // folder of all other files than sources and outputs
	registered map[string]bool     // device parts that were already linked (-dlink)
	lists      map[string][]string // by source: options that make the list of included files
	respelled  map[string]string   // by file: the copy that the compiler reads instead
}

// with calls do in a temporary folder with the headers and the runtime.
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

// unpack writes the headers and the runtime to the temporary folder.
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

// languages holds the languages of files, by extension.
var languages = map[string]string{".cu": "cu", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++", ".c": "c"}

// language returns the language of a source; "" if it is unknown.
func (b *build) language(source string) string {
	if b.Language != "" {
		return b.Language
	}
	return languages[filepath.Ext(source)]
}

// linked reports whether a file is an input of the linker.
func (b *build) linked(file string) bool {
	return b.Language == "" && slices.Contains([]string{".o", ".a", ".so"}, filepath.Ext(file))
}

// compile makes an object from a source.
func (b *build) compile(source, object string) error {
	switch b.language(source) {
	case "cu":
		return b.cuda(source, object, slices.Concat(b.lists[source], []string{"-c"})...)
	case "":
		return fmt.Errorf("%s: want a file that ends in .cu, .cpp, .cc, .cxx, .C, .c, .o, .a or .so", source)
	}
	return b.clang(slices.Concat(b.common(source), asGCC, b.host(), b.lists[source],
		[]string{"-x", b.language(source), "-isystem", b.file("include"), "-c", source, "-o", object})...)
}

// libomp is the library that clang's OpenMP calls (Debian package libomp-19-dev).
const libomp = "/usr/lib/llvm-19/lib/libomp.so"

// openMP reports whether the host part uses OpenMP.
func (b *build) openMP() bool { return slices.Contains(b.Host, "-fopenmp") }

// host returns the options of the host part. Without clang's OpenMP library the pragmas do nothing,
// and the OpenMP functions are GCC's: there is one thread.
func (b *build) host() []string {
	if !b.openMP() || fileExists(libomp) {
		return b.Host
	}
	return slices.DeleteFunc(slices.Clone(b.Host), func(o string) bool { return o == "-fopenmp" })
}

// lenient holds options for old programs: what GCC and nvcc accept with a warning, but clang
// refuses.
//
// Examples are functions that end without a value, undeclared functions, narrowing integers in
// braces, and "register".
var lenient = []string{
	"-fno-strict-return", "-Wno-c++11-narrowing", "-Wno-register", "-Wno-dynamic-exception-spec",
	"-Wno-reserved-user-defined-literal",
	"-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
	"-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch",
}

// asGCC holds options for the host part of programs written for g++ without warnings. Signed
// overflow wraps, and memory may be read by another type than it was written by. C++ leaves both
// undefined ([expr.pre], [basic.lval]).
var asGCC = []string{"-fwrapv", "-fno-strict-aliasing"}

// common returns the options of every compilation of a user's file.
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

// ptxVersion allows the compiler to use all instructions of an architecture.
func (b *build) ptxVersion() []string {
	version := "+ptx64"
	if number, err := strconv.Atoi(strings.TrimPrefix(b.Arch, "sm_")); err == nil && number >= 80 {
		version = "+ptx70" // has redux.sync
	}
	return []string{"-Xclang", "-target-feature", "-Xclang", version}
}

// both returns the options of the host and device parts of a CUDA file. The version of the SDK
// selects the code that launches kernels.
func (b *build) both(source string) []string {
	// Some libraries have different code for clang and for nvcc: -U__NVCC__ selects that for clang.
	args := slices.Concat([]string{"-D__NVCC__"}, b.common(source), []string{
		"-x", "cuda", "--cuda-gpu-arch=" + b.Arch, "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.1",
		"-isystem", b.file("include"), "-include", "cuda_runtime.h", "-Wno-unknown-cuda-version",
		"-Xclang", "-fcuda-allow-variadic-functions", // CUDA's C++ library declares such functions, and calls none
		"-D__CUDA_ARCH_LIST__=" + strings.TrimPrefix(b.Arch, "sm_") + "0",
	})
	if b.Relocatable {
		// Static variables need a file name that is the same in every compilation of the file.
		path, err := filepath.Abs(source)
		if err != nil {
			path = source
		}
		hash := sha256.Sum256(fmt.Append(nil, path, b.Defines))
		id := fmt.Sprintf("-cuid=%x", hash[:8])
		// clang 19 itself passes it only to the device part
		args = append(args, "-D__CUDACC_RDC__", "-fgpu-rdc", id, "-Xclang", id)
	}
	return args
}

// device compiles the device part of a file. how selects the kind of output.
func (b *build) device(source, to string, how ...string) error {
	library := b.file("device.bc")
	if _, err := os.Stat(library); err != nil {
		args := []string{
			"--target=nvptx64-nvidia-cuda", "-march=" +
				b.Arch, "-nogpulib", "-O2", "-ffp-contract=off", "-fno-math-errno",
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
		// callSites reads these
		"--cuda-device-only", source, "-o", to, "-gline-directives-only", "-Xclang",
		"-debug-info-kind=line-tables-only",
		"-fdebug-compilation-dir=.", "-fdebug-prefix-map=" + filepath.Clean(b.file(".")) + "=" + ours,
		// Multiplications and additions become fma, as in nvcc. Those of libclc do not, since
		// libclc depends on every rounding.
		"-ffp-contract=fast-honor-pragmas",
		"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library, "-Wno-linker-warnings",
		// Threads of a warp that rely on lockstep exchange values in shared memory, often without
		// volatile. ViennaCL's sums of s[i] and s[i ^ 1] are right with nvcc. So the stores between
		// such loads must stay in place.
		"-mllvm", "-dse-memoryssa-scanlimit=0",
		// A variable that one thread of a warp has set is an operand of a shuffle in all threads.
		// It is undefined in the others; the compiler must not infer that they never reach the
		// shuffle.
		"-Xclang", "-no-enable-noundef-analysis",
		"-w", // the host part repeats the same warnings
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

// machineCode returns the options of the compiler's PTX backend.
func (b *build) machineCode() []string {
	if b.FastMath || b.Divide {
		return []string{"-mllvm", "-nvptx-prec-divf32=1"}
	}
	return nil
}

// ptx compiles the device part of a file to PTX.
func (b *build) ptx(source, to string) error {
	if err := b.device(source, to, "-S"); err != nil {
		return err
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	if !b.Relocatable {
		if err := undefined(source, text,
			"with relocatable code of the device (-rdc=true) it may be in another file"); err != nil {
			return err
		}
	}
	return b.temp.WriteFile(to, b.finished(text))
}

// finished returns the compiler's PTX with call sites, cache operators, and file names as the
// compiler was given them.
func (b *build) finished(ptx []byte) []byte {
	return b.Caches.apply(bytes.ReplaceAll(callSites(ptx), []byte(`"./`), []byte(`"`)))
}

// cuda compiles a file for the device, then for the host, and embeds the device code. how selects
// the kind of output.
//
// The device code is PTX. With relocatable code it is LLVM IR, which can be linked with that of
// other files.
func (b *build) cuda(source, to string, how ...string) error {
	code := to + ".device"
	defer os.Remove(code)
	var err error
	if b.Relocatable {
		err = b.relocatable(source, code)
	} else if err = b.ptx(source, code); err == nil {
		err = b.appendTo(code, 0) // PTX ends with a zero byte, as a C string
	}
	if err != nil {
		return err
	}
	return b.accepted(slices.Concat(b.both(source), asGCC, b.host(),
		[]string{"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", code, source, "-o", to}, how)...)
}

// assembly compiles a file to C++ for any other compiler. The output holds the assembler's text in
// an asm statement.
func (b *build) assembly(source, to string) error {
	file := b.file("host.s")
	if err := b.cuda(source, file,
		slices.Concat(b.lists[source], []string{"-S", "-fno-integrated-as"})...); err != nil {
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

// appendTo appends a byte to a file.
func (b *build) appendTo(file string, c byte) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return b.temp.WriteFile(file, append(text, c))
}

var external = regexp.MustCompile(`(?m)^\.extern \.(?:func .*?|(?:global|const) .*?)(\w+)(?:\[\d*\])?;?$`)

// undefined reports the device functions and variables that are used but defined nowhere. advice
// suggests another place to look.
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
			errs = append(errs, fmt.Errorf("%s: the device %s %s is defined in no file; %s", source, what,
				ptx.Demangled(name), advice))
		}
	}
	return errors.Join(errs...)
}

// runtime compiles the host's runtime, without optimisation: it mostly waits for the simulator.
func (b *build) runtime() (objects []string, err error) {
	names := []string{"cudart", "driver", "texture", "graph"}
	if slices.Contains(b.Libraries, "nvrtc") {
		names = append(names, "nvrtc")
	}
	for _, name := range names {
		object := b.file(name + ".o")
		objects = append(objects, object)
		if err := b.clang("-O0", "-w", "-fPIC", "-isystem", b.file("include"),
			"-DDIVERGO_PATH="+strconv.Quote(b.Divergo), "-c", b.file("runtime/"+name+".c"), "-o", object); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// link makes a program from objects.
func (b *build) link(objects []object, program string) error {
	own, err := b.runtime()
	if err != nil {
		return err
	}
	device, err := b.deviceLink(objects, b.file("linked.o"))
	if err != nil {
		return err
	}
	// -pie loads the program above 4 GiB, so that host addresses differ from device addresses.
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
	case b.openMP() && fileExists(libomp): // libomp also holds libgomp's functions
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

// ownLibraries lists CUDA's libraries that the runtime or the headers replace.
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

// compilerError holds the messages of a failed compilation.
type compilerError struct {
	err      error
	messages string
}

func (e *compilerError) Error() string { return fmt.Sprintf("%s: %s\n%s", compiler, e.err, e.messages) }
func (e *compilerError) Unwrap() error { return e.err }
