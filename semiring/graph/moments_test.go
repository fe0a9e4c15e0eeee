package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// event is a path with its probability and what it uses: start entries, arcs and
// the states where it ends, in one vector.
type event struct {
	path graph.Path[float64]
	p    float64
	uses []float64
}

// events lists the paths of an acyclic graph with their probabilities.
func events(g *graph.Graph[float64], maxArcs int) (all []event) {
	total := 0.0
	arcs := len(g.Starts())
	finals := arcs + g.NumArcs()
	for i, start := range g.Starts() {
		one, err := g.WithWeights(g.Weights(), []graph.Start[float64]{start}, g.Finals())
		if err != nil {
			panic(err)
		}
		for path := range oracle.Paths(one, maxArcs) {
			uses, s := make([]float64, finals+g.NumStates()), path.Start
			uses[i]++
			for _, e := range path.Arcs {
				uses[arcs+int(e)]++
				s = g.To()[e]
			}
			uses[finals+int(s)]++
			path.Arcs = append([]int32(nil), path.Arcs...)
			all = append(all, event{path, path.Weight, uses})
			total += path.Weight
		}
	}
	for i := range all {
		all[i].p /= total
	}
	return all
}

// partsOf returns the parts of a vector of uses.
func partsOf[W any](g *graph.Graph[W], x []float64) graph.Parts {
	a := len(g.Starts())
	b := a + g.NumArcs()
	return graph.Parts{Start: x[:a], Arc: x[a:b], Final: x[b:]}
}

func joined(p graph.Parts) []float64 {
	return append(append(append([]float64(nil), p.Start...), p.Arc...), p.Final...)
}

func numParts[W any](g *graph.Graph[W]) int { return len(g.Starts()) + g.NumArcs() + g.NumStates() }

// moments returns mean and covariance of what paths use.
func moments(all []event, n int) ([]float64, *mat.Dense) {
	mean, c := make([]float64, n), mat.NewDense(n, n, nil)
	for _, x := range all {
		floats.AddScaled(mean, x.p, x.uses)
	}
	d := make([]float64, n)
	for _, x := range all {
		floats.SubTo(d, x.uses, mean)
		v := mat.NewVecDense(n, d)
		c.RankOne(c, x.p, v, v)
	}
	return mean, c
}

