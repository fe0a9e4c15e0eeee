package convex_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/trials"
)

func TestBadProblems(t *testing.T) {
	seen := func(x ...int) convex.Variable {
		return convex.Variable{States: 2, Values: x, Parents: []int{0}}
	}
	ok := []convex.Variable{{Name: "class", States: 2}, seen(0, 1, 1)}
	with := func(v ...convex.Variable) []convex.Variable {
		return append(append([]convex.Variable(nil), ok...), v...)
	}
	for name, x := range map[string]struct {
		variables []convex.Variable
		weights   []float64
		ridge     float64
		kind      error
		says      string
	}{
		"ridge 0":           {ok, nil, 0, convex.ErrInvalid, "ridge 0"},
		"negative ridge":    {ok, nil, -1, convex.ErrInvalid, "ridge -1"},
		"infinite ridge":    {ok, nil, math.Inf(1), convex.ErrInvalid, "ridge +Inf"},
		"no ridge":          {ok, nil, math.NaN(), convex.ErrInvalid, "ridge NaN"},
		"one row":           {[]convex.Variable{{States: 2}, seen(1)}, nil, 1, convex.ErrInvalid, "1 rows"},
		"no rows":           {[]convex.Variable{{States: 2}}, nil, 1, convex.ErrInvalid, "0 rows"},
		"weights":           {ok, []float64{1, 2}, 1, convex.ErrInvalid, "2 weights for 3 rows"},
		"zero weight":       {ok, []float64{1, 0, 1}, 1, convex.ErrInvalid, "weight 0 of row 1"},
		"NaN weight":        {ok, []float64{1, 1, math.NaN()}, 1, convex.ErrInvalid, "weight NaN of row 2"},
		"value":             {with(seen(0, 2, 1)), nil, 1, convex.ErrInvalid, "variable 2 has value 2 in row 1"},
		"negative value":    {with(seen(0, -3, 1)), nil, 1, convex.ErrInvalid, "value -3"},
		"absent and hidden": {with(seen(0, convex.Absent, convex.Hidden)), nil, 1, convex.ErrInvalid, "Absent in row 1 and Hidden in others"},
		"absent parent":     {with(seen(0, convex.Absent, 1), convex.Variable{States: 2, Values: []int{0, 1, 1}, Parents: []int{2}}), nil, 1, convex.ErrInvalid, "variable 2 is Absent from row 1"},
		"length":            {with(seen(0, 1)), nil, 1, convex.ErrInvalid, "2 values for 3 rows"},
		"no states":         {with(convex.Variable{Values: []int{0, 0, 0}}), nil, 1, convex.ErrInvalid, "0 states"},
		"one hidden state":  {[]convex.Variable{{States: 1}, seen(0, 1, 1)}, nil, 1, convex.ErrInvalid, "want 2 or more"},
		"no such parent":    {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{7}}), nil, 1, convex.ErrInvalid, "parent 7"},
		"parent twice":      {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{0, 0}}), nil, 1, convex.ErrInvalid, "twice"},
		"own parent":        {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{2}}), nil, 1, convex.ErrInvalid, "its own parent"},
		"cycle": {[]convex.Variable{{Name: "a", States: 2, Parents: []int{1}}, {Name: "b", States: 2, Values: []int{0, 0, 0}, Parents: []int{0}}},
			nil, 1, convex.ErrInvalid, "variable 0 (a) and variable 1 (b) are ancestors"},
		"nothing hidden":  {[]convex.Variable{{States: 2, Values: []int{0, 1, 1}}}, nil, 1, convex.ErrInvalid, "no variable is hidden"},
		"infinite vector": {with(convex.Variable{Parents: []int{0}, Vectors: [][]float64{{1}, {math.Inf(1)}, {0}}}), nil, 1, convex.ErrInvalid, "+Inf in row 1"},
		"ragged vectors":  {with(convex.Variable{Parents: []int{0}, Vectors: [][]float64{{1}, {1, 2}, {0}}}), nil, 1, convex.ErrInvalid, "2 numbers in row 1"},
		"both":            {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Vectors: [][]float64{{1}, {1}, {0}}}), nil, 1, convex.ErrInvalid, "values and vectors"},
		"vector parent":   {with(convex.Variable{Vectors: [][]float64{{1}, {1}, {0}}}, convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{2}}), nil, 1, convex.ErrRelaxation, "vector-valued parent"},
	} {
		_, err := convex.NewProblem(x.variables, x.weights, x.ridge)
		if !errors.Is(err, x.kind) || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, x.says)
		}
	}
}

