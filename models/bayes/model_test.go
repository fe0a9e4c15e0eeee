package bayes_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

var ctx = context.Background()

// rows draws rows with missing cells, some of them equal, and weights.
func rows(rng *rand.Rand, n *bayes.Network, size int) bayes.Data {
	var d bayes.Data
	for i := range size {
		r := hide(rng, n, n.Sample(rng))
		if i > 0 && rng.IntN(3) == 0 {
			r = d.Rows[rng.IntN(i)]
		}
		d.Rows, d.Weights = append(d.Rows, r), append(d.Weights, .5+rng.Float64())
	}
	return d
}

// bestCounts adds to counts, by variable and configuration, weight times the statistics of the
// best completion of r.
func bestCounts(m *bayes.Model, n *bayes.Network, r bayes.Row, weight float64, counts []float64) {
	best := enumerate(n, r).best
	for full, p := range completions(n, r) {
		if p < best*(1-1e-12) {
			continue
		}
		for _, f := range n.Families() {
			c := 0
			for _, u := range f.Parents {
				c = c*len(n.Variables()[u].States) + int(full[u])
			}
			g := m.Group(f.Children[0], c)
			if n.Discrete(f.Children[0]) {
				g.In(counts)[int(full[f.Children[0]])] += weight
				continue
			}
			if math.IsNaN(r[f.Children[0]]) {
				continue
			}
			var x []float64 // regressors first
			for _, u := range slices.Concat(f.Regressors, f.Children) {
				x = append(x, r[u])
			}
			em.NewGaussian(len(x)).AddCounts(g.In(counts), x, weight)
		}
		return
	}
}

// The counts of best completions, and their likelihood, against the sum over all.
func TestBestCounts(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](300)) {
		rng := graphtest.Rand(seed)
		n := random(rng, seed%2 == 0)
		data := rows(rng, n, 1+rng.IntN(8))
		m := must(bayes.NewModel(n, func(v, _ int) em.Law {
			if n.Discrete(v) {
				return nil
			}
			return em.NewGaussian(len(n.Family(v).Children) + len(n.Family(v).Regressors))
		}))
		e := must(must(m.Likelihood(data)).Expect(ctx, em.Query{Theta: m.Theta, EStep: em.Viterbi}))
		want, counts := 0., make([]float64, m.Params.Len())
		for i, r := range data.Rows {
			bestCounts(m, n, r, data.Weights[i], counts)
			want += data.Weights[i] * math.Log(enumerate(n, r).best)
		}
		if !near(e.LogLikelihood, want) {
			t.Fatalf("seed %d: log likelihood %v, want %v", seed, e.LogLikelihood, want)
		}
		if ties(n, data) {
			continue
		}
		for i := range counts {
			if !near(e.Counts[i], counts[i]) {
				t.Fatalf("seed %d: count of %s is %v, want %v", seed, m.Params.Name(int32(i)), e.Counts[i], counts[i])
			}
		}
	}
}

// The conditional likelihood is that of the rows less that of what is given; with the best
// completions, the former alone is theirs.
func TestConditionalLikelihood(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](100)) {
		rng := graphtest.Rand(seed)
		n := random(rng, seed%2 == 0)
		data := rows(rng, n, 1+rng.IntN(8))
		const given = 0
		m := must(bayes.NewModel(n, nil))
		l := must(m.ConditionalLikelihood(data, given))
		for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
			want := 0.
			for i, r := range data.Rows {
				known := n.Unknown()
				known[given] = r[given]
				all := enumerate(n, r)
				if step == em.Viterbi {
					all.total = all.best
				}
				want += data.Weights[i] * math.Log(all.total/enumerate(n, known).total)
			}
			if got := must(l.Expect(ctx, em.Query{Theta: m.Theta, EStep: step})).LogLikelihood; !near(got, want) {
				t.Fatalf("seed %d, %v: %v, want %v", seed, step, got, want)
			}
		}
	}
	if _, err := must(bayes.NewModel(naive(2, 2), nil)).ConditionalLikelihood(bayes.Data{Rows: []bayes.Row{{0, 0, 0}}}, 3); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("an unknown variable is given: %v", err)
	}
}

// Conditional EM, hard assignments to a conditional model, raises its objective.
func TestConditionalEM(t *testing.T) {
	n := naive(2, 4)
	data := drawn(n, 80, 5)
	m := must(bayes.NewModel(n, bayes.SameLaw(em.Dirichlet{Alpha: 1.2})))
	l := must(m.ConditionalLikelihood(data, 1, 2))
	for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
		r := must(em.Fit(ctx, l, &em.Options{EStep: step, Start: m.Params.Random(graphtest.Rand(1)), Iterations: 20}))
		if last := len(r.Objective) - 1; !slices.IsSorted(r.Objective) || r.Objective[last] < r.Objective[0]+1 {
			t.Errorf("%v: objective %v", step, r.Objective)
		}
	}
}

