package agree

import (
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Submodel is what a rule that combines posteriors needs of a model. A hidden
// structure z of an example has features φᶻ(z), numbered alike by all submodels: the
// links of an alignment, the brackets of a tree, the substitutions along its branches.
// The expectations μ of the features, by the posterior of one submodel or by a
// combination of several, say how often each shared parameter is used. What else a
// submodel has, its private parameters, it counts by its own posterior.
type Submodel interface {
	// Params returns the table of θ, the same for all submodels.
	Params() *em.Params
	// Examples returns the number of examples.
	Examples() int
	// Example returns index, name and weight, a finite number ≥ 0, of example i.
	// Posterior is not asked where the weight is 0.
	Example(i int) em.Skipped
	// Begin begins an E step; q says θ, temperature and kind. All
	// inferences answer by it until the next call; there are none at work meanwhile.
	Begin(q em.Query) error
	// Infer returns a new inference. LoopyBelief calls it before any Begin, to see whether
	// it is Tilted.
	Infer() Inference
	// Fingerprint writes what the submodel is a function of, so that a checkpoint
	// of another one is recognized.
	Fingerprint(w io.Writer)
}

// Costed is a Submodel whose examples differ much in what they cost. Examples are cut into
// shards of the same cost, that of all submodels that say what it is.
type Costed interface {
	Submodel
	// Cost returns what example i costs, a number ≥ 0: its arcs, for instance.
	Cost(i int) int
}

// Cutter is a Submodel that says itself how its examples are cut into shards. All submodels
// are cut as the first that does.
type Cutter interface {
	Submodel
	// Cut returns how as many examples as there are are cut.
	Cut() em.Cut
}

// Inference is one goroutine's part in the E steps of a Submodel.
type Inference interface {
	// Posterior returns what is to be known of example i.
	Posterior(i int) (Posterior, error)
	// Count counts weight times the expected uses of the parameters in the example last
	// asked for, whose features have the expectations mu. The counts stay in the
	// inference until it is drained.
	Count(mu []float64, weight float64)
	// Drain moves what was counted since the last call, those of the examples of a
	// shard, to t, in which there may be more already: by em.Tally's Put and Run. A
	// submodel of few parameters counts in an em.Accumulator, which does both.
	Drain(t *em.Tally)
}

// Checked is an Inference that finds out whether its counts are what they ought to be.
type Checked interface {
	Inference
	// Err returns what was wrong with the counts that Drain moved last, nil for nothing.
	Err() error
}

// Tilted is an Inference that takes in what others say of features: what LoopyBelief needs.
type Tilted interface {
	Inference
	// Tilt returns what is to be known of example i if each derivation is multiplied by
	// exp(Σ field[k]·feature k). The posterior of the example has been asked for before.
	// Count then counts by this one. The field is only read.
	Tilt(i int, field []float64) (Posterior, error)
}

// Posterior is what a Submodel says of an example. The weight of each path or tree is
// raised to the power of the query's temperature.
type Posterior struct {
	// Features holds the expected value of each feature of the example, including
	// those that only other submodels have parameters for. It is valid until the
	// next call and not modified.
	Features []float64
	// Total is the path sum; where it is zero the example has no derivation and
	// Features does not matter.
	Total semiring.ScaledFloat
	// Arcs is the number of arcs visited.
	Arcs int64
}

// Marginal returns what all submodels together say of z, the string that all their cascades
// write, at theta: what the product was trained for. Submodel m is problems[m], which sees x[m],
// as in Exact. In the acceptor, z has the weight Π_m p_m(x, z). Divided by the path sum, that is
// the posterior of z given all that is seen. Package models/nbest finds the best z, by the
// acceptor's Graph and labels.
//
// The errors are those of Exact and cascade.Marginal.
func Marginal(x []cascade.Example, theta []float64, problems ...cascade.Problem) (*fst.FST[semiring.ScaledFloat], error) {
	data := make([]cascade.Data, len(x))
	for m, own := range x {
		own.Weight = em.Multiplicity{} // which does not count
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
