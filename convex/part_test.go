package convex

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/trials"
)

// unmerged returns the part of all hidden variables without merging rows.
func unmerged(t *testing.T, variables []Variable, weights []float64, ridge float64) *part {
	t.Helper()
	p, err := NewProblem(variables, weights, ridge)
	if err != nil {
		t.Fatal(err)
	}
	b := &part{ridge: ridge}
	for _, h := range p.hidden {
		b.relations = append(b.relations, relation{variable: h, states: variables[h].States})
	}
	var rows [][]int
	for row := range p.weights {
		rows = append(rows, []int{row})
	}
	p.mergeInto(b, rows)
	for i := range p.variables {
		if len(p.concealed(i)) > 0 {
			p.addTerms(b, i)
		}
	}
	return b
}

func root(x [][]int, states int, cards []int) []Variable {
	v := []Variable{{States: states}}
	for j, c := range cards {
		child := Variable{Parents: []int{0}, States: c}
		for _, row := range x {
			child.Values = append(child.Values, row[j])
		}
		v = append(v, child)
	}
	return v
}

func TestValueFixture(t *testing.T) {
	var x struct {
		X           [][]int
		N           []float64
		Cards       []int
		Beta, Value float64
		M, Gradient [][]float64
	}
	text, err := os.ReadFile("testdata/f2_value_gradient.json")
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := unmerged(t, root(x.X, 3, x.Cards), x.N, x.Beta)
	n := len(x.N)
	m := flat(x.M)
	for i := range m {
		m[i] *= b.s[i/n] * b.s[i%n]
	}
	at := []*point{b.nearest(0, m, exact)}
	lower, upper := b.evaluate(at)
	if math.Abs(lower-x.Value) > 1e-6 || math.Abs(upper-x.Value) > 1e-6 {
		t.Errorf("value between %.9f and %.9f, want %.9f", lower, upper, x.Value)
	}
	g := make([]float64, n*n)
	b.slopes(at, [][]float64{g})
	for i := range g {
		g[i] *= b.s[i/n] * b.s[i%n]
	}
	if d := floats.Distance(g, flat(x.Gradient), math.Inf(1)); !(d <= 1e-6) {
		t.Errorf("the gradient is off by %g", d)
	}
	if u := b.bound(at); math.Abs(u-x.Value) > 1e-6 {
		t.Errorf("bound %.9f at the same matrix, want %.9f", u, x.Value)
	}
}

// TestMerging: merged rows have the same optimum as unmerged rows, also with a link.
func TestMerging(t *testing.T) {
	for seed := range trials.Seeds(3) {
		rng := rand.New(rand.NewPCG(seed, 8))
		x := make([][]int, 16)
		for i := range x {
			x[i] = []int{rng.IntN(2), rng.IntN(2), rng.IntN(2)}
		}
		v := root(x, 2, []int{2, 2, 2})
		p, err := NewProblem(v, nil, .7)
		if err != nil {
			t.Fatal(err)
		}
		sameOptimum(t, p, v, 1e-7)
		v = append(v, Variable{States: 3, Parents: []int{0}})
		v[1].Parents = []int{len(v) - 1}
		if p, err = NewProblem(v, nil, .7); err != nil {
			t.Fatal(err)
		}
		sameOptimum(t, p, v, 1e-5)
	}
}

// sameOptimum fails unless p has the same optimum without merging rows.
func sameOptimum(t *testing.T, p *Problem, v []Variable, gap float64) {
	t.Helper()
	if n := len(p.parts[0].n); n > 8 {
		t.Errorf("%d merged rows", n)
	}
	merged, err := Splitting{Gap: gap, Iterations: 10000}.Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	p.parts[0] = unmerged(t, v, nil, p.ridge)
	all, err := Splitting{Gap: gap, Iterations: 10000}.Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if math.Max(merged.Lower, all.Lower) > math.Min(merged.Upper, all.Upper) || all.Status != Converged {
		t.Errorf("merged in [%.9f, %.9f], unmerged %v in [%.9f, %.9f]", merged.Lower, merged.Upper, all.Status, all.Lower, all.Upper)
	}
}

// TestUpperBound: the bound from the residuals of another point is above the value.
func TestUpperBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	x := make([][]int, 8)
	for i := range x {
		x[i] = []int{rng.IntN(3), rng.IntN(2)}
	}
	b := unmerged(t, root(x, 2, []int{3, 2}), nil, .5)
	random := func() []*point {
		f := newLowRank(b, 3)
		return f.points(f.start(rng))
	}
	for range 20 {
		here, there := random(), random()
		b.evaluate(here)
		bound := b.bound(there)
		if _, value := b.evaluate(there); bound < value-1e-9 {
			t.Errorf("bound %g below the value %g", bound, value)
		}
	}
}
