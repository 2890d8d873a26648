package isa

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUniformAfterDivergence(t *testing.T) {
	n := op(OpLd, reg(0), immediate(0))
	n.Space = SpaceParam
	tid := op(OpMov, reg(1), special(TidX))
	less := func(p, a int, b Operand) Inst {
		in := op(OpSetp, predicate(p), reg(a), b)
		in.Type, in.SrcType, in.Cmp = U32, U32, CmpLt
		return in
	}
	for _, c := range []struct {
		name  string
		insts []Inst
		want  map[uint32]bool // branches and barriers
	}{
		{
			// if (tid < n) for (k = 0; k < n; k++);
			"loop behind a bounds check",
			[]Inst{
				n, tid,
				less(0, 1, reg(0)),
				branch(predicate(0), 9),
				op(OpMov, reg(2), immediate(0)),
				op(OpAdd, reg(2), reg(2), immediate(1)),
				less(1, 2, reg(0)),
				{Op: OpBar},
				branch(predicate(1), 5),
				{Op: OpExit},
			},
			map[uint32]bool{3: false, 7: false, 8: true},
		},
		{
			// if (tid < n) return; for (k = 0; k < n; k++);
			"loop behind an early exit",
			[]Inst{
				n, tid,
				less(0, 1, reg(0)),
				{Op: OpExit, Guard: predicate(0)},
				op(OpMov, reg(2), immediate(0)),
				op(OpAdd, reg(2), reg(2), immediate(1)),
				less(1, 2, reg(0)),
				branch(predicate(1), 5),
				{Op: OpExit},
			},
			map[uint32]bool{7: true},
		},
		{
			// k = 0; if (tid < n) k = 1; if (k < n);
			"values meet",
			[]Inst{
				n, tid,
				op(OpMov, reg(2), immediate(0)),
				less(0, 1, reg(0)),
				branch(predicate(0), 6),
				op(OpMov, reg(2), immediate(1)),
				less(1, 2, reg(0)),
				branch(predicate(1), 8),
				{Op: OpExit},
			},
			map[uint32]bool{4: false, 7: false},
		},
		{
			// for (;;) { if (tid < n) k++; if (k < n) break; }, k never set before
			"values last into the next iteration",
			[]Inst{
				n, tid,
				less(0, 1, reg(0)),
				branch(predicate(0), 5),
				op(OpAdd, reg(2), reg(2), immediate(1)),
				less(1, 2, reg(0)),
				branch(predicate(1), 2),
				{Op: OpExit},
			},
			map[uint32]bool{3: false, 6: false},
		},
		{
			// do { k = 0; if (tid < n) k = 1; else if (...) break; } while (k < n): threads
			// meet at the condition, although the post-dominator is behind the loop
			"values meet at a likely-convergence point",
			[]Inst{
				n, tid,
				op(OpMov, reg(2), immediate(0)),
				less(0, 1, reg(0)),
				branch(predicate(0), 7),
				branch(predicate(0), 10),
				branch(Operand{}, 8),
				op(OpAdd, reg(2), reg(2), immediate(1)),
				less(1, 2, reg(0)),
				branch(predicate(1), 2),
				{Op: OpExit},
			},
			map[uint32]bool{4: false, 9: false},
		},
		{
			// for (k = 0; k < n; k++) if (tid < k) break;
			"counter of a loop that threads leave",
			[]Inst{
				n, tid,
				op(OpMov, reg(2), immediate(0)),
				less(0, 1, reg(2)),
				branch(predicate(0), 8),
				op(OpAdd, reg(2), reg(2), immediate(1)),
				less(1, 2, reg(0)),
				branch(predicate(1), 3),
				{Op: OpExit},
			},
			map[uint32]bool{4: false, 7: true},
		},
		{
			// a guarded mov leaves the old value in some threads
			"guarded definition",
			[]Inst{
				n, tid,
				less(0, 1, reg(0)),
				{
					Op: OpMov, Type: U32, NDst: 1, NSrc: 1, Dst: [MaxDsts]Operand{reg(2)},
					Src: [MaxSrcs]Operand{immediate(1)}, Guard: predicate(0),
				},
				less(1, 2, reg(0)),
				branch(predicate(1), 6),
				{Op: OpExit},
			},
			map[uint32]bool{5: false},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Program{Regs: make([]Reg, 3), Preds: make([]string, 2), Insts: c.insts}
			Analyze(p)
			require.NoError(t, p.Check())
			for pc, want := range c.want {
				assert.Equal(t, want, p.Insts[pc].Uniform, "pc %d", pc)
			}
		})
	}
}

