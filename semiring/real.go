package semiring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"example.org/pathsum/internal/text"
)

// Real is the ring of real numbers as float64, + and ×. Long products of probabilities underflow
// in it; Scaled does not, at nearly the same speed.
//
// Star(a) is 1/(1−a) if 1−a > 4·2⁻⁵², else false. So with weights ≥ 0 no sum diverges without an
// error. For a ≤ −1, where the series 1 + a + a² + … diverges, Star is its analytic continuation:
// the solution of x = 1 + a·x, which elimination needs. Dist is relative: |a−b| / max(|a|, |b|).
type Real struct{}

// Zero returns 0.
func (Real) Zero() float64 { return 0 }

// One returns 1.
func (Real) One() float64 { return 1 }

// Plus returns a + b.
func (Real) Plus(a, b float64) float64 { return a + b }

// Times returns a · b.
func (Real) Times(a, b float64) float64 { return a * b }

// IsZero reports whether a is 0.
func (Real) IsZero(a float64) bool { return a == 0 }

// Star returns 1/(1−a), or false for a ≥ 1, for a so close below 1 that rounding may hide a mass
// of 1 (1−a ≤ 4·2⁻⁵²), and for infinities and NaN.
func (Real) Star(a float64) (float64, bool) {
	if pivot := 1 - a; pivot > minPivot && pivot <= math.MaxFloat64 {
		return 1 / pivot, true
	}
	return 0, false
}

// LDiv returns b/a; false if a is 0 or NaN.
func (Real) LDiv(a, b float64) (float64, bool) {
	if a == 0 || a != a {
		return 0, false
	}
	return b / a, true
}

// RDiv returns LDiv(b, a).
func (Real) RDiv(a, b float64) (float64, bool) { return Real{}.LDiv(b, a) }

// Dist returns |a−b| / max(|a|, |b|), 0 for equal numbers.
func (Real) Dist(a, b float64) float64 { return relativeDistance(a, b) }

// FromLog returns exp(logp); it underflows to 0 below −745.
func (Real) FromLog(logp float64) float64 { return math.Exp(logp) }

// Log returns ln w. A subnormal w is normalized first, since math.Log is wrong for it on some
// processors.
func (Real) Log(w float64) float64 { return NewScaled(w).Log() }

// Laws returns Commutative.
func (Real) Laws() Laws { return Commutative }

// minNormal is the least positive float64 with all its digits.
const minNormal = 0x1p-1022

// InRange reports whether x is finite and either normal, a or b.
func (Real) InRange(x, a, b float64) bool {
	size := math.Abs(x)
	return size <= math.MaxFloat64 && (size >= minNormal || x == a || x == b)
}

// Neg returns −a.
func (Real) Neg(a float64) float64 { return -a }

// AppendKey appends the sign of w and ln|w| rounded to a multiple of delta.
func (Real) AppendKey(dst []byte, w, delta float64) []byte {
	return appendScaledKey(dst, NewScaled(w), delta)
}

// Parse reads a decimal number.
func (Real) Parse(s string) (float64, error) { return parseFloat(s) }

// Format writes the shortest decimal number that Parse reads back.
func (Real) Format(w float64) string { return formatFloat(w) }

// Dot sets *dst to Σ w[k]·x[i].
func (Real) Dot(dst *float64, w []float64, k []int32, x []float64, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	if k == nil {
		*dst = addReal(0, w, x, i, 0, n)
	} else {
		*dst = addRealAt(0, w, k, x, i, 0, n)
	}
}

// Sweep adds Σ w·x[i] over row s to x[s], row by row.
func (Real) Sweep(x []float64, order, row []int32, w []float64, i []int32) {
	for _, s := range rowsOf(order, row) {
		x[s] = addReal(x[s], w, x, i, int(row[s]), int(row[s+1]))
	}
}

// Spread adds x[s]·w to x[i] over row s, row by row.
func (Real) Spread(x []float64, order, row []int32, w []float64, i []int32) {
	w = w[:len(i)]
	for _, s := range rowsOf(order, row) {
		a, hi := x[s], int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			x[i[n]] += a * w[n]
		}
	}
}

// addReal returns z + Σ w[n]·x[i[n]] over lo ≤ n < hi.
func addReal(z float64, w, x []float64, i []int32, lo, hi int) float64 {
	w = w[:len(i)]
	for n := lo; n < hi; n++ {
		z += x[i[n]] * w[n]
	}
	return z
}

// addRealAt returns z + Σ w[k[n]]·x[i[n]] over lo ≤ n < hi.
func addRealAt(z float64, w []float64, k []int32, x []float64, i []int32, lo, hi int) float64 {
	k = k[:len(i)]
	for n := lo; n < hi; n++ {
		z += x[i[n]] * w[k[n]]
	}
	return z
}

// Dot2 sets *dst to Σ w[k]·x[i]·y[j].
func (Real) Dot2(dst *float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	z := 0.0
	for n, in := range i {
		z += w[k[n]] * x[in] * y[j[n]]
	}
	*dst = z
}

// Marginals sets p[n] to a·w[k]·x[i].
func (Real) Marginals(p []float64, a float64, w []float64, k []int32, x []float64, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = a * w[k[n]] * x[in]
	}
}

// Marginals2 sets p[n] to a·w[k]·x[i]·y[j]. The product of the last three factors, which is a
// term of a sum, is computed first.
func (Real) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = a * (w[k[n]] * x[in] * y[j[n]])
	}
}

// Scatter2 adds a·w·x[j] to sum[i] and a·w·x[i] to sum[j].
func (Real) Scatter2(sum []float64, a float64, w, x []float64, i, j []int32) {
	i, j = i[:len(w)], j[:len(w)]
	for n, wn := range w {
		in, jn, t := i[n], j[n], a*wn
		sum[in] += t * x[jn]
		sum[jn] += t * x[in]
	}
}

// Functions shared by the rings over float64.

// minPivot is the least value of 1 − a that has an inverse. Sums such as .7 + .2 + .1 fall short
// of 1 by a few roundings, and a cycle of mass 1 must not be taken for one of mass 1 − 1e-16.
const minPivot = 4 * 0x1p-52

// relativeDistance returns |a−b| / max(|a|, |b|), a Metric: 0 only for equal numbers, at most 2
// for finite ones, +Inf from a finite number to an infinite one.
func relativeDistance(a, b float64) float64 {
	if a == b {
		return 0
	}
	scale := max(math.Abs(a), math.Abs(b))
	if math.IsInf(scale, 1) {
		return math.Inf(1)
	}
	return math.Abs(a/scale - b/scale)
}

// absoluteDistance returns |a−b|, 0 for equal infinities.
func absoluteDistance(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a - b)
}

// appendFloatKey appends eight bytes that identify x rounded to a multiple of delta, or x itself
// if delta is 0 or too fine for x.
func appendFloatKey(dst []byte, x, delta float64) []byte {
	if n := math.Floor(x/delta + 0.5); math.Abs(n) < 1<<53 {
		x = n * delta
	}
	if x != x {
		x = math.NaN() // one NaN for all
	}
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(x+0)) // −0 is 0
}

// parseFloat is strconv.ParseFloat for 64 bits, with error texts for the author of s.
func parseFloat(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return x, fmt.Errorf("number out of range: %s", text.Quote(s))
	case err != nil:
		return 0, fmt.Errorf("%s is not a number", text.Quote(s))
	}
	return x, nil
}

// formatFloat returns the shortest text that parseFloat reads back exactly, with
// infinities in words, as OpenFst writes them.
func formatFloat(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
