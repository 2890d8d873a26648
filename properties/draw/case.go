package draw

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/launches"
)

// Case is a kernel with its launch and the machine to run it on, independent of the mechanism.
type Case struct {
	Seed        uint64 // seed of the case and of its data
	Kernel      Kernel
	Grid, Block [3]uint32
	Again       int    // launches after the first, on the memory of the one before
	Host        uint64 // seed of what the host writes between them; 0: nothing
	Machine     gpu.Config
}

// MachineSeeds is the number of consecutive seeds with the same machine, whose later kernels find a used
// one. Building a machine takes a sixth of the time of a run at the mean.
const MachineSeeds = 4

// later are the features that draw does not know. Each has a random stream of its own, so that it
// changes no other part of a kernel.
const later = Specials | Herds | Anywhere | Rushes | Depths | Textures

// New makes the case of a seed. Equal seeds and features give equal cases.
func New(seed uint64, features Features) Case {
	c := Heavy(seed, features)
	if seed%heavyOnes != 0 {
		c.lighten()
	}
	return c
}

// Heavy is New without maxWork.
func Heavy(seed uint64, features Features) Case {
	c := Case{Seed: seed, Machine: drawMachine(rand.New(rand.NewPCG(seed/MachineSeeds, 1)))}
	if rand.New(rand.NewPCG(seed/MachineSeeds, 6)).IntN(wideOnes) == 0 {
		widen(&c.Machine.SM)
	}
	press(rand.New(rand.NewPCG(seed/MachineSeeds, 5)), &c.Machine)
	divide(rand.New(rand.NewPCG(seed/MachineSeeds, 14)), &c.Machine)
	r := rand.New(rand.NewPCG(seed, 2))
	c.Kernel = draw(r, features&^(Races|Messages|later))
	c.drawShape(r, features)
	if features&Races != 0 { // a random stream of its own, so that this feature does not change the other kernels
		(&generator{Rand: rand.New(rand.NewPCG(seed, 3))}).race(&c.Kernel)
	}
	(&generator{Rand: rand.New(rand.NewPCG(seed, 4)), features: features}).seldom(&c.Kernel)
	late := &generator{Rand: rand.New(rand.NewPCG(seed, 5)), features: features}
	late.late(&c.Kernel, uint32(c.Machine.SM.WarpSize))
	vary := &generator{Rand: rand.New(rand.NewPCG(seed, 6)), features: features}
	if c.Machine.GPU.SMs == 1 { // with one L1, which is coherent with itself
		vary.features &^= Messages
	}
	vary.vary(&c.Kernel)
	(&generator{Rand: rand.New(rand.NewPCG(seed, 7)), features: features}).sharpen(&c.Kernel, c.warps() > manyWarps)
	if features&Herds != 0 && c.Machine.Herd.Enable {
		(&generator{Rand: rand.New(rand.NewPCG(seed, 8))}).herd(&c.Kernel)
	}
	if features&Depths != 0 {
		(&generator{Rand: rand.New(rand.NewPCG(seed, 9)), features: features}).deepen(&c.Kernel)
		c.enlarge()
	}
	if features&Textures != 0 {
		(&generator{Rand: rand.New(rand.NewPCG(seed, 12))}).picture(&c.Kernel)
	}
	if features&Anywhere != 0 {
		(&generator{Rand: rand.New(rand.NewPCG(seed, 10)), features: features}).free(&c.Kernel)
	}
	if features&Shared != 0 {
		c.drawRoom(late.Rand)
	}
	if features&Repeats != 0 && r.IntN(4) == 0 {
		c.Again = 1 + r.IntN(2)
	}
	if host := rand.New(rand.NewPCG(seed, 13)); c.Again > 0 && !c.Kernel.Free && host.IntN(2) == 0 {
		c.Host = host.Uint64()
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 11)), features: features}
	if g.has(Rushes|Loops) && g.IntN(8) == 0 {
		g.rush(&c)
	}
	return c
}

// heavyOnes: one case in so many may execute more than maxWork. It is odd, since seeds of every eighth
// residue are treated alike elsewhere.
const heavyOnes = 7

// maxWork bounds the thread instructions of the other cases, as cost estimates them. Without it, one case in
// twelve takes two fifths of the time of a check.
const maxWork = 1 << 15

