package em

import (
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/semiring/expr"
)

// Tally is what the examples of a shard contribute to an E step. Its counts are dense or
// sparse. Zeros makes a dense vector, one number for each count; Put and Run append to a
// sparse one, and say where each number belongs; Runs makes all of a sparse one at once.
// What is put or run after any of them is added to what they made. PutAlike keeps counts
// apart, those that several numbers have in common.
type Tally struct {
	// Counts are the expected uses; Curvature, of the same length or empty, are their
	// derivatives where the query asks for them. Zeros and Runs make them, to be filled.
	Counts, Curvature []float64
	// LogLikelihood, Examples, Skipped, Arcs and Latticeless are as in Expectations.
	LogLikelihood float64
	Examples      int
	Skipped       []Skipped
	Arcs          int64
	Latticeless   int
	// Gap and Bounds are as in Expectations: see Bounded.
	Gap    float64
	Bounds []Bound

	// from says where counts belong. Without it they belong to 0, 1, 2, …; with it
	// Counts[i] is of from[i], or, if there is a row, Counts[row[i]:row[i+1]] are of
	// from[i] and the numbers after it. A number may occur more than once.
	from, row []int32
	borrowed  bool // from and row are the caller's

	alike []alike // added up after Counts
}

// alike are counts of which each belongs to width numbers.
type alike struct {
	from   []int32 // per count, the first number
	counts []float64
	width  int
}

// Zeros makes n zeros of the counts 0 … n−1, and of their derivatives if second is true,
// in place of what the tally counted before.
func (t *Tally) Zeros(n int, second bool) {
	t.forget()
	t.Counts = vector.Zeros(t.Counts, n)
	if second {
		t.Curvature = vector.Zeros(t.Curvature, n)
	}
}

// Runs makes zeros for runs of numbers, in place of what the tally counted before, and of
// their derivatives if second is true: Counts[row[i]:row[i+1]] are the counts from[i] and
// those after it. row begins with 0 and has one entry more than from. Runs may overlap.
// Both slices are only read, until the E step has ended.
func (t *Tally) Runs(from, row []int32, second bool) {
	t.Zeros(int(row[len(from)]), second)
	t.from, t.row, t.borrowed = slices.Clip(from), slices.Clip(row[:len(from)+1]), true
}

// Put appends count to what the tally has of a number, counted from 0. Its derivative is 0.
func (t *Tally) Put(number int32, count float64) {
	t.sparse()
	if len(t.row) > 0 {
		t.row = append(t.row, int32(len(t.Counts)+1))
	}
	t.from = append(t.from, number)
	t.Counts = append(t.Counts, count)
	t.level()
}

// PutAlike adds counts[i] to each of the numbers numbers[i] … numbers[i]+width−1: for models of
// which many parameters at a time, next to each other, are used alike. Derivatives are 0. It
// keeps both slices and returns two others, which are empty, in exchange: a worker fills one
// pair while another is added up, and nothing is copied. The order of what is added to one
// number is that of the calls, after all that is put otherwise. It panics if there are
// fewer counts than numbers.
func (t *Tally) PutAlike(numbers []int32, width int, counts []float64) ([]int32, []float64) {
	n := len(t.alike)
	t.alike = slices.Grow(t.alike, 1)[:n+1]
	before := t.alike[n] // of a shard before
	t.alike[n] = alike{from: numbers, counts: counts[:len(numbers)], width: width}
	return before.from[:0], before.counts[:0]
}

// Run appends counts to what the tally has of the numbers first, first+1, …, and
// curvature, of the same length or empty for zeros, to their derivatives.
func (t *Tally) Run(first int32, counts, curvature []float64) {
	t.sparse()
	if len(t.row) == 0 {
		for i := range int32(len(t.from) + 1) {
			t.row = append(t.row, i)
		}
	}
	if len(curvature) > 0 {
		t.Curvature = append(vector.Pad(t.Curvature, len(t.Counts)), curvature...)
	}
	t.from = append(t.from, first)
	t.Counts = append(t.Counts, counts...)
	t.row = append(t.row, int32(len(t.Counts)))
	t.level()
}

