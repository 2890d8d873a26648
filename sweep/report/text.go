package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"divergo/internal/sample"
	"divergo/internal/table"
)

// shown is the number of machines that tables list.
const shown = 10

// Top returns the fastest machines within the budget, at most ten.
func (r *Report) Top() []int { return r.Best[:min(shown, len(r.Best))] }

// Varying returns the axes of machines that have several values.
func (r *Report) Varying() (list []int) {
	for a := range r.Axes {
		if r.Axes[a].Kind == Machine && len(r.Axes[a].Values) > 1 {
			list = append(list, a)
		}
	}
	return list
}

// Summary counts what the report compares, in a sentence.
func (r *Report) Summary() string {
	finished := ""
	if r.Finished < len(r.Points) {
		finished = fmt.Sprintf(" (%d finished)", r.Finished)
	}
	return fmt.Sprintf("%s%s: %s on %s for %s", count(len(r.Points), "point"), finished,
		count(len(r.Machines), "machine"), count(len(r.Kernels), "kernel"), count(r.Seeds, "seed"))
}

// Measure says what the speed of a machine is, in a sentence.
func (r *Report) Measure() string {
	s := fmt.Sprintf("Speed is the %s mean over kernels, relative to %s", r.Mean, r.Settings(r.Baseline))
	if r.Seeds > 1 {
		s += fmt.Sprintf(", with the %g %% confidence interval of Student's t over %d seeds", 100*sample.Confidence, r.Seeds)
	}
	return s + "."
}

// Limit says which budget holds, in words.
func (r *Report) Limit() string {
	if r.Budget == 0 {
		return "without a budget"
	}
	return "within " + strconv.FormatFloat(r.Budget, 'f', -1, 64) + " mm²"
}

// count writes a number with a noun, and commas between thousands.
func count(n int, noun string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if n != 1 {
		noun += "s"
	}
	return s + " " + noun
}

// mm2 writes an area.
func mm2(v float64) string {
	digits := 2
	if v >= 100 {
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// percent writes a share with one digit.
func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }

// WriteText writes the answers as tables for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", r.Summary(), r.Measure())
	if len(r.Best) > 0 {
		fmt.Fprintf(&b, "the fastest %s\n", r.Limit())
		r.machines(&b, r.Top())
	} else {
		fmt.Fprintf(&b, "no machine is %s; the smallest has %s mm²\n", r.Limit(), mm2(r.Machines[r.Front[0]].Area.Mid))
	}
	fmt.Fprintf(&b, "\nPareto front of speed and area\n")
	r.machines(&b, r.Front)
	if len(r.Factors) > 0 {
		fmt.Fprintf(&b, "\nvariance of speed explained\n")
		t := table.New("axis", "by itself", "with one other axis, at most")
		for i := range r.Factors {
			most, with := 0.0, ""
			for k := range r.Factors {
				if share := r.Pair(i, k); k != i && share > most {
					most, with = share, r.Factors[k].Name
				}
			}
			t.Row(r.Factors[i].Name, percent(r.MainEffect(i)), strings.TrimSpace(percent(most)+" "+with))
		}
		t.WriteTo(&b) // a builder takes everything
	}
	for _, i := range r.Idle {
		fmt.Fprintf(&b, "\n%s changed nothing: %s", i.Axis, i.Why)
	}
	if len(r.Idle) > 0 {
		b.WriteByte('\n')
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, "\nnot compared\n")
		t := table.New("machines", "outcome", "kernel", "the first")
		for _, l := range r.LeftOut {
			t.Row(l.Machines, l.Outcome, l.Kernel, l.First)
		}
		t.WriteTo(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// machines writes a table of machines.
func (r *Report) machines(w io.Writer, list []int) {
	header := []string{"area mm²", "speed"}
	if r.Seeds > 1 {
		header = append(header, "interval")
	}
	for _, a := range r.Varying() {
		header = append(header, r.Axes[a].Name)
	}
	t := table.New(header...)
	for _, i := range list {
		c := &r.Machines[i]
		row := []any{mm2(c.Area.Mid), fmt.Sprintf("%.3f", c.Speed.Mid)}
		if r.Seeds > 1 {
			row = append(row, interval(c.Speed))
		}
		for _, a := range r.Varying() {
			row = append(row, r.Axes[a].Values[c.At[a]])
		}
		t.Row(row...)
	}
	t.WriteTo(w)
}