// lighten has a case executed fewer times, and by fewer CTAs, until it is within maxWork. A kernel with one
// launch of one CTA stays as it is.
func (c *Case) lighten() {
	each := cost(&c.Kernel)
	for c.Again > 0 && each*c.Threads()*(1+c.Again) > maxWork {
		c.Again--
	}
	if c.Again == 0 {
		c.Host = 0
	}
	for d := range c.Grid {
		for c.Grid[d] > 1 && each*c.Threads() > maxWork {
			c.Grid[d]--
		}
	}
}

// drawShape draws a launch that fits the machine. Its blocks fill their warps or not. Some launches
// have a block that fills an SM, many small blocks, or more blocks than an SM has room for.
func (c *Case) drawShape(r *rand.Rand, features Features) {
	warp, room := c.Machine.SM.WarpSize, c.largest()
	most, ctas, solid := min(room, 4*warp, 96), 4, features&Solids != 0
	if features&Larges != 0 {
		switch r.IntN(64) {
		case 0:
			most, ctas = room, 1
		case 1:
			most, ctas = warp, 150
		}
	}
	if room := c.Machine.SM.CTAs; most <= 96 && room > 2 && room <= 6 && r.IntN(4) == 0 {
		ctas = 20
	}
	n := 1 + r.IntN(most)
	if most > 96 {
		n = most - r.IntN(warp)
	}
	if r.IntN(2) == 0 {
		n = max(n/warp, 1) * warp
	}
	c.Block, c.Grid = [3]uint32{uint32(n), 1, 1}, [3]uint32{uint32(1 + r.IntN(ctas)), 1, 1}
	if solid && r.IntN(3) == 0 {
		y, z := 1+r.IntN(4), 1+r.IntN(2)
		c.Block = [3]uint32{uint32(max(n/(y*z), 1)), uint32(y), uint32(z)}
		grid := [3]uint32{uint32(1 + r.IntN(2)), uint32(1 + r.IntN(2)), uint32(1 + r.IntN(2))}
		if ctas > 1 {
			c.Grid = grid
		}
		if int(c.Block[0]*c.Block[1]*c.Block[2]) > most {
			c.Block = [3]uint32{1, 1, 1}
		}
	}
}

// mostRegisters bounds the registers of a thread of a random kernel, rounded by any sm.reg_alloc. The
// most of 6,000 kernels is 56.
const mostRegisters = 64

// largest is the number of threads of the largest block that fits the machine. A sub-core may have to
// run a block as a whole.
func (c *Case) largest() int {
	s := &c.Machine.SM
	return min(s.Threads/s.Schedulers, s.Registers/s.Schedulers/mostRegisters, 1024)
}

// manyWarps is the number of warps of a launch above which special values do not make a kernel longer.
const manyWarps = 64

// warps is the number of warps of the grid.
func (c *Case) warps() int {
	block, warp := c.Block[0]*c.Block[1]*c.Block[2], uint32(c.Machine.SM.WarpSize)
	return int(c.Grid[0] * c.Grid[1] * c.Grid[2] * ((block + warp - 1) / warp))
}

// drawRoom gives every fourth kernel more shared memory: some bytes, or so much that a few CTAs
// just fill it.
func (c *Case) drawRoom(r *rand.Rand) {
	cells := cellBytes * int(c.Block[0]*c.Block[1]*c.Block[2])
	most := c.Machine.Shared.Size - tallyBytes - cells
	if r.IntN(4) != 0 || most <= 0 {
		return
	}
	c.Kernel.Room = 1 + r.IntN(min(most, 16))
	if full := c.Machine.Shared.Size/(2+r.IntN(3)) - cells - r.IntN(8); r.IntN(2) == 0 && full > 0 {
		c.Kernel.Room = min(full, most)
	}
}

// Threads is the number of threads of the grid.
func (c *Case) Threads() int {
	return int(c.Grid[0] * c.Grid[1] * c.Grid[2] * c.Block[0] * c.Block[1] * c.Block[2])
}

// PTX returns the kernel as text, with its parameters.
func (c *Case) PTX() (text string, params []Buffer) {
	return c.Kernel.ptx(c.Grid, c.Block, c.Machine.SM.WarpSize, fmt.Sprintf("A random kernel, of seed %d.", c.Seed))
}

