package expr

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// Backpropagate is Evaluate in reverse. On entry count[h] is the expected number
// of traversals of the expression h, d ln Z / d ln (value of h); it adds to
// grad[p] what follows from it for the parameter p: the expected number of its
// uses, d ln Z / d ln θ_p. values comes from Evaluate or EvaluateTempered; in the
// latter case θ_p means the tempered value of p.
//
// It sweeps the expressions of s itself, from the last to the first, and leaves
// their counts 0. What flows into the inherited ones is added to
// count[:s.Inherited()], so that counts of several forks can be added up before
// their parent is swept once.
//
// Expressions with the count 0 cost next to nothing, and their values may be
// NaN. It panics if values or count is shorter than Len, or grad too short for a
// parameter.
func (s *Space) Backpropagate(values []semiring.ScaledFloat, count, grad []float64) {
	t, _ := s.snapshot()
	checkSizes(t.len(), len(values), len(count))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		w := int(t.first) + i
		c := count[w]
		if c == 0 {
			continue
		}
		count[w] = 0
		n := t.nodes[i]
		pairs := t.pairsOf(n)
		switch n.kind() {
		case monomial:
			for _, f := range pairs {
				count[f.of] += c * float64(f.number)
			}
		case param:
			grad[pairs[0].of] += c
		default:
			for _, x := range pairs {
				count[x.of] += c * slope(n.kind(), values, w, x)
			}
		}
	}
}

func checkSizes(n, values, counts int) {
	if values < n || counts < n {
		panic(fmt.Sprintf("expr: %d values and %d counts for %d expressions", values, counts, n))
	}
}
