package grid

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Graph returns the graph of all paths that read x and write y, over semiring.Scaled, and
// for each of its arcs the number of the machine's. State (i·(|y|+1) + j)·states + q
// says that i symbols were read, j written, and that the machine is in state q. So every
// query of package graph can be asked, and graph.Map takes it to other rings. If a string
// has a symbol that the machine lacks, the graph has no arcs. The error wraps
// semiring.ErrLimit if there are too many nodes or arcs for int32.
func (m *Machine) Graph(x, y []int32, s *Scratch) (*graph.Graph[semiring.ScaledFloat], []int32, error) {
	nodes, arcs := m.GridSize(x, y, s)
	if nodes >= math.MaxInt32 || arcs > math.MaxInt32 {
		return nil, nil, fmt.Errorf("grid: %w: %d nodes and %d arcs", semiring.ErrLimit, nodes, arcs)
	}
	p, row := &s.pair, make([]int32, nodes+1)
	to, number, weight := make([]int32, arcs), make([]int32, arcs), make([]semiring.ScaledFloat, arcs)
	if p.take(m, x, y) {
		p.lo, p.hi = 0, p.n
		p.prepare()
		each := func(visit func(k int32, from, to int)) {
			for i := range p.n + 1 {
				for j := range p.m + 1 {
					p.leaving(i, j, func(k int32, from, down, to int) { visit(k, i*p.width+from, (i+down)*p.width+to) })
				}
			}
		}
		each(func(_ int32, from, _ int) { row[from+1]++ })
		for n := range nodes {
			row[n+1] += row[n]
		}
		next := append([]int32(nil), row...) // per node, of the next of its arcs
		each(func(k int32, from, end int) {
			a := next[from]
			next[from]++
			to[a], number[a], weight[a] = int32(end), m.arc[k], m.weight[k]
		})
	}
	starts := make([]graph.Start[semiring.ScaledFloat], m.states)
	for q, w := range m.initial {
		starts[q] = graph.Start[semiring.ScaledFloat]{State: int32(q), Weight: w}
	}
	final := make([]semiring.ScaledFloat, nodes)
	copy(final[int(nodes)-m.states:], m.final)
	g, err := graph.New(semiring.Scaled{}, row, to, weight, starts, final)
	return g, number, err
}