// Compiled is a case ready to run.
type Compiled struct {
	*Case
	Text string
	Prog *isa.Program
	Args []testbench.Arg

	params      []Buffer
	SharedBytes uint32            // bytes of dynamic shared memory
	lacking     map[int]*Compiled // the variants of For, by lacking abilities
}

// These are abilities that not every mechanism has.
const (
	canVote    = 1 << iota // bring the threads of a warp together where all of them arrive
	canPart                // have warps at barriers in parts: see Roles
	canApart               // let the threads of a warp reach a barrier apart
	canThree               // in more than two parts
	canGather              // let the threads named by a vote wait for each other
	canCount               // tell threads which threads of a warp are together
	canNumber              // let warps wait at barriers whose numbers are in registers
	canStep                // have all threads of a warp at an instruction at once, where all of them arrive
	canScatter             // have warps of a CTA at barriers and votes on different sides of a branch
	canCopy                // copy asynchronously, for the lanes of one row
	canWide                // have the kernel's program and warps of more than 32 lanes

	allAbilities = 1<<iota - 1
)

// abilities returns the abilities that a mechanism promises for a case. A mechanism that compacts
// warps must have nothing to compact where all threads are together.
func (k *Compiled) abilities(m *divergence.Mechanism) (can int) {
	wide := k.Machine.SM.WarpSize > isa.RowLanes // PTX names the threads of a warp by masks of 32 bits
	whole := k.Threads()%(k.Machine.SM.WarpSize*int(k.Grid[0]*k.Grid[1]*k.Grid[2])) == 0 && !k.Kernel.exits() ||
		!m.Blocks
	for ability, is := range map[int]bool{
		canVote: m.InStep && whole && !wide, canPart: whole, canStep: m.InStep || m.Arrival == divergence.ByThread,
		canApart: m.Arrival != divergence.ByWarp, canThree: m.Arrival > divergence.ByPair,
		canGather: m.Gathers && !wide,
		canCount:  !m.Blocks && !m.Across && !wide, canNumber: !m.Across, canScatter: !m.Blocks,
		canCopy: !wide, canWide: true,
	} {
		if is {
			can |= ability
		}
	}
	return can
}

// takes reports whether a mechanism can be built for the machine's warps, and has no mask of a warp in a
// register of 32 bits for the kernel.
func (k *Compiled) takes(m *divergence.Mechanism) bool {
	if k.Machine.SM.WarpSize <= isa.RowLanes {
		return true
	}
	o := k.Machine.Divergence
	if _, err := m.Build(o, k.Machine.SM.Geometry(), &divergence.Code{}); err != nil {
		return false
	}
	return m.Prepare == nil || !slices.ContainsFunc(m.Prepare(o, k.Prog).Insts,
		func(in isa.Inst) bool { return in.Op == isa.OpBMov })
}

// needs returns the abilities that a mechanism must have for the kernel as it is.
func (k *Compiled) needs() (needs int) {
	k.Kernel.Each(func(s *Stmt, _ int) { needs |= s.need() })
	return needs
}

// need returns the ability that a mechanism must have for a statement.
func (s *Stmt) need() int {
	switch s.Kind {
	case Vote:
		return canVote
	case Roles:
		need := canPart
		if s.Op == 2 {
			need |= canNumber
		}
		if !s.Generic {
			need |= canStep
		}
		return need
	case Apart:
		need := 0
		switch s.Op {
		case apartBehind:
			return 0
		case apartWarp:
			return canGather
		case apartThree:
			need = canThree
		}
		if !s.Generic {
			need |= canStep
		}
		return canApart | need
	case Leave:
		return canApart
	case Gather:
		return canGather
	case Count:
		return canCount
	case Copy:
		return canCopy
	}
	return 0
}

// For returns the case in a form that the mechanism can run. It replaces votes by arithmetic, and
// barriers of some threads by barriers of all, or adds those, if the mechanism lacks the ability. It
// halves warps of 64 lanes that the mechanism does not take.
func (k *Compiled) For(name string) (*Compiled, error) {
	m, _ := divergence.Find(name)
	can := k.abilities(&m)
	lacks := k.needs() &^ can
	if k.Kernel.Free {
		lacks = allAbilities &^ can
	}
	v, err := k.variant(lacks)
	if err == nil && !v.takes(&m) {
		v, err = k.variant(lacks | canWide)
	}
	return v, err
}

