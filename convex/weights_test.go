package convex_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// TestWeightsOfLabels: at the relations of labels, weights are the tables trained on them, in
// every kind of term.
func TestWeightsOfLabels(t *testing.T) {
	for _, s := range shapes {
		checked := 0
		for seed := range trials.Seeds(6) {
			x, ok := newInstance(t, s, rand.New(rand.NewPCG(seed, 31)), 8)
			if !ok {
				continue
			}
			checked++
			want, err := x.problem.Complete(x.labels)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.problem.Weights(x.relations, x.labels)
			if err != nil {
				t.Fatal(err)
			}
			for i, table := range got {
				w := want.Tables[i]
				if s.loose && s.isHidden(i) && s.variables[i].States > 2 {
					continue
				}
				if table.Variable != i || !mat.EqualApprox(table.W, w.W, 1e-5) || (table.LogProb == nil) != (w.LogProb == nil) || w.LogProb != nil && !mat.EqualApprox(table.LogProb, w.LogProb, 1e-5) {
					t.Errorf("%s, seed %d: table %d is\n%v, want\n%v", s.name, seed, i, mat.Formatted(table.W), mat.Formatted(w.W))
				}
			}
		}
		if checked == 0 {
			t.Errorf("%s: nothing checked", s.name)
		}
	}
}

// TestWeightsOfPairs: the weights of a root and of its child equal the formulas of the paper at a
// relaxed optimum: Φᵀ(I − Λ)Y/β, Φᵀ(Y − Θ)/β, with Λ and Θ maximized by another method.
func TestWeightsOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 32))
	const rows, beta = 7, .8
	y := values(rng, rows, 5) // rows merge
	p := newProblem(t, []convex.Variable{{States: 2}, {States: 5, Parents: []int{0}, Values: y}}, nil, beta)
	r := solve(t, convex.Splitting{Gap: 1e-6}, p).Relations
	labels := make([]int, rows)
	for row := range labels {
		labels[row] = y[row] % 2
	}
	got, err := p.Weights(r, [][]int{labels})
	if err != nil {
		t.Fatal(err)
	}
	m, phi, child := mat.NewDense(rows, rows, nil), indicator(labels, 2), indicator(y, 5)
	m.Apply(func(i, j int, _ float64) float64 { return r[0].At(i, j) }, m)
	theta, _ := maximized(t, rows, 5, form4(child, m, beta))
	want := chain(phi.T(), minus(child, theta))
	want.Scale(1/beta, want)
	if !mat.EqualApprox(got[1].W, want, 1e-3) {
		t.Errorf("the child's are\n%v, want\n%v", mat.Formatted(got[1].W), mat.Formatted(want))
	}
	ones := mat.NewDense(rows, rows, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	lambda, _ := maximized(t, rows, rows, form6(ones, m, beta))
	want = chain(ones.Slice(0, 1, 0, rows), minus(identity(rows), lambda), phi)
	want.Scale(1/beta, want)
	if !mat.EqualApprox(got[0].W, want, 1e-3) {
		t.Errorf("the root's are\n%v, want\n%v", mat.Formatted(got[0].W), mat.Formatted(want))
	}
}

// TestWeightsStart: EM from the weights ends where EM from the tables of the labels does. On new rows,
// nine of ten predictions by the weights are right. The weights are longer than the tables.
func TestWeightsStart(t *testing.T) {
	var weights, tables, started, completed, longer float64
	for seed := range uint64(6) {
		x, root := sampled(rand.New(rand.NewPCG(seed, 33)), 160, 5, 3, 2)
		cards := []int{3, 3, 3, 3, 3}
		train, test := x[:80], x[80:]
		p := newProblem(t, naiveBayes(train, 3, cards), nil, 1)
		relaxed := solve(t, convex.Splitting{}, p)
		rounded := round(t, p, relaxed.Relations, convex.Rounding{Rand: rand.NewPCG(1, 1)})
		w, err := p.Weights(relaxed.Relations, rounded.Labels)
		if err != nil {
			t.Fatal(err)
		}
		for i, table := range w {
			longer += mat.Norm(table.W, 2) / mat.Norm(rounded.Tables[i].W, 2) / float64(6*len(w))
		}
		weights += agreement(w, test, root[80:]) / 6
		tables += agreement(rounded.Tables, test, root[80:]) / 6
		polish := machine(t, train, 3, cards, 1)
		polish.Options = &em.Options{Tolerance: 1e-10}
		for _, start := range []struct {
			tables []convex.Table
			sum    *float64
		}{{w, &started}, {rounded.Tables, &completed}} {
			r, err := polish.Run(t.Context(), start.tables)
			if err != nil {
				t.Fatal(err)
			}
			*start.sum += r.Last() / 6
		}
	}
	t.Logf("rows predicted %.3f by weights, %.3f by tables; EM ends at %.2f from weights, %.2f from tables; weights are %.2f times as long", weights, tables, started, completed, longer)
	if weights < .9 || math.Abs(started-completed) > .5 || longer < 1 {
		t.Errorf("rows predicted %.3f by weights, %.3f by tables; EM ends at %.2f from weights, %.2f from tables", weights, tables, started, completed)
	}
}

// agreement returns the share of rows whose likeliest root under the tables is the true one, with
// values of the root matched as fits best.
func agreement(tables []convex.Table, x [][]int, root []int) float64 {
	var counts [3][3]float64
	for row, values := range x {
		score := append([]float64(nil), tables[0].LogProb.RawRowView(0)...)
		for h := range score {
			for i, v := range values {
				score[h] += tables[i+1].LogProb.At(h, v)
			}
		}
		counts[floats.MaxIdx(score)][root[row]]++
	}
	best := 0.
	for _, p := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		best = max(best, counts[0][p[0]]+counts[1][p[1]]+counts[2][p[2]])
	}
	return best / float64(len(x))
}

func TestBadWeights(t *testing.T) {
	p := newProblem(t, []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}, Values: []int{0, 1, 1}}}, nil, 1)
	r := solve(t, convex.Splitting{}, p).Relations
	for name, try := range map[string]func() error{
		"no relations": func() error { _, err := p.Weights(nil, [][]int{{0, 1, 1}}); return err },
		"no labels":    func() error { _, err := p.Weights(r, nil); return err },
		"label":        func() error { _, err := p.Weights(r, [][]int{{0, 1, 2}}); return err },
		"few labels":   func() error { _, err := p.Weights(r, [][]int{{0, 1}}); return err },
	} {
		if err := try(); !errors.Is(err, convex.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
