package profile

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

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

// Page writes the report as a page of annotated source, in one file.
//
// It shows the lines of each file with code of a kernel, and their counts in each run. One bar
// shows the cycles of a line, another its active lanes. A click on a line shows its instructions.
func (r *Report) Page(w io.Writer) error { return page.Execute(w, r) }

// Legend names the colours.
func (r *Report) Legend() (list []segment) {
	size := r.Runs[0].WarpSize
	for class := sm.NumClasses - 1; class >= sm.ClassIssue; class-- {
		if name := class.Name(size); name != "" {
			list = append(list, segment{Title: name, Color: Colors[class]})
		}
	}
	for _, class := range classes {
		list = append(list, segment{Title: class.Name(size), Color: Colors[class]})
	}
	return list
}

// section is a kernel on the page.
type section struct {
	Name  string
	Files []sourceFile
	Total []pageCell
}

// sourceFile is the part of a source that belongs to a kernel.
type sourceFile struct {
	Name string
	Rows []pageRow
}

// pageRow is a line on the page.
type pageRow struct {
	Number int32
	Text   string
	Cells  []pageCell // by run; none if the line has no counts
	Insts  []pageInst
}

// pageInst is an instruction on the page.
type pageInst struct {
	PC    uint32
	Text  string
	Cells []pageCell
}

// pageCell holds the counts of a line in a run.
type pageCell struct {
	Executed, Branches, Diverged, Lines, Misses, Cycles uint64
	Lanes                                               float64
	Share                                               string
	Bar                                                 []segment // of cycles, relative to the largest line
	Histogram                                           []segment // of active lanes, relative to the largest
}

// segment is a piece of a bar.
type segment struct {
	Title, Color string
	X, Y, W, H   float64 // in pixels
}

