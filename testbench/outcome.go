package testbench

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench/functional"
	"divergo/testbench/golden"
)

// Outcome is the end of a run, and the reason if it did not finish.
type Outcome struct {
	End     gpu.End
	Cycle   uint64    // core cycles from the launch to the end
	Fault   *Fault    // if a thread made an error
	Room    uint64    // CTAs that the machine holds at once
	Unbegun uint64    // CTAs of the grid that have not started
	Failure string    // of the mechanism's hardware, with the cycle of its SM
	Waiting []Waiting // of a deadlock, an endless loop or an exhausted limit: every group of threads
}

// OK reports whether every thread ran to its end.
func (o *Outcome) OK() bool { return o.End == gpu.Finished }

// AssertionFailed is the kind of a fault raised by assert.
const AssertionFailed = "assertion failed"

// Fault is a thread's error and its place.
type Fault struct {
	Kind   string    `json:"kind"`
	SM     int       `json:"sm"`
	CTA    [3]uint32 `json:"cta"`
	Thread [3]uint32 `json:"thread"`
	PC     uint32    `json:"pc"`
	Where  string    `json:"where"`                  // source line
	From   string    `json:"inlined_from,omitempty"` // line of the header that the source line calls
	Text   string    `json:"instruction"`
	Addr   uint64    `json:"address"` // as the thread gave it
	Size   int       `json:"bytes"`   // 0 if no memory is accessed
	Space  string    `json:"space"`
	Near   string    `json:"near"` // the allocation next to the address
	Why    string    `json:"why"`  // of an instruction of a whole warp: the missing threads
}

// Waiting is a group of threads of a warp at one PC.
type Waiting struct {
	SM     int       `json:"sm"`
	CTA    [3]uint32 `json:"cta"`
	Warp   int       `json:"warp"` // of the CTA
	PC     uint32    `json:"pc"`
	Where  string    `json:"where"`                  // source line
	From   string    `json:"inlined_from,omitempty"` // line of the header that the source line calls
	Text   string    `json:"instruction"`
	Mask   string    `json:"mask"` // hexadecimal, bit 0 is lane 0
	Reason string    `json:"reason"`
}

// emulator stands for the functional or the golden model where an SM is named.
const emulator = -1

// outcome returns the end of a run on the machine.
func (s *Session) outcome(l *Launch, end gpu.End) Outcome {
	o := Outcome{End: end, Cycle: s.Machine.Cycles()}
	switch end {
	case gpu.Faulted:
		for i, m := range s.Machine.SMs {
			if f, ok := m.Fault(); ok {
				_, warp := m.Warp(int(f.Row))
				o.Fault = s.fault(l.Prog, i, m.Thread(int(f.Row), int(f.Lane)), warp, m.Div.Homes() != nil, &f)
				break
			}
		}
	case gpu.Failed:
		f := s.Machine.Failure()
		o.Failure = fmt.Sprintf("cycle %d: %v", f.Cycle, f.Err)
	case gpu.Deadlock, gpu.EndlessLoop, gpu.GridDeadlock, gpu.OutOfTime:
		o.Waiting = s.waiting(l.Prog)
		o.Room, o.Unbegun = s.Machine.Room()
	}
	return o
}

