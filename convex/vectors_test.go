package convex_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
)

// TestWhiten: mean 0, covariance I.
func TestWhiten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 19))
	x := make([][]float64, 50)
	for i := range x {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x[i] = []float64{3 + 5*a, 1 + a - .1*b, 7 * b}
		x[i][2] += rng.NormFloat64()
	}
	w, err := convex.Whiten(x)
	if err != nil {
		t.Fatal(err)
	}
	for a := range 3 {
		for b := range 3 {
			mean, product := 0.0, 0.0
			for _, v := range w {
				mean += v[a]
				product += v[a] * v[b]
			}
			want := 0.0
			if a == b {
				want = 1
			}
			if math.Abs(mean) > 1e-9 || math.Abs(product/49-want) > 1e-9 {
				t.Errorf("components %d and %d: mean %g, covariance %g", a, b, mean/50, product/49)
			}
		}
	}
}

// gram returns the kernel of each pair of vectors.
func gram(x [][]float64, kernel func(a, b []float64) float64) [][]float64 {
	k := make([][]float64, len(x))
	for i := range x {
		for j := range x {
			k[i] = append(k[i], kernel(x[i], x[j]))
		}
	}
	return k
}

// twoClusters returns vectors around two centres, the last of which is the first again.
func twoClusters(rng *rand.Rand, n int) [][]float64 {
	var x [][]float64
	for i := range n {
		centre := 2 * float64(i%2)
		x = append(x, []float64{rng.NormFloat64() + centre, rng.NormFloat64() - centre})
	}
	return append(x, x[0])
}

// TestGram: with a Gram matrix in place of vectors, linear or of squared inner products, bounds,
// losses, labels and means are the same as with the vectors, or with the vectors of their products.
func TestGram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	x := twoClusters(rng, 14)
	squared := make([][]float64, len(x))
	for i, v := range x {
		squared[i] = []float64{v[0] * v[0], v[1] * v[1], math.Sqrt2 * v[0] * v[1]}
	}
	side := values(rng, len(x), 2)
	side[len(x)-1] = side[0]
	for name, c := range map[string]struct {
		vectors [][]float64
		kernel  func(a, b []float64) float64
	}{
		"linear":    {x, floats.Dot},
		"quadratic": {squared, func(a, b []float64) float64 { return math.Pow(floats.Dot(a, b), 2) }},
	} {
		model := func(v convex.Variable) *convex.Problem {
			v.Parents = []int{0, 1}
			return newProblem(t, []convex.Variable{{States: 2}, {States: 2, Values: side}, v, {States: 2, Parents: []int{0}, Values: side}}, nil, .7)
		}
		k := gram(x, c.kernel)
		a, b := model(convex.Variable{Vectors: c.vectors}), model(convex.Variable{Gram: k})
		for _, s := range []convex.Splitting{{Gap: 1e-6}, {Gap: 1e-6, Rows: 5}} {
			ra, rb := solve(t, s, a), solve(t, s, b)
			if ra.Lower > rb.Upper || rb.Lower > ra.Upper || rb.Status != ra.Status || len(ra.Relations[0].Weight) != len(rb.Relations[0].Weight) {
				t.Errorf("%s: %v in [%g, %g], of the Gram matrix %v in [%g, %g]", name, ra.Status, ra.Lower, ra.Upper, rb.Status, rb.Lower, rb.Upper)
			}
		}
		r := solve(t, convex.Splitting{}, a).Relations
		va, _ := value(t, a, r)
		if vb, _ := value(t, b, r); math.Abs(va-vb) > 1e-8*va {
			t.Errorf("%s: value %.12g, of the Gram matrix %.12g", name, va, vb)
		}
		labels := round(t, a, r, convex.Rounding{Rand: rand.NewPCG(1, 1)}).Labels
		if other := round(t, b, r, convex.Rounding{Rand: rand.NewPCG(1, 1)}).Labels; !sameClasses(labels[0], other[0]) {
			t.Errorf("%s: labels %v, of the Gram matrix %v", name, labels, other)
		}
		ca, err := a.Complete(labels)
		if err != nil {
			t.Fatal(err)
		}
		cb, err := b.Complete(labels)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(ca.Objective-cb.Objective) > 1e-9*ca.Objective {
			t.Errorf("%s: loss %.12g, of the Gram matrix %.12g", name, ca.Objective, cb.Objective)
		}
		wa, err := a.Weights(r, labels)
		if err != nil {
			t.Fatal(err)
		}
		wb, err := b.Weights(r, labels)
		if err != nil {
			t.Fatal(err)
		}
		for what, w := range map[string][2]*mat.Dense{"tables": {ca.Tables[2].W, cb.Tables[2].W}, "weights": {wa[2].W, wb[2].W}} {
			var means mat.Dense
			all := mat.NewDense(len(x), len(c.vectors[0]), nil)
			for i, v := range c.vectors {
				all.SetRow(i, v)
			}
			means.Mul(w[1], all)
			if !mat.EqualApprox(&means, w[0], 1e-6) {
				t.Errorf("%s, %s: means\n%v, of the Gram matrix\n%v", name, what, mat.Formatted(w[0]), mat.Formatted(&means))
			}
		}
	}
}

