package convex_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/convex"
)

// TestRowsMeetTheSameBounds: from groups of rows or not, the minimum is between the bounds
// of each run, for every shape of problem.
func TestRowsMeetTheSameBounds(t *testing.T) {
	all := map[string]*convex.Problem{"distinct": newProblem(t, distinct(3, 50, 8, 1), nil, 1)}
	for _, s := range shapes {
		if !s.turns {
			v, w := s.data(rand.New(rand.NewPCG(4, 12)), 24)
			all[s.name] = newProblem(t, v, w, .8)
		}
	}
	for name, p := range all {
		a := solve(t, convex.Splitting{Gap: 1e-4, Iterations: 3000}, p)
		b := solve(t, convex.Splitting{Gap: 1e-4, Iterations: 3000, Rows: 6}, p)
		if a.Status != b.Status || a.Lower > b.Upper || b.Lower > a.Upper || b.Gap() > 1e-4 {
			t.Errorf("%s: %v in [%g, %g], from groups %v in [%g, %g]", name, a.Status, a.Lower, a.Upper, b.Status, b.Lower, b.Upper)
		}
		checkFeasible(t, name, b)
	}
}

// TestRowsStart: relations between groups are relations between rows, with the value that
// they have between groups, and better than those between fewer groups on the whole.
func TestRowsStart(t *testing.T) {
	p := newProblem(t, distinct(5, 80, 8, 1), nil, 1)
	var upper []float64
	for _, rows := range []int{2, 10, 40} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := convex.Splitting{Gap: 1e-9, Iterations: 200, Every: 1, Rows: rows, Observer: func(convex.Event) { cancel() }}.Solve(ctx, p)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, v, _, err := p.Value(r.Relations); err != nil || math.Abs(v-r.Upper) > 1e-6*v {
			t.Errorf("%d groups: value %g of a relation said to have %g: %v", rows, v, r.Upper, err)
		}
		checkFeasible(t, "groups", r)
		upper = append(upper, r.Upper)
	}
	if !(upper[0] > upper[1] && upper[1] > upper[2]) {
		t.Errorf("upper bounds %v of more and more groups", upper)
	}
}

// TestRowsKnown: rows of a known class stay alone, and relations between groups keep them
// apart.
func TestRowsKnown(t *testing.T) {
	v := ternary(9, 60, 6, 1)
	v[0].Values = make([]int, 60)
	for row := range v[0].Values {
		v[0].Values[row] = convex.Hidden
		if row < 9 {
			v[0].Values[row] = row % 3
		}
	}
	p := newProblem(t, v, nil, 1)
	r := solve(t, convex.Splitting{Rows: 8}, p)
	if x := r.Relations[0]; r.Status != convex.Converged || x.At(0, 1) != 0 || math.Abs(x.At(0, 3)-1) > 1e-9 {
		t.Errorf("%v, rows of different classes %g, of one %g", r.Status, x.At(0, 1), x.At(0, 3))
	}
	for _, rows := range []int{1, -5} {
		if _, err := (convex.Splitting{Rows: rows}).Solve(t.Context(), p); !errors.Is(err, convex.ErrInvalid) {
			t.Errorf("%d groups: %v", rows, err)
		}
	}
}

// TestLowerOfLabels: where no relations have a value below 0, no lower bound is below it,
// however early a solver ends; that of labels never is, nor is it above any labels' loss.
func TestLowerOfLabels(t *testing.T) {
	below := 0
	for name, p := range problems(t) {
		rng := rand.New(rand.NewPCG(1, 77))
		least := math.Inf(1)
		for range 30 {
			rounded, err := p.Complete(labels(rng, p, name))
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, rounded.Objective)
		}
		for _, s := range []convex.Splitting{{Iterations: 1}, {Iterations: 3}, {Iterations: 2000}} {
			r := solve(t, s, p)
			parents := strings.Contains(name, "child") || strings.Contains(name, "chain")
			if !parents && r.Lower < p.Constant() {
				t.Errorf("%s, %v: lower bound %g below %g", name, s, r.Lower, p.Constant())
			}
			if r.Upper < p.Constant() {
				below++
			}
			if r.LabelsLower < p.Constant() || r.LabelsLower < r.Lower || r.LabelsLower > least*(1+1e-9) {
				t.Errorf("%s, %v: no labels below %g, said with %g as the lower bound, %g the constant; labels have %g", name, s, r.LabelsLower, r.Lower, p.Constant(), least)
			}
		}
	}
	if below == 0 {
		t.Error("no relation has less than labels can")
	}
}

// labels returns random labels of a problem of one of the shapes.
func labels(rng *rand.Rand, p *convex.Problem, name string) [][]int {
	for _, s := range shapes {
		if s.name == name {
			var all [][]int
			for _, h := range p.Hidden() {
				all = append(all, values(rng, 12, s.variables[h].States))
			}
			return all
		}
	}
	panic(name)
}