// sparse makes a dense vector the run of its numbers.
func (t *Tally) sparse() {
	if n := len(t.Counts); n > 0 && len(t.from) == 0 {
		t.from, t.row = append(t.from, 0), append(t.row, 0, int32(n))
	}
}

// level appends the derivatives that the last counts came without, if there are any.
func (t *Tally) level() {
	if len(t.Curvature) > 0 {
		t.Curvature = vector.Pad(t.Curvature, len(t.Counts))
	}
}

// Bounded enters lower, the ln of the sum of a part of the derivations of example x, which Sum
// returns, and an upper bound of the ln of the sum of all: +Inf if there is none. The E step
// lists it if list is true, see Query.Bounds.
func (t *Tally) Bounded(x Skipped, lower, upper float64, list bool) {
	upper = max(lower, upper)
	t.Gap += x.Weight * (upper - lower)
	if list {
		t.Bounds = append(t.Bounds, Bound{Part: x.Part, Index: x.Index, Name: x.Name, Weight: x.Weight, Lower: lower, Upper: upper})
	}
}

// Entries yields what t counts, in the order in which it is added up: a run of numbers is
// given by its first, and by the counts of this number and those after it. Curvature is
// empty where all derivatives are 0. A number may come more than once. Both slices are
// valid until the next one, and not modified.
func (t *Tally) Entries() iter.Seq2[int32, expr.Dual] {
	return func(yield func(int32, expr.Dual) bool) {
		part := func(lo, hi int) expr.Dual {
			d := expr.Dual{Value: t.Counts[lo:hi]}
			if len(t.Curvature) > 0 {
				d.Change = t.Curvature[lo:hi]
			}
			return d
		}
		if n := len(t.Counts); n > 0 && len(t.from) == 0 && !yield(0, part(0, n)) {
			return
		}
		for i, from := range t.from {
			lo, hi := i, i+1
			if len(t.row) > 0 {
				lo, hi = int(t.row[i]), int(t.row[i+1])
			}
			if !yield(from, part(lo, hi)) {
				return
			}
		}
		for _, a := range t.alike {
			for i, from := range a.from {
				for k := range a.width {
					if !yield(from+int32(k), expr.Dual{Value: a.counts[i : i+1]}) {
						return
					}
				}
			}
		}
	}
}

// clear empties t, whose slices keep their storage.
func (t *Tally) clear() {
	t.forget()
	t.LogLikelihood, t.Examples, t.Skipped, t.Arcs, t.Latticeless = 0, 0, t.Skipped[:0], 0, 0
	t.Gap, t.Bounds = 0, t.Bounds[:0]
}

// forget empties the counts of t.
func (t *Tally) forget() {
	t.Counts, t.Curvature = t.Counts[:0], t.Curvature[:0]
	t.from, t.row, t.alike = t.from[:0], t.row[:0], t.alike[:0]
	if t.borrowed {
		t.from, t.row, t.borrowed = nil, nil, false
	}
}

// check returns an error if there are more or fewer counts than t says where to add, or
// derivatives although second is false. Counts are added to a vector of the length size.
func (t *Tally) check(size int, second bool) error {
	n := min(len(t.Counts), size)
	switch {
	case len(t.row) > 0:
		n = int(t.row[len(t.row)-1])
	case len(t.from) > 0:
		n = len(t.from)
	}
	d := 0
	if second && len(t.Curvature) > 0 {
		d = n
	}
	if len(t.Counts) != n || len(t.Curvature) != d {
		return fmt.Errorf("%w: a tally of %d counts and %d derivatives, want %d and %d", ErrInvalid, len(t.Counts), len(t.Curvature), n, d)
	}
	return nil
}

// addTo adds t to the sums over all shards, counts multiplied by weight.
func (t *Tally) addTo(e *Expectations, sums expr.Dual, weight float64) {
	t.scatter(sums.Value, t.Counts, weight)
	t.scatter(sums.Change, t.Curvature, weight)
	for _, a := range t.alike {
		a.scatter(sums.Value, weight)
	}
	t.AddTotals(e, 0)
}

