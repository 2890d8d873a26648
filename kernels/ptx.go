package kernels

import (
	"embed"
	"fmt"
)

//go:generate go run ./internal/generate

//go:embed ptx/*.ptx
var modules embed.FS

// PTX is the text of a module that a Launch names.
func PTX(module string) (string, error) {
	text, err := modules.ReadFile("ptx/" + module)
	if err != nil {
		return "", fmt.Errorf("no PTX module %q: %w", module, err)
	}
	return string(text), nil
}
