package verilog

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
	"divergo/internal/output"
	"divergo/isa"
	"divergo/sm/divergence"
)

// The files of a unit's folder.
const (
	packageFile = "divergo.sv" // constants: see Package
	unitFile    = "unit.sv"
	benchFile   = "bench/bench.sv" // a bench for other simulators
	modelFile   = "unit.model"     // what Build makes
)

//go:embed files/bench.cc
var benchSource string

//go:embed files/bench.sv
var recorder string

//go:embed files/unit.sv
var unitBody string

// unitHead is the beginning of the unit that Init writes.
const unitHead = `// A divergence unit: reconvergence at immediate post-dominators (Fung & Aamodt, HPCA 2011, section 2.2.2).
// Ports and cycles: docs/reference/rtl-interface.md. The next line says what the checkers may expect.
// divergo: meets in_step stack prompt=1
`

// skeleton returns the unit that Init writes, a stack for each warp.
func skeleton() string { return unitHead + Plain.Header() + "\n" + unitBody }

// Init writes a unit that works, and a bench for other simulators, into a new folder.
func Init(folder string) error {
	return InitFrom(folder, Plain, map[string][]byte{unitFile: []byte(skeleton())})
}

// InitFrom writes the files of a unit by name, with the package of constants, into a new folder. A unit
// with the ports of the one of Init gets its bench for other simulators.
func InitFrom(folder string, s Shape, unit map[string][]byte) error {
	files := map[string][]byte{packageFile: []byte(s.Package())}
	if s == Plain {
		files[benchFile] = []byte(recorder)
	}
	maps.Copy(files, unit)
	return output.WriteFolder(folder, files)
}

// mark begins the stamp in a file that Build made: its kind and the digest of its sources follow.
const mark = "divergo rtl model: "

// The kinds of a model.
const (
	sharedKind   = "shared"
	isolatedKind = "isolated"
)

// source is what the model of a unit is made of.
type source struct {
	files  []string // Verilog: the package divergo, other packages, modules
	digest string   // of all that the model depends on
	text   []byte
	shape  Shape
}

// sources reads the Verilog files of a folder.
func sources(folder string) (s source, err error) {
	list, err := os.ReadDir(folder)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return s, fmt.Errorf("%s: %w; \"divergo rtl init %[1]s\" begins a unit there", folder, err)
	}
	file := filepath.Join(folder, packageFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%s: no file %s; \"divergo rtl init\" writes one into a new folder", folder, packageFile)
	} else if err != nil {
		return s, err
	}
	if s.shape, err = shapeOf(string(text)); err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	s.files = []string{file}
	var modules []string
	sum := sha256.New()
	fmt.Fprintln(sum, Version, benchSource, s.shape.header(), s.shape.top())
	for _, e := range list {
		if ext := filepath.Ext(e.Name()); (ext == ".v" || ext == ".sv" || ext == ".vh" || ext == ".svh") && !e.IsDir() {
			file := filepath.Join(folder, e.Name())
			t, err := os.ReadFile(file)
			if err != nil {
				return s, err
			}
			fmt.Fprintf(sum, "%s %d\n", e.Name(), len(t))
			sum.Write(t)
			s.text = append(s.text, t...)
			switch {
			case ext != ".v" && ext != ".sv": // an include file
			case e.Name() == packageFile:
			case packages.Match(t):
				s.files = append(s.files, file)
			default:
				modules = append(modules, file)
			}
		}
	}
	s.files, s.digest = append(s.files, modules...), fmt.Sprintf("%x", sum.Sum(nil)[:16])
	return s, nil
}

// chosen and stated match what a unit chooses in its package, and the version that it has.
var (
	chosen = regexp.MustCompile(`int (SLOTS|SPILLS|TOKENS|COMPACTS) *=\s*(\d+);`)
	stated = regexp.MustCompile(`int VERSION *=\s*(\d+);`)
)