// AddTotals adds to e what t has beside counts, as Divisible.Assemble wants it. first is the
// number of examples before those that t numbers from 0.
func (t *Tally) AddTotals(e *Expectations, first int) {
	e.LogLikelihood += t.LogLikelihood
	e.Examples += t.Examples
	for _, x := range t.Skipped {
		x.Index += first
		e.Skipped = append(e.Skipped, x)
	}
	e.Gap += t.Gap
	for _, x := range t.Bounds {
		x.Index += first
		e.Bounds = append(e.Bounds, x)
	}
	e.Arcs += t.Arcs
	e.Latticeless += t.Latticeless
}

// Totals returns what t has beside counts, in storage of its own.
func (t *Tally) Totals() Tally {
	return Tally{LogLikelihood: t.LogLikelihood, Examples: t.Examples, Skipped: slices.Clone(t.Skipped),
		Gap: t.Gap, Bounds: slices.Clone(t.Bounds), Arcs: t.Arcs, Latticeless: t.Latticeless}
}

// scatter adds weight times v to sum, each number where it belongs.
func (t *Tally) scatter(sum, v []float64, weight float64) {
	switch {
	case len(v) == 0:
	case len(t.from) == 0:
		floats.AddScaled(sum[:len(v)], weight, v)
	case len(t.row) == 0:
		for i, from := range t.from {
			sum[from] += weight * v[i]
		}
	default:
		for i, from := range t.from {
			for k, x := range v[t.row[i]:t.row[i+1]] {
				sum[int(from)+k] += weight * x
			}
		}
	}
}

// scatter adds weight times the counts to sum.
func (a alike) scatter(sum []float64, weight float64) {
	counts := a.counts[:len(a.from)]
	switch a.width {
	case 1:
		for i, from := range a.from {
			sum[from] += weight * counts[i]
		}
	case 2:
		for i, from := range a.from {
			c, at := weight*counts[i], sum[from:][:2]
			at[0] += c
			at[1] += c
		}
	default:
		for i, from := range a.from {
			c, at := weight*counts[i], sum[from:][:a.width]
			for k := range at {
				at[k] += c
			}
		}
	}
}

// Accumulator counts what the examples of a shard use where that is little beside all
// there is: a dense vector, and the list of the numbers in it that are not zero. It is a
// sparse accumulator (Gilbert, Moler and Schreiber 1992), of 8 bytes per number and
// goroutine, 16 with derivatives; a model of very many parameters keeps what its shard
// uses in a smaller table of its own. The zero value has room for nothing.
type Accumulator struct {
	counts, curvature []float64 // of all numbers; zero but for those touched
	touched           []int32   // some twice
	dual              bool      // there are derivatives
}

// Grow makes room for the numbers 0 … n−1 and, if second is true, for their derivatives.
// It costs nothing where there is room.
func (a *Accumulator) Grow(n int, second bool) {
	if len(a.counts) < n {
		a.counts = append(a.counts, make([]float64, n-len(a.counts))...)
	}
	if second && len(a.curvature) < n {
		a.curvature = append(a.curvature, make([]float64, n-len(a.curvature))...)
	}
}

// Add adds to the count of a number that there is room for.
func (a *Accumulator) Add(number int32, count float64) {
	if a.counts[number] == 0 {
		a.touched = append(a.touched, number)
	}
	a.counts[number] += count
}

// AddDual adds to the count of a number and to its derivative. There is room for both.
func (a *Accumulator) AddDual(number int32, count, derivative float64) {
	if a.counts[number] == 0 && a.curvature[number] == 0 {
		a.touched = append(a.touched, number)
	}
	a.dual = true
	a.counts[number] += count
	a.curvature[number] += derivative
}

// Drain moves what was added since the last call to t, in the order in which numbers were
// first added to; with derivatives if AddDual was called.
func (a *Accumulator) Drain(t *Tally) {
	for _, k := range a.touched {
		if a.dual {
			t.Curvature = append(vector.Pad(t.Curvature, len(t.Counts)), a.curvature[k])
			a.curvature[k] = 0
		}
		t.Put(k, a.counts[k])
		a.counts[k] = 0
	}
	a.touched, a.dual = a.touched[:0], false
}
