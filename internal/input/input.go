// Package input reads files that a user names, of any kind.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"divergo/internal/printable"
)

// Read returns the bytes of a file, at most so many. It refuses a folder and a larger file. It also
// refuses a file that does not end, such as a device, and stops reading it after that many bytes.
func Read(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	shown := printable.Name(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", shown, reason(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder, want a file", shown)
	case info.Mode().IsRegular() && info.Size() > most:
		return nil, fmt.Errorf("%s: has %d bytes, want at most %d", shown, info.Size(), most)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s: does not end after %d bytes, want at most that many", shown, most)
	}
	return text, err
}

// reason is an error without the name of the file, which may not be printable.
func reason(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