func normal(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// randomValues returns values of dim components, some of them repeated, and the
// matrix of part by component.
func randomValues[W any](r *rand.Rand, g *graph.Graph[W], dim int) (graph.Values, *mat.Dense) {
	v, m := graph.Values{Dim: dim}, mat.NewDense(numParts(g), dim, nil)
	part := 0
	for _, x := range []struct {
		rows *semiring.Rows
		n    int
	}{{&v.Start, len(g.Starts())}, {&v.Arc, g.NumArcs()}, {&v.Final, g.NumStates()}} {
		if r.IntN(4) == 0 {
			part += x.n // no rows: zeros
			continue
		}
		for range x.n {
			var index []int32
			var value []float64
			for range r.IntN(dim + 2) {
				i, y := r.IntN(dim), r.NormFloat64()
				index, value = append(index, int32(i)), append(value, y)
				m.Set(part, i, m.At(part, i)+y)
			}
			x.rows.Append(index, value)
			part++
		}
		if x.n == 0 {
			x.rows.Row = []int32{0}
		}
	}
	return v, m
}

// closeTo reports whether all components agree to 1e-10 of the greatest.
func closeTo(got, want []float64, scale float64) bool {
	return len(got) == len(want) && floats.EqualApprox(got, want, 1e-10*max(scale, floats.Norm(want, math.Inf(1))))
}

// checkMoments compares means, covariances and products with those of the given mean
// and covariance of uses.
func checkMoments[W any](t *testing.T, r *rand.Rand, g *graph.Graph[W], uses []float64, covariance mat.Matrix) {
	t.Helper()
	n := numParts(g)
	v := normal(r, n)
	want := mat.NewVecDense(n, nil)
	want.MulVec(covariance, mat.NewVecDense(n, v))
	scale := floats.Norm(uses, 1)
	got, err := graph.HessianVector(g, partsOf(g, v))
	if err != nil {
		t.Fatal(err)
	}
	if !closeTo(joined(got), want.RawVector().Data, scale) {
		t.Errorf("H·v is %v, want %v", joined(got), want.RawVector().Data)
	}
	// Slices left out are zeros.
	parts := partsOf(g, v)
	clear(parts.Start)
	clear(parts.Final)
	zeros, err1 := graph.HessianVector(g, parts)
	none, err2 := graph.HessianVector(g, graph.Parts{Arc: parts.Arc})
	if err1 != nil || err2 != nil || !floats.Equal(joined(zeros), joined(none)) {
		t.Errorf("H·v is %v (%v), with zeros spelled out %v (%v)", none, err2, zeros, err1)
	}

	dim := 1 + r.IntN(4)
	values, m := randomValues(r, g, dim)
	wantMean, wantCov := mat.NewVecDense(dim, nil), new(mat.Dense)
	wantMean.MulVec(m.T(), mat.NewVecDense(n, uses))
	wantCov.Product(m.T(), covariance, m)
	mean, err := graph.Mean(g, values)
	if err != nil {
		t.Fatal(err)
	}
	mean2, cov, err := graph.Covariance(g, values)
	if err != nil {
		t.Fatal(err)
	}
	if !closeTo(mean, wantMean.RawVector().Data, scale) || !closeTo(mean2, mean, scale) {
		t.Errorf("mean %v and %v, want %v", mean, mean2, wantMean.RawVector().Data)
	}
	if !mat.EqualApprox(cov, wantCov, 1e-10*max(scale, mat.Max(wantCov))) {
		t.Errorf("covariance %v, want %v", mat.Formatted(cov), mat.Formatted(wantCov))
	}
}

func toLog(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }

func TestMomentsAcyclic(t *testing.T) {
	for seed := range trials.Seeds(1500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Real{}, acyclic, unit)
		all := events(g, 8)
		if len(all) == 0 {
			if _, err := graph.HessianVector(g, graph.Parts{}); !errors.Is(err, graph.ErrNoPath) {
				t.Fatalf("seed %d: error %v, want ErrNoPath", seed, err)
			}
			continue
		}
		mean, covariance := moments(all, numParts(g))
		checkMoments(t, r, g, mean, covariance)
		checkMoments(t, r, graph.Map(g, semiring.Scaled{}, semiring.NewScaled), mean, covariance)
		checkMoments(t, r, graph.Map(g, semiring.Log{}, toLog), mean, covariance)
		type weight = semiring.Expected[float64, float64]
		ring := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
		checkMoments(t, r, graph.Map(g, ring, func(w float64) weight { return weight{P: w, V: 1} }), mean, covariance)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// secondOrder returns mean and covariance of the value of a path along two
// directions, by the expectation semiring over itself: ⟨⟨p, pu⟩, ⟨pv, puv⟩⟩.
func secondOrder(t *testing.T, g *graph.Graph[float64], u, v graph.Parts) (mean, covariance float64) {
	t.Helper()
	type first = semiring.Expected[float64, float64]
	type second = semiring.Expected[first, first]
	inner := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
	h := graph.Map(g, semiring.Expectation(inner, semiring.Scalar(inner)), func(float64) (x second) { return x })
	weight := func(p, u, v float64) second {
		return second{P: first{P: p, V: p * u}, V: first{P: p * v, V: p * u * v}}
	}
	for e, p := range g.Weights() {
		h.Weights()[e] = weight(p, u.Arc[e], v.Arc[e])
	}
	for i, start := range g.Starts() {
		h.Starts()[i].Weight = weight(start.Weight, u.Start[i], v.Start[i])
	}
	for s, p := range g.Finals() {
		h.Finals()[s] = weight(p, u.Final[s], v.Final[s])
	}
	sum, err := graph.PathSum(h)
	if err != nil {
		t.Fatal(err)
	}
	z := sum.P.P
	return sum.P.V / z, sum.V.V/z - sum.P.V/z*(sum.V.P/z)
}

var loopy = graphtest.Shape{States: 8, Arcs: 20, Starts: 3, Finals: .4, Zero: .05}

func TestMomentsCyclic(t *testing.T) {
	checked := 0
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, loopy, .5+.45*r.Float64())
		if z, err := graph.PathSum(g); err != nil || z == 0 {
			continue
		}
		checked++
		n := numParts(g)
		u, v := normal(r, n), normal(r, n)
		mean, covariance := secondOrder(t, g, partsOf(g, u), partsOf(g, v))
		product, err := graph.HessianVector(g, partsOf(g, u))
		if err != nil {
			t.Fatal(err)
		}
		posterior, err := graph.Posteriors(g)
		if err != nil {
			t.Fatal(err)
		}
		scale := 1.0 // roundings of sums of this size are unavoidable in the oracle
		for _, x := range posterior.Arc {
			scale += x
		}
		if got := floats.Dot(joined(product), v); math.Abs(got-covariance) > 1e-10*scale*scale {
			t.Errorf("seed %d: v·H·u is %v, want %v", seed, got, covariance)
		}
		values := graph.Values{Dim: 1}
		p := partsOf(g, u)
		values.Start, values.Arc, values.Final = semiring.Scalars(p.Start), semiring.Scalars(p.Arc), semiring.Scalars(p.Final)
		got, cov, err := graph.Covariance(g, values)
		if err != nil {
			t.Fatal(err)
		}
		_, variance := secondOrder(t, g, p, p)
		if math.Abs(got[0]-mean) > 1e-10*scale || math.Abs(cov.At(0, 0)-variance) > 1e-10*scale*scale {
			t.Errorf("seed %d: mean %v and variance %v, want %v and %v", seed, got[0], cov.At(0, 0), mean, variance)
		}
	}
	if checked < 300 {
		t.Errorf("only %d graphs have a path", checked)
	}
}