// shapeOf reads the shape of a unit from its package divergo.
func shapeOf(text string) (s Shape, err error) {
	if m := stated.FindStringSubmatch(text); m != nil && m[1] != strconv.Itoa(Version) {
		more := ""
		if v, _ := strconv.Atoi(m[1]); v < Version {
			more = ". The ports of an older unit are the same: keep its SLOTS and SLOT, if it has them"
		}
		return s, fmt.Errorf("is the package of version %s of the port specification, want version %d; "+
			"take the file that \"divergo rtl init\" writes into a new folder%s", m[1], Version, more)
	}
	s = Plain
	for _, m := range chosen.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[2])
		switch name := m[1]; {
		case name == "SLOTS" && (err != nil || n < 1 || n > MaxSlots):
			return s, fmt.Errorf("SLOTS = %s, want 1 to %d slots of a warp", m[2], MaxSlots)
		case name == "SLOTS":
			s.Slots = n
		case err != nil || n > 1:
			return s, fmt.Errorf("%s = %s, want 0 or 1", name, m[2])
		case name == "SPILLS":
			s.Spills = n == 1
		case name == "COMPACTS":
			s.Compacts = n == 1
		default:
			s.Tokens = n == 1
		}
	}
	if s.Compacts && (s.Slots > 1 || s.Spills || s.Tokens) {
		return s, errors.New("COMPACTS = 1: want SLOTS = 1, SPILLS = 0 and TOKENS = 0 with it")
	}
	if text != s.Package() {
		return s, fmt.Errorf("is not the package of version %d of the port specification%s; "+
			"take the file that \"divergo rtl init\" writes into a new folder", Version, s.also())
	}
	return s, nil
}

// also lists the constants of a package that are not those of Plain.
func (s Shape) also() string {
	var list []string
	for i, c := range s.constants() {
		if c.value != Plain.constants()[i].value {
			list = append(list, fmt.Sprintf("%s = %d", c.name, c.value))
		}
	}
	if list == nil {
		return ""
	}
	return " with " + strings.Join(list, ", ")
}

// packages matches the head of a package.
var packages = regexp.MustCompile(`(?m)^\s*package\s`)

// stamp reads kind and digest of the sources from a model; empty if Build has not made it.
func stamp(model []byte) (kind, digest string) {
	_, text, _ := bytes.Cut(model, []byte(mark))
	if len(text) < 64 {
		return "", ""
	}
	kind, digest, _ = strings.Cut(string(text[:64]), " ")
	digest, _, _ = strings.Cut(digest, ";")
	return kind, digest
}

// Build verilates the unit in a folder into its file unit.model: a shared object, or, if isolated, a
// program that runs as a child. It returns the messages of Verilator, which name the unit's files.
func Build(folder string, isolated bool) (messages string, err error) {
	source, err := sources(folder)
	if err != nil {
		return "", err
	}
	if _, err := promised(folder, source); err != nil {
		return "", err
	}
	model := filepath.Join(folder, modelFile)
	if old, err := os.ReadFile(model); err == nil {
		if kind, _ := stamp(old); kind == "" {
			return "", fmt.Errorf("%s: exists, and is no model that \"divergo rtl build\" made; remove it or give it another name", model)
		}
	}
	for tool, what := range map[string]string{"verilator": "verilator", "g++": "g++", "make": "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%s is not installed: want Verilator 5.006 or later, g++ and make, as in \"apt-get install verilator g++ make\"", what)
		}
	}
	temp, err := output.TempFolder()
	if err != nil {
		return "", err
	}
	defer temp.Remove()
	for name, text := range map[string]string{"divergo_top.sv": source.shape.top(), "ports.h": source.shape.header(), "bench.cc": benchSource} {
		if err := temp.WriteFile(temp.Path(name), []byte(text)); err != nil {
			return "", err
		}
	}
	said, err := output.Run(exec.Command("verilator", slices.Concat([]string{
		"--cc", "--savable", "--public-flat-rw", "--assert", "--no-timing", "--unroll-count", "16", "-O3", "--x-initial", "unique",
		"--x-assign", "unique", "-Wno-fatal", "-Werror-PINMISSING", "--top-module", "divergo_top", "--prefix", "Vdivergo", "--Mdir", temp.Path("obj"),
		"-I" + folder,
	}, source.files, []string{temp.Path("divergo_top.sv")})...))
	messages = source.shape.explain(string(said), temp.Path("divergo_top.sv"))
	if err != nil {
		return "", fmt.Errorf("%s: Verilator finds errors:\n%s", folder, withoutWarnings(messages))
	}
	if err := describe(temp, folder, source.files); err != nil {
		return messages, fmt.Errorf("%s: its registers: %w", folder, err)
	}
	kind := sharedKind
	if isolated {
		kind = isolatedKind
	}
	if said, err := compile(temp, kind, source.digest); err != nil {
		return messages, fmt.Errorf("the model of the unit does not compile:\n%s", said)
	}
	text, err := os.ReadFile(temp.Path("unit"))
	if err != nil {
		return messages, err
	}
	file, err := output.Create(model)
	if err != nil {
		return messages, err
	}
	if _, err := file.Write(text); err != nil {
		return messages, err
	}
	return messages, errors.Join(file.Keep(), os.Chmod(model, 0o755))
}

