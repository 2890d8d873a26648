package cuda

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"divergo/ptx"
)

// This file links the device parts of several files.
//
// The compiler puts the LLVM IR of each device part into a section of the object. All of them
// together are compiled to one PTX module, in which functions and calls between files are kept. The
// code that registers an object's kernels calls a function with the object's id in its name;
// deviceLink makes this function.
//
// Source: clang, CGCUDANV.cpp. NVIDIA's nvlink does the same.

const (
	relocatableSection = "__nv_relfatbin"
	registration       = "__cudaRegisterLinkedBinary"
)

// relocatable compiles the device part of a file to LLVM IR.
func (b *build) relocatable(source, to string) error {
	if err := b.device(source, to, "-S", "-emit-llvm"); err != nil {
		return err
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	if err := b.temp.WriteFile(to+".ll", renamed(text)); err != nil {
		return err
	}
	defer os.Remove(to + ".ll")
	return b.fromIR(to, []string{to + ".ll"}, "-c", "-emit-llvm")
}

// fromIR compiles LLVM IR. It runs no optimisation passes.
func (b *build) fromIR(to string, codes []string, how ...string) error {
	args := []string{
		"--target=nvptx64-nvidia-cuda", "-march=" + b.Arch, "-nogpulib", "-O2", "-Xclang",
		"-disable-llvm-passes", "-Wno-unused-command-line-argument", "-x", "ir", codes[0], "-o", to,
	}
	for _, c := range codes[1:] {
		args = append(args, "-Xclang", "-mlink-bitcode-file", "-Xclang", c)
	}
	return b.clang(slices.Concat(args, how, b.machineCode(), b.ptxVersion())...)
}

var (
	defined  = regexp.MustCompile(`(?m)^@(\w+)(__(?:static|intern)__\w+) = `)
	declared = regexp.MustCompile(`(?m)^@(\w+) = external .*\n`)
)

// renamed gives all uses of a renamed static variable its new name. Clang 19 leaves the old name in
// uses by the device that precede the first use by the host.
func renamed(code []byte) []byte {
	names := make(map[string]string)
	for _, found := range defined.FindAllSubmatch(code, -1) {
		names[string(found[1])] = string(found[1]) + string(found[2])
	}
	for _, found := range declared.FindAllSubmatch(code, -1) {
		if name, ok := names[string(found[1])]; ok {
			code = bytes.Replace(code, found[0], nil, 1)
			code = regexp.MustCompile(`@`+string(found[1])+`\b`).ReplaceAll(code, []byte("@"+name))
		}
	}
	return code
}

// unit is the device part of an object.
type unit struct {
	source string // name of the object, or of its source
	code   string // file with the LLVM IR
	id     string // in the name of the function that registers it
}

// deviceLink makes an object from the device parts of others; none if they have no device part.
func (b *build) deviceLink(objects []object, to string) ([]string, error) {
	units, err := b.units(objects)
	if err != nil || len(units) == 0 {
		return nil, err
	}
	module := b.file("linked.ptx")
	if err := b.module(units, module); err != nil {
		return nil, err
	}
	source := b.file("linked.c")
	var text bytes.Buffer
	fmt.Fprintf(&text, `extern const char divergo_linked[];
__asm__(".pushsection .rodata\ndivergo_linked:\n.incbin %s\n.byte 0\n.popsection");
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
static void **module(void) {
    static struct { int magic, version; const char *text; void *unused; } wrapper = {0, 1, divergo_linked};
    static void **handle;
    return handle ? handle : (handle = __cudaRegisterFatBinary(&wrapper));
}
`, strings.ReplaceAll(strconv.Quote(module), `"`, `\"`))
	for _, u := range units {
		fmt.Fprintf(&text, "void %s%s(void (*symbols)(void **)) { symbols(module()), __cudaRegisterFatBinaryEnd(module()); }\n", registration, u.id)
	}
	if err := b.temp.WriteFile(source, text.Bytes()); err != nil {
		return nil, err
	}
	return []string{to}, b.clang("-O2", "-fPIC", "-c", source, "-o", to)
}

// units finds the device parts of objects, archives and libraries.
func (b *build) units(objects []object) ([]unit, error) {
	var units []unit
	b.registered = make(map[string]bool)
	list := slices.Clone(objects)
	for _, l := range b.Libraries {
		for _, dir := range b.LibraryDirs {
			if file := filepath.Join(dir, "lib"+l+".a"); fileExists(file) {
				list = append(list, object{file, file})
				break
			}
		}
	}
	for _, o := range list {
		ext := filepath.Ext(o.file)
		if ext != ".o" && ext != ".a" {
			continue
		}
		data, err := os.ReadFile(o.file)
		if err != nil {
			return nil, err
		}
		in := []member{{o.source, data}}
		if ext == ".a" {
			in = members(data)
		}
		for _, m := range in {
			if ext == ".a" {
				m.name = o.source + "(" + m.name + ")"
			}
			if units, err = b.unit(units, m.name, m.data); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(units, func(u unit) bool { return b.registered[u.id] }), nil
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// unit appends the device part of an object, if there is one.
func (b *build) unit(units []unit, name string, data []byte) ([]unit, error) {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return units, nil // the linker reports its faults
	}
	symbols, err := file.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	own := ""
	for _, s := range symbols {
		id, ok := strings.CutPrefix(s.Name, registration)
		switch {
		case ok && s.Section == elf.SHN_UNDEF:
			own = id
		case ok:
			b.registered[id] = true
		}
	}
	section := file.Section(relocatableSection)
	if section == nil || own == "" {
		return units, nil
	}
	code, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if at := slices.IndexFunc(units, func(o unit) bool { return o.id == own }); at >= 0 {
		return nil, fmt.Errorf("%s: the device's part is that of %s", name, units[at].source)
	}
	u := unit{name, b.file(fmt.Sprintf("unit%d.bc", len(units))), own}
	return append(units, u), b.temp.WriteFile(u.code, code)
}

// kept matches the lists that keep the compiler from removing symbols used by other files.
var kept = regexp.MustCompile(`(?m)^\.global .* __clang_gpu_used_external.*\n`)

// module compiles the code of all units to PTX. Functions stay functions.
func (b *build) module(units []unit, to string) error {
	var codes []string
	for _, u := range units {
		codes = append(codes, u.code)
	}
	if err := b.fromIR(to, codes, "-S"); err != nil {
		return b.duplicate(units, err)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	if err := undefined("link", text, "nor in a library that is linked"); err != nil {
		return err
	}
	return b.temp.WriteFile(to, b.finished(kept.ReplaceAll(text, nil)))
}

var multiply = regexp.MustCompile(`Linking globals named '(\w+)': symbol multiply defined`)

// duplicate adds the files with the same definition to an error of the compiler about one.
func (b *build) duplicate(units []unit, err error) error {
	var said *compilerError
	if !errors.As(err, &said) {
		return err
	}
	found := multiply.FindStringSubmatch(said.messages)
	if found == nil {
		return err
	}
	name := found[1]
	var in []string
	definition := regexp.MustCompile(`(?m)^(?:define .*@` + name + `\(|@` + name +
		` = (?:[a-z_]+ |addrspace\(\d+\) )*?(?:global|constant) )`)
	external := regexp.MustCompile(`(?m)^@` + name + ` = external `)
	for _, u := range units {
		if err := b.fromIR(u.code+".ll", []string{u.code}, "-S", "-emit-llvm"); err != nil {
			return err
		}
		code, err := os.ReadFile(u.code + ".ll")
		if err != nil {
			return err
		}
		if definition.Match(code) && !external.Match(code) {
			in = append(in, u.source)
		}
	}
	return fmt.Errorf("link: %s of the device is defined in %s", ptx.Demangled(name), strings.Join(in, " and in "))
}

// member is a file of an archive.
type member struct {
	name string
	data []byte
}

// members reads an archive (ar(5), with GNU's long names). It skips damaged parts: the linker
// reports them.
func members(archive []byte) (list []member) {
	const magic, header = "!<arch>\n", 60
	rest, ok := bytes.CutPrefix(archive, []byte(magic))
	if !ok {
		return nil
	}
	var long []byte
	for len(rest) >= header {
		name := strings.TrimRight(string(rest[:16]), " ")
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || size > len(rest)-header {
			return list
		}
		data := rest[header : header+size]
		rest = rest[min(len(rest), header+(size+1)&^1):]
		switch at, err := strconv.Atoi(strings.TrimPrefix(name, "/")); {
		case name == "/" || name == "/SYM64/":
			continue
		case name == "//":
			long = data
			continue
		case err == nil && at >= 0 && at < len(long):
			line, _, _ := bytes.Cut(long[at:], []byte("\n"))
			name = string(line)
		}
		list = append(list, member{strings.TrimSuffix(name, "/"), data})
	}
	return list
}
