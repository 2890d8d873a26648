// Package printable makes names and texts from users and files safe for a terminal. Such a text
// could hold escape sequences, and characters that reorder or hide others.
package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text escapes unprintable characters of s as JSON does, \u001b, and invalid bytes as Go does. Line
// ends and tabs stay.
func Text(s string) string { return escape(s, "\n\t") }

// Name is Text on one line, for the name of a file.
func Name(s string) string { return escape(s, "") }

// escape escapes characters that do not print, except those in keep.
func escape(s, keep string) string {
	clean := func(r rune) bool { return unicode.IsPrint(r) && r != utf8.RuneError || strings.ContainsRune(keep, r) }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case clean(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[n:]
	}
	return b.String()
}

// Writer writes the Text of its input to W.
type Writer struct {
	W    io.Writer
	part []byte // bytes of an incomplete character
	err  error  // of the first failed write
}

func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.part, p...)
	end := len(text)
	for i := 1; i <= min(utf8.UTFMax-1, end); i++ {
		if c := text[end-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[end-i:]) {
				end -= i
			}
			break
		}
	}
	w.part = append([]byte(nil), text[end:]...)
	if err := w.write(text[:end]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write writes the Text of whole characters.
func (w *Writer) write(text []byte) error {
	_, err := io.WriteString(w.W, Text(string(text)))
	if w.err == nil {
		w.err = err
	}
	return err
}

// Close writes the bytes of a character that was never completed. The error is the first one of all
// writes.
func (w *Writer) Close() error {
	if len(w.part) > 0 {
		_ = w.write(w.part) // it is kept
		w.part = nil
	}
	return w.err
}
