package properties

import (
	"fmt"
	"io"
	"math/bits"
	"strings"

	"divergo/internal/table"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/testbench"
)

// Coverage counts what random kernels have reached. A bin of zero marks what no check has seen.
type Coverage struct {
	Cases    uint64
	Branches [draw.NumShapes][numClasses]uint64 // conditional branches by place and division of the mask
	Depths   [len(depths)]uint64                // runs by deepest stack
	Events   [numEvents]uint64                  // runs with this event
	Kinds    [draw.NumKinds]uint64              // cases with this statement
	Forms    [numForms]uint64                   // cases with this instruction
	Nested   [len(depths)]uint64                // cases by nesting of statements
	Reached  map[string]uint64                  `json:",omitempty"` // see Hardware
}

// class describes how a branch divides a mask.
type class uint8

const (
	classNone class = iota
	classAll
	classOne    // a single lane takes it
	classAllBut // a single lane does not
	classHalf   // as many lanes take it as do not
	classSplit  // any other division
	classLonely // only one lane is active
	numClasses
)

// String names c.
func (c class) String() string {
	return [...]string{"none taken", "all taken", "one lane", "all but one", "half", "other", "one active"}[c]
}

// depths are the upper ends of the bins of stack depths.
var depths = [...]int{0, 1, 2, 4, 8, 16, 32, 128}

func depthBin(n int) int {
	for i, d := range depths {
		if n <= d {
			return i
		}
	}
	return len(depths) - 1
}

const (
	eventPush = iota
	eventPop
	eventSpill
	eventFill
	eventRelease
	eventApart
	eventDivergent
	eventMixed
	eventInserted
	eventLarge
	eventMany
	eventDeep
	eventAgain
	eventFault
	numEvents
)

var eventNames = [numEvents]string{
	"push", "pop", "spill", "fill", "barrier release", "barrier reached in parts", "divergent branch",
	"partial last warp", "inserted instruction",
	"block of more than 96 threads", "grid of more than 100 blocks", "grid in z", "several launches",
	"access across the end of an allocation",
}

// forms are variants of the instructions of statements.
const (
	formIndirect = iota
	formRecursive
	formReduces
	formCounted
	formVector
	formGeneric
	formNarrow
	formDouble
	formLocal
	formOrdered
	formCached
	formReturns
	formLane
	formArrives
	formParts
	formTeam
	formHere
	formCopy
	formPasses
	formShort
	formSubword
	numForms
)

var formNames = [numForms]string{
	"call by address", "recursive call", "bar.red", "bar with a count", "vector", "generic address",
	"bytes or half words", "double words", "vector in local memory", "memory order", "cache operator",
	"result of an atomic", "lane number",
	"bar.arrive", "barrier of some warps", "vote of some threads", "vote without .sync", "asynchronous copy",
	"parameter of a function", "address of 32 bits", "atomic of 16 bits",
}

// forms returns the variants that a program has.
func forms(p *isa.Program) (has [numForms]bool) {
	for pc := range p.Insts {
		in := &p.Insts[pc]
		f := p.FuncAt(uint32(pc))
		access := in.Op == isa.OpLd || in.Op == isa.OpSt
		atomic := in.Op == isa.OpAtom
		for i, is := range [numForms]bool{
			formIndirect:  in.Op == isa.OpCall && in.Indirect(),
			formRecursive: in.Op == isa.OpCall && f != nil && f.Cycle != 0,
			formReduces:   in.Op == isa.OpBar && in.Reduces(),
			formCounted:   in.Op == isa.OpBar && in.NSrc > 1 && in.Src[1].Kind == isa.OperandImm && in.Src[1].Imm != 0,
			formVector:    access && in.Vec > 1,
			formGeneric:   in.Memory() && in.Space == isa.SpaceGeneric,
			formNarrow:    access && in.Type.Bits() < 32,
			formDouble:    (access || atomic) && in.Type.Bits() == 64 && in.Space != isa.SpaceParam,
			formLocal:     access && in.Vec > 1 && in.Space == isa.SpaceLocal,
			formOrdered:   in.Flags&(isa.FlagAcquire|isa.FlagRelease) != 0,
			formCached:    in.Cache != isa.CacheDefault,
			formReturns:   atomic && in.NDst > 0,
			formArrives:   in.Op == isa.OpBar && in.Mode == isa.ModeArrive,
			formParts:     in.Op == isa.OpBar && in.Guard.Kind == isa.OperandPred && in.Mode != isa.ModeArrive,
			formTeam: in.CrossLane() && in.Flags&isa.FlagSync != 0 && in.NSrc > 0 &&
				in.Src[in.NSrc-1].Kind != isa.OperandImm,
			formHere:   in.CrossLane() && in.Flags&isa.FlagSync == 0 && in.Op != isa.OpBarWarp,
			formCopy:   in.Op == isa.OpCopy,
			formPasses: strings.HasPrefix(in.Text, "st.param"),
			formShort: access && in.NSrc > 0 && in.Src[0].Kind == isa.OperandReg &&
				p.Regs[in.Src[0].Index].Type.Bits() == 32 && in.Memory(),
			formSubword: atomic && in.Type.Bits() == 16,
			formLane: in.Op == isa.OpMov && in.Src[0].Kind == isa.OperandSpecial &&
				isa.Special(in.Src[0].Index) == isa.LaneID,
		} {
			has[i] = has[i] || is
		}
	}
	return has
}

