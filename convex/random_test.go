package convex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
)

// shape is the structure of a small model; its hidden variables have no values.
type shape struct {
	name      string
	variables []convex.Variable
	// vectors are the dimensions of vector-valued variables, by index.
	vectors map[int]int
	hidden  []int
	// turns is true if the problem is convex in each relation only.
	turns bool
	// product is true if some parents are hidden together: Value then chooses one of many
	// products.
	product bool
}

// shapes has every kind of term.
var shapes = []shape{
	{name: "naive Bayes", variables: []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}}, {States: 3, Parents: []int{0}}}, hidden: []int{0}},
	{name: "hidden child", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 3, Parents: []int{0, 1}}}, hidden: []int{2}},
	{name: "co-parent", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 3, Parents: []int{1, 0}}}, hidden: []int{0}},
	{name: "vectors", variables: []convex.Variable{{States: 3}, {States: 2}, {Parents: []int{0, 1}}, {Parents: []int{0}}}, vectors: map[int]int{2: 2, 3: 1}, hidden: []int{0}},
	{name: "separate", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1}}, {States: 2, Parents: []int{2, 3}}}, hidden: []int{0, 1}},
	{name: "product", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1, 0}}}, hidden: []int{0, 1}, product: true},
	{name: "product of three", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2}, {States: 2}, {States: 2, Parents: []int{2, 0, 1, 3}}, {States: 2, Parents: []int{1}}}, hidden: []int{0, 1, 2}, product: true},
	{name: "chain", variables: []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1}}}, hidden: []int{0, 1}, turns: true},
	{name: "chain from a product", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2, Parents: []int{0, 1}}, {States: 2, Parents: []int{2}}}, hidden: []int{0, 1, 2}, turns: true, product: true},
	{name: "chain with co-parent", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2, Parents: []int{0, 1}}, {States: 2, Parents: []int{2}}, {States: 3, Parents: []int{0}}}, hidden: []int{0, 2}, turns: true},
}

// data returns the variables with random values in so many rows, and weights.
func (s shape) data(rng *rand.Rand, rows int) ([]convex.Variable, []float64) {
	v := append([]convex.Variable(nil), s.variables...)
	weights := make([]float64, rows)
	for row := range rows {
		weights[row] = float64(1 + rng.IntN(3))
	}
	for i := range v {
		if d := s.vectors[i]; d > 0 {
			for range rows {
				x := make([]float64, d)
				for c := range x {
					x[c] = rng.NormFloat64()
				}
				v[i].Vectors = append(v[i].Vectors, x)
			}
		} else if !s.isHidden(i) {
			v[i].Values = values(rng, rows, v[i].States)
		}
	}
	return v, weights
}

func (s shape) isHidden(i int) bool {
	for _, h := range s.hidden {
		if h == i {
			return true
		}
	}
	return false
}

// values returns random values; each occurs.
func values(rng *rand.Rand, rows, states int) []int {
	x := make([]int, rows)
	for i, row := range rng.Perm(rows) {
		x[row] = rng.IntN(states)
		if i < states {
			x[row] = i
		}
	}
	return x
}

// relaxed returns a random relation of C for each hidden variable, shaped like those given.
func relaxed(rng *rand.Rand, like []*convex.Relation) []*convex.Relation {
	var out []*convex.Relation
	for _, r := range like {
		t := len(r.Weight)
		v := mat.NewDense(t, 4, nil)
		for i := range t {
			row := v.RawRowView(i)
			sum := 0.0
			for k := range row {
				row[k] = rng.Float64() * rng.Float64()
				sum += row[k] * row[k]
			}
			for k := range row {
				row[k] /= math.Sqrt(sum)
			}
		}
		m := mat.NewSymDense(t, nil)
		m.SymOuterK(1, v)
		c := *r
		c.M = m
		out = append(out, &c)
	}
	return out
}

// mixed returns (1−s)·a + s·b.
func mixed(a, b []*convex.Relation, s float64) []*convex.Relation {
	var out []*convex.Relation
	for k := range a {
		t := len(a[k].Weight)
		m := mat.NewSymDense(t, nil)
		for i := range t {
			for j := i; j < t; j++ {
				m.SetSym(i, j, (1-s)*a[k].M.At(i, j)+s*b[k].M.At(i, j))
			}
		}
		c := *a[k]
		c.M = m
		out = append(out, &c)
	}
	return out
}

// instance is a random problem with labels that are constant on merged rows.
type instance struct {
	shape     shape
	problem   *convex.Problem
	variables []convex.Variable
	weights   []float64
	ridge     float64
	labels    [][]int
	relations []*convex.Relation
}

// newInstance returns a random instance; not ok if the labels leave out a value.
func newInstance(t *testing.T, s shape, rng *rand.Rand, rows int) (x instance, ok bool) {
	t.Helper()
	x.shape = s
	x.variables, x.weights = s.data(rng, rows)
	x.ridge = math.Exp(rng.NormFloat64())
	x.problem = newProblem(t, x.variables, x.weights, x.ridge)
	for _, h := range x.problem.Hidden() {
		relation := solve(t, convex.Splitting{Iterations: 1}, x.problem)
		var r *convex.Relation
		for _, r = range relation.Relations {
			if r.Variable == h {
				break
			}
		}
		merged := values(rng, max(len(r.Weight), s.variables[h].States), s.variables[h].States)
		labels := make([]int, rows)
		seen := make(map[int]bool)
		for row, k := range r.Row {
			labels[row] = merged[k]
			seen[merged[k]] = true
		}
		if len(seen) < s.variables[h].States {
			return x, false
		}
		x.labels = append(x.labels, labels)
		m, err := x.problem.Relation(h, labels)
		if err != nil {
			t.Fatal(err)
		}
		x.relations = append(x.relations, m)
	}
	return x, true
}

func value(t *testing.T, p *convex.Problem, rs []*convex.Relation) (float64, []*mat.SymDense) {
	t.Helper()
	lower, upper, gradient, err := p.Value(rs)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(upper-lower) > 1e-8*math.Max(1, upper) {
		t.Errorf("inner bounds %.12g and %.12g", lower, upper)
	}
	return lower, gradient
}
