package nbest

import (
	"context"
	"errors"
)

// ErrUnknown is wrapped by the error of a model for a symbol that it does not know.
var ErrUnknown = errors.New("unknown symbol")

// Candidate is a target string and the logarithm of its probability with the source.
type Candidate struct {
	Target  []int32
	LogProb float64
}

// Predictor is a model of string pairs as a predictor. It may be used by many goroutines.
type Predictor interface {
	// Best returns up to n targets of the source x, the most probable first, each once;
	// none if there is none. The error wraps ErrUnknown if the model does not know a
	// symbol of x, and is that of ctx once that is done.
	Best(ctx context.Context, x []int32, n int) ([]Candidate, error)
	// LogProb returns the logarithm of the probability of a pair, exactly; −Inf for 0.
	LogProb(x, y []int32) (float64, error)
}
