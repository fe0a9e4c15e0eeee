package privacy

import (
	"errors"
	"math"
	"math/big"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
)

// Mechanism releases records of data D: Statistics or a category. Those of this package
// do not change and may be used concurrently.
type Mechanism[D any] interface {
	// Release draws a record of data from S(o | data). A nil source is crypto/rand.
	Release(data D, source *Source) (Record, error)
	// Outcomes returns all records that there can be, always in the same order, with
	// their probabilities given data, 0 included. They do not count as private.
	Outcomes(data D) ([]Outcome, error)
	// Loss returns the privacy loss ln sup S(o|s)/S(o|s') over all of the
	// mechanism's domain, rounded up.
	Loss() float64
	// Dim returns the number of statistics that a record estimates.
	Dim() int
	// Fingerprint tells the mechanism from all others.
	Fingerprint() Fingerprint
}

// Outcome is a record with its exact probability.
type Outcome struct {
	Record Record
	P      *big.Rat
}

// Calibration says how a mechanism's bits are chosen for an ε.
type Calibration int

const (
	// Published is as in Raghunathan, Frostig, Duchi and Liang 2016. It bounds the loss as
	// if one person's bits could differ from another's twice as often as they can. So Loss
	// is half of ε for coordinate release, and for per-value response unless statistics
	// are sparse.
	Published Calibration = iota
	// Tight spends all of ε, for less variance.
	Tight
	// Optimized makes the bits of sparse statistics asymmetric, which is best where most
	// are at the lower ends of their ranges: a statistic at the upper end of its range is
	// told as 1 with probability 1/2, one at the lower end as rarely as ε allows (optimized
	// unary encoding; Wang, Blocki, Li and Jha 2017). A group must have at least twice as
	// many statistics as Domain.Sparse allows to be above their lower ends.
	Optimized
)

// String returns what it is called.
func (c Calibration) String() string {
	return named.One(c, "Calibration", "published", "tight", "optimized")
}

// shares returns the number of parts that ε is divided among, and in how many of them two
// people can differ. At most sparse of the g statistics of a group are above the
// lower ends of their ranges. The error wraps ErrInvalid if the calibration is not for them.
func (c Calibration) shares(g, sparse int) (of, spent int, err error) {
	switch c {
	case Published:
		return 2 * min(g, sparse), min(g, 2*sparse), nil
	case Tight:
		return min(g, 2*sparse), min(g, 2*sparse), nil
	case Optimized:
		if g < 2*sparse {
			return 0, 0, nested.Errorf("privacy: %w: optimized bits for a group of %d statistics, %d of them above the lower ends of their ranges: want at most half", ErrInvalid, g, min(g, sparse))
		}
		return sparse, sparse, nil
	}
	return 0, 0, nested.Errorf("privacy: %w: calibration %d", ErrInvalid, c)
}

// EnumeratedLoss returns ln max S(o|s)/S(o|s') over all outcomes and all pairs s, s' of
// data, rounded up; +Inf if an outcome is possible for one and impossible for another.
// It takes exact arithmetic on all outcomes, and is how Loss is checked. The error comes
// from Mechanism.Outcomes, or wraps ErrInvalid without data.
func EnumeratedLoss[D any](m Mechanism[D], data []D) (float64, error) {
	if len(data) == 0 {
		return 0, nested.Errorf("privacy: %w: no data to compare", ErrInvalid)
	}
	var least, most []*big.Rat
	for i, d := range data {
		outcomes, err := m.Outcomes(d)
		if err != nil {
			return 0, nested.Errorf("data %d: %w", i, err)
		}
		if i == 0 {
			least, most = make([]*big.Rat, len(outcomes)), make([]*big.Rat, len(outcomes))
		}
		for k, o := range outcomes {
			if i == 0 || o.P.Cmp(least[k]) < 0 {
				least[k] = o.P
			}
			if i == 0 || o.P.Cmp(most[k]) > 0 {
				most[k] = o.P
			}
		}
	}
	worst := big.NewRat(1, 1)
	for k := range most {
		switch {
		case most[k].Sign() == 0:
			continue // impossible for all
		case least[k].Sign() == 0:
			return math.Inf(1), nil
		}
		if ratio := new(big.Rat).Quo(most[k], least[k]); ratio.Cmp(worst) > 0 {
			worst = ratio
		}
	}
	return logAbove(worst, 1), nil
}

// What errors of this package wrap. None comes with a record.
var (
	// ErrInvalid: an argument is not what the function's comment asks for, or a value is
	// not in the range, or among the categories, that were declared. Domain.Clip makes
	// it fit.
	ErrInvalid = nested.ErrInvalid
	// ErrBudget: a release would exceed the budget.
	ErrBudget = errors.New("budget exceeded")
	// ErrFormat: what was read is not what this package writes, or is damaged.
	ErrFormat = nested.ErrFormat
)
