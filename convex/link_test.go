package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/trials"
)

// linked is a hidden variable of w values with an observed child, and its hidden child of v values
// with another.
func linked(rng *rand.Rand, rows, w, v int) []Variable {
	return []Variable{
		{Name: "parent", States: w},
		{Name: "child", States: v, Parents: []int{0}},
		{States: 3, Parents: []int{0}, Values: pick(rng, rows, 3)},
		{States: 3, Parents: []int{1}, Values: pick(rng, rows, 3)},
	}
}

// linkAlone returns the part of linked whose only term is the link.
func linkAlone(t *testing.T, v []Variable, ridge float64) *part {
	t.Helper()
	p, err := NewProblem(v, nil, ridge)
	if err != nil {
		t.Fatal(err)
	}
	b := p.parts[0].fresh()
	for _, x := range b.terms {
		if _, ok := x.loss.(*mixtures); ok {
			b.terms = []*term{x}
			return b
		}
	}
	t.Fatal("no link")
	return nil
}

// skewed returns (1+skew)·x∘y − skew·x, for scaled matrices.
func (x *and) skewed(p *part, a, b []float64) []float64 {
	m := make([]float64, len(a))
	t := len(p.n)
	floats.MulTo(m, a, b)
	for i := range m {
		m[i] = x.at(a[i], m[i]/(p.s[i/t]*p.s[i%t]))
	}
	return m
}

// ofLabels returns the points of labels per merged row, with the links' functions of them.
func (p *part) ofLabels(labels ...[]int) []*point {
	t := len(p.n)
	m := make([][]float64, len(p.relations))
	for k, y := range labels {
		m[k] = make([]float64, t*t)
		for i := range m[k] {
			if y[i/t] == y[i%t] {
				m[k][i] = p.s[i/t] * p.s[i%t]
			}
		}
	}
	for _, a := range p.ands {
		m[a.m] = a.skewed(p, m[a.a], m[a.b])
	}
	return p.points(m)
}

// leastMixture is the dual of (4) of a link with labels y of v values and parents h, maximized over
// the mixtures Θᵢ of the label and the uniform distribution.
func leastMixture(t *testing.T, n []float64, h, y []int, v int, ridge float64) float64 {
	t.Helper()
	theta := func(i int, x float64) (row []float64, sigma float64) {
		sigma = 1 / (1 + math.Exp(-x))
		row = make([]float64, v)
		for k := range row {
			row[k] = sigma / float64(v-1)
		}
		row[y[i]] = 1 - sigma
		return row, sigma
	}
	f := func(gradient, x []float64) (float64, error) {
		value := 0.
		rest := make(map[[2]int]float64) // Σ n(Y − Θ) per parent's value
		for i := range x {
			row, _ := theta(i, x[i])
			for k, p := range row {
				value += n[i] * p * math.Log(p)
				rest[[2]int{h[i], k}] -= n[i] * p
			}
			rest[[2]int{h[i], y[i]}] += n[i]
		}
		for _, r := range rest {
			value += r * r / (2 * ridge)
		}
		for i := range x {
			row, sigma := theta(i, x[i])
			slope := 0.
			for k, p := range row {
				d := sigma * (1 - sigma) / float64(v-1)
				if k == y[i] {
					d = -sigma * (1 - sigma)
				}
				slope += n[i] * d * (math.Log(p) + 1 - rest[[2]int{h[i], k}]/ridge)
			}
			gradient[i] = slope
		}
		return value, nil
	}
	s, err := lbfgs.Minimize(make([]float64, len(y)), nil, lbfgs.Stop{Gradient: 1e-8, Steps: 3000}, f)
	if err != nil {
		t.Fatal(err)
	}
	return -s.Value
}

// TestLinkOfLabels: at labels a link is (4) maximized over mixtures. This equals the loss of the
// table if the child has two values, and is a lower bound otherwise: 15 % less on average if parent
// and child are independent.
func TestLinkOfLabels(t *testing.T) {
	for v := 2; v <= 4; v++ {
		total, exact := 0., 0.
		for seed := range trials.Seeds(8) {
			rng := rand.New(rand.NewPCG(seed, 71))
			x := linked(rng, 14, 3, v)
			ridge := math.Exp(rng.NormFloat64())
			b := linkAlone(t, x, ridge)
			h, y := pick(rng, len(b.n), 3), pick(rng, len(b.n), v)
			lower, upper := b.evaluate(b.ofLabels(h, y))
			if upper-lower > 1e-7*(1+upper) {
				t.Errorf("%d values, seed %d: between %g and %g", v, seed, lower, upper)
			}
			if want := leastMixture(t, b.n, h, y, v, ridge); math.Abs(lower-want) > 1e-6*want {
				t.Errorf("%d values, seed %d: %.9g, by mixtures %.9g", v, seed, lower, want)
			}
			p, err := NewProblem([]Variable{{States: 3, Values: h}, {States: v, Parents: []int{0}, Values: y}, {States: 2}}, b.n, ridge)
			if err != nil {
				t.Fatal(err)
			}
			_, want := p.table(1, nil)
			if lower > want*(1+1e-9) || v == 2 && lower < want*(1-1e-7) {
				t.Errorf("%d values, seed %d: link of %.9g, loss of the table %.9g", v, seed, lower, want)
			}
			total += lower
			exact += want
		}
		t.Logf("%d values: %.2f %% below the loss", v, 100*(1-total/exact))
		if total < .82*exact {
			t.Errorf("%d values: links of %g, losses of %g", v, total, exact)
		}
	}
}

