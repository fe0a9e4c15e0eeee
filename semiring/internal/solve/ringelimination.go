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
// not. Every component is factored once, by the plan of the topology, and then solved for any
// number of right-hand sides.
//
// In a ring of probabilities that adds, a cycle has a sum if its mass is certainly below 1: the
// masses of the weights are eliminated before the weights.
type ringElimination struct {
	*problem
	plan   *plan
	matrix matrix
	done   []bool           // by position of a component's first state: it has been factored
	masses *massElimination // nil unless the ring has probabilities and adds
}

// matrix are the weights of arcs within components, to be eliminated.
type matrix interface {
	// factor computes the factors of the component at positions lo … hi−1.
	factor(lo, hi int) error
	// solve replaces the sums of that component by the sums over all paths, backward or forward.
	solve(lo, hi int, back bool)
	// require returns an error unless the ring allows elimination.
	require() error
}

func newRingElimination(p *problem, w ringWeights, pl *plan) *ringElimination {
	made := &ringElimination{problem: p, plan: pl, matrix: w.matrix(pl), done: make([]bool, p.topology.NumStates())}
	if w.mass != nil {
		made.masses = newMassElimination(p, pl, w.mass)
	}
	return made
}

func (e *ringElimination) forward(lo, hi int) error  { return e.solve(lo, hi, false) }
func (e *ringElimination) backward(lo, hi int) error { return e.solve(lo, hi, true) }

func (e *ringElimination) solve(lo, hi int, back bool) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	e.matrix.solve(lo, hi, back)
	return nil
}

// factor computes the factors of the component at positions lo … hi−1 on the first call.
func (e *ringElimination) factor(lo, hi int) error {
	if e.done[lo] {
		return nil
	}
	if err := e.matrix.require(); err != nil {
		return err
	}
	if e.masses != nil {
		// If a mass is unknown to the ring, for example because the weight is negative, the Star
		// of the ring decides.
		bound, known, err := e.masses.run(lo, hi)
		if err != nil && known {
			return err
		}
		if err := e.inaccuracy.add(bound, e.plan.order[lo], lo, hi); err != nil {
			return err
		}
	}
	err := e.matrix.factor(lo, hi)
	e.done[lo] = err == nil
	return err
}

// ringMatrix is a matrix over one type of weights, and the arithmetic of its elimination.
type ringMatrix[W any] struct {
	e       *engine[W]
	plan    *plan
	factors factors[W]
	row     []W // scratch of factor
	sum     W   // scratch of solve
	in      inside

	closed   semiring.Closed[W]   // nil: the ring has no Star
	distance func(a, b W) float64 // nil: its stars are not by doubling
	missing  error                // the reason why it has neither
	last     float64              // distance of the last step of the latest star
}

func newRingMatrix[W any](e *engine[W], pl *plan) *ringMatrix[W] {
	n := e.topology.NumStates()
	m := &ringMatrix[W]{e: e, plan: pl, factors: newFactors[W](pl, n), row: rows.Filled(n, e.zero)}
	closed, err := semiring.RequireClosed(e.ring)
	if err == nil {
		m.closed = closed
	} else if m.distance = DistanceOf(e.ring); m.distance == nil {
		m.missing = nested.Errorf("graph: %w, nor Metric or Keyer, nor Laws that say semiring.Bounded", err)
	}
	return m
}

func (m *ringMatrix[W]) require() error {
	if err := semiring.RequireSide(m.e.ring, semiring.BothSides); err != nil {
		return nested.Errorf("graph: %w", err)
	}
	return nil
}

func (m *ringMatrix[W]) solve(lo, hi int, back bool) {
	if back {
		solveBackward(m.plan, &m.factors, m.e.products, m.e.x, &m.sum, lo, hi)
	} else {
		solveForward(m.plan, &m.factors, m.e.products, m.e.x, &m.sum, lo, hi)
	}
}

func (m *ringMatrix[W]) factor(lo, hi int) error {
	m.in = insideOf(&m.e.problem, m.plan, lo, hi)
	at, ok, err := eliminate(m.plan, lo, hi, m, &m.factors, m.row, workload{interrupted: m.e.interrupted})
	switch {
	case ok || err != nil:
		return err
	case m.missing != nil:
		return m.missing
	case m.closed != nil:
		return diverges(m.plan.order[at], lo, hi, fmt.Sprintf("the star of %v has no value", m.row[at]))
	}
	return diverges(m.plan.order[at], lo, hi, undoubled(m.last))
}

// Methods of arithmetic.

func (m *ringMatrix[W]) zero() W         { return m.e.zero }
func (m *ringMatrix[W]) isZero(x W) bool { return m.e.ring.IsZero(x) }
func (m *ringMatrix[W]) times(x, y W) W  { return m.e.ring.Times(x, y) }

func (m *ringMatrix[W]) addArcs(row []W, s int32) {
	in := &m.in
	for e := in.row[s]; e < in.row[s+1]; e++ {
		if r := in.position[in.to[e]]; in.lo <= r && r < in.hi && !in.absent(s, e) {
			row[r] = m.e.ring.Plus(row[r], m.e.weight[e])
		}
	}
}

func (m *ringMatrix[W]) addRow(row []W, at []int32, x W, upper []W) {
	for n, r := range at {
		row[r] = m.e.ring.Plus(row[r], m.e.ring.Times(x, upper[n]))
	}
}

func (m *ringMatrix[W]) star(x W) (star W, ok bool) {
	switch {
	case m.e.ring.IsZero(x):
		return m.e.one, true
	case m.closed != nil:
		return m.closed.Star(x)
	case m.distance != nil:
		star, m.last, ok = doubled(m.e.ring, m.distance, x)
	}
	return star, ok
}

const (
	// doublingTolerance is the bound on the distance of the last step of doubling; the remaining
	// error is about its square.
	doublingTolerance = 1e-12
	// doublingSteps is the limit on the number of steps: 2⁴⁸ terms.
	doublingSteps = 48
)

// DistanceOf returns the distance of two weights by the ring's Metric or, by its Keyer, 0 for
// equal weights and +Inf for others. It returns nil if the ring has neither.
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

// doubled returns the star of a for a ring that has no Star but can measure distances: the
// fixpoint of x = 1̄ ⊕ a ⊗ x by an iteration that doubles the number of terms in every step,
// Σ_{n<2m} aⁿ = (1̄ ⊕ aᵐ) ⊗ Σ_{n<m} aⁿ. A sum of 1/ε terms of similar size takes log₂(1/ε) steps.
//
// It ends after a step of distance at most doublingTolerance. It returns false after
// doublingSteps steps or if a distance is NaN; last is the distance of the last step.
func doubled[W any](ring semiring.Semiring[W], distance func(a, b W) float64, a W) (star W, last float64, ok bool) {
	sum := ring.One()
	for range doublingSteps {
		more := ring.Plus(sum, ring.Times(a, sum))
		last = distance(sum, more)
		a = ring.Times(a, a)
		if last <= doublingTolerance {
			// A single additional term must not matter either: in −1 + 1 − 1 + … it does.
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

// undoubled returns the reason why a star by doubling, with the given last distance, has no
// value.
func undoubled(last float64) string {
	return fmt.Sprintf("the last of at most %d doublings of the terms went as far as %g, more than %g",
		doublingSteps, last, doublingTolerance)
}