// TestUniformAcrossCalls: if (tid < n) f(); if (k < n); where f counts k, or a register of its own.
func TestUniformAcrossCalls(t *testing.T) {
	for counts, uniform := range map[int]bool{2: false, 3: true} {
		n := op(OpLd, reg(0), immediate(0))
		n.Space = SpaceParam
		less := func(p, a int) Inst {
			in := op(OpSetp, predicate(p), reg(a), reg(0))
			in.Type, in.SrcType, in.Cmp = U32, U32, CmpLt
			return in
		}
		call := op(OpCall, reg(4), immediate(6))
		call.Target = 9
		p := &Program{
			Regs: make([]Reg, 5), Preds: make([]string, 2), Funcs: []Func{{Name: "f", Entry: 9, Link: 4}},
			Insts: []Inst{
				n, op(OpMov, reg(1), special(TidX)), op(OpMov, reg(2), immediate(0)),
				less(0, 1),
				branch(predicate(0), 6),
				call,
				less(1, 2),
				branch(predicate(1), 8),
				{Op: OpExit},
				op(OpAdd, reg(counts), reg(counts), immediate(1)),
				{Op: OpRet, NSrc: 1, Src: [MaxSrcs]Operand{reg(4)}},
			},
		}
		Analyze(p)
		require.NoError(t, p.Check())
		assert.Equal(t, uniform, p.Insts[7].Uniform, "f counts register %d", counts)
	}
}

// TestUniformInLockStep runs random programs on a CTA of 32 threads. They reconverge at
// post-dominators and, in half of the runs, at likely-convergence points. Threads must never
// disagree at a branch that the analysis reports as uniform.
func TestUniformInLockStep(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	mixed, agreed, runs := 0, 0, 4000
	if testing.Short() {
		runs = 1000
	}
	for run := range runs {
		p := randomProgram(r)
		Analyze(p)
		require.NoError(t, p.Check())
		require.NoError(t, Bind(p))
		m := lockStep{
			p: p, regs: make([]Row, len(p.Regs)), preds: make([]uint32, len(p.Preds)), live: allLanes,
			likely: run%2 == 1,
		}
		m.stack = []entry{{rpc: NoPC, lpc: NoPC, mask: allLanes}}
		for range 400 {
			if len(m.stack) == 0 {
				break
			}
			pc := m.stack[len(m.stack)-1].pc
			in := &p.Insts[pc]
			active, executing := m.step()
			switch {
			case in.Op == OpBar && in.Uniform:
				require.Equal(t, m.live, active, "seed %d run %d: bar at %d\n%s", seed, run, pc, p)
			case in.Conditional() && in.Uniform:
				require.True(t, executing == 0 || executing == active, "seed %d run %d: branch at %d\n%s", seed,
					run, pc, p)
				agreed++
			case in.Conditional() && executing != 0 && executing != active:
				mixed++
			}
		}
	}
	assert.Greater(t, agreed, runs*5/4)
	assert.Greater(t, mixed, runs/2)
}

// randomProgram has up to 10 blocks of moves, additions and comparisons, with few registers, so
// that values meet often.
func randomProgram(r *rand.Rand) *Program {
	p := &Program{Regs: make([]Reg, 4), Preds: make([]string, 2)}
	for i := range p.Regs {
		p.Regs[i].Type = U32
	}
	blocks := 2 + r.IntN(9)
	source := func() Operand {
		switch r.IntN(8) {
		case 0:
			return special(TidX)
		case 1, 2:
			return immediate(uint64(r.IntN(4)))
		}
		return reg(r.IntN(4))
	}
	starts := make([]uint32, blocks)
	for b := range blocks {
		starts[b] = uint32(len(p.Insts))
		for range 1 + r.IntN(4) {
			in := op([]Op{OpMov, OpAdd}[r.IntN(2)], reg(r.IntN(4)), source(), source())
			if in.Op == OpMov {
				in.NSrc = 1
			}
			if r.IntN(3) == 0 {
				in = op(OpSetp, predicate(r.IntN(2)), source(), source())
				in.SrcType, in.Cmp = U32, CmpEq+Cmp(r.IntN(3))
			}
			if r.IntN(8) == 0 {
				in = Inst{Op: OpBar}
			}
			if r.IntN(6) == 0 {
				in.Guard = Operand{Kind: OperandPred, Index: uint16(r.IntN(2)), Not: r.IntN(2) == 0}
			}
			p.Insts = append(p.Insts, in)
		}
		end := Inst{
			Op: OpBra, Target: uint32(r.IntN(blocks)),
			Guard: Operand{Kind: OperandPred, Index: uint16(r.IntN(2)), Not: r.IntN(2) == 0},
		}
		switch r.IntN(8) {
		case 0:
			end.Op = OpExit
		case 1:
			end.Guard = Operand{}
		case 2:
			continue
		}
		p.Insts = append(p.Insts, end)
	}
	p.Insts = append(p.Insts, Inst{Op: OpExit})
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == OpBra {
			in.Target = starts[in.Target]
		}
	}
	return p
}

