// Package page writes figures of papers on one self-contained HTML page. Each figure shows the
// paper's values, the model's in a picture and a table, and the command that makes it.
package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/chart"
)

// Figure is a figure in the form of "divergo reproduce --json", with its picture.
type Figure struct {
	Name   string   `json:"figure"` // cost-fig4
	Doc    string   `json:"doc"`    // one line
	Source string   `json:"source"` // the paper
	Header []string `json:"header"`
	Rows   [][]any  `json:"rows"`
	Notes  []string `json:"notes"`

	Caption string `json:"caption,omitempty"` // what to see
	Table   bool   `json:"table,omitempty"`   // the numbers come first, above the picture
	Quick   bool   `json:"quick,omitempty"`   // made with --quick
	SVG     string `json:"svg"`
}

// Picture returns the drawing. Read has checked it, so it needs no escaping.
func (f *Figure) Picture() template.HTML { return template.HTML(f.SVG) }

// Cells returns the rows as text. The numbers of a column have equally many digits after the point:
// as many as one of them needs, three at most.
func (f *Figure) Cells() [][]string {
	digits := map[int]int{} // by column
	for _, row := range f.Rows {
		for i, cell := range row {
			if v, ok := cell.(float64); ok {
				_, after, _ := strings.Cut(strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64), ".")
				digits[i] = max(digits[i], len(after))
			}
		}
	}
	cells := make([][]string, len(f.Rows))
	for r, row := range f.Rows {
		for i, cell := range row {
			text := fmt.Sprint(cell)
			switch v := reflect.ValueOf(cell); {
			case v.CanFloat():
				text = strconv.FormatFloat(v.Float(), 'f', digits[i], 64)
			case (v.CanInt() || v.CanUint()) && digits[i] > 0:
				text += "." + strings.Repeat("0", digits[i])
			}
			cells[r] = append(cells[r], text)
		}
	}
	return cells
}

// Theirs returns the notes with the paper's values.
func (f *Figure) Theirs() []string { return f.notes(true) }

// Ours returns the other notes, about the model's values.
func (f *Figure) Ours() []string { return f.notes(false) }

// Beside reports whether the notes about ours also hold the paper's values.
func (f *Figure) Beside() bool {
	return slices.ContainsFunc(f.Ours(), func(n string) bool { return strings.Contains(n, "Theirs: ") })
}

func (f *Figure) notes(theirs bool) (list []string) {
	for _, n := range f.Notes {
		if strings.HasPrefix(n, "Theirs") == theirs {
			list = append(list, n)
		}
	}
	return list
}

// Read reads a figure from a record. Records come from a file, so Read refuses pictures that package
// chart does not draw. Numbers in rows are int64 or float64.
func Read(record json.RawMessage) (f Figure, err error) {
	d := json.NewDecoder(bytes.NewReader(record))
	d.UseNumber()
	err = d.Decode(&f)
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		err = fmt.Errorf("found %s, want a figure as divergo writes it", e.Value)
	}
	if err == nil && f.Name == "" {
		err = errors.New("found no name, want a figure as divergo writes it")
	}
	if err != nil {
		return f, err
	}
	if err := chart.Check(f.SVG); err != nil {
		return f, fmt.Errorf("%s: %w", f.Name, err)
	}
	for _, row := range f.Rows {
		for k, cell := range row {
			if n, ok := cell.(json.Number); ok {
				row[k] = number(n)
			}
		}
	}
	return f, nil
}

func number(n json.Number) any {
	if whole, err := n.Int64(); err == nil {
		return whole
	}
	v, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return v
}

//go:embed page.html
var text string

var page = template.Must(template.New("page").Parse(text))

// Write writes the page of the figures.
func Write(w io.Writer, figures []Figure) error { return page.Execute(w, figures) }
