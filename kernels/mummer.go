package kernels

import (
	"bytes"
	"index/suffixarray"
	"slices"
	"sort"
)

var mummer = Kernel{
	Name:    "mummer",
	Doc:     "queries matched with a reference by its suffix tree",
	Source:  "MUM (MUMmerGPU, Schatz et al., BMC Bioinformatics 2007) in Fung & Aamodt (HPCA 2011), table 1, and Rhu & Erez (ISCA 2013), table 1. Kept: CTAs of 256, a thread a query, from each letter a walk down the tree, along edges of many letters, and on by the suffix link; textures. Not kept: the reference in pieces, the matches themselves",
	Control: "loops over letters, nodes and edges, each with an exit at the first letter that differs (D)",
	Result:  "searches in the suffix array of Go's library on the host",
	Sizes: []Size{
		{
			"small", "60 queries of 10 letters, a reference of 300, 1 CTA of 256, partly filled",
			func(seed uint64) Workload { return newMummer(300, 60, 10, 256, seed) },
		},
		{
			"medium", "1000 queries of 25 letters, a reference of 10000, 4 CTAs of 256, partly filled",
			func(seed uint64) Workload { return newMummer(10000, 1000, 25, 256, seed) },
		},
		{
			"large", "20000 queries of 25 letters, a reference of 100000, 79 CTAs of 256, partly filled",
			func(seed uint64) Workload { return newMummer(100000, 20000, 25, 256, seed) },
		},
	},
}

var mummerpp = Kernel{
	Name:    "mummerpp",
	Doc:     "queries matched with a reference by its suffix array",
	Source:  "MUMpp (MUMmerGPU++, Gharaibeh & Ripeanu, SC 2010) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 192, a thread a query, a suffix array in place of the tree. Not kept: the reference in pieces, the matches themselves",
	Control: "a binary search for each letter, in it a loop over letters that ends at the first that differs (D)",
	Result:  "as mummer",
	Sizes: []Size{
		{
			"small", "60 queries of 10 letters, a reference of 300, 1 CTA of 192, partly filled",
			func(seed uint64) Workload { return newMummerPP(300, 60, 10, 192, seed) },
		},
		{
			"medium", "1000 queries of 25 letters, a reference of 10000, 6 CTAs of 192, partly filled",
			func(seed uint64) Workload { return newMummerPP(10000, 1000, 25, 192, seed) },
		},
		{
			"large", "20000 queries of 25 letters, a reference of 100000, 105 CTAs of 192, partly filled",
			func(seed uint64) Workload { return newMummerPP(100000, 20000, 25, 192, seed) },
		},
	},
}

// genome is a reference sequence and queries, with letters 0 to 3.
type genome struct {
	outcome
	cta, length        int
	reference, queries []uint8  // the reference ends with a 4
	want               []uint32 // number of matching letters from each letter of each query on
}

// newGenome makes queries. Seven in 8 are pieces of the reference in which one letter in 16 is
// redrawn. The others are random.
func newGenome(letters, queries, length, cta int, seed uint64) genome {
	r := random(seed)
	g := genome{cta: cta, length: length}
	for range letters {
		g.reference = append(g.reference, uint8(r.below(4)))
	}
	for range queries {
		from, strange := r.below(letters-length), r.below(8) == 0
		for i := range length {
			letter := g.reference[from+i]
			if strange || r.below(16) == 0 {
				letter = uint8(r.below(4))
			}
			g.queries = append(g.queries, letter)
		}
	}
	index := suffixarray.New(g.reference)
	for i := range g.queries {
		rest := g.queries[i : (i/length+1)*length]
		g.want = append(g.want, uint32(sort.Search(len(rest), func(n int) bool {
			return len(index.Lookup(rest[:n+1], 1)) == 0
		})))
	}
	g.reference = append(g.reference, 4)
	return g
}

