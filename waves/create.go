package waves

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"divergo/internal/output"
	"divergo/rtl"
)

// File is a dump in a file, with the files that GTKWave needs next to it. The file appears under
// its name when it is closed.
type File struct {
	*Dump
	name string
	file *output.File
}

// IsFST reports whether a file name has the extension of GTKWave's format, .fst.
func IsFST(name string) bool { return strings.EqualFold(filepath.Ext(name), ".fst") }

// Create attaches a dump that goes to the named file. It is in the format of the name: x.vcd or
// x.fst. See [Attach].
func Create(sys *rtl.System, name string, opts Options) (*File, error) {
	file, err := output.Create(name)
	if err != nil {
		return nil, fmt.Errorf("waves: %w", err)
	}
	f := &File{name: name, file: file}
	opts.FST = IsFST(name)
	if f.Dump, err = Attach(sys, file, opts); err != nil {
		file.Discard()
		return nil, err
	}
	return f, nil
}

// Close ends the dump, see [Dump.Close], and writes the files that GTKWave needs, see [Dump.Save].
func (f *File) Close() error {
	return errors.Join(f.Dump.Close(), f.file.Keep(), f.Save(f.name))
}
