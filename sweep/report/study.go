// Package report answers the question of a sweep: which machine is best, on which kernels, for how
// much area, and which axes matter. It writes a page for a browser, a table for a terminal and a
// table for LaTeX.
//
//	study, err := report.Read(plan, store, node)
//	r, err := report.New(study, report.Options{Budget: 40})
//	err = r.WritePage(file)
package report

import (
	"fmt"
	"strings"

	"divergo/gpu/area"
)

// Kind says what an axis of a sweep varies.
type Kind uint8

// The kinds of axes.
const (
	Machine Kind = iota // a part of the configuration
	Work                // the kernel and its input size
	Seed                // random inputs: repetitions of the same measurement
)

// Axis is an axis of a sweep with its values, as the plan has them.
type Axis struct {
	Name   string
	Kind   Kind
	Values []string
}

// Point is one combination of values with its result.
type Point struct {
	At      []int      // index of the value, by axis
	Outcome string     // "finished", another outcome, or "" without a result
	Time    float64    // in µs: cycles by the core clock
	Area    area.Range // in mm²; equal for all points of a machine
	Command string     // command line that runs the point by itself
}

// Idle is an axis that changed nothing.
type Idle struct{ Axis, Why string }

// Study is the results of a sweep.
type Study struct {
	Name   string // the plan's file
	Axes   []Axis
	Fixed  []string // "key=value" of what all points have in common
	Node   int      // process technology of the areas, in nm
	Points []Point  // in the order of the plan
	Idle   []Idle
}

// tuple identifies the values of a point on the axes of a kind.
func (s *Study) tuple(p *Point, kind Kind) string {
	var b strings.Builder
	for a := range s.Axes {
		if s.Axes[a].Kind == kind {
			fmt.Fprint(&b, p.At[a], " ")
		}
	}
	return b.String()
}

// settings names a machine: its values on the axes of machines.
func (s *Study) settings(at []int) string {
	var list []string
	for a := range s.Axes {
		if x := &s.Axes[a]; x.Kind == Machine {
			list = append(list, x.Name+"="+x.Values[at[a]])
		}
	}
	if list == nil {
		return "the only machine"
	}
	return strings.Join(list, " ")
}

// work names the kernel of a point: the values on the axes of kernels.
func (s *Study) work(p *Point) string {
	var list []string
	for a := range s.Axes {
		if x := &s.Axes[a]; x.Kind == Work {
			list = append(list, x.Values[p.At[a]])
		}
	}
	return strings.Join(list, " ")
}
