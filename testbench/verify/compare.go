package verify

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"

	"divergo/gpu"
	"divergo/isa"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// maxKept limits the differences of each kind that a Mismatch holds in full.
const maxKept = 8

// Mismatch lists the differences between a launch on the machine and the golden model. Of each kind
// it holds the first few, in the order of threads (CTA by CTA, x first) or addresses, and the total
// number.
type Mismatch struct {
	Launch  testbench.Launch
	Outcome *testbench.Outcome // of the machine; nil if it finished
	Golden  golden.End
	Broken  []Broken // by SM, then cycle

	Paths     []Path
	Threads   int // with a different sequence of PCs
	Registers []Register
	Values    int // differing registers and predicates of all threads
	Writes    []Write
	Written   int // registers and predicates of all threads with different written values: RunStrict
	Memory    []Bytes
	Bytes     int // differing bytes of device memory
	Printed   []Record

	// Issued counts the active lanes of all warp instructions, like the machine's own counter,
	// without lanes that waited at an indirect jump. Steps counts the thread instructions of the
	// golden model. Both are 0 unless both sides finished.
	Issued, Steps uint64
}

// Rule is a rule for instructions of the machine that is checked without the golden model.
type Rule uint8

// The rules, named after their violations.
const (
	Late      Rule = iota // issued in a cycle whose issue slots or lanes were used up, or before
	EmptyMask             // issued without threads
	NoThread              // issued for threads that are not there, or have exited
	NoLeaver              // such threads exit
	TwoPlaces             // a warp runs on several SMs or in several rows
	NoExit                // threads end without exit
	Astray                // a herded instruction goes elsewhere than its threads want
)

// String describes the violation of r.
func (r Rule) String() string {
	return [...]string{
		"two issues in a cycle", "an empty mask", "an issue without thread", "an exit without thread",
		"a warp at two places", "an end without exit", "a herded instruction astray",
	}[r]
}

// Broken is a violation of a rule by an issued instruction.
type Broken struct {
	Is     Rule
	Rule   string // in words
	SM     int
	Cycle  uint64 // of the core clock, from the launch on
	PC     uint32
	Thread golden.ID // the first thread concerned
}

// Path is the complete path of a thread through the program on both sides. The machine's path ends
// early if the run did not finish.
type Path struct {
	Thread          golden.ID
	At              int // index of the first difference, or the length of the path that ends there
	Machine, Golden []uint32
}

// Register is a general register or predicate with a different value at its thread's exit. A
// predicate is 0 or 1.
type Register struct {
	Thread          golden.ID
	Name            string // name in the PTX
	Type            isa.Type
	Machine, Golden uint64
}

// Write is a register or predicate to which a thread has not written the golden model's values in
// order.
type Write struct {
	Thread golden.ID
	Name   string // name in the PTX
}

// Bytes is a piece of device memory that differs: up to 16 bytes, in whole words of 4 where the
// allocation has them.
type Bytes struct {
	Addr            uint64
	Machine, Golden []byte
	In              string // the allocation or variable
	Offset          uint64 // in it
}

// Record is a text that one side has printed more often than the other.
type Record struct {
	Text            string
	Machine, Golden int
}

// differs reports whether there is any difference.
func (d *Mismatch) differs() bool {
	return !d.ends() || len(d.Broken)+len(d.Printed)+d.Threads+d.Values+d.Written+d.Bytes > 0 || d.Issued != d.Steps
}

// ends reports whether both sides ended in the same way.
func (d *Mismatch) ends() bool {
	if d.Outcome == nil {
		return d.Golden == golden.Finished
	}
	switch d.Outcome.End {
	case gpu.Faulted:
		return d.Golden == golden.Faulted
	case gpu.Deadlock:
		return d.Golden == golden.Deadlocked
	}
	return d.Golden == golden.OutOfSteps
}

// owner is the place of a thread's execution.
type owner struct {
	*warp
	sm, lane int
}

