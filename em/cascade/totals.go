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

// Total is the sum of a model over all derivations of an example.
type Total struct {
	// Index is the index of the example, from 0, and Name its name.
	Index int
	Name  string
	// Log is ln of the sum: 0 if the sum is 1, and −Inf if there is no derivation.
	Log float64
}

// String returns the name of the example and the sum.
func (t Total) String() string {
	return fmt.Sprintf("%v sums to %.6g", em.Skipped{Index: t.Index, Name: t.Name}, math.Exp(t.Log))
}

// Totals returns the sums of the model at theta, for each example of data in order. They show
// whether a machine is the distribution that training assumes, and where it is not: a rewrite
// rule with several places to apply sums to more than 1 for some inputs.
//
// For Inputs these are the sums over all outputs: each is 1 in a conditional model. For Outputs
// they are the sums over all inputs. For Data{Examples: make([]Example, 1)} it is the sum over
// all pairs, 1 in a joint model. For Pairs they are the probabilities. For a single machine of a
// cascade, use a Problem of this machine alone.
//
//	for _, total := range must(problem.Totals(ctx, theta, cascade.Inputs("two", "too"))) {
//		if math.Abs(total.Log) > 1e-9 {
//			fmt.Println(total)
//		}
//	}
//
// Parameters have the values of a trained model (em.Params.Estimate). Weights of examples are
// ignored. The error is as in Corpus, or names the first example whose sum diverges
// (semiring.ErrDiverges) or is negative (semiring.ErrNegative), or whose lattice is too large
// (semiring.ErrLimit).
func (p Problem) Totals(ctx context.Context, theta []float64, data Data) ([]Total, error) {
	nonnil.Check("cascade: Totals", "context", ctx)
	data.Pruning, data.CacheBytes = nil, -1 // one pass over whole lattices
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
