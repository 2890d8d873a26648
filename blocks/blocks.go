// Package blocks lists the blocks of the model that print themselves as Verilog, for the verbs
// rtl print, prove and area.
//
// A block is a module of package rtl with one input wire and one output wire. It calls the methods
// of the hardware that the simulator runs, so that the Verilog has their logic. Its sizes, such as
// the number of lanes, are chosen when it is printed.
//
//	print    Block.Print       the Verilog, by package rtl/verilog
//	run      Block.Model       the same module, in the simulator
//	compare  Equal             both, on random inputs, in Verilator or Icarus
//	prove    Block.Prove       properties, by yosys and ABC
//	measure  Block.Area        cells and delay, by yosys and ABC
//	use      Unit              a whole mechanism, as a Verilog unit in the simulator
//
// The tools are Debian's. Print needs none of them, and no Go tool chain: the sources are embedded.
package blocks

import (
	"fmt"
	"maps"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"

	"divergo"
	"divergo/internal/nearest"
	"divergo/rtl"
	"divergo/rtl/verilog"
)

// Sizes holds the size of each name.
type Sizes = verilog.Sizes

// Size is a size that can be chosen.
type Size struct {
	Name     string
	Doc      string
	Default  int
	Min, Max int
	Pow2     bool // only powers of two
	Small    int  // for tests and proofs
}

// Block is a piece of hardware that can be printed.
type Block struct {
	Name   string
	Doc    string // a line
	Source string // of the hardware, in the repository
	Notes  string // differences from the mechanism that uses it; may be empty
	Sizes  []Size

	derive   func(Sizes) // adds the widths that follow from the sizes
	make     func(Sizes) *Model
	promises string // of a whole mechanism: what checkers may expect of a unit
	slots    int    // of each warp in it; 0: one
	tokens   bool   // it has ssy and sync as events, and spills
	compacts bool   // its warps are made of the threads of a CTA
}

