package verify

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// killer is a kernel of a form that has broken hardware or simulators, or on which mechanisms
// differ.
type killer struct {
	name, what string
	threads    int // of a CTA; killerThreads if 0
	ctas       int // on one SM; 1 if 0
	functions  string
	body       string             // leaves a result in %out
	want       func(i int) uint32 // of thread i, counted over all CTAs
	deadlock   []string           // mechanisms under which threads wait for each other for ever
	endless    []string           // mechanisms under which only threads in endless loops remain
	spins      []string           // one of these instructions holds the spinning threads then
	parked     string             // instruction of the threads that cannot run
	fault      string             // fault of every run
	parts      []string           // mechanisms whose warps would be at a barrier without some of their threads
}

// killerThreads is two full warps.
const killerThreads = 64

// yielding is the mechanism barrier with its key barrier_yield.
const yielding = "barrier that yields"

// all returns every mechanism.
func all() (names []string) {
	for _, m := range divergence.Mechanisms() {
		if names = append(names, m.Name); m.Name == "barrier" {
			names = append(names, yielding)
		}
	}
	return names
}

// but returns every mechanism except some.
func but(some ...string) []string {
	return slices.DeleteFunc(all(), func(m string) bool { return slices.Contains(some, m) })
}

// wholeWarps are the mechanisms whose warps arrive at a barrier as a whole.
var wholeWarps = []string{"pdom", "pdom-lcp", "token", "capri"}

// waiting is a loop in which threads wait for a flag.
var waiting = []string{"ld.volatile.shared.u32 %a1, [%flag]", "setp.eq.u32 %p1, %a1, 0", "@%p1 bra wait"}

// countEven counts the even threads of a CTA.
const countEven = `
	and.b32 %a0, %i, 1;
	setp.ne.u32 %p0, %a0, 0;
	@%p0 bra join;
	atom.shared.add.u32 %a1, [count], 1;
join:
	bar.sync 0;
	ld.shared.u32 %out, [count];`

