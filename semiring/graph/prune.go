package graph

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
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
	return restrict(g, derivation.Kept{
		Entry: atLeast(p.Start, min), Option: atLeast(p.Arc, min), End: atLeast(p.Final, min),
	}), nil
}

// atLeast returns which posteriors are min or more.
func atLeast(posterior []float64, min float64) []bool {
	keep := make([]bool, len(posterior))
	for i, x := range posterior {
		keep[i] = x >= min
	}
	return keep
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
	keep := derivation.Kept{
		Entry: make([]bool, len(g.starts)), Option: make([]bool, g.NumArcs()), End: make([]bool, g.NumStates()),
	}
	if t.best < 0 {
		return restrict(g, keep), nil
	}
	best := t.path(t.best, nil, 0) // before the solver goes forward
	alpha, err := forward(t.solver)
	if err != nil {
		return nil, err
	}
	ring, row, to := g.ring, g.Row(), g.To()
	limit := ring.Times(total(g, t.beta), beam)
	good := func(w W) bool { return !ring.IsZero(w) && t.order.Compare(w, limit) <= 0 }
	for s, a := range alpha {
		for e := row[s]; e < row[s+1]; e++ {
			keep.Option[e] = good(ring.Times(a, ring.Times(g.weight[e], t.beta[to[e]])))
		}
		keep.End[s] = good(ring.Times(a, g.final[s]))
	}
	for i, start := range g.starts {
		keep.Entry[i] = good(ring.Times(start.Weight, t.beta[start.State])) ||
			start.State == best.Start && t.order.Compare(start.Weight, t.lambda[t.best]) == 0
	}
	last := best.Start
	for _, e := range best.Arcs {
		keep.Option[e], last = true, to[e]
	}
	keep.End[last] = true
	return restrict(g, keep), nil
}

// restrict returns the parts of g to be kept that do not weigh Zero and lie on a path of such
// parts. It clears what is not kept of keep.
func restrict[W any](g *Graph[W], keep derivation.Kept) *Pruned[W] {
	keep.Entries = startStates(g)
	for i, start := range g.starts {
		keep.Entry[i] = keep.Entry[i] && !g.ring.IsZero(start.Weight)
	}
	andPositive(g.ring, keep.Option, g.weight)
	andPositive(g.ring, keep.End, g.final)
	part := g.topology.part(keep)
	p := &Pruned[W]{State: part.Node, Arc: part.Option, Start: part.Entry}
	p.Graph = &Graph[W]{
		ring:     g.ring,
		topology: newTopology(part.Row, part.Tails),
		weight:   rows.Picked(g.weight, part.Option),
		final:    rows.Picked(g.final, part.Node),
	}
	for i, s := range part.Node {
		if !keep.End[s] {
			p.Graph.final[i] = g.ring.Zero()
		}
	}
	for _, i := range part.Entry {
		start := g.starts[i]
		p.Graph.starts = append(p.Graph.starts, Start[W]{part.Number[start.State], start.Weight})
	}
	return p
}

// andPositive clears keep where a weight is Zero.
func andPositive[W any](ring semiring.Semiring[W], keep []bool, weight []W) {
	for i, w := range weight {
		keep[i] = keep[i] && !ring.IsZero(w)
	}
}

// part returns the part of t on paths of what is kept.
func (t *topology) part(keep derivation.Kept) *derivation.Part {
	s := structure(t)
	return s.Part(keep, t.coaccessible(
		func(s int32) bool { return keep.End[s] }, func(e int32) bool { return keep.Option[e] }))
}
