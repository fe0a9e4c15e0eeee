package convex

import (
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// newGraph returns the graph of n states with the given arcs. It panics if there are more
// than an int32 counts.
func newGraph(n int, arcs [][2]int) *graph.Graph[bool] {
	arcs = slices.Clone(arcs)
	slices.SortFunc(arcs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	row, to := make([]int32, n+1), make([]int32, len(arcs))
	for i, a := range arcs {
		row[a[0]+1]++
		to[i] = int32(a[1])
	}
	for s := range n {
		row[s+1] += row[s]
	}
	g, err := graph.New(semiring.Boolean{}, row, to, slices.Repeat([]bool{true}, len(arcs)), nil, make([]bool, n))
	if err != nil {
		panic("convex: " + err.Error())
	}
	return g
}

// components returns the strongly connected component of each state.
func components(n int, arcs [][2]int) []int32 {
	c, _ := newGraph(n, arcs).Components()
	return c
}

// complete returns the arcs from each item to each other.
func complete(items []int) [][2]int {
	var arcs [][2]int
	for _, i := range items {
		for _, j := range items {
			if i != j {
				arcs = append(arcs, [2]int{i, j})
			}
		}
	}
	return arcs
}

// grouped returns the items by component, in the order of their first members.
func grouped(items []int, component []int32) [][]int {
	var groups [][]int
	place := make(map[int32]int)
	for _, i := range items {
		k, ok := place[component[i]]
		if !ok {
			k = len(groups)
			place[component[i]] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}
