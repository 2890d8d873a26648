package testbench

import (
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/ptx"
	"divergo/sm"
	"divergo/sm/divergence"
)

// Warning is a message about a run that does not change its results. The same warning of several
// runs has the same key.
type Warning struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// ProgramWarnings warns of instructions of a program that are not modelled in full, and of those
// that suit a mechanism badly.
func ProgramWarnings(m divergence.Mechanism, o divergence.Options, p *isa.Program) []Warning {
	var list warnings
	list.places(p.Name, "", p.Notes)
	if m.Prepare != nil {
		list.places(p.Name, m.Name+": ", m.Prepare(o, p).Warnings)
	}
	return list
}

// Warnings warns of what the launches of the session have counted.
func (s *Session) Warnings() []Warning {
	var list warnings
	mech, _ := divergence.Find(s.Machine.Config.Divergence.Mechanism)
	list.one(s)
	list.parts(s)
	list.counts(mech, s)
	list.pad(s)
	list.absent(s)
	return list
}

// warnings is a list of warnings.
type warnings []Warning

// add adds a warning.
func (w *warnings) add(key, text string) { *w = append(*w, Warning{key, text}) }

// places adds each kind of warning once: the first place, and the number of the others.
func (w *warnings) places(kernel, of string, list []isa.Warning) {
	var first []isa.Warning // the first warning with each text
	others := map[string]int{}
	for _, x := range list {
		if _, ok := others[x.Text]; ok {
			others[x.Text]++
			continue
		}
		others[x.Text] = 0
		first = append(first, x)
	}
	for _, x := range first {
		text := fmt.Sprintf("%s: warning: %s%s", x.Where, of, x.Text)
		switch n := others[x.Text]; {
		case n == 1:
			text += " (and at 1 other place)"
		case n > 1:
			text += fmt.Sprintf(" (and at %d other places)", n)
		}
		w.add(kernel+": "+x.Text, text)
	}
}

// one warns if sm.interweave has no effect, since the mechanism issues one instruction in a cycle.
func (w *warnings) one(s *Session) {
	c := &s.Machine.Config
	if k := c.SM.Interweave; k != sm.InterweaveNone && s.Machine.SMs[0].Issue.Beside == nil {
		w.add("one", fmt.Sprintf("divergo: warning: sm.interweave=%s does nothing: %s issues one instruction in a cycle", k, c.Divergence.Mechanism))
	}
}

// parts warns of barriers at which only some threads of a warp arrived. In kernels for GPUs before
// sm_70 that is undefined (PTX ISA, bar). From sm_70 on, each thread counts.
func (w *warnings) parts(s *Session) {
	for _, k := range s.ByKernel() {
		if n := k.Counters.Divergence.BarDiverged; n > 0 && k.Prog.Target < 70 {
			w.add("parts "+k.Prog.Name, fmt.Sprintf("divergo: warning: %s: %s: a warp has come to a barrier without all of its threads, %d times; "+
				"before sm_70 a barrier is one of the warp and counts them all (PTX ISA, bar)", k.Prog.Name,
				s.Machine.Config.Divergence.Mechanism, n))
		}
	}
}

// counts warns of costly events that the mechanism itself counted.
func (w *warnings) counts(m divergence.Mechanism, s *Session) {
	for _, k := range s.ByKernel() {
		for _, c := range m.Counters() {
			if c.Warn == "" || k.Counters.Mechanism == nil {
				continue
			}
			if n := c.Value(k.Counters.Mechanism); n > 0 {
				w.add(c.Name+" "+k.Prog.Name,
					fmt.Sprintf("divergo: warning: %s: %s: %s (%s %d)", k.Prog.Name, m.Name, c.Warn, c.Name, n))
			}
		}
	}
}

// pad warns of reads outside of buffers.
func (w *warnings) pad(s *Session) {
	for _, k := range s.ByKernel() {
		outside := uint64(0)
		for i := range s.Runs {
			if s.Runs[i].Launch.Prog == k.Prog {
				outside += s.Runs[i].Outside
			}
		}
		if outside > 0 {
			w.add("pad "+k.Prog.Name, fmt.Sprintf("divergo: warning: %s: %d reads of threads outside of their buffers, within --pad %d", k.Prog.Name, outside, s.Pad))
		}
	}
}

// absent warns of shuffles that read lanes outside of the active mask.
func (w *warnings) absent(s *Session) {
	for _, k := range s.ByKernel() {
		at := slices.IndexFunc(s.Runs, func(r Run) bool { return r.Launch.Prog == k.Prog && r.Absent != nil })
		if at < 0 {
			continue
		}
		a := s.Runs[at].Absent
		w.add("absent "+k.Prog.Name, fmt.Sprintf("%s: warning: %s: %s reads lane %d, which takes no part: %s; "+
			"PTX leaves the value open, sm.absent_lane=%s says what it is; %d such reads in all",
			a.Where, ptx.Short(ptx.Demangled(k.Prog.Name)), a.Thread, a.Lane, a.Text, s.Machine.Config.SM.AbsentLane,
			k.Counters.Absent.Reads))
	}
}
