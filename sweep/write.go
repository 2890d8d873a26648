package sweep

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
)

// Formats lists the formats of Write.
var Formats = []string{"csv", "jsonl", "parquet"}

// Missing is the outcome that Write gives a point without a result.
const Missing = "missing"

// columnKind is the type of a column.
type columnKind uint8

const (
	textColumn columnKind = iota
	wholeColumn
	fractionColumn
	truthColumn
)

// column is a column of a collection.
type column struct {
	name string
	kind columnKind
	axis int  // in Plan.Axes; -1 for the others
	stat bool // a statistic; the others are parts of Result
}

// Write writes a table of all points of a plan: axes, outcome and statistics, in plan order. The
// same results give the same bytes. columns selects statistics: names of the catalogue, or of
// elements such as cycle_breakdown.Stall; nil selects all, of which elements that are 0 in all
// points are left out. Write returns the number of points without a result.
func Write(w io.Writer, format string, p *Plan, s *Store, columns []string) (missing int, err error) {
	write, ok := map[string]func(io.Writer, []column) (tableWriter, error){
		"csv": newCSV, "jsonl": newJSONL, "parquet": newParquet,
	}[format]
	if !ok {
		return 0, nearest.Unknown("format", format, Formats)
	}
	list, err := p.columns(s, columns)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	t, err := write(out, list)
	if err != nil {
		return 0, err
	}
	cells := make([]any, len(list))
	for row, err := range Collect(p, s) {
		if err != nil {
			return 0, err
		}
		if row.Result == nil {
			missing++
		}
		row.fill(list, cells)
		if err := t.row(cells); err != nil {
			return 0, err
		}
	}
	if err := t.close(); err != nil {
		return 0, err
	}
	return missing, out.Flush()
}

// tableWriter writes a table. Cells are string, bool, int64, uint64 or float64; nil is no value.
type tableWriter interface {
	row(cells []any) error
	close() error
}

// fill stores the values of a row in cells.
func (r *Row) fill(list []column, cells []any) {
	stats, at := []Stat(nil), 0
	if r.Result != nil {
		stats = r.Result.Stats
	}
	for i := range list {
		c := &list[i]
		switch {
		case c.axis >= 0:
			cells[i] = r.Values[c.axis]
		case c.name == "outcome" && r.Result == nil:
			cells[i] = Missing
		case r.Result == nil:
			cells[i] = nil
		case !c.stat:
			cells[i] = map[string]string{
				"outcome": r.Result.Outcome, "message": r.Result.Message, "limited_by": r.Result.LimitedBy,
			}[c.name]
		default: // both lists are mostly in the same order
			for n := range len(stats) {
				if k := (at + n) % len(stats); stats[k].Name == c.name {
					cells[i], at = stats[k].Value, k+1
					break
				} else if n == len(stats)-1 {
					cells[i] = c.zero()
				}
			}
			if len(stats) == 0 {
				cells[i] = c.zero()
			}
		}
	}
}

// zero is the value of an element that a result leaves out.
func (c *column) zero() any {
	if c.kind == wholeColumn {
		return uint64(0)
	}
	return 0.0
}

// parts lists the columns of a result besides its statistics.
var parts = []string{"outcome", "message", "limited_by"}

