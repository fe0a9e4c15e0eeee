package convex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/trials"
)

// TestLabels: at the relation of labels the relaxed objective is that of training on the
// labels, (3) = (6), in every kind of term.
func TestLabels(t *testing.T) {
	for _, s := range shapes {
		checked := 0
		for seed := range trials.Seeds(20) {
			x, ok := newInstance(t, s, rand.New(rand.NewPCG(seed, 1)), 8)
			if !ok || s.product {
				continue
			}
			checked++
			c, err := x.problem.Complete(x.labels)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := value(t, x.problem, x.relations); math.Abs(got-c.Objective) > 1e-8*c.Objective {
				t.Errorf("%s, seed %d: value %.12g at labels of loss %.12g", s.name, seed, got, c.Objective)
			}
		}
		if checked == 0 && !s.product {
			t.Errorf("%s: nothing checked", s.name)
		}
	}
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

// TestConvexity: at the middle the value is no more than the mean of those at the ends.
func TestConvexity(t *testing.T) {
	bent := 0
	for _, s := range shapes {
		if s.turns || s.product {
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

// TestConvexInEach: with the other relation fixed, a chain is convex too.
func TestConvexInEach(t *testing.T) {
	for _, s := range shapes {
		if !s.turns || s.product {
			continue
		}
		for seed := range trials.Seeds(20) {
			rng := rand.New(rand.NewPCG(seed, 4))
			x, ok := newInstance(t, s, rng, 8)
			if !ok {
				continue
			}
			fixed := relaxed(rng, x.relations)
			for k := range fixed {
				a, b := relaxed(rng, x.relations), relaxed(rng, x.relations)
				other := 1 - k
				a[other], b[other] = fixed[other], fixed[other]
				fa, _ := value(t, x.problem, a)
				fb, _ := value(t, x.problem, b)
				fm, _ := value(t, x.problem, mixed(a, b, .5))
				if fm > (fa+fb)/2+1e-9*fa {
					t.Errorf("%s, seed %d, relation %d: %g between %g and %g", s.name, seed, k, fm, fa, fb)
				}
			}
		}
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
			if !s.turns && (r.Status != convex.Converged && r.Status != convex.Degenerate || r.Gap() > 1e-5) {
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
