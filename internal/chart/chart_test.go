package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// element is a part of a picture as an XML parser sees it.
type element struct {
	name string
	attr map[string]string
	text string // of the element, or of its tip
}

// number is an attribute.
func (e *element) number(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attr[name], 64)
	require.NoError(t, err, "%s of %v", name, e)
	return v
}

// parse reads a picture with a strict parser.
func parse(t *testing.T, svg string) (list []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "title" {
				continue
			}
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			list = append(list, e)
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" {
				list[len(list)-1].text += s
			}
		}
	}
}

func draw(t *testing.T, c io.WriterTo) string {
	t.Helper()
	var b bytes.Buffer
	n, err := c.WriteTo(&b)
	require.NoError(t, err)
	require.EqualValues(t, b.Len(), n)
	require.NoError(t, Check(b.String()))
	return b.String()
}

func sampleBars() *Bars {
	return &Bars{
		Title:  `a < b & "c"`,
		Axis:   "cycles",
		Layers: []Layer{{Name: "x<y"}, {Name: "idle", Color: "#123456"}, {Name: "rest"}},
		Bars: []Bar{
			{Name: "first", Values: []float64{0.5, 0.25, 0.25}},
			{Name: "second & last", Values: []float64{0.25, 0, 0.5}},
		},
	}
}

// TestBars: widths are in proportion to the values, layers touch, and bars begin at the same place.
func TestBars(t *testing.T) {
	svg := draw(t, sampleBars())
	boxes := map[string]element{}
	for _, e := range parse(t, svg) {
		if name, _, tip := strings.Cut(e.text, ": "); e.name == "rect" && tip {
			boxes[name] = e
		}
	}
	require.Len(t, boxes, 5, "a value of 0 has no box")
	at := func(name string) (x, wide float64) {
		e := boxes[name]
		return e.number(t, "x"), e.number(t, "width")
	}
	x0, unit := at("first, x<y")
	for _, c := range []struct {
		box        string
		from, wide float64 // in units of 0.5
	}{
		{"first, idle", 1, 0.5},
		{"first, rest", 1.5, 0.5},
		{"second & last, x<y", 0, 0.5},
		{"second & last, rest", 0.5, 1},
	} {
		x, wide := at(c.box)
		assert.InDelta(t, x0+c.from*unit, x, 0.02, c.box)
		assert.InDelta(t, c.wide*unit, wide, 0.02, c.box)
	}
	assert.Equal(t, "#123456", boxes["first, idle"].attr["fill"])
	assert.Equal(t, svg, draw(t, sampleBars()), "equal data, equal bytes")
}

// TestLines: points are at the places given by the axes.
func TestLines(t *testing.T) {
	l := &Lines{Title: "t", X: "n", Y: "v", Series: []Series{
		{Name: "a", X: []float64{0, 5, 10}, Y: []float64{0, 100, 40}},
		{Name: "b", X: []float64{0, 10}, Y: []float64{-100, 0}},
	}}
	ticks := map[string]element{} // place of each label
	var lines [][]string
	for _, e := range parse(t, draw(t, Column{l})) {
		switch e.name {
		case "text":
			ticks[e.attr["text-anchor"]+e.text] = e
		case "polyline":
			lines = append(lines, strings.Fields(e.attr["points"]))
		}
	}
	x := func(label string) float64 { e := ticks["middle"+label]; return e.number(t, "x") }
	y := func(label string) float64 { e := ticks["end"+label]; return e.number(t, "y") - 4 }
	point := func(s string) (float64, float64) {
		a, b, _ := strings.Cut(s, ",")
		px, err := strconv.ParseFloat(a, 64)
		require.NoError(t, err)
		py, err := strconv.ParseFloat(b, 64)
		require.NoError(t, err)
		return px, py
	}
	require.Len(t, lines, 2)
	px, py := point(lines[0][2])
	assert.InDelta(t, x("10"), px, 0.02)
	assert.InDelta(t, y("0")+0.4*(y("100")-y("0")), py, 0.02)
	px, py = point(lines[1][0])
	assert.InDelta(t, x("0"), px, 0.02)
	assert.InDelta(t, y("-100"), py, 0.02)
	assert.Less(t, y("100"), y("-100"), "upwards")
}

// TestAxis: ticks are round numbers that enclose the values.
func TestAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 7, "0 1 2 3 4 5 6 7"},
		{0, 9, "0 2 4 6 8 10"},
		{0, 35, "0 5 10 15 20 25 30 35"},
		{0, 1.7, "0.0 0.5 1.0 1.5 2.0"},
		{0, 123456, "0 20000 40000 60000 80000 100000 120000 140000"},
		{-3, 3, "-3 -2 -1 0 1 2 3"},
		{1, 32, "0 5 10 15 20 25 30 35"},
		{0, 0.003, "0.0000 0.0005 0.0010 0.0015 0.0020 0.0025 0.0030"},
		{0, 0, "0.0 0.2 0.4 0.6 0.8 1.0"},
	} {
		a := newAxis(c.lo, c.hi, 0, 100)
		var labels []string
		for _, v := range a.ticks {
			labels = append(labels, a.label(v))
		}
		assert.Equal(t, c.want, strings.Join(labels, " "), "%v to %v", c.lo, c.hi)
		assert.Equal(t, 0.0, a.at(a.ticks[0]))
		assert.Equal(t, 100.0, a.at(a.ticks[len(a.ticks)-1]))
	}
}

