package cli

import (
	"fmt"
	"io"

	"divergo/internal/chart"
	"divergo/internal/table"
	"divergo/sm"
	"divergo/testbench/profile"
)

// shownClasses lists the classes of an SM that has threads. Issued warps come first, the fullest
// first; the reasons for not issuing follow.
func shownClasses(warpSize int) (list []sm.Class) {
	for class := sm.NumClasses - 1; class >= sm.ClassIssue; class-- {
		if class.Name(warpSize) != "" {
			list = append(list, class)
		}
	}
	return append(list, sm.ClassStall, sm.ClassMem, sm.IdleDepend, sm.IdleFetch, sm.IdleBranch, sm.IdleBarrier,
		sm.IdleSync)
}

// breakdown holds the cycles of SMs with threads, by shown class. Each result has a row; the unit
// is the sum of the first row.
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

// print writes the breakdown in per cent: the classes and their sum. Without all, it pairs the
// issue classes, so that the table fits 100 columns.
func (b *breakdown) print(w io.Writer, all bool) error {
	first := b.results[0].Mechanism
	fmt.Fprintf(w, "cycles of SMs with threads, %s = 100: Wn-m issue n to m lanes, the others say why none issue\n\n",
		first)
	header := []string{"mechanism"}
	groups := b.groups(all)
	for _, g := range groups {
		header = append(header, g.name)
	}
	if all {
		header = append(header, "sum")
	}
	t := table.New(header...)
	for i, row := range b.rows {
		cells, sum := []any{b.results[i].Mechanism}, 0.0
		for _, g := range groups {
			part := 0.0
			for _, v := range row[g.from:g.to] {
				part += v
			}
			cells = append(cells, percent(part))
			sum += part
		}
		if all {
			cells = append(cells, percent(sum))
		}
		t.Row(cells...)
	}
	_, err := t.WriteTo(w)
	return err
}

// group is a column of the table: neighbouring classes, from inclusive, to exclusive.
type group struct {
	name     string
	from, to int
}

// groups returns the columns: one for each class, or, unless each is set, one for two issue
// classes.
func (b *breakdown) groups(each bool) (list []group) {
	issues := 0 // number of issue classes, which come first
	for b.classes[issues] >= sm.ClassIssue {
		issues++
	}
	for i := 0; i < len(b.classes); i++ {
		name := b.classes[i].Name(b.warpSize)
		if each || i >= issues || i+1 == issues {
			list = append(list, group{name, i, i + 1})
			continue
		}
		_, most := b.classes[i].Lanes(b.warpSize)
		least, _ := b.classes[i+1].Lanes(b.warpSize)
		list = append(list, group{fmt.Sprintf("W%d-%d", least, most), i, i + 2})
		i++
	}
	return list
}

// percent prints a share with one decimal, or a dash for zero.
func percent(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*v)
}

// chart draws the breakdown as bars.
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
