// Package dump writes the waveform of a session, with PCs shown as instructions
// and the signals that a reader wants first in groups.
package dump

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"divergo/gpu"
	"divergo/isa"
	"divergo/testbench"
	"divergo/waves"
)

// Attach starts a dump of a session whose machine is loaded. The program as the
// SMs run it names the PCs.
func Attach(s *testbench.Session, w io.Writer, opts waves.Options) (*waves.Dump, error) {
	pcs := pcNames(s.Machine.SMs[0].Program())
	opts.Names = []waves.Names{{Pattern: "**.PC", Of: pcs}, {Pattern: "**.RPC", Of: pcs}}
	opts.Groups = groups(opts.Filter, stacks(s.Machine))
	return waves.Attach(s.Machine.System(), w, opts)
}

// pcNames calls each PC by its instruction.
func pcNames(p *isa.Program) map[uint64]string {
	names := make(map[uint64]string)
	for pc := range p.Insts {
		names[uint64(pc)] = fmt.Sprintf("%d %s", pc, p.Mnemonic(uint32(pc)))
	}
	return names
}

// shown is how many warps, and stack entries of each, the groups list.
const (
	shownWarps   = 8
	shownStacks  = 4
	shownEntries = 6
)

var stackSignal = regexp.MustCompile(`\.Div\.(\w+)\.(Entries|Depth)\[(\d+)\]`)

// stack is a field of the divergence hardware that is a units.Stack.
type stack struct {
	field           string
	depths, entries int // stacks, and entries of all
}

// capacity is the number of entries of each.
func (s *stack) capacity() int { return s.entries / max(s.depths, 1) }

// stacks lists those that the machine's mechanism has.
func stacks(m *gpu.Machine) (list []stack) {
	for _, sim := range m.System().Sims() {
		for _, s := range sim.Signals() {
			field := stackSignal.FindStringSubmatch(s.Path)
			if field == nil {
				continue
			}
			i := slices.IndexFunc(list, func(s stack) bool { return s.field == field[1] })
			if i < 0 {
				i, list = len(list), append(list, stack{field: field[1]})
			}
			n, _ := strconv.Atoi(field[3]) // digits
			if field[2] == "Depth" {
				list[i].depths = max(list[i].depths, n+1)
			} else {
				list[i].entries = max(list[i].entries, n+1)
			}
		}
	}
	return list
}

var someSM = regexp.MustCompile(`^sm\[(\d+)\]`)

// groups arranges a waveform in GTKWave: what a reader wants to see first of
// one SM, the first that the filter names. Signals that a mechanism does not have are left out.
func groups(filter []string, list []stack) []waves.Group {
	sm := "sm[0]"
	for _, f := range filter {
		if m := someSM.FindString(f); m != "" {
			sm = m
			break
		}
	}
	pick := func(format string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(sm+format, i))
		}
		return list
	}
	var entries []string
	for _, s := range list {
		for i := range shownStacks {
			entries = append(entries, fmt.Sprintf("%s.Div.%s.Depth[%d]", sm, s.field, i))
			for e := range shownEntries {
				entries = append(entries, fmt.Sprintf("%s.Div.%s.Entries[%d].**", sm, s.field, i*s.capacity()+e))
			}
		}
	}
	return []waves.Group{
		{Name: "Clocks", Color: waves.Normal, Patterns: []string{"clocks.**"}},
		{Name: "Pipeline", Color: waves.Green, Patterns: []string{
			sm + ".Issue.Class", sm + ".Issue.Fire.**", sm + ".Issue.Out.Front.Mask", sm + ".Issue.Out.Front.Row",
			sm + ".Fetch.Valid", sm + ".Fetch.Slot", sm + ".Fetch.PC", sm + ".Issue.Count",
			sm + ".ALU.Outcome.Valid", sm + ".ALU.Outcome.Front.**", sm + ".LSU.Started", sm + ".LSU.Tag",
		}},
		{Name: "Slots", Color: waves.Yellow, Patterns: pick(".Div.Table[%d].**", shownWarps)},
		{Name: "Stacks", Color: waves.Orange, Patterns: entries},
		{Name: "Divergence counters", Color: waves.Orange, Patterns: []string{sm + ".Div.Stats.**"}},
		{Name: "L1", Color: waves.Blue, Patterns: []string{sm + ".Mem.L1.Stall", sm + ".Mem.L1.Req.Valid", sm + ".Mem.L1.Rsp.Valid", sm + ".Mem.L1.Count.**"}},
		{Name: "L2", Color: waves.Indigo, Patterns: []string{"l2[0].Count.**"}},
		{Name: "DRAM", Color: waves.Violet, Patterns: []string{"dram[0].Command.**", "dram[0].In.Count", "dram[0].Out.Count", "dram[0].Count.**"}},
	}
}