// TestNothing: pictures without data can be drawn.
func TestNothing(t *testing.T) {
	assert.NotEmpty(t, parse(t, draw(t, &Bars{})))
	assert.NotEmpty(t, parse(t, draw(t, Column{&Lines{}})))
}

// TestStyles: a line without marks, and rings without a line.
func TestStyles(t *testing.T) {
	l := &Lines{Title: "t", Series: []Series{
		{Name: "line", X: []float64{0, 1, 2}, Y: []float64{0, 1, 2}, Style: Line},
		{Name: "rings", X: []float64{0, 1, 2}, Y: []float64{2, 1, 0}, Style: Rings},
	}}
	lines, marks := 0, map[string]int{}
	for _, e := range parse(t, draw(t, Column{l})) {
		if e.name == "polyline" {
			lines++
		}
		if e.attr["transform"] != "" && e.name == "path" {
			assert.Equal(t, ring, e.attr["d"])
			assert.Equal(t, "none", e.attr["fill"])
			name, _, _ := strings.Cut(e.text, ":")
			marks[name]++
		}
	}
	assert.Equal(t, 1, lines)
	assert.Equal(t, map[string]int{"rings": 4}, marks, "with that of the legend")
}

// TestMarks: sixteen series have sixteen pairs of shape and colour.
func TestMarks(t *testing.T) {
	l := &Lines{Title: "t"}
	for i := range 16 {
		l.Series = append(l.Series, Series{Name: fmt.Sprint(i), X: []float64{0}, Y: []float64{1}, Style: Points})
	}
	seen := map[string]bool{}
	for _, e := range parse(t, draw(t, Column{l})) {
		if e.attr["transform"] != "" && e.name == "path" {
			seen[e.attr["d"]+e.attr["fill"]] = true
		}
	}
	assert.Len(t, seen, 16)
}

// TestLongNames: slanted names end within the picture, in the first group of a row and elsewhere.
func TestLongNames(t *testing.T) {
	g := &Groups{Title: "t", Y: "speed", Bars: []string{"one"}}
	for i := range 150 { // in three rows
		g.Groups = append(g.Groups, Group{Name: fmt.Sprintf("a name of thirty letters, %d", i), Values: [][]float64{{1}}})
	}
	list := parse(t, draw(t, Column{g}))
	high, names := list[0].number(t, "height"), 0
	for _, e := range list {
		if at, ok := strings.CutPrefix(e.attr["transform"], "translate("); ok && e.name == "text" {
			var x, y float64
			_, err := fmt.Sscanf(at, "%g %g) rotate(-45)", &x, &y)
			require.NoError(t, err)
			long := wide(e.text) / math.Sqrt2
			assert.Less(t, 0.0, x-long, e.text)
			assert.Less(t, y+long, high, e.text)
			names++
		}
	}
	assert.Equal(t, 150, names)
}

// TestColumn: the pictures are complete, the second below the first.
func TestColumn(t *testing.T) {
	a := Lines{Title: "a", X: "x", Series: []Series{{Name: "s", X: []float64{0, 1}, Y: []float64{0, 1}}}}
	b := a
	b.Title = "b"
	head := func(list []element) (high float64) { return list[0].number(t, "height") }
	one, two := parse(t, draw(t, Column{&a})), parse(t, draw(t, Column{&a, &b}))
	assert.Equal(t, 2*head(one), head(two))
	var places, titles []string
	for _, e := range two {
		if e.name == "g" {
			places = append(places, e.attr["transform"])
		}
		if e.name == "text" && e.attr["font-weight"] == "bold" {
			titles = append(titles, e.text)
		}
	}
	assert.Equal(t, []string{"translate(0 0)", "translate(0 " + px(head(one)) + ")"}, places)
	assert.Equal(t, []string{"a", "b"}, titles)
	assert.NotEmpty(t, parse(t, draw(t, Column{})))
	b.Series[0].Y = nil
	_, err := Column{&a, &b}.WriteTo(io.Discard)
	assert.Error(t, err)
}

func sampleGroups(layers ...string) *Groups {
	g := &Groups{Title: "t", Y: "speed", Bars: []string{"one", "two"}, Layers: layers}
	for i, name := range []string{"first", "second & last"} {
		group := Group{Name: name, Theirs: []float64{math.NaN(), 3}}
		for bar := range g.Bars {
			var values []float64
			for layer := range max(len(layers), 1) {
				values = append(values, float64(1+i+bar+layer))
			}
			group.Values = append(group.Values, values)
		}
		g.Groups = append(g.Groups, group)
	}
	return g
}

