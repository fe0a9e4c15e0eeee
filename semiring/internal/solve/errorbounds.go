package solve

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// bounded is the number mant × 2^(512·exp) with a bound err × 2^(512·exp) on its error due to
// rounding. Elimination over such numbers distinguishes a cycle of mass 1 from a cycle of mass 1
// − 1e-9, however many terms it sums.
//
// To first order of the unit of rounding u, x + y adds an error of u·|x+y| and x·y an error of
// u·|xy|; errors of the operands are propagated in full. Products of normalized mantissas cannot
// overflow.
type bounded struct {
	mant, err float64
	exp       int64
}

const rounding = 0x1p-53

// newBounded returns x as a datum: the original decimal number or logarithm was rounded once, in
// a magnitude of log₂ x.
func newBounded(x semiring.ScaledFloat) bounded {
	if x.IsZero() {
		return bounded{}
	}
	m := math.Abs(x.Mant)
	magnitude := math.Abs(float64(math.Ilogb(m)) + 512*float64(x.Exp))
	return bounded{x.Mant, m * rounding * (1 + magnitude), x.Exp}
}

// value returns the number without its bound.
func (a bounded) value() semiring.ScaledFloat {
	if a.exp == 0 {
		return semiring.NewScaled(a.mant)
	}
	return semiring.ScaledFloat{Mant: a.mant, Exp: a.exp}
}

// normalBounded returns the number with mantissa m and error err, normalized.
func normalBounded(m, err float64, exp int64) bounded {
	if m == 0 && err == 0 {
		return bounded{}
	}
	for range 3 {
		switch a := math.Abs(m); {
		case a >= weights.MantHigh && !math.IsInf(a, 1):
			m, err, exp = m*weights.DigitLow, err*weights.DigitLow, exp+1
		case a < weights.MantLow && err < weights.MantLow:
			m, err, exp = m*weights.DigitUp, err*weights.DigitUp, exp-1
		}
	}
	return bounded{m, err, exp}
}

func (a bounded) times(b bounded) bounded {
	m := a.mant * b.mant
	err := math.Abs(a.mant)*b.err + a.err*(math.Abs(b.mant)+b.err) + rounding*math.Abs(m)
	return normalBounded(m, err, a.exp+b.exp)
}

func (a bounded) plus(b bounded) bounded {
	if a.mant == 0 && a.err == 0 {
		return b
	}
	if b.mant == 0 && b.err == 0 {
		return a
	}
	if a.exp < b.exp {
		a, b = b, a
	}
	if d := a.exp - b.exp; d > 0 {
		if d > 3 && b.mant-b.mant == 0 {
			return a
		}
		scale := math.Ldexp(1, -512*int(min(d, 2)))
		b.mant *= scale
		b.err *= scale
		if d > 2 {
			b.mant *= weights.DigitLow
			b.err *= weights.DigitLow
		}
	}
	m := a.mant + b.mant
	return normalBounded(m, a.err+b.err+rounding*math.Abs(m), a.exp)
}

// star returns 1/(1−a), or false unless 1−a is certain to be positive: above 0 by four times its
// error.
func (a bounded) star() (bounded, bool) {
	pivot := bounded{1, 0, 0}.plus(bounded{-a.mant, a.err, a.exp})
	if !(pivot.mant > 4*pivot.err) || math.IsInf(pivot.mant, 1) {
		return bounded{}, false
	}
	m := 1 / pivot.mant
	return normalBounded(m, m*(rounding+pivot.err/(pivot.mant-pivot.err)), -pivot.exp), true
}

// addBounded is work[col[n]] += a·u[n], in line if all numbers are of one magnitude.
func addBounded(work []bounded, col []int32, a bounded, u []bounded) {
	high := math.Abs(a.mant)
	u = u[:len(col)]
	for n, c := range col {
		x, z := u[n], &work[c]
		m := a.mant * x.mant
		sum := z.mant + m
		if size := math.Abs(sum); z.exp == a.exp+x.exp && weights.MantLow <= size && size < weights.MantHigh {
			z.err += high*x.err + a.err*(math.Abs(x.mant)+x.err) + rounding*(math.Abs(m)+size)
			z.mant = sum
			continue
		}
		*z = z.plus(a.times(x))
	}
}

// massElimination eliminates the masses of weights with bounds on their errors.
type massElimination struct {
	*problem
	plan    *plan
	masses  masses
	factors factors[bounded] // of the last component
	row     []bounded        // scratch
}

func newMassElimination(p *problem, pl *plan, mass func(arc int32) semiring.ScaledFloat) *massElimination {
	return &massElimination{problem: p, plan: pl, masses: masses{mass: mass}}
}

// run computes the factors of the component at positions lo … hi−1, and a bound on the relative
// error of a star. The error wraps semiring.ErrDiverges or comes from interrupted; known is false
// if a mass is NaN.
func (e *massElimination) run(lo, hi int) (bound float64, known bool, err error) {
	if e.row == nil {
		e.row = make([]bounded, e.topology.NumStates())
	}
	m, f := &e.masses, &e.factors
	m.in, m.unknown = insideOf(e.problem, e.plan, lo, hi), false
	f.cover(e.plan, lo, hi)
	at, ok, err := eliminate(e.plan, lo, hi, m, f, e.row, workload{interrupted: e.interrupted})
	if err != nil {
		return 0, true, err
	}
	if !ok {
		err = diverges(e.plan.order[at], lo, hi, fmt.Sprintf("the mass of the cycles found so far is %v", e.row[at].value()))
	}
	if m.unknown {
		clear(e.row)
		return 0, false, err
	}
	for _, x := range f.star {
		bound = max(bound, x.err/math.Abs(x.mant))
	}
	return bound, true, err
}

// masses are the arithmetic of the masses of weights, in bounded numbers.
type masses struct {
	in      inside
	mass    func(arc int32) semiring.ScaledFloat
	unknown bool // a mass is NaN
}

func (w *masses) zero() bounded                  { return bounded{} }
func (w *masses) isZero(x bounded) bool          { return x.mant == 0 && x.err == 0 }
func (w *masses) times(x, y bounded) bounded     { return x.times(y) }
func (w *masses) star(x bounded) (bounded, bool) { return x.star() }

func (w *masses) addArcs(row []bounded, s int32) {
	in := &w.in
	for e := in.row[s]; e < in.row[s+1]; e++ {
		r := in.position[in.to[e]]
		if r < in.lo || r >= in.hi || in.absent(s, e) {
			continue
		}
		m := w.mass(e)
		w.unknown = w.unknown || m.IsNaN()
		row[r] = row[r].plus(newBounded(m))
	}
}

func (w *masses) addRow(row []bounded, at []int32, x bounded, upper []bounded) {
	addBounded(row, at, x, upper)
}
