// Package dump writes the waveform of a session, with PCs shown as instructions
// and the signals that a reader wants first in groups.
package dump

import (
	"fmt"
	"io"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/testbench"
	"divergo/waves"
)

// Attach starts a dump of a session whose machine is loaded. The program as the
// SMs run it names the PCs.
func Attach(s *testbench.Session, w io.Writer, opts waves.Options) (*waves.Dump, error) {
	v := newView(s.Machine, opts.Filter)
	opts.Names, opts.Groups, opts.Marks = names(s.Machine), v.groups(), v.marks()
	return waves.Attach(s.Machine.System(), w, opts)
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
