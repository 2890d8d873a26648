package cuda

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
)

// release is the release of CUDA's toolkit whose headers and compiler these
// stand in for.
const release = "12.1"

// Nvcc is a compiler driver with the options of NVIDIA's (NVIDIA CUDA Compiler
// Driver NVCC, "NVCC Command Options"): short names with one dash, long ones
// with two, values behind a space or "=". divergo is the path of the simulator,
// for programs that are started by themselves.
func Nvcc(args []string, divergo string, stdout, stderr io.Writer) error {
	n := &nvcc{Options: Options{Level: "3", Arch: DefaultArch, Divergo: divergo, Messages: stderr}}
	if err := n.parse(args); err != nil {
		return err
	}
	if n.version {
		_, err := fmt.Fprintf(stdout, "divergo cuda nvcc: CUDA compilation tools, release %s, V%[1]s.0, by way of %s\n", release, compiler)
		return err
	}
	if len(n.files) == 0 {
		return errors.New("nvcc: want files")
	}
	return n.do(stdout)
}

// phase is where a compilation ends.
type phase int

const (
	toProgram phase = iota
	toObject
	toPTX
	toText  // -E
	toCubin // programs that load machine code get PTX under its name
	toFatbin
	toDependencies // -M
	toDeviceObject // -dlink
	toArchive      // -lib
)

// endings are what the files of a phase end in, where there is one for each source.
var endings = map[phase]string{toObject: ".o", toPTX: ".ptx", toCubin: ".cubin", toFatbin: ".fatbin"}

// nvcc is a command line.
type nvcc struct {
	Options
	phase          phase
	files          []string
	output, folder string // -o, -odir
	version        bool
	arch           int // highest that was asked for
}

// takes says what an option's value is.
type takes int

const (
	nothing takes = iota
	truth         // true or false; true if there is none
	value
	list // several, between commas
)

// option is one of nvcc's. An option without a function is taken and does
// nothing: what it chooses does not exist here, or has one way only.
type option struct {
	long, short string
	takes       takes
	joined      bool // the value may follow the short name without a space
	do          func(n *nvcc, value string) error
}

// no refuses an option: why.
func no(why string) func(*nvcc, string) error {
	return func(*nvcc, string) error { return errors.New(why) }
}

// on sets something if the value is true.
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

func extra(n *nvcc) *[]string { return &n.Extra }
func host(n *nvcc) *[]string  { return &n.Host }

// one of some words.
func word(words ...string) func(*nvcc, string) error {
	return func(_ *nvcc, v string) error {
		if !slices.Contains(words, v) {
			return nearest.Unknown("value", v, words)
		}
		return nil
	}
}

const noCode = "there is no machine code here: programs hold PTX"

var options = []option{
	// Where the compilation ends.
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
	{"shared", "shared", nothing, false, no("shared libraries with device code are not supported")},

	// Files.
	{"output-file", "o", value, false, func(n *nvcc, v string) error { n.output = v; return nil }},
	{"output-directory", "odir", value, false, func(n *nvcc, v string) error { n.folder = v; return nil }},
	{"x", "x", value, false, func(n *nvcc, v string) error { n.Language = v; return word("c", "c++", "cu")(n, v) }},
	{"include-path", "I", list, true, into(func(n *nvcc) *[]string { return &n.Includes }, "")},
	{"system-include", "isystem", list, false, into(extra, "-isystem")},
	{"pre-include", "include", list, false, into(extra, "-include")},
	{"define-macro", "D", value, true, into(func(n *nvcc) *[]string { return &n.Defines }, "")},
	{"undefine-macro", "U", value, true, into(extra, "-U")},
	{"library-path", "L", list, true, into(func(n *nvcc) *[]string { return &n.LibraryDirs }, "")},
	{"library", "l", list, true, into(func(n *nvcc) *[]string { return &n.Libraries }, "")},
	{"generate-dependencies-with-compile", "MD", nothing, false, on(func(n *nvcc) { n.Host = append(n.Host, "-MMD") })},
	{"generate-nonsystem-dependencies-with-compile", "MMD", nothing, false, on(func(n *nvcc) { n.Host = append(n.Host, "-MMD") })},
	{"dependency-output", "MF", value, false, into(host, "-MF")},
	{"dependency-target-name", "MT", value, false, into(host, "-MT")},
	{"generate-dependency-targets", "MP", nothing, false, on(func(n *nvcc) { n.Host = append(n.Host, "-MP") })},

	// Code.
	{"std", "std", value, false, func(n *nvcc, v string) error { n.Standard = v; return nil }},
	{"optimize", "O", value, true, func(n *nvcc, v string) error { n.Level = v; return word("0", "1", "2", "3")(n, v) }},
	{"debug", "g", nothing, false, on(func(n *nvcc) { n.Host = append(n.Host, "-g") })},
	{"device-debug", "G", nothing, false, on(func(n *nvcc) { n.Device = append(n.Device, "-O0") })},
	{"generate-line-info", "lineinfo", nothing, false, nil}, // it is always there
	{"profile", "pg", nothing, false, on(func(n *nvcc) { n.Host, n.Linker = append(n.Host, "-pg"), append(n.Linker, "-pg") })},
	{"gpu-architecture", "arch", value, false, architecture},
	{"gpu-code", "code", list, false, architecture},
	{"generate-code", "gencode", value, false, func(n *nvcc, v string) error {
		var errs []error
		for _, part := range strings.Split(strings.NewReplacer(`"`, "", "[", "", "]", "", "code=", "", "arch=", "").Replace(v), ",") {
			errs = append(errs, architecture(n, part))
		}
		return errors.Join(errs...)
	}},
	{"maxrregcount", "maxrregcount", value, false, nil}, // registers are as many as are live at once
	{"relocatable-device-code", "rdc", truth, false, func(n *nvcc, v string) error { n.Relocatable = v == "true"; return nil }},
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
	{"expt-relaxed-constexpr", "expt-relaxed-constexpr", nothing, false, nil},
	{"extended-lambda", "extended-lambda", nothing, false, nil},
	{"expt-extended-lambda", "expt-extended-lambda", nothing, false, nil},
	{"dopt", "dopt", value, false, nil},
	{"extra-device-vectorization", "extra-device-vectorization", nothing, false, nil},

	// Other programs.
	// nvcc pastes these into the command lines of the other programs, so that a value can be several options.
	{"compiler-options", "Xcompiler", list, false, func(n *nvcc, v string) error { n.Host = append(n.Host, strings.Fields(v)...); return nil }},
	{"linker-options", "Xlinker", list, false, func(n *nvcc, v string) error {
		for _, o := range strings.Fields(v) {
			n.Linker = append(n.Linker, "-Xlinker", o)
		}
		return nil
	}},
	{"ptxas-options", "Xptxas", list, false, nil},
	{"nvlink-options", "Xnvlink", list, false, nil},
	{"cudafe-options", "Xcudafe", list, false, nil},
	{"fatbin-options", "Xfatbin", list, false, nil},
	{"archive-options", "Xarchive", list, false, nil},
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
	{"Wno-deprecated-declarations", "Wno-deprecated-declarations", nothing, false, into(extra, "-Wno-deprecated-declarations")},
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
	{"source-in-ptx", "src-in-ptx", nothing, false, nil},
	{"allow-unsupported-compiler", "allow-unsupported-compiler", nothing, false, nil},
	{"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", nothing, false, nil},
	{"version", "V", nothing, false, on(func(n *nvcc) { n.version = true })},
}

