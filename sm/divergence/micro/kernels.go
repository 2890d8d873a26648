package micro

import "divergo/isa"

// The parts that micro-kernels are written with.
var (
	Nop   = Line{}
	Exit  = Line{Exit: true}
	Count = Line{Do: func(t *Thread) { t.I++ }}
)

// To jumps to a label.
func To(label string) Line { return Line{To: label} }

// When sends the threads for which c is true to a label.
func When(c func(t *Thread) bool, to string) Line { return Line{If: c, To: to} }

// At returns a line with a label.
func At(label string, l Line) Line {
	l.Label = label
	return l
}

// Repeat returns n instructions without effect, the first with a label.
func Repeat(label string, n int) (k Kernel) {
	for i := range n {
		l := Nop
		if i == 0 {
			l.Label = label
		}
		k = append(k, l)
	}
	return k
}

// Seq joins lines and kernels.
func Seq(parts ...any) (k Kernel) {
	for _, p := range parts {
		switch p := p.(type) {
		case Line:
			k = append(k, p)
		case Kernel:
			k = append(k, p...)
		}
	}
	return k
}

// FromThread is true for threads from a number on.
func FromThread(first int) func(t *Thread) bool {
	return func(t *Thread) bool { return t.TID >= first }
}

// BelowThread is true for threads below a number.
func BelowThread(limit int) func(t *Thread) bool {
	return func(t *Thread) bool { return t.TID < limit }
}

// Odd is true for every second thread.
func Odd(t *Thread) bool { return t.TID%2 == 1 }

// Never is true for no thread.
func Never(*Thread) bool { return false }

// k5 is K5, U1 and U2: a loop whose body has an if and a break.
func k5(trips int, leave func(t *Thread) bool) Kernel {
	return Seq(
		At("A", Nop), When(func(t *Thread) bool { return (t.TID+t.I)%2 == 1 }, "C"), Nop, Nop, To("E"),
		At("C", Nop), When(leave, "D"),
		At("E", Count), When(func(t *Thread) bool { return t.I < trips }, "A"), To("F"),
		At("D", Nop), At("F", Nop), Exit)
}

func u3(leave func(t *Thread) bool) Kernel {
	return Seq(Nop, When(Odd, "E1"), Nop, Nop, To("J"), At("E1", Nop), When(leave, "OUT"), Nop, Repeat("J", 8),
		At("OUT", Nop), Exit)
}

// Kernels are micro-kernels for warps of 8 threads. K1 to K7 are the control flow of Huang et al.
// (Dynamic SIMD Re-convergence with Paired-Path Comparison) and kernels that expose its weaknesses.
// U1 to U4 are unstructured: a side exit that is rarely taken makes the post-dominator late.
var Kernels = map[string]Kernel{
	"K1": Seq(Nop, When(FromThread(4), "C"), Nop, Nop, To("D"), Repeat("C", 2), At("D", Nop), Exit),
	"K2": Seq(When(FromThread(4), "E1"), When(FromThread(2), "E2"), Nop, To("J"), At("E2", Nop), To("J"),
		At("E1", Nop), Repeat("J", 2), Exit),
	"K2b": Seq(When(FromThread(6), "J"), Nop, When(FromThread(4), "J"), Nop, When(FromThread(2), "J"), Nop,
		Repeat("J", 2), Exit),
	"K3": Seq(At("L", Count), Nop, When(func(t *Thread) bool { return t.I <= t.TID }, "L"), Nop, Nop, Exit),
	"K4": Seq(When(BelowThread(2), "X"), Nop, When(BelowThread(4), "X"), Nop, Nop, To("J"), Repeat("X", 4),
		At("J", Nop), Exit),
	"K4b": Seq(When(BelowThread(2), "X"), Nop, When(BelowThread(4), "X"), Nop, When(BelowThread(6), "X"), Nop, To("J"),
		Repeat("X", 4), At("J", Nop), Exit),
	"K5": k5(4, func(t *Thread) bool { return t.TID == 7 && t.I >= 1 }),
	"K6": Seq(When(FromThread(7), "COLD"), Nop, Repeat("R", 6), Exit, At("COLD", Nop), Nop, To("R")),
	"K6b": Seq(At("L", Nop), When(func(t *Thread) bool { return t.TID == t.I%8 }, "COLD"), Repeat("R", 2), Count,
		When(func(t *Thread) bool { return t.I < 8 }, "L"), Nop, Exit, At("COLD", Nop), To("R")),
	"K7": Seq(When(FromThread(4), "C"), Nop, When(FromThread(2), "E"), Nop, Nop, To("J"), Repeat("C", 2),
		Repeat("E", 5), At("J", Nop), Exit),
	"U1": k5(8, func(t *Thread) bool { return t.TID == 7 && t.I == 1 }),
	"U2": k5(8, Never),
	"U3": u3(Never),
	"U4": u3(FromThread(7)),
}