// columns lists the columns of a table.
func (p *Plan) columns(s *Store, given []string) ([]column, error) {
	var list []column
	for i, a := range p.Axes {
		c := column{name: a.Name, axis: i}
		switch a.Values[0].(type) {
		case int64:
			c.kind = wholeColumn
		case bool:
			c.kind = truthColumn
		}
		if slices.ContainsFunc(a.Values, func(v any) bool { return kind(v) != kind(a.Values[0]) }) {
			c.kind = textColumn // a key takes a number in quotes, too
		}
		list = append(list, c)
	}
	for _, name := range parts {
		if given == nil || name == "outcome" || slices.Contains(given, name) {
			list = append(list, column{name: name, axis: -1})
		}
	}
	families, names, err := p.chosen(given)
	if err != nil {
		return nil, err
	}
	if len(families) > 0 {
		found, err := p.elements(s, families)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.SortFunc(names, compareStats)
	integers, _ := whole()
	for _, name := range slices.Compact(names) {
		c := column{name: name, axis: -1, stat: true, kind: fractionColumn}
		if statistic, _ := stem(name); integers[statistic] {
			c.kind = wholeColumn
		}
		list = append(list, c)
	}
	return list, nil
}

// chosen divides the given columns into statistics that have elements, and names of columns.
func (p *Plan) chosen(given []string) (families map[string]bool, names []string, err error) {
	_, order := whole()
	families = map[string]bool{}
	all := slices.Concat(sortedKeys(order), parts)
	if given == nil {
		given = sortedKeys(order)
	}
	for _, name := range given {
		statistic, element := stem(name)
		switch _, ok := order[statistic]; {
		case slices.Contains(parts, name):
		case !ok:
			return nil, nil, nearest.Unknown("statistic", name, all)
		case element == "" && elements()[statistic]:
			families[statistic] = true
		case element != "" && !elements()[statistic]:
			return nil, nil, fmt.Errorf("%s: %s has no elements", name, statistic)
		default:
			names = append(names, name)
		}
	}
	return families, names, nil
}

// elements returns the names of all elements of statistics that the results of a plan have.
func (p *Plan) elements(s *Store, families map[string]bool) ([]string, error) {
	found := map[string]bool{}
	for row, err := range Collect(p, s) {
		if err != nil {
			return nil, err
		}
		if row.Result == nil {
			continue
		}
		for i := range row.Result.Stats {
			found[row.Result.Stats[i].Name] = true
		}
	}
	var names []string
	for name := range found {
		if statistic, element := stem(name); element != "" && families[statistic] {
			names = append(names, name)
		}
	}
	return names, nil
}

// compareStats orders statistics as the catalogue does, elements by number or name.
func compareStats(a, b string) int {
	_, order := whole()
	x, xe := stem(a)
	y, ye := stem(b)
	return cmp.Or(cmp.Compare(order[x], order[y]), cmp.Compare(index(xe), index(ye)), cmp.Compare(xe, ye))
}

// index is the number of an element of a histogram.
func index(element string) int {
	n, _ := strconv.Atoi(strings.Trim(element, "[]"))
	return n
}

// csvTable writes comma-separated values, as RFC 4180 has them.
type csvTable struct {
	w    *csv.Writer
	text []string
}

func newCSV(w io.Writer, list []column) (tableWriter, error) {
	t := &csvTable{csv.NewWriter(w), make([]string, len(list))}
	for i := range list {
		t.text[i] = list[i].name
	}
	return t, t.w.Write(t.text)
}

func (t *csvTable) row(cells []any) error {
	var b []byte
	for i, v := range cells {
		switch v := v.(type) {
		case nil:
			t.text[i] = ""
		case string:
			t.text[i] = v
		case uint64, float64:
			b = appendNumber(b[:0], v)
			t.text[i] = string(b)
		default:
			t.text[i] = text(v)
		}
	}
	return t.w.Write(t.text)
}

func (t *csvTable) close() error {
	t.w.Flush()
	return t.w.Error()
}

// jsonTable writes one object a line, with the columns in order.
type jsonTable struct {
	w     io.Writer
	names [][]byte
	line  []byte
}

func newJSONL(w io.Writer, list []column) (tableWriter, error) {
	t := &jsonTable{w: w}
	for i := range list {
		t.names = append(t.names, jsonText(list[i].name))
	}
	return t, nil
}

func (t *jsonTable) row(cells []any) error {
	b := append(t.line[:0], '{')
	for i, v := range cells {
		if v == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(b, t.names[i]...), ':')
		switch v := v.(type) {
		case string:
			b = append(b, jsonText(v)...)
		case uint64, float64:
			b = appendNumber(b, v)
		default:
			b = append(b, text(v)...)
		}
	}
	t.line = append(b, '}', '\n')
	_, err := t.w.Write(t.line)
	return err
}

func (t *jsonTable) close() error { return nil }

// jsonText returns a text as JSON.
func jsonText(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string has a form in JSON
	}
	return b
}
