package bayes_test

import (
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/bayes"
)

// TestMessages: mistakes are refused in words that name the variable or row.
func TestMessages(t *testing.T) {
	var all mistakes.List
	networkMistakes(&all)
	rowMistakes(&all)
	mixtureMistakes(&all)
	bifMistakes(&all)
	factorMistakes(&all)
	for _, text := range []string{"", "{", `{"format":"x"}`, `{"format":"pathsum bayes 1","variables":[{"name":"a","states":["0"]}],"families":[{"children":[0]}]}`} {
		all.Add("Load: "+text, bayes.ErrFormat, func() error { _, err := bayes.Load(strings.NewReader(text)); return err })
	}
	mistakes.Check(t, all)
}

func networkMistakes(all *mistakes.List) {
	binary := []string{"0", "1"}
	ab := []bayes.Variable{{"a", binary}, {"b", binary}}
	roots := []bayes.Family{{Children: []int{0}}, {Children: []int{1}}}
	x := []bayes.Variable{{"a", binary}, {Name: "x"}}
	nan := math.NaN()
	for _, x := range []struct {
		call      string
		variables []bayes.Variable
		families  []bayes.Family
	}{
		{"no name", []bayes.Variable{{"", binary}}, nil},
		{"name twice", []bayes.Variable{{"a", binary}, {"a", binary}}, nil},
		{"state twice", []bayes.Variable{{"a", []string{"0", "0"}}}, nil},
		{"no family", ab, roots[:1]},
		{"family without child", ab, []bayes.Family{{}}},
		{"child twice", ab, append(roots, roots[0])},
		{"unknown parent", ab, []bayes.Family{{Children: []int{0}, Parents: []int{2}}}},
		{"parent twice", ab, []bayes.Family{{Children: []int{0}, Parents: []int{1, 1}}}},
		{"siblings", ab, []bayes.Family{{Children: []int{0, 1}}}},
		{"regression of states", x, []bayes.Family{{Children: []int{0}, Regressors: []int{1}}, {Children: []int{1}}}},
		{"regression on states", x, []bayes.Family{roots[0], {Children: []int{1}, Regressors: []int{0}}}},
		{"regression on itself", x, []bayes.Family{roots[0], {Children: []int{1}, Regressors: []int{1}}}},
		{"cyclic regression", []bayes.Variable{{Name: "x"}, {Name: "y"}}, []bayes.Family{{Children: []int{0}, Regressors: []int{1}}, {Children: []int{1}, Regressors: []int{0}}}},
		{"slopes", []bayes.Variable{{Name: "x"}, {Name: "y"}}, []bayes.Family{roots[0], {Children: []int{1}, Regressors: []int{0}, Normals: []bayes.Normal{{[]float64{0}, []float64{1}, nil}}}}},
		{"continuous parent", x, []bayes.Family{{Children: []int{0}, Parents: []int{1}}, {Children: []int{1}}}},
		{"cycle", ab, []bayes.Family{{Children: []int{0}, Parents: []int{1}}, {Children: []int{1}, Parents: []int{0}}}},
		{"short table", ab, []bayes.Family{{Children: []int{0}, Table: []float64{1}}, roots[1]}},
		{"sum", ab, []bayes.Family{roots[0], {Children: []int{1}, Parents: []int{0}, Table: []float64{.5, .5, .5, .4}}}},
		{"negative", ab, []bayes.Family{{Children: []int{0}, Table: []float64{-1, 2}}, roots[1]}},
		{"NaN", ab, []bayes.Family{{Children: []int{0}, Table: []float64{nan, 1}}, roots[1]}},
		{"table of numbers", x, []bayes.Family{roots[0], {Children: []int{1}, Table: []float64{1}}}},
		{"normals of states", ab, []bayes.Family{{Children: []int{0}, Normals: make([]bayes.Normal, 1)}, roots[1]}},
		{"number of normals", x, []bayes.Family{roots[0], {Children: []int{1}, Parents: []int{0}, Normals: make([]bayes.Normal, 1)}}},
		{"covariance", x, []bayes.Family{roots[0], {Children: []int{1}, Normals: []bayes.Normal{{[]float64{0}, []float64{-1}, nil}}}}},
		{"infinite mean", x, []bayes.Family{roots[0], {Children: []int{1}, Normals: []bayes.Normal{{[]float64{math.Inf(1)}, []float64{1}, nil}}}}},
		{"asymmetric", []bayes.Variable{{Name: "x"}, {Name: "y"}}, []bayes.Family{{Children: []int{0, 1}, Normals: []bayes.Normal{{make([]float64, 2), []float64{1, .5, .4, 1}, nil}}}}},
	} {
		all.Add("New: "+x.call, bayes.ErrInvalid, func() error { _, err := bayes.New(x.variables, x.families); return err })
	}
}

