package table

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/bayes"
)

// Bins divides numbers into intervals: bin i contains the numbers greater than edge i−1 and at most
// edge i.
type Bins struct {
	Edges []float64 // ascending
}

// EqualFrequency returns at most n bins with about equal numbers of values, ignoring NaN. An edge
// is halfway between two adjacent values. Equal values share a bin, so there may be fewer bins.
// Compute bins from training rows only. The error wraps bayes.ErrInvalid if there are no values,
// one is infinite, or n < 1.
func EqualFrequency(values []float64, n int) (Bins, error) {
	var known []float64
	for i, x := range values {
		if math.IsInf(x, 0) {
			return Bins{}, nested.Errorf("table: %w: value %d is %g", bayes.ErrInvalid, i, x)
		}
		if x == x {
			known = append(known, x)
		}
	}
	if len(known) == 0 || n < 1 {
		return Bins{}, nested.Errorf("table: %w: %d values for %d bins", bayes.ErrInvalid, len(known), n)
	}
	slices.Sort(known)
	var b Bins
	for i := 1; i < n; i++ {
		at := cut(known, (i*len(known)+n/2)/n)
		if at == 0 {
			continue
		}
		edge := known[at-1]/2 + known[at]/2
		if !(edge >= known[at-1] && edge < known[at]) { // rounding
			edge = known[at-1]
		}
		if len(b.Edges) == 0 || edge > b.Edges[len(b.Edges)-1] {
			b.Edges = append(b.Edges, edge)
		}
	}
	return b, nil
}

// cut returns the index nearest to at where a sorted slice can be split between different
// values, 0 if there is none.
func cut(x []float64, at int) int {
	for d := range len(x) {
		for _, i := range []int{at - d, at + d} {
			if i > 0 && i < len(x) && x[i-1] < x[i] {
				return i
			}
		}
	}
	return 0
}

// Of returns the bin of x, which is not NaN.
func (b Bins) Of(x float64) int { return sort.SearchFloat64s(b.Edges, x) }

// States returns names of the bins, such as "≤2.5", "≤7" and ">7".
func (b Bins) States() []string {
	if len(b.Edges) == 0 {
		return []string{"any"}
	}
	var names []string
	for _, e := range b.Edges {
		names = append(names, "≤"+strconv.FormatFloat(e, 'g', -1, 64))
	}
	return append(names, ">"+strconv.FormatFloat(b.Edges[len(b.Edges)-1], 'g', -1, 64))
}
