package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Groups is a picture of groups of bars side by side, as simulator papers draw their benchmarks. A
// bar is a stack of layers. If there is only one layer, the bars have different colours. Groups that
// are too many for the width of a page continue in further rows.
type Groups struct {
	Title  string
	Y      string   // the quantity of a bar's height, with its unit
	Bars   []string // of each group, from left to right
	Layers []string // of each bar, from the axis up; none: one layer without a name
	Groups []Group
}

// Group is the bars of one benchmark.
type Group struct {
	Name   string
	Values [][]float64 // of each bar, of each layer, not negative
	Theirs []float64   // the paper's value for each bar, drawn as a ring; NaN: no value. May be nil

	Spread [][2]float64 // least and largest value for each bar, drawn as a whisker. May be nil
	Mean   bool         // a mean of other groups, set apart from them
}

const (
	columnWide  = 9.0
	columnGap   = 12.0 // between groups
	columnsHigh = 260.0
	slant       = 0.72 // of the width of a group's name, which is slanted: its width and height
	meanGap     = 18.0 // before the first mean
	rowWide     = 1120.0
)

func (g *Groups) title() string { return g.Title }

func (g *Groups) draw() (p *picture, width, high float64, err error) {
	highest := 0.0
	var names []string
	for _, group := range g.Groups {
		names = append(names, group.Name)
		if len(group.Values) != len(g.Bars) || group.Theirs != nil && len(group.Theirs) != len(g.Bars) {
			return nil, 0, 0, fmt.Errorf("chart: group %q: %d bars, theirs %d, want %d", group.Name, len(group.Values),
				len(group.Theirs), len(g.Bars))
		}
		for i, layers := range group.Values {
			bar := Bar{g.Bars[i] + " of " + group.Name, layers}
			n, err := bar.length(max(len(g.Layers), 1))
			if err != nil {
				return nil, 0, 0, err
			}
			highest = max(highest, n)
		}
		if group.Spread != nil && len(group.Spread) != len(g.Bars) {
			return nil, 0, 0, fmt.Errorf("chart: group %q: spread of %d bars, want %d", group.Name, len(group.Spread),
				len(g.Bars))
		}
		for _, ends := range group.Spread {
			if err := finite(fmt.Sprintf("spread of %q", group.Name), ends[:]); err != nil {
				return nil, 0, 0, err
			}
			highest = max(highest, ends[1])
		}
		for _, v := range group.Theirs {
			if !math.IsNaN(v) {
				highest = max(highest, v)
			}
		}
	}
	p = new(picture)
	p.heading(g.Title)
	bottom, keyWide := g.key(p, margin+titleHigh)
	axis := newAxis(0, highest, 0, columnsHigh)
	left := margin + 12 + max(wide(axis.label(axis.lo)), wide(axis.label(axis.hi)))
	step := float64(len(g.Bars))*columnWide + columnGap
	rows := max(1, int(math.Ceil((float64(len(g.Groups))*step+meanGap)/(rowWide-left))))
	perRow := max(1, (len(g.Groups)+rows-1)/rows)
	for n, name := range names {
		left = max(left, margin+slant*wide(name)-g.middle(n%perRow))
	}
	namesHigh := 2*margin + slant*wide(names...)
	width = max(keyWide, 2*margin+1.3*wide(g.Title)) // the heading is larger than other text
	for groups := range slices.Chunk(g.Groups, perRow) {
		top := bottom + lineHigh + 8
		bottom = top + columnsHigh
		right := g.row(p, groups, newAxis(0, highest, bottom, top), left, top, bottom)
		width, bottom = max(width, right+margin), bottom+namesHigh
	}
	return p, width, bottom + margin, nil
}

// middle returns how far to the right of the axis the middle of group n of a row is.
func (g *Groups) middle(n int) float64 {
	bars := float64(len(g.Bars)) * columnWide
	return columnGap + float64(n)*(bars+columnGap) + bars/2
}

