package pairgram

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Best returns the most probable way to cut the pair into chunks, in their order, and the natural
// logarithm of its probability: of its chunks at Theta, and of their LengthPrior. The error wraps
// em.ErrUnderivable if the pair cannot be cut, or is as for NewAligner. O(|x|·|y|·sizes).
func (a *Aligner) Best(p Pair) (chunks []Chunk, logProb float64, err error) {
	cost := make([]semiring.Cost, a.chunks.Len())
	for i, theta := range a.Theta {
		cost[i] = semiring.Cost(-math.Log(theta) - math.Log(a.prior[i]))
	}
	l, g, err := lattices(a, &p, semiring.Tropical{}, cost)
	if err != nil {
		return nil, 0, err
	}
	best, err := graph.BestPath(g)
	if err != nil {
		return nil, 0, nested.Errorf("pairgram: %s: %w", p.name(0), err)
	}
	if best.Start < 0 {
		return nil, 0, uncut(&p)
	}
	for _, e := range best.Arcs {
		chunks = append(chunks, a.chunks.chunk(l.chunk[e]))
	}
	return chunks, -float64(best.Weight), nil
}

// Posteriors returns a matrix with a row for each symbol of the source and a column for each of
// the target: the probability, given the pair, that both are in one chunk. What is left to 1 in
// a row or column, where no chunk holds two symbols of a side, is the probability of a chunk
// without the other side. Errors and cost are as for Best.
func (a *Aligner) Posteriors(p Pair) (*mat.Dense, error) {
	weight := make([]semiring.ScaledFloat, a.chunks.Len())
	for i, theta := range a.Theta {
		weight[i] = semiring.NewScaled(theta * a.prior[i])
	}
	l, g, err := lattices(a, &p, semiring.Scaled{}, weight)
	if err != nil {
		return nil, err
	}
	posterior, err := machines.ScaledGraphs.Posteriors(g)
	switch {
	case err != nil:
		return nil, nested.Errorf("pairgram: %s: %w", p.name(0), err)
	case posterior.Total.IsZero():
		return nil, uncut(&p)
	case len(p.Source) == 0 || len(p.Target) == 0:
		return new(mat.Dense), nil
	}
	grid, columns := mat.NewDense(len(p.Source), len(p.Target), nil), len(p.Target)+1
	for s := range l.numStates() {
		row, column := s/columns, s%columns
		for e := l.row[s]; e < l.row[s+1]; e++ {
			c := a.chunks.chunk(l.chunk[e])
			for i := range c.Source {
				for j := range c.Target {
					grid.Set(row+i, column+j, grid.At(row+i, column+j)+posterior.Arc[e])
				}
			}
		}
	}
	return grid, nil
}

// lattices returns all ways to cut the pair, and their graph where chunks have the weights.
func lattices[W any](a *Aligner, p *Pair, ring semiring.Semiring[W], weight []W) (*lattice, *graph.Graph[W], error) {
	if err := a.Params.Check(a.Theta); err != nil {
		return nil, nil, nested.Errorf("pairgram: %w", err)
	}
	if err := p.check(0); err != nil {
		return nil, nil, err
	}
	l := a.chunks.lattice(newReader(a.chunks.sizes), p.Source, p.Target)
	g, err := weigh(l, ring, weight)
	if err != nil {
		return nil, nil, nested.Errorf("pairgram: %s: %w", p.name(0), err)
	}
	return l, g, nil
}

func uncut(p *Pair) error {
	return nested.Errorf("pairgram: %w: %s cannot be cut into the chunks", em.ErrUnderivable, p.name(0))
}
