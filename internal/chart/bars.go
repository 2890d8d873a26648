package chart

import (
	"fmt"
	"io"
)

// Bars is a picture of horizontal bars, each a stack of the same layers.
type Bars struct {
	Title  string
	Axis   string  // the quantity of a bar's length, with its unit
	Layers []Layer // from the axis outwards
	Bars   []Bar   // from the top down
}

// Layer is one of the quantities of a bar.
type Layer struct {
	Name  string
	Color string // in the syntax of SVG; "" for one of the palette
}

// Bar is one stack.
type Bar struct {
	Name   string
	Values []float64 // of each layer, not negative
}

const barHigh, barGap = 22.0, 8.0

// WriteTo writes the picture as SVG. The error names a bar that cannot be drawn.
func (b *Bars) WriteTo(w io.Writer) (int64, error) {
	var names, legend []string
	longest := 0.0
	for i := range b.Bars {
		n, err := b.Bars[i].length(len(b.Layers))
		if err != nil {
			return 0, err
		}
		names = append(names, b.Bars[i].Name)
		longest = max(longest, n)
	}
	for _, l := range b.Layers {
		legend = append(legend, l.Name)
	}
	left := margin + wide(names...) + 8
	top := margin + titleHigh
	bottom := top + float64(len(b.Bars))*(barHigh+barGap) + barGap
	x := newAxis(0, longest, left, left+plotWide)
	var p picture
	p.heading(b.Title)
	p.across(x, top, bottom, b.Axis)
	for i, bar := range b.Bars {
		y := top + barGap + float64(i)*(barHigh+barGap)
		p.text(left-8, y+barHigh/2+4, "end", bar.Name)
		sum := 0.0
		for k, v := range bar.Values {
			if v > 0 {
				from, to := x.at(sum), x.at(sum+v)
				p.rect(from, y, to-from, barHigh, b.color(k), fmt.Sprintf("%s, %s: %s", bar.Name, legend[k], value(v)))
			}
			sum += v
		}
	}
	p.line(left, top, left, bottom, ink)
	key := x.to + 2*margin
	for k, name := range legend {
		y := top + barGap + float64(k)*lineHigh
		p.rect(key, y, 12, 12, b.color(k), name)
		p.text(key+18, y+10, "start", name)
	}
	high := max(bottom+axisHigh, top+barGap+float64(len(legend))*lineHigh)
	return p.writeTo(w, key+18+wide(legend...)+margin, high+margin, b.Title)
}

// length is the sum of a bar's values, one for each of so many layers.
func (b *Bar) length(layers int) (sum float64, err error) {
	if len(b.Values) != layers {
		return 0, fmt.Errorf("chart: bar %q: %d values, want one for each of %d layers", b.Name, len(b.Values), layers)
	}
	for _, v := range b.Values {
		if v < 0 {
			return 0, fmt.Errorf("chart: bar %q: value %v, want 0 or more", b.Name, v)
		}
		sum += v
	}
	return sum, finite(fmt.Sprintf("bar %q", b.Name), b.Values)
}

func (b *Bars) color(layer int) string {
	if c := b.Layers[layer].Color; c != "" {
		return c
	}
	return palette[layer%len(palette)]
}
