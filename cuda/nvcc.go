package cuda

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/input"
	"divergo/internal/nearest"
)

// release is the CUDA release that these headers and this compiler replace.
const release = "12.1"

// Nvcc runs a compiler driver with the options of NVIDIA's nvcc.
//
// Short names have one dash, long ones two; a value follows a space or "=". divergo is the path of
// the simulator. A program starts it if it runs without "divergo cuda run". Source: NVIDIA CUDA
// Compiler Driver NVCC, "NVCC Command Options".
func Nvcc(args []string, divergo string, stdout, stderr io.Writer) error {
	n := &nvcc{Options: Options{Level: "3", Arch: DefaultArch, Divergo: divergo, Messages: stderr}}
	if err := n.parse(args); err != nil {
		return err
	}
	if n.version {
		// Build systems look for the second line (CMake, CMakeDetermineCUDACompiler) and for the
		// numbers of the third.
		_, err := fmt.Fprintf(stdout, "divergo cuda nvcc, by way of %s, in place of\nnvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release %s, V%[2]s.0\n", compiler, release)
		return err
	}
	if err := n.assembler(stderr); err != nil {
		return err
	}
	if n.Verbose {
		n.environment(stderr)
	}
	if len(n.files) == 0 {
		return errors.New("nvcc: want files")
	}
	return n.do(stdout)
}

// phase is the last step of a compilation.
type phase int

const (
	toProgram phase = iota
	toObject
	toPTX
	toText  // -E
	toCubin // -cubin; the file holds PTX, which programs load in place of machine code
	toFatbin
	toDependencies // -M
	toDeviceObject // -dlink
	toArchive      // -lib
	toHost         // -cuda
)

// singles describes the output of each phase that makes one file from each source. There, -o needs
// a single source.
var singles = map[phase]string{
	toObject: "a file that ends in .o", toPTX: "a file that ends in .ptx", toCubin: "a file that ends in .cubin",
	toFatbin: "a file that ends in .fatbin", toHost: "a file that ends in .cu.cpp.ii", toText: "a text",
	toDependencies: "a list",
}

// endings are the extensions of the outputs, for phases with one output for each source.
var endings = map[phase]string{
	toObject: ".o", toPTX: ".ptx", toCubin: ".cubin", toFatbin: ".fatbin",
	toHost: ".cu.cpp.ii",
}

// nvcc is a parsed command line.
type nvcc struct {
	Options
	phase          phase
	files          []string
	output, folder string       // -o, -odir
	read           []named      // input files besides the sources
	list           dependencies // -MD
	version        bool
	shared         bool
	forward        bool     // unknown options go to the host compiler
	arch           int      // highest requested architecture
	ptxas          []string // options for NVIDIA's assembler
	more           []string // options read from option files, to parse next
}

// named is an option that names a file.
type named struct{ option, file string }

// takes is the kind of value that an option takes.
type takes int

const (
	nothing takes = iota
	truth         // true or false; true if missing
	value
	list // several, separated by commas
)

// option is an option of nvcc. An option without a function has no effect here.
type option struct {
	long, short string
	takes       takes
	joined      bool // the value may follow the short name directly
	do          func(n *nvcc, value string) error
}

// no refuses an option and explains why.
func no(why string) func(*nvcc, string) error {
	return func(*nvcc, string) error { return errors.New(why) }
}

// on calls set if the value is true.
func on(set func(n *nvcc)) func(*nvcc, string) error {
	return func(n *nvcc, v string) error {
		if v == "true" {
			set(n)
		}
		return nil
	}
}

func ends(p phase) func(*nvcc, string) error { return on(func(n *nvcc) { n.phase = p }) }

// into appends values to a list.
func into(of func(n *nvcc) *[]string, prefix string) func(*nvcc, string) error {
	return func(n *nvcc, v string) error {
		l := of(n)
		*l = append(*l, prefix+v)
		return nil
	}
}

// extendedLambda defines the macro that programs test before they use device lambdas. Device
// lambdas are always available.
func extendedLambda(n *nvcc) { n.Extra = append(n.Extra, "-D__CUDACC_EXTENDED_LAMBDA__") }