// describe writes the list of registers for bench.cc.
func describe(temp *output.Scratch, folder string, files []string) error {
	said, err := output.Run(exec.Command("verilator", slices.Concat([]string{
		"--xml-only", "--xml-output", temp.Path("unit.xml"), "--Mdir", temp.Path("xml"), "--no-timing", "-Wno-fatal", "-Wno-lint",
		"--top-module", "unit", "-I" + folder,
	}, files)...))
	if err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	text, err := os.ReadFile(temp.Path("unit.xml"))
	if err != nil {
		return err
	}
	list, err := registers(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("static const char REGISTERS[] =")
	for _, r := range list {
		fmt.Fprintf(&b, "\n  \"register %s %d %d\\n\"", r.Path, r.Words, r.Width())
	}
	b.WriteString(" \"\";\n")
	return temp.WriteFile(temp.Path("registers.h"), []byte(b.String()))
}

// optimized are flags for the verilated model. Verilator has optimized it: without these passes of g++
// over its long functions a build takes less time, and the model executes fewer instructions.
const optimized = " -fno-tree-fre -fno-tree-pre -fno-code-hoisting -fno-gcse -fno-tree-dse -fno-tree-slp-vectorize"

// compile makes the file unit of the verilated model.
func compile(temp *output.Scratch, kind, digest string) (said []byte, err error) {
	flags := "-O2 -fPIC -fvisibility=hidden -fno-gnu-unique -std=c++17 -include divergo_print.h -I" + temp.Path(".") +
		" -DVL_USER_FINISH -DVL_USER_STOP -DVL_USER_FATAL"
	print := "int divergo_printf(const char *format, ...);\n#define VL_PRINTF divergo_printf\n"
	if err := temp.WriteFile(temp.Path("divergo_print.h"), []byte(print)); err != nil {
		return nil, err
	}
	run := func(name string, args ...string) bool {
		c := exec.Command(name, args...)
		c.Dir = temp.Path("obj")
		said, err = output.Run(c)
		return err == nil
	}
	if !run("make", "-s", "-j", strconv.Itoa(runtime.GOMAXPROCS(0)), "-f", "Vdivergo.mk", "Vdivergo__ALL.a", "verilated.o",
		"verilated_save.o", "verilated_threads.o", "OPT_FAST="+flags+optimized, "OPT_SLOW="+flags+" -O0", "OPT_GLOBAL="+flags+" -O0") {
		return said, err
	}
	include := "/usr/share/verilator/include"
	if out, err := exec.Command("verilator", "-V").Output(); err == nil {
		if m := regexp.MustCompile(`VERILATOR_ROOT\s*=\s*(\S+)`).FindSubmatch(out); m != nil {
			include = filepath.Join(string(m[1]), "include")
		}
	}
	args := append(strings.Fields(flags), "-I.", "-I"+include, "-I"+filepath.Join(include, "vltstd"),
		fmt.Sprintf(`-DSTAMP="%s%s %s;%s"`, mark, kind, digest, strings.Repeat(" ", 64)), "-o", temp.Path("unit"))
	if kind == sharedKind {
		args = append(args, "-shared", "-Wl,-Bsymbolic")
	} else {
		args = append(args, "-DCHILD")
	}
	run("g++", append(args, temp.Path("bench.cc"), "Vdivergo__ALL.a", "verilated.o", "verilated_save.o",
		"verilated_threads.o", "-lpthread")...)
	return said, err
}

// Messages about the instance of module unit: a port that it has and should not, and the opposite.
var (
	excess  = regexp.MustCompile(`^%\w+-PINMISSING: the ports of .*: Cell has missing pin: '(\w+)'`)
	lacking = regexp.MustCompile(`^%Error(?:-\w+)?: the ports of .*: Pin (?:not found|is not an in/out/inout/param/interface): '(\w+)'`)
)

// explain rewrites messages about the module around the unit, which the user does not see.
func (s Shape) explain(text, around string) string {
	var b strings.Builder
	ours := false // the line, or the message that it continues, is about the instance
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(line, around, "the ports of module unit")
		switch first := strings.HasPrefix(line, "%"); {
		case first && excess.MatchString(line):
			fmt.Fprintf(&b, "%%Error: the specification has no port %s of module unit\n", excess.FindStringSubmatch(line)[1])
			ours = true
		case first && lacking.MatchString(line):
			name := lacking.FindStringSubmatch(line)[1]
			fmt.Fprintf(&b, "%%Error: module unit has no port %s, want\n    %s\n", name, s.declared(name))
			ours = true
		case first || !ours:
			b.WriteString(line)
			ours = false
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// withoutWarnings leaves the errors of a build that has some: warnings do not stop it.
func withoutWarnings(messages string) string {
	var b strings.Builder
	warning := false
	for line := range strings.Lines(messages) {
		if strings.HasPrefix(line, "%") {
			warning = strings.HasPrefix(line, "%Warning")
		}
		if !warning {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (s Shape) declared(port string) string {
	for _, p := range s.Ports() {
		if p.Name == port {
			return p.Declaration()
		}
	}
	return ""
}

// Open returns the mechanism of the unit in a folder, which Build has built. It is named by its folder.
func Open(folder string) (m divergence.Mechanism, err error) {
	source, err := sources(folder)
	if err != nil {
		return m, err
	}
	file := filepath.Join(folder, modelFile)
	model, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s is not built; \"divergo rtl build %[1]s\" builds it", folder)
	} else if err != nil {
		return m, err
	}
	kind, built := stamp(model)
	switch {
	case kind != sharedKind && kind != isolatedKind:
		return m, fmt.Errorf("%s: is no model that \"divergo rtl build\" made", file)
	case built != source.digest:
		return m, fmt.Errorf("%s is older than the sources of the unit; \"divergo rtl build %s\" builds it again", file, folder)
	}
	promises, err := promised(folder, source)
	if err != nil {
		return m, err
	}
	if file, err = filepath.Abs(file); err != nil {
		return m, err
	}
	start := func() (bench, error) { return startProcess(file) }
	if kind == sharedKind {
		if start, err = loadLibrary(file); err != nil {
			return m, fmt.Errorf("%s: %w", folder, err)
		}
	}
	first, err := start()
	if err != nil {
		return m, fmt.Errorf("%s: %w", folder, err)
	}
	described, err := first.signals()
	if err != nil {
		return m, fmt.Errorf("%s: %w", folder, err)
	}
	about, err := readDescription(described)
	if err != nil {
		return m, fmt.Errorf("%s: %w", folder, err)
	}
	var prepare func(divergence.Options, *isa.Program) *isa.Program
	if source.shape.Tokens {
		prepare = func(_ divergence.Options, p *isa.Program) *isa.Program { return isa.WithTokens(p) }
	}
	return divergence.Mechanism{
		Name: folder, Doc: "a Verilog unit", Promises: promises, Blocks: source.shape.Compacts,
		Spills: source.shape.Spills, Prepare: prepare,
		New: func(e divergence.Env) (divergence.Policy, error) {
			if e.Lanes > Lanes {
				return nil, fmt.Errorf("sm.warp_size = %d: the ports of a Verilog unit have masks of %d lanes, want at most %d",
					e.Lanes, Lanes, Lanes)
			}
			if source.shape.Compacts {
				return newBlockUnit(e, start, about), nil
			}
			return newUnit(e, source.shape, start, about), nil
		},
	}, nil
}

var promise = regexp.MustCompile(`(?m)^\s*//\s*divergo:\s*(.*?)\s*$`)

// promised reads what the checkers may expect of a unit: the words of its comment "// divergo:".
func promised(folder string, s source) (p divergence.Promises, err error) {
	for _, m := range promise.FindAllStringSubmatch(string(s.text), -1) {
		for _, word := range strings.Fields(m[1]) {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "meets":
				p.Meets = true
			case "in_step":
				p.InStep = true
			case "stack":
				if s.shape.Slots > 1 || s.shape.Compacts {
					return p, fmt.Errorf("%s: \"// divergo: stack\": want a unit with SLOTS = 1 and COMPACTS = 0, it has%s", folder,
						strings.TrimPrefix(s.shape.also(), " with"))
				}
				p.Stack = func(p divergence.Policy, slot int, to []divergence.Entry) []divergence.Entry {
					return p.(*Unit).entries(slot, to)
				}
			case "prompt":
				if p.Prompt, err = strconv.Atoi(value); err != nil || p.Prompt < 1 {
					return p, fmt.Errorf("%s: \"// divergo: %s\": want prompt=CYCLES, from 1 on", folder, word)
				}
			default:
				return p, fmt.Errorf("%s: \"// divergo:\": %w", folder,
					nearest.Unknown("promise", name, []string{"meets", "in_step", "stack", "prompt"}))
			}
		}
	}
	return p, nil
}

// Name returns the name of the mechanism in a folder: the folder, with a slash.
func Name(folder string) string {
	if name := filepath.ToSlash(folder); strings.Contains(name, "/") {
		return name
	}
	return "./" + folder
}