func rowMistakes(all *mistakes.List) {
	n := must(bayes.New([]bayes.Variable{{"a", []string{"0", "1"}}, {Name: "x"}, {Name: "y"}},
		[]bayes.Family{{Children: []int{0}}, {Children: []int{1, 2}, Parents: []int{0}}}))
	model := func() *bayes.Model { return must(bayes.NewModel(n, nil)) }
	nan := math.NaN()
	for _, x := range []struct {
		call string
		row  bayes.Row
	}{
		{"1 cell of 3", bayes.Row{0}},
		{"state 2 of 2", bayes.Row{2, 0, 0}},
		{"state -1", bayes.Row{-1, 0, 0}},
		{"state .5", bayes.Row{.5, 0, 0}},
		{"an infinite value", bayes.Row{0, math.Inf(1), 0}},
		{"one of two that are correlated", bayes.Row{0, 1, nan}},
	} {
		all.Add("LogProb: "+x.call, bayes.ErrInvalid, func() error { _, err := n.LogProb(x.row); return err })
		all.Add("Fit: a row with "+x.call, bayes.ErrInvalid, func() error {
			_, err := model().Fit(ctx, bayes.Data{Rows: []bayes.Row{{0, 0, 0}, x.row}}, nil)
			return err
		})
	}
	for _, x := range []struct {
		call string
		of   []int
	}{{"variable 3 of 3", []int{3}}, {"a continuous variable", []int{0, 1}}, {"a variable twice", []int{0, 0}}} {
		all.Add("PosteriorsOf: "+x.call, bayes.ErrInvalid, func() error { _, err := n.PosteriorsOf(n.Unknown(), x.of...); return err })
		all.Add("BestOf: "+x.call, bayes.ErrInvalid, func() error { _, _, err := n.BestOf(n.Unknown(), x.of...); return err })
	}
	all.Add("Posteriors: more entries than the limit", bayes.ErrTreewidth, func() error { _, err := n.WithMaxEntries(1).Posteriors(n.Unknown()); return err })
	all.Add("LogLoss: a missing cell", bayes.ErrInvalid, func() error { _, err := n.LogLoss([]bayes.Row{{0, 0, 0}, {nan, 0, 0}}); return err })
	for _, known := range [][2]string{{"b", "0"}, {"a", "2"}, {"x", "one"}, {"x", "NaN"}} {
		all.Add("Evidence: "+known[0]+" = "+known[1], bayes.ErrInvalid, func() error { _, err := n.Evidence(map[string]string{known[0]: known[1]}); return err })
	}
	for _, x := range []struct {
		call string
		data bayes.Data
	}{
		{"no rows", bayes.Data{}},
		{"no weights for a row", bayes.Data{Rows: []bayes.Row{{0, 0, 0}}, Weights: []float64{}}},
		{"no row that was seen", bayes.Data{Rows: []bayes.Row{{0, 0, 0}}, Weights: []float64{0}}},
	} {
		all.Add("Likelihood: "+x.call, em.ErrInvalid, func() error { _, err := model().Likelihood(x.data); return err })
	}
	for _, x := range []struct {
		call string
		law  bayes.LawOf
	}{
		{"Dirichlet for numbers", bayes.SameLaw(em.Dirichlet{Alpha: 1})},
		{"Gaussian for states", bayes.SameLaw(em.NewGaussian(2))},
		{"Gaussian of 1 for 2", func(v, _ int) em.Law {
			if v > 0 {
				return em.NewGaussian(1)
			}
			return nil
		}},
	} {
		all.Add("NewModel: "+x.call, em.ErrInvalid, func() error { _, err := bayes.NewModel(n, x.law); return err })
	}
}

