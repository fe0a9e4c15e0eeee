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

// linear is the closure of the rings of numbers, Real, Scaled and Log. In these rings a component
// is a system of linear equations. Small systems are solved as dense matrices, others by
// elimination or iteration, in stages (see efforts).
type linear struct {
	*problem
	numbers numbers

	dense        denseSolver
	eliminations [stages]*numberElimination // by the plans of the topology; nil: not needed yet
	radii        map[int]float64            // by first position: bounds below 1 on spectral radii
	bounds       map[int]float64            // by first position: error bounds that have been added up
	local        []int32                    // for blocks
}

func newLinear(p *problem, m numbers) *linear {
	return &linear{problem: p, numbers: m, dense: denseSolver{problem: p, numbers: m}}
}

func (l *linear) forward(lo, hi int) error {
	return l.solve(lo, hi, l.topology.In(), (*numberElimination).forward)
}

func (l *linear) backward(lo, hi int) error {
	return l.solve(lo, hi, l.topology.Out(), (*numberElimination).backward)
}

func (l *linear) solve(lo, hi int, from rows.Adjacency, by func(e *numberElimination, lo, hi int) error) error {
	if l.dense.solve(lo, hi, from) {
		return nil
	}
	for _, e := range l.eliminations {
		if e != nil && e.done[lo] {
			return by(e, lo, hi)
		}
	}
	var inconclusive error
	var rough *solution
	for stage, effort := range efforts {
		pl, err := l.plans.at(stage, l.topology, l.interrupted)
		switch {
		case err != nil && !errors.Is(err, semiring.ErrLimit):
			return err
		case err != nil && rough != nil:
			return l.take(lo, hi, rough)
		case err != nil:
			return nested.Errorf("%w; %v", err, inconclusive)
		case pl.open == nil || !pl.open[lo]:
			e := &l.eliminations[stage]
			if *e == nil {
				*e = newNumberElimination(l.problem, l.numbers, pl)
			}
			return by(*e, lo, hi)
		case rough != nil && rough.bound <= maxInaccuracy:
			return l.take(lo, hi, rough)
		case rough != nil:
			continue // continue to elimination: more iteration does not help
		}
		y, err := l.iterate(lo, hi, from, effort)
		switch {
		case err == nil && y.bound <= goodBound:
			return l.take(lo, hi, y)
		case err == nil:
			rough = y
		case !errors.Is(err, errOpen):
			return err
		}
		inconclusive = err
	}
	return inconclusive
}

// take replaces the sums by a solution. The error wraps semiring.ErrInaccurate.
func (l *linear) take(lo, hi int, y *solution) error {
	if len(y.states) == 0 {
		return nil // all terms from outside are 0
	}
	for i, s := range y.states {
		l.numbers.setSum(s, semiring.NewScaled(y.x[i]).Mul(y.unit.of(i)))
	}
	if l.bounds == nil {
		l.bounds = map[int]float64{}
	}
	known := l.bounds[lo]
	l.bounds[lo] = max(known, y.bound)
	return l.inaccuracy.add(l.bounds[lo]-known, y.states[0], lo, hi)
}

// effort is a limit on iteration.
type effort struct {
	sweeps int // the maximum; usually a few dozen suffice
	// slow is wrapped by the error if that did not suffice: errRange if lack of time is not a
	// likely reason.
	slow error
}

const manySweeps = 2000

// efforts has the effort of each stage, made if elimination is beyond the budget. After the last
// one elimination has no budget.
var efforts = [stages]effort{
	{300, errOpen},
	{manySweeps, errRange},
	{},
}

// block returns the component at positions lo … hi−1. The caller must close it.
func (l *linear) block(lo, hi int, from rows.Adjacency) *block {
	if l.local == nil {
		l.local = make([]int32, l.topology.NumStates())
	}
	return newBlock(l.problem, l.numbers, lo, hi, from, l.local)
}

// solution is a solution of equations.
type solution struct {
	states []int32
	x      []float64
	unit   units
	bound  float64 // on the relative error of x
}

// goodBound is the error bound at which iteration ends.
const goodBound = 1e-11

// iterate returns the solution by iteration. The error wraps errOpen if it can neither find the
// solution nor show that there is none.
func (l *linear) iterate(lo, hi int, from rows.Adjacency, most effort) (*solution, error) {
	k := l.block(lo, hi, from)
	defer k.close()
	y, err := l.iterateIn(k, nil, most)
	if e := l.interrupted(); e != nil {
		return nil, e
	}
	if errors.Is(err, errRange) {
		each, e := k.best()
		if err = e; err == nil {
			y, err = l.iterateIn(k, each, most)
		}
	}
	if e := l.interrupted(); e != nil {
		return nil, e
	}
	if errors.Is(err, semiring.ErrDiverges) && k.signed {
		return nil, nested.Errorf("%w: without signs: %v", errOpen, err) // weights may cancel
	}
	return y, err
}

// iterateIn is iterate in the given units.
func (l *linear) iterateIn(k *block, each []semiring.ScaledFloat, most effort) (*solution, error) {
	q, err := k.equations(each)
	if err != nil {
		return nil, err
	}
	radius, err := l.converge(k, func() (radius, error) {
		abs, err := q, error(nil)
		if k.signed {
			if abs, err = k.absolute().equations(each); err != nil {
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

// errorBound bounds the relative error of a solution x with the given residual by the spectral
// radius. If this is not good enough it uses (1 − A)⁻¹·|x|, in the given number of sweeps, for a
// closer bound: relative to x, this is the number of times that cycles repeat an error of x.
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

// converge returns an upper bound below 1 on the spectral radius of the absolute values of A, if
// it is known or found by bounds; else an error.
func (l *linear) converge(k *block, bounds func() (radius, error)) (float64, error) {
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
func (k *block) absolute() *block {
	abs := *k
	abs.unsigned = true
	return &abs
}

// best returns, as units of the states, the greatest weight of a path by which a value of x
// reaches each, for absolute weights. In these units all arcs and all of b are at most 1, and
// every state has an arc or an entry of b of exactly this weight. Unreachable states are removed
// from k.
func (k *block) best() ([]semiring.ScaledFloat, error) {
	t := k.topology
	weight := make([]semiring.ScaledFloat, len(t.To))
	for e := range weight {
		weight[e] = absolute(k.numbers.arc(int32(e)))
	}
	y := make([]semiring.ScaledFloat, t.NumStates())
	for _, s := range k.states {
		y[s] = absolute(k.numbers.sum(s))
	}
	viterbi := weights.NewProducts(semiring.Viterbi{})
	e := newEngine(&Graph[semiring.ScaledFloat]{Products: &viterbi, Topology: t, Weight: weight, Interrupted: k.interrupted}, nil)
	e.x, e.use = y, k.use
	if err := closeRing(&e.problem, weightsOf(e)); err != nil {
		return nil, err
	}
	if err := e.close(k.lo, k.hi, k.from.IsOut()); err != nil {
		return nil, err
	}
	var states []int32
	var each []semiring.ScaledFloat
	for _, s := range k.states {
		if !y[s].IsZero() {
			states, each = append(states, s), append(each, y[s])
		}
	}
	k.take(states)
	return each, nil
}
