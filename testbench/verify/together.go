package verify

import (
	"divergo/isa"
	"divergo/testbench/golden"
)

// together returns the groups in which the machine has executed cross-lane instructions without
// .sync, for the golden model. The results of these instructions depend on the threads that the
// mechanism holds together. It returns nil if the machine has executed none.
func (r *run) together() func(cta uint64, warp int) []golden.Group {
	grouped, any := make([]bool, len(r.launch.Prog.Insts)), false
	for pc := range grouped {
		in := &r.launch.Prog.Insts[pc]
		grouped[pc] = in.CrossLane() && in.Flags&isa.FlagSync == 0
		any = any || grouped[pc]
	}
	if !any {
		return nil
	}
	type key struct {
		cta  uint64
		warp int
	}
	warps := map[key][]golden.Group{}
	for _, w := range r.watchers {
		for _, v := range w.done {
			at := key{v.id, v.index}
			for _, s := range v.steps {
				if s.pc != isa.NoPC && grouped[s.pc] {
					warps[at] = append(warps[at], golden.Group{PC: s.pc, Threads: uint32(w.locations(v.index, s.mask))})
				}
			}
		}
	}
	if len(warps) == 0 {
		return nil
	}
	return func(cta uint64, warp int) []golden.Group { return warps[key{cta, warp}] }
}

// locations returns the %laneid set of some lanes of a warp of a CTA.
func (w *watcher) locations(warp int, lanes uint64) (set uint64) {
	for location := range w.lanes {
		set |= lanes >> w.sm.Lane(warp, location) & 1 << location
	}
	return set
}
