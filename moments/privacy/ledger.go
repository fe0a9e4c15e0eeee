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

// Parallel returns the privacy loss of releases about different people, where one's
// say nothing about another: the largest.
func Parallel(losses ...float64) float64 {
	most := 0.0
	for _, x := range losses {
		most = max(most, x)
	}
	return most
}

// Ledger accounts for the releases about many people, each known by a key: those about
// one person compose sequentially, those about different people in parallel. No person's
// loss exceeds the budget. It may be used concurrently.
//
// Keys must equal themselves, as NaN does not, nor a struct, an array or an interface with a
// NaN in it: what was spent on such a person is never found again.
//
// NewLedger makes one in memory, OpenLedger one that is kept in a file.
type Ledger[K comparable] struct {
	budget float64
	mu     sync.Mutex
	spent  map[K]float64
	enter  func(person K, loss float64) error // where it lasts; nil: nowhere
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

// Loss returns the privacy loss of all releases together: the loss of the person who lost
// most.
func (l *Ledger[K]) Loss() float64 { return Composed(l) }

// Composed returns the privacy loss of all releases that several ledgers account for:
// those about one person compose sequentially, whichever ledger has them, and those about
// different people in parallel.
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

// Spend releases a record about a person and enters its loss into the ledger. A ledger in a
// file has the entry on disk before Spend returns the record, which takes as long as the
// disk does. The error wraps ErrBudget if the person's loss would exceed the budget, or
// ErrInvalid for a person whose key does not equal itself, or comes from m.Release or the
// file; then there is no release and no entry.
func Spend[K comparable, D any](l *Ledger[K], person K, m Mechanism[D], data D, source *Source) (Record, error) {
	if !itself(person, person) {
		return Record{}, nested.Errorf("privacy: %w: the person's key %v does not equal itself, so that no ledger finds what was spent; use another key, such as a name or a number without NaN", ErrInvalid, person)
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

// Close closes the file of a ledger; nothing can be spent then. Of a ledger in memory it
// does nothing.
func (l *Ledger[K]) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.close == nil {
		return nil
	}
	return l.close()
}