// killers are run by one or a few CTAs. In a body %i is the number of the thread, %lane that in its
// warp, and %flag the address of a word of its warp.
var killers = []killer{
	{
		name: "spin lock, released behind the loop",
		what: "the thread that has the lock waits for those of its warp that spin",
		body: `
spin:
	atom.shared.cas.b32 %a0, [lock], 0, 1;
	setp.ne.u32 %p0, %a0, 0;
	@%p0 bra spin;
	add.u32 %out, %out, 7;
	atom.shared.exch.b32 %a1, [lock], 0;`,
		want:     func(int) uint32 { return 7 },
		deadlock: but("dwf"),
		spins:    []string{"atom.shared.cas.b32 %a0, [lock], 0, 1", "setp.ne.u32 %p0, %a0, 0", "@%p0 bra spin"},
		parked:   "add.u32 %out, %out, 7",
	},
	{
		name: "spin lock, released in the loop",
		what: "the usual remedy",
		body: `
	mov.u32 %a3, 0;
again:
	atom.shared.cas.b32 %a0, [lock], 0, 1;
	setp.ne.u32 %p0, %a0, 0;
	@%p0 bra next;
	ld.volatile.shared.u32 %a1, [count];
	add.u32 %a1, %a1, 1;
	st.volatile.shared.u32 [count], %a1;
	atom.shared.exch.b32 %a2, [lock], 0;
	mov.u32 %a3, 1;
next:
	setp.eq.u32 %p1, %a3, 0;
	@%p1 bra again;
	bar.sync 0;
	ld.shared.u32 %out, [count];`,
		want: func(int) uint32 { return killerThreads },
	},
	{
		name: "half of a warp waits for the other, the waiting side taken",
		what: "a flag that one side of a branch waits for is set by the other",
		body: `
	setp.ge.u32 %p0, %lane, 16;
	@%p0 bra wait;
	st.volatile.shared.u32 [%flag], 1;
	bra join;
wait:
	ld.volatile.shared.u32 %a1, [%flag];
	setp.eq.u32 %p1, %a1, 0;
	@%p1 bra wait;
join:
	mov.u32 %out, 3;`,
		want:     func(int) uint32 { return 3 },
		deadlock: []string{"capri", "barrier", "pdom", "pdom-lcp", "tbc", "tbc-lcp", "tbc-ideal", "token"},
		spins:    waiting, parked: "st.volatile.shared.u32 [%flag], 1",
	},
	{
		name: "half of a warp waits for the other, the waiting side not taken",
		what: "the same the other way round",
		body: `
	setp.lt.u32 %p0, %lane, 16;
	@%p0 bra set;
wait:
	ld.volatile.shared.u32 %a1, [%flag];
	setp.eq.u32 %p1, %a1, 0;
	@%p1 bra wait;
	bra join;
set:
	st.volatile.shared.u32 [%flag], 1;
join:
	mov.u32 %out, 3;`,
		want:     func(int) uint32 { return 3 },
		deadlock: []string{"ppc", "ppc-explicit", "ptpc"},
		spins:    waiting, parked: "st.volatile.shared.u32 [%flag], 1",
	},
	{
		name: "barrier on both sides of a branch",
		what: "half of a warp is at one bar.sync, the other half has to come to another one",
		body: `
	setp.ge.u32 %p0, %lane, 16;
	@%p0 bra high;
	bar.sync 0;
	mov.u32 %out, 1;
	bra join;
high:
	bar.sync 0;
	mov.u32 %out, 2;
join:`,
		parts:    wholeWarps,
		want:     func(i int) uint32 { return 1 + uint32(i%32/16) },
		deadlock: []string{"tbc", "tbc-lcp", "tbc-ideal"},
		spins:    []string{"bar.sync 0"},
	},
	{
		name:      "warps with tasks of their own",
		what:      "one warp fills a box for the other one, which waits for it at a named barrier and answers at another",
		functions: ".shared .align 4 .b8 box[128];",
		body: `
	shl.b32 %a1, %lane, 2;
	mov.u32 %a2, box;
	add.u32 %a1, %a1, %a2;
	setp.ge.u32 %p0, %i, 32;
	@%p0 bra answer;
	add.u32 %a0, %lane, 100;
	st.shared.u32 [%a1], %a0;
	bar.arrive 1, 64;
	bar.sync 2, 64;
	ld.shared.u32 %out, [%a1];
	bra join;
answer:
	bar.sync 1, 64;
	ld.shared.u32 %out, [%a1];
	mul.lo.u32 %a0, %out, 3;
	st.shared.u32 [%a1], %a0;
	bar.arrive 2, 64;
join:`,
		want: func(i int) uint32 { return uint32(100+i%32) * uint32(3-2*(i/32)) },
		// the CTA has one stack: one side runs to its end, then the other
		deadlock: []string{"tbc", "tbc-lcp", "tbc-ideal"},
		spins:    []string{"bar.sync 2, 64", "bar.sync 1, 64"},
	},
	{
		name: "exit on one side, barrier on the other",
		what: "threads that wait at a barrier make way for those that are to leave",
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	@%p0 bra stay;
	exit;
stay:
	bar.sync 0;
	mov.u32 %out, 3;`,
		want: func(i int) uint32 { return uint32(3 * (1 - i&1)) },
	},
	{
		name: "barrier in a loop with other trip counts",
		what: "threads that have left the loop and exited do not count",
		body: `
	and.b32 %a0, %i, 3;
more:
	bar.sync 0;
	add.u32 %out, %out, 1;
	sub.s32 %a0, %a0, 1;
	setp.ge.s32 %p0, %a0, 0;
	@%p0 bra more;`,
		// under capri the threads that stay in the loop are an entry of the CTA
		parts: []string{"pdom", "pdom-lcp", "token"},
		want:  func(i int) uint32 { return uint32(i&3 + 1) },
	},
	{
		name: "jump into a loop",
		what: "a loop with two entries, which no region contains",
		body: `
	and.b32 %a0, %i, 7;
	setp.lt.u32 %p0, %a0, 3;
	@%p0 bra middle;
top:
	add.u32 %out, %out, 10;
middle:
	add.u32 %out, %out, 1;
	sub.s32 %a0, %a0, 1;
	setp.gt.s32 %p0, %a0, 0;
	@%p0 bra top;`,
		want: func(i int) uint32 {
			n, out := i&7, uint32(0)
			if n >= 3 {
				out = 10
			}
			for {
				out++
				if n--; n <= 0 {
					return out
				}
				out += 10
			}
		},
	},
	{
		name: "exit on one side",
		what: "the other side goes on alone",
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	@%p0 bra stay;
	st.global.u32 [%to], 5;
	exit;
stay:
	add.u32 %out, %i, 1;`,
		want: func(i int) uint32 {
			if i&1 != 0 {
				return 5
			}
			return uint32(i) + 1
		},
	},
	{
		name: "exits on every side",
		what: "the exit is the post-dominator of every branch",
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	and.b32 %a0, %i, 2;
	setp.eq.u32 %p1, %a0, 0;
	@%p0 bra even;
	@%p1 bra one;
	st.global.u32 [%to], 3;
	exit;
one:
	st.global.u32 [%to], 1;
	exit;
even:
	@%p1 bra zero;
	st.global.u32 [%to], 2;
	exit;
zero:
	mov.u32 %out, 0;`,
		want: func(i int) uint32 { return uint32(i & 3) },
	},
	{
		name: "unreachable blocks",
		what: "a barrier, a loop and a branch where nobody comes",
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	@%p0 bra even;
	add.u32 %out, %out, 1;
	bra join;
dead:
	bar.sync 0;
	@%p0 bra dead;
	bra even;
even:
	add.u32 %out, %out, 2;
join:
	add.u32 %out, %out, 4;`,
		want: func(i int) uint32 { return uint32(6 - i&1) },
	},
	{
		name: "loop with four exits",
		what: "threads leave to four places",
		body: `
	mov.u32 %a0, 0;
turn:
	setp.eq.u32 %p0, %a0, %lane;
	@%p0 bra one;
	add.u32 %a0, %a0, 3;
	setp.eq.u32 %p0, %a0, %lane;
	@%p0 bra two;
	add.u32 %a0, %a0, 1;
	setp.eq.u32 %p0, %a0, %lane;
	@%p0 bra three;
	setp.lt.u32 %p0, %a0, 32;
	@%p0 bra turn;
	add.u32 %out, %out, 1;
three:
	add.u32 %out, %out, 10;
two:
	add.u32 %out, %out, 100;
one:
	add.u32 %out, %out, 1000;`,
		want: func(i int) uint32 {
			for at := 0; ; at += 4 {
				switch i % 32 {
				case at:
					return 1000
				case at + 3:
					return 1100
				case at + 4:
					return 1110
				}
				if at+4 >= 32 {
					return 1111
				}
			}
		},
	},
	{
		name: "short circuits",
		what: "a and (b or c), in jumps: neither side contains the other",
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	and.b32 %a0, %i, 2;
	setp.eq.u32 %p1, %a0, 0;
	and.b32 %a0, %i, 4;
	setp.eq.u32 %p2, %a0, 0;
	@!%p0 bra no;
	@%p1 bra yes;
	@!%p2 bra no;
yes:
	add.u32 %out, %out, 2;
	bra join;
no:
	add.u32 %out, %out, 1;
join:`,
		want: func(i int) uint32 {
			if i&1 == 0 && (i&2 == 0 || i&4 == 0) {
				return 2
			}
			return 1
		},
	},
	{
		name: "sides without instructions",
		what: "branches to the next instruction, to the post-dominator, and back to themselves no times",
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	@%p0 bra next;
next:
	@!%p0 bra join;
join:
	setp.lt.u32 %p1, %i, 0;
self:
	@%p1 bra self;
	mov.u32 %out, 9;`,
		want: func(int) uint32 { return 9 },
	},
	{
		name: "one lane goes on",
		what: "all others have exited long before",
		body: `
	setp.ne.u32 %p0, %lane, 31;
	@%p0 bra end;
more:
	add.u32 %out, %out, 1;
	setp.lt.u32 %p1, %out, 500;
	@%p1 bra more;
end:`,
		want: func(i int) uint32 {
			if i%32 == 31 {
				return 500
			}
			return 0
		},
	},
	{
		name: "ladder of 31 branches",
		what: "each takes one more lane off",
		body: func() string {
			var b strings.Builder
			for n := range 31 {
				fmt.Fprintf(&b, "\n\tsetp.le.u32 %%p0, %%lane, %d;\n\t@%%p0 bra up%d;\n\tadd.u32 %%out, %%out, 1;", n,
					n)
			}
			for n := range 31 {
				fmt.Fprintf(&b, "\nup%d:\n\tadd.u32 %%out, %%out, 100;", 30-n)
			}
			return b.String()
		}(),
		want: func(i int) uint32 { n := uint32(i % 32); return n + 100*min(n+1, 31) },
	},
	{
		name: "return from a loop, in a call on one side",
		what: "calls and branches end in other orders than they began",
		functions: `
.func (.reg .u32 %r) find(.reg .u32 %x)
{
	.reg .pred %q;
	mov.u32 %r, 0;
more:
	setp.ge.u32 %q, %r, %x;
	@%q ret;
	add.u32 %r, %r, 1;
	setp.lt.u32 %q, %r, 9;
	@%q bra more;
	ret;
}`,
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	@%p0 bra join;
	call (%out), find, (%lane);
join:
	add.u32 %out, %out, 1;`,
		want: func(i int) uint32 {
			if i&1 == 0 {
				return 1
			}
			return min(uint32(i%32), 9) + 1
		},
	},
	{
		name: "switch that falls through",
		what: "a case is joined by those of the cases before it",
		body: `
	and.b32 %a0, %i, 3;
	setp.eq.u32 %p0, %a0, 0;
	@%p0 bra zero;
	setp.eq.u32 %p0, %a0, 1;
	@%p0 bra one;
	setp.eq.u32 %p0, %a0, 2;
	@%p0 bra two;
	bra end;
zero:
	add.u32 %out, %out, 1;
one:
	add.u32 %out, %out, 10;
two:
	add.u32 %out, %out, 100;
end:`,
		want: func(i int) uint32 { return [...]uint32{111, 110, 100, 0}[i&3] },
	},
	{
		name: "barrier behind a warp that has left",
		what: "nobody waits for it",
		body: `
	setp.lt.u32 %p0, %i, 32;
	@%p0 bra stay;
	exit;
stay:
	bar.sync 0;
	mov.u32 %out, 4;`,
		want: func(i int) uint32 { return [...]uint32{4, 0}[i/32] },
	},
	{
		name: "every other lane",
		what: "the same lanes of all warps, so that no two fit together",
		body: `
	and.b32 %a0, %i, 1;
	setp.eq.u32 %p0, %a0, 0;
	@%p0 bra even;
	add.u32 %out, %out, 1;
	bra end;
even:
	add.u32 %out, %out, 2;
end:
	add.u32 %out, %out, 4;`,
		want: func(i int) uint32 { return [...]uint32{6, 5}[i&1] },
	},
	{
		name: "one lane of each warp",
		what: "the same, with one thread",
		body: `
	setp.ne.u32 %p0, %lane, 7;
	@%p0 bra end;
	add.u32 %out, %out, %i;
end:
	add.u32 %out, %out, 1;`,
		want: func(i int) uint32 {
			if i%32 == 7 {
				return uint32(i) + 1
			}
			return 1
		},
	},
	{
		name:      "all lanes in one bank",
		what:      "an access to shared memory takes as many turns as there are lanes",
		functions: ".shared .align 4 .b8 words[4096];",
		body: `
	shr.u32 %a0, %i, 5;
	shl.b32 %a1, %lane, 5;
	add.u32 %a1, %a1, %a0;
	shl.b32 %a1, %a1, 2;
	mov.u32 %a2, words;
	add.u32 %a1, %a1, %a2;
	st.shared.u32 [%a1], %i;
	bar.sync 0;
	xor.b32 %a3, %lane, 31;
	shl.b32 %a3, %a3, 5;
	add.u32 %a3, %a3, %a0;
	shl.b32 %a3, %a3, 2;
	add.u32 %a3, %a3, %a2;
	ld.shared.u32 %out, [%a3];`,
		want: func(i int) uint32 { return uint32(i ^ 31) },
	},
	{
		name: "one word, stores of all lanes",
		what: "the same value, many times",
		body: `
	st.shared.u32 [count], 9;
	bar.sync 0;
	ld.shared.u32 %out, [count];`,
		want: func(int) uint32 { return 9 },
	},
	{
		name:      "one line, 32 warps",
		what:      "more misses than one MSHR can hold",
		threads:   1024,
		functions: ".global .align 4 .u32 same = 77;",
		body:      "\tld.global.u32 %out, [same];",
		want:      func(int) uint32 { return 77 },
	},
	{
		name:    "CTA of one thread",
		what:    "barriers and branches of a warp that is nearly empty",
		threads: 1,
		body: `
	bar.sync 0;
	setp.eq.u32 %p0, %lane, 0;
	@%p0 bra end;
	mov.u32 %out, 9;
end:
	bar.sync 0;
	add.u32 %out, %out, 3;`,
		want: func(int) uint32 { return 3 },
	},
	{
		name:    "CTA whose last warp is not full",
		what:    "lanes without threads do not come to a barrier",
		threads: 45,
		body:    countEven,
		want:    func(int) uint32 { return 23 },
	},
	{
		name:    "CTA of 1024 threads",
		what:    "all rows of an SM, and half of all lanes on each side",
		threads: 1024,
		body:    countEven,
		want:    func(int) uint32 { return 512 },
	},
	{
		name: "one word, all threads",
		what: "atomics of all lanes are one after the other",
		body: `
	atom.shared.add.u32 %a0, [count], %i;
	bar.sync 0;
	ld.shared.u32 %out, [count];`,
		want: func(int) uint32 { return killerThreads * (killerThreads - 1) / 2 },
	},
	{
		name: "loop whose other exit nobody takes",
		what: "a block-wide stack that keeps an entry for it from each of 500 rounds is full",
		body: `
	mov.u32 %a0, 0;
loop:
	add.u32 %a0, %a0, 1;
	setp.lt.u32 %p0, %a0, 1000;
	@%p0 bra on;
	add.u32 %out, %out, 100;
	bra end;
on:
	setp.lt.u32 %p0, %a0, 500;
	@%p0 bra loop;
	add.u32 %out, %a0, %i;
end:`,
		want: func(i int) uint32 { return 500 + uint32(i) },
	},
	{
		name: "one way for half of the lanes of two CTAs",
		what: "a warp made of threads of both has two shared memories, two `%ctaid` and two barriers to arrive at",
		ctas: 2,
		body: `
	mov.u32 %a0, %ctaid.x;
	shr.u32 %a1, %lane, 4;
	setp.ne.u32 %p0, %a0, %a1;
	@%p0 bra join;
	mov.u32 %a0, %ctaid.x;
	mad.lo.u32 %a0, %a0, 999, 1;
	atom.shared.add.u32 %a1, [count], %a0;
join:
	bar.sync 0;
	ld.shared.u32 %out, [count];`,
		want: func(i int) uint32 { return killerThreads / 2 * uint32(1+i/killerThreads*999) },
	},
	{
		name: "one lane never ends",
		what: "that is the program's fault; but it keeps the others from exiting where the smallest PC runs, or a path has made room for it",
		body: `
	setp.ne.u32 %p0, %lane, 5;
	@%p0 bra end;
self:
	bra self;
end:`,
		deadlock: []string{"ppc", "ppc-explicit", "ptpc", "subwarp"},
		endless:  but("ppc", "ppc-explicit", "ptpc", "subwarp"),
		spins:    []string{"bra self"},
	},
	{
		name: "trap on one side",
		what: "a thread's fault ends the run",
		body: `
	setp.ne.u32 %p0, %lane, 5;
	@%p0 bra end;
	trap;
end:`,
		fault: "trap",
	},
	{
		name:  "vector that is not aligned",
		what:  "so does an address that is none",
		body:  "\tld.global.v2.u32 {%a0, %a1}, [%to+4];",
		fault: "misaligned",
	},
}

// text returns the kernel as PTX.
func (k *killer) text() string {
	return `.version 7.6
.target sm_80
.address_size 64
.shared .align 4 .u32 lock;
.shared .align 4 .u32 count;
.shared .align 4 .b8 flags[128];
` + k.functions + `
.visible .entry k(.param .u64 to)
{
	.reg .u32 %i, %lane, %out, %a<9>;
	.reg .u64 %to, %at, %flag;
	.reg .pred %p<9>;
	mov.u32 %i, %tid.x;
	mov.u32 %lane, %laneid;
	mov.u32 %out, 0;
	ld.param.u64 %to, [to];
	mov.u32 %a0, %ctaid.x;
	mov.u32 %a1, %ntid.x;
	mad.lo.u32 %a0, %a0, %a1, %i;
	mul.wide.u32 %at, %a0, 4;
	add.u64 %to, %to, %at;
	shr.u32 %a0, %i, 5;
	mul.wide.u32 %at, %a0, 4;
	mov.u64 %flag, flags;
	add.u64 %flag, %flag, %at;
	setp.eq.u32 %p0, %i, 0;
	@%p0 st.shared.u32 [lock], 0;
	@%p0 st.shared.u32 [count], 0;
	setp.eq.u32 %p0, %lane, 0;
	@%p0 st.shared.u32 [%flag], 0;
	bar.sync 0;
` + k.body + `
	st.global.u32 [%to], %out;
	exit;
}
`
}

// run runs the kernel on the default machine.
func (k *killer) run(t *testing.T, made sessions, mechanism string) ([]uint32, error) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(k.text()))
	require.NoError(t, err, k.name)
	p, err := testbench.Program(m, "")
	require.NoError(t, err, k.name)
	c := small()
	c.GPU.SMs, c.Divergence.Mechanism = 1, mechanism
	if mechanism == yielding {
		c.Divergence.Mechanism = "barrier"
		require.NoError(t, c.Set("divergence.barrier.yield=true"))
	}
	s := made.of(t, c)
	threads, ctas := cmp.Or(k.threads, killerThreads), cmp.Or(k.ctas, 1)
	to := s.Alloc(4 * ctas * threads)
	bank := binary.LittleEndian.AppendUint64(nil, to)
	err = s.Launch(testbench.Launch{
		Prog: p, Grid: [3]uint32{uint32(ctas), 1, 1},
		Block: [3]uint32{uint32(threads), 1, 1}, Params: bank,
	})
	data := make([]byte, 4*ctas*threads)
	s.Read(to, data)
	out := make([]uint32, ctas*threads)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out, err
}

// TestKillers checks that each kernel has its result under every mechanism, or the outcome in the
// table.
func TestKillers(t *testing.T) {
	made := sessions{}
	for i := range killers {
		k := &killers[i]
		t.Run(k.name, func(t *testing.T) {
			for _, m := range all() {
				got, err := k.run(t, made, m)
				var o *testbench.Outcome
				if err != nil {
					require.ErrorAs(t, err, &o, m)
				}
				switch {
				case slices.Contains(k.deadlock, m):
					require.NotNil(t, o, m)
					require.Equal(t, gpu.Deadlock, o.End, m)
					assert.True(t, slices.ContainsFunc(o.Waiting,
						func(w testbench.Waiting) bool { return slices.Contains(k.spins, w.Text) }), "%s: %v", m, o)
					assert.True(t, k.parked == "" || slices.ContainsFunc(o.Waiting, func(w testbench.Waiting) bool {
						return w.Text == k.parked && w.Reason == "waits to reconverge"
					}), "%s: %v", m, o)
				case slices.Contains(k.parts, m):
					require.NotNil(t, o, m)
					require.Equal(t, gpu.Faulted, o.End, m)
					assert.Equal(t, "part of a warp at a barrier", o.Fault.Kind, m)
					assert.Contains(t, o.Fault.Why, "%laneid", m)
				case slices.Contains(k.endless, m):
					require.NotNil(t, o, m)
					require.Equal(t, gpu.EndlessLoop, o.End, m)
					for _, w := range o.Waiting {
						assert.Contains(t, k.spins, w.Text, m)
					}
				case k.fault != "":
					require.NotNil(t, o, m)
					require.Equal(t, gpu.Faulted, o.End, m)
					assert.Contains(t, o.Fault.Kind, k.fault, m)
				default:
					require.NoError(t, err, m)
					for i := range got {
						require.Equal(t, k.want(i), got[i], "%s, thread %d", m, i)
					}
				}
			}
		})
	}
}

// verdict returns the documentation's text about the kernel.
func (k *killer) verdict() string {
	switch {
	case k.fault != "":
		return "a fault: " + k.fault
	case k.deadlock == nil && k.parts == nil:
		return "passes"
	case k.deadlock == nil:
		return "a fault under " + strings.Join(k.parts, ", ") + ", else passes"
	}
	who := strings.Join(k.deadlock, ", ")
	if n := len(all()) - len(k.deadlock); n == 0 {
		who = "all"
	} else if n < len(k.deadlock) {
		who = "all but " + strings.Join(but(k.deadlock...), ", ")
	}
	verdict := fmt.Sprintf("SIMT deadlock under %s: threads at `%s`", who, k.spins[len(k.spins)-1])
	if k.parked != "" {
		verdict += fmt.Sprintf(", others at `%s`", k.parked)
	}
	if k.endless != nil {
		verdict += "; endless loop under the others"
	}
	if k.parts != nil {
		verdict += "; a fault under " + strings.Join(k.parts, ", ")
	}
	return verdict
}

// TestKillersDocumented checks that the table of docs/reference/killers.md equals this one.
func TestKillersDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("| kernel | what is in it | verdict |\n|---|---|---|\n")
	for i := range killers {
		k := &killers[i]
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.name, k.what, k.verdict())
	}
	text, err := os.ReadFile("../../docs/reference/killers.md")
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(text), b.String()), "docs/reference/killers.md lacks the table\n%s",
		b.String())
}
