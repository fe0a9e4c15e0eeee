package convex_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/trials"
)

// leastLoss returns the least loss of any labels, by trying all.
func leastLoss(t *testing.T, p *convex.Problem, states []int, rows int) float64 {
	t.Helper()
	labels := make([][]int, len(states))
	for h := range labels {
		labels[h] = make([]int, rows)
	}
	least := math.Inf(1)
	for {
		c, err := p.Complete(labels)
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, c.Objective)
		h, row := 0, 0
		for h < len(labels) { // the next labels, as digits of a number
			if labels[h][row]++; labels[h][row] < states[h] {
				break
			}
			labels[h][row] = 0
			if row++; row == rows {
				h, row = h+1, 0
			}
		}
		if h == len(labels) {
			return least
		}
	}
}

// Bounds that are nearly tight hold as well as loose ones: on problems whose labels can all
// be tried, with equal rows, and weights from 1e-6 to 1e6, no lower bound is above the least
// loss, rounding is not below it, and no solver's lower bound is above another's upper.
func TestTightBounds(t *testing.T) {
	tight := 0
	for seed := range trials.Seeds(16) {
		rng := rand.New(rand.NewPCG(seed, 91))
		s := shapes[rng.IntN(len(shapes))]
		if len(s.hidden) > 2 {
			continue
		}
		rows := 3 + rng.IntN(2)
		variables, weights := s.data(rng, rows)
		for i := range weights {
			weights[i] *= []float64{1, 1e-6, 1e6, .01}[rng.IntN(1+int(seed%4))]
		}
		if seed%3 == 0 { // two rows are the same
			for i := range variables {
				if v := &variables[i]; v.Values != nil {
					v.Values[1] = v.Values[0]
				} else if v.Vectors != nil {
					v.Vectors[1] = slices.Clone(v.Vectors[0])
				}
			}
		}
		p := newProblem(t, variables, weights, []float64{.1, 1, 10}[rng.IntN(3)])
		var states []int
		for _, h := range p.Hidden() {
			states = append(states, variables[h].States)
		}
		least := leastLoss(t, p, states, rows)
		margin := 1e-9 * (1 + math.Abs(least))
		above, below := math.Inf(1), math.Inf(-1)
		for _, solver := range []convex.Splitting{{Gap: 1e-9, Iterations: 3000}, {Iterations: 2}, {Rows: 2, Iterations: 200}} {
			r := solve(t, solver, p)
			if r.Lower > r.Upper+margin || r.LabelsLower > least+margin || r.Lower > least+margin || r.LabelsLower != r.LabelsLower {
				t.Errorf("seed %d, %s, %v: bounds %v and %v, %v of labels, which have %v", seed, s.name, solver, r.Lower, r.Upper, r.LabelsLower, least)
			}
			if r.Gap() < 1e-6 {
				tight++
			}
			if !s.turns { // else it is one of many minima
				above, below = min(above, r.Upper), max(below, r.Lower)
			}
			rounded := round(t, p, r.Relations, convex.Rounding{Rand: rand.NewPCG(seed, 1)})
			if rounded.Objective < least-margin {
				t.Errorf("seed %d, %s, %v: rounded to %v, labels have %v", seed, s.name, solver, rounded.Objective, least)
			}
		}
		if below > above+margin {
			t.Errorf("seed %d, %s: a lower bound of %v is above an upper one of %v", seed, s.name, below, above)
		}
	}
	if tight == 0 {
		t.Error("no bounds were tight")
	}
}
