package mutants

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"divergo/internal/nearest"
)

// fileName is the name of files with mutants.
const fileName = "mutants.diff"

var keys = []string{"name", "bug", "by", "audit", "claims", "from", "lives"}

// All reads the mutants of all packages, by folder. root is the folder of the module.
func All(root string) ([]Mutant, error) {
	var all []Mutant
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.Name() != fileName {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		name, err = filepath.Rel(root, name)
		if err != nil {
			return err
		}
		list, err := read(filepath.ToSlash(name), string(text))
		all = append(all, list...)
		return err
	})
	return all, err
}

// read reads the mutants of a file. name is the path of the file from the root of the module.
func read(name, text string) ([]Mutant, error) {
	var list []Mutant
	n, m := 0, (*Mutant)(nil)
	fail := func(format string, a ...any) ([]Mutant, error) {
		return nil, fmt.Errorf("%s:%d: %s", name, n, fmt.Sprintf(format, a...))
	}
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, isKey := strings.Cut(line, ": ")
		if key == "name" && isKey {
			list = append(list, Mutant{Name: value, At: fmt.Sprintf("%s:%d", name, n), Folder: path.Dir(name)})
			m = &list[len(list)-1]
			continue
		}
		switch {
		case m == nil:
			return fail("want name: NAME, the first line of a mutant, not %q", line)
		case strings.ContainsRune(" \t-+", rune(line[0])):
			if m.In == "" {
				return fail("want @@ DECLARATION before the lines to change")
			}
			if line[0] != '+' {
				m.Old += line[1:] + "\n"
			}
			if line[0] != '-' {
				m.New += line[1:] + "\n"
			}
		case m.In != "":
			return fail("want a line to change, which begins with a space, - or +, not %q", line)
		case strings.HasPrefix(line, "@@ "):
			in, nth, which := strings.Cut(line[3:], " ")
			m.In = in
			if !which {
				break
			}
			if _, err := fmt.Sscanf(nth, "%d of %d", &m.Nth, &m.Of); err != nil || m.Nth < 1 || m.Nth > m.Of {
				return fail("want @@ DECLARATION or @@ DECLARATION N of M, not %q", line)
			}
		case !isKey:
			return fail("want KEY: VALUE, not %q", line)
		case key == "bug":
			m.Bug = value
		case key == "by":
			m.By = strings.Fields(value)
		case key == "audit":
			m.Audit = value
		case key == "claims":
			m.Claims = strings.Fields(value)
		case key == "from":
			m.From = value
		case key == "lives":
			m.Lives = value
		default:
			return fail("%v", nearest.Unknown("key", key, keys))
		}
	}
	for i := range list {
		if m := &list[i]; m.Bug == "" || m.Old == "" {
			return nil, m.errorf("want bug: TEXT, @@ DECLARATION, and a line with - or a space")
		}
	}
	return list, nil
}
