package sweep

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"divergo/internal/output"
	"divergo/internal/printable"
)

// Store is a folder with results, a file for each point. Any number of processes on any number of
// computers can use it at once.
//
// The file of a point is KK/KEY.json, where KK are the first two digits of its key.
type Store struct{ folder string }

// marker is the file that tells a store from other folders.
const marker = "divergo-sweep.json"

// format is the content of the marker.
const format = "{\"schema\":\"divergo.sweep.v1\"}\n"

// OpenStore opens a store, and makes its folder if it is missing. The error says why results cannot
// be kept there.
func OpenStore(folder string) (*Store, error) {
	s := &Store{folder}
	shown := printable.Name(folder)
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, fmt.Errorf("%s: cannot make the store: %w", shown, reason(err))
		}
	case err != nil:
		return nil, fmt.Errorf("%s: want a folder for the results: %w", shown, reason(err))
	}
	other := ""
	for _, e := range entries {
		switch name := e.Name(); {
		case name == marker:
			return s, s.check()
		case !strings.HasPrefix(name, "."): // another process may be writing the marker
			other = name
		}
	}
	if other != "" {
		return nil, fmt.Errorf("%s: holds %s and is no store of a sweep: want an empty folder, or a new one", shown,
			printable.Name(other))
	}
	there, err := output.Link(filepath.Join(folder, marker), []byte(format))
	if err == nil && there != nil {
		return s, s.check()
	}
	return s, err
}

// check reads the marker.
func (s *Store) check() error {
	text, err := os.ReadFile(filepath.Join(s.folder, marker))
	if err == nil && string(text) != format {
		err = fmt.Errorf("found %q, want %q: a store of another version of divergo", brief(text), strings.TrimSpace(format))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Name(filepath.Join(s.folder, marker)), reason(err))
	}
	return nil
}

// brief returns the beginning of a text.
func brief(text []byte) string { return string(bytes.TrimSpace(text[:min(len(text), 60)])) }

// reason is an error without the name of the file.
func reason(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Folder returns the folder of the store.
func (s *Store) Folder() string { return s.folder }

// file returns the name of the file of a point.
func (s *Store) file(k Key) string {
	name := k.String()
	return filepath.Join(s.folder, name[:2], name+".json")
}

// Get returns the result of a point, nil if there is none.
func (s *Store) Get(k Key) (*Result, error) {
	name := s.file(k)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", printable.Name(name), reason(err))
	}
	return decode(name, text)
}

// Put keeps the result of a point. The file appears whole, after its bytes are on the disk. If the
// store has other bytes for the point, the error is a *Conflict, and both are kept.
func (s *Store) Put(k Key, r *Result) error {
	line, err := r.encode()
	if err != nil {
		return err
	}
	name := s.file(k)
	there, err := output.Link(name, line)
	if errors.Is(err, fs.ErrNotExist) { // the first result of its folder
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return fmt.Errorf("%s: %w", printable.Name(filepath.Dir(name)), reason(err))
		}
		there, err = output.Link(name, line)
	}
	if err != nil || there == nil {
		return err
	}
	other := strings.TrimSuffix(name, ".json") + fmt.Sprintf(".other-%x.json", digest(string(line)))[:23]
	if _, err := output.Link(other, line); err != nil {
		return err
	}
	return &Conflict{name, other}
}

// Conflict is the error for two different results of one point: the model is not deterministic.
type Conflict struct {
	Kept  string // file with the first result
	Other string // file with the other one
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("the model is not deterministic: two runs of one point gave different results, %s and %s",
		printable.Name(c.Kept), printable.Name(c.Other))
}

// Missing returns the points of a plan that have no result, in plan order.
func (s *Store) Missing(p *Plan) ([]int, error) {
	there, err := s.keys()
	if err != nil {
		return nil, err
	}
	missing := []int{}
	for i := range p.Len() {
		if !there[p.Key(i)] {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// keys returns the keys of all results. It lists the folders, which is faster than looking for each
// file.
func (s *Store) keys() (map[Key]bool, error) {
	there := map[Key]bool{}
	for n := range 256 {
		folder, err := os.Open(filepath.Join(s.folder, fmt.Sprintf("%02x", n)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable.Name(s.folder), err)
		}
		names, err := folder.Readdirnames(0)
		folder.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable.Name(s.folder), err)
		}
		for _, name := range names {
			digits, ok := strings.CutSuffix(name, ".json")
			var k Key
			if !ok || len(digits) != 2*len(k) {
				continue // an unfinished file, or the second result of a conflict
			}
			if _, err := hex.Decode(k[:], []byte(digits)); err == nil {
				there[k] = true
			}
		}
	}
	return there, nil
}
