package chart

import (
	"fmt"
	"math"
	"slices"
)

// Groups is a picture of groups of bars side by side, as simulator papers draw their benchmarks. A
// bar is a stack of layers. If there is only one layer, the bars have different colours.
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
}

const (
	columnWide  = 9.0
	columnGap   = 12.0 // between groups
	columnsHigh = 260.0
	namesHigh   = 90.0 // names of groups, which are slanted
)

func (g *Groups) title() string { return g.Title }

func (g *Groups) draw() (p *picture, width, high float64, err error) {
	highest := 0.0
	for _, group := range g.Groups {
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
	top := margin + titleHigh + lineHigh
	bottom := top + columnsHigh
	y := newAxis(0, highest, bottom, top)
	left := margin + 12 + max(wide(y.label(y.lo)), wide(y.label(y.hi)))
	step := float64(len(g.Bars))*columnWide + columnGap
	right := left + columnGap + float64(len(g.Groups))*step
	p = new(picture)
	p.heading(g.Title)
	p.text(margin, top-12, "start", g.Y)
	for _, t := range y.ticks {
		p.line(left, y.at(t), right, y.at(t), grid)
		p.text(left-8, y.at(t)+4, "end", y.label(t))
	}
	legend := g.Bars
	if len(g.Layers) > 0 {
		legend = g.Layers
	}
	theirs, spread := false, false
	for n, group := range g.Groups {
		x := left + columnGap + float64(n)*step
		for i, layers := range group.Values {
			sum, at := 0.0, x+float64(i)*columnWide
			for k, v := range layers {
				what, color := i, fmt.Sprintf("%s, %s: %s", group.Name, g.Bars[i], value(v))
				if len(g.Layers) > 0 {
					what, color = k, fmt.Sprintf("%s, %s, %s: %s", group.Name, g.Bars[i], g.Layers[k], value(v))
				}
				if v > 0 {
					p.rect(at, y.at(sum+v), columnWide, y.at(sum)-y.at(sum+v), palette[what%len(palette)], color)
				}
				sum += v
			}
			if group.Spread != nil {
				spread = true
				p.whisker(at+columnWide/2, y.at(group.Spread[i][0]), y.at(group.Spread[i][1]))
			}
			if group.Theirs != nil && !math.IsNaN(group.Theirs[i]) {
				theirs = true
				p.circle(at+columnWide/2, y.at(group.Theirs[i]),
					fmt.Sprintf("%s, %s, the paper: %s", group.Name, g.Bars[i], value(group.Theirs[i])))
			}
		}
		p.slanted(x+float64(len(g.Bars))*columnWide/2, bottom+14, group.Name)
	}
	p.line(left, top, left, bottom, ink)
	p.line(left, bottom, right, bottom, ink)
	key, at := right+margin, top
	for k, name := range legend {
		p.rect(key, at, 12, 12, palette[k%len(palette)], name)
		p.text(key+18, at+10, "start", name)
		at += lineHigh
	}
	words := slices.Clone(legend)
	if len(g.Layers) > 0 {
		words = append(words, "bars of a group:")
		p.text(key, at+10, "start", "bars of a group:")
		at += lineHigh
		for _, name := range g.Bars {
			words = append(words, name)
			p.text(key+18, at+10, "start", name)
			at += lineHigh
		}
	}
	if theirs {
		words = append(words, "the paper")
		p.circle(key+6, at+6, "the paper")
		p.text(key+18, at+10, "start", "the paper")
		at += lineHigh
	}
	if spread {
		words = append(words, "least to most")
		p.whisker(key+6, at+11, at+1)
		p.text(key+18, at+10, "start", "least to most")
		at += lineHigh
	}
	return p, key + 18 + wide(words...) + margin, max(bottom+namesHigh, at) + margin, nil
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