// TestGroups: heights are in proportion to the values, and bars of a group touch. Layers stand on
// each other. The paper's value is a ring at its height.
func TestGroups(t *testing.T) {
	boxes := map[string]element{}
	rings := map[string]float64{}
	for _, e := range parse(t, draw(t, Column{sampleGroups()})) {
		name, _, tip := strings.Cut(e.text, ": ")
		switch {
		case e.name == "rect" && tip:
			boxes[name] = e
		case e.name == "circle" && tip:
			rings[name] = e.number(t, "cy")
		}
	}
	require.Len(t, boxes, 4)
	at := func(name, side string) float64 {
		e := boxes[name]
		return e.number(t, side)
	}
	unit := at("first, one", "height")
	assert.InDelta(t, 2*unit, at("first, two", "height"), 0.02)
	assert.InDelta(t, 3*unit, at("second & last, two", "height"), 0.02)
	assert.InDelta(t, at("first, one", "x")+at("first, one", "width"), at("first, two", "x"), 0.02)
	assert.Greater(t, at("second & last, one", "x"), at("first, two", "x")+at("first, two", "width"))
	assert.NotEqual(t, boxes["first, one"].attr["fill"], boxes["first, two"].attr["fill"])
	require.Len(t, rings, 2, "nothing is known of the first bars")
	assert.InDelta(t, at("second & last, two", "y"), rings["first, two, the paper"], 0.02)

	boxes = map[string]element{}
	for _, e := range parse(t, draw(t, Column{sampleGroups("low", "high")})) {
		if name, _, tip := strings.Cut(e.text, ": "); e.name == "rect" && tip {
			boxes[name] = e
		}
	}
	require.Len(t, boxes, 8)
	assert.InDelta(t, at("first, one, low", "y"), at("first, one, high", "y")+at("first, one, high", "height"), 0.02)
	assert.Equal(t, boxes["first, one, low"].attr["fill"], boxes["first, two, low"].attr["fill"])
}

func TestErrors(t *testing.T) {
	layers := []Layer{{Name: "a"}}
	for _, c := range []struct {
		chart io.WriterTo
		want  string
	}{
		{
			&Bars{Layers: layers, Bars: []Bar{{"b", []float64{1, 2}}}},
			`chart: bar "b": 2 values, want one for each of 1 layers`,
		},
		{&Bars{Layers: layers, Bars: []Bar{{"b", []float64{-1}}}}, `chart: bar "b": value -1, want 0 or more`},
		{
			&Bars{Layers: layers, Bars: []Bar{{"b", []float64{math.NaN()}}}},
			`chart: bar "b": value NaN, want a finite number`,
		},
		{
			Column{&Groups{Bars: []string{"a", "b"}, Groups: []Group{{Name: "g", Values: [][]float64{{1}}}}}},
			`chart: group "g": 1 bars, theirs 0, want 2`,
		},
		{
			Column{&Groups{Bars: []string{"a"}, Groups: []Group{{Name: "g", Values: [][]float64{{1, 2}}}}}},
			`chart: bar "a of g": 2 values, want one for each of 1 layers`,
		},
		{
			Column{&Lines{Series: []Series{{Name: "s", X: []float64{1}}}}},
			`chart: series "s": 1 x and 0 y, want as many of both, and one at least`,
		},
		{
			Column{&Lines{Series: []Series{{Name: "s", X: []float64{1}, Y: []float64{math.Inf(1)}}}}},
			`chart: series "s": value +Inf, want a finite number`,
		},
	} {
		_, err := c.chart.WriteTo(io.Discard)
		assert.EqualError(t, err, c.want)
	}
}

// TestGroupsFitPages: more groups than a page of 1300 pixels holds continue in further rows, of which each
// has all bars of its groups. The legend stands once.
func TestGroupsFitPages(t *testing.T) {
	g := &Groups{Title: "t", Y: "y", Bars: []string{"a", "b", "c", "d"}}
	for i := range 36 {
		g.Groups = append(g.Groups, Group{
			Name: fmt.Sprint("kernel", i), Values: [][]float64{{1}, {2}, {3}, {4}},
			Spread: [][2]float64{{1, 1}, {1, 3}, {2, 4}, {3, 5}}, Mean: i >= 33,
		})
	}
	var b strings.Builder
	_, err := Column{g}.WriteTo(&b)
	require.NoError(t, err)
	width := regexp.MustCompile(`^<svg[^>]* width="([0-9.]+)"`).FindStringSubmatch(b.String())
	require.NotNil(t, width)
	pixels, err := strconv.ParseFloat(width[1], 64)
	require.NoError(t, err)
	assert.LessOrEqual(t, pixels, 1160.)
	assert.Equal(t, 36*4, strings.Count(b.String(), "<title>kernel"))
	assert.Equal(t, 1, strings.Count(b.String(), ">least to most of the inputs<"))
	g.Groups[0].Spread = g.Groups[0].Spread[:3]
	_, err = Column{g}.WriteTo(&b)
	assert.ErrorContains(t, err, `group "kernel0": spread of 3 bars, want 4`)
}
