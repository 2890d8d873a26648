package chart_test

import (
	"bytes"
	"fmt"
	"strings"

	"divergo/internal/chart"
)

// These are the cycles of two mechanisms, by cause.
func ExampleBars() {
	b := chart.Bars{
		Title:  "mandelbrot",
		Axis:   "cycles, pdom = 1",
		Layers: []chart.Layer{{Name: "issue"}, {Name: "stall", Color: "#777777"}},
		Bars:   []chart.Bar{{Name: "pdom", Values: []float64{0.75, 0.25}}, {Name: "tbc", Values: []float64{0.5, 0.25}}},
	}
	var svg bytes.Buffer
	if _, err := b.WriteTo(&svg); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(svg.String(), "<title>tbc, issue: 0.5</title>"))
	// Output: true
}

// These are the cycles of a mechanism over a parameter.
func ExampleLines() {
	l := chart.Lines{Title: "Cost of divergence", X: "paths", Y: "cycles", Series: []chart.Series{
		{Name: "token", X: []float64{1, 2, 4, 8}, Y: []float64{100, 210, 420, 830}},
	}}
	var svg bytes.Buffer
	if _, err := (chart.Column{&l}).WriteTo(&svg); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(svg.String(), "<title>token: 8, 830</title>"))
	// Output: true
}
