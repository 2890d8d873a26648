package properties

import (
	"bytes"
	"errors"
	"path/filepath"

	"divergo/internal/output"
	"divergo/testbench/trace"
	"divergo/testbench/view"
)

// timelineFile is the page of a counterexample that shows the run over time.
const timelineFile = "timeline.html"

// timeline runs the case again, up to a few cycles after the failure, and writes its page. The page
// opens at the failing cycle. It marks the first of the threads concerned.
func (f *Failure) timeline(folder string, x *seen, stop func() bool) error {
	s, err := f.session(maxCycles)
	if err != nil {
		return err
	}
	s.Limits.Stop = func() bool {
		return s.Machine.Core().Now() > x.cycle+waveBehind || stop != nil && stop()
	}
	h := trace.HeaderOf(s.Machine)
	h.Name = filepath.Base(folder)
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, h)
	if err != nil {
		return err
	}
	recorder := trace.Attach(s, w, nil)
	f.again(s) // fails again: the trace shows how
	if stop != nil && stop() {
		return errStopped
	}
	if err := recorder.Close(); err != nil {
		return err
	}
	r, err := trace.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		return err
	}
	at := &view.Place{Cycle: x.cycle, Note: f.Mechanism + ": " + f.What}
	if len(x.trails) > 0 {
		of := x.trails[0].Thread
		at.Thread = &view.Thread{CTA: linear(of.CTA, f.Case.Grid), Index: int(linear(of.Thread, f.Case.Block))}
	}
	page := view.Page{Title: h.Name, Traces: []*trace.Reader{r}, At: at}
	to, err := output.Create(filepath.Join(folder, timelineFile))
	if err != nil {
		return err
	}
	defer to.Discard()
	if _, err := page.WriteTo(to); errors.Is(err, view.ErrEmpty) || errors.Is(err, view.ErrWide) {
		return nil
	} else if err != nil {
		return err
	}
	x.timeline = true
	return to.Keep()
}

// linear returns the linear number of a position in a grid or a CTA of a size.
func linear(at, size [3]uint32) uint64 {
	return uint64(at[0]) + uint64(size[0])*(uint64(at[1])+uint64(size[1])*uint64(at[2]))
}
