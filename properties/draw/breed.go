package draw

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"divergo/gpu"
)

// A bred case comes from the cases of a corpus: a part of one, changed, with parts of another. Seed,
// features and parents determine it.

// maxBredCost bounds the instructions that a thread of a bred kernel executes, as cost estimates them.
const maxBredCost = 3 * maxCost

// Breed makes the case of a seed from the kernels of two others, which may be the same, for a machine.
// It inserts, removes, moves, swaps and changes statements of the first, and inserts parts of the second.
func Breed(seed uint64, features Features, first, second *Case, machine gpu.Config) Case {
	r := rand.New(rand.NewPCG(seed, 7))
	c := *first
	c.Seed, c.Machine = seed, machine
	for range 8 {
		c.Kernel = first.Kernel.clone()
		b := breeder{generator{Rand: r, features: features &^ (Races | Messages), fn: -1}, &c.Kernel}
		for range 1 + r.IntN(4) {
			b.change(&second.Kernel)
		}
		if cost(&c.Kernel) <= maxBredCost {
			break
		}
		c.Kernel = first.Kernel
	}
	if r.IntN(3) == 0 {
		c.drawShape(r, features)
	}
	if r.IntN(8) == 0 && features&Repeats != 0 {
		c.Again = r.IntN(3)
	}
	c.suit()
	return c
}

// On returns the case on another machine.
func (c Case) On(machine gpu.Config) Case {
	c.Machine = machine
	c.suit()
	return c
}

// suit makes the launch fit the machine, and the machine's stack the kernel.
func (c *Case) suit() {
	most := c.largest()
	for threads := func() int { return int(c.Block[0] * c.Block[1] * c.Block[2]) }; threads() > most; {
		d := slices.Index(c.Block[:], slices.Max(c.Block[:]))
		c.Block[d] = max(c.Block[d]/2, 1)
	}
	room := c.Machine.Shared.Size - tallyBytes - cellBytes*int(c.Block[0]*c.Block[1]*c.Block[2])
	c.Kernel.Room = max(min(c.Kernel.Room, room), 0)
	c.enlarge()
}

// enlarge makes room on the stack for functions that call each other deeper than in most kernels.
func (c *Case) enlarge() {
	if c.Kernel.Fuel > 4 {
		c.Machine.SM.Stack = 4096
	}
}

// movable are the keys that drawMachine draws one by one.
var movable = sync.OnceValue(func() (list []gpu.Key) {
	for _, k := range gpu.Keys() {
		if !slices.Contains(apart, k.Name) && !isBehind(k.Name) {
			list = append(list, k)
		}
	}
	return list
})

// BreedMachine draws some keys of a machine anew.
func BreedMachine(seed uint64, parent gpu.Config) gpu.Config {
	r := rand.New(rand.NewPCG(seed/MachineSeeds, 8))
	keys := movable()
	for range 8 {
		c := parent
		for range 1 + r.IntN(4) {
			Key(r, &c, &keys[r.IntN(len(keys))])
		}
		fit(&c)
		if c.Check() == nil {
			return c
		}
	}
	return parent
}

// breeder changes a kernel.
type breeder struct {
	generator
	k *Kernel
}

