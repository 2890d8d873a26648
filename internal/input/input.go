// Package input reads files that a user names, whatever they turn out to be.
package input

import (
	"fmt"
	"io"
	"os"
)

// Read returns the bytes of a file, at most so many. It refuses a folder, and a
// file that is larger or, like a device, does not end, without reading more of it.
func Read(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder, want a file", name)
	case info.Mode().IsRegular() && info.Size() > most:
		return nil, fmt.Errorf("%s: has %d bytes, want at most %d", name, info.Size(), most)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s: does not end after %d bytes, want at most that many", name, most)
	}
	return text, err
}
