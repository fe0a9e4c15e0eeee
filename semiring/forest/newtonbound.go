package forest

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

const (
	// maxInaccuracy is what sums over cycles may be off by, in proportion.
	maxInaccuracy = 1e-9
	// hopeless is the distance at which a bound from above is no longer looked for.
	hopeless = 1e-2
)

// certify proves that x, which Newton's method has come to from below, is the least
// solution of the equations up to a bound. A z above x with F(z) ≤ z is above the least
// solution as well, and F maps what is below z to what is below z. Candidates are
// z = x + ε·F'(x)*·x, which is F(z) = z − ε·x up to terms of second order: ε is many times
// what rounding can have done to a term, so that the proof holds for all weights that
// are as close to the given ones as rounding.
//
// The error wraps semiring.ErrInaccurate if the bound is above maxInaccuracy, and
// semiring.ErrDiverges if there is none: then the sum is not known to exist.
func (q *equations[W]) certify(x []W) error {
	amplified := make([]W, len(q.nodes))
	for i, v := range q.nodes {
		amplified[i] = x[v]
	}
	q.differentiate(x)
	if err := q.path(amplified); err != nil {
		return err
	}
	ratio, doubt := 0.0, q.doubt(x)
	for i, v := range q.nodes {
		if y := q.numbers.Of(x[v]); !y.IsZero() {
			ratio = max(ratio, q.numbers.Of(amplified[i]).Div(y).Float64())
		}
	}
	factor := make([]semiring.ScaledFloat, len(q.factor))
	for n, w := range q.factor {
		factor[n] = q.numbers.Of(w)
	}
	above := make([]semiring.ScaledFloat, len(q.nodes))
	for eps := 4 * doubt; eps*ratio <= hopeless; eps *= 4 {
		e := semiring.NewScaled(eps)
		for i, v := range q.nodes {
			above[i] = q.numbers.Of(x[v]).Add(q.numbers.Of(amplified[i]).Mul(e))
		}
		if !q.bounds(x, factor, above, doubt) {
			continue
		}
		if eps*ratio > maxInaccuracy {
			return nested.Errorf("forest: %w: sums over the derivations of node %d from itself, on a cycle of %d nodes, may be off by %.2g of their value; %.0g is accepted",
				semiring.ErrInaccurate, q.nodes[0], len(q.nodes), eps*ratio, maxInaccuracy)
		}
		return nil
	}
	return nested.Errorf("forest: %w: sums over the derivations of node %d from itself, on a cycle of %d nodes, are so close to growing without limit that there is no bound on them",
		semiring.ErrDiverges, q.nodes[0], len(q.nodes))
}

// doubt returns what rounding may have done to a value of F, in proportion to it.
func (q *equations[W]) doubt(x []W) float64 {
	operations, magnitude := 8, 1.0
	for i, v := range q.nodes {
		edges := int(q.p.topology.edge[v+1] - q.p.topology.edge[v])
		arcs := int(q.c.graph.Row[i+1] - q.c.graph.Row[i])
		operations = max(operations, 8+edges+arcs)
		if !q.numbers.Exact && !q.p.ring.IsZero(x[v]) {
			magnitude = max(magnitude, abs(q.numbers.Of(x[v]).Log())) // logarithms are rounded
		}
	}
	return float64(operations) * magnitude * unit
}

func abs(x float64) float64 { return max(x, -x) }

// bounds reports whether F(z)·(1 + doubt) ≤ z in every component that is in use.
func (q *equations[W]) bounds(x []W, factor, z []semiring.ScaledFloat, doubt float64) bool {
	up := semiring.NewScaled(1 + doubt)
	for i := range q.nodes {
		if !q.use[i] {
			continue
		}
		sum := q.numbers.Of(q.constant(i, x))
		for n := q.c.row[i]; n < q.c.row[i+1]; n++ {
			term := factor[n]
			for a := q.c.arc[n]; a < q.c.arc[n+1]; a++ {
				term = term.Mul(z[q.c.graph.To[a]])
			}
			sum = sum.Add(term)
		}
		if sum.Mul(up).Cmp(z[i]) > 0 {
			return false
		}
	}
	return true
}
