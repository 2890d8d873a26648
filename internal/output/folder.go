package output

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// TryFolder reports why files cannot be written in a folder, which need not exist yet.
func TryFolder(name string) error {
	for folder := name; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		switch {
		case (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && folder != filepath.Dir(folder):
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", name, cause(err))
		case !info.IsDir():
			return fmt.Errorf("%s: %s is no folder", name, folder)
		}
		unfinished.Lock()
		defer unfinished.Unlock()
		file, err := beside(filepath.Join(folder, "try"))
		if err != nil {
			return fmt.Errorf("%s: cannot write in %s: %w", name, folder, cause(err))
		}
		return errors.Join(file.Close(), os.Remove(file.Name()))
	}
}

// NewFolder makes a folder in another one, and makes that too if it is missing. If the name exists
// already, the folder gets a number after its name.
func NewFolder(in, name string) (string, error) {
	if err := os.MkdirAll(in, 0o777); err != nil {
		return "", fmt.Errorf("%s: %w", in, cause(err))
	}
	for n := 1; ; n++ {
		folder := filepath.Join(in, name)
		if n > 1 {
			folder += fmt.Sprintf("-%d", n)
		}
		if err := os.Mkdir(folder, 0o777); err == nil {
			return folder, nil
		} else if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s: %w", folder, cause(err))
		}
	}
}

// TryNewFolder reports why WriteFolder cannot write a folder.
func TryNewFolder(folder string) error {
	if _, err := os.Lstat(folder); err == nil {
		return fmt.Errorf("%s: exists already, want the name of a new folder", folder)
	}
	return TryFolder(filepath.Dir(folder))
}

// WriteFolder writes files into a new folder, which appears when it is complete. The names of the
// files are relative, with slashes.
func WriteFolder(folder string, files map[string][]byte) error {
	if err := TryNewFolder(folder); err != nil {
		return err
	}
	final, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", folder, cause(err))
	}
	unfinished.Lock()
	made := hold(filepath.Join(filepath.Dir(final), fmt.Sprintf(".%s.%d", filepath.Base(final), os.Getpid())))
	unfinished.Unlock()
	defer made.Remove()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := made.write(made.Path(name), files[name], 0o777, 0o666); err != nil {
			return fmt.Errorf("%s: %w", folder, cause(err))
		}
	}
	if err := os.Rename(made.Path("."), final); err != nil {
		return fmt.Errorf("%s: %w", folder, cause(err))
	}
	return nil
}
