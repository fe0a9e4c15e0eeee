package convex_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
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

// Nearly tight bounds hold, too. On problems that are small enough to try all labels, with equal
// rows and weights from 1e-6 to 1e6, no lower bound is above the least loss, rounding is not below
// it, and no solver's lower bound is above another's upper bound.
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
		for _, solver := range []convex.Splitting{{Gap: 1e-9, Iterations: 3000}, {Iterations: 2}, {Rows: 2, Iterations: 20}} {
			r := solve(t, solver, p)
			if r.Lower > r.Upper+margin || r.LabelsLower > least+margin || r.Lower > least+margin || r.LabelsLower != r.LabelsLower {
				t.Errorf("seed %d, %s, %v: bounds %v and %v, %v of labels, which have %v", seed, s.name, solver, r.Lower, r.Upper, r.LabelsLower, least)
			}
			if r.Gap() < 1e-6 {
				tight++
			}
			above, below = min(above, r.Upper), max(below, r.Lower)
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

// TestRowsMeetTheSameBounds: from groups of rows or not, the minimum is between the bounds
// of each run, for every shape of problem.
func TestRowsMeetTheSameBounds(t *testing.T) {
	all := map[string]*convex.Problem{"distinct": newProblem(t, distinct(3, 50, 8, 1), nil, 1)}
	for _, s := range shapes {
		v, w := s.data(rand.New(rand.NewPCG(4, 12)), 24)
		all[s.name] = newProblem(t, v, w, .8)
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

// TestRowsStart: relations between groups are also relations between rows, with the same value, and
// on average better than relations between fewer groups.
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

// TestMultipleEigenvalues: a Krylov space has one vector of an eigenvalue that occurs more than
// once. Of all rows of binary children, which can be exchanged, there are many such; the
// bounds meet all the same.
func TestMultipleEigenvalues(t *testing.T) {
	for _, children := range []int{6, 7} {
		var x [][]int
		for n := range 1 << children {
			var row []int
			for j := range children {
				row = append(row, n>>j&1)
			}
			x = append(x, row)
		}
		p := newProblem(t, naiveBayes(x, 2, slices.Repeat([]int{2}, children)), nil, 1)
		r := solve(t, convex.Splitting{Gap: 1e-6, Iterations: 100}, p)
		if r.Status != convex.Converged {
			t.Errorf("%d rows: %v after %d iterations between %g and %g", len(x), r.Status, r.Iterations, r.Lower, r.Upper)
		}
		checkFeasible(t, "all rows", r)
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

// TestLowerOfLabels: if no relations have a value below 0, no lower bound is below 0, however early
// a solver ends. LabelsLower is never below 0, and never above the loss of any labels.
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
			parents := strings.Contains(name, "child")
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

// wantBounds fails unless the bounds contain the optimum, known to lie in [lb, ub], to within tol,
// and have the requested gap.
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
