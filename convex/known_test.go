package convex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/trials"
)

// TestPartlyObservedNeighbours: if variables with hidden neighbours are observed in some rows, the
// bounds meet, hold for all labels that agree with the observations, and are no worse than without
// them; and rounding keeps it.
func TestPartlyObservedNeighbours(t *testing.T) {
	gained := 0
	for _, s := range shapes {
		if len(s.hidden) != 2 || s.name == "separate" {
			continue
		}
		for seed := range trials.Seeds(6) {
			rng := rand.New(rand.NewPCG(seed, 81))
			rows := 5
			v, w := s.data(rng, rows)
			ridge := math.Exp(rng.NormFloat64())
			hidden := newProblem(t, v, w, ridge)
			for k, h := range s.hidden {
				v[h].Values = values(rng, rows, v[h].States)
				for row := range rows {
					if rng.IntN(2) == 0 || k == 0 && seed%3 == 0 {
						v[h].Values[row] = convex.Hidden
					}
				}
				v[h].Values[k] = convex.Hidden
			}
			p := newProblem(t, v, w, ridge)
			for _, set := range []convex.Set{convex.Correlations, convex.Classes} {
				how := convex.Splitting{Gap: 1e-4, Iterations: 10000, Set: set}
				r := solve(t, how, p)
				if r.Status != convex.Converged && r.Status != convex.Degenerate {
					t.Errorf("%s, %v, seed %d: %v with bounds %g and %g", s.name, set, seed, r.Status, r.Lower, r.Upper)
				}
				checkFeasible(t, s.name, r)
				least := leastSeen(t, p, v)
				if r.LabelsLower > least {
					t.Errorf("%s, %v, seed %d: bound %g, labels have %g", s.name, set, seed, r.LabelsLower, least)
				}
				grouped := solve(t, convex.Splitting{Gap: 1e-4, Iterations: 10000, Set: set, Rows: 3}, p)
				if grouped.Lower > r.Upper || r.Lower > grouped.Upper || grouped.Gap() > 1e-4 {
					t.Errorf("%s, %v, seed %d: bounds %g and %g, from groups %g and %g", s.name, set, seed, r.Lower, r.Upper, grouped.Lower, grouped.Upper)
				}
				without := solve(t, how, hidden)
				if r.Upper < without.Lower {
					t.Errorf("%s, %v, seed %d: at most %g, without what was seen at least %g", s.name, set, seed, r.Upper, without.Lower)
				}
				if r.Lower > without.Upper {
					gained++
				}
				for k, x := range r.Relations {
					seen := v[p.Hidden()[k]].Values
					for i := range rows {
						for j := range i {
							if m := x.At(i, j); seen[i] != convex.Hidden && seen[j] != convex.Hidden && (seen[i] == seen[j] && m < .99-1e-9 || seen[i] != seen[j] && m > .01+1e-9) {
								t.Errorf("%s, %v, seed %d: %g of rows with the values %d and %d", s.name, set, seed, m, seen[i], seen[j])
							}
						}
					}
				}
				if got := round(t, p, r.Relations, convex.Rounding{Rand: rng}); got.Objective < least*(1-1e-9) {
					t.Errorf("%s, seed %d: rounded to %g, labels have %g", s.name, seed, got.Objective, least)
				}
			}
		}
	}
	if gained == 0 {
		t.Error("what was seen never helps")
	}
}

// leastSeen returns the least loss of labels that agree with the observed values.
func leastSeen(t *testing.T, p *convex.Problem, v []convex.Variable) float64 {
	t.Helper()
	var labels [][]int
	for range p.Hidden() {
		labels = append(labels, make([]int, len(v[p.Hidden()[0]].Values)))
	}
	least := math.Inf(1)
	var try func(k, row int)
	try = func(k, row int) {
		if k == len(labels) {
			c, err := p.Complete(labels)
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, c.Objective)
			return
		}
		if row == len(labels[k]) {
			try(k+1, 0)
			return
		}
		x := v[p.Hidden()[k]]
		for y := range x.States {
			if seen := x.Values[row]; seen == convex.Hidden || seen == y {
				labels[k][row] = y
				try(k, row+1)
			}
		}
	}
	try(0, 0)
	return least
}
