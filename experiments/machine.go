package experiments

import (
	"encoding/binary"
	"fmt"
	"strings"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
)

// Probe measures a machine as micro-benchmarks measure a GPU: by the cycles of small kernels. It has
// one SM, the whole L2 and all of the DRAM. Cycles are those of the core clock.
type Probe struct {
	Config gpu.Config
	s      *testbench.Session
	steps  []step // issued instructions of the last launch, in order
}

// step is an issued instruction.
type step struct {
	cycle uint64
	pc    uint32
}

// NewProbe builds one SM of a machine.
func NewProbe(c gpu.Config) (*Probe, error) {
	c.GPU.SMs = 1
	s, err := testbench.NewSession(c, testbench.Limits{MaxCycles: 100_000_000})
	if err != nil {
		return nil, err
	}
	p := &Probe{Config: c, s: s}
	s.OnLaunch.Add(func(*testbench.Loaded) { p.steps = p.steps[:0] })
	s.Machine.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) { p.steps = append(p.steps, step{e.Cycle, e.PC}) })
	return p, nil
}

// run launches a CTA. The body is PTX; %rd0 is the address of the data, %r0 the number of the thread.
// Fill writes the data.
func (p *Probe) run(threads, bytes int, fill func(addr uint64), body string) (*isa.Program, error) {
	m, err := ptx.Parse("probe.ptx", []byte(`.version 6.0
.target sm_35
.address_size 64
.const .align 4 .b32 constants[1024];
.visible .entry probe(.param .u64 data)
{
	.reg .pred %p<4>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<32>;
	.reg .f32 %f<32>;
	.reg .f64 %fd<32>;
	.shared .align 8 .b8 tile[8192];
	ld.param.u64 %rd0, [data];
	mov.u32 %r0, %tid.x;
`+body+"\n\texit;\n}\n"))
	if err != nil {
		return nil, err
	}
	prog, err := testbench.Program(m, "")
	if err != nil {
		return nil, err
	}
	p.s.Reset()
	addr := p.s.Alloc(bytes)
	if fill != nil {
		fill(addr)
	}
	return prog, p.s.Launch(testbench.Launch{
		Prog: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(threads), 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, addr),
	})
}

// unrolled is the number of instructions that a kernel measures in a round of its loop.
const unrolled = 8

// loop is the PTX of rounds of a body.
func loop(rounds int, body string) string {
	return fmt.Sprintf(`
	mov.u32 %%r30, %d;
ROUND:
%s
	sub.u32 %%r30, %%r30, 1;
	setp.ne.u32 %%p1, %%r30, 0;
	@%%p1 bra ROUND;`, rounds, body)
}

// dependent returns the mean number of cycles from an instruction of a chain to the next. One warp
// runs the chain, and the first instructions do not count.
func (p *Probe) dependent(threads, bytes int, fill func(addr uint64), before, chain string,
	first, rounds int,
) (float64, error) {
	prog, err := p.run(threads, bytes, fill, before+loop(rounds, strings.Repeat(chain+"\n", unrolled)))
	if err != nil {
		return 0, err
	}
	start := uint32(0) // of the loop's body
	for pc := range prog.Insts {
		if in := &prog.Insts[pc]; in.Conditional() {
			start = uint32(pc) - 2 - unrolled
		}
	}
	var sum, n uint64
	for i := range p.steps[1:] {
		a, b := p.steps[i], p.steps[i+1]
		if a.pc < start || b.pc != a.pc+1 || b.pc >= start+unrolled {
			continue
		}
		if first--; first < 0 {
			sum, n = sum+b.cycle-a.cycle, n+1
		}
	}
	return float64(sum) / float64(n), nil
}

// Chase returns the latency of a load that depends on the one before: a walk through n pointers,
// stride bytes apart (Mei & Chu, IEEE TPDS 2017). The caches hold what is left of the walk before.
// The suffix is that of the load, such as ".cg" for a load from the L2.
func (p *Probe) Chase(n, stride int, suffix string) (float64, error) {
	fill := func(addr uint64) {
		for i := range n {
			next := addr + uint64((i+1)%n*stride)
			p.s.Write(addr+uint64(i*stride), binary.LittleEndian.AppendUint64(nil, next))
		}
	}
	const each = unrolled - 1 // measured in a round
	return p.dependent(1, n*stride, fill, "\tmov.u64 %rd1, %rd0;", "\tld.global"+suffix+".u64 %rd1, [%rd1];",
		(n+unrolled-1)/unrolled*each, 2*((n+unrolled-1)/unrolled)+2)
}

