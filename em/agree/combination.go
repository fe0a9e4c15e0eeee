package agree

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Likelihood returns the log likelihood of a submodel by itself, Σ ln Z, for training it alone or
// as a term of Independent, DomainApproximate or ParameterApproximate. If the policy is em.Skip,
// examples without a derivation are left out; under em.Fail they are errors.
//
// The error wraps em.ErrInvalid: no examples, an invalid weight or policy.
func Likelihood(policy em.Policy, s Submodel) (em.Likelihood, error) {
	return newCombination(policy, []Submodel{s}, rule{name: "own", temperature: 1, share: 1, scale: 1})
}

// Averaged returns parameter-approximate product EM with averaged statistics, with which Liang,
// Klein and Jordan 2007 trained phylogenetic models. Each submodel takes the M-th power of its
// own weights, over the structures that all submodels allow. Each counts by the average of the M
// posteriors of the features. The objective is the same as ParameterApproximate's. It may fall,
// because a submodel's statistics come in part from other submodels (see em.Heuristic).
//
// An example without a derivation in one submodel is left out of all. Errors are the errors of
// Likelihood, and submodels with other Params or examples. An E step fails if the submodels have
// different features for an example. For a query with a Tangent it returns an error that wraps
// semiring.ErrCapability.
func Averaged(policy em.Policy, submodels ...Submodel) (em.Likelihood, error) {
	return newCombination(policy, submodels, rule{
		name: "average", temperature: float64(len(submodels)), share: 1 / float64(len(submodels)), scale: 1, combine: average})
}

// ProductOfPosteriors returns the heuristic of Liang, Taskar and Klein 2006. Each submodel makes
// its own E step, over its own structures. All submodels count by the product of the M posteriors
// of each feature; only the M step normalizes this product. The heuristic is not known to climb
// any objective (see em.Heuristic); it reports the objective of Independent. If one submodel
// gives a feature posterior 0, its product is 0 for all.
//
// Errors are as in Averaged.
func ProductOfPosteriors(policy em.Policy, submodels ...Submodel) (em.Likelihood, error) {
	return newCombination(policy, submodels, rule{name: "product", temperature: 1, share: 1, scale: 1, combine: product})
}

// rule is a way of combining submodels. Its objective is share · Σ_m ln Σ p_m^temperature.
type rule struct {
	name        string
	temperature float64
	share       float64
	// scale multiplies the weight of an example when it is counted.
	scale float64
	// combine sets dst to the expectations to count; if it is nil, each submodel counts its own.
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
	divisible
	*corpus
}

// divisible is the likelihood that em.Sharded makes of a combination.
type divisible interface {
	em.Excluder
	em.Divisible
}

// Heuristic reports whether c combines the expectations of several submodels.
func (c combination) Heuristic() bool { return c.combine != nil && len(c.submodels) > 1 }

// emptyTally is an em.Sharded.Open that leaves the tally of a shard empty: inferences drain sparse
// counts, and a vector of zeros would take a pass over all parameters in each shard.
func emptyTally[W any](context.Context, *W, em.Query, int, *em.Tally) error { return nil }

func newCombination(policy em.Policy, submodels []Submodel, r rule) (em.Likelihood, error) {
	if policy != em.Fail && policy != em.Skip {
		return nil, nested.Errorf("agree: %w: unknown policy %d", em.ErrInvalid, policy)
	}
	if err := alike(submodels); err != nil {
		return nil, nested.Errorf("agree: %w", err)
	}
	c := newCorpus(policy, submodels, r)
	sharded := em.Sharded[em.Query, worker]{
		Package:     "agree",
		Params:      submodels[0].Params(),
		Cut:         c.cut,
		Fingerprint: c.fingerprint,
		Viterbi:     true,
		Tempered:    true,
		Underivable: policy,
		Begin:       c.begin,
		NewWorker:   c.hire,
		Weight:      c.weight,
		Name:        c.exampleName,
		Open:        emptyTally[worker],
		Sum:         c.sum,
		Drain:       func(w *worker, _ em.Query, shard int, a *em.Tally) error { return c.drain(w, shard, a) },
		Finish: func(_ em.Query, e *em.Expectations) error {
			e.LogLikelihood *= r.share
			return nil
		},
	}
	return combination{sharded.Excluder().(divisible), c}, nil
}

// alike returns an error unless the submodels have the same parameters and examples.
func alike(submodels []Submodel) error {
	if len(submodels) == 0 {
		return fmt.Errorf("%w: no submodels", em.ErrInvalid)
	}
	for m, s := range submodels {
		nonnil.Check("agree", fmt.Sprintf("submodel %d", m), s)
	}
	first := submodels[0]
	if err := em.CheckWeights(first.Examples(), first.Example); err != nil {
		return err
	}
	for m, s := range submodels {
		if s.Params() != first.Params() {
			return fmt.Errorf("%w: submodels 0 and %d have different em.Params, want one for all", em.ErrInvalid, m)
		}
		if s.Examples() != first.Examples() {
			return fmt.Errorf("%w: submodel %d has %d examples, submodel 0 has %d", em.ErrInvalid, m, s.Examples(), first.Examples())
		}
		for i := range s.Examples() {
			if x, y := s.Example(i), first.Example(i); x.Weight != y.Weight {
				return fmt.Errorf("%w: %v has weight %g in submodel %d and %g in submodel 0, want the same", em.ErrInvalid, x, x.Weight, m, y.Weight)
			}
		}
	}
	return nil
}

