package sm

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"

	"divergo/isa"
	"divergo/memsys"
	"divergo/sm/divergence"
	"divergo/units"
)

// Limits of the tables in any configuration.
const (
	MaxWarps = divergence.MaxWarps
	MaxCTAs  = divergence.MaxCTAs
)

// Device memory of launches, above local memory.
const (
	ParamBase = 0x1_c000_0000 // parameter bank of a launch, on machines with a constant cache
	CodeBase  = 0x1_e000_0000 // instruction memory, on machines with an instruction cache
)

// instBytes is the size of an instruction in instruction memory: 8 bytes on the machines before
// Volta (Jia et al., arXiv 1804.06826, section 2.1). The encoding itself is not modelled.
const instBytes = 8

// Range is a half-open interval of device addresses.
type Range struct{ Start, End uint64 }

// Kernel is one launch, in the form that the machine needs.
type Kernel struct {
	Prog      *isa.Program
	Grid      [3]uint32
	Block     [3]uint32
	Params    []byte  // parameter bank
	DynShared uint32  // bytes of dynamic shared memory
	LocalBase uint64  // device memory of the local space and the stacks, a multiple of memsys.MaxLine: see LocalBytes
	Valid     []Range // ranges that global accesses may touch, ascending and disjoint
	Pad       uint64  // bytes around the ranges from isa.GlobalBase on that loads may also touch
}

// around reports whether size bytes at a are at most Pad bytes outside of a range from
// isa.GlobalBase on.
func (k *Kernel) around(a, size uint64) bool {
	i := sort.Search(len(k.Valid), func(i int) bool { return k.Valid[i].End+k.Pad > a })
	for ; i < len(k.Valid) && k.Valid[i].Start <= a+k.Pad; i++ {
		if k.Valid[i].Start >= isa.GlobalBase && a+size <= k.Valid[i].End+k.Pad {
			return true
		}
	}
	return false
}

// Threads returns the number of threads of a CTA.
func (k *Kernel) Threads() int { return int(k.Block[0] * k.Block[1] * k.Block[2]) }

// CTAs returns the number of CTAs of the grid.
func (k *Kernel) CTAs() uint64 { return uint64(k.Grid[0]) * uint64(k.Grid[1]) * uint64(k.Grid[2]) }

// sharedBytes returns the shared memory of a CTA in bytes, static and dynamic.
func (k *Kernel) sharedBytes() uint32 {
	if k.DynShared == 0 {
		return k.Prog.SharedBytes
	}
	return align(k.Prog.SharedBytes, k.Prog.SharedAlign) + k.DynShared
}

// sharedPitch returns the distance in bytes between the shared memories of two CTAs of an SM.
func (k *Kernel) sharedPitch() uint32 { return align(k.sharedBytes(), 16) }

func align(n, to uint32) uint32 {
	if to > 1 {
		n = (n + to - 1) / to * to
	}
	return n
}

// LocalBytes returns the bytes of device memory that a machine needs from LocalBase on, for the
// given number of SMs and a mechanism. Local word w of a thread lies at ((sm*warps+row)*words +
// w)*lanes + lane, in words of 4 bytes. Equal local addresses of a warp are therefore neighbours.
// If the mechanism spills, each row of each SM also has memory for its divergence stack, from the
// next multiple of memsys.MaxLine on.
func (k *Kernel) LocalBytes(c *Config, mech divergence.Mechanism, sms int) uint64 {
	if !mech.Spills {
		return k.threadBytes(c, sms)
	}
	return k.stacks(c, sms) + uint64(sms)*uint64(c.Warps())*8*uint64(divergence.SpillWordsOf(k.Prog))
}

// threadBytes returns the bytes of the local space of the threads. In a grid of few CTAs the last
// SMs have none.
func (k *Kernel) threadBytes(c *Config, sms int) uint64 {
	return min(uint64(sms), k.CTAs()) * uint64(c.Warps()) * uint64((k.local(c)+3)/4) * uint64(c.WarpSize) * 4
}

// stacks returns the offset of the divergence stacks.
func (k *Kernel) stacks(c *Config, sms int) uint64 {
	return (k.threadBytes(c, sms) + memsys.MaxLine - 1) &^ (memsys.MaxLine - 1)
}

// local returns the bytes of a thread's local memory. This includes the frames of functions if some
// are recursive.
func (k *Kernel) local(c *Config) uint32 {
	if k.Prog.Recursive {
		return k.Prog.LocalBytes + uint32(c.Stack)
	}
	return k.Prog.LocalBytes
}

// Occupancy is the number of CTAs of a kernel that an SM holds, and the limit that sets it.
type Occupancy struct {
	CTAs  int
	Limit string // "threads", "CTAs", "registers" or "shared memory"
}

