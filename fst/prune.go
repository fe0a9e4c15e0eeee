package fst

import (
	"context"
	"slices"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/graph"
)

// PruneBeam returns m without the arcs, starts and final weights that lie on no path of weight
// best ⊗ beam or better. Requirements, cost and errors are as for graph.PruneBeam. States and
// arcs keep their order.
func PruneBeam[W any](m Machine[W], beam W, o *Options) (*FST[W], error) {
	return computed("PruneBeam", m, o, func(f *FST[W], _ Options) (*FST[W], error) {
		p, err := graph.PruneBeam(f.Graph(), beam)
		if err != nil {
			return nil, err
		}
		return pruned(f, p), nil
	})
}

// ExpandWithin returns the part of m that PruneBeam keeps, and creates only the states of m
// that are needed for it. Requirements, options, cost and errors are as for graph.ExpandWithin.
// States are in the order of their first expansion, best first. Applied to a lazy operation, it
// combines the operation with pruning: for example, it can prune Determinize while the complete
// deterministic form would be too large.
func ExpandWithin[W any](ctx context.Context, m Machine[W], beam W, o *graph.SearchOptions[W]) (*FST[W], error) {
	nonnil.Check("fst: ExpandWithin", "context", ctx, "machine", m)
	p, err := graph.ExpandWithin(ctx, m, beam, o)
	if err != nil {
		return nil, expansionFailure("ExpandWithin", err, m)
	}
	f := withLabels(p.Graph, p.In, p.Out)
	f.inSymbols, f.outSymbols = symbolsOf(m)
	return f, nil
}

// PrunePosterior returns m without the arcs, starts and final weights that a random path uses
// less than min times on average. Requirements, cost and errors are as for
// graph.PrunePosterior. States and arcs keep their order.
func PrunePosterior[W any](m Machine[W], min float64, o *Options) (*FST[W], error) {
	return computed("PrunePosterior", m, o, func(f *FST[W], _ Options) (*FST[W], error) {
		p, err := graph.PrunePosterior(f.Graph(), min)
		if err != nil {
			return nil, err
		}
		return pruned(f, p), nil
	})
}

// PruneArcs returns Connect(m) without the arcs whose weight keep rejects. Starts and final
// weights stay if a path through them is left. Any ring is allowed. O(states + arcs).
func PruneArcs[W any](m Machine[W], keep func(w W) bool, o *Options) (*FST[W], error) {
	nonnil.Check("fst: PruneArcs", "machine", m, "function", keep)
	return computed("PruneArcs", m, o, func(f *FST[W], _ Options) (*FST[W], error) {
		weight := slices.Clone(f.arcs.w)
		for e, w := range weight {
			if !keep(w) {
				weight[e] = f.ring.Zero()
			}
		}
		g, err := f.WithWeights(weight, f.starts, f.final)
		if err != nil {
			return nil, err
		}
		return connect(g), nil
	})
}

// pruned returns the machine of a pruned part of the graph of f.
func pruned[W any](f *FST[W], p *graph.Pruned[W]) *FST[W] {
	in, out := make([]int32, len(p.Arc)), make([]int32, len(p.Arc))
	for i, e := range p.Arc {
		in[i], out[i] = f.arcs.in[e], f.arcs.out[e]
	}
	x := withLabels(p.Graph, in, out)
	x.unit, x.inSymbols, x.outSymbols = f.unit, f.inSymbols, f.outSymbols
	return x
}

// withLabels returns the machine of a graph, given the labels of each arc.
func withLabels[W any](g *graph.Graph[W], in, out []int32) *FST[W] {
	return &FST[W]{
		ring:   g.Ring(),
		labels: &labels{row: g.Row(), in: in, out: out},
		arcs:   arcs[W]{in: in, out: out, to: g.To(), w: g.Weights()},
		starts: g.Starts(),
		final:  g.Finals(),
		sorted: new(sorted[W]),
		graph:  g,
	}
}
