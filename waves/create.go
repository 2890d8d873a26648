package waves

import (
	"errors"
	"fmt"

	"divergo/internal/output"
	"divergo/rtl"
)

// File is a dump in a file, with the files that GTKWave needs next to it. It is there when it is closed.
type File struct {
	*Dump
	name string
	file *output.File
}

// Create attaches a dump that goes to the named file, usually x.vcd. See [Attach].
func Create(sys *rtl.System, name string, opts Options) (*File, error) {
	file, err := output.Create(name)
	if err != nil {
		return nil, fmt.Errorf("waves: %w", err)
	}
	d, err := Attach(sys, file, opts)
	if err != nil {
		file.Discard()
		return nil, err
	}
	return &File{d, name, file}, nil
}

// Close ends the dump, see [Dump.Close], and writes the files that GTKWave needs, see [Dump.Save].
func (f *File) Close() error {
	return errors.Join(f.Dump.Close(), f.file.Keep(), f.Save(f.name))
}