func listed(n *nvcc) { n.list.wanted = true }

func extra(n *nvcc) *[]string { return &n.Extra }
func host(n *nvcc) *[]string  { return &n.Host }

// word accepts one of these words.
func word(words ...string) func(*nvcc, string) error {
	return func(_ *nvcc, v string) error {
		if !slices.Contains(words, v) {
			return nearest.Unknown("value", v, words)
		}
		return nil
	}
}

const maxOptions = 1 << 20 // size limit of an options file, in bytes

const noCode = "there is no machine code here: programs hold PTX"

var options = []option{
	// Last step of the compilation.
	{"compile", "c", nothing, false, ends(toObject)},
	{"device-c", "dc", nothing, false, on(func(n *nvcc) { n.phase, n.Relocatable = toObject, true })},
	{"device-w", "dw", nothing, false, ends(toObject)},
	{"device-link", "dlink", nothing, false, ends(toDeviceObject)},
	{"link", "link", nothing, false, ends(toProgram)},
	{"lib", "lib", nothing, false, ends(toArchive)},
	{"ptx", "ptx", nothing, false, ends(toPTX)},
	{"preprocess", "E", nothing, false, ends(toText)},
	{"generate-dependencies", "M", nothing, false, ends(toDependencies)},
	{"generate-nonsystem-dependencies", "MM", nothing, false, ends(toDependencies)},
	{"cubin", "cubin", nothing, false, ends(toCubin)},
	{"fatbin", "fatbin", nothing, false, ends(toFatbin)},
	{"optix-ir", "optix-ir", nothing, false, no(noCode)},
	{"run", "run", nothing, false, no(`"divergo cuda run" builds and runs`)},
	{"cuda", "cuda", nothing, false, ends(toHost)},
	{"shared", "shared", nothing, false, on(func(n *nvcc) { n.shared = true })},
	{"no-device-link", "nodlink", nothing, false, nil},

	// Files and folders.
	{"options-file", "optf", list, false, func(n *nvcc, v string) error {
		text, err := input.Read(v, maxOptions)
		if err != nil {
			return err
		}
		n.read = append(n.read, named{"--options-file", v})
		n.more = append(n.more, words(string(text))...)
		return nil
	}},
	{"output-file", "o", value, false, func(n *nvcc, v string) error { n.output = v; return nil }},
	{"output-directory", "odir", value, false, func(n *nvcc, v string) error { n.folder = v; return nil }},
	{"x", "x", value, false, func(n *nvcc, v string) error { n.Language = v; return word("c", "c++", "cu")(n, v) }},
	{"include-path", "I", list, true, into(func(n *nvcc) *[]string { return &n.Includes }, "")},
	{"system-include", "isystem", list, false, into(extra, "-isystem")},
	{"pre-include", "include", list, false, func(n *nvcc, v string) error {
		n.read = append(n.read, named{"-include", v})
		return into(extra, "-include")(n, v)
	}},
	{"define-macro", "D", value, true, into(func(n *nvcc) *[]string { return &n.Defines }, "")},
	{"undefine-macro", "U", value, true, into(extra, "-U")},
	{"library-path", "L", list, true, into(func(n *nvcc) *[]string { return &n.LibraryDirs }, "")},
	{"library", "l", list, true, into(func(n *nvcc) *[]string { return &n.Libraries }, "")},
	{"generate-dependencies-with-compile", "MD", nothing, false, on(listed)},
	{"generate-nonsystem-dependencies-with-compile", "MMD", nothing, false, on(listed)},
	{"dependency-output", "MF", value, false, func(n *nvcc, v string) error { n.list.file = v; return nil }},
	{
		"dependency-target-name", "MT", value, false,
		func(n *nvcc, v string) error { n.list.named = true; return into(host, "-MT")(n, v) },
	},
	{"generate-dependency-targets", "MP", nothing, false, on(func(n *nvcc) { n.Host = append(n.Host, "-MP") })},

	// Code generation.
	{"std", "std", value, false, func(n *nvcc, v string) error { n.Standard = v; return nil }},
	{
		"optimize", "O", value, true,
		func(n *nvcc, v string) error { n.Level = v; return word("0", "1", "2", "3")(n, v) },
	},
	{"debug", "g", nothing, false, on(func(n *nvcc) { n.Host = append(n.Host, "-g") })},
	{"device-debug", "G", nothing, false, on(func(n *nvcc) { n.Device = append(n.Device, "-O0") })},
	{"generate-line-info", "lineinfo", nothing, false, nil}, // line information is always present
	{
		"profile", "pg", nothing, false,
		on(func(n *nvcc) { n.Host, n.Linker = append(n.Host, "-pg"), append(n.Linker, "-pg") }),
	},
	{"gpu-architecture", "arch", value, false, architecture},
	{"gpu-code", "code", list, false, architecture},
	{"generate-code", "gencode", value, false, func(n *nvcc, v string) error {
		var errs []error
		for _, part := range strings.Split(strings.NewReplacer(`"`, "", "[", "", "]", "", "code=", "", "arch=",
			"").Replace(v), ",") {
			errs = append(errs, architecture(n, part))
		}
		return errors.Join(errs...)
	}},
	{"maxrregcount", "maxrregcount", value, false, nil}, // the number of registers is that of the live ones
	{
		"relocatable-device-code", "rdc", truth, false,
		func(n *nvcc, v string) error { n.Relocatable = v == "true"; return nil },
	},
	{"use_fast_math", "use_fast_math", nothing, false, on(func(n *nvcc) { n.FastMath = true })},
	{"ftz", "ftz", truth, false, func(n *nvcc, v string) error { n.Flush = v == "true"; return nil }},
	{"prec-div", "prec-div", truth, false, func(n *nvcc, v string) error { n.Divide = v == "false"; return nil }},
	{"prec-sqrt", "prec-sqrt", truth, false, func(n *nvcc, v string) error { n.Root = v == "false"; return nil }},
	{"fmad", "fmad", truth, false, func(n *nvcc, v string) error {
		if v == "false" {
			n.Device = append(n.Device, "-ffp-contract=off")
		}
		return nil
	}},
	{"restrict", "restrict", nothing, false, nil},
	{"default-stream", "default-stream", value, false, word("legacy", "null", "per-thread")},
	{
		"expt-relaxed-constexpr", "expt-relaxed-constexpr", nothing, false,
		on(func(n *nvcc) { n.Extra = append(n.Extra, "-D__CUDACC_RELAXED_CONSTEXPR__") }),
	},
	{"extended-lambda", "extended-lambda", nothing, false, on(extendedLambda)},
	{"expt-extended-lambda", "expt-extended-lambda", nothing, false, on(extendedLambda)},
	{"dopt", "dopt", value, false, nil},
	{"dlink-time-opt", "dlto", nothing, false, nil},
	{"split-compile", "split-compile", value, false, nil},
	{"no-exceptions", "noeh", nothing, false, into(host, "-fno-exceptions")},
	{"no-host-device-initializer-list", "nohdinitlist", nothing, false, nil},
	{"no-host-device-move-forward", "nohdmoveforward", nothing, false, nil},
	{"extra-device-vectorization", "extra-device-vectorization", nothing, false, nil},

	// Other programs. nvcc pastes these values into their command lines. So a value can hold
	// several options, and quotes.
	{"compiler-options", "Xcompiler", list, false, func(n *nvcc, v string) error {
		if slices.Contains(words(v), "-m32") {
			return errors.New("want -m64: addresses have 64 bits")
		}
		n.Host = append(n.Host, words(v)...)
		return nil
	}},
	{"linker-options", "Xlinker", list, false, func(n *nvcc, v string) error {
		for _, o := range words(v) {
			n.Linker = append(n.Linker, "-Xlinker", o)
		}
		return nil
	}},
	{
		"ptxas-options", "Xptxas", list, false,
		func(n *nvcc, v string) error { n.ptxas = append(n.ptxas, words(v)...); return nil },
	},
	{"nvlink-options", "Xnvlink", list, false, nil},
	{"cudafe-options", "Xcudafe", list, false, nil},
	{"fatbin-options", "Xfatbin", list, false, nil},
	{"archive-options", "Xarchive", list, false, nil},
	// Options of releases before 5.
	{"opencc-options", "Xopencc", list, false, nil},
	{"host-compilation", "host-compilation", value, false, word("C", "c", "C++", "c++")},
	{"device-emulation", "deviceemu", nothing, false, no("kernels are not compiled for the host")},
	{"compiler-bindir", "ccbin", value, false, nil},
	{"cudart", "cudart", value, false, word("none", "shared", "static")},
	{"cudadevrt", "cudadevrt", value, false, word("none", "static")},
	{"machine", "m", value, true, func(n *nvcc, v string) error {
		if v != "64" {
			return errors.New("want 64")
		}
		return nil
	}},
	{"threads", "t", value, false, nil},

	// Messages.
	{"disable-warnings", "w", nothing, false, on(func(n *nvcc) { n.Extra = append(n.Extra, "-w") })},
	{"Werror", "Werror", list, false, nil},
	{"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", nothing, false, nil},
	{
		"Wno-deprecated-declarations", "Wno-deprecated-declarations", nothing, false,
		into(extra, "-Wno-deprecated-declarations"),
	},
	{"Wreorder", "Wreorder", nothing, false, on(func(n *nvcc) { n.Extra = append(n.Extra, "-Wreorder") })},
	{"diag-suppress", "diag-suppress", list, false, nil},
	{"diag-error", "diag-error", list, false, nil},
	{"diag-warn", "diag-warn", list, false, nil},
	{"display-error-number", "err-no", nothing, false, nil},
	{"resource-usage", "res-usage", nothing, false, nil},
	{"verbose", "v", nothing, false, on(func(n *nvcc) { n.Verbose = true })},
	{"keep", "keep", nothing, false, nil},
	{"save-temps", "save-temps", nothing, false, nil},
	{"keep-dir", "keep-dir", value, false, nil},
	{"clean-targets", "clean", nothing, false, nil},
	{"time", "time", value, false, nil},
	{"Wmissing-launch-bounds", "Wmissing-launch-bounds", nothing, false, nil},
	{"Wext-lambda-captures-this", "Wext-lambda-captures-this", nothing, false, nil},
	{"source-in-ptx", "src-in-ptx", nothing, false, nil},
	{"allow-unsupported-compiler", "allow-unsupported-compiler", nothing, false, nil},
	{
		"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", nothing, false,
		on(func(n *nvcc) { n.forward = true }),
	},
	{"forward-unknown-opts", "forward-unknown-opts", nothing, false, on(func(n *nvcc) { n.forward = true })},
	{"version", "V", nothing, false, on(func(n *nvcc) { n.version = true })},
}

