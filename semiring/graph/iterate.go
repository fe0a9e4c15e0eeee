package graph

import (
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// effort is how long to iterate.
type effort struct {
	sweeps int // at most by the Krylov method; it mostly takes a few dozen
	alone  int // at most without it
	// slow is wrapped by the error if that was not enough: errRange if not enough
	// time is no likely reason.
	slow error
}

const manySweeps = 2000

// efforts are those of the stages, made if elimination is beyond the budget. After the
// last there is elimination at any price.
var efforts = [stages]effort{
	{300, 0, errOpen},
	{manySweeps, 20_000, errRange},
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
	if e := l.g.interrupted(); e != nil {
		return nil, e
	}
	if errors.Is(err, errRange) {
		own, e := k.best(x, l.use.known())
		if err = e; err == nil {
			y, err = l.iterateIn(k, x, own, most)
		}
	}
	if e := l.g.interrupted(); e != nil {
		return nil, e
	}
	if errors.Is(err, semiring.ErrDiverges) && k.signed {
		return nil, fmt.Errorf("%w: without signs: %v", errOpen, err) // weights may cancel
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
	if !(residual <= fairResidual) && most.alone > 0 {
		residual = q.sweepOut(size, y, q.b, most.alone)
	}
	for _, z := range size {
		if !(z >= tiny && z <= 1/tiny) {
			return nil, errRange
		}
	}
	if !(residual <= fairResidual) {
		return nil, fmt.Errorf("%w: it came to a residual of %.2g", most.slow, residual)
	}
	return &solution{q.states, y, q.unit, q.errorBound(y, residual, radius, most.sweeps)}, nil
}

// errorBound bounds the relative error of a solution x with that residual: by the
// spectral radius, and if that says little, more closely by (1 − A)⁻¹·|x|, in so many
// sweeps. For that is how often, relative to x, the cycles repeat an error of every x.
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
	g := Map(k.g, semiring.Viterbi{}, abs.number)
	l := newLabeling(g, semiring.Viterbi{}, use)
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
