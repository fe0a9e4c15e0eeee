package agree

import (
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Submodel is a model whose posteriors a rule can combine. A hidden structure z of an example has
// features φᶻ(z), with the same indices in all submodels: the links of an alignment, the brackets
// of a tree, the substitutions along its branches. The expectations μ of the features, by the
// posterior of one submodel or by a combination of several, determine the expected uses of each
// shared parameter. A submodel counts its private parameters by its own posterior.
type Submodel interface {
	// Params returns the table of θ, the same for all submodels.
	Params() *em.Params
	// Examples returns the number of examples.
	Examples() int
	// Example returns the index, name and weight of example i. The weight is finite and ≥ 0.
	// Posterior is not called for examples of weight 0.
	Example(i int) em.Skipped
	// Begin begins an E step; q contains θ, temperature and kind. All inferences use them until
	// the next call. No inference is active during the call.
	Begin(q em.Query) error
	// Infer returns a new inference. LoopyBelief calls it before any Begin, to check whether it
	// is Tilted.
	Infer() Inference
	// Fingerprint writes all data that the submodel depends on, so that a checkpoint of another
	// submodel is recognized.
	Fingerprint(w io.Writer)
}

// Costed is a Submodel whose examples have very different costs. Examples are divided into shards
// of equal cost, the sum over all Costed submodels.
type Costed interface {
	Submodel
	// Cost returns the cost of example i, a number ≥ 0: its number of arcs, for instance.
	Cost(i int) int
}

// Cutter is a Submodel that determines the division of its examples into shards. All submodels
// use the division of the first Cutter.
type Cutter interface {
	Submodel
	// Cut returns the division of all examples into shards.
	Cut() em.Cut
}

// Inference holds one goroutine's part of the E steps of a Submodel.
type Inference interface {
	// Posterior returns the expected features and path sum of example i.
	Posterior(i int) (Posterior, error)
	// Count counts weight times the expected uses of the parameters in the example of the last
	// Posterior or Tilt, whose features have the expectations mu. The counts stay in the
	// inference until it is drained.
	Count(mu []float64, weight float64)
	// Drain moves the counts since the last call, from the examples of one shard, to t by
	// em.Tally's Put and Run. t may contain counts already. A submodel of few parameters counts
	// in an em.Accumulator, which does both.
	Drain(t *em.Tally)
}

// Checked is an Inference that checks its counts.
type Checked interface {
	Inference
	// Err returns the error in the counts that Drain moved last, or nil.
	Err() error
}

// Tilted is an Inference that accepts messages about features. LoopyBelief requires it.
type Tilted interface {
	Inference
	// Tilt returns the posterior of example i with each derivation multiplied by exp(Σ
	// field[k]·feature k). Posterior has been called for the example before. Count then uses the
	// tilted posterior. Tilt does not modify field.
	Tilt(i int, field []float64) (Posterior, error)
}

// Posterior is a Submodel's posterior of an example. The weight of each path or tree is raised to
// the power of the query's temperature.
type Posterior struct {
	// Features holds the expected value of each feature of the example, including features for
	// which only other submodels have parameters. It is valid until the next call and not
	// modified.
	Features []float64
	// Total is the path sum. If it is zero, the example has no derivation and Features is
	// ignored.
	Total semiring.ScaledFloat
	// Arcs is the number of arcs visited.
	Arcs int64
}

// Marginal returns the unnormalized posterior of z, the common output string of all cascades,
// under the product of all submodels at theta. Submodel m is problems[m], which observes x[m], as
// in Exact. In the acceptor, z has the weight Π_m p_m(x, z). Divided by the path sum, this is the
// posterior of z given all observations. Package models/nbest finds the best z, from the
// acceptor's Graph and labels.
//
// The errors are the errors of Exact and cascade.Marginal.
func Marginal(x []cascade.Example, theta []float64, problems ...cascade.Problem) (*fst.FST[semiring.ScaledFloat], error) {
	data := make([]cascade.Data, len(x))
	for m, own := range x {
		own.Weight = em.Multiplicity{} // Marginal ignores it
		data[m].Examples = []cascade.Example{own}
	}
	p, all, err := multiplied(data, problems)
	if err != nil {
		return nil, err
	}
	tape := 1 // Y
	if facing(data, problems) {
		tape = cascade.Between(len(problems[0].Stages))
	}
	f, err := cascade.Marginal(p, all.Examples[0], tape, theta)
	if err != nil {
		return nil, nested.Errorf("agree: %w", err)
	}
	return f, nil
}