func TestBadArguments(t *testing.T) {
	ctx := context.Background()
	p := newProblem(t, []convex.Variable{{States: 2, Values: []int{1, -1, -1}}, {States: 2, Values: []int{0, 1, 1}, Parents: []int{0}}}, nil, 1)
	r := solve(t, convex.Splitting{}, p).Relations
	rng := rand.New(rand.NewPCG(1, 1))
	other := *r[0]
	other.Variable = 1
	indefinite := *r[0]
	indefinite.M = mat.NewSymDense(2, []float64{1, 2, 2, 1})
	infinite := *r[0]
	infinite.M = mat.NewSymDense(2, []float64{1, math.NaN(), 0, 1})
	for name, try := range map[string]func() error{
		"gap":           func() error { _, err := convex.Splitting{Gap: -1}.Solve(ctx, p); return err },
		"iterations":    func() error { _, err := convex.Splitting{Iterations: -1}.Solve(ctx, p); return err },
		"every":         func() error { _, err := convex.Splitting{Every: -1}.Solve(ctx, p); return err },
		"set":           func() error { _, err := convex.Splitting{Set: 9}.Solve(ctx, p); return err },
		"no labels":     func() error { _, err := p.Complete(nil); return err },
		"few labels":    func() error { _, err := p.Complete([][]int{{1}}); return err },
		"label":         func() error { _, err := p.Complete([][]int{{1, 2, 0}}); return err },
		"contradiction": func() error { _, err := p.Complete([][]int{{0, 0, 0}}); return err },
		"soft":          func() error { _, err := p.CompleteSoft(nil); return err },
		"soft shape":    func() error { _, err := p.CompleteSoft([]*mat.Dense{mat.NewDense(2, 2, nil)}); return err },
		"probability": func() error {
			_, err := p.CompleteSoft([]*mat.Dense{mat.NewDense(3, 2, []float64{1, 0, -1, 2, 0, 1})})
			return err
		},
		"not hidden":        func() error { _, err := p.Relation(1, []int{0, 0, 0}); return err },
		"relation labels":   func() error { _, err := p.Relation(0, []int{0}); return err },
		"merged apart":      func() error { _, err := p.Relation(0, []int{1, 0, 1}); return err },
		"no relations":      func() error { _, _, _, err := p.Value(nil); return err },
		"nil relation":      func() error { _, _, _, err := p.Value([]*convex.Relation{nil}); return err },
		"foreign relation":  func() error { _, _, _, err := p.Value([]*convex.Relation{&other}); return err },
		"indefinite":        func() error { _, _, _, err := p.Value([]*convex.Relation{&indefinite}); return err },
		"not finite":        func() error { _, _, _, err := p.Value([]*convex.Relation{&infinite}); return err },
		"no randomness":     func() error { _, err := p.Round(r, convex.Rounding{}); return err },
		"round nothing":     func() error { _, err := p.Round(nil, convex.Rounding{Rand: rng}); return err },
		"restarts":          func() error { _, err := p.Round(r, convex.Rounding{Rand: rng, Restarts: -1}); return err },
		"round foreign":     func() error { _, err := p.Round([]*convex.Relation{&other}, convex.Rounding{Rand: rng}); return err },
		"not square":        func() error { _, err := convex.Closure([][]bool{{true, false}}); return err },
		"no equivalence":    func() error { _, err := convex.Labels([][]bool{{false}}); return err },
		"nothing to whiten": func() error { _, err := convex.Whiten(nil); return err },
		"singular":          func() error { _, err := convex.Whiten([][]float64{{1, 2}, {2, 4}, {3, 6}}); return err },
		"ragged":            func() error { _, err := convex.Whiten([][]float64{{1, 2}, {2}}); return err },
		"NaN":               func() error { _, err := convex.Whiten([][]float64{{1, 2}, {2, math.NaN()}}); return err },
	} {
		if err := try(); !errors.Is(err, convex.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// shape is the structure of a small model; its hidden variables have no values.
type shape struct {
	name      string
	variables []convex.Variable
	// vectors are the dimensions of vector-valued variables, by index.
	vectors map[int]int
	hidden  []int
	// product is true if some parents are hidden together, or one is the parent of a hidden
	// variable: Value then chooses one of many products.
	product bool
	// loose is true if a variable of more than two values is hidden with its parent.
	loose bool
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
	{name: "chain", variables: []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1}}}, hidden: []int{0, 1}, product: true},
	{name: "chain from a product", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2, Parents: []int{0, 1}}, {States: 2, Parents: []int{2}}}, hidden: []int{0, 1, 2}, product: true},
	{name: "chain with co-parent", variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2, Parents: []int{0, 1}}, {States: 2, Parents: []int{2}}, {States: 3, Parents: []int{0}}}, hidden: []int{0, 2}, product: true},
	{name: "triangle", variables: []convex.Variable{{States: 2}, {States: 3, Parents: []int{0}}, {States: 2, Parents: []int{1, 0}}, {States: 3, Parents: []int{1}}}, hidden: []int{0, 1}, product: true, loose: true},
	{name: "chain of three", variables: []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1}}, {States: 3, Parents: []int{2}}, {States: 2, Parents: []int{0}}}, hidden: []int{0, 1, 2}, product: true},
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

// TestClosure compares with merging the classes of related elements until nothing changes.
func TestClosure(t *testing.T) {
	repaired := 0
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 20))
		n := rng.IntN(9)
		r := make([][]bool, n)
		for i := range r {
			r[i] = make([]bool, n)
			for j := range r[i] {
				r[i][j] = rng.IntN(8) == 0
			}
		}
		class := make([]int, n)
		for i := range class {
			class[i] = i
		}
		for range n {
			for i := range n {
				for j := range n {
					if r[i][j] {
						class[i] = min(class[i], class[j])
						class[j] = class[i]
					}
				}
			}
		}
		closed, err := convex.Closure(r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if closed[i][j] != (class[i] == class[j]) {
					t.Errorf("seed %d: %v closed to %v", seed, r, closed)
				}
			}
		}
		if !slices.EqualFunc(r, closed, slices.Equal[[]bool]) {
			repaired++
			if _, err := convex.Labels(r); !errors.Is(err, convex.ErrInvalid) {
				t.Errorf("seed %d: error %v", seed, err)
			}
		}
		labels, err := convex.Labels(closed)
		if err != nil || !sameClasses(labels, class) {
			t.Errorf("seed %d: labels %v for classes %v: %v", seed, labels, class, err)
		}
	}
	if repaired == 0 {
		t.Error("nothing to repair")
	}
}