// tilted returns g with weights multiplied by exp(x·v).
func tilted(g *graph.Graph[float64], v graph.Parts, x float64) *graph.Graph[semiring.ScaledFloat] {
	h := graph.Map(g, semiring.Scaled{}, semiring.NewScaled)
	for e := range h.Weights() {
		h.Weights()[e] = h.Weights()[e].Mul(semiring.ScaledFromLog(x * v.Arc[e]))
	}
	for i := range h.Starts() {
		h.Starts()[i].Weight = h.Starts()[i].Weight.Mul(semiring.ScaledFromLog(x * v.Start[i]))
	}
	for s := range h.Finals() {
		h.Finals()[s] = h.Finals()[s].Mul(semiring.ScaledFromLog(x * v.Final[s]))
	}
	return h
}

// Posteriors are the gradient of ln Z, and products with the Hessian that of the
// posteriors: by differences, extrapolated to steps of 0.
func TestDerivatives(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, loopy, .7)
		if z, err := graph.PathSum(g); err != nil || z == 0 {
			continue
		}
		v := partsOf(g, normal(r, numParts(g)))
		at := func(x float64) []float64 { // ln Z, then all posteriors
			p, err := graph.Posteriors(tilted(g, v, x))
			if err != nil {
				t.Fatal(err)
			}
			return append([]float64{p.Total.Log()}, joined(graph.Parts{Start: p.Start, Arc: p.Arc, Final: p.Final})...)
		}
		derivative := func(h float64) []float64 {
			d := at(h)
			floats.Sub(d, at(-h))
			floats.Scale(1/(2*h), d)
			return d
		}
		// Richardson: the error of a step h is a series in h².
		const h = 1. / 128
		a, b, c := derivative(h), derivative(h/2), derivative(h/4)
		want := make([]float64, len(a))
		for i := range want {
			ab, bc := (4*b[i]-a[i])/3, (4*c[i]-b[i])/3
			want[i] = (16*bc - ab) / 15
		}
		product, err := graph.HessianVector(g, v)
		if err != nil {
			t.Fatal(err)
		}
		gradient := floats.Dot(at(0)[1:], joined(v))
		got := append([]float64{gradient}, joined(product)...)
		if !floats.EqualApprox(got, want, 1e-9*(1+floats.Norm(want, 1))) {
			t.Fatalf("seed %d: derivatives %v, want %v", seed, got, want)
		}
	}
}

// A value with a great mean and small deviations: the variance keeps its digits.
func TestVarianceBesideGreatMean(t *testing.T) {
	const n, p, mean = 1000, .25, 1e9
	row, to, w, v := []int32{0}, []int32{}, []float64{}, []float64{}
	for s := range n {
		to = append(to, int32(s+1), int32(s+1))
		w, v = append(w, p, 1-p), append(v, mean+1, mean)
		row = append(row, int32(len(to)))
	}
	row = append(row, int32(len(to)))
	final := make([]float64, n+1)
	final[n] = 1
	g, err := graph.New(semiring.Real{}, row, to, w, []graph.Start[float64]{{State: 0, Weight: 1}}, final)
	if err != nil {
		t.Fatal(err)
	}
	got, cov, err := graph.Covariance(g, graph.Values{Dim: 1, Arc: semiring.Scalars(v)})
	if err != nil {
		t.Fatal(err)
	}
	if !near(got[0], n*(mean+p)) || math.Abs(cov.At(0, 0)/(n*p*(1-p))-1) > 1e-6 {
		t.Errorf("mean %v, variance %v, want %v and %v", got[0], cov.At(0, 0), n*(mean+p), n*p*(1-p))
	}
	// All paths have the same length.
	ones := make([]float64, len(v))
	for e := range ones {
		ones[e] = 1
	}
	_, cov, err = graph.Covariance(g, graph.Values{Dim: 1, Arc: semiring.Scalars(ones)})
	if x := cov.At(0, 0); err != nil || x < 0 || x > 1e-20 {
		t.Errorf("the variance of a constant is %v (%v)", x, err)
	}
}

