package verify

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
)

// These are the functions of recursion.cu and functions.ptx, in Go.

func fib(n int32) int32 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func ack(m, n int32) int32 {
	if m == 0 {
		return n + 1
	}
	k := int32(1)
	if n > 0 {
		k = ack(m, n-1) & 3
	}
	return ack(m-1, k)
}

func numbers(t int32) (sum int32) {
	for i := range t & 3 {
		if t&4 != 0 {
			sum += fib(t%7 + i)
		} else {
			sum -= ack(i, t%4)
		}
	}
	return sum
}

type box struct {
	key    int32
	weight float64
	name   [5]int8
}

func (b box) grow(by int32) box {
	b.key += by
	b.weight *= 2
	b.name[by&3] = int8(by)
	return b
}

// search looks for key in 0 to n-1.
func search(n, key int32) int32 {
	var seen [4]int32
	for i := range n {
		seen[i&3] += i
		if i == key {
			return seen[key&3]*100 + i
		}
	}
	return -seen[n&3]
}

func structs(t int32) int32 {
	b := box{t, 0.5 * float64(t), [5]int8{1, 2, 3, 4, 5}}
	if t&1 != 0 {
		b = b.grow(t)
	}
	b = b.grow(7)
	return b.key + int32(b.weight*4) + int32(b.name[t%5]) + search(16, t%24)
}

func parity(i, n, sum int32) int32 {
	switch {
	case i&1 == 0 && n == 0:
		return sum
	case i&1 == 0:
		return parity(n-1, n-1, sum+n)
	case n == 0:
		return -sum
	}
	return parity(n-1, n-1, sum*3)
}

func pointers(t int32) int32 {
	i := int32(0)
	if t%3 == 0 {
		i = 1
	}
	return parity(i, t%9, 1) + parity(t, 2, t)
}

func targets(t int32) int32 {
	k := 7 * t & 31
	return t*(k+2) + k*k
}

// shapes returns 5 results for each thread; the last one is 0 for threads that leave.
func shapes(t int32) [5]int32 {
	r := [5]int32{7, 0, outer(t), 0, 1}
	switch {
	case t&1 == 0:
	case t < 4:
		r[0] = 3 * t
	case t%3 == 0:
		r[0] = 1000
	default:
		r[0] = t + 3
	}
	for x := t; x > 1; {
		if r[1]++; r[1] > 20 {
			r[1] = 99
			break
		}
		if x&1 == 0 {
			x /= 2
		} else {
			x = 3*x + 1
		}
	}
	const block = 40
	r[3] = outer(t/block*block + block - 1 - t%block)
	if t%5 == 3 {
		r[4] = 0
	}
	return r
}

func outer(x int32) int32 {
	if x&1 == 0 {
		return inner(x)
	}
	return -inner(3 * x)
}

func inner(x int32) int32 {
	if x&2 != 0 {
		return leaf(5 * x)
	}
	return leaf(x) + x
}

func leaf(x int32) int32 {
	if x&4 != 0 {
		return x + 1000
	}
	return x + 100
}

// These are the functions of frames.ptx.

func flags(n, x uint32) uint32 {
	if n == 0 {
		return x
	}
	y := flags(n-1, (3*x+n)%101)
	if x&1 != 0 {
		y++
	}
	if n&2 == 0 {
		y ^= 16
	}
	if x > 40 {
		y *= 5
	}
	if x&4 == 0 {
		y -= n
	}
	return y
}

func kept(n, x int32) int64 {
	if n <= 0 {
		return int64(x)
	}
	odd := x & 1
	s := kept(n-1, x+7) - kept(n-2, x+7+odd)
	s += int64(int16(-x)) + int64(uint16(-x)) + int64(-x)*1000003 + int64(float64(x)/2) + int64(float32(-x))
	if odd == 0 {
		s = -s
	}
	w := [8]uint32{uint32(x) + 10}
	for i := 1; i < len(w); i++ {
		w[i] = 3*w[i-1] + 1
	}
	return s + int64((w[0]^w[1])+(w[2]^w[3])-((w[4]^w[5])+(w[6]^w[7])))
}

func left(n, x uint32) uint32 {
	if n == 0 {
		return x
	}
	y := right(n-1, 2*x%61)
	if x < 20 {
		y <<= 1
	}
	if x < 40 {
		y += n
	}
	if x < 30 {
		y = ^y
	}
	return y
}

func right(n, x uint32) uint32 {
	if n == 0 {
		return 3
	}
	y := left(n-1, x+n)
	if x&3 == 1 {
		return y + 100
	}
	return y ^ x
}

func turn(n, x uint32) uint32 {
	if n == 0 {
		return x
	}
	again := (5*x + 2) % 97
	y := again + n - 1
	if x&6 != 2 {
		y = turn(n-1, again)
	}
	if x&1 == 0 {
		y += x
	}
	if x&6 == 2 {
		y *= 3
	}
	return y
}

