package em

import "fmt"

// Heuristic is a Likelihood that can be one in name only: its Counts are then not the
// derivatives of its LogLikelihood but what some rule makes of the posteriors. An M
// step may lower the objective of such a likelihood, and Fit does not object; it
// converges where the objective changes by no more than the tolerance. The methods EM,
// Anneal and Stepwise apply, others are an error that wraps ErrMethod.
type Heuristic interface {
	Likelihood
	// Heuristic reports whether that is so.
	Heuristic() bool
}

// Heuristic reports whether one of the two is.
func (d *Difference) Heuristic() bool { return heuristic(d.Plus) || heuristic(d.Minus) }

// heuristic reports whether the counts of l are no derivatives.
func heuristic(l Likelihood) bool {
	h, ok := l.(Heuristic)
	return ok && h.Heuristic()
}

// needsDerivatives returns an error if the counts are not derivatives of the log
// likelihood, or no lower bound that an M step climbs is known.
func (t *trainer) needsDerivatives() error {
	if heuristic(t.likelihood) {
		return fmt.Errorf("em: %v: %w to %T: its counts are not the derivatives of its log likelihood", t.opts.Method, ErrMethod, t.likelihood)
	}
	return nil
}
