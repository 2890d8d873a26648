package kernels

import "fmt"

var eigenvaluesKernel = Kernel{
	Name:    "eigenvalues",
	Doc:     "eigenvalues of symmetric tridiagonal matrices, by bisection",
	Source:  "EIGENVL (eigenvalues of NVIDIA's samples, after Lessig, 2007) in Rhu & Erez (ISCA 2013), table 1. Kept: a thread an interval, Sturm counts, intervals that part, places for new ones by a prefix sum in a tree. Not kept: matrices larger than a CTA; one matrix a launch, of which there are several here",
	Control: "threads without an interval (P, by a number that grows by data); intervals that are narrow, Sturm counts, halves without eigenvalues (D); a prefix sum, threads halve (P); barriers in a loop that data ends",
	Result:  "each eigenvalue bisected alone on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "2 matrices of 24, 2 CTAs of 32, partly filled",
			func(seed uint64) Workload { return newEigenvalues(2, 24, 32, seed) },
		},
		{
			"medium", "4 matrices of 100, 4 CTAs of 128, partly filled",
			func(seed uint64) Workload { return newEigenvalues(4, 100, 128, seed) },
		},
		{
			"large", "192 matrices of 256, 192 CTAs of 256",
			func(seed uint64) Workload { return newEigenvalues(192, 256, 256, seed) },
		},
	},
}

// eigenvaluePrecision is the width below which an interval is not halved.
const eigenvaluePrecision = 1e-4

// eigenvaluesWorkload bisects intervals.
type eigenvaluesWorkload struct {
	outcome
	matrices, n, cta             int
	diag, beside, bounds, wanted []float32
}

// newEigenvalues makes random matrices of n rows. A CTA has at least n threads; cta is a power of
// two of at most 256. Gerschgorin's circles bound the eigenvalues.
func newEigenvalues(matrices, n, cta int, seed uint64) *eigenvaluesWorkload {
	r := random(seed)
	w := &eigenvaluesWorkload{matrices: matrices, n: n, cta: cta}
	for range matrices {
		diag, beside := r.units(n), r.units(n)
		beside[0] = 0
		low, high := diag[0], diag[0]
		squares := make([]float32, n)
		for i, b := range beside {
			squares[i] = b * b
			radius := abs(b)
			if i+1 < n {
				radius += abs(beside[i+1])
			}
			low, high = min(low, diag[i]-radius), max(high, diag[i]+radius)
		}
		low, high = low-0.01, high+0.01
		w.diag, w.beside, w.bounds = append(w.diag, diag...), append(w.beside, squares...), append(w.bounds, low, high)
		for k := range n {
			w.wanted = append(w.wanted, bisect(diag, squares, low, high, k))
		}
	}
	return w
}

func abs(x float32) float32 { return max(x, -x) }

// bisect returns eigenvalue k, counted from the smallest.
func bisect(diag, squares []float32, left, right float32, k int) float32 {
	below, under := 0, len(diag)
	for {
		middle := left + float32(0.5*(right-left))
		if right-left <= eigenvaluePrecision {
			return middle
		}
		count, delta := 0, float32(1)
		for i := range diag {
			if delta = diag[i] - middle - squares[i]/delta; delta < 0 {
				count++
			}
		}
		// Rounding may decrease the count where the middle increases.
		if count = min(max(count, below), under); k < count {
			right, under = middle, count
		} else {
			left, below = middle, count
		}
	}
}

// Run implements Workload.
func (w *eigenvaluesWorkload) Run(m Machine) error {
	w.reset()
	if err := tree("eigenvalues", w.cta); err != nil {
		return err
	}
	if w.cta < w.n || w.cta > 256 {
		return fmt.Errorf("eigenvalues: a CTA of %d threads for %d rows; want as many or more, at most 256", w.cta, w.n)
	}
	diag, beside, bounds, found := upload(m, w.diag), upload(m, w.beside), upload(m, w.bounds), m.Alloc(4*len(w.wanted))
	err := m.Launch(Call{
		Module: "eigenvalues.ptx",
		Kernel: "eigenvalues",
		Grid:   [3]uint32{uint32(w.matrices), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(diag, beside, bounds, found, uint32(w.n), float32(eigenvaluePrecision)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "eigenvalues", download[float32](m, found, len(w.wanted)), w.wanted)
	return nil
}
