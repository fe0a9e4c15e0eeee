package em

import (
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/semiring/expr"
)

// Tally is the contribution of the examples of a shard to an E step. Its counts are dense or
// sparse. Zeros makes a dense vector, with one entry per count. Put and Run append to a
// sparse vector and give the index of each entry; Runs makes a whole sparse vector at once.
// Put and Run can be called after any of them and add to the same counts. PutUniform stores
// counts that several indices share separately.
type Tally struct {
	// Counts are the expected uses; Curvature, of the same length or empty, are their
	// derivatives if the query requests them. Zeros and Runs allocate them for the caller to fill.
	Counts, Curvature []float64
	// LogLikelihood, Examples, Skipped, Arcs and WithoutLattice are as in Expectations.
	LogLikelihood  float64
	Examples       int
	Skipped        []Skipped
	Arcs           int64
	WithoutLattice int
	// Gap and Bounds are as in Expectations: see Bounded.
	Gap    float64
	Bounds []Bound

	// from contains the indices of counts. If it is empty, the indices are 0, 1, 2, …; otherwise
	// Counts[i] has index from[i] or, if row is set, Counts[row[i]:row[i+1]] have the indices
	// from[i], from[i]+1, …. An index may occur more than once.
	from, row []int32
	borrowed  bool // from and row belong to the caller

	alike []alike // added up after Counts
}

// alike contains counts that each apply to width consecutive indices.
type alike struct {
	from   []int32 // per count, the first index
	counts []float64
	width  int
}

// Zeros replaces the counts of the tally by n zeros with the indices 0 … n−1, and the derivatives
// by zeros if second is true.
func (t *Tally) Zeros(n int, second bool) {
	t.forget()
	t.Counts = vector.Zeros(t.Counts, n)
	if second {
		t.Curvature = vector.Zeros(t.Curvature, n)
	}
}

// Runs replaces the counts of the tally by zeros for runs of indices, and the derivatives by
// zeros if second is true: Counts[row[i]:row[i+1]] have the indices from[i], from[i]+1, ….
// row begins with 0 and has one entry more than from. Runs may overlap.
// Both slices are only read, until the E step has ended.
func (t *Tally) Runs(from, row []int32, second bool) {
	t.Zeros(int(row[len(from)]), second)
	t.from, t.row, t.borrowed = slices.Clip(from), slices.Clip(row[:len(from)+1]), true
}

// Put adds count at an index, from 0. Its derivative is 0.
func (t *Tally) Put(number int32, count float64) {
	t.sparse()
	if len(t.row) > 0 {
		t.row = append(t.row, int32(len(t.Counts)+1))
	}
	t.from = append(t.from, number)
	t.Counts = append(t.Counts, count)
	t.level()
}

// PutUniform adds counts[i] to each of the indices numbers[i] … numbers[i]+width−1. It is for
// models that use many runs of adjacent parameters equally. Derivatives are 0. It keeps both slices
// and returns two empty ones in exchange: a worker fills one pair while another is added up,
// without copying. Contributions to an index are added in the order of the calls, after the counts
// of Put and Run. It panics if there are fewer counts than numbers.
func (t *Tally) PutUniform(numbers []int32, width int, counts []float64) ([]int32, []float64) {
	n := len(t.alike)
	t.alike = slices.Grow(t.alike, 1)[:n+1]
	before := t.alike[n] // of an earlier shard
	t.alike[n] = alike{from: numbers, counts: counts[:len(numbers)], width: width}
	return before.from[:0], before.counts[:0]
}

// Run adds counts at the indices first, first+1, …, and
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

// sparse converts a dense vector to a sparse vector with one run.
func (t *Tally) sparse() {
	if n := len(t.Counts); n > 0 && len(t.from) == 0 {
		t.from, t.row = append(t.from, 0), append(t.row, 0, int32(n))
	}
}

// level appends zeros for derivatives that the last counts lack, if the tally has derivatives.
func (t *Tally) level() {
	if len(t.Curvature) > 0 {
		t.Curvature = vector.Pad(t.Curvature, len(t.Counts))
	}
}

// Bounded records bounds of example x: lower is the ln of the sum of a part of the derivations,
// which Sum returns, and upper is an upper bound of the ln of the whole sum, or +Inf. The E step
// lists them if list is true, see Query.Bounds.
func (t *Tally) Bounded(x Skipped, lower, upper float64, list bool) {
	upper = max(lower, upper)
	t.Gap += x.Weight * (upper - lower)
	if list {
		t.Bounds = append(t.Bounds, Bound{Part: x.Part, Index: x.Index, Name: x.Name, Weight: x.Weight, Lower: lower, Upper: upper})
	}
}

// Entries yields the counts of t, in the order in which they are added. A run of indices is
// given by the first index and the counts of the run. Curvature is
// empty if all derivatives are 0. An index may occur more than once. Both slices are
// valid until the next iteration and must not be modified.
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

// clear empties t and keeps the storage of its slices.
func (t *Tally) clear() {
	t.forget()
	t.LogLikelihood, t.Examples, t.Skipped, t.Arcs, t.WithoutLattice = 0, 0, t.Skipped[:0], 0, 0
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

// check returns an error if the number of counts differs from the number of indices, or if t has
// derivatives although second is false. size is the length of the vector to which counts are added.
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

// AddTotals adds everything in t except its counts to e, as Divisible.Assemble requires. first is
// added to the indices of examples in t.
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
	e.WithoutLattice += t.WithoutLattice
}

// Totals returns everything in t except its counts, with its own storage.
func (t *Tally) Totals() Tally {
	return Tally{LogLikelihood: t.LogLikelihood, Examples: t.Examples, Skipped: slices.Clone(t.Skipped),
		Gap: t.Gap, Bounds: slices.Clone(t.Bounds), Arcs: t.Arcs, WithoutLattice: t.WithoutLattice}
}

// scatter adds weight times v to sum at the indices of t.
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

// Accumulator counts the uses of the examples of a shard if they are few compared to all
// counts: a dense vector and a list of its indices that are not zero. It is a
// sparse accumulator (Gilbert, Moler and Schreiber 1992), of 8 bytes per index and
// goroutine, 16 with derivatives. A model of very many parameters uses a smaller table
// for the parameters of its shard. The zero value has no room; call Grow first.
type Accumulator struct {
	counts, curvature []float64 // of all indices; zero unless touched
	touched           []int32   // may contain an index twice
	dual              bool      // there are derivatives
}

// Grow makes room for the indices 0 … n−1 and, if second is true, for their derivatives.
// It returns at once if there is room.
func (a *Accumulator) Grow(n int, second bool) {
	if len(a.counts) < n {
		a.counts = append(a.counts, make([]float64, n-len(a.counts))...)
	}
	if second && len(a.curvature) < n {
		a.curvature = append(a.curvature, make([]float64, n-len(a.curvature))...)
	}
}

// Add adds to the count at an index, for which Grow has made room.
func (a *Accumulator) Add(number int32, count float64) {
	if a.counts[number] == 0 {
		a.touched = append(a.touched, number)
	}
	a.counts[number] += count
}

// AddDual adds to the count at an index and to its derivative. Grow must have made room for both.
func (a *Accumulator) AddDual(number int32, count, derivative float64) {
	if a.counts[number] == 0 && a.curvature[number] == 0 {
		a.touched = append(a.touched, number)
	}
	a.dual = true
	a.counts[number] += count
	a.curvature[number] += derivative
}

// Drain moves the sums since the last call to t, in the order of the first addition to each
// index; with derivatives if AddDual was called.
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