// L2Walk returns number and stride of pointers that fill a part of the L2: one line of each of two
// sets of a slice, in all their ways.
func (p *Probe) L2Walk(part float64) (n, stride int) {
	c := &p.Config
	local := max(c.DRAM.Interleave, c.L2.Size/c.L2.Assoc/2) // distance in the slice
	return int(part * float64(c.L2.Size/local)), local * c.DRAM.Channels
}

// SharedLatency returns the latency of a load from shared memory whose lanes are stride words apart.
func (p *Probe) SharedLatency(stride int) (float64, error) {
	return p.dependent(p.Config.SM.WarpSize, 8, nil, fmt.Sprintf(`
	mov.u32 %%r1, tile;
	mad.lo.u32 %%r1, %%r0, %d, %%r1;
	st.shared.u32 [%%r1], %%r1;`, 4*stride), "\tld.shared.u32 %r1, [%r1];", unrolled, 4)
}

// OpClass is a kind of arithmetic.
type OpClass struct {
	Name string
	inst string // %[1]s is a register that it reads and writes, %[2]s one that it reads
	kind string // of these registers
}

// opClasses are the measured kinds.
var opClasses = []OpClass{
	{"integer add", "add.u32 %[1]s, %[1]s, %[2]s;", "r"},
	{"integer mad", "mad.lo.u32 %[1]s, %[1]s, %[2]s, %[2]s;", "r"},
	{"single fma", "fma.rn.f32 %[1]s, %[1]s, %[2]s, %[2]s;", "f"},
	{"double fma", "fma.rn.f64 %[1]s, %[1]s, %[2]s, %[2]s;", "fd"},
	{"special", "ex2.approx.f32 %[1]s, %[1]s;", "f"},
}

// OpClasses lists the kinds of arithmetic that Latency and Throughput measure.
func OpClasses() []OpClass { return opClasses }

// on returns an instruction of the kind, on the register of that number.
func (c OpClass) on(register int) string {
	return "\t" + fmt.Sprintf(c.inst, fmt.Sprint("%", c.kind, register), "%"+c.kind+"29") + "\n"
}

// zeros sets so many registers to 0, and the one that all instructions read.
func (c OpClass) zeros(registers int) string {
	zero := map[string]string{"r": "u32 %%r%d, 0;", "f": "f32 %%f%d, 0f00000000;", "fd": "f64 %%fd%d, 0d0000000000000000;"}[c.kind]
	text := fmt.Sprintf("\tmov."+zero+"\n", 29)
	for i := range registers {
		text += fmt.Sprintf("\tmov."+zero+"\n", 1+i)
	}
	return text
}

// Latency returns the cycles from an instruction to the next that needs its result.
func (p *Probe) Latency(c OpClass) (float64, error) {
	return p.dependent(p.Config.SM.WarpSize, 8, nil, c.zeros(1), c.on(1), unrolled, 8)
}

// Rounds of the two runs of steady.
const short, long = 2, 6

// steady returns the cycles of a warp instruction in steady state: the difference of a long and a
// short run. A round of the body has the given number of instructions to measure.
func (p *Probe) steady(threads, bytes, each int, before, body, after string) (float64, error) {
	var cycles [2]uint64
	for i, rounds := range []int{short, long} {
		if _, err := p.run(threads, bytes, nil, before+loop(rounds, body)+after); err != nil {
			return 0, err
		}
		cycles[i] = p.steps[len(p.steps)-1].cycle - p.steps[0].cycle
	}
	warps := (threads + p.Config.SM.WarpSize - 1) / p.Config.SM.WarpSize
	return float64(cycles[1]-cycles[0]) / float64((long-short)*each*warps), nil
}

// Throughput returns the operations that the SM performs in a cycle.
func (p *Probe) Throughput(c OpClass) (float64, error) {
	const registers, each = 4, 64
	body := ""
	for i := range each {
		body += c.on(1 + i%registers)
	}
	t, err := p.steady(min(testbench.MaxThreads, p.Config.SM.Threads), 8, each, c.zeros(registers), body, "")
	return float64(p.Config.SM.WarpSize) / t, err
}

