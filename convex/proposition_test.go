package convex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/trials"
)

// envelope returns the greatest convex function that is nowhere above the losses of
// labels, binary and in the order of their numbers in binary, at distributions with these
// probabilities of 1: the least mean loss of labels that have them on average.
func envelope(t *testing.T, losses, ones []float64) float64 {
	t.Helper()
	a := mat.NewDense(len(ones)+1, len(losses), nil)
	for k := range losses {
		a.Set(len(ones), k, 1)
		for row := range ones {
			a.Set(row, k, float64(k>>row&1))
		}
	}
	value, _, err := lp.Simplex(losses, a, append(append([]float64(nil), ones...), 1), 1e-10, nil)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestLabelsRelaxToNothing: the reason for relations, Lemma 1 of the paper. Of the relaxations
// that keep labels, even the tightest convex one is least at uniform labels, and made
// strictly convex it is so there alone. What is trained on uniform labels tells no two values
// apart, and relations do not relax to those of uniform labels.
func TestLabelsRelaxToNothing(t *testing.T) {
	const rows = 5
	worst := math.Inf(1)
	for seed := range trials.Seeds(4) {
		rng := rand.New(rand.NewPCG(seed, 61))
		v := []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}}, {States: 3, Parents: []int{0}}, {States: 2, Parents: []int{0}}}
		for i := 1; i < len(v); i++ {
			v[i].Values = values(rng, rows, v[i].States)
		}
		p := newProblem(t, v, nil, .5)
		var losses []float64
		best := math.Inf(1)
		for k := range 1 << rows {
			y := make([]int, rows)
			for row := range y {
				y[row] = k >> row & 1
			}
			c, err := p.Complete([][]int{y})
			if err != nil {
				t.Fatal(err)
			}
			losses = append(losses, c.Objective)
			best = min(best, c.Objective)
		}
		uniform := make([]float64, rows)
		for row := range uniform {
			uniform[row] = .5
		}
		at := envelope(t, losses, uniform)
		if math.Abs(at-best) > 1e-7*best {
			t.Errorf("seed %d: the envelope is %g at uniform labels, the best labels have %g", seed, at, best)
		}
		const strict = .01 // times |Q|²
		for range 20 {
			q, square := make([]float64, rows), 0.
			for row := range q {
				q[row] = rng.Float64()
				square += (q[row] - .5) * (q[row] - .5)
			}
			if there := envelope(t, losses, q); there < at-1e-7 || there+strict*2*square <= at {
				t.Errorf("seed %d: %g at %v, %g at uniform labels", seed, there, q, at)
			}
		}
		soft := mat.NewDense(rows, 2, nil)
		soft.Apply(func(_, _ int, _ float64) float64 { return .5 }, soft)
		c, err := p.CompleteSoft([]*mat.Dense{soft})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range c.Tables[1:] {
			if !mat.EqualApprox(table.W.RowView(0), table.W.RowView(1), 1e-9) {
				t.Errorf("seed %d: uniform labels tell values apart: %v", seed, mat.Formatted(table.W))
			}
		}
		if c.Objective <= best {
			t.Errorf("seed %d: loss %g of uniform labels, %g of the best", seed, c.Objective, best)
		}
		worst = min(worst, c.Objective/best)
		r := solve(t, convex.Splitting{Gap: 1e-5}, p)
		least, most := 1., 0.
		for i := range rows {
			for j := range i {
				least, most = min(least, r.Relations[0].At(i, j)), max(most, r.Relations[0].At(i, j))
			}
		}
		if most-least < .2 { // of uniform labels, all are ½
			t.Errorf("seed %d: rows are related by %g to %g", seed, least, most)
		}
	}
	if worst < 1.01 {
		t.Errorf("uniform labels are as good as %g of the best", worst)
	}
}
