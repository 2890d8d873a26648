// Package place prints messages about a place in a text that a user wrote.
package place

import (
	"bytes"
	"fmt"
	"strings"
)

// Of is the line and the column of a byte, counted from 1.
func Of(text []byte, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// Error puts a message at its line and column, with the line below it and a caret
// below that.
func Error(file string, text []byte, row, column int, message string) error {
	lines := strings.Split(string(text), "\n")
	if row > len(lines) {
		return fmt.Errorf("%s:%d:%d: %s", file, row, column, message)
	}
	line := strings.TrimRight(lines[row-1], "\r")
	var indent []byte
	for _, c := range line[:min(max(column-1, 0), len(line))] {
		if c != '\t' {
			c = ' '
		}
		indent = append(indent, byte(c))
	}
	return fmt.Errorf("%s:%d:%d: %s\n    %s\n    %s^", file, row, column, message, line, indent)
}
