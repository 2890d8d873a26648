// Package table prints aligned columns: statistics of a run, mechanisms side by side, lists of
// kernels and keys.
package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is rows of cells below a header. A column whose cells are all numbers
// is aligned to the right.
type Table struct {
	header []string
	rows   [][]string
}

// New starts a table. Without a header it prints only the rows.
func New(header ...string) *Table { return &Table{header: header} }

// Row adds a row. Each value is printed as by fmt.Sprint, floating-point numbers with four digits
// after the point.
func (t *Table) Row(values ...any) {
	row := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case float64:
			row[i] = fmt.Sprintf("%.4f", v)
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	t.rows = append(t.rows, row)
}

// WriteTo prints the table, with two spaces between columns and none at the end of a line.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	rows := t.rows
	if len(t.header) > 0 {
		rows = append([][]string{t.header}, rows...)
	}
	var width []int
	var right []bool
	for r, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width, right = append(width, 0), append(right, true)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
			if r > 0 || len(t.header) == 0 {
				right[i] = right[i] && numeric(cell)
			}
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// WriteMarkdown prints the table in the form of Markdown.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	line := func(row []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | ")) }
	line(t.header)
	b.WriteString(strings.Repeat("|---", len(t.header)) + "|\n")
	for _, row := range t.rows {
		line(row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// numeric reports whether a cell looks like a number. A unit x or % may follow. An empty cell or a
// dash counts as numeric.
func numeric(cell string) bool {
	if cell == "" || cell == "-" {
		return true
	}
	digits := strings.TrimLeft(cell, "+-")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9' && strings.Trim(digits, "0123456789.,%xe+-") == ""
}
