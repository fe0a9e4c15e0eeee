package convex_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/trials"
)

// sameClasses reports whether two labellings are the same up to renaming.
func sameClasses(a, b []int) bool {
	for i := range a {
		for j := range a {
			if (a[i] == a[j]) != (b[i] == b[j]) {
				return false
			}
		}
	}
	return true
}

func round(t *testing.T, p *convex.Problem, rs []*convex.Relation, how convex.Rounding) *convex.Rounded {
	t.Helper()
	r, err := p.Round(rs, how)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRoundLabels: the relation of labels is rounded to them, hard and soft.
func TestRoundLabels(t *testing.T) {
	for _, s := range shapes {
		for seed := range trials.Seeds(10) {
			rng := rand.New(rand.NewPCG(seed, 16))
			x, ok := newInstance(t, s, rng, 12)
			if !ok {
				continue
			}
			r := round(t, x.problem, x.relations, convex.Rounding{Rand: rng, Draws: -1})
			for k, labels := range x.labels {
				if !sameClasses(r.Labels[k], labels) {
					t.Errorf("%s, seed %d: labels %v became %v", s.name, seed, labels, r.Labels[k])
				}
				for row, y := range r.Labels[k] {
					if got := r.Soft[k].At(row, y); math.Abs(got-1) > 1e-6 {
						t.Errorf("%s, seed %d: %g for label %d of row %d", s.name, seed, got, y, row)
					}
				}
			}
			want, err := x.problem.Complete(x.labels)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(r.Objective-want.Objective) > 1e-9*math.Abs(want.Objective) && len(s.hidden) == 1 {
				t.Errorf("%s, seed %d: objective %g, want %g", s.name, seed, r.Objective, want.Objective)
			}
			if r.KMeans != r.Objective && math.Abs(r.KMeans-r.Objective) > 1e-9*math.Abs(r.KMeans) || !math.IsInf(r.Random, 1) {
				t.Errorf("%s: objectives %g, %g and %g", s.name, r.Objective, r.KMeans, r.Random)
			}
		}
	}
}

// TestPlanted: the relaxation usually recovers the labels of a strong model.
func TestPlanted(t *testing.T) {
	right := 0
	for seed := range uint64(5) {
		x, y := sampled(rand.New(rand.NewPCG(seed, 17)), 60, 8, 3, 12)
		p := newProblem(t, naiveBayes(x, 3, slices.Repeat([]int{3}, 8)), nil, 1)
		relaxed := solve(t, convex.Splitting{Gap: 1e-3}, p)
		early := solve(t, convex.Splitting{Iterations: 3}, p)
		for _, rs := range [][]*convex.Relation{relaxed.Relations, early.Relations} {
			r := round(t, p, rs, convex.Rounding{Rand: rand.NewPCG(1, 1)})
			if r.Objective < relaxed.Lower || r.Objective > math.Min(r.KMeans, r.Random)+1e-9 {
				t.Errorf("seed %d: labels of %g, by k-means %g, at random %g, bound %g", seed, r.Objective, r.KMeans, r.Random, relaxed.Lower)
			}
			again := round(t, p, rs, convex.Rounding{Rand: rand.NewPCG(1, 1)})
			if !slices.Equal(again.Labels[0], r.Labels[0]) {
				t.Errorf("seed %d: other labels", seed)
			}
			wrong := 0
			for i := range y {
				for j := range y {
					if (y[i] == y[j]) != (r.Labels[0][i] == r.Labels[0][j]) {
						wrong++
					}
				}
			}
			if wrong < 60*60/10 {
				right++
			}
			for i := range y {
				if sum := floats.Sum(r.Soft[0].RawRowView(i)); math.Abs(sum-1) > 1e-9 || mat.Min(r.Soft[0]) < 0 {
					t.Fatalf("seed %d: row %d has %v", seed, i, r.Soft[0].RawRowView(i))
				}
			}
		}
	}
	if right < 8 {
		t.Errorf("%d of 10 roundings are near the truth", right)
	}
}

// TestCompleteSoft: soft labels are as rows completed in every way, weighted; with hard ones
// both ways to complete agree.
func TestCompleteSoft(t *testing.T) {
	for _, s := range shapes {
		rng := rand.New(rand.NewPCG(1, 18))
		x, ok := newInstance(t, s, rng, 12)
		if !ok {
			continue
		}
		var hard, soft []*mat.Dense
		for k, h := range x.problem.Hidden() {
			v := x.variables[h].States
			hard = append(hard, indicator(x.labels[k], v))
			q := mat.NewDense(12, v, nil)
			for row := range 12 {
				q.SetRow(row, dirichlet(rng, v, 1))
			}
			soft = append(soft, q)
		}
		want, err := x.problem.Complete(x.labels)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.problem.CompleteSoft(hard)
		if err != nil {
			t.Fatal(err)
		}
		if got.Objective != want.Objective {
			t.Errorf("%s: %g, want %g", s.name, got.Objective, want.Objective)
		}
		c, err := x.problem.CompleteSoft(soft)
		if err != nil {
			t.Fatal(err)
		}
		if want := expanded(t, x, soft); math.Abs(c.Objective-want) > 1e-8*want {
			t.Errorf("%s: expected loss %g, want %g", s.name, c.Objective, want)
		}
		for i, table := range c.Tables {
			if table.Variable != i {
				t.Errorf("%s: table %d is of variable %d", s.name, i, table.Variable)
			}
			if table.LogProb == nil {
				continue
			}
			rows, _ := table.LogProb.Dims()
			for k := range rows {
				if norm := floats.LogSumExp(table.LogProb.RawRowView(k)); math.Abs(norm) > 1e-12 {
					t.Errorf("%s: row %d of table %d sums to exp(%g)", s.name, k, i, norm)
				}
			}
		}
	}
}

// expanded returns the loss of the data in which each row is there once for every way to
// complete it.
func expanded(t *testing.T, x instance, soft []*mat.Dense) float64 {
	t.Helper()
	var weights []float64
	v := slices.Clone(x.variables)
	for i := range v {
		v[i].Values, v[i].Vectors = nil, nil
	}
	var complete func(row, k int, labels []int, weight float64)
	complete = func(row, k int, labels []int, weight float64) {
		if k < len(soft) {
			for y := range x.variables[x.problem.Hidden()[k]].States {
				complete(row, k+1, append(labels, y), weight*soft[k].At(row, y))
			}
			return
		}
		weights = append(weights, weight)
		for i, from := range x.variables {
			switch k := slices.Index(x.problem.Hidden(), i); {
			case k >= 0:
				v[i].Values = append(v[i].Values, labels[k])
			case from.Vectors != nil:
				v[i].Vectors = append(v[i].Vectors, from.Vectors[row])
			default:
				v[i].Values = append(v[i].Values, from.Values[row])
			}
		}
	}
	for row, w := range x.weights {
		complete(row, 0, nil, w)
	}
	v = append(v, convex.Variable{States: 2}) // hidden, and alone
	return newProblem(t, v, weights, x.ridge).Constant()
}

// TestRoundStarts: labels that EM may start from are those that the objectives are of, the
// best first, no two alike.
func TestRoundStarts(t *testing.T) {
	p := newProblem(t, ternary(3, 40, 5, 1), nil, 1)
	relaxed := solve(t, convex.Splitting{}, p)
	for _, keep := range []int{0, 2, 50, -1} {
		r, err := p.Round(relaxed.Relations, convex.Rounding{Rand: rand.NewPCG(1, 2), Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		most := keep
		if keep == 0 {
			most = 3
		}
		if n := len(r.Drawn); n > max(0, most) || most > 0 && n < min(most, 3) {
			t.Errorf("keep %d: %d labellings", keep, n)
		}
		before := math.Inf(-1)
		for i, labels := range r.Drawn {
			c, err := p.Complete(labels)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && math.Abs(c.Objective-r.Random) > 1e-7*r.Random || !(c.Objective > before) {
				t.Errorf("keep %d: labelling %d has objective %g, the best %g, the one before %g", keep, i, c.Objective, r.Random, before)
			}
			before = c.Objective
		}
		if c, err := p.Complete(r.Clustered); err != nil || math.Abs(c.Objective-r.KMeans) > 1e-7*r.KMeans {
			t.Errorf("objective %g of the labels by k-means, want %g: %v", c.Objective, r.KMeans, err)
		}
	}
}
