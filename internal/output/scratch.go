package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Scratch is what lies about while a command works: a temporary folder with all in it, or a
// file that another program leaves. [Abandon] removes it.
type Scratch struct{ path string }

// TempFolder makes a temporary folder.
func TempFolder() (*Scratch, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	path, err := os.MkdirTemp("", "divergo")
	if err != nil {
		return nil, fmt.Errorf("temporary folder: %w", err)
	}
	return hold(path), nil
}

// Hold is for what another program makes under a name.
func Hold(path string) *Scratch {
	unfinished.Lock()
	defer unfinished.Unlock()
	return hold(path)
}

func hold(path string) *Scratch {
	s := &Scratch{path}
	unfinished.scratch[s] = true
	return s
}

// Path is the path of a name in the folder, which has slashes.
func (s *Scratch) Path(name string) string { return filepath.Join(s.path, filepath.FromSlash(name)) }

// WriteFile writes the file of a path in the folder, and makes the folders of its name.
func (s *Scratch) WriteFile(path string, data []byte) error {
	unfinished.Lock() // so that nothing is made again after Abandon
	defer unfinished.Unlock()
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600))
}

// Remove removes all of it.
func (s *Scratch) Remove() {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.scratch, s)
	_ = os.RemoveAll(s.path)
}