func factorMistakes(all *mistakes.List) {
	binary := []string{"0", "1"}
	ab := []bayes.Variable{{"a", binary}, {"b", binary}}
	for _, x := range []struct {
		call      string
		variables []bayes.Variable
		factors   []bayes.Factor
	}{
		{"a continuous variable", []bayes.Variable{{Name: "x"}}, nil},
		{"name twice", []bayes.Variable{{"a", binary}, {"a", binary}}, nil},
		{"variable 2 of 2", ab, []bayes.Factor{{}, {Variables: []int{2}}}},
		{"variable twice", ab, []bayes.Factor{{Variables: []int{0, 1, 0}}}},
		{"a short table", ab, []bayes.Factor{{Variables: []int{0, 1}, Table: []float64{1, 1}}}},
		{"a negative entry", ab, []bayes.Factor{{Variables: []int{0, 1}, Table: []float64{1, -1, 1, 1}}}},
		{"an entry that is not a number", ab, []bayes.Factor{{Variables: []int{1}, Table: []float64{1, math.NaN()}}}},
		{"an infinite entry", ab, []bayes.Factor{{Table: []float64{math.Inf(1)}}}},
	} {
		all.Add("NewFactorGraph: "+x.call, bayes.ErrInvalid, func() error { _, err := bayes.NewFactorGraph(x.variables, x.factors); return err })
	}
	g := must(bayes.NewFactorGraph(ab, []bayes.Factor{{Variables: []int{0, 1}}}))
	zero := must(bayes.NewFactorGraph(ab, []bayes.Factor{{Variables: []int{0}, Table: []float64{0, 0}}}))
	model := func() *bayes.FactorModel { return must(bayes.NewFactorModel(g, em.LogLinearOptions{})) }
	all.Add("LogProb: state 2 of a factor graph", bayes.ErrInvalid, func() error { _, err := g.LogProb(bayes.Row{0, 2}); return err })
	all.Add("LogProb: factors that are 0", bayes.ErrImpossible, func() error { _, err := zero.LogProb(zero.Unknown()); return err })
	all.Add("Posteriors: factors that are 0", bayes.ErrImpossible, func() error { _, err := zero.Posteriors(zero.Unknown()); return err })
	all.Add("PosteriorsOf: variable -1 of a factor graph", bayes.ErrInvalid, func() error { _, err := g.PosteriorsOf(g.Unknown(), -1); return err })
	all.Add("Evidence: of a factor graph", bayes.ErrInvalid, func() error { _, err := g.Evidence(map[string]string{"c": "0"}); return err })
	all.Add("NewFactorModel: no factor graph", nil, func() error { _, err := bayes.NewFactorModel(nil, em.LogLinearOptions{}); return err })
	all.Add("NewFactorModel: a negative deviation", em.ErrParameter, func() error { _, err := bayes.NewFactorModel(g, em.LogLinearOptions{Sigma: -1}); return err })
	all.Add("FactorModel.Fit: no rows", em.ErrInvalid, func() error { _, err := model().Fit(ctx, bayes.Data{}, nil); return err })
	all.Add("FactorModel.Fit: a state that is not there", bayes.ErrInvalid, func() error {
		_, err := model().Fit(ctx, bayes.Data{Rows: []bayes.Row{{0, 1}, {0, 3}}}, nil)
		return err
	})
	all.Add("FitPseudo: a missing cell", bayes.ErrInvalid, func() error {
		_, err := model().FitPseudo(ctx, bayes.Data{Rows: []bayes.Row{{0, 1}, {0, math.NaN()}}}, nil)
		return err
	})
}

