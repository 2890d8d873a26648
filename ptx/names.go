package ptx

import (
	"fmt"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Demangled is a name as C++ has it, scale(float*) for _Z5scalePf, or the name
// itself if no C++ compiler made it (Itanium C++ ABI, 5.1).
func Demangled(name string) string { return demangled(name) }

// demangled leaves out what the options say.
func demangled(name string, options ...demangle.Option) string {
	const longest = 12 // of a type that is written out, a power of two
	text, err := demangle.ToString(name, append(options, demangle.MaxLength(longest))...)
	if err != nil {
		return name
	}
	return text
}

// forms are how a user may call a kernel of C++, the most precise first.
var forms = []func(name string) string{
	Demangled,
	func(name string) string { return demangled(name, demangle.NoParams) },
	func(name string) string { return demangled(name, demangle.NoParams, demangle.NoTemplateParams) },
	func(name string) string {
		name = demangled(name, demangle.NoParams, demangle.NoTemplateParams)
		return name[strings.LastIndexByte(name, ':')+1:]
	},
}

// kernel finds the kernel that a name means, or the only one if it is empty.
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

// list names kernels, those of C++ in both languages, as many as a few lines hold.
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
