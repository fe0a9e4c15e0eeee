package graph

import (
	"errors"
	"fmt"
)

// linear is the closure of the rings of numbers, Real, Scaled and Log. There a
// component is a system of linear equations, and each is solved as suits it: a small
// one as a dense matrix, others by elimination or iteration, in stages (see efforts).
type linear[W any] struct {
	g        *Graph[W]
	products *products[W]
	mass     *mass[W]
	use      []bool

	numbers      numbers[W]
	small        small
	eliminations [stages]*elimination[W] // by the plans of the topology; nil: not needed yet
	converges    map[int]bool            // by first position: known of components iterated
	directs      map[int]*direct         // by first position: components eliminated in float64
	local        []int32                 // for blocks
}

// newLinear returns nil if the weights of g are no numbers.
func newLinear[W any](g *Graph[W], p *products[W], use []bool) *linear[W] {
	m := massOf(g.ring)
	if m == nil || m.weight == nil {
		return nil
	}
	return &linear[W]{
		g: g, products: p, mass: m, use: use,
		numbers: numbers[W]{kernel: p.kernel, one: g.ring.One()},
	}
}

func (l *linear[W]) forward(x []W, lo, hi int) error {
	in := l.g.topology.incoming()
	return l.solve(x, lo, hi, reading{in.row, in.from, in.arc}, (*elimination[W]).forward)
}

func (l *linear[W]) backward(x []W, lo, hi int) error {
	t := l.g.topology
	return l.solve(x, lo, hi, reading{t.row, t.to, nil}, (*elimination[W]).backward)
}

func (l *linear[W]) solve(x []W, lo, hi int, from reading, eliminate func(e *elimination[W], x []W, lo, hi int) error) error {
	if hi-lo <= smallStates && l.solveSmall(x, lo, hi, from) {
		return nil
	}
	for _, e := range l.eliminations {
		if e != nil && e.factored[lo] {
			return eliminate(e, x, lo, hi)
		}
	}
	if d := l.directs[lo]; d != nil {
		if err := l.solveDirect(x, lo, hi, from, d.plan); !errors.Is(err, errOpen) {
			return err
		}
	}
	var inconclusive error
	for stage, effort := range efforts {
		pl, err := l.g.topology.plan(stage)
		if err != nil {
			return fmt.Errorf("%w; %v", err, inconclusive)
		}
		if pl.open == nil || !pl.open[lo] {
			if stage > 0 {
				if err := l.solveDirect(x, lo, hi, from, pl); !errors.Is(err, errOpen) {
					return err
				}
			}
			e := &l.eliminations[stage]
			if *e == nil {
				*e = newElimination(l.g, l.products, l.use, pl)
			}
			return eliminate(*e, x, lo, hi)
		}
		inconclusive = l.iterate(x, lo, hi, from, effort)
		if !errors.Is(inconclusive, errOpen) {
			return inconclusive
		}
	}
	return inconclusive
}
