package expr

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Errors of evaluation, wrapped with the expression whose evaluation failed.
var (
	// ErrDiverges reports that the argument of a star is 1 or more, or equals 1 up to rounding.
	ErrDiverges = semiring.ErrDiverges
	// ErrDivision reports that the denominator of a quotient is 0.
	ErrDivision = errors.New("division by zero")
	// ErrParam reports that a parameter has no value or its value is not finite.
	ErrParam = errors.New("bad parameter value")
)

// Evaluate returns the values of all expressions at θ as real numbers: dst[h] = value of the
// handle h. Numbers already in dst must be the values of the first len(dst) handles at the same
// θ, and Evaluate appends to them: for a fork of s, start from the values of s. It takes time
// linear in the size of the new part and allocates only if dst is too small.
//
// The error names the first expression without a value. It wraps ErrDiverges, ErrDivision,
// ErrParam, or semiring.ErrInaccurate for a star whose expected rounding error is more than 1e-9
// of its value. After such an error the values are complete, too: the failed expression, and
// every expression that contains it, has the value NaN. The caller may continue if it does not
// need these values.
func (s *Space) Evaluate(dst, theta []semiring.ScaledFloat) ([]semiring.ScaledFloat, error) {
	return s.EvaluateTempered(dst, theta, 1)
}

// EvaluateTempered is Evaluate with every leaf, parameter or constant, raised to the power beta ≥
// 0 (0 remains 0). So the weight of each path is raised to that power, but sums over paths are
// not, except sums made by Whole. If dst holds a parameter that theta does not, Plain of the
// parameter has no value at β ≠ 1.
func (s *Space) EvaluateTempered(dst, theta []semiring.ScaledFloat, beta float64) ([]semiring.ScaledFloat, error) {
	return s.evaluate(dst, theta, beta, nil)
}

// evaluate is EvaluateTempered for a part, nil for all expressions.
func (s *Space) evaluate(dst, theta []semiring.ScaledFloat, beta float64, part *Subset) ([]semiring.ScaledFloat, error) {
	if !(beta >= 0 && beta <= math.MaxFloat64) {
		return dst, fmt.Errorf("%w: exponent %g of the leaves, must be finite and not negative", ErrParam, beta)
	}
	t, names := s.snapshot()
	e := evaluator{names: names, theta: theta, beta: beta, part: part}
	e.values = slices.Grow(dst, max(0, t.len()-len(dst)))
	e.extend(&t)
	return e.values, e.err
}

// snapshot returns the current table and the names of parameters.
func (s *Space) snapshot() (table, func(int32) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table, s.namer
}

type evaluator struct {
	names  func(int32) string
	theta  []semiring.ScaledFloat
	beta   float64
	part   *Subset // nil for all expressions
	values []semiring.ScaledFloat
	err    error // the first error
}

// extend appends the missing values of expressions of t and of the tables below it.
func (e *evaluator) extend(t *table) {
	if len(e.values) < int(t.first) {
		e.extend(t.below)
	}
	for len(e.values) < t.len() {
		w := W(len(e.values))
		if e.part != nil && !e.part.Contains(w) {
			e.values = append(e.values, nan)
			continue
		}
		n := t.nodes[w-t.first]
		pairs := t.pairsOf(n)
		var v semiring.ScaledFloat
		var err error
		switch n.kind() {
		case monomial:
			v, err = e.monomial(t.constant(n), pairs)
		case param:
			v, err = e.param(pairs[0].of)
		case sum:
			v = e.sum(pairs)
		case star:
			of := W(pairs[0].of)
			v, err = e.star(e.values[of], t.roundings(of))
		case plainLeaf:
			v, err = e.plain(t, W(pairs[0].of))
		case whole:
			v = e.leaf(e.values[pairs[0].of])
		case raised:
			v, err = e.power(pairs)
		}
		if err != nil && e.err == nil {
			e.err = nested.Errorf("%w: %s", err, t.text(w, e.names))
		}
		e.values = append(e.values, v)
	}
}

var nan = semiring.ScaledFloat{Mant: math.NaN()}

// leaf returns v raised to the power beta.
func (e *evaluator) leaf(v semiring.ScaledFloat) semiring.ScaledFloat {
	if e.beta == 1 || v.Mant == 0 {
		return v
	}
	return v.Pow(e.beta)
}

func (e *evaluator) param(p int32) (semiring.ScaledFloat, error) {
	if int(p) >= len(e.theta) {
		return nan, fmt.Errorf("%w: parameter %d of only %d", ErrParam, p, len(e.theta))
	}
	v := e.leaf(e.theta[p])
	if !v.IsFinite() {
		return nan, fmt.Errorf("%w: parameter %d is %v", ErrParam, p, e.theta[p])
	}
	return v, nil
}

