package agree

import (
	"context"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Likelihood returns the log likelihood of a submodel by itself, Σ ln Z, for training
// it alone or as a term of Independent, DomainApproximate or ParameterApproximate. The
// policy says what to do with examples that have no derivation.
//
// The error wraps em.ErrProblem: no examples, an illegal weight or policy.
func Likelihood(policy em.Policy, s Submodel) (em.Likelihood, error) {
	return newCombination(policy, []Submodel{s}, rule{name: "own", temperature: 1, combine: product})
}

// Averaged returns parameter-approximate product EM with averaged statistics, which is
// what Liang, Klein and Jordan 2007 trained phylogenetic models with: each submodel
// takes the M-th power of its own weights, over the structures that all allow, and each
// counts by the average of the M posteriors of the features. The objective is that of
// ParameterApproximate; since a submodel's statistics are in part those of others, it
// may fall (see em.Heuristic).
//
// An example without a derivation in one submodel is left out of all. Errors are those
// of Likelihood, and submodels with other Params or examples. An E step fails if the
// submodels have different features for an example; a Direction is an error that wraps
// semiring.ErrCapability.
func Averaged(policy em.Policy, submodels ...Submodel) (em.Likelihood, error) {
	return newCombination(policy, submodels, rule{name: "average", temperature: float64(len(submodels)), combine: average})
}

// ProductOfPosteriors returns the heuristic of Liang, Taskar and Klein 2006: each
// submodel makes its own E step, over its own structures, and all count by the product
// of the M posteriors of each feature, which is not normalized but by the M step. No
// objective is known that it climbs (see em.Heuristic); that of Independent is
// reported. A feature to which one submodel gives posterior 0 is lost to all.
//
// Errors are those of Averaged.
func ProductOfPosteriors(policy em.Policy, submodels ...Submodel) (em.Likelihood, error) {
	return newCombination(policy, submodels, rule{name: "product", temperature: 1, combine: product})
}

// rule says how submodels are combined; 1/temperature · Σ_m ln Σ p_m^temperature is
// reported.
type rule struct {
	name        string
	temperature float64
	// combine sets dst to the expectations that are counted.
	combine func(dst []float64, mu [][]float64)
}

func average(dst []float64, mu [][]float64) {
	clear(dst)
	for _, v := range mu {
		floats.Add(dst, v)
	}
	floats.Scale(1/float64(len(mu)), dst)
}

func product(dst []float64, mu [][]float64) {
	copy(dst, mu[0])
	for _, v := range mu[1:] {
		floats.Mul(dst, v)
	}
}

// combination is the likelihood of submodels under a rule.
type combination struct {
	rule
	submodels []Submodel
	policy    em.Policy
	size      int // of a shard
	reducer   *em.Reducer[worker, tally]
}

func newCombination(policy em.Policy, submodels []Submodel, r rule) (em.Likelihood, error) {
	bad := func(format string, args ...any) (em.Likelihood, error) {
		return nil, fmt.Errorf("agree: %w: "+format, append([]any{em.ErrProblem}, args...)...)
	}
	if policy != em.Fail && policy != em.Skip {
		return bad("unknown policy %d", policy)
	}
	if len(submodels) == 0 {
		return bad("no submodels")
	}
	for m, s := range submodels {
		nonnil.Check("agree", fmt.Sprintf("submodel %d", m), s)
	}
	first := submodels[0]
	if err := em.CheckWeights(first.Examples(), first.Example); err != nil {
		return nil, fmt.Errorf("agree: %w", err)
	}
	for m, s := range submodels {
		if s.Params() != first.Params() {
			return bad("the parameters of submodel %d are in another table than those of submodel 0", m)
		}
		if s.Examples() != first.Examples() {
			return bad("submodel %d has %d examples, submodel 0 has %d", m, s.Examples(), first.Examples())
		}
		for i := range s.Examples() {
			if x := s.Example(i); x.Weight != first.Example(i).Weight {
				return bad("%v has weight %g in submodel %d and %g in submodel 0, want the same", x, x.Weight, m, first.Example(i).Weight)
			}
		}
	}
	c := &combination{rule: r, submodels: submodels, policy: policy, size: em.ShardSize(first.Examples())}
	c.reducer = em.NewReducer[worker, tally](c.hire)
	return c, nil
}

// Params returns the parameters of all submodels.
func (c *combination) Params() *em.Params { return c.submodels[0].Params() }

// Shards returns the number of shards.
func (c *combination) Shards() int { return (c.submodels[0].Examples() + c.size - 1) / c.size }

// Heuristic reports whether there is anything to combine.
func (c *combination) Heuristic() bool { return len(c.submodels) > 1 }

// Fingerprint writes the rule and the submodels.
func (c *combination) Fingerprint(w io.Writer) {
	fmt.Fprintf(w, "agree %s %d %d\n", c.name, len(c.submodels), c.policy)
	for _, s := range c.submodels {
		s.Fingerprint(w)
		for i := range s.Examples() {
			fmt.Fprintf(w, "%g\n", s.Example(i).Weight)
		}
	}
}

// Expect makes an E step.
func (c *combination) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	return c.ExpectWithout(ctx, q, nil)
}

// ExpectWithout leaves some examples out.
func (c *combination) ExpectWithout(ctx context.Context, q em.Query, without []em.Skipped) (*em.Expectations, error) {
	q, err := q.Complete(c)
	if err != nil {
		return nil, err
	}
	if q.Direction != nil {
		return nil, fmt.Errorf("agree: %w: second derivatives", semiring.ErrCapability)
	}
	q.Temperature *= c.temperature
	for m, s := range c.submodels {
		if err := s.Begin(q); err != nil {
			return nil, fmt.Errorf("agree: submodel %d: %w", m, err)
		}
	}
	var total tally
	total.clear(c.Params().Len())
	err = c.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi, func(w *worker, shard int, a *tally) error {
		a.clear(c.Params().Len())
		return w.visit(shard, without, a)
	}, func(_ int, a *tally) { total.add(a) })
	if err != nil {
		return nil, err
	}
	e := &em.Expectations{LogLikelihood: total.logLikelihood / c.temperature, Counts: total.counts,
		Examples: total.examples, Skipped: total.skipped, Arcs: total.arcs}
	if n := len(e.Skipped); n > 0 && c.policy == em.Fail {
		return nil, fmt.Errorf("agree: %w: %d of %d examples, the first is %v", em.ErrUnderivable, n, e.Examples, e.Skipped[0])
	}
	if math.IsNaN(e.LogLikelihood) || math.IsInf(e.LogLikelihood, 0) {
		return nil, fmt.Errorf("agree: %w: the log likelihood is %g", em.ErrProblem, e.LogLikelihood)
	}
	return e, nil
}