// row draws groups beside each other, and returns where they end.
func (g *Groups) row(p *picture, groups []Group, y axis, left, top, bottom float64) (right float64) {
	step := float64(len(g.Bars))*columnWide + columnGap
	right = left + columnGap + float64(len(groups))*step
	first := slices.IndexFunc(groups, func(group Group) bool { return group.Mean })
	if first > 0 {
		right += meanGap
	}
	p.text(margin, top-12, "start", g.Y)
	for _, t := range y.ticks {
		p.line(left, y.at(t), right, y.at(t), grid)
		p.text(left-8, y.at(t)+4, "end", y.label(t))
	}
	for n, group := range groups {
		x := left + columnGap + float64(n)*step
		if first > 0 && n >= first {
			if x += meanGap; n == first {
				p.line(x-(columnGap+meanGap)/2, top, x-(columnGap+meanGap)/2, bottom, ink)
			}
		}
		for i, layers := range group.Values {
			sum, at := 0.0, x+float64(i)*columnWide
			for k, v := range layers {
				what, tip := i, fmt.Sprintf("%s, %s: %s", group.Name, g.Bars[i], value(v))
				if len(g.Layers) > 0 {
					what, tip = k, fmt.Sprintf("%s, %s, %s: %s", group.Name, g.Bars[i], g.Layers[k], value(v))
				}
				if v > 0 {
					p.rect(at, y.at(sum+v), columnWide, y.at(sum)-y.at(sum+v), palette[what%len(palette)], tip)
				}
				sum += v
			}
			if group.Spread != nil {
				p.whisker(at+columnWide/2, y.at(group.Spread[i][0]), y.at(group.Spread[i][1]))
			}
			if group.Theirs != nil && !math.IsNaN(group.Theirs[i]) {
				p.circle(at+columnWide/2, y.at(group.Theirs[i]),
					fmt.Sprintf("%s, %s, the paper: %s", group.Name, g.Bars[i], value(group.Theirs[i])))
			}
		}
		p.slanted(x+float64(len(g.Bars))*columnWide/2, bottom+14, group.Name)
	}
	p.line(left, top, left, bottom, ink)
	p.line(left, bottom, right, bottom, ink)
	return right
}

// key draws the legend from height y on, beside each other, and returns where it ends.
func (g *Groups) key(p *picture, y float64) (bottom, right float64) {
	x := margin
	bottom = y + lineHigh
	add := func(name string, mark func(x, y float64)) {
		if x > margin && x+18+wide(name) > rowWide {
			x, y, bottom = margin, y+lineHigh, bottom+lineHigh
		}
		mark(x, y)
		p.text(x+18, y+10, "start", name)
		x += 18 + wide(name) + 2*columnGap
		right = max(right, x)
	}
	legend := g.Bars
	if len(g.Layers) > 0 {
		legend = g.Layers
	}
	for k, name := range legend {
		add(name, func(x, y float64) { p.rect(x, y, 12, 12, palette[k%len(palette)], name) })
	}
	if len(g.Layers) > 0 && len(g.Bars) > 1 {
		add("bars of a group: "+strings.Join(g.Bars, ", "), func(float64, float64) {})
	}
	if slices.ContainsFunc(g.Groups, func(group Group) bool {
		return slices.ContainsFunc(group.Theirs, func(v float64) bool { return !math.IsNaN(v) })
	}) {
		add("the paper", func(x, y float64) { p.circle(x+6, y+6, "the paper") })
	}
	if slices.ContainsFunc(g.Groups, func(group Group) bool { return group.Spread != nil }) {
		add("least to most of the inputs", func(x, y float64) { p.whisker(x+6, y+11, y+1) })
	}
	return bottom, right
}

// whisker draws a line with ends from y1 to y2.
func (p *picture) whisker(x, y1, y2 float64) {
	p.line(x, y1, x, y2, ink)
	p.line(x-2, y1, x+2, y1, ink)
	p.line(x-2, y2, x+2, y2, ink)
}

// circle draws a ring that shows tip when it is pointed at.
func (p *picture) circle(x, y float64, tip string) {
	fmt.Fprintf(p, `<circle cx="%s" cy="%s" r="5" stroke="%s" stroke-width="1.5" fill="#ffffff"><title>%s</title></circle>`+"\n", px(x), px(y), ink, escape(tip))
}

// slanted writes s upwards, ending at a point.
func (p *picture) slanted(x, y float64, s string) {
	fmt.Fprintf(p, `<text transform="translate(%s %s) rotate(-45)" text-anchor="end">%s</text>`+"\n", px(x), px(y),
		escape(s))
}
