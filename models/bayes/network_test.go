package bayes_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/bayes"
)

func TestNewErrors(t *testing.T) {
	binary := []string{"0", "1"}
	ab := []bayes.Variable{{"a", binary}, {"b", binary}}
	roots := []bayes.Family{{Children: []int{0}}, {Children: []int{1}}}
	x := []bayes.Variable{{"a", binary}, {Name: "x"}}
	nan := math.NaN()
	for _, test := range []struct {
		name      string
		variables []bayes.Variable
		families  []bayes.Family
		want      error
		says      string
	}{
		{"no name", []bayes.Variable{{"", binary}}, nil, bayes.ErrInvalid, "variable 0"},
		{"name twice", []bayes.Variable{{"a", binary}, {"a", binary}}, nil, bayes.ErrInvalid, `"a"`},
		{"state twice", []bayes.Variable{{"a", []string{"0", "0"}}}, nil, bayes.ErrInvalid, `a has the state "0"`},
		{"no family", ab, roots[:1], bayes.ErrInvalid, "b has no family"},
		{"family without child", ab, []bayes.Family{{}}, bayes.ErrInvalid, "no child"},
		{"child twice", ab, append(roots, roots[0]), bayes.ErrInvalid, "a is a child twice"},
		{"unknown parent", ab, []bayes.Family{{Children: []int{0}, Parents: []int{2}}}, bayes.ErrInvalid, "variable 2 of 2"},
		{"parent twice", ab, []bayes.Family{{Children: []int{0}, Parents: []int{1, 1}}}, bayes.ErrInvalid, "a has the parent b twice"},
		{"siblings", ab, []bayes.Family{{Children: []int{0, 1}}}, bayes.ErrInvalid, "siblings"},
		{"regression of states", x, []bayes.Family{{Children: []int{0}, Regressors: []int{1}}, {Children: []int{1}}}, bayes.ErrInvalid, "a cannot regress on x"},
		{"regression on states", x, []bayes.Family{roots[0], {Children: []int{1}, Regressors: []int{0}}}, bayes.ErrInvalid, "x cannot regress on a"},
		{"regression on itself", x, []bayes.Family{roots[0], {Children: []int{1}, Regressors: []int{1}}}, bayes.ErrInvalid, "its own"},
		{"cyclic regression", []bayes.Variable{{Name: "x"}, {Name: "y"}}, []bayes.Family{{Children: []int{0}, Regressors: []int{1}}, {Children: []int{1}, Regressors: []int{0}}}, bayes.ErrInvalid, "x ← y ← x"},
		{"slopes", []bayes.Variable{{Name: "x"}, {Name: "y"}}, []bayes.Family{roots[0], {Children: []int{1}, Regressors: []int{0}, Normals: []bayes.Normal{{[]float64{0}, []float64{1}, nil}}}}, bayes.ErrInvalid, "slopes of 0"},
		{"continuous parent", x, []bayes.Family{{Children: []int{0}, Parents: []int{1}}, {Children: []int{1}}}, bayes.ErrInvalid, "continuous parent x"},
		{"cycle", ab, []bayes.Family{{Children: []int{0}, Parents: []int{1}}, {Children: []int{1}, Parents: []int{0}}}, bayes.ErrInvalid, "a ← b ← a"},
		{"short table", ab, []bayes.Family{{Children: []int{0}, Table: []float64{1}}, roots[1]}, bayes.ErrInvalid, "a has a table of 1"},
		{"sum", ab, []bayes.Family{roots[0], {Children: []int{1}, Parents: []int{0}, Table: []float64{.5, .5, .5, .4}}}, bayes.ErrInvalid, "P(b | a=1) sums to 0.9"},
		{"negative", ab, []bayes.Family{{Children: []int{0}, Table: []float64{-1, 2}}, roots[1]}, bayes.ErrInvalid, "P(a) has the entry -1"},
		{"NaN", ab, []bayes.Family{{Children: []int{0}, Table: []float64{nan, 1}}, roots[1]}, bayes.ErrInvalid, "NaN"},
		{"table of numbers", x, []bayes.Family{roots[0], {Children: []int{1}, Table: []float64{1}}}, bayes.ErrInvalid, "x has a table"},
		{"normals of states", ab, []bayes.Family{{Children: []int{0}, Normals: make([]bayes.Normal, 1)}, roots[1]}, bayes.ErrInvalid, "a has normal"},
		{"number of normals", x, []bayes.Family{roots[0], {Children: []int{1}, Parents: []int{0}, Normals: make([]bayes.Normal, 1)}}, bayes.ErrInvalid, "x has 1 normal distributions, want 2"},
		{"covariance", x, []bayes.Family{roots[0], {Children: []int{1}, Normals: []bayes.Normal{{[]float64{0}, []float64{-1}, nil}}}}, bayes.ErrInvalid, "P(x)"},
		{"infinite mean", x, []bayes.Family{roots[0], {Children: []int{1}, Normals: []bayes.Normal{{[]float64{math.Inf(1)}, []float64{1}, nil}}}}, bayes.ErrInvalid, "Inf"},
		{"asymmetric", []bayes.Variable{{Name: "x"}, {Name: "y"}}, []bayes.Family{{Children: []int{0, 1}, Normals: []bayes.Normal{{make([]float64, 2), []float64{1, .5, .4, 1}, nil}}}}, bayes.ErrInvalid, "other way round"},
	} {
		if _, err := bayes.New(test.variables, test.families); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got error %v, want %q and %q", test.name, err, test.want, test.says)
		}
	}
}

