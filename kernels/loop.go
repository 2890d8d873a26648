package kernels

import "fmt"

var loop1 = Kernel{
	Name:    "loop1",
	Doc:     "one loop whose bound differs among the last threads of a warp",
	Source:  "single loop of Bialas & Strzelecki (Benchmarking the cost of thread divergence in CUDA, 2015), listing 1 and table I",
	Control: "M threads leave the loop one after the other (D): the synchronisation stack grows to M+1 tokens",
	Result:  "3 times the bound of each thread",
	Sizes: []Size{
		{"small", "M = 4, one warp", func(uint64) Workload { return NewLoop1(4) }},
		{
			"medium", "M = 16, one warp: one token more than the stack's 16",
			func(uint64) Workload { return NewLoop1(16) },
		},
		{"large", "M = 31, one warp", func(uint64) Workload { return NewLoop1(31) }},
	},
}

var loop2 = Kernel{
	Name:    "loop2",
	Doc:     "two nested loops whose bounds differ among the last threads of a warp",
	Source:  "double loop of Bialas & Strzelecki (Benchmarking the cost of thread divergence in CUDA, 2015), listing 2 and table I",
	Control: "M threads leave each loop one after the other (D): the synchronisation stack grows to M+2 tokens, again and again",
	Result:  "3 times the square of the bound of each thread",
	Sizes: []Size{
		{"small", "M = 4, one warp", func(uint64) Workload { return NewLoop2(4) }},
		{
			"medium", "M = 16, one warp: two tokens more than the stack's 16",
			func(uint64) Workload { return NewLoop2(16) },
		},
		{"large", "M = 31, one warp", func(uint64) Workload { return NewLoop2(31) }},
	},
}

// loopThreads is the number of threads of the loop kernels, one warp, and the largest loop bound.
const loopThreads = 32

// loopStep is the amount that a round of the innermost loop adds to a thread's sum.
const loopStep = 3

// Loop runs the single or the double loop.
type Loop struct {
	outcome
	kernel string
	m      int
	bounds []int32
	loops  int // number of nested loops with the same bounds
	want   []uint32
}

// NewLoop1 makes the single loop with pattern m, 0 to 31.
func NewLoop1(m int) *Loop { return newLoop("loop1", 1, m) }

// NewLoop2 makes the double loop with pattern m, 0 to 31, for both loops.
func NewLoop2(m int) *Loop { return newLoop("loop2", 2, m) }

func newLoop(kernel string, loops, m int) *Loop {
	w := &Loop{kernel: kernel, m: m, loops: loops, bounds: loopBounds(m)}
	for _, n := range w.bounds {
		sum := uint32(loopStep)
		for range loops {
			sum *= uint32(n)
		}
		w.want = append(w.want, sum)
	}
	return w
}

// loopBounds returns pattern m of Bialas & Strzelecki's table I. The last m threads have the bounds
// 31, 30 and so on, the others 32.
func loopBounds(m int) []int32 {
	bounds := make([]int32, loopThreads)
	for tid := range bounds {
		bounds[tid] = int32(loopThreads - max(0, tid-(loopThreads-1-m)))
	}
	return bounds
}

// Run implements Workload.
func (w *Loop) Run(m Machine) error {
	w.reset()
	if w.m < 0 || w.m >= loopThreads {
		return fmt.Errorf("%s: pattern M = %d; want 0 to %d", w.kernel, w.m, loopThreads-1)
	}
	var params []any
	for range w.loops {
		params = append(params, upload(m, w.bounds))
	}
	sum := m.Alloc(4 * loopThreads)
	err := m.Launch(Call{
		Module: w.kernel + ".ptx",
		Kernel: w.kernel,
		Grid:   [3]uint32{1, 1, 1},
		Block:  [3]uint32{loopThreads, 1, 1},
		Params: bank(append(params, sum)...),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "sum", download[uint32](m, sum, loopThreads), w.want)
	return nil
}
