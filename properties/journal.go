package properties

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/properties/draw"
)

// record is a line of a journal: a bundle of seeds under their mechanisms. The lines are in the
// order of the seeds, so the file does not depend on the timing of the workers.
type record struct {
	From     uint64   `json:"from"`
	To       uint64   `json:"to"`
	Runs     uint64   `json:"runs"`
	Lanes    uint64   `json:"thread_instructions"`
	Coverage Coverage `json:"coverage"`
	Failures []failed `json:"failures,omitempty"` // only of campaigns that keep going
}

// journalSchema identifies the format of a journal.
const journalSchema = "divergo.check.journal.v2"

// resume opens the journal and adds its records to the report.
func (c *campaign) resume() (err error) {
	header := map[string]any{
		"schema": journalSchema, "mechanisms": c.Mechanisms, "each_kernel_under": c.report.Each,
		"features": c.Features.String(), "first_seed": c.Seed,
	}
	if c.Shard.N > 1 {
		header["shard"] = c.Shard.String()
	}
	c.journal, err = output.OpenJournal(c.Journal, header)
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
		c.next = c.mine(d.To)
		for _, f := range d.Failures {
			if c.count(f, nil); !c.KeepGoing {
				c.end = min(c.end, f.Seed)
			}
		}
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
		c.written = c.mine(d.To)
		if err := c.journal.Add(d); err != nil {
			c.err = errors.Join(c.err, err)
			return
		}
	}
}

// Merge joins the journals of the shards of a campaign in a new file. Its bytes are those of a journal
// of the campaign as a whole. It returns the options that go on with it. An error names missing or
// doubled seeds; then there is no file.
func Merge(names []string, to string) (Options, error) {
	type header struct {
		Schema     string   `json:"schema"`
		Mechanisms []string `json:"mechanisms"`
		Each       int      `json:"each_kernel_under"`
		Features   string   `json:"features"`
		First      uint64   `json:"first_seed"`
		Shard      string   `json:"shard,omitempty"`
	}
	type line struct {
		record
		text []byte
		name string
	}
	var all header
	var lines []line
	for i, name := range names {
		first, records, err := output.ReadJournal(name)
		var h header
		if err == nil && (json.Unmarshal(first, &h) != nil || h.Schema != journalSchema) {
			err = fmt.Errorf("%s: is no journal of a check", name)
		}
		h.Shard = ""
		alike := slices.Equal(h.Mechanisms, all.Mechanisms) && h.Each == all.Each && h.Features == all.Features &&
			h.First == all.First
		if err == nil && i > 0 && !alike {
			err = fmt.Errorf("%s: is of another campaign than %s: want the same mechanisms, features and first seed", name, names[0])
		}
		if err != nil {
			return Options{}, fmt.Errorf("journal %w", err)
		}
		all = h
		for n, text := range records {
			l := line{text: text, name: printable.Name(name)}
			if err := json.Unmarshal(text, &l.record); err != nil || l.To <= l.From {
				return Options{}, fmt.Errorf("journal %s: line %d is no bundle of seeds", l.name, n+2)
			}
			lines = append(lines, l)
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.From, b.From) })
	head, err := json.Marshal(map[string]any{
		"schema": all.Schema, "mechanisms": all.Mechanisms, "each_kernel_under": all.Each, "features": all.Features,
		"first_seed": all.First,
	})
	if err != nil {
		return Options{}, err
	}
	b := bytes.NewBuffer(append(head, '\n'))
	next := all.First
	for _, l := range lines {
		switch {
		case l.From > next:
			return Options{}, fmt.Errorf("seeds %d to %d are in no journal: want those of all shards, each at its end", next, l.From-1)
		case l.From < next:
			return Options{}, fmt.Errorf("journal %s: seeds from %d on are in another journal too: want each shard once", l.name, l.From)
		}
		b.Write(append(l.text, '\n'))
		next = l.To
	}
	features, err := draw.ParseFeatures(all.Features)
	if err != nil {
		return Options{}, fmt.Errorf("journal %s: %w", names[0], err)
	}
	there, err := output.Link(to, b.Bytes())
	if there != nil {
		err = fmt.Errorf("%s: exists already, want the name of a new file", to)
	}
	if all.Each < len(all.Mechanisms) { // in turn
		all.Mechanisms = nil
	}
	return Options{
		Mechanisms: all.Mechanisms, Features: features, Seed: all.First, Runs: next - all.First, Journal: to,
		KeepGoing: true,
	}, err
}
