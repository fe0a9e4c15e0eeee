package convex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/simplex"
	"example.org/pathsum/internal/trials"
)

// indicator returns the matrix with a 1 in column y[i] of row i.
func indicator(y []int, columns int) *mat.Dense {
	m := mat.NewDense(len(y), columns, nil)
	for i, k := range y {
		m.Set(i, k, 1)
	}
	return m
}

// xlogx returns Σ p ln p.
func xlogx(p *mat.Dense) float64 {
	sum := 0.0
	for _, x := range p.RawMatrix().Data {
		if x > 0 {
			sum += x * math.Log(x)
		}
	}
	return sum
}

// trace returns the trace of the product of matrices.
func trace(factors ...mat.Matrix) float64 { return mat.Trace(chain(factors...)) }

func chain(factors ...mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(factors[0])
	for _, f := range factors[1:] {
		next := new(mat.Dense)
		next.Mul(out, f)
		out = next
	}
	return out
}

// minus returns a − b.
func minus(a, b mat.Matrix) *mat.Dense {
	d := new(mat.Dense)
	d.Sub(a, b)
	return d
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// maximized returns the rows, each a distribution, at the maximum of a concave function by
// L-BFGS in the coordinates of a softmax, and the maximum. The function stores its
// derivatives.
func maximized(t *testing.T, rows, columns int, f func(d, p *mat.Dense) float64) (*mat.Dense, float64) {
	t.Helper()
	p, d := mat.NewDense(rows, columns, nil), mat.NewDense(rows, columns, nil)
	at := func(x []float64) {
		for i := range rows {
			z := x[i*columns : (i+1)*columns]
			norm := floats.LogSumExp(z)
			for j, v := range z {
				p.Set(i, j, math.Exp(v-norm))
			}
		}
	}
	s, err := lbfgs.Minimize(make([]float64, rows*columns), nil, lbfgs.Stop{Gradient: 1e-11, Evaluations: 20000}, func(g, x []float64) (float64, error) {
		at(x)
		v := f(d, p)
		for i := range rows {
			mean := floats.Dot(p.RawRowView(i), d.RawRowView(i))
			for j := range columns {
				g[i*columns+j] = -p.At(i, j) * (d.At(i, j) - mean)
			}
		}
		return -v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	at(s.At)
	return p, -s.Value
}

// form4 is −tr(Θ ln Θᵀ) − tr((Y−Θ)ᵀK(Y−Θ))/2β.
func form4(y, k *mat.Dense, beta float64) func(d, theta *mat.Dense) float64 {
	return func(d, theta *mat.Dense) float64 {
		r := minus(y, theta)
		kr := chain(k, r)
		d.Apply(func(i, j int, p float64) float64 { return -math.Log(p) - 1 + kr.At(i, j)/beta }, theta)
		return -xlogx(theta) - trace(r.T(), kr)/(2*beta)
	}
}

// form6 is −tr(Λ ln Λᵀ) − 1ᵀΛ ln(M1) − tr((I−Λ)ᵀK(I−Λ)M)/2β.
func form6(k, m *mat.Dense, beta float64) func(d, lambda *mat.Dense) float64 {
	n, _ := m.Dims()
	return func(d, lambda *mat.Dense) float64 {
		r := minus(identity(n), lambda)
		krm := chain(k, r, m)
		v := -xlogx(lambda) - trace(r.T(), krm)/(2*beta)
		d.Apply(func(i, j int, p float64) float64 {
			size := math.Log(mat.Sum(m.RowView(j)))
			v -= p * size
			return -math.Log(p) - 1 - size + krm.At(i, j)/beta
		}, lambda)
		return v
	}
}

// form5 is Σ A(B, Φᵢ) − tr(KBM) + β/2·tr(BᵀKBM) with A as in Lemma 3.
func form5(k, m, b *mat.Dense, beta float64) float64 {
	n, _ := m.Dims()
	kbm := chain(k, b, m)
	v := -mat.Trace(kbm) + beta/2*trace(b.T(), kbm)
	for i := range n {
		row := make([]float64, n)
		for j := range row {
			row[j] = kbm.At(i, j) - math.Log(mat.Sum(m.ColView(j)))
		}
		v += floats.LogSumExp(row)
	}
	return v
}

// child returns the problem of a hidden child y of an observed parent, whose training on y
// is (3), and its table.
func child(t *testing.T, parent, y []int, c, v int, beta float64) (float64, *mat.Dense, *convex.Problem) {
	t.Helper()
	p := newProblem(t, []convex.Variable{{States: c, Values: parent}, {States: v, Parents: []int{0}}}, nil, beta)
	done, err := p.Complete([][]int{y})
	if err != nil {
		t.Fatal(err)
	}
	return done.Objective - p.Constant(), done.Tables[1].W, p
}

// TestForms: (3) = (4) = (5) = (6) on random data, each found by itself, and the table by
// both routes.
func TestForms(t *testing.T) {
	for seed := range trials.Seeds(6) {
		rng := rand.New(rand.NewPCG(seed, 6))
		n, c, v := 10, 1+rng.IntN(4), 2+rng.IntN(2)
		beta := math.Exp(rng.NormFloat64())
		parent, label := values(rng, n, c), values(rng, n, v)
		phi, y := indicator(parent, c), indicator(label, v)
		k, m := chain(phi, phi.T()), chain(y, y.T())

		primal, w, _ := child(t, parent, label, c, v, beta)
		theta, dual := maximized(t, n, v, form4(y, k, beta))
		lambda, relation := maximized(t, n, n, form6(k, m, beta))
		b := minus(identity(n), lambda)
		b.Scale(1/beta, b)
		for name, got := range map[string]float64{"(4)": dual, "(5)": form5(k, m, b, beta), "(6)": relation} {
			if math.Abs(got-primal) > 1e-8*math.Max(1, primal) {
				t.Errorf("seed %d: %s is %.12g, (3) is %.12g", seed, name, got, primal)
			}
		}
		ours := chain(phi.T(), minus(y, theta))
		ours.Scale(1/beta, ours)
		for name, other := range map[string]*mat.Dense{"Θ": ours, "Λ": chain(phi.T(), b, y)} {
			if d := mat.Norm(minus(other, w), 2); d > 1e-5 {
				t.Errorf("seed %d: the table by %s is off by %g", seed, name, d)
			}
		}
	}
}

func TestEquivalenceFixture(t *testing.T) {
	var x struct {
		Parent, Child    []int
		C, V             int
		Beta, Value3     float64
		W, Theta, Lambda [][]float64
	}
	read(t, "f1_equivalence", &x)
	primal, w, _ := child(t, x.Parent, x.Child, x.C, x.V, x.Beta)
	phi, y := indicator(x.Parent, x.C), indicator(x.Child, x.V)
	_, dual := maximized(t, len(x.Child), x.V, form4(y, chain(phi, phi.T()), x.Beta))
	lambda, relation := maximized(t, len(x.Child), len(x.Child), form6(chain(phi, phi.T()), chain(y, y.T()), x.Beta))
	for _, got := range []float64{primal, dual, relation} {
		if math.Abs(got-x.Value3) > 1e-6 {
			t.Errorf("%.9f, want %.9f", got, x.Value3)
		}
	}
	for i, row := range x.W {
		if d := floats.Distance(row, w.RawRowView(i), math.Inf(1)); d > 1e-6 {
			t.Errorf("row %d of W is off by %g", i, d)
		}
	}
	for i, row := range x.Lambda {
		if d := floats.Distance(row, lambda.RawRowView(i), math.Inf(1)); d > 1e-5 {
			t.Errorf("row %d of Λ is off by %g", i, d)
		}
	}
}

// TestUniform is Lemma 1: a strictly convex relaxation over assignments that does not
// change when values are renamed ends at uniform ones, whatever the data; here that of
// clustering by regression, |Q − XW|²/2 + β/2·|W|² over assignments Q and parameters W.
func TestUniform(t *testing.T) {
	for seed := range trials.Seeds(5) {
		rng := rand.New(rand.NewPCG(seed, 7))
		const n, d, v, beta = 9, 2, 3, .5
		x := mat.NewDense(n, d, nil)
		x.Apply(func(i, _ int, _ float64) float64 { return rng.NormFloat64() + float64(3*(i%v)) }, x)
		// Minimized over W it is tr QᵀHQ/2, H = (I + XXᵀ/β)⁻¹.
		h := chain(x, x.T())
		h.Scale(1/beta, h)
		h.Add(h, identity(n))
		if err := h.Inverse(h); err != nil {
			t.Fatal(err)
		}
		q := make([]float64, n*v)
		for i := range n {
			q[i*v+rng.IntN(v)] = 1
		}
		bound := make([]float64, n)
		floats.AddConst(1, bound)
		simplex.Minimize(q, v, simplex.Stop{Gap: 1e-12, Iterations: 20000}, bound, func(g, q []float64) {
			mat.NewDense(n, v, g).Mul(h, mat.NewDense(n, v, q))
		})
		for i, p := range q {
			if math.Abs(p-1./v) > 1e-5 {
				t.Errorf("seed %d: row %d has %g", seed, i/v, p)
			}
		}
	}
}

// envelope returns the greatest convex function that is nowhere above the losses of
// labels, binary and in the order of their numbers in binary, at distributions with these
// probabilities of 1: the least mean loss of labels that have them on average.
func envelope(t *testing.T, losses, ones []float64) float64 {
	t.Helper()
	a := mat.NewDense(len(ones)+1, len(losses), nil)
	for k := range losses {
		a.Set(len(ones), k, 1)
		for row := range ones {
			a.Set(row, k, float64(k>>row&1))
		}
	}
	value, _, err := lp.Simplex(losses, a, append(append([]float64(nil), ones...), 1), 1e-10, nil)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestLabelsRelaxToNothing: the reason for relations, Lemma 1 of the paper. Even the tightest
// convex relaxation over labels has a minimum at uniform labels, and, if made strictly convex, only
// there. Parameters trained on uniform labels do not distinguish values, and relaxed relations are
// not the relations of uniform labels.
func TestLabelsRelaxToNothing(t *testing.T) {
	const rows = 5
	worst := math.Inf(1)
	for seed := range trials.Seeds(4) {
		rng := rand.New(rand.NewPCG(seed, 61))
		v := []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}}, {States: 3, Parents: []int{0}}, {States: 2, Parents: []int{0}}}
		for i := 1; i < len(v); i++ {
			v[i].Values = values(rng, rows, v[i].States)
		}
		p := newProblem(t, v, nil, .5)
		var losses []float64
		best := math.Inf(1)
		for k := range 1 << rows {
			y := make([]int, rows)
			for row := range y {
				y[row] = k >> row & 1
			}
			c, err := p.Complete([][]int{y})
			if err != nil {
				t.Fatal(err)
			}
			losses = append(losses, c.Objective)
			best = min(best, c.Objective)
		}
		uniform := make([]float64, rows)
		for row := range uniform {
			uniform[row] = .5
		}
		at := envelope(t, losses, uniform)
		if math.Abs(at-best) > 1e-7*best {
			t.Errorf("seed %d: the envelope is %g at uniform labels, the best labels have %g", seed, at, best)
		}
		const strict = .01 // times |Q|²
		for range 20 {
			q, square := make([]float64, rows), 0.
			for row := range q {
				q[row] = rng.Float64()
				square += (q[row] - .5) * (q[row] - .5)
			}
			if there := envelope(t, losses, q); there < at-1e-7 || there+strict*2*square <= at {
				t.Errorf("seed %d: %g at %v, %g at uniform labels", seed, there, q, at)
			}
		}
		soft := mat.NewDense(rows, 2, nil)
		soft.Apply(func(_, _ int, _ float64) float64 { return .5 }, soft)
		c, err := p.CompleteSoft([]*mat.Dense{soft})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range c.Tables[1:] {
			if !mat.EqualApprox(table.W.RowView(0), table.W.RowView(1), 1e-9) {
				t.Errorf("seed %d: uniform labels tell values apart: %v", seed, mat.Formatted(table.W))
			}
		}
		if c.Objective <= best {
			t.Errorf("seed %d: loss %g of uniform labels, %g of the best", seed, c.Objective, best)
		}
		worst = min(worst, c.Objective/best)
		r := solve(t, convex.Splitting{Gap: 1e-5}, p)
		least, most := 1., 0.
		for i := range rows {
			for j := range i {
				least, most = min(least, r.Relations[0].At(i, j)), max(most, r.Relations[0].At(i, j))
			}
		}
		if most-least < .2 { // of uniform labels, all are ½
			t.Errorf("seed %d: rows are related by %g to %g", seed, least, most)
		}
	}
	if worst < 1.01 {
		t.Errorf("uniform labels are as good as %g of the best", worst)
	}
}
