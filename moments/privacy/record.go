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
	// differs says what the mechanism and another do not have in common, "" if records
	// of both are equally distributed for all data and mean the same.
	differs(from observer) string
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
// ErrInvalid if there are no records, or one that no mechanism released, or if they are of
// mechanisms that differ in anything: dimension, kind, domain, groups or probabilities.
func Mean(records []Record) (mean, stderr []float64, err error) {
	if err := alike(records); err != nil {
		return nil, nil, err
	}
	n := float64(len(records))
	// Sums and squares are of fractions of a power of two above all observations: they
	// neither overflow nor vanish, and are otherwise exact.
	exponent := make([]int, records[0].by.Dim())
	largest := make([]float64, len(exponent))
	each(records, func(j int, x float64) { largest[j] = max(largest[j], math.Abs(x)) })
	for j, x := range largest {
		_, exponent[j] = math.Frexp(x)
	}
	mean = make([]float64, len(exponent))
	each(records, func(j int, x float64) { mean[j] += math.Ldexp(x, -exponent[j]) })
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
		d := math.Ldexp(x, -exponent[j]) - mean[j]
		stderr[j] += d * d
		zeros[j]--
	})
	for j, m := range mean {
		mean[j] = math.Ldexp(m, exponent[j])
		stderr[j] = math.Ldexp(math.Sqrt((stderr[j]+zeros[j]*m*m)/n/(n-1)), exponent[j])
		if n == 1 {
			stderr[j] = math.Inf(1)
		}
	}
	return mean, stderr, nil
}

// alike returns an error unless there are records, all released by the same mechanism or
// by equal ones.
func alike(records []Record) error {
	if len(records) == 0 {
		return fmt.Errorf("privacy: %w: no record to take the mean of", ErrInvalid)
	}
	known := map[observer]bool{} // to release the same as the first
	for i, r := range records {
		if r.by == nil {
			return fmt.Errorf("privacy: %w: record %d was not released by a mechanism", ErrInvalid, i)
		}
		if known[r.by] {
			continue
		}
		first := records[0].by
		if d, want := r.by.Dim(), first.Dim(); d != want {
			return fmt.Errorf("privacy: %w: record %d is of %d statistics, the first of %d", ErrInvalid, i, d, want)
		}
		if difference := first.differs(r.by); difference != "" {
			return fmt.Errorf("privacy: %w: record %d and the first have %s", ErrInvalid, i, difference)
		}
		known[r.by] = true
	}
	return nil
}

func each(records []Record, add func(j int, x float64)) {
	for i := range records {
		records[i].by.observe(&records[i], add)
	}
}