// Figure7 is the example of Fung & Aamodt, HPCA 2011, figure 7, with one instruction a block. Of 8
// threads in warps of 4, threads 1, 6 and 7, counted from 1, go to C.
//
//	  A
//	 / \
//	B   C
//	 \ /
//	  D
var Figure7 = Seq(
	At("A", When(func(t *Thread) bool { return t.TID == 0 || t.TID == 5 || t.TID == 6 }, "C")),
	At("B", To("D")),
	At("C", Nop),
	At("D", Exit))

// Figure10 is the loop of Fung & Aamodt, HPCA 2011, figure 10, with one instruction a block, for
// four threads 1 to 4. At A thread 1 goes to B and the others to C. At C thread 2 goes to E and the
// others break. Threads 1 and 2 run one more iteration, through B.
//
//	+-> A --> C --> D (break)
//	|   |     |     |
//	|   B     |     |
//	|    \    |     |
//	+----- E <+     |
//	       |        |
//	       F <------+
var Figure10 = Seq(
	At("A", When(func(t *Thread) bool { return t.I == 0 && t.TID >= 1 }, "C")),
	At("B", To("E")),
	At("C", When(func(t *Thread) bool { return t.TID == 1 }, "E")),
	At("D", To("F")),
	At("E", Line{Do: Count.Do, If: func(t *Thread) bool { return t.I == 1 }, To: "A"}),
	At("F", Exit))

// bound returns the loop bound of a thread in pattern m of Bialas & Strzelecki, 2015, table I. The
// last m threads of a warp have 31, 30 and so on, the others 32.
func bound(m int, t *Thread) int { return 32 - max(0, t.TID%32-(31-m)) }

// singleLoop is a loop with pattern m in listing 3 of Bialas & Strzelecki (Benchmarking the cost of
// thread divergence in CUDA, 2015), lines 1 to 10. The argument behind is its code from line 11 on.
func singleLoop(m int, behind ...any) Kernel {
	return append(Seq(
		Nop, Nop,
		Line{Op: isa.OpSSY, To: "12"},
		When(func(t *Thread) bool { return bound(m, t) <= 0 }, "11"),
		Nop, Nop,
		At("7", Count),
		Nop, Nop,
		When(func(t *Thread) bool { return t.I < bound(m, t) }, "7")),
		Seq(behind...)...)
}

// Listing3 is the single loop of Bialas & Strzelecki, lines 1 to 12.
func Listing3(m int) Kernel {
	return singleLoop(m, At("11", Line{Op: isa.OpSync, To: "12"}), At("12", Exit))
}

// Listing4 is the part of their double loop that affects the stack. Both loops have the same
// pattern. It serves up to 64 threads.
func Listing4(m int) Kernel {
	i, j := make([]int, 64), make([]int, 64)
	never := func(t *Thread) bool { return bound(m, t) <= 0 }
	return Seq(
		Line{Op: isa.OpSSY, To: "OUT"},
		When(never, "S1"),
		At("OUTER", Line{Do: func(t *Thread) { j[t.TID] = 0 }}),
		Line{Op: isa.OpSSY, To: "NEXT"},
		When(never, "S2"),
		At("INNER", Line{Do: func(t *Thread) { j[t.TID]++ }}),
		When(func(t *Thread) bool { return j[t.TID] < bound(m, t) }, "INNER"),
		At("S2", Line{Op: isa.OpSync, To: "NEXT"}),
		At("NEXT", Line{Do: func(t *Thread) { i[t.TID]++ }}),
		When(func(t *Thread) bool { return i[t.TID] < bound(m, t) }, "OUTER"),
		At("S1", Line{Op: isa.OpSync, To: "OUT"}),
		At("OUT", Exit))
}

// Listing6 is their timed single loop without __syncthreads. The compiler puts the last reading of
// the clock, here at label 11, in front of the synchronisation.
func Listing6(m int) Kernel {
	return singleLoop(m, At("11", Nop), Line{Op: isa.OpSync, To: "12"}, At("12", Exit))
}

// Listing5 is their timed single loop with __syncthreads, behind which the clock is read.
func Listing5(m int) Kernel {
	return singleLoop(m, At("11", Line{Op: isa.OpSync, To: "12"}), At("12", Line{Bar: true}), Nop, Exit)
}
