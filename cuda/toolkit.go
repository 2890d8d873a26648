package cuda

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"divergo/internal/output"
)

// toolkitList is the file of a toolkit that lists the files written by divergo.
const toolkitList = "divergo-files.json"

// Toolkit writes a folder that build systems accept as CUDA's. It holds bin/nvcc ("divergo cuda
// nvcc"), the headers in include, and the runtime in lib64 for other compilers' -lcudart.
//
// divergo is the path of the simulator. Toolkit refuses a folder with other files unless force is
// set, and never overwrites those files.
func Toolkit(folder, divergo string, force bool) error {
	tree, err := output.OpenTree(folder, toolkitList, force)
	if err != nil {
		return err
	}
	return with(Options{Divergo: divergo, Libraries: []string{"nvrtc"}}, func(b *build) error {
		content, err := b.toolkit(folder)
		if err != nil {
			return err
		}
		return tree.Write(content, "bin/nvcc")
	})
}

// toolkit returns the files of a toolkit, by path.
func (b *build) toolkit(folder string) (map[string][]byte, error) {
	runtime, err := b.runtime()
	if err != nil {
		return nil, err
	}
	library := b.file("libcudart.a")
	if err := b.ar("rcD", library, runtime); err != nil {
		return nil, err
	}
	archive, err := os.ReadFile(library)
	if err != nil {
		return nil, err
	}
	content := map[string][]byte{"lib64/libcudart.a": archive}
	for _, name := range ownLibraries[1:] {
		content["lib64/lib"+name+".a"] = []byte("GROUP ( libcudart.a )\n") // a linker script
	}
	// Makefiles look for the driver's library here, to check that CUDA is installed.
	where, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	content["lib64/stubs/libcuda.so"] = fmt.Appendf(nil, "GROUP ( %s )\n", filepath.Join(where, "lib64", "libcudart.a"))
	content["version.json"] = fmt.Appendf(nil, `{"cuda": {"name": "CUDA SDK", "version": "%s.0"}}`+"\n", release)
	content["bin/nvcc"] = fmt.Appendf(nil, "#!/bin/sh\n%s=%s exec %s cuda nvcc \"$@\"\n", toolkitVariable,
		quoted(where), quoted(b.Divergo))
	err = fs.WalkDir(files, "include", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			content[path], err = files.ReadFile(path)
		}
		return err
	})
	return content, err
}

// quoted returns a word in the shell's syntax.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
