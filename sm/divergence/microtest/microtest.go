// Package microtest has the shared parts of tests of mechanisms.
package microtest

import (
	"fmt"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	_ "divergo/sm/divergence/all"

	"divergo/isa"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
)

// Run runs a micro-kernel under a mechanism to its end.
func Run(t *testing.T, mech string, o divergence.Options, lanes, warps int, k kernel) micro.Result {
	t.Helper()
	m, ok := divergence.Find(mech)
	if !ok {
		t.Fatalf("no mechanism %s", mech)
	}
	r, err := micro.Run(m, o, lanes, warps, k, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Done {
		t.Fatalf("threads are left")
	}
	return r
}

// RandomKernel returns a kernel whose loops may be left from within. Without exits every second
// kernel is run three times by all threads, so that its branches find entries of earlier iterations
// in a table. Exits exclude that, because they can separate threads for good.
func RandomKernel(seed uint64, threads int, exits, bars bool) kernel {
	k := micro.Random(seed, threads, micro.Shape{Exits: exits, Bars: bars})
	if exits || seed%2 == 0 {
		return k
	}
	again := line{If: func(t *thread) bool { return t.I < 3 }, To: "AGAIN", Uniform: true}
	return seq(at("AGAIN", count1), k[:len(k)-1], again, exit)
}

// Alone returns the PCs that a thread executes by itself.
func Alone(k kernel, tid int) (pcs []uint32) {
	t := &thread{TID: tid}
	labels := map[string]int{}
	for pc, l := range k {
		if l.Label != "" {
			labels[l.Label] = pc
		}
	}
	for pc := 0; ; pc++ {
		l := k[pc]
		pcs = append(pcs, uint32(pc))
		if l.Do != nil {
			l.Do(t)
		}
		if l.Exit && (l.If == nil || l.If(t)) {
			return pcs
		}
		if l.To != "" && (l.If == nil || l.If(t)) {
			pc = labels[l.To] - 1
		}
	}
}

// PerThread sorts the PCs of issued instructions by thread.
func PerThread(issues []micro.Issue, lanes, threads int) [][]uint32 {
	pcs := make([][]uint32, threads)
	for _, i := range issues {
		for lane := range lanes {
			if i.Mask>>lane&1 != 0 {
				t := i.Thread(lane, lanes)
				pcs[t] = append(pcs[t], i.PC)
			}
		}
	}
	return pcs
}

// NoneAhead tests that no thread passes a barrier before every running thread of the CTA has
// reached it.
func NoneAhead(t *testing.T, k kernel, issues []micro.Issue, lanes, threads int) {
	passed, gone := make([]int, threads), make([]bool, threads)
	last := make([]int, threads) // issue of each thread: at an exit it ends there
	for n, i := range issues {
		for lane := range lanes {
			if i.Mask>>lane&1 != 0 {
				last[i.Thread(lane, lanes)] = n
			}
		}
	}
	for n, i := range issues {
		for lane := range lanes {
			if i.Mask>>lane&1 == 0 {
				continue
			}
			me := i.Thread(lane, lanes)
			for other := range threads {
				if !gone[other] && passed[other] < passed[me] {
					t.Fatalf("a thread is ahead: thread %d is at PC %d behind barrier %d, thread %d has not got there",
						me, i.PC, passed[me], other)
				}
			}
		}
		for lane := range lanes {
			if i.Mask>>lane&1 != 0 {
				me := i.Thread(lane, lanes)
				if k[i.PC].Bar {
					passed[me]++
				}
				gone[me] = k[i.PC].Exit && last[me] == n
			}
		}
	}
}

// Census checks that no thread is lost or counted twice.
type Census struct {
	Kernel  kernel
	Lanes   int // of a warp
	read    int // issued instructions read
	started [divergence.MaxWarps]bool
	gone    [divergence.MaxWarps]uint64 // threads that have reached an exit
}

// Take tests that the paths of a warp are disjoint and hold all its threads that have not reached
// an exit.
func (c *Census) Take(t *testing.T, p divergence.Policy, issued []micro.Issue) {
	for ; c.read < len(issued); c.read++ {
		i := issued[c.read]
		for m := i.Mask; m != 0; m &= m - 1 {
			h := i.Home(bits.TrailingZeros64(m))
			c.started[h.Row] = true
			if c.Kernel[i.PC].Exit {
				c.gone[h.Row] |= 1 << h.Lane
			}
		}
	}
	var seen [divergence.MaxWarps]uint64
	for _, path := range p.Paths(nil) {
		if path.Mask&seen[path.Row] != 0 {
			t.Fatal("a thread is in two paths")
		}
		seen[path.Row] |= path.Mask
	}
	for row, started := range c.started {
		if started && seen[row]|c.gone[row] != 1<<c.Lanes-1 {
			t.Fatalf("a thread is lost: row %d", row)
		}
	}
}

// IssuesOf returns the PC and mask of each issued instruction of a run.
func IssuesOf(r micro.Result) (got [][2]uint64) {
	for _, i := range r.Issues {
		got = append(got, [2]uint64{uint64(i.PC), i.Mask})
	}
	return got
}

// Counter returns the value of a mechanism's own counter.
func Counter(t *testing.T, m divergence.Mechanism, r micro.Result, name string) uint64 {
	t.Helper()
	for _, c := range m.Counters() {
		if c.Name == name {
			return c.Value(r.Counts)
		}
	}
	t.Fatal("no counter " + name)
	return 0
}

// BlocksOf returns the labels of the issued instructions.
func BlocksOf(k kernel, issues []micro.Issue) string {
	var b strings.Builder
	for _, i := range issues {
		b.WriteString(k[i.PC].Label)
	}
	return b.String()
}

// Structure finds a piece of storage by path.
func Structure(t *testing.T, c divergence.Cost, path string) rtl.Storage {
	t.Helper()
	for _, s := range c.Storage {
		if s.Path == path {
			return s
		}
	}
	t.Fatalf("no such structure: %s in %v", path, c.Storage)
	return rtl.Storage{}
}

// RandomKernels runs random kernels under mechanisms, as Exact does.
func RandomKernels(t *testing.T, options []divergence.Options, look func(p divergence.Policy)) {
	t.Helper()
	const lanes, warps = 8, 3
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			Exact(t, options, lanes, warps, look, func() kernel {
				return RandomKernel(seed, lanes*warps, seed%3 == 1, seed%3 == 2)
			})
		})
	}
}

