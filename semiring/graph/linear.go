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
	use      *usage

	numbers      numbers[W]
	small        small[W]
	eliminations [stages]*elimination[W] // by the plans of the topology; nil: not needed yet
	converges    map[int]bool            // by first position: known of components iterated
	directs      map[int]*direct         // by first position: components eliminated in float64
	local        []int32                 // for blocks
}

func newLinear[W any](g *Graph[W], p *products[W], m *mass[W], use *usage) *linear[W] {
	l := &linear[W]{
		g: g, products: p, mass: m, use: use,
		numbers: numbers[W]{kernel: p.kernel, one: g.ring.One()},
	}
	l.small = small[W]{g: g, mass: m, use: use, numbers: &l.numbers}
	return l
}

func (l *linear[W]) forward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, l.g.topology.in(), (*elimination[W]).forward)
}

func (l *linear[W]) backward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, l.g.topology.out(), (*elimination[W]).backward)
}

func (l *linear[W]) solve(x []W, lo, hi int, from reading, eliminate func(e *elimination[W], x []W, lo, hi int) error) error {
	if l.small.solve(x, lo, hi, from) {
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
				*e = newElimination(l.g, l.products, l.use.known(), pl)
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
