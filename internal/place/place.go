// Package place formats messages about a place in a text that a user wrote.
package place

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Of is the line and the column of a byte, counted from 1.
func Of(text []byte, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// Error formats a message with its line and column. Below come the line and a caret under the
// column. Of a long line it shows the neighbourhood of the column.
func Error(file string, text []byte, row, column int, message string) error {
	line, found := []byte(nil), true
	for range row {
		if !found {
			return fmt.Errorf("%s:%d:%d: %s", file, row, column, message)
		}
		line, text, found = bytes.Cut(text, []byte("\n"))
	}
	line = bytes.TrimRight(line, "\r")
	shown, at := Excerpt(string(line), min(max(column-1, 0), len(line)))
	var indent []byte
	for _, c := range shown[:at] {
		if c != '\t' {
			c = ' '
		}
		indent = append(indent, byte(c))
	}
	return fmt.Errorf("%s:%d:%d: %s\n    %s\n    %s^", file, row, column, message, shown, indent)
}

// Excerpt is the neighbourhood of a byte of a line, and the offset of the byte in it. A line of up
// to 120 bytes is unchanged.
func Excerpt(line string, at int) (string, int) {
	const width = 120
	if len(line) <= width {
		return line, at
	}
	start := max(0, at-width/2)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start--
	}
	end := min(len(line), start+width)
	for end < len(line) && !utf8.RuneStart(line[end]) {
		end++
	}
	return line[start:end], at - start
}
