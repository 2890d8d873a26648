package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Set is the files of a command: those that it reads, and those that it writes if it ends well. No
// two written files are the same, and no written file is also read.
type Set struct {
	taken []taken
	files []*File
}

// taken is a name in use.
type taken struct {
	use  string // its use, for example a flag
	path string // the file that the name stands for
}

// Reads records that a file is read.
func (s *Set) Reads(use, name string) {
	if path, err := target(name); err == nil && path != "" {
		s.taken = append(s.taken, taken{use, path})
	}
}

// Create creates a file in the format of an extension, or in one of several formats; "" is a format
// without an extension. It refuses a name with the extension of another format.
func (s *Set) Create(use, name string, extensions ...string) (*File, error) {
	if err := promise(name, extensions); err != nil {
		return nil, err
	}
	return s.CreateAny(use, name)
}

// CreateAny creates a file of any extension.
func (s *Set) CreateAny(use, name string) (*File, error) {
	if err := s.claim(use, name); err != nil {
		return nil, err
	}
	f, err := Create(name)
	if err == nil {
		s.files = append(s.files, f)
	}
	return f, err
}

// Claim takes a name for a file that is written later, beside another one.
func (s *Set) Claim(use, name string) error {
	if err := s.claim(use, name); err != nil {
		return err
	}
	final, err := target(name)
	if err != nil || final == "" {
		return err
	}
	return check(name, final)
}

// claim takes a name. Only /dev/null can be taken twice.
func (s *Set) claim(use, name string) error {
	if name == "-" {
		return errors.New("-: want the name of a file; /dev/stdout is that of standard output")
	}
	path, err := target(name)
	switch {
	case err != nil:
		return err
	case path != "":
		if info, err := os.Stat(path); err == nil {
			if out, err := os.Stdout.Stat(); err == nil && os.SameFile(info, out) {
				return fmt.Errorf("%s: standard output goes there; /dev/stdout is its name", name)
			}
		}
	case sameFile(name, os.DevNull):
		return nil
	default:
		path = name
	}
	for _, t := range s.taken {
		if sameFile(path, t.path) {
			return fmt.Errorf("%s: is %s too", name, t.use)
		}
	}
	s.taken = append(s.taken, taken{use, path})
	return nil
}

// sameFile reports whether two names are the same file. For files that do not exist yet it compares
// folders and names.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		y, err := os.Stat(b)
		return err == nil && os.SameFile(x, y)
	}
	x, errX := os.Stat(filepath.Dir(a))
	y, errY := os.Stat(filepath.Dir(b))
	return errX == nil && errY == nil && os.SameFile(x, y) && filepath.Base(a) == filepath.Base(b)
}

// Discard removes all files that have not been kept.
func (s *Set) Discard() {
	for _, f := range s.files {
		f.Discard()
	}
}

// formats are extensions that readers associate with a format.
var formats = []string{
	".vcd", ".evcd", ".fst", ".lxt", ".lxt2", ".vzt", ".ghw", ".wlf", ".fsdb", ".gtkw",
	".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".pdf", ".ps", ".eps", ".html", ".tex",
	".json", ".csv", ".toml", ".trace", ".ptx", ".cu", ".cuh", ".gz", ".xz", ".zst", ".zip",
	".md", ".go", ".mod", ".sum", ".c", ".cc", ".cpp", ".h", ".py", ".sh",
}

// promise refuses a name with the extension of another format.
func promise(name string, extensions []string) error {
	found := filepath.Ext(name)
	if e := strings.ToLower(found); slices.Contains(extensions, e) || !slices.Contains(formats, e) {
		return nil
	}
	extension := strings.Join(extensions, " or ")
	if extension == "" {
		return fmt.Errorf("%s: raw bytes are written, %s is the name of another format", name, found)
	}
	return fmt.Errorf("%s: want the extension %s for what is written, %s is that of another format", name,
		extension, found)
}
