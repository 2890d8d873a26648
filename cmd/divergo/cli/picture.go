package cli

import (
	"fmt"
	"io"

	"divergo/internal/output"
)

// picture is the output file of a flag; nil without the flag.
type picture struct {
	flag string
	file *output.File
}

// newPicture creates the file before the runs, so that an unwritable path is reported first.
func newPicture(files *output.Set, flag, name, extension string) (*picture, error) {
	if name == "" {
		return nil, nil
	}
	file, err := files.Create(flag, name, extension)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return &picture{flag, file}, nil
}

// keep fills and keeps the file.
func (p *picture) keep(draw func(io.Writer) error) error {
	if p == nil {
		return nil
	}
	err := draw(p.file)
	if err == nil {
		err = p.file.Keep()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.flag, err)
	}
	return nil
}
