package report

import (
	"crypto/sha256"
	_ "embed" // the files of the page
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"math"
	"strconv"

	"divergo/internal/sample"
)

// The files of the page.
var (
	//go:embed page/page.html
	layout string
	//go:embed page/page.css
	style string
	//go:embed page/page.js
	script string
)

// policy makes browsers run only the page's script, identified by its hash, and load nothing (W3C,
// Content Security Policy Level 3, section 2.3.1).
var policy = func() string {
	hash := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'"
}()

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"policy":   func() string { return policy },
	"style":    func() template.CSS { return template.CSS(style) },
	"script":   func() template.JS { return template.JS(script) },
	"percent":  percent,
	"count":    count,
	"speed":    func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) },
	"interval": interval,
	// of a bar, in percent of the longest one
	"width": func(v, longest float64) string { return strconv.FormatFloat(100*v/longest, 'f', 1, 64) },
}).Parse(layout))

// interval writes the limits of an interval.
func interval(i sample.Interval) string {
	if !i.Wide() {
		return "-"
	}
	high := "no limit"
	if !math.IsInf(i.High, 0) {
		high = strconv.FormatFloat(i.High, 'f', 3, 64)
	}
	return strconv.FormatFloat(i.Low, 'f', 3, 64) + " to " + high
}

// WritePage writes the page. The same report gives the same bytes.
func (r *Report) WritePage(w io.Writer) error {
	text, err := json.Marshal(r.data())
	if err != nil {
		return err
	}
	return page.Execute(w, struct {
		*Report
		Data template.JS
	}{r, template.JS(text)})
}

// Longest returns the highest mean speed of a level.
func (r *Report) Longest() (v float64) {
	for i := range r.Factors {
		for _, l := range r.Factors[i].Levels {
			v = max(v, l.Speed)
		}
	}
	return v
}

// number is written with six digits, and as null if it is infinite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 6, 64), nil
}

// axis is an axis of machines for the script.
type axis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// data is what the script draws. Lists have one entry, or three, for each machine: an area or an
// interval is three numbers, low, middle and high.
type data struct {
	Axes     []axis     `json:"axes"`
	Kernels  []string   `json:"kernels"`
	Seeds    int        `json:"seeds"`
	Budget   number     `json:"budget"`
	Baseline int        `json:"baseline"`
	Front    []int      `json:"front"`
	At       [][]int    `json:"at"` // by axis
	Area     []number   `json:"area"`
	Speed    []number   `json:"speed"`
	ByKernel [][]number `json:"byKernel"`
	Commands [][]string `json:"commands"` // by kernel
}

func (r *Report) data() *data {
	d := &data{
		Axes: []axis{}, Kernels: r.Kernels, Seeds: r.Seeds, Budget: number(r.Budget), Baseline: r.Baseline,
		Front: r.Front, At: [][]int{},
		ByKernel: make([][]number, len(r.Kernels)), Commands: make([][]string, len(r.Kernels)),
	}
	for _, a := range r.Varying() {
		at := make([]int, len(r.Machines))
		for i := range r.Machines {
			at[i] = r.Machines[i].At[a]
		}
		d.Axes, d.At = append(d.Axes, axis{r.Axes[a].Name, r.Axes[a].Values}), append(d.At, at)
	}
	for i := range r.Machines {
		c := &r.Machines[i]
		d.Area = append(d.Area, number(c.Area.Low), number(c.Area.Mid), number(c.Area.High))
		d.Speed = append(d.Speed, number(c.Speed.Low), number(c.Speed.Mid), number(c.Speed.High))
		for k, s := range c.ByKernel {
			d.ByKernel[k] = append(d.ByKernel[k], number(s.Low), number(s.Mid), number(s.High))
			d.Commands[k] = append(d.Commands[k], c.Commands[k])
		}
	}
	return d
}
