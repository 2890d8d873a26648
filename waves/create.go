package waves

import (
	"errors"
	"fmt"
	"os"

	"divergo/rtl"
)

// File is a dump in a file, with the files that GTKWave needs next to it.
type File struct {
	*Dump
	file *os.File
}

// Create attaches a dump that goes to the named file, usually x.vcd. See [Attach].
func Create(sys *rtl.System, name string, opts Options) (*File, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("waves: %w", err)
	}
	d, err := Attach(sys, file, opts)
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(name))
	}
	return &File{d, file}, nil
}

// Close ends the dump, see [Dump.Close], and writes the files that GTKWave needs, see [Dump.Save].
func (f *File) Close() error {
	return errors.Join(f.Dump.Close(), f.file.Close(), f.Save(f.file.Name()))
}
