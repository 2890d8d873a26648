package report_test

import (
	"fmt"

	"divergo/gpu/area"
	"divergo/sweep/report"
)

// Two mechanisms on one kernel.
func Example() {
	study := &report.Study{
		Name: "plan.toml",
		Axes: []report.Axis{{Name: "mechanism", Values: []string{"pdom", "tbc"}}, {Name: "kernel", Kind: report.Work, Values: []string{"bfs"}}},
		Points: []report.Point{
			{At: []int{0, 0}, Outcome: "finished", Time: 30, Area: area.Range{Low: 9, Mid: 10, High: 11}},
			{At: []int{1, 0}, Outcome: "finished", Time: 20, Area: area.Range{Low: 10, Mid: 11, High: 12}},
		},
	}
	r, err := report.New(study, report.Options{Budget: 12})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := r.Best[0]
	fmt.Println(r.Settings(best), r.Machines[best].Speed)
	// Output: mechanism=tbc 1.500
}
