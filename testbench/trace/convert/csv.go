package convert

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"divergo/testbench/trace"
)

// CSVColumns is the first line of CSV.
var CSVColumns = []string{
	"kind", "cycle", "from", "sm", "slot", "cta", "warp", "row", "pc", "mask", "off", "taken", "part", "depth", "number",
	"reason", "access", "found", "line", "homes", "inst", "where",
}

// CSV writes a line for each record. Fields that a kind does not have are empty. Masks are hexadecimal.
// homes lists ROW.LANE of each active lane of a regrouped warp.
func CSV(to io.Writer, r *trace.Reader, s Select) error {
	w := csv.NewWriter(to)
	if err := w.Write(CSVColumns); err != nil {
		return err
	}
	for rec, err := range s.records(r) {
		if err != nil {
			return err
		}
		p := r.ProgramAt(rec.Cycle)
		row := map[string]string{
			"kind": rec.Kind.String(), "cycle": fmt.Sprint(rec.Cycle), "sm": fmt.Sprint(rec.SM),
			"slot": fmt.Sprint(rec.Slot), "cta": fmt.Sprint(rec.CTA), "warp": fmt.Sprint(rec.Warp),
			"row": fmt.Sprint(rec.Row), "mask": hex(rec.Mask), "inst": p.Text(rec.PC), "where": p.Where(rec.PC),
		}
		if rec.PC != trace.NoPC {
			row["pc"] = fmt.Sprint(rec.PC)
		}
		switch rec.Kind {
		case trace.Issue, trace.Inserted:
			row["off"] = hex(rec.Off)
		case trace.Branch:
			row["taken"] = hex(rec.Taken)
		case trace.Push, trace.Pop:
			row["depth"], row["number"] = fmt.Sprint(rec.Depth), fmt.Sprint(rec.Number)
		case trace.Reconverge, trace.Merge:
			row["part"] = hex(rec.Part)
		case trace.Compact, trace.Spill, trace.Fill, trace.Arrive, trace.Write:
			row["number"] = fmt.Sprint(rec.Number)
		case trace.Wait:
			row["reason"], row["from"] = rec.Reason.String(), fmt.Sprint(rec.From)
		case trace.Reply:
			row["from"], row["found"] = fmt.Sprint(rec.From), found[int(rec.Found)%len(found)]
			fallthrough
		case trace.Request:
			row["access"], row["line"] = rec.Access.String(), fmt.Sprintf("%#x", rec.Line)
		}
		if rec.Mixed {
			var homes []string
			for m := rec.Mask; m != 0; m &= m - 1 {
				h := rec.Home(bits.TrailingZeros64(m))
				homes = append(homes, fmt.Sprintf("%d.%d", h.Row, h.Lane))
			}
			row["homes"] = strings.Join(homes, " ")
		}
		list := make([]string, len(CSVColumns))
		for i, name := range CSVColumns {
			list[i] = row[name]
		}
		if err := w.Write(list); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func hex(mask uint64) string { return fmt.Sprintf("%#x", mask) }
