package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// ringWeights is the interface of closures to the weights and sums of a graph over any ring. Each
// method is a loop over arcs, which every package compiles for its types of weights.
type ringWeights struct {
	labels    labels    // nil unless the ring is Ordered
	residuals residuals // nil unless the ring is k-closed and can compare weights
	matrix    func(pl *plan) matrix
	mass      func(arc int32) semiring.ScaledFloat // nil unless the ring has probabilities and adds
}

// weightsOf returns the weights and sums of an engine.
func weightsOf[W any](e *engine[W]) (w ringWeights) {
	w.matrix = func(pl *plan) matrix { return newRingMatrix(e, pl) }
	if order, ok := semiring.As[semiring.Ordered[W]](e.ring); ok {
		w.labels = &ordered[W]{e, order}
	}
	if semiring.LawsOf(e.ring).Has(semiring.KClosed) {
		if distance := DistanceOf(e.ring); distance != nil {
			w.residuals = &relaxed[W]{e: e, distance: distance}
		}
	}
	if weights.Adds(e.ring) {
		prober, _ := semiring.As[semiring.Probabilistic[W]](e.ring)
		w.mass = func(arc int32) semiring.ScaledFloat { return semiring.ScaledFromLog(prober.Log(e.weight[arc])) }
	}
	return w
}

// closeRing selects the closure of a problem over a ring that is not a ring of numbers. The error
// wraps semiring.ErrLimit or comes from interrupted.
func closeRing(p *problem, w ringWeights) error {
	p.use.known()
	switch {
	case w.labels != nil:
		closeByLabels(p, w.labels)
	case w.residuals != nil:
		p.closure = newRelaxation(p, w)
	default:
		pl, err := p.plans.full(p.topology, p.interrupted)
		if err != nil {
			return err
		}
		p.closure = newRingElimination(p, w, pl)
	}
	return nil
}
