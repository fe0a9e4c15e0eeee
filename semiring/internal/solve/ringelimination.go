package solve

import (
	"bytes"
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// ringElimination is the closure of rings with Star, their own or by doubling, commutative or
// not. Every component is factored once, following the plan of the topology, and then
// solved for any number of right-hand sides.
//
// In a ring of probabilities that adds, what decides whether a cycle has a sum is
// whether its mass is certainly below 1: before the weights their masses are eliminated.
type ringElimination struct {
	*boxedEngine
	plan    *plan
	factors factors[any]
	done    []bool           // by position of a component's first state: it is factored
	masses  *massElimination // nil unless it is a ring of probabilities that adds
	weights *ringWeights     // nil: not needed yet
	row     []any            // scratch of weights
	sum     any              // scratch
}

func newRingElimination(e *boxedEngine, pl *plan) *ringElimination {
	e.boxWeights()
	n := e.topology.NumStates()
	made := &ringElimination{boxedEngine: e, plan: pl, factors: newFactors[any](pl, n), done: make([]bool, n)}
	if e.mass != nil {
		made.masses = newMassElimination(&e.problem, pl, func(arc int32) semiring.ScaledFloat { return e.mass.Of(e.weight[arc]) })
	}
	return made
}

func (e *ringElimination) forward(lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	solveForward(e.plan, &e.factors, e.products, e.x, &e.sum, lo, hi)
	return nil
}

func (e *ringElimination) backward(lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	solveBackward(e.plan, &e.factors, e.products, e.x, &e.sum, lo, hi)
	return nil
}

// factor computes the factors of the component at positions lo … hi−1, unless
// they are there.
func (e *ringElimination) factor(lo, hi int) error {
	if e.done[lo] {
		return nil
	}
	if err := semiring.RequireSide(e.ring, semiring.BothSides); err != nil {
		return nested.Errorf("graph: %w", err)
	}
	if e.masses != nil {
		// A weight without a mass that the ring could tell, a negative one perhaps, leaves the
		// decision to its Star.
		bound, known, err := e.masses.run(lo, hi)
		if err != nil && known {
			return err
		}
		if err := e.inaccuracy.add(bound, e.plan.order[lo], lo, hi); err != nil {
			return err
		}
	}
	err := e.eliminate(lo, hi)
	e.done[lo] = err == nil
	return err
}

// eliminate is factor for the weights themselves.
func (e *ringElimination) eliminate(lo, hi int) error {
	if e.weights == nil {
		e.weights, e.row = newRingWeights(e.boxedEngine), rows.Filled(e.topology.NumStates(), e.zero)
	}
	w := e.weights
	w.err, w.in = nil, insideOf(&e.problem, e.plan, lo, hi)
	at, ok, err := eliminate(e.plan, lo, hi, w, &e.factors, e.row, workload{interrupted: e.interrupted})
	switch {
	case err != nil:
		return err
	case w.err != nil:
		return w.err
	case !ok:
		return diverges(e.plan.order[at], lo, hi, w.refusal(e.row[at]))
	}
	return nil
}

// ringWeights are the arithmetic of a ring.
type ringWeights struct {
	e        *boxedEngine
	in       inside
	closed   semiring.Closed[any]   // nil: the ring has no Star
	distance func(a, b any) float64 // nil unless stars are by doubling
	missing  error                  // why it has neither that nor distances
	err      error                  // missing, once it mattered
	last     float64                // distance of the last step of the latest star
}

func newRingWeights(e *boxedEngine) *ringWeights {
	w := &ringWeights{e: e}
	closed, err := semiring.RequireClosed(e.ring)
	if err == nil {
		w.closed = closed
	} else if w.distance = DistanceOf(e.ring); w.distance == nil {
		w.missing = nested.Errorf("graph: %w, nor Metric or Keyer, nor Laws that say semiring.Bounded", e.noStar())
	}
	return w
}

func (w *ringWeights) zero() any          { return w.e.zero }
func (w *ringWeights) isZero(x any) bool  { return w.e.ring.IsZero(x) }
func (w *ringWeights) times(x, y any) any { return w.e.ring.Times(x, y) }

func (w *ringWeights) addArcs(row []any, s int32) {
	in, ring := &w.in, w.e.ring
	for e := in.row[s]; e < in.row[s+1]; e++ {
		if r := in.position[in.to[e]]; in.lo <= r && r < in.hi {
			weight := w.e.weight[e]
			if in.absent(s, e) {
				weight = w.e.zero
			}
			row[r] = ring.Plus(row[r], weight)
		}
	}
}

func (w *ringWeights) addRow(row []any, at []int32, x any, upper []any) {
	w.e.rows.add(row, at, x, upper)
}

func (w *ringWeights) star(x any) (star any, ok bool) {
	switch {
	case w.isZero(x):
		return w.e.one, true
	case w.missing != nil:
		w.err = w.missing
		return star, false
	case w.closed != nil:
		return w.closed.Star(x)
	}
	star, w.last, ok = doubled(w.e.ring, w.distance, x)
	return star, ok
}

// refusal says why the star of x, which was asked for last, has no value.
func (w *ringWeights) refusal(x any) string {
	if w.closed != nil {
		return fmt.Sprintf("the star of %s has no value", w.e.text(x))
	}
	return undoubled(w.last)
}

const (
	// doublingTolerance is the distance below which the last step of doubling
	// must stay; what is still missing then is about its square.
	doublingTolerance = 1e-12
	// doublingSteps is the limit of its steps: 2⁴⁸ terms.
	doublingSteps = 48
)

// DistanceOf returns how far apart two weights are: by the ring's Metric, or, by its
// Keyer, 0 if they are equal and +Inf if not; nil if it has neither.
func DistanceOf[W any](ring semiring.Semiring[W]) func(a, b W) float64 {
	if metric, ok := semiring.As[semiring.Metric[W]](ring); ok {
		return metric.Dist
	}
	keyer, ok := semiring.As[semiring.Keyer[W]](ring)
	if !ok {
		return nil
	}
	var x, y []byte
	return func(a, b W) float64 {
		x, y = keyer.AppendKey(x[:0], a, 0), keyer.AppendKey(y[:0], b, 0)
		if bytes.Equal(x, y) {
			return 0
		}
		return math.Inf(1)
	}
}

// doubled returns the star of a for a ring that has none but can measure distances: the
// fixpoint of x = 1̄ ⊕ a ⊗ x by an iteration that doubles the number of terms in
// every step, Σ_{n<2m} aⁿ = (1̄ ⊕ aᵐ) ⊗ Σ_{n<m} aⁿ. A sum of 1/ε terms of like size
// takes log₂(1/ε) steps.
//
// It ends once a step has gone no farther than doublingTolerance, and is false if none of
// doublingSteps does or a distance is not a number; last is how far the last one went.
func doubled[W any](ring semiring.Semiring[W], distance func(a, b W) float64, a W) (star W, last float64, ok bool) {
	sum := ring.One()
	for range doublingSteps {
		more := ring.Plus(sum, ring.Times(a, sum))
		last = distance(sum, more)
		a = ring.Times(a, a)
		if last <= doublingTolerance {
			// A single term more must not matter either: −1 + 1 − 1 + … does.
			if last = distance(more, ring.Plus(more, a)); last <= doublingTolerance {
				return more, last, true
			}
		}
		if last != last {
			break
		}
		sum = more
	}
	return sum, last, false
}

// undoubled says why a star by doubling, whose last step went so far, has no value.
func undoubled(last float64) string {
	return fmt.Sprintf("the last of at most %d doublings of the terms went as far as %g, more than %g",
		doublingSteps, last, doublingTolerance)
}
