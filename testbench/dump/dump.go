// Package dump writes the waveform of a session, with PCs shown as instructions
// and the signals that a reader wants first in groups.
package dump

import (
	"fmt"
	"io"
	"regexp"
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
	opts.Groups = groups(opts.Filter, capacity(s.Machine))
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

var stackSignal = regexp.MustCompile(`\.Div\.Stack\.(Entries|Depth)\[(\d+)\]`)

// capacity is the number of entries that each divergence stack has, 0 if there
// are none.
func capacity(m *gpu.Machine) int {
	last := map[string]int{"Depth": -1, "Entries": -1}
	for _, sim := range m.System().Sims() {
		for _, s := range sim.Signals() {
			if i := stackSignal.FindStringSubmatch(s.Path); i != nil {
				n, _ := strconv.Atoi(i[2]) // digits
				last[i[1]] = max(last[i[1]], n)
			}
		}
	}
	return (last["Entries"] + 1) / max(last["Depth"]+1, 1)
}

var someSM = regexp.MustCompile(`^sm\[(\d+)\]`)

// groups arranges a waveform in GTKWave: what a reader wants to see first of
// one SM, the first that the filter names. depth is the capacity of a warp's
// stack in the dump. Signals that a mechanism does not have are left out.
func groups(filter []string, depth int) []waves.Group {
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
	var stacks []string
	for w := range shownStacks {
		stacks = append(stacks, fmt.Sprintf("%s.Div.Stack.Depth[%d]", sm, w))
		for e := range shownEntries {
			stacks = append(stacks, fmt.Sprintf("%s.Div.Stack.Entries[%d].**", sm, w*depth+e))
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
		{Name: "Stacks", Color: waves.Orange, Patterns: stacks},
		{Name: "Divergence counters", Color: waves.Orange, Patterns: []string{sm + ".Div.Stats.**"}},
		{Name: "L1", Color: waves.Blue, Patterns: []string{sm + ".Mem.L1.Stall", sm + ".Mem.L1.Req.Valid", sm + ".Mem.L1.Rsp.Valid", sm + ".Mem.L1.Count.**"}},
		{Name: "L2", Color: waves.Indigo, Patterns: []string{"l2[0].Count.**"}},
		{Name: "DRAM", Color: waves.Violet, Patterns: []string{"dram[0].Command.**", "dram[0].In.Count", "dram[0].Out.Count", "dram[0].Count.**"}},
	}
}