// owners lists the places of execution of the grid's threads, nil for threads that never issued. A
// CTA that was executed twice breaks a rule.
func (r *run) owners(d *Mismatch) []owner {
	k := r.session.Machine.SMs[0].Kernel()
	list := make([]owner, int(k.CTAs())*k.Threads())
	for i, w := range r.watchers {
		for _, v := range w.done {
			first := int(v.id)*k.Threads() + v.index*w.lanes
			for location := range min(w.lanes, k.Threads()-v.index*w.lanes) {
				o := &list[first+location]
				if o.warp != nil && location == 0 {
					d.Broken = append(d.Broken, Broken{
						Is:   TwoPlaces,
						Rule: "a warp of a CTA that another SM or row executes too", SM: i, PC: v.steps[0].pc,
						Thread: r.name(first),
					})
				}
				*o = owner{v, i, w.sm.Lane(v.index, location)}
			}
		}
	}
	return list
}

// name returns the thread with a linear number in the grid.
func (r *run) name(t int) golden.ID {
	n := int(r.launch.Block[0] * r.launch.Block[1] * r.launch.Block[2])
	return golden.ID{CTA: point(t/n, r.launch.Grid), Thread: point(t%n, r.launch.Block)}
}

// point returns the coordinates of a linear number in a box, x first.
func point(i int, box [3]uint32) [3]uint32 {
	x, y := int(box[0]), int(box[1])
	return [3]uint32{uint32(i % x), uint32(i / x % y), uint32(i / (x * y))}
}

// trace returns the number of instructions of a thread and the hash of their PCs.
func (o owner) trace(p *isa.Program) (n, hash uint64) {
	for pc := range o.path(p) {
		n++
		hash = golden.Trace(hash, pc)
	}
	return n, hash
}

// issues counts the instructions that issued for a thread.
func (o owner) issues() (n uint64) {
	if o.warp == nil {
		return 0
	}
	for _, s := range o.steps {
		if s.pc != isa.NoPC {
			n += uint64(s.mask >> o.lane & 1)
		}
	}
	return n
}

// path returns the sequence of PCs of a thread. An indirect call or return counts when the thread
// leaves it; until then the thread waits for its turn.
func (o owner) path(p *isa.Program) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if o.warp == nil {
			return
		}
		last := isa.NoPC
		for _, s := range o.steps {
			if s.mask>>o.lane&1 == 0 || s.pc == last && last != isa.NoPC && p.Insts[last].Indirect() {
				continue
			}
			if last = s.pc; last != isa.NoPC && !yield(last) {
				return
			}
		}
	}
}

// pcs returns the path as a slice.
func (o owner) pcs(p *isa.Program) []uint32 { return slices.Collect(o.path(p)) }

// compareThreads compares sequences of PCs and exit registers of a launch that
// finished on both sides.
func (r *run) compareThreads(d *Mismatch, want *golden.Result) error {
	var differ []int
	prog := r.launch.Prog
	list := r.owners(d)
	skip := ordered(prog)
	for t, o := range list {
		g := &want.Threads[t]
		n, hash := o.trace(prog)
		d.Issued -= o.issues() - n // it waited at an indirect jump
		if n != g.Steps || hash != g.Trace {
			differ = append(differ, t)
		}
		if o.warp == nil {
			continue // it never ran, so its path differs
		}
		id := r.name(t)
		if o.live>>o.lane&1 != 0 {
			if pcs := o.pcs(prog); len(pcs) > 0 {
				d.Broken = append(d.Broken, Broken{
					Is:   NoExit,
					Rule: "the last instruction of a thread that ends without exit", SM: o.sm, PC: pcs[len(pcs)-1],
					Thread: id,
				})
			}
			continue
		}
		nr, np := len(prog.Regs), len(prog.Preds)
		for i, got := range o.regs[o.lane*nr : (o.lane+1)*nr] {
			if got != g.Regs[i] && !skip.regs[i] {
				d.value(Register{id, prog.Regs[i].Name, prog.Regs[i].Type, got, g.Regs[i]})
			}
		}
		for i, got := range o.preds[o.lane*np : (o.lane+1)*np] {
			if got != g.Preds[i] && !skip.preds[i] {
				d.value(Register{id, prog.Preds[i], isa.Pred, bit(got), bit(g.Preds[i])})
			}
		}
		for i, want := range g.Writes {
			name, skips := "", false
			if i < nr {
				name, skips = prog.Regs[i].Name, skip.regs[i]
			} else {
				name, skips = prog.Preds[i-nr], skip.preds[i-nr]
			}
			if got := o.written(i, nr+np); got != want && !skips {
				d.write(Write{id, name})
			}
		}
	}
	if len(differ) == 0 {
		return nil
	}
	again, _, err := r.golden(golden.Options{PCs: true})
	if err != nil {
		return err
	}
	for _, t := range differ {
		d.path(r.name(t), list[t].pcs(prog), again.Threads[t].PCs)
	}
	return nil
}

