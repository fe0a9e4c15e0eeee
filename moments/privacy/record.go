package privacy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
)

// Record is what a mechanism released. Only mechanisms make one, and a Collector reads it
// where it was sent to. What it tells is its observation, from which its outcome can be
// read, and nothing else.
type Record struct {
	by      Observer
	index   int
	bits    []uint64
	private bool
}

// Observer is the collector's side of a mechanism, whatever its data are: it knows what
// records mean. Those of this package are RandomizedResponse and GroupRelease.
type Observer interface {
	// Dim returns the number of statistics that a record estimates.
	Dim() int
	// Loss returns the privacy loss of a record.
	Loss() float64
	// Fingerprint tells the mechanism from all others.
	Fingerprint() Fingerprint

	// statistics says what is estimated: records of two mechanisms belong together if
	// they say the same.
	statistics() string
	// observe calls add for each component of β(r) that may not be 0.
	observe(r *Record, add func(j int, x float64))
	// shape returns how many bits a record of that index has, and false if there is no
	// such index.
	shape(index int) (width int, ok bool)
	// cells returns the number of counts that any number of records amount to, and count
	// adds a record to them.
	cells() int
	count(r *Record, cells []int64)
	// values calls add with every number that was statistic j's observation, and how
	// often; the other observations were 0.
	values(cells []int64, add func(j int, x float64, times int64))
	// deviation returns the largest standard deviation that the observation of statistic
	// j has for any value of it.
	deviation(j int) float64
}

// Fingerprint is a hash of everything that the meaning of a record depends on: the kind of
// mechanism, the name φ of the statistics, their domain, the groups, and all probabilities
// and with them ε. Equal mechanisms have equal fingerprints, in all processes.
type Fingerprint [16]byte

// String returns the fingerprint in hexadecimal digits.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// identity is the part of a mechanism that keeps its fingerprint.
type identity struct{ fingerprint Fingerprint }

// Fingerprint tells the mechanism from all others.
func (i *identity) Fingerprint() Fingerprint { return i.fingerprint }

// identify computes the fingerprint. Parts are text and integers, and what is made of them.
func (i *identity) identify(kind string, parts ...any) {
	sum := sha256.Sum256(fmt.Appendf(nil, "privacy 1 %s %v", kind, parts))
	copy(i.fingerprint[:], sum[:])
}

// Private reports whether the record's randomness was crypto/rand. Of a record that was
// read it is what its sender says.
func (r Record) Private() bool { return r.private }

// Loss returns the privacy loss of its mechanism; 0 for the zero Record.
func (r Record) Loss() float64 {
	if r.by == nil {
		return 0
	}
	return r.by.Loss()
}

// Fingerprint returns that of its mechanism; zeros for the zero Record.
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

// quadratic is the variance of an observation of one statistic, as a function of where in
// its range [lo, hi] the statistic is.
type quadratic struct {
	lo, hi float64
	values []valued
}

// valued is a number that an observation is, with its probabilities for a statistic at
// the lower and at the upper end of its range; in between they are linear.
type valued struct{ x, atLo, atHi float64 }

func (q *quadratic) add(x, atLo, atHi float64) { q.values = append(q.values, valued{x, atLo, atHi}) }

// deviation returns the root of the largest variance.
func (q *quadratic) deviation() float64 {
	unit := math.Max(math.Abs(q.lo), math.Abs(q.hi)) // squares of fractions of it do not overflow
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
