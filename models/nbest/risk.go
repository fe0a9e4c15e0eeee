package nbest

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Loss returns the cost of the answer a if b is right.
type Loss func(a, b []int32) (float64, error)

// Risk is a candidate and its expected loss.
type Risk struct {
	Candidate
	Loss float64
}

// MinimumRisk returns the candidates by their expected loss, the least first. The truth is assumed
// to be one of them, with probability proportional to exp LogProb (Kumar and Byrne 2004). For n
// candidates it computes n² losses. The error comes from loss, or wraps ErrInvalid if a LogProb is
// not finite.
func MinimumRisk(list []Candidate, loss Loss) ([]Risk, error) {
	most := math.Inf(-1)
	for _, c := range list {
		if math.IsInf(c.LogProb, 0) || math.IsNaN(c.LogProb) {
			return nil, nested.Errorf("nbest: %w: candidate %v has ln p %g", ErrInvalid, c.Labels, c.LogProb)
		}
		most = max(most, c.LogProb)
	}
	p, sum := make([]float64, len(list)), 0.0
	for i, c := range list {
		p[i] = math.Exp(c.LogProb - most)
		sum += p[i]
	}
	risks := make([]Risk, len(list))
	for i, a := range list {
		risks[i].Candidate = a
		for j, b := range list {
			x, err := loss(a.Labels, b.Labels)
			if err != nil {
				return nil, err
			}
			risks[i].Loss += p[j] / sum * x
		}
	}
	slices.SortStableFunc(risks, func(a, b Risk) int { return cmp.Compare(a.Loss, b.Loss) })
	return risks, nil
}

// maxCells bounds the product of the lengths in EditDistance.
const maxCells = 1 << 24

// EditDistance is the least number of insertions, deletions and substitutions of
// symbols that turn a into b (Levenshtein 1966), a Loss: the path sum, in the ring of
// costs, of the graph of all ways to edit. O(|a|·|b|); the error wraps
// semiring.ErrLimit for more than 2²⁴ cells.
func EditDistance[S comparable](a, b []S) (float64, error) {
	columns := len(b) + 1
	if len(a)+1 > maxCells/columns {
		return 0, nested.Errorf("nbest: %w: the edit distance of strings of %d and %d symbols", semiring.ErrLimit, len(a), len(b))
	}
	var ring semiring.Tropical
	cells := (len(a) + 1) * columns
	row, final := make([]int32, 1, cells+1), slices.Repeat([]semiring.Cost{ring.Zero()}, cells)
	to, cost := make([]int32, 0, 3*cells), make([]semiring.Cost, 0, 3*cells)
	for i := range len(a) + 1 {
		for j := range columns {
			at := int32(i*columns + j)
			if i < len(a) {
				to, cost = append(to, at+int32(columns)), append(cost, 1)
			}
			if j < len(b) {
				to, cost = append(to, at+1), append(cost, 1)
			}
			if i < len(a) && j < len(b) {
				substitution := semiring.Cost(1)
				if a[i] == b[j] {
					substitution = 0
				}
				to, cost = append(to, at+int32(columns)+1), append(cost, substitution)
			}
			row = append(row, int32(len(to)))
		}
	}
	final[cells-1] = ring.One()
	g, err := graph.New(ring, row, to, cost, []graph.Start[semiring.Cost]{{Weight: ring.One()}}, final)
	if err != nil {
		return 0, nested.Errorf("nbest: %w", err)
	}
	d, err := graph.PathSum(g)
	return float64(d), err
}