// fault describes the error of a thread of a warp of a CTA. regroups tells whether the mechanism
// makes warps of its own.
func (s *Session) fault(p *isa.Program, index int, t sm.Thread, warp int, regroups bool, f *sm.Fault) *Fault {
	fault := &Fault{
		Kind: f.Kind.String(), SM: index, CTA: t.CTA, Thread: t.TID, PC: f.PC,
		Addr: f.Addr, Size: int(f.Size), Space: spaceName(f.Space),
	}
	fault.Where, fault.From, fault.Text = source(p, f.PC)
	mech := s.Machine.Config.Divergence.Mechanism
	switch f.Kind {
	case sm.OutOfBounds:
		switch f.Space {
		case isa.SpaceGlobal, isa.SpaceGeneric:
			fault.Near = s.memory.near(f.Addr)
		case isa.SpaceLocal:
			fault.Near = s.localText(p)
		}
	case sm.Missing:
		fault.Why = missing(warp, f, p.Insts[f.PC].Matrix(), mech, regroups)
	case sm.PartOfWarp:
		fault.Why = fmt.Sprintf("of warp %d, the threads with %%laneid %s have not come: "+
			"mechanism %q has a warp arrive as a whole, as GPUs before sm_70, "+
			"and the module is for sm_%d, where each thread counts for itself", warp, lanes(f.Missing), mech, p.Target)
	case sm.Trapped:
		s.trapped(fault, p, f)
	case sm.NoFunction:
		fault.Why = fmt.Sprintf("there is no function at %#x", f.Addr)
	case sm.FrameOverflow:
		fault.Why = fmt.Sprintf("the frames of the functions that the thread is in take more than sm.stack = %d bytes; %s",
			s.Machine.Config.SM.Stack, s.moreStack())
	case sm.Regrouped:
		fault.Why = fmt.Sprintf("the instruction is one of warp %d, but threads of other warps are with it: "+
			"mechanism %q regroups the threads of a CTA", warp, mech)
	}
	return fault
}

// missing names the threads of a warp that an instruction lacks, and the reason for their absence.
func missing(warp int, f *sm.Fault, matrix bool, mech string, regroups bool) string {
	if matrix {
		return fmt.Sprintf("all threads of a warp execute it together, and of warp %d those with %%laneid %s are not here",
			warp, lanes(f.Missing))
	}
	why := "does not bring threads together for .sync, as no GPU before sm_70 does"
	if regroups {
		why = "regroups the threads of a CTA"
	}
	return fmt.Sprintf("of warp %d, membermask also names the threads with %%laneid %s, "+
		"which have not exited and are not here: mechanism %q %s", warp, lanes(f.Missing), mech, why)
}

// trapped describes the cause of a trap. A trap with sources is a failed assertion: they are its
// condition, file, line and function.
func (s *Session) trapped(fault *Fault, p *isa.Program, f *sm.Fault) {
	if p.Insts[f.PC].NSrc == 4 {
		fault.Kind = AssertionFailed
		fault.Why = fmt.Sprintf("%s:%d: %s: %s",
			s.text(f.Args[1]), uint32(f.Args[2]), s.text(f.Args[3]), s.text(f.Args[0]))
	}
	if n := bits.OnesCount64(f.Lanes); n > 1 {
		if fault.Why != "" {
			fault.Why += "\n  "
		}
		fault.Why += fmt.Sprintf("and %d more threads of the warp instruction, in lanes %s", n-1,
			lanes(f.Lanes&(f.Lanes-1)))
	}
}

// text returns the C string at an address in device memory, on one line.
func (s *Session) text(addr uint64) string {
	return strings.Trim(strconv.QuoteToGraphic(cstring(s.Machine.Store.Read, addr)), `"`)
}

// localText describes the local memory of a thread.
func (s *Session) localText(p *isa.Program) string {
	if !p.Recursive {
		return fmt.Sprintf("a thread has %d bytes of local memory, what the variables of the kernel and its functions take",
			p.LocalBytes)
	}
	stack := s.Machine.Config.SM.Stack
	return fmt.Sprintf("a thread has %d bytes of local memory: "+
		"%d for variables, then sm.stack = %d for the frames of recursive functions; %s",
		int(p.LocalBytes)+stack, p.LocalBytes, stack, s.moreStack())
}

// moreStack describes how to give a thread a larger stack.
func (s *Session) moreStack() string {
	return fmt.Sprintf("--set sm.stack=%d gives it more", max(2*s.Machine.Config.SM.Stack, 1024))
}

// reasons are the texts for paths that run or wait.
var reasons = map[divergence.Wait]string{
	divergence.Runs: "can run", divergence.WaitsControl: "a branch is being resolved",
	divergence.WaitsBarrier: "waits at a barrier",
}

