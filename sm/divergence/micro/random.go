package micro

import (
	"fmt"
	"math/rand/v2"
)

// Shape lists the features of random kernels beside nested branches and loops.
type Shape struct {
	Exits      bool // threads may exit anywhere
	Bars       bool // barriers between the statements of the outermost level
	Structured bool // no loop is left from within
}

// generator makes a random kernel.
type generator struct {
	*rand.Rand
	Shape
	threads int
	k       Kernel
	labels  int
}

// Random returns a kernel laid out in topological order. Equal seeds give equal kernels. Each call
// returns a kernel with its own state, for one run only.
func Random(seed uint64, threads int, shape Shape) Kernel {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), Shape: shape, threads: threads}
	for range 1 + g.IntN(3) {
		g.block(3, "")
		if g.Bars {
			g.add(Line{Bar: true})
		}
	}
	g.add(Exit)
	return g.k
}

// Nest returns a kernel of so many loops, one inside another. From anywhere in them threads leave a
// loop, or begin another round of it, twelve rounds at most. In every second kernel it is the loop
// that they are in, in the others any loop around them. Equal seeds give equal kernels, for one run
// each.
func Nest(seed uint64, threads, loops int) Kernel {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 8)), threads: threads}
	begun := make([]int, threads)
	top, out := make([]string, loops), make([]string, loops)
	near := g.IntN(2) == 0
	jump := func(i int) {
		skip, to := g.label(), g.IntN(i+1)
		if near {
			to = i
		}
		if g.IntN(4) > 0 {
			g.add(When(g.coin(), skip))
		}
		switch coin := g.coin(); g.IntN(4) {
		case 0:
			g.add(When(coin, out[to]))
		case 1:
			g.add(When(func(t *Thread) bool {
				again := begun[t.TID] < 12 && coin(t)
				if again {
					begun[t.TID]++
				}
				return again
			}, top[to]))
		}
		g.add(At(skip, Nop))
	}
	for i := range loops {
		top[i], out[i] = g.label(), g.label()
		g.add(At(top[i], Nop))
		jump(i)
	}
	for i := loops - 1; i >= 0; i-- {
		jump(i)
		jump(i)
		g.add(At(out[i], Nop))
	}
	g.add(Exit)
	return g.k
}

// label returns a new label.
func (g *generator) label() string {
	g.labels++
	return fmt.Sprint("L", g.labels)
}

func (g *generator) add(l Line) { g.k = append(g.k, l) }

// coin returns a condition whose value each thread draws again at each evaluation.
func (g *generator) coin() func(t *Thread) bool {
	salt, limit, seen := g.Uint64(), 1+g.Uint64N(7), make([]uint64, g.threads)
	return func(t *Thread) bool {
		seen[t.TID]++
		return rand.NewPCG(salt, uint64(t.TID)<<32+seen[t.TID]).Uint64()%8 < limit
	}
}

// block adds up to three statements. The label leave is behind the surrounding loop; it is empty if
// there is none.
func (g *generator) block(depth int, leave string) {
	for range 1 + g.IntN(3) {
		if depth == 0 {
			g.add(Nop)
			continue
		}
		switch g.IntN(7) {
		case 0, 1: // if, or if with else
			other, join := g.label(), g.label()
			g.add(When(g.coin(), other))
			g.block(depth-1, leave)
			if g.IntN(3) > 0 {
				g.add(To(join))
				g.add(At(other, Nop))
				g.block(depth-1, leave)
			} else {
				g.add(At(other, Nop))
			}
			g.add(At(join, Nop))
		case 2, 3: // loop in which each thread has its own trip count
			top, out := g.label(), g.label()
			trips, left := g.coin(), make([]int, g.threads)
			g.add(Line{Do: func(t *Thread) {
				left[t.TID] = 0
				for left[t.TID] < 4 && trips(t) {
					left[t.TID]++
				}
			}})
			g.add(At(top, Nop))
			g.block(depth-1, out)
			g.add(Line{
				Do: func(t *Thread) { left[t.TID]-- }, If: func(t *Thread) bool { return left[t.TID] > 0 },
				To: top,
			})
			g.add(At(out, Nop))
		case 4: // break
			if leave != "" && !g.Structured {
				g.add(When(g.coin(), leave))
			}
		case 5:
			switch {
			case !g.Exits:
			case g.IntN(3) == 0:
				g.add(Line{Exit: true, If: g.coin()})
			case g.IntN(3) == 0:
				stay := g.label()
				g.add(When(g.coin(), stay))
				g.add(Exit)
				g.add(At(stay, Nop))
			}
		default:
			g.add(Nop)
		}
	}
}
