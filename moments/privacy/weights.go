package privacy

import (
	"fmt"
	"math"
	"sort"
)

// weights is a distribution of positive integers that sum to one.
type weights struct {
	size []uint64
	end  []uint64 // sum of the sizes up to and with each
}

// newWeights returns the distribution nearest to p, in which the largest probability
// makes up for the rounding of the others; a nil p is uniform.
func newWeights(p []float64, n int) (*weights, error) {
	if p != nil && len(p) != n {
		return nil, fmt.Errorf("%w: %d probabilities for %d outcomes", ErrShape, len(p), n)
	}
	total := 0.0
	for j, x := range p {
		if !(x*one >= 1) || math.IsInf(x, 1) {
			return nil, fmt.Errorf("%w: outcome %d has %g, want at least 2⁻⁶³", ErrProbability, j, x)
		}
		total += x
	}
	if p != nil && math.Abs(total-1) > 1e-9 {
		return nil, fmt.Errorf("%w: the sum is %g, want 1", ErrProbability, total)
	}
	w := &weights{size: make([]uint64, n), end: make([]uint64, n)}
	rest, largest := uint64(one), 0
	for j := range w.size {
		w.size[j] = one / uint64(n)
		if p != nil {
			w.size[j] = max(1, uint64(p[j]/total*one))
		}
		rest -= w.size[j] // may wrap around, and back below
		if w.size[j] > w.size[largest] {
			largest = j
		}
	}
	w.size[largest] += rest
	sum := uint64(0)
	for j, s := range w.size {
		sum += s
		w.end[j] = sum
	}
	return w, nil
}

// draw returns an outcome.
func (w *weights) draw(word uint64) int {
	return sort.Search(len(w.end)-1, func(j int) bool { return draw(word, w.end[j]) == 1 })
}
