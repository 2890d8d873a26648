package profile

import (
	"path/filepath"
	"strings"

	"divergo/internal/input"
)

// maxSource is the most bytes of a source that are read.
const maxSource = 32 << 20

// Sources finds the lines of files that PTX names: what known, which may be nil, has under
// the name, or the file as it is named, beside PTX in a folder if not there, or with the
// last part of its name alone. Each is read once.
func Sources(folder string, known func(name string) (text string, ok bool)) func(file string) []string {
	have := map[string][]string{}
	return func(file string) []string {
		lines, ok := have[file]
		if !ok {
			lines = find(folder, file, known)
			have[file] = lines
		}
		return lines
	}
}

func find(folder, file string, known func(name string) (string, bool)) []string {
	if known != nil {
		if text, ok := known(file); ok {
			return strings.Split(text, "\n")
		}
	}
	for _, name := range []string{file, filepath.Join(folder, file), filepath.Join(folder, filepath.Base(file))} {
		if text, err := input.Read(name, maxSource); err == nil {
			return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		}
	}
	return nil
}
