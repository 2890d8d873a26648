package profile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"divergo/internal/table"
	"divergo/isa"
	"divergo/memsys"
	"divergo/ptx"
	"divergo/sm"
)

// Report holds the profiles of one or more runs of the same kernels, side by side.
type Report struct {
	Title   string
	Machine string // of the runs, in words
	Runs    []Run
	// Source returns the lines of a file that PTX names, or of the PTX; nil if the file is not
	// available.
	Source func(file string) []string
}

// Run is one of the runs.
type Run struct {
	Name     string // such as the mechanism
	WarpSize int
	Cycles   uint64 // from the start to the end of the run
	Kernels  []Kernel
}

// schema identifies the format of the JSON.
const schema = "divergo.profile.v1"

// part is a kernel in all runs.
type part struct {
	prog  *isa.Program // of the first run with the kernel
	in    []*Kernel    // by run; nil if the run did not launch it
	lines []row
}

// row is a line in all runs.
type row struct {
	file   string
	number int32
	in     []*Counts // by run; zero without counts
	insts  []instRow
}

// instRow is an instruction in all runs.
type instRow struct {
	pc uint32
	in []*Counts
}

// parts are the kernels of all runs with their lines, each once.
func (r *Report) parts() []*part {
	var list []*part
	for i := range r.Runs {
		for j := range r.Runs[i].Kernels {
			k := &r.Runs[i].Kernels[j]
			at := slices.IndexFunc(list, func(p *part) bool {
				return p.prog.Name == k.Prog.Name &&
					p.prog.File == k.Prog.File && p.in[i] == nil
			})
			if at < 0 {
				at = len(list)
				list = append(list, &part{prog: k.Prog, in: make([]*Kernel, len(r.Runs))})
			}
			list[at].in[i] = k
		}
	}
	for _, p := range list {
		p.join()
	}
	return list
}

// join fills in the lines.
func (p *part) join() {
	at := map[place]int{}
	for i, k := range p.in {
		if k == nil {
			continue
		}
		for j := range k.Lines {
			l := &k.Lines[j]
			of := place{l.File, l.Number}
			n, ok := at[of]
			if !ok {
				n = len(p.lines)
				at[of] = n
				p.lines = append(p.lines, row{file: l.File, number: l.Number, in: nothing(len(p.in))})
			}
			to := &p.lines[n]
			to.in[i] = &l.Counts
			for x := range l.Insts {
				pc := l.Insts[x].PC
				m := slices.IndexFunc(to.insts, func(o instRow) bool { return o.pc == pc })
				if m < 0 {
					m = len(to.insts)
					to.insts = append(to.insts, instRow{pc, nothing(len(p.in))})
				}
				to.insts[m].in[i] = &l.Insts[x].Counts
			}
		}
	}
	slices.SortStableFunc(p.lines, func(a, b row) int { return order(p.prog, a.file, a.number, b.file, b.number) })
	for i := range p.lines {
		slices.SortFunc(p.lines[i].insts, func(a, b instRow) int { return int(a.pc) - int(b.pc) })
	}
}

func nothing(runs int) []*Counts {
	list := make([]*Counts, runs)
	for i := range list {
		list[i] = new(Counts)
	}
	return list
}

// total returns the counts of a run.
func (p *part) total(run int) *Counts {
	if k := p.in[run]; k != nil {
		return &k.Total
	}
	return new(Counts)
}

// launches returns the number of launches of the kernel in a run.
func (p *part) launches(run int) int {
	if k := p.in[run]; k != nil {
		return k.Launches
	}
	return 0
}

// name returns the kernel's name in the source.
func (p *part) name() string { return ptx.Demangled(p.prog.Name) }

// branches returns the instructions at which threads of a warp can diverge.
func (p *part) branches() (list []instRow) {
	for _, l := range p.lines {
		for _, in := range l.insts {
			if slices.ContainsFunc(in.in, func(c *Counts) bool { return c.Branches > 0 }) {
				list = append(list, in)
			}
		}
	}
	return list
}

// where returns a line as text.
func where(file string, number int32) string {
	if file == "" {
		return "(no instruction)"
	}
	return fmt.Sprintf("%s:%d", file, number)
}

// text returns a line of a source, "" if it is not available.
func (r *Report) text(file string, number int32) string {
	if r.Source == nil || file == "" {
		return ""
	}
	if lines := r.Source(file); number >= 1 && int(number) <= len(lines) {
		return strings.TrimSpace(lines[number-1])
	}
	return ""
}

// classes are the classes that can belong to a warp instruction, besides issue.
var classes = []sm.Class{
	sm.ClassStall, sm.ClassMem, sm.IdleDepend, sm.IdleFetch, sm.IdleBranch, sm.IdleBarrier,
	sm.IdleSync,
}

// Print writes tables. For one run they list everything about each line; for several runs they list
// the largest differences, side by side.
func (r *Report) Print(w io.Writer) error {
	for i, p := range r.parts() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s, %d launches: cycles of SMs with threads, by line; lanes are the mean of active ones\n\n",
			p.name(), p.launches(0))
		lines, branches := r.tables(p)
		if _, err := lines.WriteTo(w); err != nil {
			return err
		}
		if len(p.branches()) == 0 {
			continue
		}
		fmt.Fprintln(w)
		if _, err := branches.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// tables returns the tables of lines and of branches of a kernel.
