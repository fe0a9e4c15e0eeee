package agree_test

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// tables are submodels of two choices of two values, given by the weights of all structures:
// p[m][z] is the weight that submodel m gives to z, which is 2·z₁ + z₂.
type tables struct {
	p      [][4]float64
	params *em.Params
	models []agree.Submodel
}

func newTables(p ...[4]float64) *tables {
	t := &tables{p: p, params: em.NewParams()}
	space := t.params.Space()
	marks := t.params.Group("marks", 2, em.Fixed{}) // z₁ = 1, z₂ = 1
	for _, table := range p {
		var to []int32
		var weights []expr.W
		for z, x := range table {
			if x == 0 {
				continue
			}
			w := space.Const(semiring.NewScaled(x))
			for c := range 2 {
				if z>>(1-c)&1 == 1 {
					w = space.Times(w, marks.Weight(c))
				}
			}
			to, weights = append(to, 1), append(weights, w)
		}
		n := int32(len(to))
		g := must(graph.New(space, []int32{0, n, n}, to, weights,
			[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One}))
		corpus := must(cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[expr.W], error) { return g, nil }}.Corpus(t.params))
		t.models = append(t.models, must(agree.Marked(corpus, agree.Features{Marks: marks})))
	}
	return t
}

// posterior returns the path sum and the expectations of the features in submodel m.
func (t *tables) posterior(m int) (float64, []float64) {
	s := t.models[m]
	if err := s.Begin(must(em.Query{Theta: t.params.Start()}.Complete(must(agree.Likelihood(em.Fail, s))))); err != nil {
		panic(err)
	}
	p := must(s.Infer().Posterior(0))
	return p.Total.Float64(), slices.Clone(p.Features)
}

// bound returns Σ_m E_q[ln p_m] + H(q) of q(z) = q₁(z₁)·q₂(z₂), where q[c] is q_c(1).
func (t *tables) bound(q [2]float64) float64 {
	sum := 0.0
	for z := range 4 {
		x := 1.0
		for c := range 2 {
			if z>>(1-c)&1 == 1 {
				x *= q[c]
			} else {
				x *= 1 - q[c]
			}
		}
		if x == 0 {
			continue
		}
		sum -= x * math.Log(x)
		for _, p := range t.p {
			sum += x * math.Log(p[z])
		}
	}
	return sum
}

// improve returns q with choice c set to its optimum.
func (t *tables) improve(q [2]float64, c int) [2]float64 {
	var score [2]float64 // E ln p given the value of the choice
	for v := range 2 {
		q[c] = float64(v)
		score[v] = t.bound(q)
	}
	switch q[c] = 1 / (1 + math.Exp(score[0]-score[1])); {
	case math.IsInf(score[0], -1) && math.IsInf(score[1], -1):
		q[c] = math.NaN()
	case math.IsInf(score[1], -1):
		q[c] = 0
	case math.IsInf(score[0], -1):
		q[c] = 1
	}
	return q
}

// exact returns ln Σ_z Π_m p_m(z).
func (t *tables) exact() float64 {
	sum := 0.0
	for z := range 4 {
		x := 1.0
		for _, p := range t.p {
			x *= p[z]
		}
		sum += x
	}
	return math.Log(sum)
}

// Two submodels with the same path sums and posteriors have different mean-field bounds.
func TestMeanFieldIsNoFunctionOfPosteriors(t *testing.T) {
	even, alike := [4]float64{.25, .25, .25, .25}, [4]float64{.4, .1, .1, .4}
	both := newTables(even, alike)
	total, features := both.posterior(0)
	other, others := both.posterior(1)
	if math.Abs(total-other) > 1e-15 || math.Abs(total-1) > 1e-15 || len(features) != 2 {
		t.Fatalf("path sums %g and %g, features %v", total, other, features)
	}
	for k := range features {
		if math.Abs(features[k]-others[k]) > 1e-15 || math.Abs(features[k]-.5) > 1e-15 {
			t.Fatalf("posteriors %v and %v", features, others)
		}
	}
	q := [2]float64{.5, .5}
	mean := func(p [4]float64) float64 { return newTables(p).bound(q) - 2*math.Ln2 }
	if a, b := mean(even), mean(alike); math.Abs(a+1.386) > 5e-4 || math.Abs(b+1.609) > 5e-4 {
		t.Errorf("the means of ln p are %.3f and %.3f", a, b)
	}
	// A step of mean field from another point differs, too.
	q = [2]float64{.5, .9}
	if a, b := newTables(even).improve(q, 0)[0], newTables(alike).improve(q, 0)[0]; math.Abs(a-.5) > 1e-12 || b < .7 {
		t.Errorf("q₁ is %g and %g", a, b)
	}
}

// Mean field rises, and never exceeds the exact objective. If ln p is linear in the features and
// all combinations are allowed, it reaches the exact objective, and so does loopy belief
// propagation.
func TestMeanFieldOfProducts(t *testing.T) {
	product := func(a, b float64) [4]float64 {
		return [4]float64{(1 - a) * (1 - b), (1 - a) * b, a * (1 - b), a * b}
	}
	for _, x := range []struct {
		*tables
		linear bool
	}{{newTables(product(.3, .9), product(.6, .2)), true}, {newTables(product(.3, .9), [4]float64{.4, .1, .2, .3}), false}} {
		s := x.tables
		q, before := [2]float64{.5, .5}, math.Inf(-1)
		for step := range 40 {
			if q = s.improve(q, step%2); s.bound(q) < before-1e-12 || s.bound(q) > s.exact()+1e-12 {
				t.Fatalf("the bound goes from %g to %g, exactly %g", before, s.bound(q), s.exact())
			}
			before = s.bound(q)
		}
		if x.linear != (math.Abs(before-s.exact()) < 1e-12) {
			t.Errorf("mean field reaches %g of %g", before, s.exact())
		} else if x.linear {
			loopy := must(agree.LoopyBelief(em.Fail, nil, s.models...))
			if e := must(loopy.Expect(t.Context(), em.Query{Theta: s.params.Start()})); math.Abs(e.LogLikelihood-s.exact()) > 1e-12 {
				t.Errorf("loopy belief propagation has %g, exactly %g", e.LogLikelihood, s.exact())
			}
		}
	}
}

// Two choices that must be equal: mean field cannot leave the structure where it starts.
func TestMeanFieldIsStuck(t *testing.T) {
	s := newTables([4]float64{.9, 0, 0, .1})
	for _, x := range []struct{ start, bound float64 }{{1, math.Log(.1)}, {0, math.Log(.9)}} {
		q := [2]float64{x.start, x.start}
		for step := range 10 {
			q = s.improve(q, step%2)
		}
		if q != [2]float64{x.start, x.start} || math.Abs(s.bound(q)-x.bound) > 1e-15 {
			t.Errorf("from %g to %v, with the bound %g", x.start, q, s.bound(q))
		}
	}
	if b := s.bound([2]float64{.5, .5}); !math.IsInf(b, -1) {
		t.Errorf("the bound of a q that allows what is not allowed is %g", b)
	}
	if math.Abs(s.exact()) > 1e-15 {
		t.Errorf("exactly %g", s.exact())
	}
	if e := must(must(agree.Likelihood(em.Fail, s.models[0])).Expect(t.Context(), em.Query{Theta: s.params.Start()})); math.Abs(e.LogLikelihood) > 1e-15 {
		t.Errorf("product EM has %g", e.LogLikelihood)
	}
}
