package cascade

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Total is what a model sums to over all derivations of an example.
type Total struct {
	// Index is the number of the example, from 0, and Name is what it is called.
	Index int
	Name  string
	// Log is ln of the sum: 0 if that is 1, and −Inf if there is no derivation.
	Log float64
}

// String says which example it is and what the sum is.
func (t Total) String() string {
	return fmt.Sprintf("%v sums to %.6g", em.Skipped{Index: t.Index, Name: t.Name}, math.Exp(t.Log))
}

// Totals returns what the model sums to at theta, for each example of data in its order. It
// shows whether a machine of one's own is the distribution that training takes it for, and
// where it is not: a rewrite rule that may apply here or there has more than 1 for some inputs.
//
// Of Inputs these are the sums over all outputs: each is 1 in a conditional model. Of Outputs
// they are those over all inputs, and Data{Examples: make([]Example, 1)} asks for the sum over
// all pairs, 1 in a joint model. Of Pairs they are the probabilities. For a single machine of a
// cascade, take a Problem of it alone.
//
//	for _, total := range must(problem.Totals(ctx, theta, cascade.Inputs("two", "too"))) {
//		if math.Abs(total.Log) > 1e-9 {
//			fmt.Println(total)
//		}
//	}
//
// Parameters have the values of a trained model (em.Params.Estimate). Weights of examples do not
// matter. The error is as in Corpus, or names the first example whose sum diverges
// (semiring.ErrDiverges) or is negative (semiring.ErrNegative), or whose lattice is too large
// (semiring.ErrLimit).
func (p Problem) Totals(ctx context.Context, theta []float64, data Data) ([]Total, error) {
	nonnil.Check("cascade: Totals", "context", ctx)
	data.Within, data.CacheBytes = nil, -1 // one pass over whole lattices
	examples := make([]Example, len(data.Examples))
	for i, x := range data.Examples {
		x.Weight = em.Multiplicity{}
		examples[i] = x
	}
	if data.Stream == nil {
		data.Examples = examples
	}
	c, err := p.Corpus(data)
	if err != nil {
		return nil, err
	}
	if err := c.Begin(em.Query{Theta: theta}); err != nil {
		return nil, err
	}
	state := c.visits.(*visits)
	state.pass.theta = p.Params.Estimate(theta)
	if state.pass.values, err = state.of.used.Evaluate(nil, state.pass.theta, 1); err != nil {
		return nil, nested.Errorf("cascade: %w", err)
	}
	v, totals := c.Visitor(), make([]Total, len(examples))
	for i, x := range examples {
		if err := ctx.Err(); err != nil {
			return nil, nested.Errorf("cascade: %w", err)
		}
		uses, err := v.Visit(i)
		if err != nil {
			return nil, err
		}
		if uses.Total.Mant < 0 {
			return nil, nested.Errorf("cascade: %w: %v sums to %.6g: a machine has a weight below 0", semiring.ErrNegative, em.Skipped{Index: i, Name: x.Name}, uses.Total.Float64())
		}
		totals[i] = Total{Index: i, Name: x.Name, Log: uses.Total.Log()}
	}
	return totals, nil
}
