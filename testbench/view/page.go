package view

import (
	"bytes"
	"compress/flate"
	_ "embed" // the files of the page
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"divergo/internal/webpage"
	"divergo/testbench/trace"
)

// Page is what a page shows.
type Page struct {
	Title  string
	Traces []*trace.Reader // one to MaxTraces, one below the other
	// At is where the page opens, in the first trace. Nil: at the first divergence whose lanes soon join
	// again.
	At *Place
}

// MaxTraces is the number of traces that fit on a page.
const MaxTraces = 4

// Place is a place of a run.
type Place struct {
	Cycle uint64
	// Thread is marked on the page; nil: no thread is.
	Thread *Thread
	Note   string // what is to be seen there
}

// Thread is a thread: the linear number of its CTA, and its own in the CTA.
type Thread struct {
	CTA   uint64
	Index int
}

// ErrEmpty is the error of a trace without an issued instruction.
var ErrEmpty = errors.New("no issued instruction, want at least one to show")

// ErrWide is the error of a trace whose warps have more lanes than the page can show.
var ErrWide = fmt.Errorf("warps of more than %d lanes, which the page does not show", maxLanes)

// maxLanes is the number of lanes of a warp that the page has room for: a mask is a number of 32 bits.
const maxLanes = 32

// maxRecords limits the records that a page holds, of all traces together.
const maxRecords = 3_000_000

// head describes the page, for its script.
type head struct {
	Title  string
	At     *Place
	Open   int // the SM that is shown first
	Files  []trace.Source
	Traces []traced
}

// traced describes a trace.
type traced struct {
	Name, Mechanism, Preset, Outcome string
	Lanes, SMs, Warps, Slots         int
	Cycles, Issues, Width            uint64
	Span                             uint64 // cycles of the clock, with those between launches
	open                             int    // the SM where the page opens
	Programs                         []program
	Launches                         []trace.Launch
	Parts                            []part   // by SM
	Mixed                            bool     // slots hold threads of several warps
	Full                             []uint64 // by SM: times that threads of several warps fill a warp
	Starts                           []uint64 // SM, row, CTA, warp of the CTA, and cycle of each static warp
}

// program is a program, with an entry of each list for each instruction.
type program struct {
	Name string
	File string
	Text []string
	PTX  []int // lines
	Of   []int // index of the source file
	Line []int
	// Counts has ten numbers for each instruction: issues, lanes, splits, and cycles of waiting by reason.
	Counts []uint64
}

// part is what the page holds of an SM: the records of a window, and sums if that is not the whole run.
type part struct {
	From, To uint64
	Sums     bool
}

// WriteTo writes the page. The same traces give the same bytes.
func (p *Page) WriteTo(to io.Writer) (int64, error) {
	if n := len(p.Traces); n < 1 || n > MaxTraces {
		return 0, fmt.Errorf("%d traces, want 1 to %d", n, MaxTraces)
	}
	h := head{Title: p.Title, At: p.At}
	var blobs []blob
	for i, r := range p.Traces {
		t, list, err := p.trace(i, r, &h)
		if err != nil {
			return 0, fmt.Errorf("trace %d: %w", i+1, err)
		}
		if i == 0 {
			h.Open = t.open
		}
		h.Traces = append(h.Traces, *t)
		blobs = append(blobs, list...)
	}
	text, err := json.Marshal(&h)
	if err != nil {
		return 0, err
	}
	blobs = append([]blob{{"head", text}}, blobs...)
	return page.Write(to, p.Title, func(w io.Writer) {
		for i := range blobs {
			blobs[i].write(w)
		}
	})
}

// blob is data of the page.
type blob struct {
	id    string
	bytes []byte
}