// branch counts a conditional branch.
func (c *Coverage) branch(s draw.Shape, mask, taken uint64) {
	n, t := bits.OnesCount64(mask), bits.OnesCount64(taken)
	k := classSplit
	switch {
	case n == 1:
		k = classLonely
	case t == 0:
		k = classNone
	case t == n:
		k = classAll
	case t == 1:
		k = classOne
	case t == n-1:
		k = classAllBut
	case 2*t == n:
		k = classHalf
	}
	c.Branches[s][k]++
}

// run counts a finished run.
func (c *Coverage) run(k *draw.Case, s *testbench.Session) {
	d := &s.Runs[len(s.Runs)-1].Counters
	c.Depths[depthBin(int(d.Divergence.MaxDepth))]++
	for i, is := range [numEvents]bool{
		d.Divergence.Pushes > 0, d.Divergence.Pops > 0, d.Divergence.Spills > 0, d.Divergence.Fills > 0,
		d.Divergence.BarReleases > 0, d.Divergence.BarDiverged > 0, d.Divergence.Divergent > 0,
		int(k.Block[0]*k.Block[1]*k.Block[2])%k.Machine.SM.WarpSize != 0, d.Inserted > 0,
		k.Block[0]*k.Block[1]*k.Block[2] > 96, k.Grid[0] > 100, k.Grid[2] > 1, k.Again > 0,
	} {
		if is {
			c.Events[i]++
		}
	}
	happened(d, func(name string, n uint64) {
		if n > 0 {
			c.reach(name)
		}
	})
}

// kernel counts the statements and instructions of a case.
func (c *Coverage) kernel(k *draw.Compiled) {
	c.Cases++
	var has [draw.NumKinds]bool
	deepest := 0
	k.Kernel.Each(func(s *draw.Stmt, depth int) {
		has[s.Kind] = true
		deepest = max(deepest, depth)
	})
	for i, h := range has {
		if h {
			c.Kinds[i]++
		}
	}
	for i, h := range forms(k.Prog) {
		if h {
			c.Forms[i]++
		}
	}
	c.Nested[depthBin(deepest)]++
	c.drawn(k.Case)
}

// add adds the counts of o.
func (c *Coverage) add(o *Coverage) {
	c.Cases += o.Cases
	for i := range c.Branches {
		for j := range c.Branches[i] {
			c.Branches[i][j] += o.Branches[i][j]
		}
	}
	for i := range c.Depths {
		c.Depths[i] += o.Depths[i]
		c.Nested[i] += o.Nested[i]
	}
	for i := range c.Events {
		c.Events[i] += o.Events[i]
	}
	for i := range c.Kinds {
		c.Kinds[i] += o.Kinds[i]
	}
	for i := range c.Forms {
		c.Forms[i] += o.Forms[i]
	}
	for name, n := range o.Reached { // the order does not matter to sums
		if c.Reached == nil {
			c.Reached = map[string]uint64{}
		}
		c.Reached[name] += n
	}
}

// Bins lists every bin with its count, in order, without those of Hardware.
func (c *Coverage) Bins() (names []string, counts []uint64) {
	add := func(n uint64, format string, args ...any) {
		names, counts = append(names, fmt.Sprintf(format, args...)), append(counts, n)
	}
	for i, n := range c.Kinds {
		add(n, "statement: %v", draw.Kind(i))
	}
	for i, n := range c.Forms {
		add(n, "instruction: %s", formNames[i])
	}
	for i := range c.Branches {
		for j, n := range c.Branches[i] {
			add(n, "branch: %v, %v", draw.Shape(i), class(j))
		}
	}
	for i, n := range c.Depths {
		add(n, "stack depth: %s", depthName(i))
	}
	for i, n := range c.Events {
		add(n, "event: %s", eventNames[i])
	}
	return names, counts
}

// Missed lists the bins of Bins that are zero.
func (c *Coverage) Missed() (list []string) {
	names, counts := c.Bins()
	for i, n := range counts {
		if n == 0 {
			list = append(list, names[i])
		}
	}
	return list
}

// Print writes the tables: branches by place and mask, stack depths, statements and events.
func (c *Coverage) Print(w io.Writer) error {
	header := []string{"branch"}
	for k := range numClasses {
		header = append(header, k.String())
	}
	t := table.New(header...)
	for i := range c.Branches {
		row := []any{draw.Shape(i).String()}
		for _, n := range c.Branches[i] {
			row = append(row, n)
		}
		t.Row(row...)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = table.New()
	line := func(name string, each func(i int) (string, uint64), n int) {
		var list []string
		for i := range n {
			what, count := each(i)
			list = append(list, fmt.Sprintf("%s: %d", what, count))
		}
		t.Row(name, strings.Join(list, ", "))
	}
	line("kernels with", func(i int) (string, uint64) { return draw.Kind(i).String(), c.Kinds[i] }, int(draw.NumKinds))
	line("", func(i int) (string, uint64) { return formNames[i], c.Forms[i] }, numForms)
	line("kernels by nesting", func(i int) (string, uint64) { return depthName(i), c.Nested[i] }, len(depths))
	line("runs by stack depth", func(i int) (string, uint64) { return depthName(i), c.Depths[i] }, len(depths))
	line("runs with", func(i int) (string, uint64) { return eventNames[i], c.Events[i] }, numEvents)
	_, err := t.WriteTo(w)
	return err
}

// depthName names a bin of depths.
func depthName(i int) string {
	if i > 0 && depths[i-1]+1 < depths[i] {
		return fmt.Sprintf("%d-%d", depths[i-1]+1, depths[i])
	}
	return fmt.Sprint(depths[i])
}
