package privacy

import "errors"

// What errors of this package wrap. None comes with a record.
var (
	ErrEpsilon     = errors.New("privacy: bad ε")             // not a positive number, or too small for any information
	ErrRange       = errors.New("privacy: bad range")         // missing, empty or not finite, or too long for ε
	ErrOutside     = errors.New("privacy: value outside")     // not in the range, or among the categories, that were declared
	ErrNaN         = errors.New("privacy: value is NaN")      // which no range can confine
	ErrShape       = errors.New("privacy: wrong shape")       // a number of values that does not fit
	ErrSparsity    = errors.New("privacy: too many values")   // above the lower ends of their ranges
	ErrProbability = errors.New("privacy: bad probability")   // not a distribution, or an outcome without probability
	ErrDomain      = errors.New("privacy: other domain")      // statistics of a domain that is not the mechanism's
	ErrMixed       = errors.New("privacy: mixed records")     // of mechanisms that are not the same
	ErrRandomness  = errors.New("privacy: no randomness")     // the source failed
	ErrRecord      = errors.New("privacy: no record")         // a Record that no mechanism released, or none at all
	ErrLimit       = errors.New("privacy: too many outcomes") // to enumerate
	ErrBudget      = errors.New("privacy: budget exceeded")
)