// architecture accepts sm_60, compute_60, native and all. Programs are compiled for the highest
// architecture named.
func architecture(n *nvcc, v string) error {
	v = strings.Trim(v, `"`)
	if slices.Contains([]string{"native", "all", "all-major", "lto"}, v) {
		return nil
	}
	_, digits, _ := strings.Cut(v, "_")
	number, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if err != nil || !strings.HasPrefix(v, "sm_") && !strings.HasPrefix(v, "compute_") &&
		!strings.HasPrefix(v, "lto_") {
		return fmt.Errorf("%q: want sm_60, compute_60 or the like", v)
	}
	if number > n.arch {
		n.arch = number
		at, found := slices.BinarySearch(architectures, number)
		if !found {
			at = max(at-1, 0)
		}
		n.Arch = fmt.Sprintf("sm_%d", architectures[at])
	}
	return nil
}

// architectures are the GPUs that the compiler knows. A number between two of them, or above the
// last, has the features of the one below it.
var architectures = []int{20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}

// find returns the option of a name, which has no dashes.
func find(name string) *option {
	for i := range options {
		if o := &options[i]; name != "" && (o.long == name || o.short == name) {
			return o
		}
	}
	return nil
}

// parse reads a command line.
func (n *nvcc) parse(args []string) error {
	var errs []error
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			n.files = append(n.files, arg)
			continue
		}
		bare := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		name, given, has := strings.Cut(bare, "=")
		o := find(name)
		if o == nil {
			if o = find(bare[:min(1, len(bare))]); o == nil || !o.joined {
				if n.forward {
					n.Host = append(n.Host, arg)
				} else {
					errs = append(errs, unknown(arg))
				}
				continue
			}
			given, has = bare[1:], true
		}
		switch {
		case has:
		case o.takes == nothing || o.takes == truth:
			given = "true"
		case len(args) == 0:
			errs = append(errs, fmt.Errorf("nvcc: %s: want a value", arg))
			continue
		default:
			given, args = args[0], args[1:]
		}
		if o.takes <= truth && given != "true" && given != "false" {
			errs = append(errs, fmt.Errorf("nvcc: %s: found %q, want true or false", arg, given))
			continue
		}
		values := []string{given}
		if o.takes == list {
			values = strings.Split(given, ",")
		}
		for _, v := range values {
			if o.do == nil {
				continue
			}
			if err := o.do(n, v); err != nil {
				errs = append(errs, fmt.Errorf("nvcc: %s: %w", arg, err))
			}
		}
		args, n.more = slices.Concat(n.more, args), nil
	}
	return errors.Join(errs...)
}

