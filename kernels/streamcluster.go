package kernels

var streamcluster = Kernel{
	Name:    "streamcluster",
	Doc:     "what points save or lose if a centre opens at one of them",
	Source:  "STMCL (Rodinia) in Fung & Aamodt (HPCA 2011), table 1: its kernel. Kept: CTAs of 512, the candidate in shared memory, a table for each thread. Not kept: weights of points, the search around the kernel",
	Control: "a uniform loop, one test of the cost (D); who loads the candidate, the end of the points (P)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "600 points of 8 dimensions, 2 CTAs of 512, the last one partly filled",
			func(seed uint64) Workload { return newStreamCluster(600, 8, 5, 1, seed) },
		},
		{
			"medium", "4000 points of 32 dimensions, 4 launches of 8 CTAs of 512, the last one partly filled",
			func(seed uint64) Workload { return newStreamCluster(4000, 32, 10, 4, seed) },
		},
		{
			"large", "64 Ki points of 64 dimensions, 8 launches of 128 CTAs of 512",
			func(seed uint64) Workload { return newStreamCluster(64<<10, 64, 10, 8, seed) },
		},
	},
}

// streamClusterWorkload tries candidates.
type streamClusterWorkload struct {
	outcome
	count, dimensions, centres, candidates int
	points, cost                           []float32 // points dimension by dimension; cost of each point at its centre
	centre, slot                           []uint32  // centre of each point; slot of each centre
	lower                                  []float32
	moves                                  []uint8
}

// newStreamCluster makes points. The first are centres; the next ones are candidates, one for each
// launch.
func newStreamCluster(count, dimensions, centres, candidates int, seed uint64) *streamClusterWorkload {
	r := random(seed)
	w := &streamClusterWorkload{
		count: count, dimensions: dimensions, centres: centres, candidates: candidates,
		points: r.units(count * dimensions), slot: make([]uint32, count),
		lower: make([]float32, count*(centres+1)), moves: make([]uint8, count),
	}
	for c := range centres {
		w.slot[c] = uint32(c)
	}
	for i := range count {
		nearest, cost := 0, w.far(i, 0)
		for c := 1; c < centres; c++ {
			if far := w.far(i, c); far < cost {
				nearest, cost = c, far
			}
		}
		w.centre, w.cost = append(w.centre, uint32(nearest)), append(w.cost, cost)
	}
	for c := range candidates {
		for i := range count {
			if saved := w.far(i, centres+c) - w.cost[i]; saved < 0 {
				w.moves[i] = 1
				w.lower[i*(centres+1)+centres] = saved
			} else {
				w.lower[i*(centres+1)+int(w.centre[i])] = -saved + 0
			}
		}
	}
	return w
}

// far returns the square of the distance of two points.
func (w *streamClusterWorkload) far(i, j int) (sum float32) {
	for d := range w.dimensions {
		along := w.points[d*w.count+i] - w.points[d*w.count+j]
		sum += float32(along * along)
	}
	return sum
}

// Run implements Workload.
func (w *streamClusterWorkload) Run(m Machine) error {
	w.reset()
	points, cost, centre, slot := upload(m, w.points), upload(m, w.cost), upload(m, w.centre), upload(m, w.slot)
	lower, moves := m.Alloc(4*len(w.lower)), m.Alloc(len(w.moves))
	for c := range w.candidates {
		err := m.Launch(Call{
			Module: "streamcluster.ptx",
			Kernel: "streamcluster",
			Grid:   [3]uint32{groups(w.count, 512), 1, 1},
			Block:  [3]uint32{512, 1, 1},
			Params: bank(points, cost, centre, slot, lower, moves, uint32(w.count), uint32(w.dimensions),
				uint32(w.centres), uint32(w.centres+c)),
		})
		if err != nil {
			return err
		}
	}
	expect(&w.outcome, "lower", download[float32](m, lower, len(w.lower)), w.lower)
	expect(&w.outcome, "moves", download[uint8](m, moves, len(w.moves)), w.moves)
	return nil
}
