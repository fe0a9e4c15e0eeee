package convex_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/trials"
)

// TestLabels: at the relation of labels the relaxed objective equals the loss of training on the
// labels, (3) = (6), in every kind of term. It is less if a child of a hidden parent has more than
// two hidden values.
func TestLabels(t *testing.T) {
	for _, s := range shapes {
		checked := 0
		for seed := range trials.Seeds(20) {
			x, ok := newInstance(t, s, rand.New(rand.NewPCG(seed, 1)), 8)
			if !ok {
				continue
			}
			checked++
			c, err := x.problem.Complete(x.labels)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := value(t, x.problem, x.relations)
			if math.Abs(got-c.Objective) > 1e-8*c.Objective && !(s.loose && got < c.Objective) {
				t.Errorf("%s, seed %d: value %.12g at labels of loss %.12g", s.name, seed, got, c.Objective)
			}
		}
		if checked == 0 {
			t.Errorf("%s: nothing checked", s.name)
		}
	}
}

// TestValueOfManyRows: a relation between many rows with few positive eigenvalues has a value and
// can be rounded; the value at the relation of labels is their loss.
func TestValueOfManyRows(t *testing.T) {
	p := newProblem(t, distinct(1, 300, 12, 1), nil, 1)
	rng := rand.New(rand.NewPCG(1, 6))
	y := values(rng, 300, 3)
	r, err := p.Relation(0, y)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Complete([][]int{y})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := value(t, p, []*convex.Relation{r}); math.Abs(got-c.Objective) > 1e-8*c.Objective {
		t.Errorf("value %.12g at labels of loss %.12g", got, c.Objective)
	}
	few := relaxed(rng, []*convex.Relation{r})
	if got, _ := value(t, p, few); got >= c.Objective {
		t.Errorf("value %g of a relation of rank 4, %g of labels", got, c.Objective)
	}
	round(t, p, few, convex.Rounding{Rand: rng})
}

// TestGradient compares with differences of the value.
func TestGradient(t *testing.T) {
	const h = 1e-5
	for _, s := range shapes {
		if s.product {
			continue
		}
		for seed := range trials.Seeds(6) {
			rng := rand.New(rand.NewPCG(seed, 2))
			x, ok := newInstance(t, s, rng, 8)
			if !ok {
				continue
			}
			a := relaxed(rng, x.relations)
			b := relaxed(rng, x.relations)
			middle := mixed(a, b, .5)
			_, g := value(t, x.problem, middle)
			up, _ := value(t, x.problem, mixed(a, b, .5+h))
			down, _ := value(t, x.problem, mixed(a, b, .5-h))
			want := 0.0
			for k := range a {
				var e mat.Dense
				e.Sub(b[k].M, a[k].M)
				e.MulElem(&e, g[k])
				want += mat.Sum(&e)
			}
			if got := (up - down) / (2 * h); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s, seed %d: slope %.9g, by differences %.9g", s.name, seed, want, got)
			}
		}
	}
}

// TestConvexity: the value in the middle is at most the mean of the values at the ends.
func TestConvexity(t *testing.T) {
	bent := 0
	for _, s := range shapes {
		if s.product {
			continue
		}
		for seed := range trials.Seeds(20) {
			rng := rand.New(rand.NewPCG(seed, 3))
			x, ok := newInstance(t, s, rng, 8)
			if !ok {
				continue
			}
			a, b := relaxed(rng, x.relations), relaxed(rng, x.relations)
			fa, _ := value(t, x.problem, a)
			fb, _ := value(t, x.problem, b)
			fm, _ := value(t, x.problem, mixed(a, b, .5))
			if fm > (fa+fb)/2+1e-9*fa {
				t.Errorf("%s, seed %d: %g between %g and %g", s.name, seed, fm, fa, fb)
			}
			if fm < (fa+fb)/2-1e-6 {
				bent++
			}
		}
	}
	if bent == 0 {
		t.Error("no value is strictly convex anywhere")
	}
}

// TestAnyLabels: no labels are better than the lower bound, for every kind of term.
func TestAnyLabels(t *testing.T) {
	for _, s := range shapes {
		for seed := range trials.Seeds(2) {
			rng := rand.New(rand.NewPCG(seed, 5))
			rows := 5
			if len(s.hidden) > 2 {
				rows = 3
			}
			v, w := s.data(rng, rows)
			p := newProblem(t, v, w, math.Exp(rng.NormFloat64()))
			r := solve(t, convex.Splitting{Gap: 1e-5, Iterations: 5000}, p)
			least := math.Inf(1)
			cells := len(s.hidden) * rows
			states := make([]int, cells)
			total := 1
			for k, h := range p.Hidden() {
				for row := range rows {
					states[k*rows+row] = v[h].States
					total *= v[h].States
				}
			}
			for n := range total {
				labels := make([][]int, len(s.hidden))
				for c := range cells {
					labels[c/rows] = append(labels[c/rows], n%states[c])
					n /= states[c]
				}
				c, err := p.Complete(labels)
				if err != nil {
					t.Fatal(err)
				}
				least = min(least, c.Objective)
			}
			if r.Lower > r.Upper || r.Lower > least {
				t.Errorf("%s, seed %d: bounds %g and %g, labels of %g", s.name, seed, r.Lower, r.Upper, least)
			}
			if r.Status != convex.Converged && r.Status != convex.Degenerate || r.Gap() > 1e-5 {
				t.Errorf("%s, seed %d: %v with bounds %g and %g", s.name, seed, r.Status, r.Lower, r.Upper)
			}
			if got, _, _, err := p.Value(r.Relations); !s.product && (err != nil || math.Abs(got-r.Upper) > 1e-5*r.Upper) {
				t.Errorf("%s, seed %d: value %g where the upper bound is %g: %v", s.name, seed, got, r.Upper, err)
			}
			checkFeasible(t, s.name, r)
		}
	}
}

