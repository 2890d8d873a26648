package gpu

import "divergo/sm"

// Fault returns the first fault of a thread, the index of its SM, and whether there is one.
func (m *Machine) Fault() (f sm.Fault, index int, ok bool) {
	for i, s := range m.SMs {
		if g, bad := s.Fault(); bad && (!ok || g.Cycle < f.Cycle) {
			f, index, ok = g, i, true
		}
	}
	return f, index, ok
}

// WarpStatus is the state of a group of threads of a warp.
type WarpStatus struct {
	SM   int
	CTA  [3]uint32 // ctaid
	Warp int       // of the CTA
	sm.Path
}

// Status lists every group of live threads, in the order of SMs and rows.
func (m *Machine) Status() []WarpStatus {
	var list []WarpStatus
	for i, s := range m.SMs {
		for _, p := range s.Paths() {
			cta, warp := s.Warp(int(p.Row))
			list = append(list, WarpStatus{i, cta, warp, p})
		}
	}
	return list
}
