package bayes_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// possible returns rows with weights, missing cells with the given probability, and no product 0.
func possible(rng *rand.Rand, g *bayes.FactorGraph, missing float64) bayes.Data {
	var data bayes.Data
	for range 8 {
		r := partly(rng, g, missing)
		if sum := total(g, r); sum > 0 {
			data.Rows, data.Weights = append(data.Rows, r), append(data.Weights, []float64{1, 2, .5}[rng.IntN(3)])
		}
	}
	return data
}

// total returns the sum of all products.
func total(g *bayes.FactorGraph, r bayes.Row) float64 {
	sum := 0.
	products(g, r, func(_ bayes.Row, w float64) { sum += w })
	return sum
}

// logLikelihood and logPseudo are the two objectives, by enumeration.
func logLikelihood(g *bayes.FactorGraph, data bayes.Data) float64 {
	sum := 0.
	for i, r := range data.Rows {
		sum += data.Weights[i] * math.Log(total(g, r)/total(g, g.Unknown()))
	}
	return sum
}

func logPseudo(g *bayes.FactorGraph, data bayes.Data) float64 {
	sum := 0.
	for i, r := range data.Rows {
		for v := range r {
			sum += data.Weights[i] * math.Log(total(g, r)/total(g, bayes.Hide([]bayes.Row{r}, v)[0]))
		}
	}
	return sum
}

// Both objectives are those of enumeration, and their counts and curvature divided differences.
func TestFactorObjectives(t *testing.T) {
	checked := 0
	for seed := range trials.Seeds(60) {
		rng := graphtest.Rand(seed)
		g := randomFactors(rng, seed%3 == 0)
		pseudo := seed%2 == 0
		missing := .4
		if pseudo {
			missing = 0
		}
		data := possible(rng, g, missing)
		m := must(bayes.NewFactorModel(g, em.LogLinearOptions{}))
		if len(data.Rows) == 0 || m.Params.Len() == 0 {
			continue
		}
		checked++
		var l em.Likelihood = must(m.Likelihood(data))
		want := logLikelihood
		if pseudo {
			l, want = must(m.PseudoLikelihood(data)), logPseudo
		}
		tangent := make([]float64, m.Params.Len())
		for i := range tangent {
			tangent[i] = rng.NormFloat64()
		}
		q := em.Query{Theta: m.Theta, Tangent: tangent}
		likelihoodtest.Check(t, l, q)
		e := must(l.Expect(ctx, q))
		if sum := want(g, data); !near(e.LogLikelihood, sum) {
			t.Errorf("seed %d: ln P = %v, want %v", seed, e.LogLikelihood, sum)
		}
		const step = 1e-5
		at := func(i int, d float64) *bayes.FactorGraph {
			moved := must(bayes.NewFactorModel(g, em.LogLinearOptions{}))
			if moved.Theta[i] += d; i < 0 {
				panic("no parameter")
			}
			return must(moved.FactorGraph())
		}
		for i, count := range e.Counts {
			if d := (want(at(i, step), data) - want(at(i, -step), data)) / (2 * step); math.Abs(d-count) > 1e-6*max(1, math.Abs(d)) {
				t.Errorf("seed %d: parameter %d has the derivative %v, want %v", seed, i, count, d)
			}
		}
		along := func(d float64) []float64 {
			theta := make([]float64, len(m.Theta))
			for i := range theta {
				theta[i] = m.Theta[i] + d*tangent[i]
			}
			return must(l.Expect(ctx, em.Query{Theta: theta})).Counts
		}
		up, down := along(step), along(-step)
		for i, c := range e.Curvature {
			if d := (up[i] - down[i]) / (2 * step); math.Abs(d-c) > 1e-5*max(1, math.Abs(d)) {
				t.Errorf("seed %d: parameter %d has the curvature %v, want %v", seed, i, c, d)
			}
		}
	}
	if checked < 15 {
		t.Errorf("%d objectives", checked)
	}
}