// TestGramForm: the value of a relation is ½ tr (I + M/β)⁻¹K, with a kernel of no finite dimension.
func TestGramForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 42))
	x := twoClusters(rng, 7)[:7]
	k := gram(x, func(a, b []float64) float64 {
		d := floats.Distance(a, b, 2)
		return 3 * math.Exp(-d*d/2)
	})
	const beta = .6
	hidden := convex.Variable{States: 2}
	p := newProblem(t, []convex.Variable{hidden, {Parents: []int{0}, Gram: k}}, nil, beta)
	other := newProblem(t, []convex.Variable{hidden, {Parents: []int{0}, Vectors: x}}, nil, beta)
	r := relaxed(rng, solve(t, convex.Splitting{}, p).Relations)
	got, _ := value(t, p, r)
	whole, _ := value(t, other, r) // with the same value of the root
	half := func(k [][]float64) float64 {
		var inverse, product mat.Dense
		a := mat.NewDense(7, 7, nil)
		a.Apply(func(i, j int, _ float64) float64 {
			m := r[0].At(i, j) / beta
			if i == j {
				m++
			}
			return m
		}, a)
		if err := inverse.Inverse(a); err != nil {
			t.Fatal(err)
		}
		product.Mul(&inverse, mat.NewDense(7, 7, flat(k)))
		return mat.Trace(&product) / 2
	}
	if want := whole - half(gram(x, floats.Dot)) + half(k); math.Abs(got-want) > 1e-8*want {
		t.Errorf("value %.12g, want %.12g", got, want)
	}
}

func flat(rows [][]float64) (x []float64) {
	for _, r := range rows {
		x = append(x, r...)
	}
	return x
}

func TestBadGram(t *testing.T) {
	for name, x := range map[string]struct {
		v    convex.Variable
		says string
	}{
		"vectors, too": {convex.Variable{Vectors: [][]float64{{1}, {2}}, Gram: [][]float64{{1, 2}, {2, 4}}}, "both vectors and a Gram matrix"},
		"values, too":  {convex.Variable{States: 2, Values: []int{0, 1}, Gram: [][]float64{{1, 2}, {2, 4}}}, "values and vectors"},
		"rows":         {convex.Variable{Gram: [][]float64{{1, 2}}}, "Gram matrix of 1 rows for 2 rows"},
		"columns":      {convex.Variable{Gram: [][]float64{{1, 2}, {2}}}, "1 numbers in row 1, want 2"},
		"infinite":     {convex.Variable{Gram: [][]float64{{1, 2}, {2, math.Inf(1)}}}, "number +Inf in row 1"},
		"NaN":          {convex.Variable{Gram: [][]float64{{1, math.NaN()}, {2, 1}}}, "number NaN in row 0"},
		"asymmetric":   {convex.Variable{Gram: [][]float64{{1, 0}, {.5, 1}}}, "not symmetric: 0.5 in row 1, column 0, and 0 across"},
		"indefinite":   {convex.Variable{Gram: [][]float64{{1, 2}, {2, 1}}}, "eigenvalues from -1 to 3"},
		"zero":         {convex.Variable{Gram: [][]float64{{0, 0}, {0, 0}}}, "eigenvalues from 0 to 0"},
	} {
		x.v.Parents = []int{0}
		x.v.Name = "picture"
		_, err := convex.NewProblem([]convex.Variable{{States: 2, Values: []int{convex.Hidden, convex.Hidden}}, x.v}, nil, 1)
		if !errors.Is(err, convex.ErrInvalid) || !strings.Contains(err.Error(), x.says) || !strings.Contains(err.Error(), "variable 1 (picture)") {
			t.Errorf("%s: error %v, want one that says %q", name, err, x.says)
		}
	}
}
