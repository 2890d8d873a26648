package convert

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"divergo/testbench/trace"
)

// event is an event of the Trace Event Format (Google, "Trace Event Format", the JSON of chrome://tracing
// and Perfetto).
type event struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	Time  uint64         `json:"ts"`
	Dur   uint64         `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// Perfetto writes a trace as trace-event JSON. An SM is a process and a slot a thread, both counted
// from 1, since 0 has a meaning of its own. A cycle is a microsecond, because the format knows no
// cycles. Instructions and waits are slices, other records are instants.
func Perfetto(to io.Writer, r *trace.Reader, s Select) error {
	b := bufio.NewWriter(to)
	name, err := json.Marshal(r.Header.Name + ", " + r.Header.Mechanism)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"run\":%s,\"unit\":\"1 us is 1 core cycle\"},\"traceEvents\":[\n",
		name)
	first := true
	put := func(e *event) error {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if !first {
			b.WriteString(",\n")
		}
		first = false
		_, err = b.Write(text)
		return err
	}
	type place struct{ sm, slot uint16 }
	named, machines := map[place]bool{}, map[uint16]bool{}
	for rec, err := range s.records(r) {
		if err != nil {
			return err
		}
		pid, tid := int(rec.SM)+1, int(rec.Slot)+1
		if !machines[rec.SM] {
			machines[rec.SM] = true
			if err := put(&event{
				Name: "process_name", Phase: "M", PID: pid, Args: map[string]any{"name": fmt.Sprintf("SM %d", rec.SM)},
			}); err != nil {
				return err
			}
		}
		if at := (place{rec.SM, rec.Slot}); !named[at] {
			named[at] = true
			if err := put(&event{
				Name: "thread_name", Phase: "M", PID: pid, TID: tid,
				Args: map[string]any{"name": fmt.Sprintf("slot %d", rec.Slot)},
			}); err != nil {
				return err
			}
		}
		if err := put(eventOf(rec, r.ProgramAt(rec.Cycle), r.Header.Lanes, pid, tid)); err != nil {
			return err
		}
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}

// eventOf returns the event of a record.
func eventOf(rec *trace.Record, p *trace.Program, lanes, pid, tid int) *event {
	e := &event{
		Name: rec.Kind.String(), Cat: rec.Kind.String(), Phase: "i", Scope: "t", Time: rec.Cycle, PID: pid, TID: tid,
		Args: map[string]any{
			"mask": bitsOf(rec.Mask, rec.Off, lanes), "lanes": rec.Lanes(), "warp": fmt.Sprintf("%d.%d", rec.CTA, rec.Warp),
		},
	}
	if text := p.Text(rec.PC); text != "" {
		e.Args["pc"], e.Args["inst"] = rec.PC, text
	}
	if where := p.Where(rec.PC); where != "" {
		e.Args["where"] = where
	}
	if text := detail(rec, p, lanes); text != "" {
		e.Args["detail"] = text
	}
	switch rec.Kind {
	case trace.Issue, trace.Inserted:
		e.Name, e.Phase, e.Scope, e.Dur = p.Text(rec.PC), "X", "", 1
	case trace.Wait:
		e.Name, e.Phase, e.Scope, e.Time, e.Dur = "wait: "+rec.Reason.String(), "X", "", rec.From, rec.Cycle-rec.From
	}
	return e
}
