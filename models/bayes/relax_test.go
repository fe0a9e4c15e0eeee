package bayes_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/bayes"
)

// thin returns rows with cells of the variables missing at random.
func thin(rng *rand.Rand, rows []bayes.Row, variables ...int) []bayes.Row {
	rows = bayes.Hide(rows)
	for _, r := range rows {
		for _, v := range variables {
			if rng.IntN(4) == 0 {
				r[v] = math.NaN()
			}
		}
	}
	return rows
}

// The relaxation of a hidden class whose features miss cells has the loss of labels that training
// has on the same rows, where missing cells are summed over.
func TestRelaxWithMissingCells(t *testing.T) {
	const beta = .7
	rng := graphtest.Rand(9)
	n := naive(2, 4)
	truth := drawn(n, 50, 3)
	rows := thin(rng, truth.Rows, 1, 2, 3, 4)
	data := bayes.Data{Rows: bayes.Hide(rows, 0)}
	p := must(n.Relax(data, beta))
	if hidden := p.Hidden(); len(hidden) != 1 || hidden[0] != 0 {
		t.Fatalf("variables %v are hidden, want 0", hidden)
	}
	labels, complete := make([]int, len(rows)), bayes.Hide(rows)
	for i := range labels {
		labels[i] = rng.IntN(2)
		complete[i][0] = float64(labels[i])
	}
	done := must(p.Complete([][]int{labels}))
	m := must(bayes.NewModel(n, bayes.SameLaw(bayes.Ridge{Beta: beta})))
	if r := must(m.Fit(ctx, bayes.Data{Rows: complete}, &em.Options{Tolerance: 1e-14})); math.Abs(-r.Last()-done.Objective) > 1e-7 {
		t.Errorf("training on labels reaches %v, the relaxation has %v", -r.Last(), done.Objective)
	}
	// A start, and EM from there.
	polish := must(must(bayes.NewModel(n, bayes.SameLaw(bayes.Ridge{Beta: beta}))).Polish(data, nil))
	s := must(p.Fit(ctx, convex.Fitting{Solver: convex.Splitting{Gap: .01}, Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}, Polish: polish}))
	if s.Rounded.Objective < s.Relaxed.Lower || s.Polished.Last() < -s.Rounded.Objective {
		t.Errorf("bound %v, labels %v, EM %v", s.Relaxed.Lower, s.Rounded.Objective, -s.Polished.Last())
	}
	weights := must(p.Weights(s.Relaxed.Relations, s.Rounded.Labels))
	if r := must(polish.Run(ctx, weights)); math.Abs(r.Last()-s.Polished.Last()) > .1 || -r.Last() < s.Relaxed.MarginalLower {
		t.Errorf("EM from the weights ends at %v, from the tables at %v; at least %v", -r.Last(), -s.Polished.Last(), s.Relaxed.MarginalLower)
	}
}

// TestRelaxHiddenChild: a hidden class and its hidden child, which is seen in some rows, have bounds
// that hold for labels and for EM.
func TestRelaxHiddenChild(t *testing.T) {
	const beta = 2
	states := []string{"0", "1"}
	variables := []bayes.Variable{{Name: "class", States: states}, {Name: "child", States: states}}
	families := []bayes.Family{{Children: []int{0}}, {Children: []int{1}, Parents: []int{0}}}
	for i := range 4 {
		variables = append(variables, bayes.Variable{Name: fmt.Sprint("sign ", i), States: states})
		families = append(families, bayes.Family{Children: []int{2 + i}, Parents: []int{i % 2}})
	}
	n := must(bayes.New(variables, families))
	rng := graphtest.Rand(10)
	rows := make([]bayes.Row, 40)
	for i := range rows {
		class := rng.IntN(2)
		for range variables {
			x := class
			if rng.IntN(5) == 0 {
				x = 1 - x
			}
			rows[i] = append(rows[i], float64(x))
		}
	}
	data := bayes.Data{Rows: bayes.Hide(rows, 0)}
	for i, r := range data.Rows {
		if i >= 5 {
			r[1] = math.NaN()
		}
	}
	p := must(n.Relax(data, beta))
	if !slices.Equal(p.Hidden(), []int{0, 1}) {
		t.Fatalf("variables %v are hidden", p.Hidden())
	}
	polish := must(must(bayes.NewModel(n, bayes.SameLaw(bayes.Ridge{Beta: beta}))).Polish(data, nil))
	s := must(p.Fit(ctx, convex.Fitting{Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}, Polish: polish}))
	r := s.Relaxed
	if r.Status != convex.Converged || r.LabelsLower > s.Rounded.Objective || r.MarginalLower > -s.Polished.Last() || r.LabelsLower < .5*s.Rounded.Objective {
		t.Errorf("%v, bounds %v and %v, labels %v, EM %v", r.Status, r.LabelsLower, r.MarginalLower, s.Rounded.Objective, -s.Polished.Last())
	}
	for i, x := range s.Rounded.Labels[1][:5] {
		if float64(x) != rows[i][1] {
			t.Errorf("row %d has the label %d, %v was seen", i, x, rows[i][1])
		}
	}
}

// What is left out, what is hidden, and what is neither.
func TestCellsLeftOut(t *testing.T) {
	nan := math.NaN()
	states := []string{"0", "1"}
	variables := []bayes.Variable{{Name: "class", States: states}, {Name: "a", States: states}, {Name: "b", States: states}}
	chain := must(bayes.New(variables, []bayes.Family{{Children: []int{0}}, {Children: []int{1}, Parents: []int{0}}, {Children: []int{2}, Parents: []int{1}}}))
	for _, x := range []struct {
		about  string
		rows   []bayes.Row
		hidden []int
	}{
		{"a missing where b is", []bayes.Row{{nan, nan, nan}, {nan, 0, 1}, {nan, 1, 0}}, []int{0}},
		{"a missing above a known b", []bayes.Row{{nan, nan, 1}, {nan, 0, 1}, {nan, 1, 0}}, []int{0, 1}},
		{"a class known in part", []bayes.Row{{nan, 1, 1}, {0, 0, 1}, {1, 1, 0}}, []int{0}},
		{"b alone, without a hidden neighbour", []bayes.Row{{0, 1, nan}, {0, 0, 1}, {1, 1, 0}}, []int{2}},
		{"b of a hidden a", []bayes.Row{{0, nan, nan}, {0, nan, 1}, {1, nan, 0}}, []int{1}},
	} {
		p, err := chain.Relax(bayes.Data{Rows: x.rows}, 1)
		if err != nil {
			t.Errorf("%s: %v", x.about, err)
			continue
		}
		if got := p.Hidden(); !slices.Equal(got, x.hidden) {
			t.Errorf("%s: %v are hidden, want %v", x.about, got, x.hidden)
		}
	}
}