// ties reports whether several completions of a row are best.
func ties(n *bayes.Network, data bayes.Data) bool {
	for _, r := range data.Rows {
		best, count := enumerate(n, r).best, 0
		full := slices.Clone(r)
		var fill func(v int)
		fill = func(v int) {
			if v == n.Len() {
				if probability(n, full) >= best*(1-1e-12) {
					count++
				}
				return
			}
			if !n.Discrete(v) || r[v] == r[v] {
				fill(v + 1)
				return
			}
			for x := range n.Variables()[v].States {
				full[v] = float64(x)
				fill(v + 1)
			}
		}
		if fill(0); count > 1 {
			return true
		}
	}
	return false
}

// Gradients and Hessian-vector products of plain and conditional likelihoods in the
// Coordinates, against differences.
func TestDerivatives(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](60)) {
		rng := graphtest.Rand(seed)
		n := random(rng, seed%2 == 0)
		for slices.ContainsFunc(n.Families(), func(f bayes.Family) bool { return f.Regressors != nil }) {
			n = random(rng, seed%2 == 0) // regressions have no second derivatives
		}
		data := rows(rng, n, 1+rng.IntN(6))
		m := must(bayes.NewModel(n, priors(n)))
		m.Theta = m.Params.Random(rng)
		for kind, l := range []em.Likelihood{must(m.Likelihood(data)), must(m.ConditionalLikelihood(data, 0))} {
			coordinates := must(m.Params.Coordinates(m.Theta))
			x := coordinates.Of(m.Theta)
			value := func(x []float64) float64 {
				theta := coordinates.Theta(x)
				return must(l.Expect(ctx, em.Query{Theta: theta})).LogLikelihood + m.Params.LogPrior(theta)
			}
			gradient := func(x []float64) []float64 {
				theta, dx := coordinates.Theta(x), make([]float64, coordinates.Dim())
				coordinates.Gradient(dx, theta, must(l.Expect(ctx, em.Query{Theta: theta})).Counts)
				return dx
			}
			const h = 1e-5
			along := make([]float64, len(x))
			for i := range along {
				along[i] = rng.NormFloat64()
			}
			up, down := slices.Clone(x), slices.Clone(x)
			for i := range x {
				up[i] += h * along[i]
				down[i] -= h * along[i]
			}
			slope, g := 0., gradient(x)
			for i := range g {
				slope += g[i] * along[i]
			}
			if got := (value(up) - value(down)) / 2 / h; math.Abs(got-slope) > 1e-5*max(1, math.Abs(slope)) {
				t.Fatalf("seed %d, likelihood %d: slope %v, differences say %v", seed, kind, slope, got)
			}
			e := must(l.Expect(ctx, em.Query{Theta: m.Theta, Tangent: must(coordinates.Tangent(m.Theta, along))}))
			likelihoodtest.Check(t, l, em.Query{Theta: m.Theta, Tangent: must(coordinates.Tangent(m.Theta, along))})
			product := make([]float64, len(x))
			if err := coordinates.HessianProduct(product, m.Theta, e.Counts, along, e.Curvature); err != nil {
				t.Fatal(err)
			}
			gu, gd := gradient(up), gradient(down)
			for i := range product {
				if want := (gu[i] - gd[i]) / 2 / h; math.Abs(product[i]-want) > 1e-5*max(1, math.Abs(want)) {
					t.Fatalf("seed %d, likelihood %d: coordinate %d of the Hessian product is %v, differences say %v", seed, kind, i, product[i], want)
				}
			}
		}
	}
}

// priors returns laws of n under which every M step has an optimum.
func priors(n *bayes.Network) bayes.LawOf {
	return func(v, c int) em.Law {
		if n.Discrete(v) {
			return []em.Law{bayes.Ridge{Beta: .5}, em.Dirichlet{Alpha: 1.5}, em.Fixed{}, em.Variational{Alpha: 1}}[(v+c)%4]
		}
		d := len(n.Family(v).Children) + len(n.Family(v).Regressors)
		g := em.NewGaussian(d)
		g.Prior = em.GaussianPrior{Weight: .1, Degrees: 5, Scale: []float64{1, 2, 3}[:d]}
		return g
	}
}

// loadPerByte bounds what Load allocates for a byte of text: a family of nothing but its
// brackets has six slices.
const loadPerByte = 800

func TestLoadMemory(t *testing.T) {
	for _, list := range []string{"variables", "families"} {
		for _, element := range []string{"0", "{}", "[]", "null", `{"name":""}`, `{"children":[0],"table":[1]}`, `{"normals":[{}]}`, `{"states":["a"]}`} {
			elements := strings.TrimSuffix(strings.Repeat(element+",", 1<<17/len(element)), ",")
			text := `{"format":"pathsum bayes 1","` + list + `":[` + elements + `]}`
			memtest.Bound(t, len(text), loadPerByte, func() {
				if _, err := bayes.Load(strings.NewReader(text)); err == nil {
					t.Errorf("%s of %s: no error", list, element)
				}
			})
		}
	}
}

// FuzzLoad: what is loaded can be saved and used.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(6) {
		var b bytes.Buffer
		if err := random(graphtest.Rand(seed), seed%2 == 0).Save(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var n *bayes.Network
		var err error
		memtest.Bound(t, len(text), loadPerByte, func() { n, err = bayes.Load(bytes.NewReader(text)) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := n.Save(&b); err != nil {
			t.Fatal(err)
		}
		m, err := bayes.Load(&b)
		if err != nil {
			t.Fatal(err)
		}
		same(t, n, m)
	})
}
