package solve

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// numberElimination is the closure of rings of numbers by elimination. Every component is
// factored once, by the plan of the topology, and then solved for any number of right-hand sides,
// in ScaledFloat for all types of weights.
//
// Weights that are not negative and in the range of float64 are eliminated without subtraction
// (see leakElimination), others with a bound on their rounding errors.
type numberElimination struct {
	*problem
	numbers numbers
	plan    *plan
	factors factors[semiring.ScaledFloat]
	done    []bool // by position of a component's first state: it has been factored
	signed  []bool // by the same position: it has negative weights
	leak    leakElimination
	masses  *massElimination

	x   []semiring.ScaledFloat // by state: sums of the current component
	sum semiring.ScaledFloat   // scratch
	// given and off are scratch of refine, by state.
	given, off []semiring.ScaledFloat
}

// substitution is solveForward or solveBackward.
type substitution func(pl *plan, f *factors[semiring.ScaledFloat], by *weights.Products[semiring.ScaledFloat],
	x []semiring.ScaledFloat, sum *semiring.ScaledFloat, lo, hi int)

// scaledProducts are the products of Scaled.
var scaledProducts = weights.NewProducts[semiring.ScaledFloat](semiring.Scaled{})

func newNumberElimination(p *problem, m numbers, pl *plan) *numberElimination {
	n := p.topology.NumStates()
	p.use.known()
	return &numberElimination{
		problem: p, numbers: m, plan: pl, factors: newFactors[semiring.ScaledFloat](pl, n), done: make([]bool, n), signed: make([]bool, n),
		masses: newMassElimination(p, pl, m.arc), x: make([]semiring.ScaledFloat, n),
	}
}

func (e *numberElimination) forward(lo, hi int) error {
	return e.solve(lo, hi, solveForward, false)
}

func (e *numberElimination) backward(lo, hi int) error {
	return e.solve(lo, hi, solveBackward, true)
}

// solve replaces the sums by the solution that by computes.
func (e *numberElimination) solve(lo, hi int, by substitution, back bool) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	states := e.plan.order[lo:hi]
	e.numbers.load(e.x, states)
	if e.signed[lo] {
		e.refine(lo, hi, by, back)
	} else {
		by(e.plan, &e.factors, &scaledProducts, e.x, &e.sum, lo, hi)
	}
	e.numbers.store(states, e.x)
	return nil
}

// refinements is the maximum number of refinements of sums over negative weights.
const refinements = 3

// refine is solve for a component with negative weights. Substitution may subtract numbers that
// are greater than the sums by any factor, which a bound on a star does not cover. So the
// residual b + A⊗x − x is solved for, and its solution is added unless it is negligible.
func (e *numberElimination) refine(lo, hi int, by substitution, back bool) {
	states := e.plan.order[lo:hi]
	for _, s := range states {
		e.given[s] = e.x[s]
	}
	by(e.plan, &e.factors, &scaledProducts, e.x, &e.sum, lo, hi)
	for range refinements {
		e.residual(lo, hi, back)
		by(e.plan, &e.factors, &scaledProducts, e.off, &e.sum, lo, hi)
		if !slices.ContainsFunc(states, func(s int32) bool {
			return e.off[s].IsFinite() && absolute(e.off[s]).Cmp(absolute(e.x[s]).Mul(semiring.NewScaled(negligible))) > 0
		}) {
			return
		}
		for _, s := range states {
			e.x[s] = e.x[s].Add(e.off[s])
		}
	}
}

// residual sets e.off to the residual of e.x in the equations whose right-hand side is e.given.
func (e *numberElimination) residual(lo, hi int, back bool) {
	in := insideOf(e.problem, e.plan, lo, hi)
	states := e.plan.order[lo:hi]
	for _, s := range states {
		e.off[s] = e.given[s].Sub(e.x[s])
	}
	for _, s := range states {
		for a := in.row[s]; a < in.row[s+1]; a++ {
			to := in.to[a]
			if r := in.position[to]; r < in.lo || r >= in.hi || in.absent(s, a) {
				continue
			}
			if w := e.numbers.arc(a); back {
				e.off[s] = e.off[s].Add(w.Mul(e.x[to]))
			} else {
				e.off[to] = e.off[to].Add(w.Mul(e.x[s]))
			}
		}
	}
}