// words splits the text of an options file at blanks; quotes group words.
func words(text string) (list []string) {
	var word strings.Builder
	quote, in := rune(0), false
	for _, c := range text + "\n" {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, in = c, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", c):
			if in {
				list = append(list, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteRune(c)
			in = true
		}
	}
	return list
}

// unknown reports a misspelt option and suggests others.
func unknown(arg string) error {
	var names []string
	for _, o := range options {
		names = append(names, "-"+o.short)
		if o.short != o.long {
			names = append(names, "--"+o.long)
		}
	}
	name, _, _ := strings.Cut(arg, "=")
	if near := nearest.Word(name, names); near != "" {
		return fmt.Errorf("nvcc: unknown option %q; did you mean %q?", arg, near)
	}
	return fmt.Errorf("nvcc: unknown option %q; those of the host's compiler follow -Xcompiler", arg)
}

// do compiles and links the sources.
func (n *nvcc) do(stdout io.Writer) error {
	if single, ok := singles[n.phase]; ok && n.output != "" && len(n.sources()) > 1 {
		return fmt.Errorf("nvcc: -o %s: found %d sources, want one, as each makes %s", n.output, len(n.sources()),
			single)
	}
	if n.shared && n.phase == toProgram { // CMake passes it together with -dlink
		return errors.New("nvcc: -shared: shared libraries with device code are not supported")
	}
	return with(n.Options, func(b *build) error {
		p := products{b: b}
		defer p.files.Discard()
		n.Reads(&p.files, n.files)
		for _, r := range n.read {
			p.files.Reads(r.option, r.file)
		}
		if err := n.make(b, &p, stdout); err != nil {
			return err
		}
		return p.keep()
	})
}

// make makes the products of the phase.
func (n *nvcc) make(b *build, p *products, stdout io.Writer) error {
	switch n.phase {
	case toObject, toPTX, toCubin, toFatbin, toHost:
		return n.each(b, p)
	case toText, toDependencies:
		return n.print(b, p, stdout)
	}
	to, err := p.add("-o", n.named(map[phase]string{
		toDeviceObject: "a_dlink.o", toArchive: "a.a",
		toProgram: "a.out",
	}[n.phase]))
	if err != nil {
		return err
	}
	for _, source := range n.sources() {
		object := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)) + ".o"
		name := filepath.Join(n.folder, object)
		if len(n.sources()) == 1 {
			name = n.named(object)
		}
		if err := n.depend(b, p, source, name, object); err != nil {
			return err
		}
	}
	objects, err := b.objects(n.files)
	if err != nil {
		return err
	}
	switch n.phase {
	case toDeviceObject:
		made, err := b.deviceLink(objects, to)
		if err == nil && len(made) == 0 {
			err = errors.New("nvcc: -dlink: no object has relocatable code of the device (-dc)")
		}
		return err
	case toArchive:
		return b.archive(n.named("a.a"), to, objects)
	}
	n.hostLink(objects)
	return b.link(objects, to)
}

