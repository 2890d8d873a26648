package units_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/units"
)

func TestSetNext(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var s units.Set
		lines := 64 * (1 + r.IntN(units.MaxSet/64))
		in := map[int]bool{}
		for range r.IntN(6) {
			i := r.IntN(lines)
			s.Add(i)
			in[i] = true
		}
		for range r.IntN(3) {
			i := r.IntN(lines)
			s.Remove(i)
			delete(in, i)
		}
		from, want := r.IntN(lines+1), -1
		for k := range lines {
			if i := (from + k) % lines; in[i] {
				want = i
				break
			}
		}
		require.Equal(t, want, s.Next(from, lines/64), "%v from %d of %d", in, from, lines)
		for i := range units.MaxSet {
			require.Equal(t, in[i], s.Has(i))
			require.False(t, in[i] && i>>6 >= units.Words(i+1))
		}
	}
}

// stacks is a module that replays operations, one list a cycle.
type stacks struct {
	units.Stack[uint32]
	do func(k *units.Stack[uint32])
	rtl.State[struct{ Cycle uint32 }]
}

func (s *stacks) Tick() {
	s.do(&s.Stack)
	s.D().Cycle++
}

// TestStack compares with slices: within a cycle Top and Len see what was done
// before; At and Peek see the state at its start, and are asked first.
func TestStack(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const banks, capacity = 3, 5
	var model [banks][]uint32
	s := &stacks{Stack: units.NewStack[uint32](banks, capacity)}
	s.do = func(k *units.Stack[uint32]) {
		for b := range model {
			for i, v := range model[b] {
				assert.Equal(t, v, *k.At(b, i), "bank %d entry %d", b, i)
			}
			if n := len(model[b]); n > 0 {
				assert.Equal(t, model[b][n-1], *k.Peek(b))
			}
		}
		for range r.IntN(4) {
			b := r.IntN(banks)
			switch m := &model[b]; {
			case len(*m) < capacity && r.IntN(2) == 0:
				v := r.Uint32()
				*m = append(*m, v)
				assert.Equal(t, len(*m), k.Push(b, v))
			case len(*m) > 0:
				*m = (*m)[:len(*m)-1]
				assert.Equal(t, len(*m), k.Pop(b))
			}
			assert.Equal(t, len(model[b]), k.Len(b))
			if n := len(model[b]); n > 0 {
				assert.Equal(t, model[b][n-1], *k.Top(b))
			}
		}
	}
	rtl.MustNew("stacks", s).Run(3000)
}

func TestScoreboard(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const rows, regs = 4, 150
	type board struct {
		units.Scoreboard
		stacks
	}
	b := &board{Scoreboard: units.NewScoreboard()}
	b.Stack = units.NewStack[uint32](1, 1)
	pending := map[[2]int]uint32{}
	b.do = func(*units.Stack[uint32]) {
		list := []uint16{uint16(r.IntN(regs)), uint16(r.IntN(regs))}
		var of units.Threads
		if r.IntN(2) == 0 {
			of.Rows = 1 << r.IntN(rows)
		} else {
			of.Rows = r.Uint64N(1 << rows)
		}
		held := make([]uint64, len(list)) // rows of each register
		for row := range rows {
			of.Lanes[row] = r.Uint32() & r.Uint32() & r.Uint32()
			for n, reg := range list {
				if of.Rows>>row&1 != 0 && pending[[2]int{row, int(reg)}]&of.Lanes[row] != 0 {
					held[n] |= 1 << row
				}
			}
		}
		ask := of.Rows & r.Uint64N(1<<rows)
		for n, reg := range list {
			want := ask
			for want != 0 && held[n]>>bits.TrailingZeros64(want)&1 == 0 {
				want &= want - 1
			}
			assert.Equal(t, want, b.Holds(&of, ask, reg))
		}
		set, one := r.IntN(2) == 0, of.Rows != 0 && of.Rows&(of.Rows-1) == 0
		row := bits.TrailingZeros64(of.Rows)
		if one {
			_, busy := b.Busy(row, list, of.Lanes[row])
			assert.Equal(t, held[0]|held[1] != 0, busy)
		}
		switch {
		case set && one:
			b.Set(row, list, of.Lanes[row])
		case set:
			b.SetAll(&of, list)
		case one:
			b.Clear(row, list, of.Lanes[row])
		default:
			b.ClearAll(&of, list)
		}
		for row := range rows {
			if of.Rows>>row&1 == 0 {
				continue
			}
			for _, g := range list {
				if at := [2]int{row, int(g)}; set {
					pending[at] |= of.Lanes[row]
				} else {
					pending[at] &^= of.Lanes[row]
				}
			}
		}
	}
	sim := rtl.MustNew("board", b)
	b.Resize(regs)
	sim.Run(3000)
}

// An arbiter grants in turn.
func ExampleSet_Next() {
	var requests units.Set
	for _, i := range []int{2, 5, 100} {
		requests.Add(i)
	}
	last := 0
	for range 4 {
		last = requests.Next(last+1, units.Words(units.MaxSet))
		fmt.Print(last, " ")
	}
	// Output: 2 5 100 2
}
