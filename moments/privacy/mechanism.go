package privacy

import (
	"errors"
	"math"
	"math/big"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
)

// Mechanism releases records of data D: Statistics or a category. The mechanisms of this package
// are immutable and may be used concurrently.
type Mechanism[D any] interface {
	// Release draws a record of data from S(o | data). A nil source is crypto/rand.
	Release(data D, source *Source) (Record, error)
	// Outcomes returns all possible records, always in the same order, with their probabilities
	// given data, including probabilities of 0. These records do not count as private.
	Outcomes(data D) ([]Outcome, error)
	// Loss returns the privacy loss ln sup S(o|s)/S(o|s') over all of the
	// mechanism's domain, rounded up.
	Loss() float64
	// Dim returns the number of statistics that a record estimates.
	Dim() int
	// Fingerprint identifies the mechanism.
	Fingerprint() Fingerprint
}

// Outcome is a record with its exact probability.
type Outcome struct {
	Record Record
	P      *big.Rat
}

// Calibration is the method of choosing a mechanism's bits for an ε.
type Calibration int

const (
	// Published is the method of Raghunathan, Frostig, Duchi and Liang 2016. Its bound on the loss
	// counts twice as many differing bits of two people as are possible. So Loss is half of ε for
	// coordinate release, and for per-value response unless statistics are sparse.
	Published Calibration = iota
	// Tight spends all of ε, for less variance.
	Tight
	// Optimized makes the bits of sparse statistics asymmetric, which is best if most statistics
	// are at the lower ends of their ranges. A statistic at the upper end of its range is released
	// as 1 with probability 1/2, and a statistic at the lower end with the least probability that ε
	// allows (optimized unary encoding; Wang, Blocki, Li and Jha 2017). A group must have at least
	// twice as many statistics as Domain.Sparse allows above their lower ends.
	Optimized
)

// String returns the name of c.
func (c Calibration) String() string {
	return named.One(c, "Calibration", "published", "tight", "optimized")
}

// shares returns the number of parts into which ε is divided, and the number of parts in which two
// people can differ. At most sparse of the g statistics of a group are above the lower ends of
// their ranges. The error wraps ErrInvalid if the calibration does not apply to them.
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

// EnumeratedLoss returns ln max S(o|s)/S(o|s') over all outcomes and all pairs s, s' of data,
// rounded up. It returns +Inf if an outcome is possible for one and impossible for another. It uses
// exact arithmetic on all outcomes, and serves to check Loss. The error comes from
// Mechanism.Outcomes, or wraps ErrInvalid without data.
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

// Errors of this package wrap one of these. A function that returns an error returns no record.
var (
	// ErrInvalid: an argument does not meet the requirements in the function's comment, or a value
	// is not in the declared range or categories. Domain.Clip moves values into their ranges.
	ErrInvalid = nested.ErrInvalid
	// ErrBudget: a release would exceed the budget.
	ErrBudget = errors.New("budget exceeded")
	// ErrFormat: the input is not in a format of this package, or is damaged.
	ErrFormat = nested.ErrFormat
)