// factor computes the factors of the component at positions lo … hi−1 on the first call.
func (e *numberElimination) factor(lo, hi int) error {
	if e.done[lo] {
		return nil
	}
	known, err := e.factorLeaks(lo, hi)
	bound := e.leak.bound
	if err == nil && !known {
		bound, err = e.factorMasses(lo, hi)
		e.signed[lo] = err == nil && e.hasNegative(lo, hi)
	}
	if err == nil {
		err = e.inaccuracy.add(bound, e.plan.order[lo], lo, hi)
	}
	e.done[lo] = err == nil
	return err
}

// hasNegative reports whether an arc inside the component at positions lo … hi−1 has a negative
// weight. If so, it allocates storage to refine its sums.
func (e *numberElimination) hasNegative(lo, hi int) bool {
	in := insideOf(e.problem, e.plan, lo, hi)
	for _, s := range e.plan.order[lo:hi] {
		for a := in.row[s]; a < in.row[s+1]; a++ {
			if r := in.position[in.to[a]]; in.lo <= r && r < in.hi && !in.absent(s, a) && e.numbers.arc(a).Mant < 0 {
				if e.given == nil {
					e.given, e.off = make([]semiring.ScaledFloat, len(e.x)), make([]semiring.ScaledFloat, len(e.x))
				}
				return true
			}
		}
	}
	return false
}

// factorMasses is elimination with bounds on errors. It returns the greatest bound of a star.
func (e *numberElimination) factorMasses(lo, hi int) (bound float64, err error) {
	bound, _, err = e.masses.run(lo, hi)
	if err != nil {
		return 0, err
	}
	store := func(dst []semiring.ScaledFloat, src []bounded) {
		for n, x := range src {
			dst[n] = x.value()
		}
	}
	f := &e.masses.factors
	store(e.factors.lower[f.lowerBase:], f.lower)
	store(e.factors.upper[f.upperBase:], f.upper)
	store(e.factors.star[f.starBase:], f.star)
	return bound, nil
}

// factorLeaks is elimination without subtraction. It returns false if a weight is negative or a
// number is out of range. The error wraps semiring.ErrDiverges or comes from interrupted.
func (e *numberElimination) factorLeaks(lo, hi int) (known bool, err error) {
	l := &e.leak
	l.bound, l.exact, l.pace = 0, e.exact, workload{interrupted: e.interrupted}
	if !l.read(e.numbers, e.plan, insideOf(e.problem, e.plan, lo, hi)) {
		return false, nil
	}
	switch result, columns := l.factor(e.plan); result {
	case certain:
		e.take(columns)
		return true, nil
	case uncertain:
		return false, diverges(e.plan.order[lo+l.at], lo, hi, fmt.Sprintf("the mass of the cycles found so far is %v", l.mass))
	case interrupted:
		return false, e.interrupted()
	default:
		return false, nil
	}
}

// take stores the factors of e.leak, of rows or of columns. The factors of the transpose of A
// have lower and upper exchanged, with the stars on the other side.
func (e *numberElimination) take(columns bool) {
	l, lo, hi := &e.leak, e.leak.lo, e.leak.lo+e.leak.n
	store := func(dst []semiring.ScaledFloat, x []float64) {
		for n, y := range x {
			dst[n] = semiring.NewScaled(y)
		}
	}
	f := &e.factors
	store(f.star[lo:], l.star)
	if !columns {
		store(f.lower[e.plan.lower.row[lo]:], l.lower)
		store(f.upper[e.plan.upper.row[lo]:], l.upper)
		return
	}
	up, low := e.plan.upper.in, e.plan.lower.in
	for n, x := range l.lower {
		m := up.Row[lo] + int32(n)
		k := int(e.plan.position[up.Other[m]]) - lo
		f.upper[up.Arc[m]] = semiring.NewScaled(x / l.star[k])
	}
	for p := lo; p < hi; p++ {
		for m := low.Row[p]; m < low.Row[p+1]; m++ {
			f.lower[low.Arc[m]] = semiring.NewScaled(l.upper[m-low.Row[lo]] * l.star[p-lo])
		}
	}
}
