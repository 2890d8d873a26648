package waves

import (
	"errors"
	"fmt"
	"io"

	"divergo/rtl"
)

const never = ^uint64(0)

// Dump is a waveform being written.
type Dump struct {
	out      format
	islands  []*island
	root     *scope
	vars     []*variable               // by id; those watched but not shown come last
	shown    uint32                    // number of variables in the dump
	cycles   func(cycle uint64) uint64 // start of a cycle of the first domain, fs
	groups   []Group
	callings []calling
	probes   []*probe
	clocks   []*clock // empty without Options.Clocks
	cycle    uint32   // id of the cycle counter, which comes with the clocks
	edges    []change // of the clocks, at one time
	leave    []func() // functions that end the observations; nil once closed

	phase    phase
	from, to uint64   // fs; to is never without a limit
	values   []uint64 // by variable: at the time up to which all is merged, or, while arming, dropped from memory
	bits     []seen   // by variable
	joins    []bool   // by variable: it is one of Options.Joins
	marks    []*mark
	placed   *mark    // nil without Options.At
	trigger  *trigger // nil without one
	opened   uint64   // fs of the first time in the dump
	written  uint64   // last time in the dump
	changed  bool     // the dump has a change after its first values
}

// seen are the bits of a variable that were 1 at some time in the dump, and those that were 1 at all
// times.
type seen struct{ some, all uint64 }

func (s *seen) note(value uint64) {
	s.some |= value
	s.all &= value
}

// Attach dumps a run of a system, from its present cycle on, until Close.
//
// The dump is in the Verilog format VCD (IEEE 1364-2005, clause 18), or in FST as the options say, in
// femtoseconds. A register shows its value in a cycle from the start of the cycle on, and so does a
// wire. The bytes depend only on the design, the stimulus and the options.
func Attach(sys *rtl.System, w io.Writer, opts Options) (*Dump, error) {
	var domains []domain
	for _, x := range sys.Domains() {
		domains = append(domains, domain{x.Name(), x.Fs})
	}
	var islands []*island
	for i, sim := range sys.Sims() {
		islands = append(islands, &island{sim: sim, fs: sim.Domain().Fs, index: i})
	}
	if len(islands) == 0 {
		return nil, fmt.Errorf("waves: system %s has no islands to dump", sys.Name())
	}
	d, err := attach(islands, domains, w, opts)
	if err != nil {
		return nil, err
	}
	d.leave = append(d.leave, sys.OnQuantum(d.merge))
	return d, nil
}

// AttachSim is Attach for a Sim outside a System, with a cycle drawn as one nanosecond.
func AttachSim(sim *rtl.Sim, w io.Writer, opts Options) (*Dump, error) {
	fs := func(cycle uint64) uint64 { return cycle * 1e6 }
	return attach([]*island{{sim: sim, fs: fs}}, []domain{{sim.Name(), fs}}, w, opts)
}

// domain is a clock domain.
type domain struct {
	name string
	fs   func(cycle uint64) uint64
}

// island is a Sim, its clock and the variables to watch there.
type island struct {
	sim   *rtl.Sim
	fs    func(cycle uint64) uint64
	index int // in the system
	vars  []*variable
}

func attach(islands []*island, domains []domain, w io.Writer, opts Options) (*Dump, error) {
	d := &Dump{islands: islands, root: new(scope), leave: []func(){}}
	for _, x := range islands {
		d.root.addIsland(x, opts.Without, opts.Sizes)
	}
	if err := d.open(domains, w, opts); err != nil {
		return nil, err
	}
	for _, v := range d.vars {
		if i := v.origin.island; i >= 0 {
			islands[i].vars = append(islands[i].vars, v)
		}
	}
	for _, x := range islands {
		if len(x.vars) == 0 {
			continue // it runs as if there were no dump
		}
		p := newProbe(x)
		for _, blocks := range p.groups {
			for _, b := range blocks {
				for _, s := range b.slots {
					d.values[s.id] = s.old
				}
			}
		}
		d.probes = append(d.probes, p)
		d.leave = append(d.leave, x.sim.Observe(p.observe))
	}
	if len(islands) == 1 && len(d.probes) == 1 {
		d.probes[0].filled = d.merge
	}
	return d, nil
}

