package profile

import (
	"os"
	"path/filepath"
	"strings"
)

// maxSource is the size of the largest source file that is shown, in bytes.
const maxSource = 32 << 20

// Sources returns a function that finds the lines of a file named in PTX, nil if there is none.
// Known, which may be nil, comes first; then each folder, in order.
//
// The name comes from a PTX file, which may be somebody else's, and a report is passed on.
// So only regular files of at most 32 MiB below the folders are read, and no link leads out of them.
// Each file is read once.
func Sources(known func(name string) (text string, ok bool), folders ...string) func(file string) []string {
	have := map[string][]string{}
	return func(file string) []string {
		lines, ok := have[file]
		if !ok {
			lines = find(file, known, folders)
			have[file] = lines
		}
		return lines
	}
}

func find(file string, known func(name string) (string, bool), folders []string) []string {
	if known != nil {
		if text, ok := known(file); ok {
			return strings.Split(text, "\n")
		}
	}
	for _, folder := range folders {
		if text, ok := below(folder, file); ok {
			return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		}
	}
	return nil
}

// below reads a file in a folder: at its full path if that lies below the folder, at
// its path from the folder, or by the last part of its name.
func below(folder, file string) (text string, ok bool) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", false
	}
	defer root.Close()
	names := []string{file, filepath.Base(file)}
	if path, err := fromFolder(folder, file); err == nil {
		names = append([]string{path}, names...)
	}
	for _, name := range names {
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
			continue
		}
		if text, err := root.ReadFile(name); err == nil {
			return string(text), true
		}
	}
	return "", false
}

// fromFolder is the path of a file, relative to the working folder, from another folder.
func fromFolder(folder, file string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	return filepath.Rel(folder, file)
}
