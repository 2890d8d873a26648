// Package webpage writes a page for a browser as one HTML file, which needs neither a server nor a
// network.
//
//	page := webpage.Page{Layout: layout, Style: style, Script: script}
//	n, err := page.Write(file, "title", data)
package webpage

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"strings"
)

// Page is the text of a page that is the same for all data. Layout is HTML, in which {{title}},
// {{policy}}, {{style}}, {{data}} and {{script}} stand for these parts, once and in this order except
// for title. {{data}} stands before {{script}}.
type Page struct{ Layout, Style, Script string }

// policy makes browsers run only the script of the page, identified by its hash, and load nothing (W3C,
// Content Security Policy Level 3, section 2.3.1).
func (p *Page) policy() string {
	hash := sha256.Sum256([]byte(p.Script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'"
}

// Write writes the page and returns the number of its bytes. The function data writes the elements with
// the data. Titles may be any text.
func (p *Page) Write(to io.Writer, title string, data func(io.Writer)) (int64, error) {
	w := &counted{w: to}
	top, bottom, _ := strings.Cut(p.Layout, "{{data}}")
	top = strings.NewReplacer("{{title}}", html.EscapeString(title), "{{policy}}", p.policy(), "{{style}}", p.Style).Replace(top)
	io.WriteString(w, top) // counted keeps the first error
	data(w)
	io.WriteString(w, strings.Replace(bottom, "{{script}}", p.Script, 1))
	return w.n, w.err
}

// counted counts bytes, and keeps the first error.
type counted struct {
	w   io.Writer
	n   int64
	err error
}

func (w *counted) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	var n int
	n, w.err = w.w.Write(p)
	w.n += int64(n)
	return n, w.err
}
