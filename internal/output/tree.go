package output

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a folder with files in subfolders. A list in the folder has the hashes of the files
// written there. With it the files can be written again, and no other file is overwritten.
type Tree struct {
	folder, list string
	written      map[string]string // hash by name, from the last time
}

// OpenTree inspects a folder, which need not exist. It refuses a folder that has files and no list,
// unless force is set.
func OpenTree(folder, list string, force bool) (*Tree, error) {
	t := &Tree{folder: folder, list: list}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return t, TryFolder(folder)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: want a folder: %w", folder, cause(err))
	}
	path := filepath.Join(folder, list)
	info, err := os.Lstat(path)
	switch {
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxList):
		return nil, fmt.Errorf("%s: want a regular file of at most %d bytes", path, maxList)
	case err == nil:
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, cause(err))
		}
		if err := json.Unmarshal(text, &t.written); err != nil {
			return nil, fmt.Errorf("%s: is no list of files: %w", path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	case len(entries) > 0 && !force:
		return nil, fmt.Errorf("%s: holds %s, which divergo did not write: want an empty folder, or --force to add files", folder, entries[0].Name())
	}
	return t, TryFolder(folder)
}

// maxList is the largest size of a list that is read, in bytes.
const maxList = 1 << 20

// hash is the hash of a file.
func hash(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// Write writes files by their names in the folder, with slashes. In the end all are written, or
// none has changed.
func (t *Tree) Write(content map[string][]byte, executable ...string) error {
	written := make(map[string]string)
	for name, text := range content {
		written[name] = hash(text)
	}
	list, err := json.MarshalIndent(written, "", "  ")
	if err != nil {
		return err
	}
	for name := range content {
		if err := t.mine(name, written[name]); err != nil {
			return err
		}
	}
	made, err := t.folders(slices.Sorted(maps.Keys(content)))
	if err == nil {
		err = t.fill(content, append(list, '\n'), executable)
	}
	if err != nil {
		for _, folder := range slices.Backward(made) {
			os.Remove(folder) // fails if the folder is not empty
		}
	}
	return err
}

// mine accepts a name without a file, with a file that was written here, or with the contents that
// would be written. It refuses any other file, and a link within the folder.
func (t *Tree) mine(name, hashed string) error {
	steps := strings.Split(name, "/")
	for i := range steps {
		path := filepath.Join(t.folder, filepath.Join(steps[:i+1]...))
		info, err := os.Lstat(path)
		switch last := i == len(steps)-1; {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, cause(err))
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s: is a link, which divergo did not make: move it away", path)
		case !last && !info.IsDir():
			return fmt.Errorf("%s: want a folder: move it away", path)
		case last && !info.Mode().IsRegular():
			return fmt.Errorf("%s: want a regular file: move it away", path)
		case last:
			text, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, cause(err))
			}
			if h := hash(text); h != hashed && h != t.written[name] {
				return fmt.Errorf("%s: exists, and divergo did not write it: move it away", path)
			}
		}
	}
	return nil
}

// folders makes the folders of names and returns those that did not exist.
func (t *Tree) folders(names []string) (made []string, err error) {
	var missing []string
	for folder := t.folder; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			break
		}
		missing = append(missing, folder)
	}
	slices.Reverse(missing)
	for _, name := range names {
		steps := strings.Split(name, "/")
		for i := 1; i < len(steps); i++ {
			missing = append(missing, filepath.Join(t.folder, filepath.Join(steps[:i]...)))
		}
	}
	for _, folder := range missing {
		switch err := os.Mkdir(folder, 0o777); {
		case err == nil:
			made = append(made, folder)
		case !errors.Is(err, fs.ErrExist):
			return made, fmt.Errorf("%s: %w", folder, cause(err))
		}
	}
	return made, nil
}

// fill writes the files beside their names, then renames them, the list last.
func (t *Tree) fill(content map[string][]byte, list []byte, executable []string) error {
	var files Set
	defer files.Discard()
	write := func(name string, text []byte) error {
		f, err := files.CreateAny(name, filepath.Join(t.folder, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if slices.Contains(executable, name) {
			if err := f.execute(); err != nil {
				return err
			}
		}
		_, err = f.Write(text)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if err := write(name, content[name]); err != nil {
			return err
		}
	}
	if err := write(t.list, list); err != nil {
		return err
	}
	for _, f := range files.files {
		if err := f.Keep(); err != nil {
			return err
		}
	}
	return nil
}
