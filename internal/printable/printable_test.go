package printable_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"divergo/internal/printable"
)

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"plain\ttext\n":      "plain\ttext\n",
		"\x1b[31mred\x1b[0m": `\u001b[31mred\u001b[0m`,
		"title\x1b]0;x\x07":  `title\u001b]0;x\u0007`,
		"c1 \u009b31m":       `c1 \u009b31m`,
		"\u202egnp.exe":      `\u202egnp.exe`,
		"del\x7f\r":          `del\u007f\u000d`,
		"\xff\xc3":           `\xff\xc3`,
		"größe �":            "größe �",
		"tag \U000e0041":     `tag \udb40\udc41`,
	} {
		assert.Equal(t, want, printable.Text(s), "%q", s)
	}
	assert.Equal(t, `a\u000ab\u0009c`, printable.Name("a\nb\tc"))
}

// FuzzWriter: only text comes out, however the bytes are cut, and JSON stays unchanged.
func FuzzWriter(f *testing.F) {
	f.Add("\x1b[2J größe \u202e\xff\xc3", 3)
	f.Add("\U000e0041", 2)
	f.Add(`{"a": "b`+"\u009b"+`"}`, 1)
	f.Fuzz(func(t *testing.T, s string, cut int) {
		var b strings.Builder
		w := printable.Writer{W: &b}
		cut = int(uint(cut) % uint(len(s)+1))
		if cut > 0 {
			_, err := w.Write([]byte(s[:cut]))
			assert.NoError(t, err)
		}
		n, err := w.Write([]byte(s[cut:]))
		assert.NoError(t, err)
		assert.Equal(t, len(s)-cut, n)
		assert.NoError(t, w.Close())
		assert.Equal(t, printable.Text(s), b.String())
		assert.True(t, utf8.ValidString(b.String()))
		for _, r := range b.String() {
			assert.True(t, unicode.IsPrint(r) || r == '\n' || r == '\t', "%q", r)
		}
		text, err := json.Marshal(s)
		assert.NoError(t, err)
		var want, got string
		assert.NoError(t, json.Unmarshal(text, &want))
		assert.NoError(t, json.Unmarshal([]byte(printable.Text(string(text))), &got))
		assert.Equal(t, want, got)
	})
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestWriterFull: Close reports a failed write, too.
func TestWriterFull(t *testing.T) {
	w := printable.Writer{W: full{}}
	_, err := w.Write([]byte("text"))
	assert.EqualError(t, err, "full")
	assert.EqualError(t, w.Close(), "full")
}