func (e *evaluator) monomial(c semiring.ScaledFloat, factors []pair) (semiring.ScaledFloat, error) {
	v := e.leaf(c)
	if !v.IsFinite() {
		return nan, fmt.Errorf("%w: constant %v", ErrParam, c)
	}
	quotient := false
	for _, f := range factors {
		switch {
		case f.number == 1:
			v = v.Mul(e.values[f.of])
		case f.number > 0:
			v = v.Mul(repeat(semiring.ScaledFloat.Mul, e.values[f.of], f.number))
		default:
			quotient = true
		}
	}
	if !quotient {
		return v, nil
	}
	for _, f := range factors {
		if f.number < 0 {
			d := repeat(semiring.ScaledFloat.Mul, e.values[f.of], -f.number)
			if d.Mant == 0 {
				return nan, ErrDivision
			}
			v = v.Div(d)
		}
	}
	return v, nil
}

func (e *evaluator) sum(terms []pair) semiring.ScaledFloat {
	var v semiring.ScaledFloat
	for _, t := range terms {
		x := e.values[t.of]
		if t.number != 1 {
			x = x.Mul(semiring.NewScaled(float64(t.number)))
		}
		v = v.Add(x)
	}
	return v
}

// maxInaccuracy is the greatest relative error of a star.
const maxInaccuracy = 1e-9

// star returns 1/(1−v). It returns ErrDiverges if 1−v may be 0 up to the given number of
// roundings, and ErrInaccurate if it is not much greater: the errors of n roundings add up to
// about √n times one rounding. A given number has one rounding.
func (e *evaluator) star(v semiring.ScaledFloat, roundings int) (semiring.ScaledFloat, error) {
	if v.IsNaN() {
		return nan, nil
	}
	pivot := unit.Sub(v)
	if pivot.Cmp(semiring.NewScaled(0x1p-50*float64(roundings))) <= 0 {
		return nan, ErrDiverges
	}
	star := unit.Div(pivot)
	if off := inaccuracy(star, roundings); off > maxInaccuracy {
		return nan, fmt.Errorf("%w: by %.2g of a star of %v", semiring.ErrInaccurate, off, v)
	}
	return star, nil
}

// inaccuracy returns the expected relative error of a star whose argument has the given number of
// roundings.
func inaccuracy(star semiring.ScaledFloat, roundings int) float64 {
	return 0x1p-53 * math.Sqrt(float64(roundings-1)) * star.Float64()
}

// RelativeError returns the greatest expected relative error of a star in s, without inherited
// stars. values are values that Evaluate or EvaluateTempered has returned without an error. It
// returns 0 if there are no stars, or only stars of given numbers. It is for callers that have
// another method of summation.
func (s *Space) RelativeError(values []semiring.ScaledFloat) float64 {
	t, _ := s.snapshot()
	worst := 0.0
	for i, n := range t.nodes {
		if n.kind() == star {
			worst = max(worst, inaccuracy(values[int(t.first)+i], t.roundings(W(t.pairsOf(n)[0].of))))
		}
	}
	return worst
}

// Backpropagate is Evaluate in reverse. On entry count[h] is the expected number of traversals of
// the expression h, d ln Z / d ln (value of h); it adds to grad[p] the resulting expected number
// of uses of the parameter p, d ln Z / d ln θ_p. values comes from Evaluate or EvaluateTempered;
// for EvaluateTempered, θ_p means the tempered value of p.
//
// It sweeps the expressions of s without the inherited ones, from the last to the first, and sets
// their counts to 0. Counts of inherited expressions are added to count[:s.Inherited()], so
// counts of several forks can be summed before one sweep of their parent.
//
// Expressions with count 0 cost almost no time, and their values may be NaN. It panics if values
// or count is shorter than Len, or grad too short for a parameter.
func (s *Space) Backpropagate(values []semiring.ScaledFloat, count, grad []float64) {
	t, _ := s.snapshot()
	checkSizes(t.len(), len(values), len(count))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		w := int(t.first) + i
		c := count[w]
		if c == 0 {
			continue
		}
		count[w] = 0
		n := t.nodes[i]
		pairs := t.pairsOf(n)
		switch n.kind() {
		case monomial:
			for _, f := range pairs {
				count[f.of] += c * float64(f.number)
			}
		case param:
			grad[pairs[0].of] += c
		case raised:
			for _, x := range pairs {
				f, _ := powerSlope(values, nil, pairs, x)
				count[x.of] += c * f
			}
		default:
			for _, x := range pairs {
				count[x.of] += c * slope(n.kind(), values, w, x)
			}
		}
	}
}

