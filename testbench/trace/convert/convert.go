// Package convert shows a trace in other forms: text, CSV, the trace-event JSON of Perfetto, the log of
// Konata, and a commit log. It also compares traces.
package convert

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"divergo/memsys"
	"divergo/testbench/trace"
)

// Select chooses records of a trace. The zero value chooses all.
type Select struct {
	trace.Query
	Warps []Warp       // none: all
	Kinds []trace.Kind // none: all
}

// Warp names a static warp: its CTA in the grid, and its number in the CTA.
type Warp struct {
	CTA  uint64
	Warp uint8
}

// records yields the chosen records of a trace.
func (s *Select) records(r *trace.Reader) iter.Seq2[*trace.Record, error] {
	return func(yield func(*trace.Record, error) bool) {
		for rec, err := range r.Records(s.Query) {
			if err == nil && (len(s.Warps) > 0 && !slices.Contains(s.Warps, Warp{rec.CTA, rec.Warp}) ||
				len(s.Kinds) > 0 && !slices.Contains(s.Kinds, rec.Kind)) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// bitsOf draws the lanes of a record, lane 0 on the left: 1 active, 0 active with a false predicate, .
// inactive.
func bitsOf(mask, off uint64, lanes int) string {
	b := make([]byte, lanes)
	for l := range b {
		switch {
		case mask>>l&1 == 0:
			b[l] = '.'
		case off>>l&1 != 0:
			b[l] = '0'
		default:
			b[l] = '1'
		}
	}
	return string(b)
}

// found names the results of a lookup in the L1.
var found = [...]string{memsys.Hit: "hit", memsys.Merge: "merge", memsys.Miss: "miss", trace.NoLookup: "no lookup"}

// detail describes what a kind of record has of its own.
func detail(r *trace.Record, p *trace.Program, lanes int) string {
	switch r.Kind {
	case trace.Issue, trace.Inserted:
		if r.Mixed {
			return "rows " + rowsOf(r)
		}
	case trace.Branch:
		return fmt.Sprintf("taken %s, not %s", bitsOf(r.Taken&r.Mask, 0, lanes), bitsOf(r.Mask&^r.Taken, 0, lanes))
	case trace.Push, trace.Pop:
		if r.Mask == 0 && r.Number > 0 {
			return fmt.Sprintf("depth %d, %d threads of the CTA", r.Depth, r.Number)
		}
		return fmt.Sprintf("depth %d", r.Depth)
	case trace.Reconverge, trace.Merge:
		return fmt.Sprintf("%s with %s", bitsOf(r.Part, 0, lanes), bitsOf(r.Mask&^r.Part, 0, lanes))
	case trace.Compact:
		return fmt.Sprintf("warp %d of the entry, rows %s", r.Number, rowsOf(r))
	case trace.Spill, trace.Fill:
		return fmt.Sprintf("%d words", r.Number)
	case trace.Arrive:
		return fmt.Sprintf("barrier %d", r.Number)
	case trace.Wait:
		return fmt.Sprintf("%s, cycles %d to %d", r.Reason, r.From, r.Cycle-1)
	case trace.Request:
		return fmt.Sprintf("%s of line %#x", r.Access, r.Line)
	case trace.Reply:
		what := found[int(r.Found)%len(found)]
		if r.Partial {
			what = "in part"
		}
		return fmt.Sprintf("line %#x, %s, after %d cycles", r.Line, what, r.Cycle-r.From)
	case trace.Write:
		return fmt.Sprintf("%s = %s", destination(p, r), valuesOf(r))
	}
	return ""
}

// destination returns the register that a Write is about.
func destination(p *trace.Program, r *trace.Record) string {
	if int(r.PC) < len(p.Insts) && int(r.Number) < len(p.Insts[r.PC].Dst) {
		return p.Insts[r.PC].Dst[r.Number]
	}
	return fmt.Sprintf("destination %d", r.Number)
}

// valuesOf lists the values of a Write by lane, - for an inactive lane.
func valuesOf(r *trace.Record) string {
	var list []string
	for l, v := range r.Values {
		if r.Mask>>l&1 == 0 {
			list = append(list, "-")
		} else {
			list = append(list, fmt.Sprintf("%#x", v))
		}
	}
	return strings.Join(list, " ")
}

// rowsOf lists the rows of a record's threads, in ascending order.
func rowsOf(r *trace.Record) string {
	rows := uint64(0)
	for m := r.Mask; m != 0; m &= m - 1 {
		rows |= 1 << (r.Home(bits.TrailingZeros64(m)).Row & 63)
	}
	var list []string
	for ; rows != 0; rows &= rows - 1 {
		list = append(list, fmt.Sprint(bits.TrailingZeros64(rows)))
	}
	return strings.Join(list, " ")
}

// column is a column of Print.
type column struct {
	name, doc string
	width     int
	show      func(r *trace.Record, p *trace.Program, lanes int) string
}

// columns are all columns of Print.
var columns = []column{
	{"cycle", "core cycle", 8, func(r *trace.Record, _ *trace.Program, _ int) string { return fmt.Sprint(r.Cycle) }},
	{"sm", "number of the SM", 2, func(r *trace.Record, _ *trace.Program, _ int) string { return fmt.Sprint(r.SM) }},
	{"slot", "slot of the SM", 4, func(r *trace.Record, _ *trace.Program, _ int) string { return fmt.Sprint(r.Slot) }},
	{"warp", "CTA in the grid, and static warp in the CTA", 6, func(r *trace.Record, _ *trace.Program, _ int) string {
		return fmt.Sprintf("%d.%d", r.CTA, r.Warp)
	}},
	{"row", "row of the register file", 3, func(r *trace.Record, _ *trace.Program, _ int) string { return fmt.Sprint(r.Row) }},
	{"kind", "kind of the record", 10, func(r *trace.Record, _ *trace.Program, _ int) string { return r.Kind.String() }},
	{"pc", "index of the instruction", 4, func(r *trace.Record, _ *trace.Program, _ int) string {
		if r.PC == trace.NoPC {
			return "-"
		}
		return fmt.Sprint(r.PC)
	}},
	{
		"mask", "lanes, lane 0 on the left: 1 active, 0 active with a false predicate, . inactive", 0,
		func(r *trace.Record, _ *trace.Program, lanes int) string { return bitsOf(r.Mask, r.Off, lanes) },
	},
	{"lanes", "number of active lanes", 5, func(r *trace.Record, _ *trace.Program, _ int) string { return fmt.Sprint(r.Lanes()) }},
	{"detail", "what a kind of record has of its own", 0, detail},
	{"inst", "PTX of the instruction", 32, func(r *trace.Record, p *trace.Program, _ int) string { return p.Text(r.PC) }},
	{"where", "source file and line", 16, func(r *trace.Record, p *trace.Program, _ int) string { return p.Where(r.PC) }},
	{"source", "source line", 0, func(r *trace.Record, p *trace.Program, _ int) string { return strings.TrimSpace(p.Source(r.PC)) }},
}

// Columns lists the names of the columns of Print.
func Columns() (names []string) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// ColumnDoc returns the meaning of a column.
func ColumnDoc(name string) string {
	for _, c := range columns {
		if c.name == name {
			return c.doc
		}
	}
	return ""
}

// DefaultColumns are those of Print without a choice.
var DefaultColumns = []string{"cycle", "sm", "slot", "warp", "kind", "pc", "mask", "inst", "where", "source", "detail"}

// Print writes one line for each record, with the given columns, which must be names of Columns.
func Print(to io.Writer, r *trace.Reader, s Select, names []string) error {
	var chosen []column
	for _, n := range names {
		i := slices.IndexFunc(columns, func(c column) bool { return c.name == n })
		chosen = append(chosen, columns[i])
	}
	b := bufio.NewWriter(to)
	line := func(cell func(c *column) string) {
		var text strings.Builder
		for i := range chosen {
			c := &chosen[i]
			width := c.width
			if c.name == "mask" {
				width = max(r.Header.Lanes, 4)
			}
			fmt.Fprintf(&text, "%-*s  ", width, cell(c))
		}
		fmt.Fprintln(b, strings.TrimRight(text.String(), " "))
	}
	line(func(c *column) string { return c.name })
	for rec, err := range s.records(r) {
		if err != nil {
			return err
		}
		p := r.ProgramAt(rec.Cycle)
		line(func(c *column) string { return c.show(rec, p, r.Header.Lanes) })
	}
	return b.Flush()
}
