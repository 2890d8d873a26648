package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Link writes a file that never replaces another one, for processes on several computers that share
// a folder. The bytes are on the disk before the file appears under its name, whole. If the name
// exists with other bytes, Link returns those, and the file stays as it is.
func Link(name string, data []byte) (there []byte, err error) {
	unfinished.Lock()
	file, err := beside(name)
	if err != nil {
		unfinished.Unlock()
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	f := &File{name: name, final: name, file: file}
	unfinished.files[f] = true
	unfinished.Unlock()
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, f.note(err)
	}
	err = os.Link(file.Name(), name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// Some file systems have no links. Then the second of two equal files replaces the first.
		if _, missing := os.Stat(name); errors.Is(missing, fs.ErrNotExist) {
			err = os.Rename(file.Name(), name)
		} else {
			err = fs.ErrExist
		}
	}
	if errors.Is(err, fs.ErrExist) {
		there, err = os.ReadFile(name)
		if err == nil && bytes.Equal(there, data) {
			there = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	return there, nil
}