func checkSizes(n, values, counts int) {
	if values < n || counts < n {
		panic(fmt.Sprintf("expr: %d values and %d counts for %d expressions", values, counts, n))
	}
}

// Tangents returns the derivatives of the values of all expressions along a direction of the
// parameters: dst[h] = d ln (value of h) if ln θ_p grows by direction[p] for each p. values comes
// from EvaluateTempered with the same beta, or from Evaluate with beta = 1; θ_p means the
// tempered value of p. An expression with value 0 has the tangent 0, which is correct unless
// constants are negative. An expression with value NaN has the tangent NaN.
//
// Like Evaluate, it appends to dst: for a fork of s, start from the tangents of s. It takes time
// linear in the size of the new part. It panics if values is shorter than Len, or direction too
// short for a parameter.
func (s *Space) Tangents(dst []float64, values []semiring.ScaledFloat, direction []float64, beta float64) []float64 {
	t, _ := s.snapshot()
	dst = slices.Grow(dst, max(0, t.len()-len(dst)))
	for _, layer := range t.layers() {
		for w := len(dst); w < layer.len(); w++ {
			n := layer.nodes[w-int(layer.first)]
			sum := 0.0
			switch {
			case n.kind() == param:
				sum = direction[layer.pairsOf(n)[0].of]
			case values[w].IsNaN():
				sum = math.NaN()
			case values[w].IsZero():
			case n.kind() == raised:
				pairs := layer.pairsOf(n)
				for _, x := range pairs {
					f, _ := powerSlope(values, nil, pairs, x)
					sum += f * dst[x.of]
				}
			default:
				for _, x := range layer.pairsOf(n) {
					sum += slope(n.kind(), values, w, x) * dst[x.of]
				}
				switch n.kind() {
				case plainLeaf:
					sum /= beta
				case whole:
					sum *= beta
				}
			}
			dst = append(dst, sum)
		}
	}
	return dst
}

// Dual holds numbers and their derivatives along a direction.
type Dual struct{ Value, Change []float64 }

// BackpropagateAlong is Backpropagate with derivatives along a direction; tangents is the result
// of Tangents for the direction. On entry count.Change[h] is the derivative of count.Value[h].
// Besides adding to grad.Value, it adds the derivative of the addend to grad.Change. Let counts
// be the expected uses of expressions, with changes from a covariance (see
// batch.Batch.HessianVector). Then grad.Change grows by the product of the direction and the
// second derivatives of ln Z by ln θ (reverse over forward differentiation). It takes about twice
// as long as Backpropagate.
func (s *Space) BackpropagateAlong(values []semiring.ScaledFloat, tangents []float64, count, grad Dual) {
	t, _ := s.snapshot()
	checkSizes(t.len(), len(values), len(count.Value))
	checkSizes(t.len(), len(tangents), len(count.Change))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		w := int(t.first) + i
		c, d := count.Value[w], count.Change[w]
		if c == 0 && d == 0 {
			continue
		}
		count.Value[w], count.Change[w] = 0, 0
		n := t.nodes[i]
		pairs := t.pairsOf(n)
		if n.kind() == param {
			grad.Value[pairs[0].of] += c
			grad.Change[pairs[0].of] += d
			continue
		}
		if n.kind() == raised {
			for _, x := range pairs {
				f, change := powerSlope(values, tangents, pairs, x)
				count.Value[x.of] += c * f
				count.Change[x.of] += d*f + c*change
			}
			continue
		}
		for _, x := range pairs {
			f := slope(n.kind(), values, w, x)
			bend := 0.0 // d ln f
			switch n.kind() {
			case sum:
				bend = tangents[x.of] - tangents[w]
			case star:
				bend = tangents[x.of] + tangents[w]
			}
			count.Value[x.of] += c * f
			count.Change[x.of] += (d + c*bend) * f
		}
	}
}

// slope returns d ln (value of w) / d ln (value of x), where w has the kind k and x is one of its
// parts; a part may occur more than once. The factors 1/β of plain and β of whole expressions are
// omitted because they cancel.
func slope(k kind, values []semiring.ScaledFloat, w int, x pair) float64 {
	switch k {
	case sum:
		return float64(x.number) * values[x.of].Div(values[w]).Float64()
	case star: // v·v*
		return values[x.of].Mul(values[w]).Float64()
	}
	return float64(x.number)
}
