package profile

import (
	_ "embed" // the files of the page
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"divergo/internal/webpage"
	"divergo/memsys"
	"divergo/sm"
)

// Colors are the colours of an SM's cycles. Issued warps are shades of blue, darker with more
// lanes; each reason not to issue has a colour of its own.
var Colors = [sm.NumClasses]string{
	sm.IdleSync: "#e7298a", sm.IdleBarrier: "#762a83", sm.IdleBranch: "#1a9850", sm.IdleFetch: "#a6d96a",
	sm.IdleDepend: "#fdd49e",
	sm.ClassMem:   "#d7301f", sm.ClassStall: "#636363",
	sm.ClassIssue: "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b",
}

// onDark are the colours on a dark page: issued warps are lighter with more lanes.
var onDark = func() [sm.NumClasses]string {
	list := Colors
	slices.Reverse(list[sm.ClassIssue:])
	list[sm.IdleBarrier], list[sm.ClassStall] = "#b57edc", "#9a9a9a"
	return list
}()

// Page writes the report as a page of annotated source, in one file, which needs neither a server nor a
// network.
//
// Its header has the machine, the totals of each run and the ten hottest lines. Below are the lines of
// each file with code of a kernel. Each run has one column, of a metric that is chosen on the page.
// Files without their source are shown if the reader asks for them.
func (r *Report) Page(w io.Writer) error {
	text, err := json.Marshal(r.page()) // escapes the characters that HTML gives a meaning
	if err != nil {
		return err
	}
	_, err = page.Write(w, r.Title, func(w io.Writer) {
		fmt.Fprintf(w, "<script type=\"application/json\" id=\"data\">%s</script>\n", text)
	})
	return err
}

// pageData is the data of the page.
type pageData struct {
	Machine string
	Bar     string // colour of a bar of one part
	Classes []pageClass
	Runs    []pageRun
	Kernels []pageKernel
}

// pageClass is a class of cycles.
type pageClass struct {
	Name, Color, Dark string
	Issue             bool `json:",omitempty"`
}

// pageRun is a run on the page.
type pageRun struct {
	Name   string
	Lanes  int // of a warp
	Cycles uint64
	Total  pageCell
}

// pageKernel is a kernel on the page.
type pageKernel struct {
	Name     string
	Launches int
	Files    []pageFile
	Totals   []pageCell // by run
}

// pageFile is the part of a source that belongs to a kernel.
type pageFile struct {
	Name string
	Own  bool // its source is shown: it is the user's
	Rows []pageRow
}

// pageRow is a line on the page.
type pageRow struct {
	Number int32
	Text   string     `json:",omitempty"`
	Cells  []pageCell `json:",omitempty"` // by run; none if the line has no counts
	Insts  []pageInst `json:",omitempty"`
}

// pageInst is an instruction on the page.
type pageInst struct {
	PC    uint32
	Text  string
	Cells []pageCell
}

// pageCell holds the counts of a line in a run. Cycles has pairs of an index of pageData.Classes and a
// number, Active pairs of a number of lanes and one of warp instructions.
type pageCell struct {
	Issued, Lanes, Branches, Divergent, Lines, Misses uint64      `json:",omitempty"`
	Cycles, Active                                    [][2]uint64 `json:",omitempty"`
}

// drawn are the classes in the order in which a bar has them: issued warps from the fullest on, then
// the reasons not to issue.
var drawn = func() (list []sm.Class) {
	for class := sm.NumClasses - 1; class >= sm.ClassIssue; class-- {
		list = append(list, class)
	}
	return append(list, classes...)
}()

