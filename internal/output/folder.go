package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
