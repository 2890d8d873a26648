// Package output writes files that are either complete or not there.
//
// A long run must not end in the discovery that its result cannot be written,
// and a run that fails must not leave half a file behind. So a File is created
// before the run, beside its final name, and takes that name when the run has
// ended well.
package output

import (
	"fmt"
	"os"
	"path/filepath"
)

// File is a file that appears under its name when it is kept. A name that is
// no regular file, such as /dev/null, is written directly.
type File struct {
	*os.File
	name string // "" once kept or discarded, or where written directly
}

// Create starts a file. It fails if the folder is missing or cannot be
// written, or if the name is that of a folder.
func Create(name string) (*File, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: is a folder, want the name of a file", name)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{File: f}, nil
	case err == nil && info.Mode().Perm()&0o200 == 0:
		return nil, fmt.Errorf("%s: exists and is read-only", name)
	}
	folder := filepath.Dir(name)
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("%s: no folder %s", name, folder)
	}
	f, err := os.CreateTemp(folder, "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write in %s: %w", name, folder, err)
	}
	return &File{File: f, name: name}, nil
}

// Keep closes the file and gives it its name, replacing what was there.
func (f *File) Keep() error {
	if err := f.Close(); err != nil {
		f.Discard()
		return err
	}
	if f.name == "" {
		return nil
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		f.Discard()
		return err
	}
	if err := os.Rename(f.Name(), f.name); err != nil {
		f.Discard()
		return err
	}
	f.name = ""
	return nil
}

// Discard closes and removes the file, if it has not been kept.
func (f *File) Discard() {
	f.Close()
	if f.name != "" {
		os.Remove(f.Name())
		f.name = ""
	}
}