// waiting lists the groups of threads that have not exited.
func (s *Session) waiting(p *isa.Program) []Waiting {
	var list []Waiting
	size := s.Machine.Config.SM.WarpSize
	for i, m := range s.Machine.SMs {
		for _, path := range m.Paths() {
			cta, warp := m.Warp(int(path.Row))
			w := Waiting{SM: i, CTA: cta, Warp: warp, PC: path.PC, Mask: fmt.Sprintf("%0*x", (size+3)/4, path.Mask)}
			w.Where, w.From, w.Text = source(p, path.PC)
			w.Reason = "waits to reconverge"
			if path.Running || path.Wait == divergence.WaitsBarrier {
				w.Reason = reasons[path.Wait]
			}
			list = append(list, w)
		}
	}
	return list
}

// emulatedOutcome is the outcome of a launch on the functional model, for a machine that holds room
// CTAs.
func (s *Session) emulatedOutcome(l *Launch, room int, r *functional.Result) Outcome {
	o := Outcome{End: r.End, Room: uint64(room), Unbegun: r.Unbegun}
	if f := r.Fault; f != nil {
		o.Fault = s.fault(l.Prog, emulator, f.Thread, int(f.Row), false, &f.Fault)
	}
	size := s.Machine.Config.SM.WarpSize
	for _, g := range r.Waiting {
		w := Waiting{SM: emulator, CTA: g.CTA, Warp: g.Warp, PC: g.PC, Mask: fmt.Sprintf("%0*x", (size+3)/4, g.Mask)}
		w.Where, w.From, w.Text = source(l.Prog, g.PC)
		w.Reason = "waits to reconverge"
		if g.Runs || g.Wait == divergence.WaitsBarrier {
			w.Reason = reasons[g.Wait]
		}
		o.Waiting = append(o.Waiting, w)
	}
	return o
}

// Emulated is the outcome of a launch on the golden model, with warps of so many threads.
func Emulated(l *Launch, warpSize int, r *golden.Result) *Outcome {
	o := &Outcome{}
	switch r.End {
	case golden.Faulted:
		f := r.Fault
		o.End = gpu.Faulted
		o.Fault = &Fault{
			Kind: f.Kind.String(), SM: emulator, CTA: f.CTA, Thread: f.Thread, PC: f.PC,
			Addr: f.Addr, Size: f.Size, Space: spaceName(f.Space),
		}
		o.Fault.Where, o.Fault.From, o.Fault.Text = source(l.Prog, f.PC)
	case golden.Deadlocked:
		o.End = gpu.Deadlock
	case golden.OutOfSteps:
		o.End = gpu.OutOfTime
	case golden.Stopped:
		o.End = gpu.Stopped
	}
	reason := map[gpu.End]string{gpu.Deadlock: "waits", gpu.OutOfTime: "can run"}[o.End]
	for _, t := range r.Waiting {
		b, n := l.Block, uint32(warpSize)
		at := t.Thread[0] + b[0]*(t.Thread[1]+b[1]*t.Thread[2])
		w := Waiting{
			SM: emulator, CTA: t.CTA, Warp: int(at / n), PC: t.PC,
			Mask: fmt.Sprintf("%0*x", (n+3)/4, uint64(1)<<(at%n)), Reason: reason,
		}
		w.Where, w.From, w.Text = source(l.Prog, t.PC)
		o.Waiting = append(o.Waiting, w)
	}
	return o
}

// source returns the source line of an instruction, the line of the header that it calls, and its
// text. The second is "" if the line calls none.
func source(p *isa.Program, pc uint32) (where, from, inst string) {
	where, from = p.Called(pc), p.Where(pc)
	if from == where {
		from = ""
	}
	return where, from, text(p, pc)
}

// text is the instruction at pc as the source has it.
func text(p *isa.Program, pc uint32) string {
	if pc == isa.NoPC {
		return "what the divergence stack in memory says"
	}
	if int(pc) >= len(p.Insts) {
		return "the end of the kernel"
	}
	return p.Mnemonic(pc)
}

func spaceName(s isa.Space) string {
	switch s {
	case isa.SpaceGeneric:
		return "generic"
	case isa.SpaceGlobal:
		return "global"
	case isa.SpaceShared:
		return "shared"
	case isa.SpaceLocal:
		return "local"
	case isa.SpaceConst:
		return "constant"
	case isa.SpaceParam:
		return "parameter"
	}
	return ""
}

