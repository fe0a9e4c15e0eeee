package privacy

import (
	"fmt"
	"math"
)

// Record is what a mechanism released. Only mechanisms make one. What it tells is its
// observation, from which its outcome can be read, and nothing else.
type Record struct {
	by      observer
	index   int
	bits    []uint64
	private bool
}

// observer is the mechanism that released a record.
type observer interface {
	Dim() int
	Loss() float64
	// observe calls add for each component of β(r) that may not be 0.
	observe(r *Record, add func(j int, x float64))
}

// Private reports whether the record's randomness was crypto/rand.
func (r Record) Private() bool { return r.private }

// Loss returns the privacy loss of its mechanism; 0 for the zero Record.
func (r Record) Loss() float64 {
	if r.by == nil {
		return 0
	}
	return r.by.Loss()
}

// Observation returns β(o), an unbiased estimate of the statistics that the record
// was made from, in their own units: E[β(o) | s] = s. It is nil for the zero Record.
func (r Record) Observation() []float64 {
	if r.by == nil {
		return nil
	}
	b := make([]float64, r.by.Dim())
	r.by.observe(&r, func(j int, x float64) { b[j] = x })
	return b
}

// Mean returns the mean of the records' observations, an unbiased estimate of the mean
// of the statistics, and the standard error of each component as the records show it
// (+Inf for a single record). It takes O(Σ non-zero components) time. The error wraps
// ErrRecord if there are no records, or one that no mechanism released, and ErrShape if
// their dimensions differ.
func Mean(records []Record) (mean, stderr []float64, err error) {
	if len(records) == 0 {
		return nil, nil, fmt.Errorf("%w to take the mean of", ErrRecord)
	}
	for i, r := range records {
		if r.by == nil {
			return nil, nil, fmt.Errorf("%w: record %d was not released by a mechanism", ErrRecord, i)
		}
		if d, want := r.by.Dim(), records[0].by.Dim(); d != want {
			return nil, nil, fmt.Errorf("%w: record %d is of %d statistics, the first of %d", ErrShape, i, d, want)
		}
	}
	n := float64(len(records))
	mean = make([]float64, records[0].by.Dim())
	each(records, func(j int, x float64) { mean[j] += x })
	for j := range mean {
		mean[j] /= n
	}
	// Squares about the mean, of those that may not be 0 and of the others.
	stderr = make([]float64, len(mean))
	zeros := make([]float64, len(mean))
	for j := range zeros {
		zeros[j] = n
	}
	each(records, func(j int, x float64) {
		stderr[j] += (x - mean[j]) * (x - mean[j])
		zeros[j]--
	})
	for j, m := range mean {
		stderr[j] = math.Sqrt((stderr[j] + zeros[j]*m*m) / n / (n - 1))
		if n == 1 {
			stderr[j] = math.Inf(1)
		}
	}
	return mean, stderr, nil
}

func each(records []Record, add func(j int, x float64)) {
	for i := range records {
		records[i].by.observe(&records[i], add)
	}
}