// page returns the data of the page.
func (r *Report) page() *pageData {
	p := &pageData{Machine: r.Machine, Bar: Colors[sm.NumClasses-3]}
	lanes := 0
	for i := range r.Runs {
		run := &r.Runs[i]
		lanes = max(lanes, run.WarpSize)
		var total Counts
		for k := range run.Kernels {
			total.Add(&run.Kernels[k].Total)
		}
		p.Runs = append(p.Runs, pageRun{run.Name, run.WarpSize, run.Cycles, cell(&total)})
	}
	for _, class := range drawn {
		p.Classes = append(p.Classes, pageClass{
			Name: class.Name(lanes), Color: Colors[class], Dark: onDark[class], Issue: class >= sm.ClassIssue,
		})
	}
	for _, of := range r.parts() {
		p.Kernels = append(p.Kernels, r.kernel(of))
	}
	return p
}

// kernel returns a kernel. Its sources are those that are found, except for a PTX that names others. If
// none is found, each file counts as the user's.
func (r *Report) kernel(p *part) pageKernel {
	k := pageKernel{Name: p.name()}
	for i := range r.Runs {
		k.Launches = max(k.Launches, p.launches(i))
		k.Totals = append(k.Totals, cell(p.total(i)))
	}
	for at := 0; at < len(p.lines); {
		end := at
		for end < len(p.lines) && p.lines[end].file == p.lines[at].file {
			end++
		}
		k.Files = append(k.Files, r.file(p, p.lines[at:end]))
		at = end
	}
	own := func(f pageFile) bool { return f.Own && f.Name != p.prog.File }
	if slices.ContainsFunc(k.Files, own) {
		for i := range k.Files {
			k.Files[i].Own = own(k.Files[i])
		}
	} else {
		for i := range k.Files {
			k.Files[i].Own = true
		}
	}
	return k
}

// around is the number of lines that are shown before and after those with counts.
const around = 3

// file returns the lines of a file of a kernel.
func (r *Report) file(p *part, lines []row) pageFile {
	name, next := lines[0].file, int32(0)
	f := pageFile{Name: name}
	var source []string
	if name == "" {
		f.Name = "no instruction: CTAs begin, or moves of a stack"
	} else if r.Source != nil {
		source = r.Source(name)
	}
	f.Own = source != nil
	show := func(from, to int32) {
		for n := max(from, 1); n <= to && int(n) <= len(source); n++ {
			f.Rows = append(f.Rows, pageRow{Number: n, Text: source[n-1]})
		}
	}
	for i := range lines {
		l := &lines[i]
		if next > 0 && l.number-next <= 2*around {
			show(next, l.number-1)
		} else {
			if next > 0 {
				show(next, next+around-1)
			}
			show(l.number-around, l.number-1)
		}
		row := pageRow{Number: l.number, Cells: cells(l.in)}
		if l.number >= 1 && int(l.number) <= len(source) {
			row.Text = source[l.number-1]
		}
		for _, in := range l.insts {
			row.Insts = append(row.Insts, pageInst{in.pc, p.prog.Mnemonic(in.pc), cells(in.in)})
		}
		f.Rows = append(f.Rows, row)
		next = l.number + 1
	}
	if next > 0 {
		show(next, next+around-1)
	}
	return f
}

// cells returns the cells of a row.
func cells(in []*Counts) (list []pageCell) {
	for _, c := range in {
		list = append(list, cell(c))
	}
	return list
}

// cell returns counts for the page.
func cell(c *Counts) pageCell {
	to := pageCell{
		Issued: c.Issued, Lanes: c.Lanes, Branches: c.Branches, Divergent: c.Divergent, Lines: c.Lines,
		Misses: c.Found[memsys.Miss],
	}
	for k, class := range drawn {
		if n := c.Cycles[class]; n > 0 {
			to.Cycles = append(to.Cycles, [2]uint64{uint64(k), n})
		}
	}
	for lanes, n := range c.Active {
		if n > 0 {
			to.Active = append(to.Active, [2]uint64{uint64(lanes), n})
		}
	}
	return to
}

// The files of the page.
var (
	//go:embed page/page.html
	layout string
	//go:embed page/page.css
	style string
	//go:embed page/page.js
	script string
)

// page is the page without its data.
var page = webpage.Page{Layout: layout, Style: style, Script: script}