// compareBegun compares the sequences of PCs of a launch that only the golden model finishes, as
// far as they go.
func (r *run) compareBegun(d *Mismatch) error {
	want, _, err := r.golden(golden.Options{PCs: true})
	if err != nil {
		return err
	}
	for t, o := range r.owners(d) {
		got, model := o.pcs(r.launch.Prog), want.Threads[t].PCs
		if n := min(len(got), len(model)); len(got) > n || !slices.Equal(got, model[:n]) {
			d.path(r.name(t), got, model)
		}
	}
	return nil
}

func (d *Mismatch) value(v Register) {
	if d.Values++; d.Values <= maxKept {
		d.Registers = append(d.Registers, v)
	}
}

func (d *Mismatch) write(v Write) {
	if d.Written++; d.Written <= maxKept {
		d.Writes = append(d.Writes, v)
	}
}

func (d *Mismatch) path(id golden.ID, machine, model []uint32) {
	if d.Threads++; d.Threads > maxKept {
		return
	}
	at := 0
	for at < len(machine) && at < len(model) && machine[at] == model[at] {
		at++
	}
	d.Paths = append(d.Paths, Path{id, at, machine, model})
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// comparePrinted compares the printed records, in any order. The records that do not fit into the
// print buffer depend on the order too.
func (r *run) comparePrinted(d *Mismatch, memory *golden.Memory) error {
	machine := r.session.Runs[len(r.session.Runs)-1].Printed
	model, err := testbench.ReadPrinted(r.launch.Prog, memory.Read)
	if err != nil || machine.Dropped > 0 && model.Dropped > 0 {
		return err
	}
	times := map[string]Record{}
	for _, text := range machine.Records {
		v := times[text]
		v.Machine++
		times[text] = v
	}
	for _, text := range model.Records {
		v := times[text]
		v.Golden++
		times[text] = v
	}
	for _, text := range slices.Sorted(maps.Keys(times)) {
		if v := times[text]; v.Machine != v.Golden {
			v.Text = text
			d.Printed = append(d.Printed, v)
		}
	}
	return nil
}

// compareMemory compares device memory, in pieces of 16 bytes.
func (r *run) compareMemory(d *Mismatch, memory *golden.Memory) error {
	for i, v := range r.image {
		if v.Start == r.launch.Prog.Printer {
			continue // its records are in the machine's order
		}
		got, err := r.read(v.Range)
		if err != nil {
			return err
		}
		want := make([]byte, len(got))
		if err := memory.Read(v.Start, want); err != nil {
			return err
		}
		for at := 0; at < len(got); at += 16 {
			end := min(at+16, len(got))
			if !bytes.Equal(got[at:end], want[at:end]) {
				d.bytes(v.Start, at, got[:end], want[:end], r.holder(i))
			}
		}
	}
	return nil
}

// bytes records that machine and model differ at or after an offset of a region.
func (d *Mismatch) bytes(start uint64, at int, machine, model []byte, in string) {
	first, last := -1, 0
	for i := at; i < len(machine); i++ {
		if machine[i] != model[i] {
			if first < 0 {
				first = i
			}
			last = i
			d.Bytes++
		}
	}
	if len(d.Memory) < maxKept {
		first &^= 3
		last = min(last|3, len(machine)-1) + 1
		d.Memory = append(d.Memory, Bytes{
			start + uint64(first), machine[first:last], model[first:last], in,
			uint64(first),
		})
	}
}

// holder names the contents of a region: a variable of the module, or an allocation of the host,
// counted from 0.
func (r *run) holder(i int) string {
	v := r.image[i]
	for _, g := range r.launch.Prog.Globals {
		if g.Addr == v.Start {
			return "variable " + g.Name
		}
	}
	n := 0
	for _, before := range r.image[:i] {
		if before.Start >= isa.GlobalBase {
			n++
		}
	}
	return fmt.Sprintf("allocation %d, [%#x, %#x)", n, v.Start, v.End)
}
