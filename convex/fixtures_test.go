package convex_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"example.org/pathsum/convex"
)

// read reads a file of worked examples.
func read(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// column returns column j of x.
func column(x [][]int, j int) []int {
	c := make([]int, len(x))
	for i, row := range x {
		c[i] = row[j]
	}
	return c
}

// naiveBayes returns a hidden root of the given number of values and its observed children.
func naiveBayes(x [][]int, states int, cards []int) []convex.Variable {
	v := []convex.Variable{{Name: "hidden", States: states}}
	for j, c := range cards {
		v = append(v, convex.Variable{Parents: []int{0}, States: c, Values: column(x, j)})
	}
	return v
}

func newProblem(t testing.TB, variables []convex.Variable, weights []float64, ridge float64) *convex.Problem {
	t.Helper()
	p, err := convex.NewProblem(variables, weights, ridge)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func solve(t testing.TB, s convex.Splitting, p *convex.Problem) *convex.Result {
	t.Helper()
	r, err := s.Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRelaxedNaiveBayesFixtures(t *testing.T) {
	for _, name := range []string{"f3_relaxed_nb_t20", "f3b_relaxed_nb_t16_vclass"} {
		var x struct {
			X      [][]int
			Cards  []int
			Beta   float64
			Lb, Ub float64
			Vclass int
		}
		read(t, name, &x)
		set := convex.Correlations
		if x.Vclass > 0 {
			set = convex.Classes
		}
		p := newProblem(t, naiveBayes(x.X, max(2, x.Vclass), x.Cards), nil, x.Beta)
		for _, gap := range []float64{1e-3, 1e-4, 1e-6, 1e-8} {
			r := solve(t, convex.Splitting{Gap: gap, Set: set, Iterations: 20000}, p)
			wantBounds(t, name, r, x.Lb, x.Ub, 1e-6, gap)
		}
	}
}

// wantBounds fails unless the bounds contain the optimum, known to lie in [lb, ub], to
// within tol, and are as narrow as was asked for.
func wantBounds(t *testing.T, name string, r *convex.Result, lb, ub, tol, gap float64) {
	t.Helper()
	t.Log(name, r.Status, r.Lower, r.Upper, r.Iterations)
	if r.Status != convex.Converged || r.Upper < lb-tol || r.Lower > ub+tol || r.Lower > r.Upper || r.Gap() > gap {
		t.Errorf("%s, gap %g: %v with bounds %.9f and %.9f, want the optimum in [%.9f, %.9f]", name, gap, r.Status, r.Lower, r.Upper, lb, ub)
	}
}

func TestRelaxedSynth2Fixture(t *testing.T) {
	var x struct {
		X            [][]int
		N            []float64
		Beta, Lb, Ub float64
	}
	read(t, "f4_relaxed_synth2", &x)
	v := []convex.Variable{
		{States: 2, Values: column(x.X, 0)},
		{States: 2, Values: column(x.X, 1)},
		{States: 2, Parents: []int{0, 1}},
		{States: 2, Parents: []int{2}, Values: column(x.X, 3)},
		{States: 2, Parents: []int{2}, Values: column(x.X, 4)},
		{States: 2, Parents: []int{3, 4}, Values: column(x.X, 5)},
	}
	p := newProblem(t, v, x.N, x.Beta)
	for _, gap := range []float64{1e-4, 1e-7} {
		r := solve(t, convex.Splitting{Gap: gap, Iterations: 20000}, p)
		wantBounds(t, "f4", r, x.Lb+p.Constant(), x.Ub+p.Constant(), 1e-6, gap)
	}
}

func TestGaussianMixtureFixture(t *testing.T) {
	var x struct {
		X            [][]float64
		Beta, Lb, Ub float64
	}
	read(t, "f5_gaussian_mixture", &x)
	p := newProblem(t, []convex.Variable{{States: 2}, {Parents: []int{0}, Vectors: x.X}}, nil, x.Beta)
	for _, gap := range []float64{1e-4, 1e-7} {
		r := solve(t, convex.Splitting{Gap: gap, Iterations: 20000}, p)
		wantBounds(t, "f5", r, x.Lb, x.Ub, 1e-6, gap)
	}
}

func TestProductFixture(t *testing.T) {
	var x struct {
		C1, C2, C3   []int
		Beta, Lb, Ub float64
	}
	read(t, "f6_and_relaxation", &x)
	p := newProblem(t, []convex.Variable{
		{States: 2}, {States: 2},
		{States: 2, Parents: []int{0}, Values: x.C1},
		{States: 2, Parents: []int{1}, Values: x.C2},
		{States: 2, Parents: []int{0, 1}, Values: x.C3},
	}, nil, x.Beta)
	for _, gap := range []float64{1e-4, 1e-7} {
		r := solve(t, convex.Splitting{Gap: gap, Iterations: 20000}, p)
		wantBounds(t, "f6", r, x.Lb, x.Ub, 1e-5, gap)
	}
}