// Occupancy computes how many CTAs fit within the limits of c and of the shared memory of an SM, in
// bytes. The error names the first resource that is too small for one CTA. Threads and registers
// are those of the sub-core with most warps.
func (k *Kernel) Occupancy(c *Config, mech divergence.Mechanism, shared int) (Occupancy, error) {
	warps := (k.Threads() + c.WarpSize - 1) / c.WarpSize
	regs := max(k.Prog.LiveRegs, 1)
	regs = (regs + c.RegAlloc - 1) / c.RegAlloc * c.RegAlloc * c.WarpSize
	if k.Threads() == 0 {
		return Occupancy{}, fmt.Errorf("a block of %d x %d x %d has no threads", k.Block[0], k.Block[1], k.Block[2])
	}
	o := Occupancy{CTAs: c.CTAs, Limit: "CTAs"}
	there := func(ctas int) int { return (ctas*warps + c.Schedulers - 1) / c.Schedulers } // warps of a sub-core
	part := "an SM"
	if c.Schedulers > 1 {
		part = "a sub-core"
		if mech.Blocks {
			part = "the sub-core that runs it"
			there = func(ctas int) int { return (ctas + c.Schedulers - 1) / c.Schedulers * warps }
		}
	}
	for _, r := range []struct {
		what string
		need func(ctas int) int
		have int
		part string
	}{
		{"threads", func(ctas int) int { return there(ctas) * c.WarpSize }, c.Threads / c.Schedulers, part},
		{"registers", func(ctas int) int { return there(ctas) * regs }, c.Registers / c.Schedulers, part},
		{"shared memory", func(ctas int) int {
			return (ctas-1)*int(k.sharedPitch()) + int(k.sharedBytes())
		}, shared, "an SM"},
	} {
		if need := r.need(1); need > r.have {
			return Occupancy{}, &TooLarge{k.Threads(), r.what, need, r.have, r.part}
		}
		n := 1
		for n < o.CTAs && r.need(n+1) <= r.have {
			n++
		}
		if n < o.CTAs {
			o = Occupancy{n, r.what}
		}
	}
	return o, nil
}

// TooLarge is the error for a CTA that fits no SM.
type TooLarge struct {
	Threads    int    // of the CTA
	What       string // the resource that is too small, as in Occupancy.Limit
	Need, Have int    // Have: of Part
	Part       string // "an SM", or a sub-core
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("a block of %d threads needs %d %s, %s has %d", e.Threads, e.Need, unit(e.What), e.Part, e.Have)
}

func unit(what string) string {
	if what == "shared memory" {
		return "bytes of shared memory"
	}
	return what
}

// launch holds the data about an SM, and about the kernel that it runs, shared by the blocks of the
// SM.
type launch struct {
	site
	loaded
	herdLimit [MaxSchedulers]int64    // herded instructions of each sub-core in the launch, -1 without limit
	placed    map[*isa.Program]uint32 // start in instruction memory of each loaded kernel
	end       uint32                  // end of the last kernel in instruction memory
}

// site holds the parameters with which an SM is built.
type site struct {
	cfg        *Config
	mech       divergence.Mechanism
	options    divergence.Options
	herd       *units.HerdConfig
	index, sms uint32 // number of this SM, and number of SMs
	shared     int    // bytes of shared memory
	faulted    *atomic.Bool
	params     uint64 // address of the parameter bank in device memory; 0: a bank in the SM
	texture    bool   // there is a texture cache
	sampler    bool   // there is a texture unit

	pick     pick                    // scheduler of cfg
	foremost foremost                // CTA priority of cfg
	holds    func(in *isa.Inst) bool // scoreboard of cfg
	entering entry                   // skip of cfg
	absent   func(own uint64) uint64 // absent_lane of cfg
	beside   beside                  // interweave of cfg

	all  uint64                  // lanes of a whole warp
	wide uint                    // 1 if a warp has two rows for each register, else 0: see isa.Row
	full uint64                  // cycles in which it enters the pipes
	bins [isa.MaxLanes + 1]Class // class of an instruction, by active lanes
}

