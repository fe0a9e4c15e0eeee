package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring/graph"
)

// PruneBeam returns what is left of f without the arcs, starts and final weights that
// lie on no path of weight best ⊗ beam or better: see graph.PruneBeam, whose
// requirements, cost and errors it has. States and arcs keep their order.
func PruneBeam[W any](f *FST[W], beam W) (*FST[W], error) {
	p, err := graph.PruneBeam(f.Graph(), beam)
	if err != nil {
		return nil, fmt.Errorf("fst: pruning: %w", err)
	}
	return f.pruned(p), nil
}

// PrunePosterior returns what is left of f without the arcs, starts and final weights
// that a random path uses less than min times on average: see graph.PrunePosterior,
// whose requirements, cost and errors it has. States and arcs keep their order.
func PrunePosterior[W any](f *FST[W], min float64) (*FST[W], error) {
	p, err := graph.PrunePosterior(f.Graph(), min)
	if err != nil {
		return nil, fmt.Errorf("fst: pruning: %w", err)
	}
	return f.pruned(p), nil
}

// PruneArcs returns Connect(f) without the arcs whose weight keep rejects. Starts and final
// weights stay where a path is left. Any ring will do. O(states + arcs).
func PruneArcs[W any](f *FST[W], keep func(w W) bool) *FST[W] {
	weight := slices.Clone(f.arcs.w)
	for e, w := range weight {
		if !keep(w) {
			weight[e] = f.ring.Zero()
		}
	}
	g, err := f.WithWeights(weight, f.starts, f.final)
	if err != nil {
		panic(err.Error()) // they are weights of f
	}
	return Connect(g)
}

// pruned returns the machine with a part of the graph of f.
func (f *FST[W]) pruned(p *graph.Pruned[W]) *FST[W] {
	g := p.Graph
	a := arcs[W]{to: g.To(), w: g.Weights()}
	for _, e := range p.Arc {
		a.in, a.out = append(a.in, f.arcs.in[e]), append(a.out, f.arcs.out[e])
	}
	return &FST[W]{
		ring:   f.ring,
		labels: &labels{row: g.Row(), in: a.in, out: a.out},
		arcs:   a,
		starts: g.Starts(),
		final:  g.Finals(),
		sorted: new(sorted[W]),
		unit:   f.unit,
		graph:  g,

		inSymbols: f.inSymbols, outSymbols: f.outSymbols,
	}
}