// All lists the blocks by name.
func All() []*Block {
	list := []*Block{
		compactor, permutation, majority, arbiter, scoreboard, pathStack, dpeStack, tokenStack, pdom, ppc, dpe, token,
		tbc,
		capt, barrier,
		pool, pair, smallest, coalescer, frfcfs,
	}
	slices.SortFunc(list, func(a, b *Block) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Find returns the block of a name. The error names the nearest one.
func Find(name string) (*Block, error) {
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return nil, nearest.Unknown("block", name, names)
}

// Defaults returns the sizes of the machine of the papers; with small those of tests and proofs.
func (b *Block) Defaults(small bool) Sizes {
	s := Sizes{}
	for _, x := range b.Sizes {
		s[x.Name] = x.Default
		if small {
			s[x.Name] = x.Small
		}
	}
	return s
}

// Check reports a size that the block does not have, or that is out of range.
func (b *Block) Check(s Sizes) error {
	var names []string
	for _, x := range b.Sizes {
		names = append(names, x.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		i := slices.Index(names, name)
		if i < 0 {
			if len(names) == 0 {
				return fmt.Errorf("block %s has no size %q: it has none", b.Name, name)
			}
			return fmt.Errorf("block %s: %w", b.Name, nearest.Unknown("size", name, names))
		}
		x, v := b.Sizes[i], s[name]
		if v < x.Min || v > x.Max || x.Pow2 && bits.OnesCount(uint(v)) != 1 {
			of := ""
			if x.Pow2 {
				of = ", a power of two"
			}
			return fmt.Errorf("block %s: %s is %d, expected %d to %d%s", b.Name, name, v, x.Min, x.Max, of)
		}
	}
	return nil
}

// Describe lists all sizes, with the defaults of those that s does not give.
func (b *Block) Describe(s Sizes) string {
	var list []string
	for _, x := range b.Sizes {
		v, ok := s[x.Name]
		if !ok {
			v = x.Default
		}
		list = append(list, fmt.Sprintf("%s=%d", x.Name, v))
	}
	return strings.Join(list, " ")
}

// module is the name of the Verilog module.
func (b *Block) module() string { return strings.ReplaceAll(b.Name, "-", "_") }

// complete adds the sizes that s does not give, and what follows from all.
func (b *Block) complete(s Sizes) (Sizes, error) {
	if err := b.Check(s); err != nil {
		return nil, err
	}
	all := b.Defaults(false)
	maps.Copy(all, s)
	for _, x := range b.Sizes {
		all[x.Name+"_bits"] = max(1, bits.Len(uint(all[x.Name]-1)))
	}
	all["kind_bits"] = 2 // of an outcome; a mechanism with tokens has more kinds
	if b.derive != nil {
		b.derive(all)
	}
	return all, nil
}

var library = sync.OnceValues(func() (*verilog.Library, error) {
	return verilog.Load(divergo.Sources, "isa", "units", "sm/divergence", "sm/divergence/paths",
		"sm/divergence/stacks", "sm/divergence/tokens", "memsys/dram", "memsys", "blocks")
})

// Print returns the block as Verilog. Sizes that s does not give have their defaults.
func (b *Block) Print(s Sizes) (*verilog.Text, error) {
	all, err := b.complete(s)
	if err != nil {
		return nil, err
	}
	lib, err := library()
	if err != nil {
		return nil, err
	}
	doc := fmt.Sprintf("%s: %s.\nPrinted by divergo from %s, for %s.\n%s", b.Name, b.Doc, b.Source, b.Describe(s), b.Notes)
	return verilog.Print(lib, b.module(), doc, b.make(all).block, all)
}

// Model returns the block as the simulator runs it.
func (b *Block) Model(s Sizes) (*Model, error) {
	all, err := b.complete(s)
	if err != nil {
		return nil, err
	}
	m := b.make(all)
	m.sim, err = rtl.New(b.Name, m.top)
	return m, err
}

// Model is a block in the simulator.
type Model struct {
	block rtl.Ticker
	top   any
	sim   *rtl.Sim
	in    reflect.Value // the value that the input wire gets
	set   func()
	out   reflect.Value // the value of the output wire
}

// pins is the test bench around a block.
type pins[I comparable] struct {
	In    rtl.Wire[I]
	Block rtl.Ticker
}

// model connects a block that has been made with its input wire.
func model[I, O comparable](connect func(in *rtl.Wire[I]) (block rtl.Ticker, out *rtl.Wire[O])) *Model {
	p := &pins[I]{}
	block, out := connect(&p.In)
	p.Block = block
	next := new(I)
	return &Model{
		block: block, top: p, in: reflect.ValueOf(next).Elem(), set: func() { p.In.Set(*next) },
		out: reflect.ValueOf(out.At()).Elem(),
	}
}

// Reset puts the block into its first state.
func (m *Model) Reset() { m.sim.Reset() }

// Step runs a cycle and appends the outputs. Inputs and outputs are those of the ports, element by
// element, in the order of the ports.
func (m *Model) Step(t *verilog.Text, inputs, outputs []uint64) []uint64 {
	k := 0
	for _, p := range t.Inputs {
		for _, index := range p.Index {
			v := at(m.in, index)
			switch {
			case v.Kind() == reflect.Bool:
				v.SetBool(inputs[k] != 0)
			default:
				v.SetUint(inputs[k])
			}
			k++
		}
	}
	m.set()
	m.sim.Run(1)
	for _, p := range t.Outputs {
		for _, index := range p.Index {
			v := at(m.out, index)
			switch {
			case v.Kind() != reflect.Bool:
				outputs = append(outputs, v.Uint())
			case v.Bool():
				outputs = append(outputs, 1)
			default:
				outputs = append(outputs, 0)
			}
		}
	}
	return outputs
}

// at is the part of a value at fields and elements.
func at(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Array {
			v = v.Index(i)
		} else {
			v = v.Field(i)
		}
	}
	return v
}
