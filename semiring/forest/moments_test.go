package forest_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// outcome is a tree with what is asked of it.
type outcome struct {
	p    float64
	uses []float64 // per root entry, then per edge
}

// outcomes lists the trees of f with their probabilities.
func outcomes(f *forest.Forest[float64]) (all []outcome, total float64) {
	for root, tree := range oracle.Trees(f) {
		uses := make([]float64, len(f.Roots())+f.NumEdges())
		uses[root] = 1
		for _, e := range tree.Edges {
			uses[len(f.Roots())+int(e)]++
		}
		all = append(all, outcome{tree.Weight, uses})
		total += tree.Weight
	}
	for i := range all {
		all[i].p /= total
	}
	return all, total
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// nearTo compares numbers of which the greatest are of the order of scale.
func nearTo(a, b, scale float64) bool { return math.Abs(a-b) <= 1e-10*(scale+math.Abs(b)) }

// withTrees calls check for n random forests that have a tree.
func withTrees(t *testing.T, n uint64, check func(r *rand.Rand, f *forest.Forest[float64], all []outcome)) {
	t.Helper()
	checked := 0
	for seed := range trials.Seeds(n) {
		r := graphtest.Rand(seed)
		f := foresttest.New(r, semiring.Real{}, shapes[seed%3], unit)
		if all, total := outcomes(f); total > 0 {
			checked++
			check(r, f, all)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if checked < int(n)/4 {
		t.Errorf("only %d of %d forests have a tree", checked, n)
	}
}

// randomValues returns values and, per component, the same numbers of all parts.
func randomValues(r *rand.Rand, f *forest.Forest[float64], dim int) (v forest.Values, byPart [][]float64) {
	v.Dim = dim
	parts := len(f.Roots()) + f.NumEdges()
	byPart = make([][]float64, dim)
	for j := range byPart {
		byPart[j] = make([]float64, parts)
	}
	for part := range parts {
		var index []int32
		var value []float64
		for range r.IntN(4) {
			j, x := r.IntN(dim), r.NormFloat64()
			index, value = append(index, int32(j)), append(value, x)
			byPart[j][part] += x
		}
		if part < len(f.Roots()) {
			v.Root.Append(index, value)
		} else {
			v.Edge.Append(index, value)
		}
	}
	return v, byPart
}

func TestCovariance(t *testing.T) {
	const dim = 3
	withTrees(t, 1000, func(r *rand.Rand, f *forest.Forest[float64], all []outcome) {
		v, byPart := randomValues(r, f, dim)
		mean, covariance, err := forest.Covariance(f, v)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := forest.Mean(f, v)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, dim)
		for _, o := range all {
			for j := range want {
				want[j] += o.p * dot(o.uses, byPart[j])
			}
		}
		for i := range want {
			if !nearTo(mean[i], want[i], 1) || !nearTo(alone[i], want[i], 1) {
				t.Errorf("mean %v and %v, want %v", mean, alone, want)
			}
			for j := range want {
				c := 0.0
				for _, o := range all {
					c += o.p * (dot(o.uses, byPart[i]) - want[i]) * (dot(o.uses, byPart[j]) - want[j])
				}
				if got := covariance.At(i, j); !nearTo(got, c, 1) {
					t.Errorf("covariance %d, %d is %v, want %v", i, j, got, c)
				}
			}
		}
	})
}

func TestHessianVector(t *testing.T) {
	withTrees(t, 1000, func(r *rand.Rand, f *forest.Forest[float64], all []outcome) {
		roots := len(f.Roots())
		v := make([]float64, roots+f.NumEdges())
		for i := range v {
			v[i] = r.NormFloat64()
		}
		logs := forest.Map(f, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) })
		got, err := forest.HessianVector(logs, forest.Parts{Root: v[:roots], Edge: v[roots:]})
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, o := range all {
			mean += o.p * dot(o.uses, v)
		}
		for i, x := range append(slices.Clone(got.Root), got.Edge...) {
			want := 0.0
			for _, o := range all {
				want += o.p * o.uses[i] * (dot(o.uses, v) - mean)
			}
			if !nearTo(x, want, 1) {
				t.Errorf("part %d has %v, want %v", i, x, want)
			}
		}
	})
}

// The product is the derivative of posteriors as weights are tilted.
func TestHessianVectorByDifferences(t *testing.T) {
	withTrees(t, 200, func(r *rand.Rand, f *forest.Forest[float64], _ []outcome) {
		v := make([]float64, f.NumEdges())
		for e := range v {
			v[e] = r.NormFloat64()
		}
		const step = 1e-5
		tilted := func(h float64) []float64 {
			w := slices.Clone(f.Weights())
			for e := range w {
				w[e] *= math.Exp(h * v[e])
			}
			g, err := f.WithWeights(w, f.Roots())
			if err != nil {
				t.Fatal(err)
			}
			p, err := forest.Posteriors(g)
			if err != nil {
				t.Fatal(err)
			}
			return p.Edge
		}
		got, err := forest.HessianVector(f, forest.Parts{Edge: v})
		if err != nil {
			t.Fatal(err)
		}
		high, low := tilted(step), tilted(-step)
		for e, x := range got.Edge {
			if want := (high[e] - low[e]) / (2 * step); math.Abs(x-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("edge %d has %v, differences say %v", e, x, want)
			}
		}
	})
}