// On complete rows of a chain the best factors have a closed form: the likelihood is that of the
// frequencies of neighbours, divided by those of the variables between them.
func TestChainOfFactors(t *testing.T) {
	rng := graphtest.Rand(3)
	states := []string{"0", "1", "2"}
	variables := []bayes.Variable{{Name: "a", States: states}, {Name: "b", States: states}, {Name: "c", States: states}}
	g := must(bayes.NewFactorGraph(variables, []bayes.Factor{{Variables: []int{0, 1}}, {Variables: []int{1, 2}}}))
	var data bayes.Data
	ab, b, bc := map[[2]int]float64{}, map[int]float64{}, map[[2]int]float64{}
	for range 200 {
		x, y, z := rng.IntN(3), rng.IntN(3), rng.IntN(3)
		if rng.IntN(2) == 0 {
			y = x
		}
		if rng.IntN(3) == 0 {
			z = 2 - y
		}
		data.Rows = append(data.Rows, bayes.Row{float64(x), float64(y), float64(z)})
		ab[[2]int{x, y}]++
		bc[[2]int{y, z}]++
		b[y]++
	}
	want := 0.
	for _, n := range ab {
		want += n * math.Log(n)
	}
	for _, n := range bc {
		want += n * math.Log(n)
	}
	for _, n := range b {
		want -= n * math.Log(n)
	}
	want -= 200 * math.Log(200)
	for _, pseudo := range []bool{false, true} {
		m := must(bayes.NewFactorModel(g, em.LogLinearOptions{}))
		fit := m.Fit
		if pseudo {
			fit = m.FitPseudo
		}
		result, err := fit(ctx, data, &em.Options{Tolerance: 1e-10, Iterations: 500})
		if err != nil {
			t.Fatal(err)
		}
		fitted := must(m.FactorGraph())
		got := 0.
		for _, r := range data.Rows {
			got += must(fitted.LogProb(r))
		}
		if !pseudo {
			if math.Abs(got-want) > 1e-6 || math.Abs(result.LogLikelihood-want) > 1e-6 {
				t.Errorf("ln P = %v, in training %v, want %v", got, result.LogLikelihood, want)
			}
			// Moments of the model are those of the rows.
			for x := range 3 {
				p := must(fitted.Posteriors(bayes.Row{math.NaN(), float64(x), math.NaN()}))
				for y, q := range p.States(0) {
					if want := ab[[2]int{y, x}] / b[x]; math.Abs(q-want) > 1e-4 {
						t.Errorf("P(a = %d | b = %d) = %v, want %v", y, x, q, want)
					}
				}
			}
		} else if got > want+1e-9 || got < want-2 {
			t.Errorf("ln P = %v by pseudolikelihood, at most %v and close to it", got, want)
		}
	}
}

// Pseudolikelihood finds the couplings of a grid that is too wide for the likelihood.
func TestPseudoOfWideGrid(t *testing.T) {
	const side, coupling = 7, .3
	var variables []bayes.Variable
	var factors []bayes.Factor
	up, down := math.Exp(coupling), math.Exp(-coupling)
	for i := range side * side {
		variables = append(variables, bayes.Variable{Name: fmt.Sprint("s", i), States: []string{"-", "+"}})
		for _, j := range []int{i - side, i - 1} {
			if j >= 0 && (j == i-side || i%side > 0) {
				factors = append(factors, bayes.Factor{Variables: []int{j, i}, Table: []float64{up, down, down, up}})
			}
		}
	}
	g := must(bayes.NewFactorGraph(variables, factors))
	rng := graphtest.Rand(5)
	var data bayes.Data
	for range 300 {
		data.Rows = append(data.Rows, must(g.Complete(g.Unknown(), rng)))
	}
	m := must(bayes.NewFactorModel(g.WithMaxEntries(100), em.LogLinearOptions{Sigma: 1}))
	clear(m.Theta)
	if _, err := m.Fit(ctx, data, nil); !errors.Is(err, bayes.ErrTreewidth) {
		t.Errorf("Fit: %v, want ErrTreewidth", err)
	}
	must(m.FitPseudo(ctx, data, nil))
	mean := 0.
	for i := range factors {
		w := m.Group(i).In(m.Theta)
		mean += (w[0] + w[3] - w[1] - w[2]) / 4 / float64(len(factors))
	}
	if math.Abs(mean-coupling) > .02 { // the standard error is about 1/√(84·300)
		t.Errorf("the mean coupling is %v, want about %v", mean, coupling)
	}
}

// An entry of 0 stays 0, and rows that need it are refused or skipped.
func TestImpossibleFactors(t *testing.T) {
	states := []string{"0", "1"}
	g := must(bayes.NewFactorGraph([]bayes.Variable{{Name: "a", States: states}, {Name: "b", States: states}},
		[]bayes.Factor{{Variables: []int{0, 1}, Table: []float64{1, 0, 1, 1}}}))
	m := must(bayes.NewFactorModel(g, em.LogLinearOptions{Sigma: 1}))
	data := bayes.Data{Rows: []bayes.Row{{0, 0}, {0, 1}, {1, 1}}}
	if _, err := m.Fit(ctx, data, nil); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("a row of probability 0: %v", err)
	}
	data.Underivable = em.Skip
	result, err := m.Fit(ctx, data, nil)
	if err != nil || len(result.Skipped) != 1 {
		t.Fatalf("%v, %v", result, err)
	}
	fitted := must(m.FactorGraph())
	if table := fitted.Factors()[0].Table; table[1] != 0 || !(table[0] > 0) {
		t.Errorf("table %v", table)
	}
	none := must(bayes.NewFactorGraph(g.Variables(), []bayes.Factor{{Variables: []int{0}, Table: []float64{0, 0}}}))
	if _, err := must(bayes.NewFactorModel(none, em.LogLinearOptions{})).Fit(ctx, bayes.Data{Rows: []bayes.Row{g.Unknown()}}, nil); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("factors that are 0: %v", err)
	}
}