// Error returns the report of a run that did not finish, in lines. It starts with a summary and
// names threads, instructions and source lines.
func (o *Outcome) Error() string {
	var b strings.Builder
	switch o.End {
	case gpu.Faulted:
		f := o.Fault
		fmt.Fprintf(&b, "fault: %s", f.Kind)
		if f.Size > 0 {
			fmt.Fprintf(&b, ", %d bytes of %s memory at %#x", f.Size, f.Space, f.Addr)
		}
		fmt.Fprintf(&b, "\n  thread %s of CTA %s, ", point(f.Thread), point(f.CTA))
		if f.SM == emulator {
			b.WriteString("emulated")
		} else {
			fmt.Fprintf(&b, "on SM %d, before cycle %d", f.SM, o.Cycle)
		}
		fmt.Fprintf(&b, "\n  at %s, PC %d: %s", sourceText(f.Where, f.From), f.PC, f.Text)
		for _, hint := range [...]string{f.Near, f.Why} {
			if hint != "" {
				fmt.Fprintf(&b, "\n  %s", hint)
			}
		}
	case gpu.Deadlock:
		fmt.Fprintf(&b, "SIMT deadlock after %d cycles: no thread can go on", o.Cycle)
		if o.Unbegun > 0 {
			o.writeRoom(&b)
			b.WriteString("; if threads wait for those, it is for want of room")
		}
		o.writeWaiting(&b)
	case gpu.EndlessLoop:
		fmt.Fprintf(&b, "endless loop after %d cycles: the threads that run come to the same places again with the same values, "+
			"and change no memory", o.Cycle)
		o.writeWaiting(&b)
	case gpu.GridDeadlock:
		fmt.Fprintf(&b, "deadlock after %d cycles: the CTAs that run wait for others of the grid, which have no room",
			o.Cycle)
		o.writeRoom(&b)
		o.writeWaiting(&b)
	case gpu.OutOfTime:
		if len(o.Waiting) > 0 && o.Waiting[0].SM == emulator {
			b.WriteString("watchdog: not finished after as many instructions as are emulated")
		} else {
			fmt.Fprintf(&b, "watchdog: not finished after %d cycles", o.Cycle)
		}
		o.writeWaiting(&b)
	case gpu.Failed:
		fmt.Fprintf(&b, "the hardware of the mechanism has failed\n  %s", o.Failure)
	case gpu.Stopped:
		fmt.Fprintf(&b, "interrupted after %d cycles", o.Cycle)
	default:
		b.WriteString("finished")
	}
	return b.String()
}

// writeRoom describes how much of the grid has started.
func (o *Outcome) writeRoom(b *strings.Builder) {
	fmt.Fprintf(b, "\n  the machine holds %d CTAs at once, %d have not begun", o.Room, o.Unbegun)
}

// writeWaiting lists the groups of threads, as many as a screen holds.
func (o *Outcome) writeWaiting(b *strings.Builder) {
	const most = 24
	for i, w := range o.Waiting {
		if i == most {
			fmt.Fprintf(b, "\n  and %d more", len(o.Waiting)-most)
			break
		}
		sm := fmt.Sprintf("SM %d", w.SM)
		if w.SM == emulator {
			sm = "emulated,"
		}
		fmt.Fprintf(b, "\n  %s CTA %s warp %d lanes %s: %s at %s, PC %d: %s",
			sm, point(w.CTA), w.Warp, w.Mask, w.Reason, sourceText(w.Where, w.From), w.PC, w.Text)
	}
}

func sourceText(where, from string) string {
	if from == "" {
		return where
	}
	return where + ", in " + from
}

func point(d [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", d[0], d[1], d[2]) }

func shape(d [3]uint32) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }

// lanes lists the members of a set: "0-7, 12".
func lanes(set uint64) string {
	var list []string
	for i := 0; i < 32; i++ {
		first := i
		for i < 32 && set>>i&1 != 0 {
			i++
		}
		switch {
		case i == first+1:
			list = append(list, fmt.Sprint(first))
		case i > first:
			list = append(list, fmt.Sprintf("%d-%d", first, i-1))
		}
	}
	return strings.Join(list, ", ")
}