// Exact runs a kernel, which fresh makes again for each run, under mechanisms. Each thread must
// execute the PCs that it executes by itself, each instruction once. The sum of active lanes is then
// the same under all mechanisms. No thread may be lost, or pass a barrier ahead of others. After each
// cycle it calls look, if that is not nil.
func Exact(t *testing.T, options []divergence.Options, lanes, warps int, look func(p divergence.Policy),
	fresh func() kernel,
) {
	t.Helper()
	var want [][]uint32
	k := fresh()
	for tid := range lanes * warps {
		want = append(want, Alone(k, tid))
	}
	for _, o := range options {
		for _, latency := range []int{0, 5} {
			m, _ := divergence.Find(o.Mechanism)
			k := fresh()
			count := Census{Kernel: k, Lanes: lanes}
			b := micro.Bench{
				Lanes: lanes, Warps: warps, Latency: latency,
				Each: func(p divergence.Policy, issued []micro.Issue) {
					count.Take(t, p, issued)
					if look != nil {
						look(p)
					}
				},
			}
			r, err := b.Run(m, o, k, 200_000)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Done {
				t.Fatalf("threads are left: %+v", o)
			}
			if got := PerThread(r.Issues, lanes, lanes*warps); !reflect.DeepEqual(want, got) {
				t.Fatalf("a thread executes other PCs than by itself: %+v", o)
			}
			NoneAhead(t, k, r.Issues, lanes, lanes*warps)
		}
	}
}

// driver is a front end with random branch outcomes. All its state is in registers.
type driver struct {
	rtl.State[struct {
		Random  uint64
		Started uint8
		Last    uint16
		Issued  [2]divergence.Outcome
		Valid   [2]bool
	}]
	Fire    rtl.Wire[divergence.Fire]
	Div     divergence.Policy
	Launch  rtl.Out[divergence.WarpStart]
	Outcome rtl.Out[divergence.Outcome]
	Retire  rtl.In[divergence.Retire]

	prog  *isa.Program
	warps int
}

