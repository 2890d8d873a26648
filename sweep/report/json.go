package report

import "divergo/gpu/area"

// Answer is a report as JSON. Areas are in mm². An interval has the same limits as its middle if
// there is one seed.
type Answer struct {
	Schema   string            `json:"schema"`
	Plan     string            `json:"plan"`
	Points   int               `json:"points"`
	Finished int               `json:"finished"`
	Kernels  []string          `json:"kernels"`
	Seeds    int               `json:"seeds"`
	Mean     string            `json:"mean"`
	Baseline map[string]string `json:"baseline"`
	Node     int               `json:"node_nm"`
	Budget   number            `json:"budget,omitempty"`
	Best     []machine         `json:"best"`
	Front    []machine         `json:"front"`
	Effects  []effect          `json:"effects"`
	Higher   number            `json:"effects_of_three_and_more"`
	Within   number            `json:"within_seeds"`
	Idle     []idle            `json:"changed_nothing"`
	LeftOut  []leftOut         `json:"not_compared"`
}

type (
	machine struct {
		Axes     map[string]string `json:"axes"`
		Area     area.Range        `json:"area"`
		Speed    [3]number         `json:"speed"` // low, middle, high
		ByKernel []number          `json:"by_kernel"`
	}
	effect struct {
		Axes  []string `json:"axes"`
		Share number   `json:"share"`
	}
	idle struct {
		Axis string `json:"axis"`
		Why  string `json:"why"`
	}
	leftOut struct {
		Machines int    `json:"machines"`
		Outcome  string `json:"outcome"`
		Kernel   string `json:"kernel"`
		First    string `json:"first"`
	}
)

// Answer returns the answers under a schema: the machines that the tables list, and all effects.
func (r *Report) Answer(schema string) *Answer {
	a := &Answer{
		Schema: schema, Plan: r.Name, Points: len(r.Points), Finished: r.Finished, Kernels: r.Kernels, Seeds: r.Seeds,
		Mean: string(r.Mean), Baseline: r.axes(r.Baseline), Node: r.Node, Budget: number(r.Budget),
		Best: r.answers(r.Top()), Front: r.answers(r.Front), Effects: []effect{}, Higher: number(r.Higher),
		Within: number(r.Within), Idle: []idle{}, LeftOut: []leftOut{},
	}
	for _, e := range r.Effects {
		axes := []string{r.Factors[e.A].Name}
		if e.B >= 0 {
			axes = append(axes, r.Factors[e.B].Name)
		}
		a.Effects = append(a.Effects, effect{axes, number(e.Share)})
	}
	for _, i := range r.Idle {
		a.Idle = append(a.Idle, idle(i))
	}
	for _, l := range r.LeftOut {
		a.LeftOut = append(a.LeftOut, leftOut{l.Machines, l.Outcome, l.Kernel, l.First})
	}
	return a
}

// axes returns the values of a machine by axis.
func (r *Report) axes(i int) map[string]string {
	m := map[string]string{}
	for _, a := range r.Varying() {
		m[r.Axes[a].Name] = r.Axes[a].Values[r.Machines[i].At[a]]
	}
	return m
}

func (r *Report) answers(list []int) []machine {
	to := []machine{}
	for _, i := range list {
		c := &r.Machines[i]
		m := machine{
			Axes: r.axes(i), Area: c.Area,
			Speed: [3]number{number(c.Speed.Low), number(c.Speed.Mid), number(c.Speed.High)},
		}
		for _, s := range c.ByKernel {
			m.ByKernel = append(m.ByKernel, number(s.Mid))
		}
		to = append(to, m)
	}
	return to
}
