// Package graph has algorithms on directed graphs that several packages use. A graph is a list of
// successors by node.
package graph

// Components numbers the strongly connected components of a graph, and counts them. Edges between
// components lead to larger numbers. Source: Tarjan, Depth-First Search and Linear Graph
// Algorithms, 1972.
func Components(succs [][]int) (number []int, n int) {
	number = make([]int, len(succs))
	low, index := make([]int, len(succs)), make([]int, len(succs)) // 0: not visited
	visited := 0
	type visit struct{ node, next int }
	var path []visit
	var open []int
	for root := range succs {
		if index[root] == 0 {
			path = append(path, visit{node: root})
		}
		for len(path) > 0 {
			v := &path[len(path)-1]
			if v.next == 0 && index[v.node] == 0 {
				visited++
				index[v.node], low[v.node] = visited, visited
				open = append(open, v.node)
			}
			if v.next < len(succs[v.node]) {
				s := succs[v.node][v.next]
				v.next++
				if index[s] == 0 {
					path = append(path, visit{node: s})
				} else {
					low[v.node] = min(low[v.node], low[s])
				}
				continue
			}
			node := v.node
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1].node
				low[up] = min(low[up], low[node])
			}
			if low[node] != index[node] {
				continue
			}
			for done := false; !done; {
				s := open[len(open)-1]
				open, done = open[:len(open)-1], s == node
				number[s], low[s] = n, len(succs)+1 // not open: above all other indices
			}
			n++
		}
	}
	for i := range number {
		number[i] = n - 1 - number[i]
	}
	return number, n
}