// A geometric number of steps, in a component next to divergence and with a total
// far below what a float64 holds.
func TestMomentsOfLoop(t *testing.T) {
	for _, q := range []float64{.5, 1e-3, 1e-6} {
		tiny := semiring.ScaledFromLog(-1e6)
		g, err := graph.New(semiring.Scaled{}, []int32{0, 1}, []int32{0}, []semiring.ScaledFloat{semiring.NewScaled(1 - q)},
			[]graph.Start[semiring.ScaledFloat]{{State: 0, Weight: tiny}}, []semiring.ScaledFloat{tiny})
		if err != nil {
			t.Fatal(err)
		}
		mean, cov, err := graph.Covariance(g, graph.Values{Dim: 1, Arc: semiring.Scalars([]float64{1})})
		if err != nil {
			t.Fatal(err)
		}
		exact := 1 - (1 - q) // as a float64 holds it
		if got, want := cov.At(0, 0), (1-q)/exact/exact; math.Abs(got/want-1) > 1e-9 || !near(mean[0], (1-q)/exact) {
			t.Errorf("q = %v: mean %v and variance %v, want %v and %v", q, mean[0], got, (1-q)/exact, want)
		}
	}
}

func TestMomentsErrors(t *testing.T) {
	g := loops(3, []arc{{0, 1, 1}, {1, 2, 1}})
	ok := graph.Values{Dim: 1}
	for name, v := range map[string]graph.Values{
		"no component":    {},
		"too few rows":    {Dim: 1, Arc: semiring.Scalars([]float64{1})},
		"index too high":  {Dim: 1, Arc: semiring.Rows{Row: []int32{0, 1, 1}, Index: []int32{1}, Value: []float64{1}}},
		"negative index":  {Dim: 1, Arc: semiring.Rows{Row: []int32{0, 1, 1}, Index: []int32{-1}, Value: []float64{1}}},
		"too few values":  {Dim: 1, Arc: semiring.Rows{Row: []int32{0, 1, 1}, Index: []int32{0}}},
		"falling row":     {Dim: 1, Arc: semiring.Rows{Row: []int32{0, 2, 1}, Index: []int32{0}, Value: []float64{1}}},
		"rows left out":   {Dim: 1, Arc: semiring.Rows{Index: []int32{0}, Value: []float64{1}}},
		"rows not from 0": {Dim: 1, Arc: semiring.Rows{Row: []int32{1, 1, 1}, Index: []int32{0}, Value: []float64{1}}},
	} {
		if _, err := graph.Mean(g, v); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
		if _, _, err := graph.Covariance(g, v); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
	if _, err := graph.HessianVector(g, graph.Parts{Arc: []float64{1}}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	for name, test := range map[string]struct {
		arcs []arc
		want error
	}{
		"negative":  {[]arc{{0, 1, -1}, {1, 2, 1}}, semiring.ErrNegative},
		"NaN":       {[]arc{{0, 1, math.NaN()}, {1, 2, 1}}, semiring.ErrNotFinite},
		"infinite":  {[]arc{{0, 1, math.Inf(1)}, {1, 2, 1}}, semiring.ErrNotFinite},
		"no path":   {[]arc{{0, 1, 1}, {1, 2, 0}}, graph.ErrNoPath},
		"divergent": {[]arc{{0, 1, 1}, {1, 1, 1}, {1, 2, 1}}, semiring.ErrDiverges},
	} {
		g := loops(3, test.arcs)
		if _, err := graph.Mean(g, ok); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
		if _, _, err := graph.Covariance(g, ok); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
		if _, err := graph.HessianVector(g, graph.Parts{}); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
		if _, err := graph.NewSampler(g); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
		if _, err := graph.Entropy(g); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
	}
	costs := graph.Map(g, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(x) })
	if _, err := graph.Mean(costs, ok); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	truth := graph.Map(g, semiring.Boolean{}, func(x float64) bool { return x != 0 })
	if _, err := graph.NewSampler(truth); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}
