package graph

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
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
func (l *linear[W]) block(lo, hi int, from reading) *block[W] {
	if l.local == nil {
		l.local = make([]int32, l.g.NumStates())
	}
	return newBlock(l.g, l.mass.of, &l.numbers, l.use.known(), lo, hi, from, l.local)
}

// iterate replaces x like closure, by iteration. The error wraps errOpen if x is
// left as it was because it cannot be said whether there is a solution, or what it
// is.
func (l *linear[W]) iterate(x []W, lo, hi int, from reading, most effort) error {
	k := l.block(lo, hi, from)
	defer k.close()
	err := l.iterateIn(k, x, nil, most)
	if errors.Is(err, errRange) {
		own, e := k.best(x, l.use.known())
		if err = e; err == nil {
			err = l.iterateIn(k, x, own, most)
		}
	}
	if errors.Is(err, semiring.ErrDiverges) && k.signed {
		return fmt.Errorf("%w: without signs: %v", errOpen, err) // weights may cancel
	}
	return err
}

// iterateIn is iterate in the given units.
func (l *linear[W]) iterateIn(k *block[W], x []W, own []semiring.ScaledFloat, most effort) error {
	q, err := k.equations(x, own)
	if err != nil {
		return err
	}
	err = l.converge(k, func() (radius, error) {
		abs, err := q, error(nil)
		if k.signed {
			if abs, err = k.absolute().equations(x, own); err != nil {
				return noRadius, err
			}
		}
		return abs.spectralRadius(most.sweeps), nil
	})
	if err != nil {
		return err
	}
	y, size, residual, _ := q.solve(q.b, most.sweeps)
	if !(residual <= fairResidual) && most.alone > 0 {
		residual = q.sweepOut(size, y, q.b, most.alone)
	}
	return l.accept(q, x, y, size, residual, most.slow)
}

// accept sets x to y, a solution of q with parts of that size and such a residual. The
// error wraps poor if the residual is not good enough.
func (l *linear[W]) accept(q *equations, x []W, y, size []float64, residual float64, poor error) error {
	for _, z := range size {
		if !(z >= tiny && z <= 1/tiny) {
			return errRange
		}
	}
	if !(residual <= fairResidual) {
		return fmt.Errorf("%w: it came to a residual of %.2g", poor, residual)
	}
	for i, s := range q.states {
		x[s] = l.mass.weight(semiring.NewScaled(y[i]).Mul(q.unit.of(i)))
	}
	return nil
}

// converge returns an error unless the sum of the powers of A, negative numbers made
// positive, is known to converge, or found to by bounds on its spectral radius.
func (l *linear[W]) converge(k *block[W], bounds func() (radius, error)) error {
	if l.converges[k.lo] {
		return nil
	}
	r, err := bounds()
	switch {
	case err != nil:
		return err
	case r.verdict == divergent:
		return diverges(k.states[0], k.lo, k.hi, r.String())
	case r.verdict == undecided:
		return fmt.Errorf("%w: %v", errOpen, r)
	}
	if l.converges == nil {
		l.converges = map[int]bool{}
	}
	l.converges[k.lo] = true
	return nil
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
	if k.from.backward() {
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