// newLaunch looks up the functions selected by the configuration. It also computes quotients that
// the blocks need in each cycle.
func newLaunch(s site) (_ *launch, err error) {
	if s.pick, err = schedulers.Of(s.cfg.Scheduler); err != nil {
		return nil, fmt.Errorf("sm.scheduler: %w", err)
	}
	if s.foremost, err = priorities.Of(s.cfg.CTAPriority); err != nil {
		return nil, fmt.Errorf("sm.cta_priority: %w", err)
	}
	if s.holds, err = dependences.Of(s.cfg.Scoreboard); err != nil {
		return nil, fmt.Errorf("sm.scoreboard: %w", err)
	}
	if s.entering, err = skips.Of(s.cfg.Skip); err != nil {
		return nil, fmt.Errorf("sm.skip: %w", err)
	}
	if s.beside, err = interweaves.Of(s.cfg.Interweave); err != nil {
		return nil, fmt.Errorf("sm.interweave: %w", err)
	}
	if s.absent, err = absentLanes.Of(s.cfg.AbsentLane); err != nil {
		return nil, fmt.Errorf("sm.absent_lane: %w", err)
	}
	s.all, s.full = uint64(1<<s.cfg.WarpSize-1), uint64(s.cfg.WarpSize/s.cfg.SIMDWidth)
	if s.cfg.WarpSize > isa.RowLanes {
		s.wide = 1
	}
	for n := 1; n <= s.cfg.WarpSize; n++ {
		s.bins[n] = ClassIssue + Class((n-1)/binLanes(s.cfg.WarpSize))
	}
	return &launch{site: s}, nil
}

// loaded is a kernel prepared for the SMs of a machine. Hardware would hold it in configuration
// registers and constant tables. It changes only between runs.
type loaded struct {
	divergence.Code
	placement
	k      Kernel           // as launched; Code has the program that runs
	warps  int              // of a CTA
	ctas   int              // largest number of resident CTAs
	cta    [MaxWarps]uint8  // of each row
	shares [MaxWarps]uint64 // start of the shared memory of that CTA
	nregs  int
	npreds int
	insts  []decoded // by PC

	// The division among the sub-cores: see SubCore.
	cores [MaxWarps]uint8          // sub-core of each row
	place [MaxWarps]uint8          // of each row, among those of its sub-core
	first [MaxWarps]uint32         // index of the first register of each row, in the banks of its sub-core
	hosts [MaxSchedulers]uint32    // resident CTAs with rows in each sub-core
	slots [MaxSchedulers]units.Set // of each sub-core
	paths int                      // slots of a row; with one sub-core all slots count as those of one row

	local uint32 // bytes of a thread's local memory
	reach uint64 // mask of the bits of an address
}

// decoded is an instruction with the properties that the blocks need each time.
type decoded struct {
	*isa.Inst
	deps    []uint16              // registers, then predicates at nregs and up, that it reads or writes
	dsts    []uint16              // of these, the ones it writes
	consts  [isa.MaxSrcs]*isa.Row // rows of the immediate sources
	unit    isa.Unit
	traits         // properties used by Issue and the pipes
	reads   uint8  // cycles in which the banks serve its sources
	conds   uint16 // sources that are predicates
	rows    uint8  // sources that take a row: registers, special registers
	sources uint8  // rows that its sources take
	results uint8  // rows that its results take: predicates have them, too
	whole   uint8  // results that are registers
	preds   uint8  // results that are predicates
	block   uint8  // instructions from here through the next control instruction, at most the size of an I-buffer
	pace
}

// traits are properties of an instruction.
type traits struct {
	control, memory, crosses bool // see isa.Inst: Control, Memory, CrossLane
	holds                    bool // it keeps its slot until it has completed
	completes                bool // it passes write-back
	leaves                   bool // its threads end with it
	awaits                   bool // it waits for copies
	late                     bool // a pipe executes it when it starts: see Operands
}

func (l *launch) load(k Kernel) error {
	o, err := k.Occupancy(l.cfg, l.mech, l.shared)
	if err != nil {
		return err
	}
	place, err := l.cfg.place(&k)
	if err != nil {
		return err
	}
	p := l.Prog
	if l.k.Prog != k.Prog {
		if p = k.Prog; !l.herd.Enable {
			p = p.WithoutHerding()
		}
		p = l.mech.Program(l.options, p)
	}
	l.loaded = loaded{
		Code: divergence.Code{Prog: p, Base: l.base(k.Prog, len(p.Insts))}, placement: place, k: k,
		warps: len(place.masks),
		ctas:  o.CTAs,
		nregs: len(p.Regs), npreds: len(p.Preds),
		insts: make([]decoded, len(p.Insts)),
		local: k.local(l.cfg), reach: ^uint64(0),
	}
	if p.AddressBits == 32 {
		l.reach = 1<<32 - 1
	}
	for row := range l.cta {
		l.cta[row] = uint8(row / l.warps)
		l.shares[row] = uint64(l.cta[row]) * uint64(k.sharedPitch())
	}
	l.herdLimit = l.herdShares()
	// Registers are laid out over the banks in declaration order; a 64-bit one
	// takes two neighbouring banks, which serve it at once.
	bank := make([]int, len(p.Regs))
	for i, at := 0, 0; i < len(p.Regs); i++ {
		bank[i] = at
		at += (max(p.Regs[i].Type.Bits(), 32) + 31) / 32
	}
	block := 0
	for i := len(p.Insts) - 1; i >= 0; i-- {
		d := l.decode(&p.Insts[i], bank)
		if block = min(block+1, l.cfg.IBuffer); d.control {
			block = 1
		}
		d.block = uint8(block)
		l.insts[i] = d
	}
	return nil
}

