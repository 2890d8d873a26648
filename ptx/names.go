package ptx

import (
	"fmt"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Demangled is a name in C++ syntax: scale(float*) for _Z5scalePf. It is the name itself if no C++
// compiler made it (Itanium C++ ABI, section 5.1).
func Demangled(name string) string { return demangled(name) }

// Short returns a demangled name of a kernel without its parameters and return type.
func Short(name string) string {
	depth := 0
	for i, r := range name {
		switch {
		case r == '<':
			depth++
		case r == '>':
			depth--
		case r == '(' && depth == 0 && !strings.HasPrefix(name[i:], "(anonymous namespace)"):
			name = name[:i]
			return strings.TrimPrefix(name, "void ")
		}
	}
	return name
}

// demangled is Demangled with options, which leave out parts.
func demangled(name string, options ...demangle.Option) string {
	const longest = 12 // bounds a printed type; a power of two
	text, err := demangle.ToString(name, append(options, demangle.MaxLength(longest))...)
	if err != nil {
		return name
	}
	return text
}

// forms are the ways in which a user may name a C++ kernel, the most precise first.
var forms = []func(name string) string{
	Demangled,
	func(name string) string { return demangled(name, demangle.NoParams) },
	func(name string) string { return demangled(name, demangle.NoParams, demangle.NoTemplateParams) },
	func(name string) string {
		name = demangled(name, demangle.NoParams, demangle.NoTemplateParams)
		return name[strings.LastIndexByte(name, ':')+1:]
	},
}

// kernel finds the kernel with a name, or the only one if the name is empty.
func (m *Module) kernel(name string) (*kernel, error) {
	if name == "" && len(m.kernels) == 1 {
		return m.kernels[0], nil
	}
	if name == "" {
		return nil, m.noKernel("the file has several kernels: name one of " + list(m.kernels))
	}
	if i, ok := m.named[name]; ok {
		return m.kernels[i], nil
	}
	words := m.Kernels()
	meant := strings.ReplaceAll(name, " ", "")
	for _, form := range forms {
		var found []*kernel
		for _, k := range m.kernels {
			word := form(k.name)
			words = append(words, word)
			if strings.ReplaceAll(word, " ", "") == meant {
				found = append(found, k)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return nil, m.noKernel(fmt.Sprintf("kernel %q can be any of %s", name, list(found)))
		}
	}
	if near := didYouMean(name, words); near != "" {
		return nil, m.noKernel(fmt.Sprintf("no kernel %q%s", name, near))
	}
	return nil, m.noKernel(fmt.Sprintf("no kernel %q; the file has %s", name, list(m.kernels)))
}

func (m *Module) noKernel(message string) error {
	return List{{File: m.file, Code: CodeName, Msg: message}}
}

// list prints the names of kernels, C++ ones in both languages, as many as fit in a few lines.
func list(kernels []*kernel) string {
	const most = 20
	var names []string
	for i, k := range kernels {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(kernels)-most))
			break
		}
		text := k.name
		if plain := Demangled(k.name); plain != k.name {
			text += " = " + plain
		}
		names = append(names, text)
	}
	return strings.Join(names, ", ")
}