// TestCalls compares calls with functions in Go as well, because the golden model executes the same
// instructions as the machine.
func TestCalls(t *testing.T) {
	one := func(f func(int32) int32) func(int32) []int32 {
		return func(t int32) []int32 { return []int32{f(t)} }
	}
	want := map[string]func(int32) []int32{
		"numbers": one(numbers), "structs": one(structs), "pointers": one(pointers), "targets": one(targets),
		"squares": one(func(t int32) int32 { return (t & 7) * (t & 7) }),
		"predicates": one(func(t int32) int32 {
			y := flags(uint32(t)&7, uint32(t))
			if t < 32 {
				y++
			}
			return int32(y)
		}),
		"kinds":  one(func(t int32) int32 { y := kept(t&3, t); return int32(y ^ int64(uint64(y)>>32)) }),
		"mutual": one(func(t int32) int32 { return int32(left(uint32(t)%9, uint32(t))) }),
		"chosen": one(func(t int32) int32 { return int32(turn(uint32(t)%9, uint32(t))) }),
		"shapes": func(t int32) []int32 { r := shapes(t); return r[:] },
	}
	for _, file := range []string{"recursion", "functions", "frames"} {
		p := load(t, "testdata/"+file+".ptx")
		for _, c := range p.runs {
			t.Run(c.kernel, func(t *testing.T) {
				s := session(t, small())
				l := c.launch(t, s, p.module)
				require.NoError(t, l.Prog.Check())
				require.NoError(t, s.Launch(l))
				out := binary.LittleEndian.Uint64(l.Params)
				threads := int32(c.grid[0] * c.block[0])
				for i := range threads {
					for k, v := range want[c.kernel](i) {
						data := make([]byte, 4)
						s.Read(out+uint64(4*(int(i)*len(want[c.kernel](0))+k)), data)
						require.Equal(t, v, int32(binary.LittleEndian.Uint32(data)), "thread %d, result %d", i, k)
					}
				}
			})
		}
	}
}

// pausing has a recursive function in which a thread waits, at least for itself.
const pausing = `.version 6.0
.target sm_70
.address_size 64
.func (.param .b32 r) walk(.param .b32 n)
{
	.reg .u32 %n, %m, %y, %me;
	.reg .pred %p, %q;
	ld.param.u32 %n, [n];
	mov.u32 %y, 1;
	mov.u32 %me, %lanemask_eq;
	bar.warp.sync %me;
	setp.lt.u32 %p, %n, 2;
	@%p bra END;
	sub.u32 %m, %n, 1;
	call (%y), walk, (%m);
	and.b32 %m, %n, 1;
	setp.eq.u32 %q, %m, 0;
	@%q bra EVEN;
	mad.lo.u32 %y, %y, 3, %n;
EVEN:
	add.u32 %y, %y, 1;
END:
	st.param.b32 [r], %y;
	ret;
}
.visible .entry walks(.param .u64 out)
{
	.reg .u32 %t, %n, %y;
	.reg .u64 %a;
	mov.u32 %t, %tid.x;
	rem.u32 %n, %t, 7;
	call (%y), walk, (%n);
	ld.param.u64 %a, [out];
	mad.wide.u32 %a, %t, 4, %a;
	st.global.u32 [%a], %y;
	ret;
}
`

// TestPausing checks waits in a recursive function. Other threads run meanwhile and would use the
// function's convergence barriers. So the compiler puts none around the call, and reports this.
func TestPausing(t *testing.T) {
	m, err := ptx.Parse("pausing.ptx", []byte(pausing))
	require.NoError(t, err)
	c := small()
	c.Divergence.Mechanism = "barrier"
	s := session(t, c)
	p, err := testbench.Program(m, "walks")
	require.NoError(t, err)
	told := isa.WithBarriers(p, false).Warnings
	require.Len(t, told, 1)
	assert.Equal(t, isa.Pos{Line: 13, Col: 6}, told[0].Pos)
	assert.Contains(t, told[0].Text, "there threads wait for others")
	bank := binary.LittleEndian.AppendUint64(nil, s.Alloc(4*64))
	require.NoError(t, Run(s, testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1},
		Params: bank,
	}))
}

// TestRecursionMeets checks that tokens and convergence barriers reconverge threads where pdom
// does, in recursive functions too. Every path then has as many lanes as under pdom.
func TestRecursionMeets(t *testing.T) {
	for _, file := range []string{"recursion", "functions", "frames"} {
		p := load(t, "testdata/"+file+".ptx")
		for _, c := range p.runs {
			t.Run(c.kernel, func(t *testing.T) {
				var want testbench.Counters
				for _, mechanism := range []string{"pdom", "token", "barrier"} {
					cfg := small()
					cfg.Divergence.Mechanism = mechanism
					s := session(t, cfg)
					l := c.launch(t, s, p.module)
					require.NoError(t, s.Launch(l))
					require.Empty(t, isa.WithBarriers(l.Prog, false).Warnings)
					got := s.Counters()
					if mechanism == "pdom" {
						want = got
					}
					require.Equal(t, want.Active, got.Active, mechanism)
				}
			})
		}
	}
}
