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

// maxFiles is the largest number of files in and below the working folder of a compared program.
// With more files, filesBelow returns an error.
const maxFiles = 100_000

// fileState identifies a version of a file: if it changes, the file has been written.
type fileState struct {
	size     int64
	modified time.Time
}

// filesBelow lists the regular files in and below a folder, by path. It leaves out this process's
// unfinished files.
func filesBelow(folder string) (map[string]fileState, error) {
	files := map[string]fileState{}
	own := fmt.Sprintf(".%d.", os.Getpid())
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		// deleted meanwhile, or not the program's file
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular(), strings.HasPrefix(d.Name(), ".") && strings.Contains(d.Name(), own):
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("more than %d files: run it in a folder of its own to have those that it writes compared",
				maxFiles)
		}
		if info, err := d.Info(); err == nil { // an error means that the file was deleted meanwhile
			files[path] = fileState{info.Size(), info.ModTime()}
		}
		return nil
	})
	return files, err
}

// writtenFiles returns the files in and below a folder that changed since before, each with a hash
// of its lines.
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

// hashFile returns a hash of a file's lines, without the lines that match ignore.
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
			_, _ = hash.Write(line) // a hash never fails to write
		}
		if errors.Is(err, io.EOF) {
			return string(hash.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// fileDifference describes the first written file, by name, that differs from another run.
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

// textDifference describes the lines in which two texts differ. It quotes the first few.
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

// keptLines returns the lines of a text, without those that match ignore.
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