// toolkitVariable is the environment variable that holds the path of the toolkit. The toolkit's
// bin/nvcc sets it.
const toolkitVariable = "DIVERGO_TOOLKIT"

// libraries returns the option with which another compiler finds the runtime, as nvcc -v prints it.
func libraries() string { return fmt.Sprintf("%q", "-L"+os.Getenv(toolkitVariable)+"/lib64") }

// environment prints, with -v, the lines that build systems read from nvcc (CMake,
// CMakeDetermineCUDACompiler and FindCUDAToolkit).
func (n *nvcc) environment(w io.Writer) {
	fmt.Fprintf(w, "#$ PATH=%s\n#$ ARCHITECTURE=-arch compute_%s\n", os.Getenv("PATH"),
		strings.TrimPrefix(n.Arch, "sm_"))
	if top := os.Getenv(toolkitVariable); top != "" {
		fmt.Fprintf(w, "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%[1]s/nvvm/libdevice\n#$ INCLUDES=\"-I%[1]s/include\"\n#$ LIBRARIES=%s\n", top, libraries())
	}
}

// hostLink prints, with -v, the command with which another compiler links the objects. CMake reads
// the libraries from that line.
func (n *nvcc) hostLink(objects []object) {
	if !n.Verbose || os.Getenv(toolkitVariable) == "" {
		return
	}
	fmt.Fprintf(n.Messages, "#$ g++ -o %s", n.named("a.out"))
	for _, o := range objects {
		fmt.Fprintf(n.Messages, " %q", o.file)
	}
	fmt.Fprintf(n.Messages, " %s -lcudadevrt -lcudart_static -lrt -lpthread -ldl\n", libraries())
}