func TestRowErrors(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{"a", []string{"0", "1"}}, {Name: "x"}, {Name: "y"}},
		[]bayes.Family{{Children: []int{0}}, {Children: []int{1, 2}, Parents: []int{0}}}))
	nan := math.NaN()
	for _, test := range []struct {
		row  bayes.Row
		says string
	}{
		{bayes.Row{0}, "1 cells, want 3"},
		{bayes.Row{2, 0, 0}, "a is 2, want a state from 0 to 1"},
		{bayes.Row{-1, 0, 0}, "a is -1"},
		{bayes.Row{.5, 0, 0}, "a is 0.5"},
		{bayes.Row{0, math.Inf(1), 0}, "x is +Inf"},
		{bayes.Row{0, 1, nan}, "known in part"},
	} {
		_, err := n.LogProb(test.row)
		if !errors.Is(err, bayes.ErrInvalid) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: got error %v, want %q", test.row, err, test.says)
		}
		m := must(bayes.NewModel(n, nil))
		if _, err := m.Fit(ctx, bayes.Data{Rows: []bayes.Row{{0, 0, 0}, test.row}}, nil); !errors.Is(err, bayes.ErrInvalid) || !strings.Contains(err.Error(), "row 1") {
			t.Errorf("training on %v: got error %v", test.row, err)
		}
	}
	if _, err := n.LogLoss([]bayes.Row{{0, 0, 0}, {nan, 0, 0}}); !errors.Is(err, bayes.ErrInvalid) || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("loss of a row with a missing cell: %v", err)
	}
	for _, known := range []map[string]string{{"b": "0"}, {"a": "2"}, {"x": "one"}, {"x": "NaN"}} {
		if _, err := n.Evidence(known); !errors.Is(err, bayes.ErrInvalid) {
			t.Errorf("evidence %v: %v", known, err)
		}
	}
	for _, data := range []bayes.Data{{}, {Rows: []bayes.Row{{0, 0, 0}}, Weights: []float64{}}, {Rows: []bayes.Row{{0, 0, 0}}, Weights: []float64{0}}} {
		if _, err := must(bayes.NewModel(n, nil)).Likelihood(data); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("data %v: %v", data, err)
		}
	}
	for _, law := range []bayes.LawOf{
		bayes.Same(em.Dirichlet{Alpha: 1}), // for continuous ones, too
		bayes.Same(em.NewGaussian(2)),      // six parameters for two states
		func(v, _ int) em.Law {
			if v > 0 {
				return em.NewGaussian(1)
			}
			return nil
		},
	} {
		if _, err := bayes.NewModel(n, law); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("a law that does not fit: %v", err)
		}
	}
}
