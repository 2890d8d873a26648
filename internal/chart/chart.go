// Package chart draws bars and lines as SVG pictures. Examples are cycles by cause, with one bar
// for each mechanism, or a quantity over a parameter, with one line for each mechanism.
//
// A picture is complete in itself. Its text is text, so a browser shows it and a reader can search
// it. Pointing at a part shows its value. Equal data give equal bytes on every machine.
package chart

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Layout, in pixels.
const (
	margin    = 16.0
	letter    = 7.0 // mean width
	lineHigh  = 18.0
	titleHigh = 24.0
	axisHigh  = 40.0 // tick labels and the name of the axis
	plotWide  = 640.0
)

// grid and ink are the colours of everything except data.
const (
	grid = "#d9d9d9"
	ink  = "#222222"
)

// palette holds the colours of Okabe and Ito, which everybody can tell apart ("Color Universal
// Design", 2008). Yellow is darker, for white paper.
var palette = []string{
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a8a00", "#000000",
	"#999999", "#7b3f00",
}

// picture collects the elements of an SVG file.
type picture struct{ strings.Builder }

// heading writes the title above a picture.
func (p *picture) heading(title string) {
	fmt.Fprintf(p, `<text x="%s" y="%s" font-size="15" font-weight="bold">%s</text>`+"\n", px(margin), px(margin+10),
		escape(title))
}

// writeTo writes the picture, of the given size.
func (p *picture) writeTo(w io.Writer, wide, high float64, title string) (int64, error) {
	var top picture
	fmt.Fprintf(&top, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" font-family="sans-serif" font-size="12" fill="%[3]s">`+"\n", px(wide), px(high), ink)
	fmt.Fprintf(&top, `<title>%s</title>`+"\n", escape(title))
	fmt.Fprintf(&top, `<rect width="%s" height="%s" fill="#ffffff"/>`+"\n", px(wide), px(high))
	n, err := io.WriteString(w, top.String()+p.String()+"</svg>\n")
	return int64(n), err
}

// text writes s at a point, which is its "start", "middle" or "end".
func (p *picture) text(x, y float64, anchor, s string) {
	fmt.Fprintf(p, `<text x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", px(x), px(y), anchor, escape(s))
}

// rect draws a box that shows tip when it is pointed at.
func (p *picture) rect(x, y, wide, high float64, color, tip string) {
	fmt.Fprintf(p, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" stroke="#ffffff" stroke-width="0.5"><title>%s</title></rect>`+"\n",
		px(x), px(y), px(wide), px(high), escape(color), escape(tip))
}

// line draws a straight line.
func (p *picture) line(x1, y1, x2, y2 float64, color string) {
	fmt.Fprintf(p, `<path d="M%s %sL%s %s" stroke="%s" fill="none"/>`+"\n", px(x1), px(y1), px(x2), px(y2), color)
}

// across draws an axis from left to right at height y, with its name. At each tick it draws a line
// of the grid up to top.
func (p *picture) across(a axis, top, y float64, name string) {
	for _, t := range a.ticks {
		x := a.at(t)
		p.line(x, top, x, y, grid)
		p.text(x, y+16, "middle", a.label(t))
	}
	p.text((a.from+a.to)/2, y+34, "middle", name)
}

// axis maps values to places in the picture.
type axis struct {
	lo, hi   float64 // values
	from, to float64 // their places
	ticks    []float64
	digits   int // digits after the point of a tick's label
}

// newAxis makes an axis for values from lo to hi that ends at ticks.
func newAxis(lo, hi, from, to float64) axis {
	if hi <= lo {
		hi = lo + 1
	}
	step, digits := tickStep(hi - lo)
	first, last := math.Floor(lo/step), math.Ceil(hi/step)
	a := axis{lo: first * step, hi: last * step, from: from, to: to, digits: digits}
	for i := first; i <= last; i++ {
		a.ticks = append(a.ticks, i*step)
	}
	return a
}

// tickStep is the least of 1, 2 and 5 times a power of ten that divides span into at most 8
// intervals. The result digits counts its digits after the point.
func tickStep(span float64) (step float64, digits int) {
	const most = 8
	power := 1.0
	for span > most*power {
		power *= 10
	}
	for span <= most*power/10 {
		power /= 10
		digits++
	}
	for _, part := range []float64{5, 2} {
		if span <= most*power/part {
			if power <= 1 {
				digits++
			}
			return power / part, digits
		}
	}
	return power, digits
}

// at is the place of a value. The conversion forbids a fused multiply and add, which only some
// machines have.
func (a axis) at(v float64) float64 {
	return a.from + float64((v-a.lo)/(a.hi-a.lo)*(a.to-a.from))
}

func (a axis) label(v float64) string { return strconv.FormatFloat(v, 'f', a.digits, 64) }

// px formats a place or a size with hundredths of a pixel.
func px(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// value formats a number for a tip.
func value(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s))
	return b.String()
}

// wide is the approximate width of the widest of some words.
func wide(words ...string) (w float64) {
	for _, s := range words {
		w = max(w, letter*float64(utf8.RuneCountInString(s)))
	}
	return w
}

// finite reports the first value that cannot be drawn.
func finite(what string, values []float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("chart: %s: value %v, want a finite number", what, v)
		}
	}
	return nil
}
