package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Scratch is a temporary part of a command's work: a folder with its contents. [Abandon] removes it.
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

// hold returns a Scratch with a path, which need not exist yet.
func hold(path string) *Scratch {
	s := &Scratch{path}
	unfinished.scratch[s] = true
	return s
}

// Path is the path of a name in the folder; the name has slashes.
func (s *Scratch) Path(name string) string { return filepath.Join(s.path, filepath.FromSlash(name)) }

// WriteFile writes a file at a path in the folder, and makes the folders of the path.
func (s *Scratch) WriteFile(path string, data []byte) error { return s.write(path, data, 0o700, 0o600) }

// write does that with the permissions of new folders and of the file.
func (s *Scratch) write(path string, data []byte, folder, file fs.FileMode) error {
	unfinished.Lock() // so that nothing is written after Abandon
	defer unfinished.Unlock()
	return errors.Join(os.MkdirAll(filepath.Dir(path), folder), os.WriteFile(path, data, file))
}

// Remove removes the folder with its contents.
func (s *Scratch) Remove() {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.scratch, s)
	_ = os.RemoveAll(s.path)
}