// TestLinkIsJointlyConvex: between two pairs of relations with the links that belong to them, the
// value at the middle is no more than the mean.
func TestLinkIsJointlyConvex(t *testing.T) {
	bent := 0
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 72))
		p, err := NewProblem(linked(rng, 9, 2, 3), nil, .7)
		if err != nil {
			t.Fatal(err)
		}
		f := newLowRank(p.parts[0].fresh(), 3)
		f.centre = 1. / 2 // more than 1/v
		x, y := f.points(f.start(rng)), f.points(f.start(rng))
		middle := make([][]float64, len(x))
		for k := range x {
			middle[k] = make([]float64, len(x[k].m))
			floats.AddScaledTo(middle[k], x[k].m, 1, y[k].m)
			floats.Scale(.5, middle[k])
		}
		fx, _ := f.part.evaluate(x)
		fy, _ := f.part.evaluate(y)
		fm, _ := f.part.evaluate(f.part.points(middle))
		if fm > (fx+fy)/2+1e-9*fx {
			t.Errorf("seed %d: %g between %g and %g", seed, fm, fx, fy)
		}
		if fm < (fx+fy)/2-1e-6 {
			bent++
		}
	}
	if bent == 0 {
		t.Error("no value is strictly convex")
	}
}

// TestLinkNearest: the projection onto the tetrahedron of a link has no corner beyond the plane
// through it, and its clipped entries are inside.
func TestLinkNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 73))
	for range 20000 {
		a := newAnd(0, 1, 2, 1/float64(1+rng.IntN(4)))
		p := [3]float64{3*rng.NormFloat64() + .5, rng.NormFloat64() + .5, 2 * rng.NormFloat64()}
		q := a.shape.nearest(p)
		for _, v := range a.shape.corners {
			sum := 0.0
			for i := range v {
				sum += (p[i] - q[i]) * (v[i] - q[i])
			}
			if sum > 1e-9 {
				t.Fatalf("skew %g: %v is projected to %v, but %v is on the other side", a.skew, p, q, v)
			}
		}
		x, y := rng.Float64(), rng.Float64()
		if m := a.clip(x, y, p[2], 1); !a.shape.within(q) || !a.shape.within([3]float64{x, y, m}) {
			t.Fatalf("skew %g: %v, or %g of %g and %g, is outside", a.skew, q, m, x, y)
		}
		if m := a.at(x, x*y); !a.shape.within([3]float64{x, y, m}) || a.clip(x, y, m, 1) != m {
			t.Fatalf("skew %g: %g of %g and %g is outside", a.skew, m, x, y)
		}
	}
}

// TestLinkBound: the bound of a hidden variable and its hidden parent holds for all labels, and
// is more than the least losses of the parts of the problem without the link together.
func TestLinkBound(t *testing.T) {
	for seed := range trials.Seeds(6) {
		rng := rand.New(rand.NewPCG(seed, 74))
		v := 2 + int(seed%2)
		rows := 7 - v
		x := linked(rng, rows, 2, v)
		p, err := NewProblem(x, nil, []float64{.3, 1, 3}[seed%3])
		if err != nil {
			t.Fatal(err)
		}
		s := Splitting{Gap: 1e-5, Iterations: 5000}
		r, err := s.Solve(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		labels := [][]int{make([]int, rows), make([]int, rows)}
		var try func(k int)
		try = func(k int) {
			if k == 2*rows {
				least = min(least, p.objective(labels))
				return
			}
			for y := range x[k/rows].States {
				labels[k/rows][k%rows] = y
				try(k + 1)
			}
		}
		try(0)
		if r.Status != Converged && r.Status != Degenerate || r.Lower > least || r.LabelsLower != r.Lower {
			t.Errorf("seed %d: %v with bound %g, of labels %g, which have %g", seed, r.Status, r.Lower, r.LabelsLower, least)
		}
		apart := *p.parts[0]
		apart.terms = nil
		for _, x := range p.parts[0].terms {
			if _, ok := x.loss.(*mixtures); !ok {
				apart.terms = append(apart.terms, x)
			}
		}
		p.parts[0] = &apart
		without, err := s.Solve(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Lower <= without.Upper {
			t.Errorf("seed %d: bound %g, without the link %g", seed, r.Lower, without.Upper)
		}
		t.Logf("%d values, ridge %g: at least %.3f, %.3f without the link, labels have %.3f", v, p.ridge, r.Lower, without.Upper, least)
	}
}

// TestLooseLinks: how far below the value with exact products the relaxed optimum of a link is.
// No other relaxation of the products comes to more than that value.
func TestLooseLinks(t *testing.T) {
	for v := 2; v <= 3; v++ {
		const seeds = 3
		loose := 0.
		for seed := range uint64(seeds) {
			rng := rand.New(rand.NewPCG(seed, 75))
			p, err := NewProblem(linked(rng, 10, v, v), nil, .5)
			if err != nil {
				t.Fatal(err)
			}
			relaxed, err := Splitting{Gap: 1e-4, Iterations: 3000, Set: Classes}.Solve(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			f := newLowRank(p.parts[0].fresh(), 5)
			f.centre = 1 / float64(v)
			s, err := lbfgs.Minimize(f.start(rand.New(rand.NewPCG(0, 0))), nil, lbfgs.Stop{Gradient: 1e-6, Steps: 300}, f.evaluate)
			if err != nil {
				t.Fatal(err)
			}
			exact := s.Value + p.Constant()
			if exact < relaxed.Lower {
				t.Errorf("%d values, seed %d: %g with exact products, at least %g with relaxed ones", v, seed, exact, relaxed.Lower)
			}
			loose += (exact - relaxed.Upper) / exact / seeds
		}
		t.Logf("%d values: %.2f %% below exact products", v, 100*loose)
		if loose < -1e-3 || loose > .05 {
			t.Errorf("%d values: relaxed optima are %g below exact products", v, loose)
		}
	}
}