// Sections are the kernels.
func (r *Report) Sections() (list []section) {
	for _, p := range r.parts() {
		most := uint64(1)
		for _, l := range p.lines {
			for _, c := range l.in {
				most = max(most, c.sum())
			}
		}
		cells := func(in []*Counts) (list []pageCell) {
			for i, c := range in {
				list = append(list, r.Runs[i].cell(c, p.total(i).sum(), most))
			}
			return list
		}
		s := section{Name: p.name()}
		var totals []*Counts
		for i := range r.Runs {
			totals = append(totals, p.total(i))
		}
		s.Total = cells(totals)
		for at := 0; at < len(p.lines); {
			name := p.lines[at].file
			f, next := sourceFile{Name: name}, int32(0)
			var source []string
			if r.Source != nil && name != "" {
				source = r.Source(name)
			}
			const around = 3 // lines before and after those with counts
			show := func(from, to int32) {
				for n := max(from, 1); n <= to && int(n) <= len(source); n++ {
					f.Rows = append(f.Rows, pageRow{Number: n, Text: source[n-1]})
				}
			}
			for ; at < len(p.lines) && p.lines[at].file == name; at++ {
				l := &p.lines[at]
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
			show(next, next+around-1)
			s.Files = append(s.Files, f)
		}
		list = append(list, s)
	}
	return list
}

// The sizes of bars, in pixels.
const (
	barWide = 120
	barHigh = 14
)

// cell returns the cell of a line; all is the number of cycles of the kernel, most that of the
// largest line.
func (r *Run) cell(c *Counts, all, most uint64) pageCell {
	cell := pageCell{
		Executed: c.Issued, Branches: c.Branches, Diverged: c.Divergent, Lines: c.Lines, Misses: c.Found[memsys.Miss],
		Cycles: c.sum(), Lanes: c.Mean(), Share: share(c.sum(), all),
	}
	x := 0.0
	piece := func(class sm.Class) {
		if n := c.Cycles[class]; n > 0 {
			w := barWide * float64(n) / float64(max(most, cell.Cycles))
			cell.Bar = append(cell.Bar, segment{
				Title: fmt.Sprintf("%s: %d", class.Name(r.WarpSize), n),
				Color: Colors[class], X: x, W: w, H: barHigh,
			})
			x += w
		}
	}
	for class := sm.NumClasses - 1; class >= sm.ClassIssue; class-- {
		piece(class)
	}
	for _, class := range classes {
		piece(class)
	}
	peak := uint64(1)
	for _, n := range c.Active {
		peak = max(peak, n)
	}
	for lanes := 1; lanes <= r.WarpSize; lanes++ {
		if n := c.Active[lanes]; n > 0 {
			h := max(barHigh*float64(n)/float64(peak), 1)
			cell.Histogram = append(cell.Histogram,
				segment{
					Title: fmt.Sprintf("%d lanes: %d", lanes, n), Color: "#2171b5", X: float64(3 * (lanes - 1)),
					Y: barHigh - h, W: 2, H: h,
				})
		}
	}
	return cell
}

// script is the only script on the page: a click on a line shows its instructions.
const script = `
for (const row of document.querySelectorAll("tr.hot")) {
  const below = row.parentElement.nextElementSibling;
  if (below && below.classList.contains("insts"))
    row.addEventListener("click", () => below.classList.toggle("shown"));
}
`

// policy makes browsers run only that script, identified by its hash. They run nothing that a
// source file or a name may contain (W3C, Content Security Policy Level 3, section 2.3.1).
var policy = func() string {
	hash := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'"
}()

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"mean":   func(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") },
	"pixel":  func(v float64) string { return fmt.Sprintf("%.1f", v) },
	"script": func() template.JS { return script },
	"policy": func() string { return policy },
	"count": func(n uint64) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	},
}).Parse(`{{define "bar"}}{{range .}}<rect x="{{pixel .X}}" y="{{pixel .Y}}" width="{{pixel .W}}" height="{{pixel .H}}" fill="{{.Color}}"><title>{{.Title}}</title></rect>{{end}}{{end -}}
{{define "cells"}}{{range .}}<td class="run">{{count .Cycles}}</td><td>{{.Share}}</td><td><svg width="120" height="14">{{template "bar" .Bar}}</svg></td><td>{{count .Executed}}</td><td>{{if .Executed}}{{mean .Lanes}}{{end}}</td><td><svg width="96" height="14">{{template "bar" .Histogram}}</svg></td><td>{{if .Branches}}{{.Diverged}} of {{.Branches}}{{end}}</td><td>{{count .Lines}}</td><td>{{count .Misses}}</td>{{end}}{{end -}}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{policy}}">
<title>{{.Title}}</title>
<style>
body { font: 13px sans-serif; margin: 16px; color: #222; }
table { border-collapse: collapse; }
td, th { padding: 0 6px; text-align: right; white-space: nowrap; vertical-align: top; }
th { font-weight: normal; color: #666; }
td.run, th.run { border-left: 1px solid #bbb; }
td.code { text-align: left; white-space: pre; tab-size: 4; font-family: monospace; }
tr.hot:hover { background: #f0f4fa; }
tr.inst td { color: #666; background: #fafafa; font-size: 12px; }
tr.total td { border-top: 1px solid #888; }
summary { cursor: pointer; }
.key span { display: inline-block; width: 12px; height: 12px; margin: 0 4px 0 12px; vertical-align: middle; }
tbody.insts { display: none; }
tbody.insts.shown { display: table-row-group; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p class="key">{{range .Legend}}<span style="background: {{.Color}}"></span>{{.Title}}{{end}}</p>
<p>Cycles are those of SMs with threads. A cycle in which an SM waits is that of the instruction that waits for longest. A click on a line shows its instructions.</p>
{{$runs := .Runs}}{{range .Sections}}
<h2>{{.Name}}</h2>
<table>
<thead>
<tr><th></th><th></th>{{range $runs}}<th class="run" colspan="9">{{.Name}}</th>{{end}}</tr>
<tr><th></th><th></th>{{range $runs}}<th class="run">cycles</th><th>%</th><th></th><th>executed</th><th>lanes</th><th>by number of lanes</th><th>diverged</th><th>memory lines</th><th>L1 misses</th>{{end}}</tr>
</thead>
{{range .Files}}<tbody><tr><th></th><td class="code"><b>{{if .Name}}{{.Name}}{{else}}no instruction: CTAs begin, or moves of a stack{{end}}</b></td></tr></tbody>
{{range .Rows}}<tbody>{{if .Cells}}<tr class="hot">{{else}}<tr>{{end}}<th>{{if .Number}}{{.Number}}{{end}}</th><td class="code">{{.Text}}</td>{{template "cells" .Cells}}</tr></tbody>
{{if .Insts}}<tbody class="insts">{{range .Insts}}<tr class="inst"><th></th><td class="code">    {{.PC}} {{.Text}}</td>{{template "cells" .Cells}}</tr>
{{end}}</tbody>
{{end}}{{end}}{{end}}<tbody><tr class="total"><th></th><td class="code">total</td>{{template "cells" .Total}}</tr></tbody>
</table>
{{end}}<script>{{script}}</script>
</body>
</html>
`))
