package batch

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// cyclicGraph is a graph whose weights are indices into a table. It is built when first needed
// from the rows of its item and shares their arcs: before that the rows may move.
type cyclicGraph struct {
	once sync.Once
	of   *graph.Graph[int32]
}

// The only start of a cyclic graph and its only final state weigh 1, regardless of the table.
const one = -1

// addCyclic marks the last item as cyclic unless its states are in topological order. If trimming
// has removed all cycles but the states are in another order, the item is treated as cyclic, too.
func (b *Batch) addCyclic() {
	if x := b.item(b.Len() - 1); !x.sinkFirst() {
		b.setCyclic(new(cyclicGraph))
	}
}

// graph returns the graph of the rows of x.
func (g *cyclicGraph) graph(x item) *graph.Graph[int32] {
	g.once.Do(func() {
		row := slices.Clone(x.row)
		for v := range row {
			row[v] -= x.row[0]
		}
		final := make([]int32, len(row)-1)
		final[0] = one
		start := []graph.Start[int32]{{State: int32(x.root()), Weight: one}}
		var err error
		if g.of, err = graph.New(nil, row, x.left, x.k, start, final); err != nil {
			panic(fmt.Sprintf("batch: rows that do not form a graph: %v", err))
		}
	})
	return g.of
}

// clone returns the graph for a copy of the rows.
func (g *cyclicGraph) clone() cyclicItem { return new(cyclicGraph) }

// bytes returns the memory of the graph's own rows, of its rows by target state and of its
// components.
func (g *cyclicGraph) bytes(x item) int {
	const perState, perArc = 4 * 7, 4 * 2
	return perState*len(x.row) + perArc*len(x.k)
}

// sinkFirst reports whether every arc leads to a state with a smaller number.
func (x *item) sinkFirst() bool {
	for v := range len(x.row) - 1 {
		lo, hi := x.edges(v)
		for _, u := range x.left[lo:hi] {
			if int(u) >= v {
				return false
			}
		}
	}
	return true
}

// weighted returns the graph over ring, with weights looked up in table.
func (g *cyclicGraph) weighted(x item, table []semiring.ScaledFloat, ring semiring.Semiring[semiring.ScaledFloat]) *graph.Graph[semiring.ScaledFloat] {
	return graphs.Map(g.graph(x), ring, func(k int32) semiring.ScaledFloat {
		switch k {
		case one:
			return ring.One()
		case 0: // of a state that is not final
			return ring.Zero()
		}
		return table[k]
	})
}

func (g *cyclicGraph) sum(x item, table []semiring.ScaledFloat) (semiring.ScaledFloat, error) {
	total, err := graphs.PathSum(g.weighted(x, table, semiring.Scaled{}))
	return total, failed(err)
}

func (g *cyclicGraph) counts(x item, table []semiring.ScaledFloat, weight float64, count []float64) (semiring.ScaledFloat, error) {
	p, err := graphs.Posteriors(g.weighted(x, table, semiring.Scaled{}))
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	for e, k := range x.k {
		count[k] += weight * p.Arc[e]
	}
	return p.Total, nil
}

func (g *cyclicGraph) hessianVector(x item, table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64) (semiring.ScaledFloat, error) {
	values := graph.Parts{Arc: make([]float64, len(x.k))}
	for e, k := range x.k {
		values.Arc[e] = v[k]
	}
	p, product, err := graphs.PosteriorsAlong(g.weighted(x, table, semiring.Scaled{}), values)
	if errors.Is(err, graph.ErrNoPath) {
		return semiring.ScaledFloat{}, nil
	}
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	for e, k := range x.k {
		count[k] += weight * p.Arc[e]
		change[k] += weight * product.Arc[e]
	}
	return p.Total, nil
}

func (g *cyclicGraph) best(x item, table []semiring.ScaledFloat, dst []int32) ([]int32, semiring.ScaledFloat, error) {
	p, err := graphs.BestPath(g.weighted(x, table, semiring.Viterbi{}))
	switch {
	case err != nil:
		return dst, semiring.ScaledFloat{}, failed(err)
	case !p.Weight.IsFinite():
		return dst, p.Weight, notFinite(p.Weight)
	}
	for _, e := range p.Arcs {
		if k := x.k[e]; k != 1 {
			dst = append(dst, k)
		}
	}
	return dst, p.Weight, nil
}