// open chooses the variables and writes the header.
func (d *Dump) open(domains []domain, w io.Writer, opts Options) error {
	start := uint64(0)
	for _, x := range d.islands {
		start = max(start, x.fs(x.sim.Now()))
	}
	cycles := domains[0].fs
	d.cycles = cycles
	d.from, d.to = max(start, cycles(opts.From)), never
	if opts.To != 0 {
		if opts.To < opts.From {
			return fmt.Errorf("waves: the window from cycle %d to cycle %d is empty", opts.From, opts.To)
		}
		if d.to = cycles(opts.To+1) - 1; d.to < d.from {
			return fmt.Errorf("waves: the window ends with cycle %d, which has passed", opts.To)
		}
	}
	d.callings, d.groups = callings(opts.Names), opts.Groups
	declareClocks := func() {}
	if opts.Clocks {
		declareClocks = d.addClocks(domains)
	}
	if err := d.choose(opts.Filter); err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	declareClocks()
	d.shown = uint32(len(d.vars))
	out, err := newFormat(w, opts.FST, d.vars)
	if err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	d.out = out
	if opts.Trigger != nil {
		if d.trigger, err = d.arm(opts.Trigger, cycles); err != nil {
			return fmt.Errorf("waves: %w", err)
		}
	}
	d.addMarks(opts.Marks)
	d.addJoins(opts.Joins)
	d.place(opts.At)
	d.values, d.bits = make([]uint64, len(d.vars)), make([]seen, len(d.vars))
	if err := d.out.header(d.root); err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	return nil
}

// choose shows the variables that the filter selects. A pattern that selects none is an error.
func (d *Dump) choose(filter []string) error {
	if len(filter) == 0 {
		filter = []string{"**"}
	}
	var chosen []*variable
	for _, f := range filter {
		some := false
		d.root.find(parsePattern(f), func(v *variable) {
			some = true
			if !v.shown {
				v.shown = true
				chosen = append(chosen, v)
			}
		})
		if !some {
			return d.root.unmatched("filter", f)
		}
	}
	inOrder(chosen)
	for _, v := range chosen {
		d.show(v)
	}
	return nil
}

// show puts a variable into the dump.
func (d *Dump) show(v *variable) {
	v.shown = true
	for s := v.in; s != nil && !s.shown; s = s.up {
		s.shown = true
	}
	d.watch(v)
}

// watch logs the changes of a variable.
func (d *Dump) watch(v *variable) {
	if v.id < 0 {
		v.id = len(d.vars)
		d.vars = append(d.vars, v)
	}
}

// Close writes the remaining changes and a last time, and detaches the dump. The system must not be
// running. A run that was cut short, or ended in a panic, is no problem. The error is the first of
// writing the dump.
func (d *Dump) Close() error {
	if d.leave == nil {
		return nil
	}
	end := uint64(0)
	for _, x := range d.islands {
		end = max(end, x.fs(x.sim.Now()))
	}
	for _, p := range d.probes {
		end = max(end, p.last)
	}
	for _, leave := range d.leave {
		leave()
	}
	d.leave = nil
	d.merge(end + 1)
	d.finish(end)
	errs := []error{d.out.close()}
	for _, p := range d.probes {
		errs = append(errs, p.failed)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	return nil
}

// Empty reports whether the dump has values at one time only, and no change of a signal. Then its
// window lies after the end of the run, its trigger has not fired, or its signals do not change.
func (d *Dump) Empty() bool { return !d.changed }

// Triggered is the time, in femtoseconds, at which the trigger fired, and whether it did.
func (d *Dump) Triggered() (fs uint64, fired bool) {
	if d.trigger == nil {
		return 0, false
	}
	return d.trigger.at, d.trigger.fired
}