func mixtureMistakes(all *mistakes.List) {
	nan := math.NaN()
	for _, x := range []struct {
		call       string
		x          [][]float64
		components int
		prior      em.GaussianPrior
		want       error
	}{
		{"no vectors", nil, 1, em.GaussianPrior{}, bayes.ErrInvalid},
		{"empty vectors", [][]float64{{}}, 1, em.GaussianPrior{}, bayes.ErrInvalid},
		{"no components", [][]float64{{1}}, 0, em.GaussianPrior{}, bayes.ErrInvalid},
		{"vectors of 1 and 2 numbers", [][]float64{{1}, {1, 2}}, 1, em.GaussianPrior{}, bayes.ErrInvalid},
		{"a prior of 2 numbers for 1", [][]float64{{1}, {2}}, 1, em.GaussianPrior{Scale: []float64{1, 1}}, bayes.ErrInvalid},
		{"a column without numbers", [][]float64{{nan}, {nan}}, 1, em.GaussianPrior{}, em.ErrParameter},
		{"an infinite number", [][]float64{{1}, {math.Inf(1)}}, 1, em.GaussianPrior{}, em.ErrParameter},
	} {
		all.Add("NewMixture: "+x.call, x.want, func() error {
			_, _, err := bayes.NewMixture(x.x, x.components, bayes.Diagonal, x.prior)
			return err
		})
	}
	all.Add("Mixture: a vector known in part", bayes.ErrInvalid, func() error {
		m, data, err := bayes.NewMixture([][]float64{{0, nan}, {0, 1}}, 2, bayes.Full, em.GaussianPrior{})
		if err == nil {
			_, err = m.Fit(ctx, data, nil)
		}
		return err
	})
}

func bifMistakes(all *mistakes.List) {
	const ab = "variable a {type discrete [2] {0, 1};}\nvariable b {type discrete [2] {0, 1};}\n"
	for _, x := range []struct {
		call, text string
		want       error
	}{
		{"nothing", "", bayes.ErrFormat},
		{"no word", "\n{", bayes.ErrFormat},
		{"other block", "nodes x {}", bayes.ErrFormat},
		{"unclosed", "network x {", bayes.ErrFormat},
		{"unclosed comment", "network x { } /* ", bayes.ErrFormat},
		{"unclosed quotation", "network x { }\nvariable \"a {\n}", bayes.ErrFormat},
		{"type", "variable a { type continuous; }", bayes.ErrFormat},
		{"count", "variable a {\n type discrete [3] {0, 1}; }", bayes.ErrFormat},
		{"state twice", "variable a { type discrete [2] {0, 0}; }", bayes.ErrFormat},
		{"no states", "variable a { }", bayes.ErrFormat},
		{"variable twice", ab + "variable a {type discrete [2] {0, 1};}", bayes.ErrFormat},
		{"unknown variable", ab + "probability (c) {table 1;}", bayes.ErrFormat},
		{"unknown parent", ab + "probability (a | c) {}", bayes.ErrFormat},
		{"unknown state", ab + "probability (a | b) {\n(2) .5, .5;}", bayes.ErrFormat},
		{"row twice", ab + "probability (a | b) {\n(0) .5, .5;\n(0) .5, .5;}", bayes.ErrFormat},
		{"row missing", ab + "probability (a | b) {\n(0) .5, .5;}", bayes.ErrFormat},
		{"table twice", ab + "probability (a) {table .5, .5;}\nprobability (a) {table .5, .5;}", bayes.ErrFormat},
		{"no table", ab + "probability (a) {table .5, .5;}", bayes.ErrInvalid},
		{"too few", ab + "probability (a) {table .5;}", bayes.ErrFormat},
		{"too many", ab + "probability (a) {table .5 .5 .5;}", bayes.ErrFormat},
		{"no number", ab + "probability (a) {table .5 x;}", bayes.ErrFormat},
		{"NaN", ab + "probability (a) {table .5 NaN;}", bayes.ErrFormat},
		{"negative", ab + "probability (a) {table 1.5, -.5;}", bayes.ErrFormat},
		{"sum", ab + "probability (a | b) {\n(0) .5, .5;\n(1) .5, .6;\n}", bayes.ErrInvalid},
		{"cycle", ab + "probability (a | b) {default .5, .5;} probability (b | a) {default .5, .5;}", bayes.ErrInvalid},
		{"own parent", ab + "probability (a | a) {default .5, .5;} probability (b) {table .5, .5;}", bayes.ErrInvalid},
		{"too large", "variable a {type discrete [2] {0, 1};} probability (a | " + strings.Repeat("a ", 40) + ") {default .5 .5;}", bayes.ErrFormat},
	} {
		all.Add("ReadBIF: "+x.call, x.want, func() error { _, err := bayes.ReadBIF(strings.NewReader(x.text), "dir/x.bif"); return err })
	}
}
