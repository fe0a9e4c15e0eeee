package graph

import (
	"slices"

	"example.org/pathsum/semiring/internal/rows"
)

// Pruned is a part of a graph: every state and arc of it lies on a path from a start
// to a final state. Weights are as in the whole graph; states, arcs and starts
// keep their order.
type Pruned[W any] struct {
	Graph             *Graph[W]
	State, Arc, Start []int32 // per state, arc and start entry: which one it was
}

// PrunePosterior returns what is left of g without the arcs, starts and final
// weights that a random path uses less than min times on average (see Posteriors),
// and without what then lies on no path. The ring must be a semiring.Prober; in a
// selective one the posteriors are max-marginals.
//
// Where paths are many, the posterior of each may be low, even all of a state's arcs
// below min, and then nothing may be left: a graph without states, no error. A min of
// 0 keeps all paths. PruneBeam does not empty a graph. Posteriors and
// O(states + arcs); the errors are as for Posteriors.
func PrunePosterior[W any](g *Graph[W], min float64) (*Pruned[W], error) {
	p, err := Posteriors(g)
	if err != nil {
		return nil, err
	}
	return restrict(g, selection{
		arc:   func(_, e int32) bool { return p.Arc[e] >= min },
		start: func(i int) bool { return p.Start[i] >= min },
		final: func(s int32) bool { return p.Final[s] >= min },
	}), nil
}

// PruneBeam returns what is left of g without the arcs, starts and final weights that lie
// on no path of weight best ⊗ beam or better. best is the path sum; the ring must be
// semiring.Ordered. A beam of 5 in Tropical admits paths that cost up to 5 more than the
// best, a beam of 1e-3 in Viterbi admits paths that weigh a thousandth of it. Other paths
// may survive, made of parts of good ones. The path of BestPath always survives, whatever
// the beam; at the very limit of the beam rounding decides.
//
// A backward and a forward pass (see PathSum). Errors are as for BestPath.
func PruneBeam[W any](g *Graph[W], beam W) (*Pruned[W], error) {
	t, err := newBestTree(g)
	if err != nil {
		return nil, err
	}
	if t.best < 0 {
		return restrict(g, selection{}), nil
	}
	best := t.path(t.best, nil, 0)
	alpha, err := forward(t.solver)
	if err != nil {
		return nil, err
	}
	ring, to := g.ring, g.To()
	limit := ring.Times(total(g, t.beta), beam)
	good := func(w W) bool { return !ring.IsZero(w) && t.order.Compare(w, limit) <= 0 }

	onBest, last := make([]bool, g.NumArcs()), best.Start
	for _, e := range best.Arcs {
		onBest[e], last = true, to[e]
	}
	return restrict(g, selection{
		arc: func(s, e int32) bool {
			return onBest[e] || good(ring.Times(alpha[s], ring.Times(g.weight[e], t.beta[to[e]])))
		},
		start: func(i int) bool {
			start := g.starts[i]
			return start.State == best.Start && t.order.Compare(start.Weight, t.lambda[t.best]) == 0 ||
				good(ring.Times(start.Weight, t.beta[start.State]))
		},
		final: func(s int32) bool { return s == last || good(ring.Times(alpha[s], g.final[s])) },
	}), nil
}

// selection says which parts of a graph to keep; nil functions keep nothing.
type selection struct {
	arc   func(state, arc int32) bool
	start func(i int) bool
	final func(state int32) bool
}

// restrict returns the selected parts of g that lie on a path of such parts.
func restrict[W any](g *Graph[W], keep selection) *Pruned[W] {
	row, zero := g.Row(), g.ring.Zero()
	rest := &Graph[W]{
		ring:     g.ring,
		topology: g.topology,
		weight:   slices.Clone(g.weight),
		starts:   slices.Clone(g.starts),
		final:    slices.Clone(g.final),
	}
	for i := range rest.starts {
		if keep.start == nil || !keep.start(i) {
			rest.starts[i].Weight = zero
		}
	}
	for s := range int32(g.NumStates()) {
		for e := row[s]; e < row[s+1]; e++ {
			if keep.arc == nil || !keep.arc(s, e) {
				rest.weight[e] = zero
			}
		}
		if keep.final == nil || !keep.final(s) {
			rest.final[s] = zero
		}
	}
	return trimmed(rest)
}

// trimmed returns the parts of g that lie on a path from a start to a final state.
func trimmed[W any](g *Graph[W]) *Pruned[W] {
	use := useful(g)
	part := g.topology.Part(use, positive(g.ring, g.weight))
	p := &Pruned[W]{State: part.State, Arc: part.Arc}
	p.Graph = &Graph[W]{
		ring:     g.ring,
		topology: newTopology(part.Row, part.To),
		weight:   rows.Picked(g.weight, part.Arc),
		final:    rows.Picked(g.final, part.State),
	}
	for i, start := range g.starts {
		if use[start.State] && !g.ring.IsZero(start.Weight) {
			p.Start = append(p.Start, int32(i))
			p.Graph.starts = append(p.Graph.starts, Start[W]{part.Number[start.State], start.Weight})
		}
	}
	return p
}
