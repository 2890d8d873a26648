package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
)

// Journal is a file that grows by a line of JSON for each finished part of a long piece of work. So
// the work can continue after the process was killed. The first line describes the work. An
// incomplete last line is left by a process that died while writing it, and is ignored.
type Journal struct {
	Records []json.RawMessage // records present when the journal was opened

	name string
	file *os.File
}

// maxJournal is the largest journal from which a run continues, in bytes.
const maxJournal = 1 << 30

// OpenJournal opens a journal, or begins one with the header as its first line. It refuses the
// journal of other work, and a file that is not a journal.
func OpenJournal(name string, header map[string]any) (*Journal, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a regular file for a journal", name)
	}
	first, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	j := &Journal{name: name, file: file}
	if err := j.read(append(first, '\n'), header); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	return j, nil
}

// ReadJournal returns the first line of a journal, and its records. The file stays as it is.
func ReadJournal(name string) (header json.RawMessage, records []json.RawMessage, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", name, cause(err))
	case !info.Mode().IsRegular() || info.Size() > maxJournal:
		return nil, nil, fmt.Errorf("%s: want a regular file of at most %d bytes for a journal", name, maxJournal)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	for i, line := range bytes.Split(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) {
		switch {
		case !json.Valid(line):
			return nil, nil, fmt.Errorf("%s: line %d is no line of a journal", name, i+1)
		case i == 0:
			header = line
		default:
			records = append(records, line)
		}
	}
	return header, records, nil
}

// read reads the records and leaves the file at the end of its last whole line.
func (j *Journal) read(first []byte, header map[string]any) error {
	if info, err := j.file.Stat(); err != nil {
		return err
	} else if info.Size() > maxJournal {
		return fmt.Errorf("has %d bytes, want at most %d", info.Size(), maxJournal)
	}
	text, err := os.ReadFile(j.name)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(whole) == 0 {
		if !bytes.HasPrefix(first, text) {
			return fmt.Errorf("exists and is no journal")
		}
		if err := j.file.Truncate(0); err != nil {
			return err
		}
		_, err := j.file.Write(first)
		return err
	}
	lines := bytes.Split(whole[:len(whole)-1], []byte("\n"))
	if !bytes.Equal(lines[0], first[:len(first)-1]) {
		return another(lines[0], header)
	}
	for i, line := range lines[1:] {
		if !json.Valid(line) {
			return fmt.Errorf("line %d is damaged", i+2)
		}
		j.Records = append(j.Records, line)
	}
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	_, err = j.file.Seek(int64(len(whole)), 0)
	return err
}

// another describes how the work of a journal differs from the header.
func another(line []byte, header map[string]any) error {
	var found map[string]any
	if json.Unmarshal(line, &found) != nil || found["schema"] != header["schema"] {
		return fmt.Errorf("exists and is no journal of this")
	}
	var names []string
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text, _ := json.Marshal(header[name]) // it marshalled above
		var want any
		if json.Unmarshal(text, &want); !reflect.DeepEqual(found[name], want) {
			has, _ := json.Marshal(found[name]) // it came from JSON
			return fmt.Errorf("is the journal of another configuration: %s is %s, want %s", name, has, text)
		}
	}
	return fmt.Errorf("is the journal of another configuration")
}

// Add writes a record as one line.
func (j *Journal) Add(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", j.name, cause(err))
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
