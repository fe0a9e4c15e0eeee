package batch

import (
	"errors"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// cyclicGraph is a graph whose weights are indices into a table.
type cyclicGraph struct{ *graph.Graph[int32] }

// The only start of a cyclic graph and its only final state weigh 1, whatever the table
// says.
const one = -1

// addCyclic notes that the states of the last item have no topological order. They may
// have one although the graph had a cycle, which has been trimmed away; where the states
// then happen not to be in it, the graph is treated like one with a cycle.
func (b *Batch) addCyclic() error {
	x := b.item(b.Len() - 1)
	if x.sinkFirst() {
		return nil
	}
	row := slices.Clone(x.row)
	for v := range row {
		row[v] -= x.row[0]
	}
	final := make([]int32, len(row)-1)
	final[0] = one
	g, err := graph.New(nil, row, slices.Clone(x.left), slices.Clone(x.k), []graph.Start[int32]{{State: int32(x.root()), Weight: one}}, final)
	if err != nil {
		return err
	}
	b.setCyclic(cyclicGraph{g})
	return nil
}

// sinkFirst reports whether every arc leads to a state of a smaller number.
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
func (g cyclicGraph) weighted(table []semiring.ScaledFloat, ring semiring.Semiring[semiring.ScaledFloat]) *graph.Graph[semiring.ScaledFloat] {
	return graph.Map(g.Graph, ring, func(k int32) semiring.ScaledFloat {
		switch k {
		case one:
			return ring.One()
		case 0: // of a state that is not final
			return ring.Zero()
		}
		return table[k]
	})
}

func (g cyclicGraph) sum(table []semiring.ScaledFloat) (semiring.ScaledFloat, error) {
	total, err := graph.PathSum(g.weighted(table, semiring.Scaled{}))
	return total, failed(err)
}

func (g cyclicGraph) counts(table []semiring.ScaledFloat, weight float64, count []float64) (semiring.ScaledFloat, error) {
	p, err := graph.Posteriors(g.weighted(table, semiring.Scaled{}))
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	for e, k := range g.Weights() {
		count[k] += weight * p.Arc[e]
	}
	return p.Total, nil
}

func (g cyclicGraph) hessianVector(table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64) (semiring.ScaledFloat, error) {
	values := graph.Parts{Arc: make([]float64, g.NumArcs())}
	for e, k := range g.Weights() {
		values.Arc[e] = v[k]
	}
	p, product, err := graph.PosteriorsAlong(g.weighted(table, semiring.Scaled{}), values)
	if errors.Is(err, graph.ErrNoPath) {
		return semiring.ScaledFloat{}, nil
	}
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	for e, k := range g.Weights() {
		count[k] += weight * p.Arc[e]
		change[k] += weight * product.Arc[e]
	}
	return p.Total, nil
}

func (g cyclicGraph) best(table []semiring.ScaledFloat, dst []int32) ([]int32, semiring.ScaledFloat, error) {
	p, err := graph.BestPath(g.weighted(table, semiring.Viterbi{}))
	switch {
	case err != nil:
		return dst, semiring.ScaledFloat{}, failed(err)
	case !p.Weight.IsFinite():
		return dst, p.Weight, notFinite(p.Weight)
	}
	for _, e := range p.Arcs {
		if k := g.Weights()[e]; k != 1 {
			dst = append(dst, k)
		}
	}
	return dst, p.Weight, nil
}
