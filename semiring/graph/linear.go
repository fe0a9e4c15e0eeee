package graph

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// linear is the closure of the rings of numbers, Real, Scaled and Log. There a
// component is a system of linear equations, and each is solved as suits it: a small
// one as a dense matrix, others by elimination or iteration, in stages (see efforts).
type linear[W any] struct {
	g        *Graph[W]
	products *weights.Products[W]
	mass     *weights.Mass[W]
	use      *usage

	numbers      weights.Numbers[W]
	small        small[W]
	eliminations [stages]*elimination[W] // by the plans of the topology; nil: not needed yet
	radii        map[int]float64         // by first position: bounds below 1 on spectral radii
	bounds       map[int]float64         // by first position: on errors of iteration, as added up
	local        []int32                 // for blocks
	inaccuracy   *inaccuracy
}

func newLinear[W any](g *Graph[W], p *weights.Products[W], m *weights.Mass[W], use *usage, a *inaccuracy) *linear[W] {
	l := &linear[W]{
		g: g, products: p, mass: m, use: use, inaccuracy: a,
		numbers: p.Numbers(),
	}
	l.small = small[W]{g: g, mass: m, use: use, numbers: &l.numbers}
	return l
}

func (l *linear[W]) forward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, l.g.topology.In(), (*elimination[W]).forward)
}

func (l *linear[W]) backward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, l.g.topology.Out(), (*elimination[W]).backward)
}

func (l *linear[W]) solve(x []W, lo, hi int, from rows.Adjacency, eliminate func(e *elimination[W], x []W, lo, hi int) error) error {
	if l.small.solve(x, lo, hi, from) {
		return nil
	}
	for _, e := range l.eliminations {
		if e != nil && e.factored[lo] {
			return eliminate(e, x, lo, hi)
		}
	}
	var inconclusive error
	var rough *solution
	for stage, effort := range efforts {
		pl, err := l.g.topology.plans.at(stage, &l.g.topology.Topology, l.g.interrupted)
		switch {
		case err != nil && !errors.Is(err, semiring.ErrLimit):
			return err
		case err != nil && rough != nil:
			return l.take(x, lo, hi, rough)
		case err != nil:
			return fmt.Errorf("%w; %v", err, inconclusive)
		case pl.open == nil || !pl.open[lo]:
			e := &l.eliminations[stage]
			if *e == nil {
				*e = newElimination(l.g, l.products, l.use.known(), pl, l.inaccuracy)
			}
			return eliminate(*e, x, lo, hi)
		case rough != nil && rough.bound <= maxInaccuracy:
			return l.take(x, lo, hi, rough)
		case rough != nil:
			continue // as slow as this may be, iteration comes no closer
		}
		y, err := l.iterate(x, lo, hi, from, effort)
		switch {
		case err == nil && y.bound <= goodBound:
			return l.take(x, lo, hi, y)
		case err == nil:
			rough = y
		case !errors.Is(err, errOpen):
			return err
		}
		inconclusive = err
	}
	return inconclusive
}

// take replaces x by a solution. The error wraps semiring.ErrInaccurate.
func (l *linear[W]) take(x []W, lo, hi int, y *solution) error {
	if len(y.states) == 0 {
		return nil // nothing came in
	}
	for i, s := range y.states {
		x[s] = l.mass.Weight(semiring.NewScaled(y.x[i]).Mul(y.unit.of(i)))
	}
	if l.bounds == nil {
		l.bounds = map[int]float64{}
	}
	known := l.bounds[lo]
	l.bounds[lo] = max(known, y.bound)
	return l.inaccuracy.add(l.bounds[lo]-known, y.states[0], lo, hi)
}