// checkFeasible fails unless the relations are in C.
func checkFeasible(t *testing.T, name string, r *convex.Result) {
	t.Helper()
	for _, x := range r.Relations {
		n := len(x.Weight)
		var e mat.EigenSym
		if !e.Factorize(x.M, false) {
			t.Fatal("no eigenvalues")
		}
		if least := e.Values(nil)[0]; least < -1e-9 {
			t.Errorf("%s: eigenvalue %g", name, least)
		}
		for i := range n {
			for j := range n {
				if m := x.M.At(i, j); m < 0 || i == j && math.Abs(m-1) > 1e-12 {
					t.Errorf("%s: entry %g at %d, %d", name, m, i, j)
				}
			}
		}
	}
}

// draw returns a value with the given probabilities.
func draw(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for i, x := range p {
		if u -= x; u < 0 {
			return i
		}
	}
	return len(p) - 1
}

// dirichlet returns probabilities from the Dirichlet distribution with integer parameters α.
func dirichlet(rng *rand.Rand, n, alpha int) []float64 {
	p := make([]float64, n)
	sum := 0.0
	for i := range p {
		for range alpha {
			p[i] += rng.ExpFloat64()
		}
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// sampled returns rows from a random naive Bayes model whose children each prefer one
// value for each value of the root, as strongly as strength says.
func sampled(rng *rand.Rand, rows, children, states int, strength float64) (x [][]int, root []int) {
	prior := dirichlet(rng, states, 10)
	tables := make([][][]float64, children)
	for j := range tables {
		prefer := rng.Perm(states)
		for h := range states {
			p := dirichlet(rng, states, 1)
			p[prefer[h]] += strength
			for i := range p {
				p[i] /= 1 + strength
			}
			tables[j] = append(tables[j], p)
		}
	}
	for range rows {
		h := draw(rng, prior)
		row := make([]int, children)
		for j := range row {
			row[j] = draw(rng, tables[j][h])
		}
		x, root = append(x, row), append(root, h)
	}
	return x, root
}

// ternary returns naive Bayes data of ternary variables.
func ternary(seed uint64, rows, children int, strength float64) []convex.Variable {
	x, _ := sampled(rand.New(rand.NewPCG(seed, 0)), rows, children, 3, strength)
	cards := make([]int, children)
	for j := range cards {
		cards[j] = 3
	}
	return naiveBayes(x, 3, cards)
}

// distinct returns the first n distinct rows of the same model.
func distinct(seed uint64, n, children int, strength float64) []convex.Variable {
	x, _ := sampled(rand.New(rand.NewPCG(seed, 0)), 100*n, children, 3, strength)
	seen := make(map[string]bool)
	var rows [][]int
	for _, row := range x {
		key := ""
		for _, v := range row {
			key += string(rune('0' + v))
		}
		if !seen[key] && len(rows) < n {
			seen[key] = true
			rows = append(rows, row)
		}
	}
	cards := make([]int, children)
	for j := range cards {
		cards[j] = 3
	}
	return naiveBayes(rows, 3, cards)
}

// BenchmarkSplitting: naive Bayes with ternary children, β = 1. With 6 children there are few
// distinct rows; with 12, all rows are distinct.
func BenchmarkSplitting(b *testing.B) {
	for _, x := range []struct {
		merged int
		data   []convex.Variable
		gap    float64
		groups int
	}{
		{34, ternary(31, 100, 6, 4), 1e-4, 0},
		{86, ternary(25, 400, 6, 4), 1e-4, 0},
		{127, ternary(51, 1000, 6, 4), 1e-4, 0},
		{200, distinct(1, 200, 12, 1), 1e-3, 0},
		{400, distinct(1, 400, 12, 1), 1e-3, 0},
		{1000, distinct(1, 1000, 12, 1), .1, 300},
		{100, withLink(distinct(1, 100, 12, 1)), 1e-3, 0},
		{200, withLink(distinct(1, 200, 12, 1)), 1e-2, 0},
	} {
		b.Run(fmt.Sprintf("rows=%d,variables=%d", x.merged, len(x.data)), func(b *testing.B) {
			p := newProblem(b, x.data, nil, 1)
			peak := uint64(0)
			s := convex.Splitting{Gap: x.gap, Rows: x.groups, Observer: func(convex.Event) { peak = max(peak, heap()) }}
			r := solve(b, s, p) // also reports the memory
			if n := len(r.Relations[0].Weight); n != x.merged || r.Status != convex.Converged {
				b.Fatalf("%v, %d merged rows", r.Status, n)
			}
			s.Observer = nil
			defer benchtime.Per(b, 1, "solution")()
			for b.Loop() {
				r = solve(b, s, p)
			}
			b.ReportMetric(float64(r.Iterations), "iterations")
			b.ReportMetric(r.Gap(), "gap")
			b.ReportMetric(float64(peak)/1e6, "MB")
		})
	}
}

// withLink returns naive Bayes data with half of the children hung on a hidden child of the root.
func withLink(v []convex.Variable) []convex.Variable {
	n := len(v)
	v = append(v, convex.Variable{States: 3, Parents: []int{0}})
	for i := 1; i <= n/2; i++ {
		v[i].Parents = []int{n}
	}
	return v
}

// heap returns the bytes of the heap in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
