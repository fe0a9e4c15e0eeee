package em

import (
	"context"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// FreeEnergy returns F[θ, q] = Σ_h q(h)·ln q(h) − Σ_h q(h)·ln P(d, h | θ), in nats and summed
// over the examples times their weights. It equals −ln P(d | θ) plus the divergence of q from the
// posterior at theta, KL(q ‖ P(h | d, θ)) (Neal and Hinton 1998). EM minimizes it: an E step with
// respect to q and an M step with respect to θ.
//
// The distribution q of the hidden variables is the result of the E step q: the posterior at
// q.Theta, which need not be theta, or with the EStep Viterbi all mass on the best derivation
// there. So q may be the posterior of other parameters, of an earlier or later M step, or from
// other data. If q.Theta is theta, the result is minus the log likelihood, with Viterbi minus the
// ln of the best derivation's probability.
//
// Any other q is given by its weights on the graph of an example's derivations. If p is that
// graph with the weights P(d, h | θ), F is graph.KullbackLeibler(q, p) minus the ln of
// graph.PathSum(p), added up over the examples (see the Example); package forest has the same
// for trees. So q may be a factorized posterior or any other approximation.
//
// F is +Inf if a derivation with q > 0 has probability 0 at theta. It does not include the log
// prior. Examples that have no derivation at q.Theta are treated by the likelihood's policy;
// skipped examples do not contribute. FreeEnergy takes one E step.
//
// The error is as of Expect. It wraps ErrMethod if there is no such q: for a
// Difference, a Risk or a Sum that contains one, and for a likelihood that is Heuristic. It also
// wraps ErrMethod for a q.Temperature other than 1 and for part of the shards. It wraps
// ErrParameter for an invalid theta.
func FreeEnergy(ctx context.Context, l Likelihood, theta []float64, q Query) (float64, error) {
	nonnil.Check("em: FreeEnergy", "context", ctx, "likelihood", l)
	p := l.Params()
	if err := p.Check(theta); err != nil {
		return 0, err
	}
	q.Tangent, q.Counts, q.Curvature, q.Weight = nil, nil, nil, 0
	q, err := q.Complete(l)
	if err != nil {
		return 0, err
	}
	refuse := func(why string) (float64, error) {
		return 0, nested.Errorf("em: free energy: %w to %s", ErrMethod, why)
	}
	_, own := l.(maximizer)
	switch {
	case own || heuristic(l):
		return refuse("a likelihood whose counts are not the counts of one distribution")
	case q.Temperature != 1:
		return refuse("a temperature other than 1")
	case q.Lo != 0 || q.Hi != l.Shards():
		return refuse("a part of the shards")
	}
	e, err := l.Expect(ctx, q)
	if err != nil {
		return 0, err
	}
	if e.plus != nil {
		return refuse("a difference")
	}
	values := p.Values(theta)
	for _, g := range p.groups {
		if _, ok := g.law.(Scorer); ok {
			continue
		}
		for i := g.first; i < g.first+g.n; i++ {
			if values[i].IsZero() && e.Counts[i] > negligible {
				return math.Inf(1), nil
			}
		}
	}
	// At q.Theta the expected ln P(d, h) − ln q(h) is the log likelihood, and theta contributes
	// the other terms.
	return p.score(q.Theta, e.Counts) - e.LogLikelihood - p.score(theta, e.Counts), nil
}
