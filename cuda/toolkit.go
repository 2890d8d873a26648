package cuda

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Toolkit writes a folder that build systems take for CUDA's: bin/nvcc, which is
// divergo cuda nvcc, the headers in include, and the runtime in lib64, for programs
// that another compiler links with -lcudart. Files of these names are overwritten.
// divergo is the path of the simulator.
func Toolkit(folder, divergo string) error {
	return with(Options{Divergo: divergo, Libraries: []string{"nvrtc"}}, func(b *build) error {
		objects, err := b.runtime()
		if err != nil {
			return err
		}
		library := b.file("libcudart.a")
		if out, err := exec.Command("ar", append([]string{"rcD", library}, objects...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ar, which is in Debian's package binutils: %w\n%s", err, out)
		}
		archive, err := os.ReadFile(library)
		if err != nil {
			return err
		}
		content := map[string][]byte{"lib64/libcudart.a": archive}
		for _, name := range ownLibraries[1:] {
			content["lib64/lib"+name+".a"] = []byte("GROUP ( libcudart.a )\n") // a script of the linker
		}
		// Makefiles look for the driver's library here, to know whether there is one.
		where, err := filepath.Abs(folder)
		if err != nil {
			return err
		}
		content["lib64/stubs/libcuda.so"] = fmt.Appendf(nil, "GROUP ( %s )\n", filepath.Join(where, "lib64", "libcudart.a"))
		content["version.json"] = fmt.Appendf(nil, `{"cuda": {"name": "CUDA SDK", "version": "%s.0"}}`+"\n", release)
		content["bin/nvcc"] = fmt.Appendf(nil, "#!/bin/sh\n%s=%s exec %s cuda nvcc \"$@\"\n", toolkitVariable, quoted(where), quoted(divergo))
		err = fs.WalkDir(files, "include", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				content[path], err = files.ReadFile(path)
			}
			return err
		})
		if err != nil {
			return err
		}
		for name, text := range content {
			to := filepath.Join(folder, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			mode := os.FileMode(0o644)
			if name == "bin/nvcc" {
				mode = 0o755
			}
			if err := os.WriteFile(to, text, mode); err != nil {
				return err
			}
		}
		return nil
	})
}

// quoted is a word for the shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