// change makes one change.
func (b *breeder) change(other *Kernel) {
	at := b.block()
	n := len(*at)
	any := func() int { return b.IntN(max(n, 1)) }
	switch b.IntN(12) {
	case 0, 1: // insert
		*at = slices.Insert(*at, b.IntN(n+1), b.drawn())
	case 2: // remove
		if n > 1 {
			i := any()
			*at = slices.Delete(*at, i, i+1)
		}
	case 3: // swap
		if n > 1 {
			i, j := any(), any()
			(*at)[i], (*at)[j] = (*at)[j], (*at)[i]
		}
	case 4: // move or copy to another block
		if n > 0 {
			moved := cloneBlock((*at)[any():][:1])
			to := b.block()
			*to = slices.Insert(*to, b.IntN(len(*to)+1), moved...)
		}
	case 5: // around a part of a block
		if n > 0 {
			i := any()
			j := i + 1 + b.IntN(n-i)
			s := Stmt{
				Kind: []Kind{If, If, Loop}[b.IntN(3)], Cond: b.cond(b.IntN(4) == 0),
				Body: [][]Stmt{cloneBlock((*at)[i:j])},
			}
			if s.Kind == Loop {
				s.N = 1 + b.IntN(3)
				s.Cond.Mask, s.Alt = 3, b.IntN(2) == 0
			}
			*at = slices.Concat((*at)[:i], []Stmt{s}, (*at)[j:])
		}
	case 6, 7: // another condition, or one at the edge
		if s := b.pick(func(s *Stmt) bool { return s.Cond.Cmp != "" && s.Kind != Loop && s.Kind != Switch }); s != nil {
			if b.IntN(2) == 0 {
				s.Cond = b.cond(s.Cond.uniform() && b.IntN(2) == 0)
			} else {
				s.Cond.Limit = []uint32{0, 1, s.Cond.Mask, s.Cond.Limit + 1, s.Cond.Limit - 1}[b.IntN(5)]
			}
		}
	case 8: // other operands, or zero and all ones in front
		if n > 0 {
			i := any()
			d := b.IntN(registers)
			(*at)[i].A, (*at)[i].B = d, b.IntN(registers)
			special := []Stmt{{Kind: Compute, D: d, A: d, B: d, Op: index("xor")}}
			if b.IntN(2) == 0 {
				special = append(special, Stmt{Kind: Compute, D: d, A: d, Op: index("not")})
			}
			*at = slices.Insert(*at, i, special...)
		}
	case 9: // one setting of a statement
		if s := b.pick(func(s *Stmt) bool { return len(s.Body) == 0 }); s != nil {
			b.left = 1
			again := Stmt{Kind: s.Kind}
			b.fillAgain(&again)
			*s = again
		}
	case 10: // a part of the other kernel
		list := blocks(other)
		from := *list[b.IntN(len(list))]
		if len(from) > 0 {
			i := b.IntN(len(from))
			part := cloneBlock(from[i : i+1+b.IntN(min(len(from)-i, 4))])
			*at = slices.Insert(*at, b.IntN(n+1), part...)
		}
	default: // a setting of the kernel
		switch k := b.k; b.IntN(7) {
		case 0:
			k.Apart = !k.Apart
		case 1:
			k.Turn = b.IntN(64)
		case 2:
			k.Short = !k.Short
		case 3:
			k.Dynamic = !k.Dynamic
		case 4:
			k.Words = 64 << b.IntN(4)
		case 5:
			k.Jumps, k.Fuel = 1+b.IntN(3), 1+b.IntN(4)
		default:
			if len(k.Funcs) > 0 {
				k.Style = b.IntN(numStyles)
			}
		}
	}
}

// block chooses a block of the kernel.
func (b *breeder) block() *[]Stmt {
	list := blocks(b.k)
	return list[b.IntN(len(list))]
}

// pick chooses a statement, or nil.
func (b *breeder) pick(is func(*Stmt) bool) (picked *Stmt) {
	n := 0
	b.k.Each(func(s *Stmt, _ int) {
		if is(s) {
			if n++; b.IntN(n) == 0 {
				picked = s
			}
		}
	})
	return picked
}

// drawn draws a statement for any place.
func (b *breeder) drawn() (s Stmt) {
	b.left, b.loops = 1+b.IntN(4), 1
	s.Kind = b.kind(60, 1, b.IntN(2) == 0)
	b.fill(&s, 60, 1, false)
	return s
}

// fillAgain draws the settings of a statement without bodies.
func (b *breeder) fillAgain(s *Stmt) {
	b.loops = 1
	switch s.Kind {
	case Call:
		s.N, s.Cond, s.Alt = b.IntN(max(len(b.k.Funcs), 1)), b.cond(false), b.IntN(2) == 0
	case Form:
		names, byName := computing()
		list := byName[names[b.IntN(len(names))]]
		s.D, s.A, s.B, s.N = b.IntN(registers), b.IntN(registers), b.IntN(registers), list[b.IntN(len(list))]
	default:
		b.fill(s, 60, 1, false)
	}
}

// index returns the index of an operation.
func index(name string) int {
	return slices.IndexFunc(operations, func(o operation) bool { return o.name == name })
}

// cost estimates the instructions that a thread of a kernel executes at most.
func cost(k *Kernel) int {
	functions := make([]int, len(k.Funcs))
	for i := range slices.Backward(k.Funcs) {
		functions[i] = blockCost(k.Funcs[i], functions)
	}
	n := blockCost(k.Body, functions)
	recursive, back := false, false
	k.Each(func(s *Stmt, _ int) {
		recursive = recursive || s.Kind == Call
		back = back || s.Kind == Goto && s.Alt
	})
	if recursive && len(functions) > 0 {
		n += k.Fuel * slices.Max(functions)
	}
	if back {
		n *= 1 + k.Jumps
	}
	return n
}

func blockCost(b []Stmt, functions []int) (n int) {
	const much = 1 << 20
	for i := range b {
		s := &b[i]
		inner := 0
		for _, body := range s.Body {
			inner += blockCost(body, functions)
		}
		switch s.Kind {
		case Loop:
			inner = (inner + 4) * max(s.N, 1)
		case Call:
			if s.N < len(functions) {
				inner = slices.Max(functions[s.N:])
			}
		case Compute:
			inner = strings.Count(operations[s.Op%len(operations)].ptx, "; ") - 5
		case Roles:
			inner = 8 * s.D
		}
		n = min(n+inner+6, much)
	}
	return n
}
