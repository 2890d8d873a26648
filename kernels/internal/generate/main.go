// Command generate compiles cuda/*.cu to ptx/*.ptx, and, with 32-bit addresses, to ptx32/*.ptx. "go
// generate ./kernels" runs it in the folder of package kernels.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"divergo/kernels/cudac"
)

func main() {
	sources, err := filepath.Glob("cuda/*.cu")
	if err == nil && len(sources) == 0 {
		err = fmt.Errorf("no cuda/*.cu here: run go generate ./kernels")
	}
	for _, source := range sources {
		if err == nil {
			err = generate(source)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(source string) error {
	ptx, err := cudac.Compile(source)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(source), ".cu") + ".ptx"
	if err := os.WriteFile(filepath.Join("ptx", name), ptx, 0o644); err != nil {
		return err
	}
	narrow, err := cudac.Compile32(source)
	if err != nil || narrow == nil {
		return err
	}
	return os.WriteFile(filepath.Join("ptx32", name), narrow, 0o644)
}