// variant returns the case for a mechanism without some abilities.
func (k *Compiled) variant(lacks int) (*Compiled, error) {
	if lacks == 0 && !k.Kernel.Free {
		return k, nil
	}
	if v := k.lacking[lacks]; v != nil {
		return v, nil
	}
	make := func() (*Compiled, error) { return k.adapted(lacks).Compile() }
	if k.Kernel.Free {
		make = func() (*Compiled, error) { return k.settle(allAbilities &^ lacks) }
	}
	v, err := make()
	if k.lacking == nil {
		k.lacking = map[int]*Compiled{}
	}
	k.lacking[lacks] = v
	return v, err
}

// adapted returns the case for a mechanism without some abilities.
func (c *Case) adapted(lacks int) *Case {
	d := *c
	d.Kernel = c.Kernel.clone()
	d.Kernel.adapt(lacks)
	if lacks&canWide != 0 {
		d.Narrow()
	}
	return &d
}

// Narrow makes warps of 32 lanes of larger ones. An SM has as many threads as before.
func (c *Case) Narrow() {
	s := &c.Machine.SM
	s.WarpSize, s.SIMDWidth = min(s.WarpSize, isa.RowLanes), min(s.SIMDWidth, isa.RowLanes)
	fit(&c.Machine) // there are more warps
}

// adapt replaces what a mechanism without some abilities cannot run.
func (k *Kernel) adapt(lacks int) {
	k.Each(func(s *Stmt, _ int) {
		lacks := s.need() & lacks
		switch {
		case lacks == 0:
		case lacks == canStep:
			s.Generic = true
		case s.Kind == Roles:
			s.Kind, s.Op = Barrier, 0
		case s.Kind == Apart:
			s.Op = apartBehind
		case s.Kind == Leave:
			s.Kind, s.Body = Exit, nil
		default:
			s.Kind = Compute
		}
	})
}

// Compile lowers the kernel. An error is a bug of this package or of package ptx.
func (c *Case) Compile() (*Compiled, error) {
	text, params := c.PTX()
	return c.CompileText(text, params)
}

// CompileText is Compile with another text for the kernel.
func (c *Case) CompileText(text string, params []Buffer) (*Compiled, error) {
	m, err := ptx.Parse(launches.ModuleFile, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w", c.Seed, err)
	}
	k := &Compiled{Case: c, Text: text, params: params, SharedBytes: uint32(c.Shared())}
	if k.Prog, err = testbench.Program(m, ""); err != nil {
		return nil, err
	}
	for i, p := range params {
		a, err := testbench.ParseArg(p.Spec, c.Seed+uint64(i))
		if err != nil {
			return nil, err
		}
		k.Args = append(k.Args, a)
	}
	return k, testbench.CheckArgs(k.Prog, k.Args)
}

// Launch places the arguments of a case on a session in its initial state, and runs its launches.
func (k *Compiled) Launch(s *testbench.Session, run func(testbench.Launch) error) error {
	bank, buffers, err := s.Place(k.Prog, k.Args)
	for i := 0; i <= k.Again && err == nil; i++ {
		for _, w := range k.HostWrites(i, k.params) {
			s.Write(buffers[w.buffer].Addr+w.offset, w.data)
		}
		err = run(testbench.Launch{Prog: k.Prog, Grid: k.Grid, Block: k.Block, Shared: k.SharedBytes, Params: bank})
	}
	return err
}

// AtEdge reports whether an instruction of the program is the access across the end of a kernel's
// buffer (Kernel.Edge).
func AtEdge(p *isa.Program, pc uint32) bool {
	in := &p.Insts[pc]
	return in.Memory() && slices.ContainsFunc(in.Src[:in.NSrc], func(o isa.Operand) bool {
		return o.Kind == isa.OperandReg && p.Regs[o.Index].Name == "%edge"
	})
}

// Shared returns the bytes of dynamic shared memory of a CTA.
func (c *Case) Shared() int {
	if !c.Kernel.Dynamic {
		return 0
	}
	return cellBytes*int(c.Block[0]*c.Block[1]*c.Block[2]) + c.Kernel.Room
}