// Tick starts a warp, passes on outcomes after two cycles, and issues from the next slot that can
// run.
func (d *driver) Tick() {
	q, n := d.Regs()
	n.Random = q.Random*6364136223846793005 + 1442695040888963407
	if int(q.Started) < d.warps && d.Launch.Ready() {
		d.Launch.Push(divergence.WarpStart{
			Row: q.Started, Warps: uint8(d.warps), Last: int(q.Started)+1 == d.warps,
			Mask: 0xff,
		})
		n.Started++
	}
	if d.Retire.Valid() {
		d.Retire.Pop()
	}
	if q.Valid[1] {
		d.Outcome.Push(q.Issued[1])
	}
	n.Issued[1], n.Valid[1] = q.Issued[0], q.Valid[0]
	n.Valid[0] = false
	var fire divergence.Fire
	slots := d.Div.Slots()
	for k := range slots.Len() {
		i := (int(q.Last) + 1 + k) % slots.Len()
		if s := slots.At(i); s.Valid && s.Wait == divergence.Runs {
			in := &d.prog.Insts[s.PC]
			fire = divergence.Fire{Valid: true, Control: in.Control(), Slot: uint16(i), PC: s.PC}
			n.Last = uint16(i)
			n.Valid[0] = in.Control()
			n.Issued[0] = divergence.Outcome{Slot: uint16(i), PC: s.PC, Taken: s.Mask}
			if in.Guard.Kind != isa.OperandNone {
				n.Issued[0].Taken &= uint64(q.Random >> 40)
			}
			break
		}
	}
	d.Fire.Set(fire)
}

// Clocked tests that mechanisms are clocked hardware. A checked run, any order of processes,
// snapshots and reset all give the same result.
func Clocked(t *testing.T, options []divergence.Options) {
	t.Helper()
	const warps = 4
	k := seq(
		at("A", nop), when(odd, "C"), nop, nop, to("E"),
		at("C", nop), when(odd, "D"),
		at("E", nop), when(odd, "A"), to("F"),
		at("D", nop), line{Exit: true, If: odd},
		at("F", line{Bar: true}), when(odd, "A"), exit)
	for _, o := range options {
		t.Run(o.Mechanism, func(t *testing.T) {
			m, _ := divergence.Find(o.Mechanism)
			rtltest.Properties(t, func() *rtl.Sim {
				prog := k.Program("k")
				p, err := m.Build(o, divergence.Geometry{Lanes: 8, Warps: warps, CTAs: 1}, &divergence.Code{Prog: prog})
				if err != nil {
					t.Fatal(err)
				}
				launch, retire := rtl.NewQueue[divergence.WarpStart](warps), rtl.NewQueue[divergence.Retire](warps)
				outcome := rtl.NewQueue[divergence.Outcome](64)
				f := &driver{
					Div: p, Launch: launch.Out(), Outcome: outcome.Out(), Retire: retire.In(), prog: prog,
					warps: warps,
				}
				c := p.Connections()
				c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &f.Fire
				type design struct {
					Policy divergence.Policy
					Driver *driver
					Memory *micro.Memory
				}
				sim := rtl.MustNew("bench", &design{p, f, micro.NewMemory(c, warps, 3)})
				p.Begin()
				return sim
			}, 500)
		})
	}
}

// With returns options for a mechanism with another value of a parameter. It panics if there is no
// such parameter.
func With(mechanism, key, value string) divergence.Options {
	o, err := divergence.Options{Mechanism: mechanism}.With(key, value)
	if err != nil {
		panic(err)
	}
	return o
}

type (
	kernel = micro.Kernel
	line   = micro.Line
	thread = micro.Thread
)

var (
	nop, exit, count1 = micro.Nop, micro.Exit, micro.Count
	to, when, at      = micro.To, micro.When, micro.At
	seq               = micro.Seq
	odd               = micro.Odd
)
