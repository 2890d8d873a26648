package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// TryFolder says why nothing could be written in a folder, which need not be
// there yet.
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

// NewFolder makes a folder in another one, which is made too if it is missing. It
// has a number behind its name if there is something with the name already.
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
