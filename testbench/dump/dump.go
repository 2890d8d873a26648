// Package dump writes the waveform of a session. It shows PCs as instructions and groups the most
// important signals.
package dump

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/testbench"
	"divergo/units"
	"divergo/waves"
)

// Attach starts a dump of a session whose machine is loaded. The program that the SMs run names the
// PCs. The dump omits signals of options that the mechanism does not have, such as
// likely-convergence points without "-lcp". It also omits the signals of calls if the program has
// none.
func Attach(s *testbench.Session, w io.Writer, opts waves.Options) (*waves.Dump, error) {
	v := newView(s.Machine, opts.Filter)
	opts.Names, opts.Groups, opts.Without = names(s.Machine), v.groups(), v.without
	lanes := max(s.Machine.Config.SM.WarpSize, isa.RowLanes)
	opts.Sizes = map[string]int{"lanes": lanes, "lanes_bits": units.LaneBits(lanes)}
	opts.Marks, opts.Joins = v.marks(), v.joins()
	return waves.Attach(s.Machine.System(), w, opts)
}

// without lists the options that the mechanism does not have, "calls" if the program has none, and
// "clients" if the L1 is the only part of an SM that sends requests, and "textures" without a texture
// unit.
func without(m *gpu.Machine) (list []string) {
	for name, there := range m.SMs[0].Div.Parts() {
		if !there {
			list = append(list, name)
		}
	}
	if !slices.ContainsFunc(m.SMs[0].Program().Insts, func(in isa.Inst) bool { return in.Op == isa.OpCall }) {
		list = append(list, "calls")
	}
	if m.Units[0].Clients == nil {
		list = append(list, "clients")
	}
	if m.Units[0].TextureUnit == nil {
		list = append(list, "textures")
	}
	return list
}

// names returns the names of values whose type has none.
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

// pcNames names each PC by its instruction, and the line of the source that the PTX gives for it.
func pcNames(p *isa.Program) map[uint64]string {
	names := map[uint64]string{uint64(isa.NoPC): "none"}
	for pc := range p.Insts {
		name := fmt.Sprintf("%d %s", pc, p.Mnemonic(uint32(pc)))
		if p.Insts[pc].Loc.Line > 0 {
			name += " // " + path.Base(filepath.ToSlash(p.Where(uint32(pc))))
		}
		names[uint64(pc)] = name
	}
	return names
}
