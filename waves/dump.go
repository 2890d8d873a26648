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
	enc    *encoder
	root   *scope
	vars   []*variable               // by id; those that only the trigger needs come last
	cycles func(cycle uint64) uint64 // start of a cycle of the first domain, fs
	groups []Group
	names  []Names
	probes []*probe
	clocks []*clock
	detach func()

	phase    phase
	from, to uint64   // fs; to is never without a limit
	values   []uint64 // by variable: of the time up to which all is merged, or, while arming, forgotten
	trigger  *trigger // nil without one
	opened   uint64   // fs of the first time in the dump
	written  uint64   // last time in the dump
}

// Attach dumps a run of a system, from its present cycle on, until Close. While a dump is attached the system's
// OnQuantum and its Sims' Observe belong to it.
//
// The dump is in the Verilog format VCD (IEEE 1364-2005, clause 18), in femtoseconds. A register shows the value it has
// in a cycle from the start of the cycle on, and so does a wire. The bytes depend on the design, the stimulus and the
// options alone.
func Attach(sys *rtl.System, w io.Writer, opts Options) (*Dump, error) {
	var domains []domain
	for _, x := range sys.Domains() {
		domains = append(domains, domain{x.Name(), x.Fs})
	}
	var islands []island
	for _, sim := range sys.Sims() {
		islands = append(islands, newIsland(sim, sim.Domain().Fs))
	}
	if len(islands) == 0 {
		return nil, fmt.Errorf("waves: system %s has no islands to dump", sys.Name())
	}
	d, err := attach(islands, domains, w, opts)
	if err != nil {
		return nil, err
	}
	sys.OnQuantum(d.merge)
	d.detach = func() { sys.OnQuantum(nil) }
	return d, nil
}

// AttachSim is Attach for a Sim outside a System, with a cycle drawn as one nanosecond.
func AttachSim(sim *rtl.Sim, w io.Writer, opts Options) (*Dump, error) {
	fs := func(cycle uint64) uint64 { return cycle * 1e6 }
	d, err := attach([]island{newIsland(sim, fs)}, []domain{{sim.Name(), fs}}, w, opts)
	if err != nil {
		return nil, err
	}
	d.detach = func() {}
	return d, nil
}

// domain is a clock domain.
type domain struct {
	name string
	fs   func(cycle uint64) uint64
}

// island is a Sim, its clock and its variables.
type island struct {
	sim  *rtl.Sim
	fs   func(cycle uint64) uint64
	vars []*variable
}

func newIsland(sim *rtl.Sim, fs func(uint64) uint64) island {
	signals := sim.Signals()
	i := island{sim, fs, make([]*variable, len(signals))}
	for n, s := range signals {
		i.vars[n] = newVariable(s)
	}
	return i
}

func attach(islands []island, domains []domain, w io.Writer, opts Options) (*Dump, error) {
	d := new(Dump)
	start := uint64(0)
	var all []*variable
	for _, i := range islands {
		start = max(start, i.fs(i.sim.Now()))
		all = append(all, i.vars...)
	}
	if err := d.open(all, domains, start, w, opts); err != nil {
		return nil, err
	}
	for _, i := range islands {
		p := newProbe(i)
		for _, blocks := range p.groups {
			for _, b := range blocks {
				for _, s := range b.slots {
					d.values[s.id] = s.old
				}
			}
		}
		d.probes = append(d.probes, p)
		i.sim.Observe(p.observe)
	}
	if len(islands) == 1 {
		d.probes[0].filled = d.merge
	}
	return d, nil
}

// open chooses the variables and writes the header.
func (d *Dump) open(all []*variable, domains []domain, start uint64, w io.Writer, opts Options) error {
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
	d.names, d.groups = opts.Names, opts.Groups
	var clocks []*variable
	if opts.Clocks {
		for _, x := range domains {
			clocks = append(clocks, clockVariable(x.name))
		}
	}
	d.root = nameAll(append(clocks, all...))
	if err := d.choose(all, opts.Filter); err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	for i, v := range clocks {
		d.show(v)
		d.clocks = append(d.clocks, &clock{id: uint32(v.id), fs: domains[i].fs})
	}
	enc, err := newEncoder(w, d.vars)
	if err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	d.enc = enc
	if opts.Trigger != nil {
		if d.trigger, err = d.arm(opts.Trigger, all, cycles); err != nil {
			return fmt.Errorf("waves: %w", err)
		}
	}
	d.values = make([]uint64, len(d.vars))
	d.enc.header(d.root)
	if d.enc.err != nil {
		return fmt.Errorf("waves: %w", d.enc.err)
	}
	return nil
}

// choose shows the variables that the filter selects.
func (d *Dump) choose(all []*variable, filter []string) error {
	selected := make([]bool, len(all))
	for _, f := range filter {
		s, some := newSelector(f), false
		for i, v := range all {
			if s.selects(v) {
				selected[i], some = true, true
			}
		}
		if !some {
			return s.unmatched("filter", all)
		}
	}
	for i, v := range all {
		if selected[i] || len(filter) == 0 {
			d.show(v)
		}
	}
	return nil
}

// show puts a variable into the dump.
func (d *Dump) show(v *variable) {
	v.shown = true
	d.watch(v)
}

// watch has the changes of a variable logged.
func (d *Dump) watch(v *variable) {
	if v.id < 0 {
		v.id = len(d.vars)
		d.vars = append(d.vars, v)
	}
}

// Close writes what is left, and a last time, and detaches the dump. The system must not be running; that its run was
// cut short, or ended in a panic, does no harm. The error is the first that writing the dump met.
func (d *Dump) Close() error {
	if d.detach == nil {
		return nil
	}
	end := uint64(0)
	for _, p := range d.probes {
		end = max(end, p.last, p.fs(p.sim.Now()))
		p.sim.Observe(nil)
	}
	d.detach()
	d.detach = nil
	d.merge(end + 1)
	d.finish(end)
	d.enc.flush()
	errs := []error{d.enc.err}
	for _, p := range d.probes {
		errs = append(errs, p.failed)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	return nil
}

// Triggered is the time, in femtoseconds, at which the trigger fired, and whether it did.
func (d *Dump) Triggered() (fs uint64, fired bool) {
	if d.trigger == nil {
		return 0, false
	}
	return d.trigger.at, d.trigger.fired
}
