package kernels

import (
	"embed"
	"fmt"
)

//go:generate go run ./internal/generate

//go:embed ptx/*.ptx ptx32/*.ptx
var modules embed.FS

//go:embed cuda/*.cu
var written embed.FS

// PTX is the text of a module that a Launch names.
func PTX(module string) (string, error) {
	text, err := modules.ReadFile("ptx/" + module)
	if err != nil {
		return "", fmt.Errorf("no PTX module %q: %w", module, err)
	}
	return string(text), nil
}

// PTX32 is the module with addresses of 32 bits, as GPUs had them when the papers of
// thread block compaction and lane permutation were written. Modules for sm_70 have none.
func PTX32(module string) (string, error) {
	text, err := modules.ReadFile("ptx32/" + module)
	if err != nil {
		return "", fmt.Errorf("no PTX module %q with addresses of 32 bits: %w", module, err)
	}
	return string(text), nil
}

// Source is the text of a file that modules name as their source, or of a module.
func Source(name string) (text string, ok bool) {
	data, err := written.ReadFile("cuda/" + name)
	if err != nil {
		data, err = modules.ReadFile("ptx/" + name)
	}
	return string(data), err == nil
}
