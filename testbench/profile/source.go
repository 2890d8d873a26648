package profile

import (
	"os"
	"path/filepath"
	"strings"
)

// maxSource limits the size of a source file that is shown, in bytes.
const maxSource = 32 << 20

// Sources returns a function that finds the lines of a file named in PTX, nil if there is none. It
// tries known first, if that is not nil, then each folder, in order.
//
// The name comes from a PTX file of unknown origin, and reports are shared. So the function reads
// only regular files of at most 32 MiB below the folders, and follows no link out of them. It reads
// each file once.
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

// below reads a file in a folder. If the file's full path lies below the folder, it uses that.
// Otherwise it tries the path relative to the folder, then the last part of the name.
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

// fromFolder returns the path of a file, given relative to the working folder, relative to another
// folder.
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
