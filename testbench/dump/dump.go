// Package dump writes the waveform of a session, with PCs shown as instructions
// and the signals that a reader wants first in groups.
package dump

import (
	"fmt"
	"io"
	"slices"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/testbench"
	"divergo/waves"
)

// Attach starts a dump of a session whose machine is loaded. The program as the
// SMs run it names the PCs; what its mechanism does not have, as likely-convergence points without `-lcp`, and what
// only calls need, if the program has none, is not in the dump.
func Attach(s *testbench.Session, w io.Writer, opts waves.Options) (*waves.Dump, error) {
	v := newView(s.Machine, opts.Filter)
	opts.Names, opts.Groups, opts.Marks, opts.Without = names(s.Machine), v.groups(), v.marks(), v.without
	return waves.Attach(s.Machine.System(), w, opts)
}

// without are the options that the mechanism does not have, and "calls" if the program has none.
func without(m *gpu.Machine) (list []string) {
	for name, there := range m.SMs[0].Div.Parts() {
		if !there {
			list = append(list, name)
		}
	}
	if !slices.ContainsFunc(m.SMs[0].Program().Insts, func(in isa.Inst) bool { return in.Op == isa.OpCall }) {
		list = append(list, "calls")
	}
	return list
}

// names are those of the values that have none by their type.
func names(m *gpu.Machine) []waves.Names {
	pcs := pcNames(m.SMs[0].Program())
	classes := make(map[uint64]string)
	for c := range sm.NumClasses {
		if name := c.Name(m.Config.SM.WarpSize); name != "" {
			classes[uint64(c)] = name
		}
	}
	list := []waves.Names{{Pattern: "**.Issue.Class", Of: classes}}
	for _, field := range []string{"PC", "RPC", "Target", "Current"} {
		list = append(list, waves.Names{Pattern: "**." + field, Of: pcs})
	}
	return list
}

// pcNames calls each PC by its instruction.
func pcNames(p *isa.Program) map[uint64]string {
	names := map[uint64]string{uint64(isa.NoPC): "none"}
	for pc := range p.Insts {
		names[uint64(pc)] = fmt.Sprintf("%d %s", pc, p.Mnemonic(uint32(pc)))
	}
	return names
}
