package report

import (
	"fmt"
	"io"
	"strings"
)

// tex escapes the characters that LaTeX reads as commands.
var tex = strings.NewReplacer(`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `{`, `\{`,
	`}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`)

// WriteLaTeX writes a table of the fastest machines within the budget, and the baseline. It needs
// the package booktabs.
func (r *Report) WriteLaTeX(w io.Writer) error {
	var b strings.Builder
	axes := r.Varying()
	fmt.Fprintf(&b, "%% %s: %s\n%% %s\n", oneLine(r.Name), r.Summary(), oneLine(r.Measure()))
	fmt.Fprintf(&b, "%% the fastest %s; \\usepackage{booktabs}\n", r.Limit())
	fmt.Fprintf(&b, "\\begin{tabular}{%srr%s}\n\\toprule\n", strings.Repeat("l", len(axes)), strings.Repeat("r", min(1, r.Seeds-1))) // with intervals
	for _, a := range axes {
		fmt.Fprintf(&b, "%s & ", tex.Replace(r.Axes[a].Name))
	}
	b.WriteString("area (mm$^2$) & speed")
	if r.Seeds > 1 {
		b.WriteString(` & 95\,\% interval`)
	}
	b.WriteString(" \\\\\n\\midrule\n")
	row := func(i int) {
		c := &r.Machines[i]
		for _, a := range axes {
			fmt.Fprintf(&b, "%s & ", tex.Replace(r.Axes[a].Values[c.At[a]]))
		}
		fmt.Fprintf(&b, "%s & %.3f", mm2(c.Area.Mid), c.Speed.Mid)
		if r.Seeds > 1 {
			b.WriteString(" & " + strings.ReplaceAll(interval(c.Speed), " to ", "--"))
		}
		b.WriteString(" \\\\\n")
	}
	for _, i := range r.Top() {
		row(i)
	}
	b.WriteString("\\midrule\n")
	row(r.Baseline)
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine keeps a text from ending a LaTeX comment.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
