package privacy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
)

// Record is the output of a mechanism. Only mechanisms make records, and a Collector reads them
// after transmission. About the data, a record reveals only its observation, from which its outcome
// can be derived.
type Record struct {
	by      Observer
	index   int
	bits    []uint64
	private bool
}

// Observer is the collector's side of a mechanism for any type of data: it interprets records. The
// observers of this package are RandomizedResponse and GroupRelease.
type Observer interface {
	// Dim returns the number of statistics that a record estimates.
	Dim() int
	// Loss returns the privacy loss of a record.
	Loss() float64
	// Fingerprint identifies the mechanism.
	Fingerprint() Fingerprint

	// statistics describes the estimated statistics: records of two mechanisms can be combined if
	// the descriptions are equal.
	statistics() string
	// observe calls add for each component of β(r) that may not be 0.
	observe(r *Record, add func(j int, x float64))
	// shape returns the number of bits of a record with the given index, and false if the index is
	// out of range.
	shape(index int) (width int, ok bool)
	// cells returns the number of counts that summarize any number of records, and count adds a
	// record to them.
	cells() int
	count(r *Record, cells []int64)
	// values calls add with every observed value of statistic j, and its frequency; all other
	// observations were 0.
	values(cells []int64, add func(j int, x float64, times int64))
	// deviation returns the largest standard deviation of the observation of statistic j over all
	// its values.
	deviation(j int) float64
}

// Fingerprint is a hash of everything that determines the meaning of a record: the kind of
// mechanism, the name φ of the statistics, their domain, the groups, and all probabilities, which
// depend on ε. Equal mechanisms have equal fingerprints, in all processes.
type Fingerprint [16]byte

// String returns the fingerprint in hexadecimal digits.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// identity is the part of a mechanism that holds its fingerprint.
type identity struct{ fingerprint Fingerprint }

// Fingerprint identifies the mechanism.
func (i *identity) Fingerprint() Fingerprint { return i.fingerprint }

// identify computes the fingerprint. Parts are texts, integers and composites of these.
func (i *identity) identify(kind string, parts ...any) {
	sum := sha256.Sum256(fmt.Appendf(nil, "privacy 1 %s %v", kind, parts))
	copy(i.fingerprint[:], sum[:])
}

// Private reports whether the record's randomness was crypto/rand. For a record that was received,
// it is the claim of the sender.
func (r Record) Private() bool { return r.private }

// Loss returns the privacy loss of its mechanism; 0 for the zero Record.
func (r Record) Loss() float64 {
	if r.by == nil {
		return 0
	}
	return r.by.Loss()
}

// Fingerprint returns the fingerprint of its mechanism; zeros for the zero Record.
func (r Record) Fingerprint() Fingerprint {
	if r.by == nil {
		return Fingerprint{}
	}
	return r.by.Fingerprint()
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

// quadratic is the variance of an observation of one statistic, as a function of the position of
// the statistic in its range [lo, hi].
type quadratic struct {
	lo, hi float64
	values []valued
}

// valued is a possible value of an observation, with its probabilities for a statistic at the lower
// and at the upper end of its range; in between they are linear.
type valued struct{ x, atLo, atHi float64 }

func (q *quadratic) add(x, atLo, atHi float64) { q.values = append(q.values, valued{x, atLo, atHi}) }

// deviation returns the root of the largest variance.
func (q *quadratic) deviation() float64 {
	unit := math.Max(math.Abs(q.lo), math.Abs(q.hi)) // squares of multiples below 1 do not overflow
	for _, v := range q.values {
		unit = math.Max(unit, math.Abs(v.x))
	}
	var atLo, atHi float64 // expected squares
	for _, v := range q.values {
		x := v.x / unit
		atLo += v.atLo * x * x
		atHi += v.atHi * x * x
	}
	lo, length := q.lo/unit, q.hi/unit-q.lo/unit
	// atLo + (atHi−atLo)·f − (lo+length·f)² has its maximum over all f at this one.
	f := min(max((atHi-atLo-2*lo*length)/(2*length*length), 0), 1)
	mean := lo + length*f
	return unit * math.Sqrt(max(0, atLo+(atHi-atLo)*f-mean*mean))
}
