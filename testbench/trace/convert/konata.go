package convert

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"divergo/testbench/trace"
)

// op is an instruction of a Konata log.
type op struct {
	id, thread   int
	pc           uint32
	issued, ends uint64
	title, note  string
	waits        []trace.Record // before its issue
}

// stages are the names of the stages in which an instruction waits, by reason.
var stages = [trace.NumReasons]string{
	trace.Control: "Wc", trace.Barrier: "Wb", trace.Join: "Wj", trace.Fetch: "Wf", trace.Memory: "Wm",
	trace.Depend: "Wd", trace.Turn: "Wt",
}

// Konata writes a trace as a log of the pipeline viewer Konata: the Kanata log format, version 0004. An
// instruction begins with the waits of its slot before it: Wf fetch, Wm memory, Wd dependence, Wt turn,
// Wc control, Wb barrier, Wj join. Is is its issue. It ends with its branch outcome or its last
// reply, if there is one. A slot is a thread. All of the log is held in memory, since its events are
// in the order of cycles: select a window of a long trace.
func Konata(to io.Writer, r *trace.Reader, s Select) error {
	type place struct{ sm, slot uint16 }
	type inst struct {
		place
		pc uint32
	}
	var ops []*op
	waits, last := map[place][]trace.Record{}, map[inst]*op{}
	for rec, err := range s.records(r) {
		if err != nil {
			return err
		}
		at := place{rec.SM, rec.Slot}
		switch rec.Kind {
		case trace.Wait:
			waits[at] = append(waits[at], *rec)
		case trace.Issue, trace.Inserted:
			p := r.ProgramAt(rec.Cycle)
			o := &op{
				thread: int(rec.SM)*r.Header.Slots + int(rec.Slot), pc: rec.PC, issued: rec.Cycle, ends: rec.Cycle + 1,
				title: fmt.Sprintf("%d: %s", rec.PC, p.Text(rec.PC)),
				note: fmt.Sprintf("SM %d, slot %d, warp %d.%d, lanes %s, %s", rec.SM, rec.Slot, rec.CTA, rec.Warp,
					bitsOf(rec.Mask, rec.Off, r.Header.Lanes), p.Where(rec.PC)),
				waits: waits[at],
			}
			delete(waits, at)
			ops, last[inst{at, rec.PC}] = append(ops, o), o
		case trace.Branch, trace.Reply:
			if o := last[inst{at, rec.PC}]; o != nil {
				o.ends = max(o.ends, rec.Cycle+1)
			}
		}
	}
	return kanata(to, ops)
}

// kanata writes a log.
func kanata(to io.Writer, ops []*op) error {
	type line struct {
		cycle uint64
		order int // of the lines of a cycle: ends come first
		text  string
	}
	var lines []line
	put := func(cycle uint64, order int, format string, args ...any) {
		lines = append(lines, line{cycle, order, fmt.Sprintf(format, args...)})
	}
	begins := func(o *op) uint64 {
		if len(o.waits) > 0 {
			return o.waits[0].From
		}
		return o.issued
	}
	slices.SortStableFunc(ops, func(a, b *op) int { return int(int64(begins(a)) - int64(begins(b))) })
	for id, o := range ops {
		at := begins(o)
		put(at, 1, "I\t%d\t%d\t%d", id, id, o.thread)
		put(at, 1, "L\t%d\t0\t%s", id, o.title)
		put(at, 1, "L\t%d\t1\t%s", id, o.note)
		for _, w := range o.waits {
			put(w.From, 1, "S\t%d\t0\t%s", id, stages[w.Reason%trace.NumReasons])
		}
		put(o.issued, 1, "S\t%d\t0\tIs", id)
		if o.ends > o.issued+1 {
			put(o.issued+1, 1, "S\t%d\t0\tEx", id)
		}
		put(o.ends, 0, "R\t%d\t%d\t0", id, id)
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		if a.cycle != b.cycle {
			return int(int64(a.cycle) - int64(b.cycle))
		}
		return a.order - b.order
	})
	b := bufio.NewWriter(to)
	fmt.Fprintln(b, "Kanata\t0004")
	for i, l := range lines {
		switch {
		case i == 0:
			fmt.Fprintf(b, "C=\t%d\n", l.cycle)
		case l.cycle > lines[i-1].cycle:
			fmt.Fprintf(b, "C\t%d\n", l.cycle-lines[i-1].cycle)
		}
		fmt.Fprintln(b, l.text)
	}
	return b.Flush()
}
