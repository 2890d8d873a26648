package chart

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Lines is a picture of quantities over a parameter. The vertical axis begins at 0 unless a value
// is negative.
type Lines struct {
	Title  string
	X, Y   string // names of the axes, with units
	Series []Series
}

// Series is a line through the points (X[i], Y[i]), in order, with a mark at each point.
type Series struct {
	Name  string
	X, Y  []float64
	Style Style
}

// Style selects the marks and the line of a series.
type Style uint8

// The styles.
const (
	Marked Style = iota
	Line         // no marks, for many points
	Points       // marks without a line
	Rings        // rings around the points and no line, for values to compare others with
)

// ring is the mark of Rings.
const ring = "M-7 0A7 7 0 1 0 7 0A7 7 0 1 0 -7 0"

const plotHigh = 360.0

// marks are the shapes at the points of the series, in a square of 8 pixels around the origin. They
// distinguish lines without colour.
var marks = []string{
	"M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0", "M-4 -4H4V4H-4Z", "M0 -5L5 4H-5Z", "M0 -5L5 0L0 5L-5 0Z", "M0 5L5 -4H-5Z",
}

// Column is pictures one above the other.
type Column []Part

// Part is a picture of a column: *Lines, *Groups or *Images.
type Part interface {
	// draw returns the picture with its width and height.
	draw() (p *picture, width, high float64, err error)
	title() string
}

func (l *Lines) title() string { return l.Title }

// WriteTo writes the pictures as one SVG with the title of the first. The error names a series that
// cannot be drawn.
func (c Column) WriteTo(w io.Writer) (int64, error) {
	var all picture
	title, width, high := "", 0.0, 0.0
	for i, part := range c {
		if i == 0 {
			title = part.title()
		}
		p, wide, tall, err := part.draw()
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(&all, `<g transform="translate(0 %s)">`+"\n%s</g>\n", px(high), p)
		width, high = max(width, wide), high+tall
	}
	return all.writeTo(w, width, high, title)
}

func (l *Lines) draw() (p *picture, width, high float64, err error) {
	var legend []string
	xlo, xhi := math.Inf(1), math.Inf(-1)
	ylo, yhi := 0.0, 0.0
	for _, s := range l.Series {
		what := fmt.Sprintf("series %q", s.Name)
		if len(s.X) != len(s.Y) || len(s.X) == 0 {
			return nil, 0, 0, fmt.Errorf("chart: %s: %d x and %d y, want as many of both, and one at least", what,
				len(s.X), len(s.Y))
		}
		if err := finite(what, slices.Concat(s.X, s.Y)); err != nil {
			return nil, 0, 0, err
		}
		legend = append(legend, s.Name)
		xlo, xhi = min(xlo, slices.Min(s.X)), max(xhi, slices.Max(s.X))
		ylo, yhi = min(ylo, slices.Min(s.Y)), max(yhi, slices.Max(s.Y))
	}
	if len(l.Series) == 0 {
		xlo, xhi = 0, 1
	}
	top := margin + titleHigh + lineHigh
	bottom := top + plotHigh
	y := newAxis(ylo, yhi, bottom, top)
	left := margin + 12 + max(wide(y.label(y.lo)), wide(y.label(y.hi)))
	x := newAxis(xlo, xhi, left, left+plotWide)
	p = new(picture)
	p.heading(l.Title)
	p.text(margin, top-12, "start", l.Y)
	p.across(x, top, bottom, l.X)
	for _, t := range y.ticks {
		p.line(left, y.at(t), x.to, y.at(t), grid)
		p.text(left-8, y.at(t)+4, "end", y.label(t))
	}
	p.line(left, top, left, bottom, ink)
	p.line(left, bottom, x.to, bottom, ink)
	key := x.to + 2*margin
	for i, s := range l.Series {
		color := palette[i%len(palette)]
		var points strings.Builder
		for k := range s.X {
			points.WriteString(px(x.at(s.X[k])) + "," + px(y.at(s.Y[k])) + " ")
		}
		at := top + 10 + float64(i)*lineHigh
		if s.Style != Rings && s.Style != Points {
			fmt.Fprintf(p, `<polyline points="%s" stroke="%s" stroke-width="2" fill="none"/>`+"\n",
				strings.TrimSpace(points.String()), color)
			p.line(key-8, at, key+8, at, color)
		}
		if s.Style != Line {
			for k := range s.X {
				p.mark(s.Style, i, x.at(s.X[k]), y.at(s.Y[k]), color,
					fmt.Sprintf("%s: %s, %s", s.Name, value(s.X[k]), value(s.Y[k])))
			}
			p.mark(s.Style, i, key, at, color, s.Name)
		}
		p.text(key+16, at+4, "start", s.Name)
	}
	high = max(bottom+axisHigh, top+float64(len(legend))*lineHigh)
	return p, key + 16 + wide(legend...) + margin, high + margin, nil
}

// mark draws the mark of series i at a point. No two of 50 series have the same shape and colour.
func (p *picture) mark(style Style, i int, x, y float64, color, tip string) {
	shape, paint := marks[(i+i/len(palette))%len(marks)], `fill="`+color+`"`
	if style == Rings {
		shape, paint = ring, `stroke="`+color+`" stroke-width="1.5" fill="none"`
	}
	fmt.Fprintf(p, `<path transform="translate(%s %s)" d="%s" %s><title>%s</title></path>`+"\n", px(x), px(y), shape,
		paint, escape(tip))
}
