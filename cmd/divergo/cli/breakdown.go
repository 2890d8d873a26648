package cli

import (
	"fmt"
	"io"

	"divergo/internal/chart"
	"divergo/internal/table"
	"divergo/sm"
	"divergo/testbench/profile"
)

// shownClasses lists the classes of an SM that has threads: issued warps, the
// fullest first, then the reasons for not issuing.
func shownClasses(warpSize int) (list []sm.Class) {
	for class := sm.NumClasses - 1; class >= sm.ClassIssue; class-- {
		if class.Name(warpSize) != "" {
			list = append(list, class)
		}
	}
	return append(list, sm.ClassStall, sm.ClassMem, sm.IdleDepend, sm.IdleFetch, sm.IdleBranch, sm.IdleBarrier, sm.IdleSync)
}

// breakdown is the cycles of SMs with threads in the shown classes, one row a
// result, in units of the sum of the first row.
type breakdown struct {
	results  []*result
	warpSize int
	classes  []sm.Class
	rows     [][]float64
}

func newBreakdown(results []*result, warpSize int) *breakdown {
	b := &breakdown{results: results, warpSize: warpSize, classes: shownClasses(warpSize)}
	unit := 0.0
	for i, r := range results {
		cycles := &r.counters.Classes
		if i == 0 {
			unit = float64(max(r.counters.SMCycles-cycles[sm.ClassEmpty], 1))
		}
		var row []float64
		for _, class := range b.classes {
			row = append(row, float64(cycles[class])/unit)
		}
		b.rows = append(b.rows, row)
	}
	return b
}

// print writes the breakdown in per cent.
func (b *breakdown) print(w io.Writer) error {
	first := b.results[0].Mechanism
	fmt.Fprintf(w, "cycles of SMs with threads, %s = 100: Wn-m issue n to m lanes, dependence to sync are W0_Idle\n\n", first)
	header := []string{"mechanism"}
	for _, class := range b.classes {
		header = append(header, class.Name(b.warpSize))
	}
	t := table.New(append(header, "sum")...)
	for i, row := range b.rows {
		cells, sum := []any{b.results[i].Mechanism}, 0.0
		for _, v := range row {
			cells = append(cells, percent(v))
			sum += v
		}
		t.Row(append(cells, percent(sum))...)
	}
	_, err := t.WriteTo(w)
	return err
}

// percent is a share with one digit, or a dash for nothing at all.
func percent(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*v)
}

// chart is the breakdown as a picture.
func (b *breakdown) chart(title string) *chart.Bars {
	bars := &chart.Bars{Title: title, Axis: fmt.Sprintf("cycles of SMs with threads, %s = 1", b.results[0].Mechanism)}
	for _, class := range b.classes {
		name := class.Name(b.warpSize)
		if class < sm.ClassMem {
			name = "W0_Idle, " + name
		}
		bars.Layers = append(bars.Layers, chart.Layer{Name: name, Color: profile.Colors[class]})
	}
	for i, row := range b.rows {
		bars.Bars = append(bars.Bars, chart.Bar{Name: b.results[i].Mechanism, Values: row})
	}
	return bars
}