// sources are the files that are compiled.
func (n *nvcc) sources() []string {
	b := build{Options: n.Options}
	return slices.DeleteFunc(slices.Clone(n.files), b.linked)
}

// named returns the name of the output, or a default.
func (n *nvcc) named(otherwise string) string {
	if n.output != "" {
		return n.output
	}
	return filepath.Join(n.folder, otherwise)
}

// each makes an object or a PTX file from each source.
func (n *nvcc) each(b *build, p *products) error {
	made := make(map[string]string)
	for _, source := range n.sources() {
		base := filepath.Base(source)
		name := n.named(strings.TrimSuffix(base, filepath.Ext(base)) + endings[n.phase])
		to, err := p.add("-o", name)
		if err == nil && (n.phase == toObject || n.phase == toHost) {
			err = n.depend(b, p, source, name, name)
		}
		if err != nil {
			return err
		}
		made[source] = to
	}
	for _, source := range n.sources() {
		if err := n.one(b, source, made[source]); err != nil {
			return err
		}
	}
	return nil
}

// one makes an object or a PTX file from a source.
func (n *nvcc) one(b *build, source, to string) error {
	if n.phase == toObject {
		return b.compile(source, to)
	}
	if b.language(source) != "cu" {
		return fmt.Errorf("nvcc: %s: has no code of the device, want a .cu file", source)
	}
	if n.phase == toHost {
		return b.assembly(source, to)
	}
	return b.ptx(source, to)
}

// print prints the preprocessed text of a source, or its dependences.
func (n *nvcc) print(b *build, p *products, stdout io.Writer) error {
	option, name, how := "-o", n.output, "-E"
	if n.phase == toDependencies {
		how = "-MM"
		if n.list.file != "" {
			option, name = "-MF", n.list.file
		}
	}
	to := b.file("text")
	if name != "" {
		var err error
		if to, err = p.add(option, name); err != nil {
			return err
		}
	}
	for _, source := range n.sources() {
		args := append(b.both(source), "--cuda-host-only")
		if b.language(source) != "cu" {
			args = append(b.common(source), "-isystem", b.file("include"))
		}
		if err := b.clang(slices.Concat(args, b.host(), []string{how, source, "-o", to})...); err != nil {
			return err
		}
		if name != "" {
			continue
		}
		text, err := os.ReadFile(to)
		if err != nil {
			return err
		}
		if _, err := stdout.Write(text); err != nil {
			return err
		}
	}
	return nil
}
