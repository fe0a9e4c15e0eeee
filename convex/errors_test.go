package convex_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
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
		"ridge 0":          {ok, nil, 0, convex.ErrInvalid, "ridge 0"},
		"negative ridge":   {ok, nil, -1, convex.ErrInvalid, "ridge -1"},
		"infinite ridge":   {ok, nil, math.Inf(1), convex.ErrInvalid, "ridge +Inf"},
		"no ridge":         {ok, nil, math.NaN(), convex.ErrInvalid, "ridge NaN"},
		"one row":          {[]convex.Variable{{States: 2}, seen(1)}, nil, 1, convex.ErrInvalid, "1 rows"},
		"no rows":          {[]convex.Variable{{States: 2}}, nil, 1, convex.ErrInvalid, "0 rows"},
		"weights":          {ok, []float64{1, 2}, 1, convex.ErrInvalid, "2 weights for 3 rows"},
		"zero weight":      {ok, []float64{1, 0, 1}, 1, convex.ErrInvalid, "weight 0 of row 1"},
		"NaN weight":       {ok, []float64{1, 1, math.NaN()}, 1, convex.ErrInvalid, "weight NaN of row 2"},
		"value":            {with(seen(0, 2, 1)), nil, 1, convex.ErrInvalid, "variable 2 has value 2 in row 1"},
		"negative value":   {with(seen(0, -2, 1)), nil, 1, convex.ErrInvalid, "value -2"},
		"length":           {with(seen(0, 1)), nil, 1, convex.ErrInvalid, "2 values for 3 rows"},
		"no states":        {with(convex.Variable{Values: []int{0, 0, 0}}), nil, 1, convex.ErrInvalid, "0 states"},
		"one hidden state": {[]convex.Variable{{States: 1}, seen(0, 1, 1)}, nil, 1, convex.ErrInvalid, "want 2 or more"},
		"no such parent":   {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{7}}), nil, 1, convex.ErrInvalid, "parent 7"},
		"parent twice":     {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{0, 0}}), nil, 1, convex.ErrInvalid, "twice"},
		"own parent":       {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{2}}), nil, 1, convex.ErrInvalid, "its own parent"},
		"cycle": {[]convex.Variable{{Name: "a", States: 2, Parents: []int{1}}, {Name: "b", States: 2, Values: []int{0, 0, 0}, Parents: []int{0}}},
			nil, 1, convex.ErrInvalid, "variable 0 (a) and variable 1 (b) are ancestors"},
		"nothing hidden":  {[]convex.Variable{{States: 2, Values: []int{0, 1, 1}}}, nil, 1, convex.ErrInvalid, "no variable is hidden"},
		"infinite vector": {with(convex.Variable{Parents: []int{0}, Vectors: [][]float64{{1}, {math.Inf(1)}, {0}}}), nil, 1, convex.ErrInvalid, "+Inf in row 1"},
		"ragged vectors":  {with(convex.Variable{Parents: []int{0}, Vectors: [][]float64{{1}, {1, 2}, {0}}}), nil, 1, convex.ErrInvalid, "2 numbers in row 1"},
		"both":            {with(convex.Variable{States: 2, Values: []int{0, 0, 0}, Vectors: [][]float64{{1}, {1}, {0}}}), nil, 1, convex.ErrInvalid, "values and vectors"},
		"vector parent":   {with(convex.Variable{Vectors: [][]float64{{1}, {1}, {0}}}, convex.Variable{States: 2, Values: []int{0, 0, 0}, Parents: []int{2}}), nil, 1, convex.ErrRelaxation, "vector-valued parent"},
		"parent and co-parent": {with(convex.Variable{States: 2, Parents: []int{0}}, convex.Variable{States: 2, Values: []int{0, 1, 0}, Parents: []int{0, 2}}),
			nil, 1, convex.ErrRelaxation, "variable 2 has a hidden parent that is also its co-parent"},
		"partly observed neighbours": {[]convex.Variable{{Name: "class", States: 2, Values: []int{0, -1, -1}}, {States: 2, Parents: []int{0}}, seen(0, 1, 1)},
			nil, 1, convex.ErrRelaxation, "partly observed, has a hidden neighbour"},
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
