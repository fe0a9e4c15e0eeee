package solve

import (
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// linear is the closure of the rings of numbers, Real, Scaled and Log. There a
// component is a system of linear equations, and each is solved as suits it: a small
// one as a dense matrix, others by elimination or iteration, in stages (see efforts).
type linear[W any] struct {
	g    *Graph[W]
	mass *weights.Mass[W]
	use  *usage

	numbers      weights.Numbers[W]
	small        small[W]
	eliminations [stages]*elimination[W] // by the plans of the topology; nil: not needed yet
	radii        map[int]float64         // by first position: bounds below 1 on spectral radii
	bounds       map[int]float64         // by first position: on errors of iteration, as added up
	local        []int32                 // for blocks
	inaccuracy   *inaccuracy
}

func newLinear[W any](g *Graph[W], m *weights.Mass[W], use *usage, a *inaccuracy) *linear[W] {
	l := &linear[W]{
		g: g, mass: m, use: use, inaccuracy: a,
		numbers: g.Numbers(),
	}
	l.small = small[W]{g: g, mass: m, use: use, numbers: &l.numbers}
	return l
}

func (l *linear[W]) forward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, l.g.Topology.In(), (*elimination[W]).forward)
}

func (l *linear[W]) backward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, l.g.Topology.Out(), (*elimination[W]).backward)
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
		pl, err := l.g.Plans.at(stage, l.g.Topology, l.g.Interrupted)
		switch {
		case err != nil && !errors.Is(err, semiring.ErrLimit):
			return err
		case err != nil && rough != nil:
			return l.take(x, lo, hi, rough)
		case err != nil:
			return nested.Errorf("%w; %v", err, inconclusive)
		case pl.open == nil || !pl.open[lo]:
			e := &l.eliminations[stage]
			if *e == nil {
				*e = newElimination(l.g, l.use.known(), pl, l.inaccuracy)
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

// effort is how long to iterate.
type effort struct {
	sweeps int // at most; it mostly takes a few dozen
	// slow is wrapped by the error if that was not enough: errRange if not enough
	// time is no likely reason.
	slow error
}

const manySweeps = 2000

// efforts has the effort of each stage, made if elimination is beyond the budget. After the
// last there is elimination at any price.
var efforts = [stages]effort{
	{300, errOpen},
	{manySweeps, errRange},
	{},
}

// block returns the component at positions lo … hi−1, to be closed.
func (l *linear[W]) block(lo, hi int, from rows.Adjacency) *block[W] {
	if l.local == nil {
		l.local = make([]int32, l.g.NumStates())
	}
	k := newBlock(l.g, l.mass.Of, &l.numbers, l.use.known(), lo, hi, from, l.local)
	k.exact = l.mass.Exact
	return k
}

// solution is a solution of equations.
type solution struct {
	states []int32
	x      []float64
	unit   units
	bound  float64 // on the relative error of x
}

// goodBound is the bound with which iteration is content.
const goodBound = 1e-11

// iterate returns the solution for x by iteration. The error wraps errOpen if it cannot
// be said whether there is one, or what it is.
func (l *linear[W]) iterate(x []W, lo, hi int, from rows.Adjacency, most effort) (*solution, error) {
	k := l.block(lo, hi, from)
	defer k.close()
	y, err := l.iterateIn(k, x, nil, most)
	if e := l.g.Interrupted(); e != nil {
		return nil, e
	}
	if errors.Is(err, errRange) {
		own, e := k.best(x, l.use.known())
		if err = e; err == nil {
			y, err = l.iterateIn(k, x, own, most)
		}
	}
	if e := l.g.Interrupted(); e != nil {
		return nil, e
	}
	if errors.Is(err, semiring.ErrDiverges) && k.signed {
		return nil, nested.Errorf("%w: without signs: %v", errOpen, err) // weights may cancel
	}
	return y, err
}

// iterateIn is iterate in the given units.
func (l *linear[W]) iterateIn(k *block[W], x []W, own []semiring.ScaledFloat, most effort) (*solution, error) {
	q, err := k.equations(x, own)
	if err != nil {
		return nil, err
	}
	radius, err := l.converge(k, func() (radius, error) {
		abs, err := q, error(nil)
		if k.signed {
			if abs, err = k.absolute().equations(x, own); err != nil {
				return noRadius, err
			}
		}
		return abs.spectralRadius(most.sweeps), nil
	})
	if err != nil {
		return nil, err
	}
	y, size, residual, _ := q.solve(q.b, most.sweeps)
	for _, z := range size {
		if !(z >= tiny && z <= 1/tiny) {
			return nil, errRange
		}
	}
	if !(residual <= fairResidual) {
		return nil, nested.Errorf("%w: it came to a residual of %.2g", most.slow, residual)
	}
	return &solution{q.states, y, q.unit, q.errorBound(y, residual, radius, most.sweeps)}, nil
}

// errorBound bounds the relative error of a solution x with that residual: by the
// spectral radius, and if that says little, more closely by (1 − A)⁻¹·|x|, in the given
// number of sweeps. For that is how often, relative to x, cycles repeat an error of x.
func (q *equations) errorBound(x []float64, residual, radius float64, sweeps int) float64 {
	residual = max(residual, goodResidual) + q.loose
	bound := residual / (1 - radius)
	if bound <= goodBound || q.signed {
		return bound
	}
	sizes := make([]float64, len(x))
	for i, y := range x {
		sizes[i] = math.Abs(y)
	}
	repeated, _, _, _ := q.system.solve(sizes, sweeps)
	most := 0.0
	for i, y := range repeated {
		if sizes[i] != 0 {
			most = max(most, y/sizes[i])
		}
	}
	return min(bound, residual*most)
}

// converge returns an upper bound below 1 on the spectral radius of A, negative numbers
// made positive, if it is known or found by bounds; else an error.
func (l *linear[W]) converge(k *block[W], bounds func() (radius, error)) (float64, error) {
	if high, ok := l.radii[k.lo]; ok {
		return high, nil
	}
	r, err := bounds()
	switch {
	case err != nil:
		return 1, err
	case r.verdict == divergent:
		return 1, diverges(k.states[0], k.lo, k.hi, r.String())
	case r.verdict == undecided:
		return 1, fmt.Errorf("%w: %v", errOpen, r)
	}
	if l.radii == nil {
		l.radii = map[int]float64{}
	}
	l.radii[k.lo] = r.high
	return r.high, nil
}

// absolute returns k with the absolute values of its weights.
func (k *block[W]) absolute() *block[W] {
	abs := *k
	abs.numbers = nil
	abs.number = func(w W) semiring.ScaledFloat { return absolute(k.number(w)) }
	return &abs
}

// best returns, as units of the states, the weight of the best path by which a value
// of x reaches each, signs apart. In these units no arc weighs more than 1, nor does
// b, and every state has one of the two of just that weight. States that nothing
// reaches are taken out of k.
func (k *block[W]) best(x []W, use []bool) ([]semiring.ScaledFloat, error) {
	abs := k.absolute()
	weight := make([]semiring.ScaledFloat, len(k.g.Weight))
	for e, w := range k.g.Weight {
		weight[e] = abs.number(w)
	}
	viterbi := weights.NewProducts(semiring.Viterbi{})
	l := newLabeling(&Graph[semiring.ScaledFloat]{
		Products: &viterbi, Topology: k.g.Topology, Weight: weight, Interrupted: k.g.Interrupted,
	}, semiring.Viterbi{}, use)
	y := make([]semiring.ScaledFloat, len(x))
	for _, s := range k.states {
		y[s] = abs.number(x[s])
	}
	label := l.forward
	if k.from.IsOut() {
		label = l.backward
	}
	if err := label(y, k.lo, k.hi); err != nil {
		return nil, err
	}
	var states []int32
	var own []semiring.ScaledFloat
	for _, s := range k.states {
		if !y[s].IsZero() {
			states, own = append(states, s), append(own, y[s])
		}
	}
	k.take(states)
	return own, nil
}
