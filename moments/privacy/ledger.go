package privacy

import (
	"maps"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/internal/nested"
)

// Sequential returns the privacy loss of releases about the same person: the sum,
// rounded up.
func Sequential(losses ...float64) float64 {
	sum := 0.0
	for _, x := range losses {
		sum = sumAbove(sum, x)
	}
	return sum
}

// Parallel returns the privacy loss of releases about different people, if the releases about one
// person are independent of the others: the largest.
func Parallel(losses ...float64) float64 {
	most := 0.0
	for _, x := range losses {
		most = max(most, x)
	}
	return most
}

// Ledger accounts for the releases about many people, each identified by a key. Releases about one
// person compose sequentially, and releases about different people in parallel. It keeps every
// person's loss within the budget. It may be used concurrently.
//
// Keys must equal themselves. NaN does not, nor does a struct, an array or an interface that
// contains NaN: the loss of such a person could never be looked up.
//
// NewLedger returns a ledger in memory, OpenLedger a ledger in a file.
type Ledger[K comparable] struct {
	budget float64
	mu     sync.Mutex
	spent  map[K]float64
	enter  func(person K, loss float64) error // stores an entry in the file; nil: in memory only
	close  func() error
}

// NewLedger returns a ledger without releases. The error wraps ErrInvalid unless the
// budget is a positive number.
func NewLedger[K comparable](budget float64) (*Ledger[K], error) {
	if !(budget > 0) || math.IsInf(budget, 1) {
		return nil, nested.Errorf("privacy: %w: a budget of %g, want a positive number", ErrInvalid, budget)
	}
	return &Ledger[K]{budget: budget, spent: map[K]float64{}}, nil
}

// Spent returns the privacy loss of one person.
func (l *Ledger[K]) Spent(person K) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent[person]
}

// Loss returns the privacy loss of all releases together: the largest loss of a person.
func (l *Ledger[K]) Loss() float64 { return Composed(l) }

// Composed returns the privacy loss of all releases in several ledgers. Releases about one person
// compose sequentially, across all ledgers, and releases about different people in parallel.
func Composed[K comparable](ledgers ...*Ledger[K]) float64 {
	spent := map[K]float64{}
	for _, l := range ledgers {
		l.mu.Lock()
		for person, x := range l.spent {
			spent[person] = Sequential(spent[person], x)
		}
		l.mu.Unlock()
	}
	return Parallel(slices.Collect(maps.Values(spent))...)
}

// Spend releases a record about a person and enters its loss into the ledger. With a ledger in a
// file, Spend waits until the entry is on disk before it returns the record. The error wraps
// ErrBudget if the person's loss would exceed the budget, and ErrInvalid for a key that does not
// equal itself; other errors come from m.Release or the file. After an error there is no release
// and no entry.
func Spend[K comparable, D any](l *Ledger[K], person K, m Mechanism[D], data D, source *Source) (Record, error) {
	if !itself(person, person) {
		return Record{}, nested.Errorf("privacy: %w: the person's key %v does not equal itself, so a ledger cannot find its entries; use another key, such as a name or a number without NaN", ErrInvalid, person)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	loss := Sequential(l.spent[person], m.Loss())
	if !(loss <= l.budget) {
		return Record{}, nested.Errorf("privacy: %w: %g for this release and %g before, of %g", ErrBudget, m.Loss(), l.spent[person], l.budget)
	}
	r, err := m.Release(data, source)
	if err != nil {
		return Record{}, err
	}
	if l.enter != nil {
		if err := l.enter(person, m.Loss()); err != nil {
			return Record{}, err
		}
	}
	l.spent[person] = loss
	return r, nil
}

// itself reports whether two values of one key are equal.
func itself[K comparable](a, b K) bool { return a == b }

// Close closes the file of a ledger; afterwards Spend returns an error. It has no effect on a
// ledger in memory.
func (l *Ledger[K]) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.close == nil {
		return nil
	}
	return l.close()
}
