package cli

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxFiles is how many files may be below the folder in which a program runs, for those that it writes to be found.
const maxFiles = 100_000

// fileState tells whether a file has been written.
type fileState struct {
	size     int64
	modified time.Time
}

// filesBelow lists the regular files in and below a folder, by path. Unfinished files of this process are none of the
// program's.
func filesBelow(folder string) (map[string]fileState, error) {
	files := map[string]fileState{}
	own := fmt.Sprintf(".%d.", os.Getpid())
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // it is gone, or no file of the program
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular(), strings.HasPrefix(d.Name(), ".") && strings.Contains(d.Name(), own):
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("more than %d files: run it in a folder of its own to have those that it writes compared", maxFiles)
		}
		if info, err := d.Info(); err == nil { // else it is gone
			files[path] = fileState{info.Size(), info.ModTime()}
		}
		return nil
	})
	return files, err
}

// writtenFiles are the files in and below a folder that are not as they were, each with a hash of what it holds.
func writtenFiles(folder string, before map[string]fileState, ignore []*regexp.Regexp) (map[string]string, error) {
	after, err := filesBelow(folder)
	if err != nil {
		return nil, err
	}
	written := map[string]string{}
	for path, state := range after {
		if was, ok := before[path]; ok && was.size == state.size && was.modified.Equal(state.modified) {
			continue
		}
		hash, err := hashFile(path, ignore)
		if err != nil {
			return nil, err
		}
		written[path] = hash
	}
	return written, nil
}

// hashFile is a hash of the lines of a file but for those to be ignored.
func hashFile(path string, ignore []*regexp.Regexp) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if len(ignore) == 0 {
		_, err = io.Copy(hash, file)
		return string(hash.Sum(nil)), err
	}
	for from := bufio.NewReader(file); ; {
		line, err := from.ReadBytes('\n')
		if !slices.ContainsFunc(ignore, func(re *regexp.Regexp) bool { return re.Match(line) }) {
			_, _ = hash.Write(line) // it does not fail
		}
		if errors.Is(err, io.EOF) {
			return string(hash.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// fileDifference says which file that a program wrote is first, by name, not as in another run.
func fileDifference(first, files map[string]string) string {
	names := slices.Sorted(maps.Keys(first))
	for _, name := range names {
		switch hash, ok := files[name]; {
		case !ok:
			return fmt.Sprintf("the file %s was not written", name)
		case hash != first[name]:
			return fmt.Sprintf("the file %s holds other bytes", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, ok := first[name]; !ok {
			return fmt.Sprintf("the file %s was written", name)
		}
	}
	return ""
}

// textDifference says which lines of two texts differ, the first few of them in full.
func textDifference(first, text []byte, ignore []*regexp.Regexp) string {
	const shown = 3
	a, b := keptLines(first, ignore), keptLines(text, ignore)
	line := func(lines []string, i int) string {
		if i >= len(lines) {
			return "nothing"
		}
		return fmt.Sprintf("%q", lines[i])
	}
	count := 0
	var s strings.Builder
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i] == b[i] {
			continue
		}
		if count++; count <= shown {
			fmt.Fprintf(&s, "\n  %s, and first %s", line(b, i), line(a, i))
		}
	}
	switch {
	case count == 0:
		return ""
	case count > shown:
		fmt.Fprintf(&s, "\n  and %d more", count-shown)
	}
	return fmt.Sprintf("%d lines of its output differ:%s", count, s.String())
}

// keptLines are the lines of a text but for those to be ignored.
func keptLines(text []byte, ignore []*regexp.Regexp) (lines []string) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if !slices.ContainsFunc(ignore, func(re *regexp.Regexp) bool { return re.MatchString(line) }) {
			lines = append(lines, line)
		}
	}
	return lines
}

// parseIgnore reads the regular expressions of --ignore.
func parseIgnore(texts []string) (list []*regexp.Regexp, err error) {
	for _, text := range texts {
		re, wrong := regexp.Compile(text)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("--ignore %q: %w", text, wrong))
			continue
		}
		list = append(list, re)
	}
	return list, err
}