// trace returns the description and the blobs of a trace. It adds its source files to the head.
func (p *Page) trace(number int, r *trace.Reader, to *head) (*traced, []blob, error) {
	if r.Header.Lanes > maxLanes {
		return nil, nil, ErrWide
	}
	s, err := take(r)
	if err != nil {
		return nil, nil, err
	}
	if s.issues == 0 {
		return nil, nil, ErrEmpty
	}
	h := &r.Header
	t := &traced{
		Name: h.Name, Mechanism: h.Mechanism, Preset: h.Preset, Outcome: "cut short", Lanes: h.Lanes, SMs: h.SMs,
		Warps: h.Warps, Slots: h.Slots, Cycles: s.cycles, Span: s.cycles, Issues: s.issues, Width: s.width,
		Launches: r.Launches, Mixed: s.mixed, Full: s.full,
	}
	if r.Summary != nil {
		t.Outcome, t.Cycles = r.Summary.Outcome, r.Summary.Cycles
	}
	for i := range r.Programs {
		t.Programs = append(t.Programs, to.program(&r.Programs[i], s.lines[i]))
	}
	for _, x := range s.starts {
		t.Starts = append(t.Starts, uint64(x.SM), uint64(x.Row), x.CTA, uint64(x.Warp), x.Cycle)
	}
	at, sm := window{}, 0
	if s.split != nil {
		at, sm = window{from: s.split.Cycle}, int(s.split.SM)
	}
	if p.At != nil {
		at.from = p.At.Cycle
		if of := p.At.Thread; of != nil {
			sm = s.home(of, h.Lanes, sm)
		}
	}
	t.open = sm
	windows := s.windows(at, sm, maxRecords/uint64(len(p.Traces)))
	details, all := make([]detail, len(windows)), make([]*sums, len(windows))
	for i, w := range windows {
		details[i].window = w
		if whole := w.from == 0 && w.to >= s.cycles; !whole {
			all[i] = &sums{}
		}
		t.Parts = append(t.Parts, part{w.from, w.to, all[i] != nil})
	}
	for rec, err := range r.Records(trace.Query{}) {
		if err != nil {
			return nil, nil, err
		}
		details[rec.SM].add(rec)
		if all[rec.SM] != nil {
			all[rec.SM].add(rec, s.width)
		}
	}
	var blobs []blob
	for i := range details {
		blobs = append(blobs, blob{fmt.Sprintf("detail-%d-%d", number, i), details[i].bytes()})
		if all[i] != nil {
			blobs = append(blobs, blob{fmt.Sprintf("sums-%d-%d", number, i), all[i].bytes()})
		}
	}
	return t, blobs, nil
}

// home returns the SM of a thread, or the given one if the trace does not have it.
func (s *survey) home(of *Thread, lanes, otherwise int) int {
	for _, x := range s.starts {
		if x.CTA == of.CTA && int(x.Warp) == of.Index/max(lanes, 1) {
			return int(x.SM)
		}
	}
	return otherwise
}

// program describes a program, and adds its source files.
func (h *head) program(p *trace.Program, lines []Counts) program {
	name := p.Plain
	if name == "" {
		name = p.Name
	}
	to := program{Name: name, File: p.File}
	for i := range p.Insts {
		in, c := &p.Insts[i], &lines[i]
		to.Text, to.PTX = append(to.Text, in.Text), append(to.PTX, in.PTX)
		to.Of, to.Line = append(to.Of, h.file(p, in.File)), append(to.Line, in.Line)
		to.Counts = append(append(to.Counts, c.Issued, c.Lanes, c.Splits), c.Waiting[:]...)
	}
	return to
}

// file returns the index of a source file of a program.
func (h *head) file(p *trace.Program, name string) int {
	for i := range h.Files {
		if h.Files[i].Name == name {
			return i
		}
	}
	of := trace.Source{Name: name}
	for i := range p.Sources {
		if p.Sources[i].Name == name {
			of = p.Sources[i]
		}
	}
	h.Files = append(h.Files, of)
	return len(h.Files) - 1
}

// The files of the page.
var (
	//go:embed page/page.html
	layout string
	//go:embed page/page.css
	style string
	//go:embed page/data.js
	dataScript string
	//go:embed page/draw.js
	drawScript string
	//go:embed page/source.js
	sourceScript string
	//go:embed page/main.js
	mainScript string
)

// page is the page without its data.
var page = webpage.Page{
	Layout: layout, Style: style,
	Script: "\n\"use strict\";\n" + dataScript + drawScript + sourceScript + mainScript,
}

// write writes a blob as an element of the page.
func (b *blob) write(w io.Writer) {
	var packed bytes.Buffer
	zip, _ := flate.NewWriter(&packed, flate.BestCompression) // the level is valid
	zip.Write(b.bytes)                                        // a buffer takes everything
	zip.Close()
	fmt.Fprintf(w, "<script type=\"text/plain\" id=\"%s\">%s</script>\n", b.id,
		base64.StdEncoding.EncodeToString(packed.Bytes()))
}
