package solve

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// bounded is the number mant × 2^(512·exp) with a bound err × 2^(512·exp) on the
// error that rounding has brought into it. Elimination over it can tell a cycle
// of mass 1 from one of mass 1 − 1e-9 whatever was added up to reach it.
//
// To first order of the unit of rounding u, x + y brings u·|x+y| and x·y brings
// u·|xy|; errors of the operands are carried along in full. Products of normalized
// mantissas cannot overflow.
type bounded struct {
	mant, err float64
	exp       int64
}

const (
	rounding = 0x1p-53
)

// newBounded returns x as a datum: the decimal number or logarithm that it came
// from was rounded once, in a magnitude of log₂ x.
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

// star returns 1/(1−a), false unless 1−a is certain to be positive: four times
// its error above 0.
func (a bounded) star() (bounded, bool) {
	pivot := bounded{1, 0, 0}.plus(bounded{-a.mant, a.err, a.exp})
	if !(pivot.mant > 4*pivot.err) || math.IsInf(pivot.mant, 1) {
		return bounded{}, false
	}
	m := 1 / pivot.mant
	return normalBounded(m, m*(rounding+pivot.err/(pivot.mant-pivot.err)), -pivot.exp), true
}

// addBounded is work[col[n]] += a·u[n], in line where all is of one magnitude.
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

// boundedWork are the elements of one component in bounded numbers: the masses of weights.
type boundedWork struct {
	*elimination
	lower, upper, stars []bounded // of the component alone
	lowerBase           int32     // where they begin in the plan
	upperBase           int32
	in                  inside
	row                 []bounded // per position of the graph
	unknown             bool      // a mass is not a number
}

// begin makes room for the component at positions lo … hi−1.
func (w *boundedWork) begin(e *elimination, lo, hi int) {
	if w.row == nil {
		w.row = make([]bounded, e.g.topology.NumStates())
	}
	lower, upper := e.plan.lower.row, e.plan.upper.row
	w.elimination, w.lowerBase, w.upperBase, w.in = e, lower[lo], upper[lo], e.inside(lo, hi)
	w.lower = rows.Resized(w.lower, int(lower[hi]-lower[lo]))
	w.upper = rows.Resized(w.upper, int(upper[hi]-upper[lo]))
	w.stars = rows.Resized(w.stars, hi-lo)
	w.unknown = false
}

func (w *boundedWork) addArcs(s int32) {
	in := &w.in
	for e := in.row[s]; e < in.row[s+1]; e++ {
		r := in.position[in.to[e]]
		if r < in.lo || r >= in.hi || in.absent(s, e) {
			continue
		}
		m := w.g.number(arcAt(e))
		w.unknown = w.unknown || m.IsNaN()
		w.row[r] = w.row[r].plus(newBounded(m))
	}
}

func (w *boundedWork) reduce(n, r int32, at []int32, begin int32) bool {
	x, lower := w.row[r], &w.lower[n-w.lowerBase]
	w.row[r] = bounded{}
	if x.mant == 0 && x.err == 0 {
		*lower = bounded{}
		return false
	}
	*lower = x.times(w.stars[r-w.in.lo])
	addBounded(w.row, at, *lower, w.upper[begin-w.upperBase:])
	return true
}

func (w *boundedWork) close(p int32, at []int32, begin int32) bool {
	star, ok := w.row[p].star()
	if !ok {
		return false
	}
	w.stars[p-w.in.lo], w.row[p] = star, bounded{}
	upper := w.upper[begin-w.upperBase:]
	for n, r := range at {
		upper[n], w.row[r] = w.row[r], bounded{}
	}
	return true
}

// take stores the values as factors of weights that are nothing but a mass.
func (w *boundedWork) take(f factors) {
	for _, part := range []struct {
		dst  table
		base int32
		src  []bounded
	}{{f.lower, w.lowerBase, w.lower}, {f.upper, w.upperBase, w.upper}, {f.star, w.in.lo, w.stars}} {
		for n, x := range part.src {
			w.g.setNumber(place{part.dst, part.base + int32(n)}, x.value())
		}
	}
}