func (r *Report) tables(p *part) (lines, branches *table.Table) {
	one := len(r.Runs) == 1
	head, branchHead := []string{"line"}, []string{"pc", "line", "class"}
	if one {
		head = append(head, "executed", "lanes", "diverged", "mem_lines", "l1_misses", "cycles", "%", "Issue")
		for _, c := range classes {
			head = append(head, c.Name(r.Runs[0].WarpSize))
		}
		branchHead = append(branchHead, "executed", "diverged", "lanes")
	} else {
		for _, what := range []string{"cycles", "lanes", "diverged", "mem_lines"} {
			for i := range r.Runs {
				head = append(head, what+" "+r.Runs[i].Name)
			}
		}
		for _, what := range []string{"executed", "diverged"} {
			for i := range r.Runs {
				branchHead = append(branchHead, what+" "+r.Runs[i].Name)
			}
		}
	}
	lines, branches = table.New(append(head, "source")...), table.New(append(branchHead, "instruction")...)
	add := func(name string, in []*Counts, text string) {
		cells := []any{name}
		if one {
			c := in[0]
			cells = append(cells, c.Issued, c.Mean(), c.Divergent, c.Lines, c.Found[memsys.Miss], c.sum(),
				share(c.sum(), p.total(0).sum()), c.Cycles.Issue())
			for _, class := range classes {
				cells = append(cells, c.Cycles[class])
			}
		} else {
			for _, of := range []func(*Counts) any{
				func(c *Counts) any { return c.sum() }, func(c *Counts) any { return c.Mean() },
				func(c *Counts) any { return c.Divergent }, func(c *Counts) any { return c.Lines },
			} {
				for _, c := range in {
					cells = append(cells, of(c))
				}
			}
		}
		lines.Row(append(cells, text)...)
	}
	for _, l := range p.lines {
		add(where(l.file, l.number), l.in, r.text(l.file, l.number))
	}
	var totals []*Counts
	for i := range r.Runs {
		totals = append(totals, p.total(i))
	}
	add("total", totals, "")
	for _, b := range p.branches() {
		cells := []any{b.pc, p.prog.Where(b.pc), p.prog.Insts[b.pc].Class}
		for _, c := range b.in {
			cells = append(cells, c.Branches)
		}
		for _, c := range b.in {
			cells = append(cells, c.Divergent)
		}
		if one {
			cells = append(cells, b.in[0].Mean())
		}
		branches.Row(append(cells, p.prog.Mnemonic(b.pc))...)
	}
	return lines, branches
}

// share returns a part in per cent.
func share(n, of uint64) string {
	if of == 0 || n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}

// JSON returns the report for other programs: runs, their kernels, lines and instructions. Numbers
// have the names of the statistics that they add up to.
func (r *Report) JSON() map[string]any {
	runs := []map[string]any{}
	for i := range r.Runs {
		run := &r.Runs[i]
		kernels := []map[string]any{}
		for j := range run.Kernels {
			k := &run.Kernels[j]
			lines := []map[string]any{}
			for _, l := range k.Lines {
				insts := []map[string]any{}
				for _, in := range l.Insts {
					one := map[string]any{"pc": in.PC, "text": k.Prog.Mnemonic(in.PC), "stats": run.stats(&in.Counts)}
					if class := k.Prog.Insts[in.PC].Class; class != isa.ClassNone {
						one["class"] = class.String()
					}
					insts = append(insts, one)
				}
				lines = append(lines, map[string]any{
					"file": l.File, "line": l.Number, "source": r.text(l.File, l.Number), "stats": run.stats(&l.Counts),
					"instructions": insts,
				})
			}
			kernels = append(kernels, map[string]any{
				"kernel": k.Prog.Name, "name": ptx.Demangled(k.Prog.Name), "launches": k.Launches, "lines": lines,
				"total": run.stats(&k.Total),
			})
		}
		runs = append(runs, map[string]any{"mechanism": run.Name, "kernels": kernels})
	}
	return map[string]any{"schema": schema, "title": r.Title, "runs": runs}
}

// stats returns counts by name.
func (r *Run) stats(c *Counts) map[string]any {
	cycles := map[string]uint64{"Issue": c.Cycles.Issue()}
	for _, class := range classes {
		cycles[class.Name(r.WarpSize)] = c.Cycles[class]
	}
	return map[string]any{
		"warp_instructions": c.Issued, "thread_instructions": c.Lanes, "inserted_instructions": c.Inserted,
		"active_lane_histogram": c.Active[:r.WarpSize+1], "mean_active_lanes": c.Mean(),
		"branches": c.Branches, "divergent_branches": c.Divergent,
		"cycles": c.sum(), "cycle_breakdown": cycles,
		"mem_instructions": c.Accesses, "mem_lines": c.Lines,
		"l1_load_hits": c.Found[memsys.Hit], "l1_load_misses": c.Found[memsys.Miss],
		"l1_load_merges": c.Found[memsys.Merge],
	}
}