// lockStep is a CTA under a reconvergence stack, without a pipeline (Fung &
// Aamodt, HPCA 2011, sections 2.2.2 and 4).
type lockStep struct {
	p      *Program
	regs   []Row
	preds  []uint32
	live   uint32
	likely bool
	stack  []entry
}

type entry struct {
	pc, rpc, lpc uint32
	lpos         int // of the entry that waits at lpc
	mask         uint32
}

// step executes one instruction. It returns its active threads, and those whose guard holds.
func (m *lockStep) step() (active, executing uint32) {
	e := &m.stack[len(m.stack)-1]
	in := &m.p.Insts[e.pc]
	active, executing = e.mask, e.mask
	if in.Guard.Kind == OperandPred {
		executing &= m.pred(in.Guard)
	}
	e.pc++
	switch in.Op {
	case OpBra:
		switch executing {
		case 0:
		case active:
			e.pc = in.Target
		default:
			m.diverge(in, executing)
		}
	case OpExit:
		m.live &^= executing
		for i := range m.stack {
			m.stack[i].mask &^= executing
		}
	case OpBar:
	default:
		m.execute(in, executing)
	}
	m.converge()
	return active, executing
}

// diverge splits the top entry, whose PC is behind the branch in.
func (m *lockStep) diverge(in *Inst, taken uint32) {
	top := len(m.stack) - 1
	e := m.stack[top]
	lpc, lpos := e.lpc, e.lpos
	if in.Reconv == e.rpc {
		m.stack = m.stack[:top] // the entry below waits there
	} else {
		m.stack[top].pc = in.Reconv
		lpc = NoPC
	}
	if m.likely && in.Likely != NoPC && in.Likely != lpc {
		m.stack = append(m.stack, entry{pc: in.Likely, rpc: in.Reconv, lpc: lpc, lpos: lpos})
		lpc, lpos = in.Likely, len(m.stack)-1
	}
	m.stack = append(m.stack, entry{e.pc, in.Reconv, lpc, lpos, e.mask &^ taken},
		entry{in.Target, in.Reconv, lpc, lpos, taken})
}

// converge pops entries at the top of the stack that have no threads, or whose threads have reached
// their meeting place.
func (m *lockStep) converge() {
	for len(m.stack) > 0 {
		e := m.stack[len(m.stack)-1]
		switch {
		case e.mask == 0 || e.pc == e.rpc && e.rpc != NoPC:
		case e.pc == e.lpc && e.lpc != NoPC:
			m.stack[e.lpos].mask |= e.mask
		default:
			return
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
}

func (m *lockStep) pred(o Operand) uint32 {
	if o.Not {
		return ^m.preds[o.Index]
	}
	return m.preds[o.Index]
}

func (m *lockStep) execute(in *Inst, mask uint32) {
	var src [MaxSrcs]Row
	var d Row
	x := Lanes{Mask: mask}
	for i, o := range in.Src[:in.NSrc] {
		x.Src[i] = &src[i]
		for lane := range src[i] {
			switch o.Kind {
			case OperandReg:
				src[i][lane] = m.regs[o.Index][lane]
			case OperandImm:
				src[i][lane] = o.Imm
			case OperandSpecial:
				src[i][lane] = uint64(lane)
			}
		}
	}
	x.Dst[0] = &d
	Execute(in, &x)
	to := in.Dst[0]
	if to.Kind == OperandPred {
		m.preds[to.Index] = m.preds[to.Index]&^mask | x.PDst[0]
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		m.regs[to.Index][lane] = d[lane]
	}
}