// run launches a kernel. structure, made from the reference, is its first parameter; more precede
// the length of a query.
func (g *genome) run(m Machine, kernel string, structure []uint32, more ...any) error {
	g.reset()
	index, reference, queries := upload(m, structure), upload(m, g.reference), upload(m, g.queries)
	matched, count := m.Alloc(4*len(g.want)), len(g.queries)/g.length
	err := m.Launch(Call{
		Module: kernel + ".ptx",
		Kernel: kernel,
		Grid:   [3]uint32{groups(count, g.cta), 1, 1},
		Block:  [3]uint32{uint32(g.cta), 1, 1},
		Params: bank(slices.Concat([]any{index, reference, queries, matched}, more,
			[]any{uint32(g.length), uint32(count)})...),
	})
	if err != nil {
		return err
	}
	expect(&g.outcome, "matched", download[uint32](m, matched, len(g.want)), g.want)
	return nil
}

// mummerWorkload matches queries by a suffix tree.
type mummerWorkload struct{ genome }

// newMummer makes a reference of letters letters, and queries of length letters.
func newMummer(letters, queries, length, cta int, seed uint64) *mummerWorkload {
	return &mummerWorkload{newGenome(letters, queries, length, cta, seed)}
}

// treeNode is a node of a suffix tree in the kernel's layout.
//
// It holds its children by letter, the place and length of its edge label in the reference, the
// suffix link, and its depth in letters. Children are never the root, 0.
type treeNode struct {
	child                      [4]uint32
	label, length, link, depth uint32
}

// suffixTree inserts one suffix after the other. It leaves out the one that is only the last
// letter, since no query has that letter.
func suffixTree(reference []uint8) []treeNode {
	nodes := make([]treeNode, 1)
	inner := []uint32{} // inner nodes; begin holds the start of a path to each
	begin := []uint32{}
	end := uint32(len(reference))
	for start := range end - 1 {
		node, at := uint32(0), start
		for reference[at] < 4 {
			child := nodes[node].child[reference[at]]
			if child == 0 {
				break
			}
			label, n, k := nodes[child].label, nodes[child].length, uint32(1)
			for k < n && reference[label+k] == reference[at+k] {
				k++
			}
			if k < n { // split the edge by a node
				split := uint32(len(nodes))
				nodes = append(nodes, treeNode{label: label, length: k, depth: nodes[node].depth + k})
				inner, begin = append(inner, split), append(begin, start)
				if letter := reference[label+k]; letter < 4 {
					nodes[split].child[letter] = child
				}
				nodes[node].child[reference[at]] = split
				nodes[child].label, nodes[child].length = label+k, n-k
				child = split
			}
			node, at = child, at+nodes[child].length
		}
		if reference[at] < 4 {
			nodes[node].child[reference[at]] = uint32(len(nodes))
			nodes = append(nodes, treeNode{label: at, length: end - at, depth: end - start})
		}
	}
	for i, v := range inner {
		letters := reference[begin[i]+1 : begin[i]+nodes[v].depth]
		for len(letters) > 0 {
			to := nodes[nodes[v].link].child[letters[0]]
			nodes[v].link, letters = to, letters[nodes[to].length:]
		}
	}
	return nodes
}

// Run implements Workload.
func (w *mummerWorkload) Run(m Machine) error {
	return w.run(m, "mummer", flat(suffixTree(w.reference), func(n treeNode) []uint32 {
		return append(n.child[:], n.label, n.length, n.link, n.depth)
	}))
}

// mummerPPWorkload matches queries by a suffix array.
type mummerPPWorkload struct{ genome }

// newMummerPP makes the input of newMummer.
func newMummerPP(letters, queries, length, cta int, seed uint64) *mummerPPWorkload {
	return &mummerPPWorkload{newGenome(letters, queries, length, cta, seed)}
}

// Run implements Workload.
func (w *mummerPPWorkload) Run(m Machine) error {
	suffixes := make([]uint32, len(w.reference)-1)
	for i := range suffixes {
		suffixes[i] = uint32(i)
	}
	slices.SortFunc(suffixes, func(a, b uint32) int { return bytes.Compare(w.reference[a:], w.reference[b:]) })
	return w.run(m, "mummerpp", suffixes, uint32(len(suffixes)))
}
