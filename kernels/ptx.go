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

// PTX returns the text of a module that a Call names.
func PTX(module string) (string, error) {
	text, err := modules.ReadFile("ptx/" + module)
	if err != nil {
		return "", fmt.Errorf("no PTX module %q: %w", module, err)
	}
	return string(text), nil
}

// PTX32 returns the module with 32-bit addresses. GPUs had such addresses when the papers on thread
// block compaction and lane permutation were written. Modules for sm_70 have no such form.
func PTX32(module string) (string, error) {
	text, err := modules.ReadFile("ptx32/" + module)
	if err != nil {
		return "", fmt.Errorf("no PTX module %q with addresses of 32 bits: %w", module, err)
	}
	return string(text), nil
}

// Source returns the text of a module, or of a file that modules name as their source.
func Source(name string) (text string, ok bool) {
	data, err := written.ReadFile("cuda/" + name)
	if err != nil {
		data, err = modules.ReadFile("ptx/" + name)
	}
	return string(data), err == nil
}