// A mean of 10^12 takes no digits off a variance of 1/4.
func TestCovarianceOfLargeValues(t *testing.T) {
	// Node 0 has two leaves of equal weight; node 1 is derived from it by one edge.
	f, err := forest.New(semiring.Real{}, []int32{0, 2, 3}, []int32{0, 0, 0, 1}, []int32{0}, []float64{1, 1, 1},
		[]forest.Root[float64]{{Node: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	mean, covariance, err := forest.Covariance(f, forest.Values{Dim: 1, Edge: semiring.Scalars([]float64{0, 1, 1e12})})
	if err != nil || mean[0] != 1e12+.5 || covariance.At(0, 0) != .25 {
		t.Errorf("mean %v, variance %v (%v)", mean, covariance, err)
	}
}

func TestEntropy(t *testing.T) {
	withTrees(t, 1000, func(r *rand.Rand, f *forest.Forest[float64], p []outcome) {
		weights := make([]float64, f.NumEdges())
		for e, w := range f.Weights() {
			weights[e] = w * math.Exp(r.NormFloat64())
		}
		g, err := f.WithWeights(weights, f.Roots())
		if err != nil {
			t.Fatal(err)
		}
		q, _ := outcomes(g)
		entropy, cross := 0.0, 0.0
		for i := range p {
			entropy -= p[i].p * math.Log(p[i].p)
			cross -= p[i].p * math.Log(q[i].p)
		}
		for _, test := range []struct {
			name string
			got  func() (float64, error)
			want float64
		}{
			{"entropy", func() (float64, error) { return forest.Entropy(f) }, entropy},
			{"cross-entropy", func() (float64, error) { return forest.CrossEntropy(f, g) }, cross},
			{"divergence", func() (float64, error) { return forest.KullbackLeibler(f, g) }, cross - entropy},
			{"divergence from itself", func() (float64, error) { return forest.KullbackLeibler(f, f) }, 0},
		} {
			if x, err := test.got(); err != nil || !nearTo(x, test.want, 1) {
				t.Errorf("%s %v (%v), want %v", test.name, x, err, test.want)
			}
		}
	})
}

// If one tree of p is none of q, p is infinitely far from q, also where that tree has
// a probability that float64 does not know.
func TestDivergenceInfinite(t *testing.T) {
	tiny := semiring.ScaledFromLog(-5000)
	one := semiring.NewScaled(1)
	f, err := forest.New(semiring.Scaled{}, []int32{0, 2, 4}, []int32{0, 0, 0, 0, 1}, []int32{0},
		[]semiring.ScaledFloat{one, one, one, tiny}, []forest.Root[semiring.ScaledFloat]{{Node: 1, Weight: one}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.WithWeights([]semiring.ScaledFloat{one, {}, one, tiny}, f.Roots())
	if err != nil {
		t.Fatal(err)
	}
	if x, err := forest.KullbackLeibler(f, g); err != nil || !math.IsInf(x, 1) {
		t.Errorf("divergence %v (%v), want +Inf", x, err)
	}
	if x, err := forest.KullbackLeibler(g, f); err != nil || !(x >= 0 && x < 1e-300) {
		t.Errorf("divergence %v (%v), want about 0", x, err)
	}
}

// questions are those about random trees.
var questions = map[string]func(f *forest.Forest[float64]) error{
	"mean": func(f *forest.Forest[float64]) error { _, err := forest.Mean(f, forest.Values{Dim: 1}); return err },
	"covariance": func(f *forest.Forest[float64]) error {
		_, _, err := forest.Covariance(f, forest.Values{Dim: 1})
		return err
	},
	"Hessian":    func(f *forest.Forest[float64]) error { _, err := forest.HessianVector(f, forest.Parts{}); return err },
	"entropy":    func(f *forest.Forest[float64]) error { _, err := forest.Entropy(f); return err },
	"divergence": func(f *forest.Forest[float64]) error { _, err := forest.KullbackLeibler(f, f); return err },
	"sampler":    func(f *forest.Forest[float64]) error { _, err := forest.NewSampler(f); return err },
}

func TestRandomTreesNeedProbabilities(t *testing.T) {
	leaf := func(w float64) *forest.Forest[float64] { return doubling(t, 1, w, 1) }
	for name, ask := range questions {
		for _, test := range []struct {
			f    *forest.Forest[float64]
			want error
		}{
			{leaf(1), nil},
			{leaf(0), forest.ErrNoTree},
			{leaf(-1), semiring.ErrNegative},
			{leaf(math.Inf(1)), semiring.ErrNotFinite},
			{leaf(math.NaN()), semiring.ErrNotFinite},
		} {
			if err := ask(test.f); !errors.Is(err, test.want) {
				t.Errorf("%s of a leaf of weight %v: error %v, want %v", name, test.f.Weights()[0], err, test.want)
			}
		}
	}
	viterbi := forest.Map(leaf(1), semiring.Viterbi{}, semiring.NewScaled)
	if _, err := forest.Entropy(viterbi); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

func TestValuesThatDoNotFit(t *testing.T) {
	f := doubling(t, 1, 1, 1) // one root, two edges
	for _, v := range []forest.Values{
		{},
		{Dim: 1, Edge: semiring.Scalars([]float64{1})},
		{Dim: 1, Root: semiring.Scalars([]float64{1, 2})},
		{Dim: 1, Edge: semiring.Rows{Row: []int32{0, 1, 2}, Index: []int32{0, 1}, Value: []float64{1, 1}}},
		{Dim: 1, Edge: semiring.Rows{Row: []int32{0, 2, 1}, Index: []int32{0}, Value: []float64{1}}},
		{Dim: 1, Edge: semiring.Rows{Row: []int32{0, 0, 1}, Index: []int32{0}}},
	} {
		if _, err := forest.Mean(f, v); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("values %v: error %v, want semiring.ErrShape", v, err)
		}
	}
	if _, err := forest.HessianVector(f, forest.Parts{Edge: []float64{1}}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	if _, err := forest.KullbackLeibler(f, doubling(t, 2, 1, 1)); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
}