// code returns the address of an instruction in device memory.
func (l *launch) code(pc uint32) uint64 { return CodeBase + uint64(l.Base+pc)*instBytes }

// base returns the address of a kernel in instruction memory. All loaded kernels stay in it.
func (l *launch) base(p *isa.Program, n int) uint32 {
	base, ok := l.placed[p]
	if !ok {
		base = l.end
		l.end += uint32(n/divergence.CodeAlign+1) * divergence.CodeAlign
		if l.placed == nil {
			l.placed = map[*isa.Program]uint32{}
		}
		l.placed[p] = base
	}
	return base
}

// decode computes the properties of an instruction; bank holds the first bank of each register.
func (l *launch) decode(in *isa.Inst, bank []int) decoded {
	d := decoded{
		Inst: in, reads: 1, unit: in.Unit(), results: in.NDst << l.wide,
		pace: pace{uint64(l.cfg.latency(in)), l.cfg.Initiation.times()[in.OpClass()]},
	}
	d.traits = traits{
		control: in.Control(), memory: in.Memory(), crosses: in.CrossLane(),
		holds:     l.holds(in) || in.Op == isa.OpMembar,
		completes: !in.Control() || in.NDst > 0,
		awaits:    in.Op == isa.OpCopyWait,
		late:      in.Control() || in.CrossLane(),
		leaves:    in.Op == isa.OpExit || in.Op == isa.OpRet && !in.Returns(),
	}
	add := func(to *[]uint16, reg uint16) {
		if !slices.Contains(*to, reg) {
			*to = append(*to, reg)
		}
	}
	use := func(o isa.Operand, to *[]uint16) {
		switch o.Kind {
		case isa.OperandReg:
			add(to, o.Index)
		case isa.OperandPred:
			add(to, uint16(l.nregs)+o.Index)
		}
	}
	use(in.Guard, &d.deps)
	var served [64]uint8
	for s, o := range in.Src[:in.NSrc] {
		use(o, &d.deps)
		switch o.Kind {
		case isa.OperandPred:
			d.conds |= 1 << s
		case isa.OperandSpecial:
			d.rows |= 1 << s
		case isa.OperandReg:
			d.rows |= 1 << s
			if slices.Contains(in.Src[:s], o) {
				continue // one read serves both
			}
			for u := range (max(l.Prog.Regs[o.Index].Type.Bits(), 32) + 31) / 32 {
				b := (bank[o.Index] + u) % l.cfg.RFBanks
				served[b]++
				d.reads = max(d.reads, served[b])
			}
		case isa.OperandImm:
			d.consts[s] = new(isa.Row)
			for lane := range d.consts[s] {
				d.consts[s][lane] = o.Imm
			}
		}
	}
	if in.Op == isa.OpMma || in.Op == isa.OpTex {
		d.rows = 1<<sources - 1 // two registers in a row
	}
	d.sources = uint8(bits.Len8(d.rows)) << l.wide
	for i, o := range in.Dst[:in.NDst] {
		use(o, &d.dsts)
		switch o.Kind {
		case isa.OperandReg:
			d.whole |= 1 << i
		case isa.OperandPred:
			d.preds |= 1 << i
		}
	}
	for _, reg := range d.dsts {
		add(&d.deps, reg)
	}
	return d
}

// stack returns the address of the divergence stack of a row.
func (l *launch) stack(row uint8) uint64 {
	at := uint64(l.index)*uint64(l.cfg.Warps()) + uint64(row)
	return l.k.LocalBase + l.k.stacks(l.cfg, int(l.sms)) + at*8*uint64(divergence.SpillWordsOf(l.Prog))
}

// row returns the row of warp w of resident CTA c in the register file.
func (l *launch) row(c, w int) int { return c*l.warps + w }

// observed returns an instruction as observers see it: its PC is that in the launched program. If
// the PC differs, the result is the copy in clone.
func (l *launch) observed(f, clone *Flight) *Flight {
	if l.Prog.Origin == nil {
		return f
	}
	*clone = *f
	clone.PC = l.Prog.OriginOf(f.PC)
	return clone
}
