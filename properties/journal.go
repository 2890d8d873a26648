package properties

import (
	"encoding/json"
	"errors"
	"fmt"

	"divergo/internal/output"
)

// record is a line of a journal: a bundle of seeds under every mechanism. The lines are in the
// order of the seeds, so the file does not depend on the timing of the workers.
type record struct {
	From     uint64   `json:"from"`
	To       uint64   `json:"to"`
	Runs     uint64   `json:"runs"`
	Lanes    uint64   `json:"thread_instructions"`
	Coverage Coverage `json:"coverage"`
}

// journalSchema identifies the format of a journal.
const journalSchema = "divergo.check.journal.v1"

// resume opens the journal and adds its records to the report.
func (c *campaign) resume() (err error) {
	c.journal, err = output.OpenJournal(c.Journal, map[string]any{
		"schema": journalSchema, "mechanisms": c.Mechanisms, "features": c.Features.String(), "first_seed": c.Seed,
	})
	if err != nil {
		return err
	}
	c.done = map[uint64]record{}
	r := &c.report
	for i, line := range c.journal.Records {
		var d record
		if err := json.Unmarshal(line, &d); err != nil || d.From != c.next || d.To <= d.From {
			return errors.Join(fmt.Errorf("%s: line %d does not go on where the one before ends", c.Journal, i+2),
				c.journal.Close())
		}
		r.Cases += d.To - d.From
		r.Runs += d.Runs
		r.Lanes += d.Lanes
		r.Coverage[0].add(&d.Coverage)
		r.checked(Span{d.From, d.To})
		c.next = d.To
	}
	r.Before, c.written = r.Runs, c.next
	return nil
}

// write appends finished bundles to the journal, up to the first unfinished one.
func (c *campaign) write() {
	for {
		d, ok := c.done[c.written]
		if !ok {
			return
		}
		delete(c.done, d.From)
		c.written = d.To
		if err := c.journal.Add(d); err != nil {
			c.err = errors.Join(c.err, err)
			return
		}
	}
}
