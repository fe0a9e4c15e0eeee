package graph_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// indexed is a graph whose weights are indices into a table.
type indexed struct {
	*graph.Graph[int32]
	table []semiring.ScaledFloat
}

// over returns the graph with the weights of the table.
func (g *indexed) over(ring semiring.Semiring[semiring.ScaledFloat]) *graph.Graph[semiring.ScaledFloat] {
	return graph.Map(g.Graph, ring, func(k int32) semiring.ScaledFloat { return g.table[k] })
}

// values returns v per part.
func (g *indexed) values(v []float64) graph.Parts {
	var p graph.Parts
	for _, start := range g.Starts() {
		p.Start = append(p.Start, v[start.Weight])
	}
	for _, k := range g.Weights() {
		p.Arc = append(p.Arc, v[k])
	}
	for _, k := range g.Finals() {
		p.Final = append(p.Final, v[k])
	}
	return p
}

// add adds weight times the numbers of the parts to the numbers of their entries.
func (g *indexed) add(count []float64, weight float64, p graph.Parts) {
	for i, start := range g.Starts() {
		count[start.Weight] += weight * p.Start[i]
	}
	for e, k := range g.Weights() {
		count[k] += weight * p.Arc[e]
	}
	for s, k := range g.Finals() {
		count[k] += weight * p.Final[s]
	}
}

func (g *indexed) sum(*struct{}) (semiring.ScaledFloat, error) {
	return graph.PathSum(g.over(semiring.Scaled{}))
}

func (g *indexed) counts(weight float64, count []float64, _ *struct{}) (semiring.ScaledFloat, error) {
	p, err := graph.Posteriors(g.over(semiring.Scaled{}))
	if err != nil {
		return semiring.ScaledFloat{}, err
	}
	g.add(count, weight, graph.Parts{Start: p.Start, Arc: p.Arc, Final: p.Final})
	return p.Total, nil
}

func (g *indexed) along(v []float64, weight float64, count, change []float64, _ *struct{}) (semiring.ScaledFloat, error) {
	p, product, err := graph.PosteriorsAlong(g.over(semiring.Scaled{}), g.values(v))
	switch {
	case errors.Is(err, graph.ErrNoPath):
		return semiring.ScaledFloat{}, nil
	case err != nil:
		return semiring.ScaledFloat{}, err
	}
	g.add(count, weight, graph.Parts{Start: p.Start, Arc: p.Arc, Final: p.Final})
	g.add(change, weight, product)
	return p.Total, nil
}

func (g *indexed) best(dst []int32, _ *struct{}) ([]int32, semiring.ScaledFloat, error) {
	p, err := graph.BestPath(g.over(semiring.Viterbi{}))
	if err != nil || p.Start < 0 || !p.Weight.IsFinite() {
		return dst, p.Weight, err
	}
	first, last := int32(0), p.Start
	for _, start := range g.Starts() {
		if start.State == p.Start && (first == 0 || g.table[start.Weight].Cmp(g.table[first]) > 0) {
			first = start.Weight
		}
	}
	list := []int32{first}
	for _, e := range p.Arcs {
		list, last = append(list, g.Weights()[e]), g.To()[e]
	}
	for _, k := range append(list, g.Finals()[last]) {
		if k != 1 {
			dst = append(dst, k)
		}
	}
	return dst, p.Weight, nil
}

// indexedGraphs returns a function that makes a graph of shape.Arcs arcs per state; first is the
// least entry of an arc.
func indexedGraphs(shape graphtest.Shape, first int32) func(r *rand.Rand, size int) (*sumtest.Machine[struct{}], bool) {
	return func(r *rand.Rand, size int) (*sumtest.Machine[struct{}], bool) {
		shape := shape
		shape.States, shape.Arcs = size, size*shape.Arcs
		g := &indexed{Graph: graphtest.New(r, sumtest.Handles{}, shape, func(r *rand.Rand) int32 { return first + r.Int32N(9-first) })}
		ways := func() ([][]int32, bool) { return sumtest.Paths(g.Graph, 8, 500) }
		list, ok := ways()
		return &sumtest.Machine[struct{}]{
			Ways:  ways,
			Weigh: func(table []semiring.ScaledFloat) error { g.table = table; return nil },
			Sum:   g.sum, Counts: g.counts, Along: g.along, Best: g.best,
		}, len(list) > 0 || !ok
	}
}

func TestIndexedGraphs(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[struct{}]{
		New:   indexedGraphs(graphtest.Shape{Arcs: 2, Acyclic: true, Starts: 4, Finals: .4, Zero: .1}, 1),
		Small: 8, Large: 60, Entries: 9, Spread: 1e4, Allocates: true, // beyond, ∞ · 0 may be NaN
	})
}

// With cycles, all entries are so small that long paths do not matter.
func TestCyclicIndexedGraphs(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[struct{}]{
		New:   indexedGraphs(graphtest.Shape{Arcs: 2, Starts: 3, Finals: .4, Zero: .1}, 2),
		Small: 5, Large: 30, Entries: 9, Center: -20, Spread: 1, Least: 1e-11, Allocates: true, Diverges: true,
	})
}