// architecture takes sm_60, compute_60, native and all. Programs are compiled
// for the highest one that is named.
func architecture(n *nvcc, v string) error {
	v = strings.Trim(v, `"`)
	if slices.Contains([]string{"native", "all", "all-major", "lto"}, v) {
		return nil
	}
	_, digits, _ := strings.Cut(v, "_")
	number, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if err != nil || !strings.HasPrefix(v, "sm_") && !strings.HasPrefix(v, "compute_") && !strings.HasPrefix(v, "lto_") {
		return fmt.Errorf("%q: want sm_60, compute_60 or the like", v)
	}
	if number > n.arch {
		n.arch = number
		// clang has none below.
		n.Arch = fmt.Sprintf("sm_%d", max(number, 20))
	}
	return nil
}

// find looks an option up by its name, which has no dashes.
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
				errs = append(errs, unknown(arg))
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
	}
	return errors.Join(errs...)
}

// unknown answers a misspelt option.
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

// do compiles and links.
func (n *nvcc) do(stdout io.Writer) error {
	if ending, ok := endings[n.phase]; ok && n.output != "" && len(n.sources()) > 1 {
		return fmt.Errorf("nvcc: -o %s: found %d sources, want one, as each makes a file that ends in %s", n.output, len(n.sources()), ending)
	}
	return with(n.Options, func(b *build) error {
		switch n.phase {
		case toObject, toPTX, toCubin, toFatbin:
			for _, source := range n.sources() {
				if err := n.each(b, source); err != nil {
					return err
				}
			}
			return nil
		case toText, toDependencies:
			how := map[phase]string{toText: "-E", toDependencies: "-MM"}[n.phase]
			for _, source := range n.sources() {
				if err := n.print(b, source, how, stdout); err != nil {
					return err
				}
			}
			return nil
		}
		objects, err := b.objects(n.files)
		if err != nil {
			return err
		}
		switch n.phase {
		case toDeviceObject:
			made, err := b.deviceLink(objects, n.named("a_dlink.o"))
			if err == nil && len(made) == 0 {
				err = errors.New("nvcc: -dlink: no object has relocatable code of the device (-dc)")
			}
			return err
		case toArchive:
			return archive(n.named("a.a"), objects)
		}
		return b.link(objects, n.named("a.out"))
	})
}

// sources are the files that are compiled.
func (n *nvcc) sources() []string {
	b := build{Options: n.Options}
	return slices.DeleteFunc(slices.Clone(n.files), b.linked)
}

// named is the name of the output.
func (n *nvcc) named(otherwise string) string {
	if n.output != "" {
		return n.output
	}
	return filepath.Join(n.folder, otherwise)
}

// each makes an object or a file of PTX of a source.
func (n *nvcc) each(b *build, source string) error {
	base := filepath.Base(source)
	to := n.named(strings.TrimSuffix(base, filepath.Ext(base)) + endings[n.phase])
	if n.phase == toObject {
		return b.compile(source, to)
	}
	if b.language(source) != "cu" {
		return fmt.Errorf("nvcc: %s: has no code of the device, want a .cu file", source)
	}
	return b.ptx(source, to)
}

// print prints a source's text after the preprocessor, or what it depends on.
func (n *nvcc) print(b *build, source, how string, stdout io.Writer) error {
	to := b.file("text")
	args := append(b.both(source), "--cuda-host-only")
	if b.language(source) != "cu" {
		args = append(b.common(source), "-isystem", b.file("include"))
	}
	if err := b.clang(slices.Concat(args, b.host(), []string{how, source, "-o", to})...); err != nil {
		return err
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	if n.output != "" {
		return os.WriteFile(n.output, text, 0o666)
	}
	_, err = stdout.Write(text)
	return err
}

// archive puts objects into a library.
func archive(to string, objects []object) error {
	args := []string{"rcs", to}
	for _, o := range objects {
		args = append(args, o.file)
	}
	if out, err := exec.Command("ar", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ar: %w\n%s", err, out)
	}
	return nil
}
