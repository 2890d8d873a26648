package kernels

var bfs = Kernel{
	Name:    "bfs",
	Doc:     "breadth-first search of a random graph, a level at a time",
	Source:  "Harish & Narayanan (HiPC 2007), in the two-kernel form of Rodinia; BFS in Rhu & Erez (ISCA 2013), table 1, and in Fung & Aamodt (HPCA 2011), table 1",
	Control: "frontier test, a loop over a node's edges, a test of each neighbour: everything depends on data (D); two launches a level",
	Result:  "a search with a queue on the host",
	Sizes: []Size{
		{
			"small", "100 nodes, 1 CTA of 128, partly filled",
			func(seed uint64) Workload { return newBFS(100, 128, seed) },
		},
		{
			"medium", "3000 nodes, 12 CTAs of 256, the last one partly filled",
			func(seed uint64) Workload { return newBFS(3000, 256, seed) },
		},
		{"large", "512 Ki nodes, 2048 CTAs of 256", func(seed uint64) Workload { return newBFS(512<<10, 256, seed) }},
	},
}

// unreached is the level of nodes that the search does not reach.
const unreached = ^uint32(0)

// bfsWorkload searches a graph from node 0.
type bfsWorkload struct {
	outcome
	cta           int
	first, target []uint32 // node v has the edges target[first[v]:first[v+1]]
	want          []uint32 // level of each node
}

// newBFS makes a directed graph for CTAs of cta threads. A node has up to 6 edges; one node in 16
// has up to 40. Some nodes are not reached.
func newBFS(nodes, cta int, seed uint64) *bfsWorkload {
	r := random(seed)
	w := &bfsWorkload{cta: cta, first: make([]uint32, nodes+1)}
	for v := range nodes {
		degree := r.below(7)
		if r.below(16) == 0 {
			degree = r.below(41)
		}
		if v == 0 {
			degree = 4
		}
		for range degree {
			w.target = append(w.target, uint32(r.below(nodes)))
		}
		w.first[v+1] = uint32(len(w.target))
	}
	w.want = w.levels()
	return w
}

// levels is the reference: a search with a queue.
func (w *bfsWorkload) levels() []uint32 {
	level := unvisited(len(w.first) - 1)
	level[0] = 0
	queue := []uint32{0}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, to := range w.target[w.first[v]:w.first[v+1]] {
			if level[to] == unreached {
				level[to] = level[v] + 1
				queue = append(queue, to)
			}
		}
	}
	return level
}

// unvisited returns the levels before the search.
func unvisited(nodes int) []uint32 {
	level := make([]uint32, nodes)
	for v := range level {
		level[v] = unreached
	}
	return level
}

// Run implements Workload. The host launches both kernels for each level while the frontier grows.
func (w *bfsWorkload) Run(m Machine) error {
	w.reset()
	nodes := len(w.want)
	start := make([]uint8, nodes)
	start[0] = 1
	level := unvisited(nodes)
	level[0] = 0

	first, target := upload(m, w.first), upload(m, w.target)
	frontier, visited := upload(m, start), upload(m, start)
	levels, reached := upload(m, level), m.Alloc(4*nodes)
	grown := m.Alloc(4)

	launch := Call{
		Module: "bfs.ptx",
		Grid:   [3]uint32{groups(nodes, w.cta), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
	}
	for depth := uint32(1); ; depth++ {
		m.Write(grown, encode(uint32(0)))
		launch.Kernel = "bfs_expand"
		launch.Params = bank(first, target, frontier, visited, reached, uint32(nodes))
		if err := m.Launch(launch); err != nil {
			return err
		}
		launch.Kernel = "bfs_advance"
		launch.Params = bank(frontier, visited, reached, levels, grown, depth, uint32(nodes))
		if err := m.Launch(launch); err != nil {
			return err
		}
		if download[uint32](m, grown, 1)[0] == 0 || depth == uint32(nodes) {
			break
		}
	}
	expect(&w.outcome, "level", download[uint32](m, levels, nodes), w.want)
	return nil
}