// weights returns the weights of the examples, or nil if all are 1.
func weights(s Submodel) []float64 {
	var all []float64
	for i := range s.Examples() {
		w := s.Example(i).Weight
		if w != 1 && all == nil {
			all = slices.Repeat([]float64{1}, s.Examples())
		}
		if all != nil {
			all[i] = w
		}
	}
	return all
}

// cut returns the division of the submodels' examples into shards.
func cut(submodels []Submodel) em.Cut {
	var costed []Costed
	for _, s := range submodels {
		if c, ok := s.(Cutter); ok {
			return c.Cut()
		}
		if c, ok := s.(Costed); ok {
			costed = append(costed, c)
		}
	}
	n := submodels[0].Examples()
	if costed == nil {
		return em.NewCut(n)
	}
	return em.NewCutByCost(n, func(i int) int {
		sum := 0
		for _, c := range costed {
			sum += c.Cost(i)
		}
		return sum
	})
}

// corpus holds the examples of submodels.
type corpus struct {
	rule
	policy    em.Policy
	submodels []Submodel
	weights   []float64 // of the examples; nil: all are 1
	cut       em.Cut
}

// newCorpus returns the examples of submodels that have passed alike.
func newCorpus(policy em.Policy, submodels []Submodel, r rule) *corpus {
	return &corpus{rule: r, policy: policy, submodels: submodels, weights: weights(submodels[0]), cut: cut(submodels)}
}

func (c *corpus) exampleName(i int) string { return c.submodels[0].Example(i).Name }

func (c *corpus) weight(i int) float64 {
	if c.weights == nil {
		return 1
	}
	return c.weights[i]
}

// fingerprint writes the rule and the submodels.
func (c *corpus) fingerprint(w io.Writer) {
	fmt.Fprintf(w, "agree %s %g %g %d %d\n", c.name, c.share, c.temperature, len(c.submodels), c.policy)
	for _, s := range c.submodels {
		s.Fingerprint(w)
		for i := range s.Examples() {
			fmt.Fprintf(w, "%g\n", s.Example(i).Weight)
		}
	}
}

func (c *corpus) begin(q em.Query) (em.Query, error) {
	q.Temperature *= c.temperature
	for m, s := range c.submodels {
		if err := s.Begin(q); err != nil {
			return q, nested.Errorf("agree: submodel %d: %w", m, err)
		}
	}
	return q, nil
}

// worker holds the state of one goroutine.
type worker struct {
	inferences []Inference // per submodel
	features   [][]float64 // per submodel
	mu         []float64
}

func (c *corpus) hire() *worker {
	w := new(worker)
	for _, s := range c.submodels {
		w.inferences = append(w.inferences, s.Infer())
	}
	return w
}

// drain moves the counts of a shard to a. It returns the first error of a Checked inference.
func (c *corpus) drain(w *worker, shard int, a *em.Tally) (err error) {
	for m, inference := range w.inferences {
		inference.Drain(a)
		if of, ok := inference.(Checked); ok && err == nil {
			if err = of.Err(); err != nil {
				lo, hi := c.cut.Shard(shard)
				err = nested.Errorf("agree: examples %d to %d: submodel %d: %w", lo, hi-1, m, err)
			}
		}
	}
	return err
}

// sum makes all submodels count example i, and returns the sum of their log likelihoods.
func (c *corpus) sum(w *worker, _ em.Query, i int, weight float64, a *em.Tally) (float64, error) {
	w.features = w.features[:0]
	logLikelihood := 0.0
	for m, inference := range w.inferences {
		p, err := inference.Posterior(i)
		if err != nil {
			return 0, nested.Errorf("submodel %d: %w", m, err)
		}
		a.Arcs += p.Arcs
		w.features = append(w.features, p.Features)
		logLikelihood += p.Total.Log()
	}
	if math.IsInf(logLikelihood, -1) {
		return logLikelihood, nil
	}
	return logLikelihood, c.count(w, weight*c.scale)
}

// count makes all submodels count the current example, whose features are in w.
func (c *corpus) count(w *worker, weight float64) error {
	if c.combine == nil {
		for m, inference := range w.inferences {
			inference.Count(w.features[m], weight)
		}
		return nil
	}
	n := len(w.features[0])
	for m, v := range w.features {
		if len(v) != n {
			return errFeatures(len(v), m, n)
		}
	}
	w.mu = slices.Grow(w.mu[:0], n)[:n]
	c.combine(w.mu, w.features)
	for _, inference := range w.inferences {
		inference.Count(w.mu, weight)
	}
	return nil
}

// errFeatures returns the error for an example with n features in submodel m and want features in
// submodel 0.
func errFeatures(n, m, want int) error {
	return fmt.Errorf("%w: %d features in submodel %d, %d in submodel 0", em.ErrInvalid, n, m, want)
}