// Level is a place that loads come from.
type Level string

// The levels.
const (
	FromL1   Level = "L1"
	FromL2   Level = "L2"
	FromDRAM Level = "DRAM"
)

// Bandwidth returns the bytes that loads of words bring to the lanes of an SM in a cycle. The words
// of neighbouring lanes are stride words apart.
func (p *Probe) Bandwidth(from Level, stride int) (float64, error) {
	threads := min(256, p.Config.SM.Threads)
	warpBytes := 4 * stride * p.Config.SM.WarpSize
	roundBytes := warpBytes * unrolled * threads / p.Config.SM.WarpSize
	suffix, warp, step := "", 0, 0
	switch from {
	case FromL2: // all warps read the same bytes, which the L2 holds after the first round
		suffix = ".cg"
	case FromDRAM: // no byte twice
		suffix, warp, step = ".cg", warpBytes*unrolled, roundBytes
	}
	before := fmt.Sprintf(`
	and.b32 %%r1, %%r0, %d;
	shr.u32 %%r2, %%r0, %d;
	mul.lo.u32 %%r1, %%r1, %d;
	mad.lo.u32 %%r1, %%r2, %d, %%r1;
	cvt.u64.u32 %%rd1, %%r1;
	add.u64 %%rd1, %%rd1, %%rd0;`, p.Config.SM.WarpSize-1, log2(p.Config.SM.WarpSize), 4*stride, warp)
	var body, after strings.Builder
	for i := range unrolled {
		at := i * warpBytes
		if from != FromDRAM {
			at = 0
		}
		fmt.Fprintf(&body, "\tld.global%s.u32 %%r%d, [%%rd1+%d];\n", suffix, 2+i, at)
		fmt.Fprintf(&after, "\n\tadd.u32 %%r1, %%r1, %%r%d;", 2+i)
	}
	fmt.Fprintf(&body, "\tadd.u64 %%rd1, %%rd1, %d;", step)
	t, err := p.steady(threads, long*roundBytes, unrolled, before, body.String(), after.String())
	return 4 * float64(p.Config.SM.WarpSize) / t, err
}

// log2 returns the logarithm of a power of two.
func log2(n int) (l int) {
	for ; n > 1; n /= 2 {
		l++
	}
	return l
}

// Atomics returns the cycles of an atomic addition of a warp. Neighbouring lanes add to words that
// are stride words apart; 0 is one word for all.
func (p *Probe) Atomics(space string, stride int) (float64, error) {
	before := fmt.Sprintf("\tmul.lo.u32 %%r1, %%r0, %d;", 4*stride)
	at := "%r10"
	if space == "shared" {
		before += "\n\tmov.u32 %r10, tile;\n\tadd.u32 %r10, %r10, %r1;"
	} else {
		before, at = before+"\n\tcvt.u64.u32 %rd1, %r1;\n\tadd.u64 %rd1, %rd1, %rd0;", "%rd1"
	}
	var body, after strings.Builder
	for i := range unrolled {
		fmt.Fprintf(&body, "\tatom.%s.add.u32 %%r%d, [%s], 1;\n", space, 2+i, at)
		fmt.Fprintf(&after, "\n\tadd.u32 %%r1, %%r1, %%r%d;", 2+i)
	}
	return p.steady(p.Config.SM.WarpSize, 8192, unrolled, before, body.String(), after.String())
}

// Constants returns the cycles of a load of constants by a warp that reads so many distinct words.
func (p *Probe) Constants(words int) (float64, error) {
	before := fmt.Sprintf(`
	rem.u32 %%r1, %%r0, %d;
	shl.b32 %%r1, %%r1, 2;
	mov.u64 %%rd2, constants;
	cvt.u64.u32 %%rd1, %%r1;
	add.u64 %%rd1, %%rd1, %%rd2;`, words)
	var body, after strings.Builder
	for i := range unrolled {
		fmt.Fprintf(&body, "\tld.const.u32 %%r%d, [%%rd1];\n", 2+i)
		fmt.Fprintf(&after, "\n\tadd.u32 %%r1, %%r1, %%r%d;", 2+i)
	}
	return p.steady(min(256, p.Config.SM.Threads), 8, unrolled, before, body.String(), after.String())
}
