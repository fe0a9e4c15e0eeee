package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/lbfgs"
)

var square = newTetrahedron(0)

// chained reports whether the product m of three truth values can be made of two products
// in turn, as Problem makes it.
func chained(a, b, c, m float64) bool {
	// An end of the possible interval.
	for _, ab := range []float64{max(0, a+b-1), min(a, b), m, m + 1 - c} {
		if ab >= 0 && square.within([3]float64{a, b, ab}) && square.within([3]float64{ab, c, m}) {
			return true
		}
	}
	return false
}

// TestChainedProducts: products taken in pairs constrain entries exactly as the paper's
// constraints of a product of three do: no chain is looser, and none is tighter.
func TestChainedProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 63))
	in := 0
	for range 20000 {
		a, b, c, m := rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()
		direct := m <= min(a, b, c) && m >= a+b+c-2
		if chained(a, b, c, m) != direct {
			t.Fatalf("%g of %g, %g, %g: chained %v, direct %v", m, a, b, c, !direct, direct)
		}
		if direct {
			in++
		}
	}
	if in < 1000 {
		t.Errorf("only %d were possible", in)
	}
}

// TestLooseEntries: the interval that an entry of a product of l relations may be in, for
// entries uniform on [0, 1], is 1/(l+1) − 1/(l+1)! wide on the mean, and the product 2⁻ˡ: the
// more parents, the less their product is held to what it should be.
func TestLooseEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 64))
	for l, want := range map[int]float64{2: 1. / 6, 3: 5. / 24, 4: 23. / 120} {
		const n = 200000
		width := 0.
		for range n {
			lower, upper := 1., 1.
			for range l { // one product after the other
				x := rng.Float64()
				lower, upper = max(0, lower+x-1), min(upper, x)
			}
			width += (upper - lower) / n
		}
		if math.Abs(width-want) > .002 {
			t.Errorf("%d parents: width %g, want %g", l, width, want)
		}
	}
}

// TestNearestProduct: the projection p onto the tetrahedron has no corner beyond the plane
// through it.
func TestNearestProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	moved := 0
	for range 20000 {
		p := [3]float64{3*rng.NormFloat64() + .5, rng.NormFloat64() + .5, rng.NormFloat64() + .5}
		q := square.nearest(p)
		if !square.within(q) {
			t.Fatalf("%v is projected to %v, outside", p, q)
		}
		if q != p {
			moved++
		}
		for _, v := range square.corners {
			sum := 0.0
			for i := range v {
				sum += (p[i] - q[i]) * (v[i] - q[i])
			}
			if sum > 1e-9 {
				t.Fatalf("%v is projected to %v, but %v is on the other side", p, q, v)
			}
		}
	}
	if moved == 0 {
		t.Error("all points are inside")
	}
}

// lowRank is a part over relations VᵀV whose V is of few rows, without negative entries, in
// columns of unit length, or centre·11ᵀ + (1 − centre)·VᵀV. Its products are exact. A point is U, with V the squares of its
// entries in columns divided by their length, per hidden variable.
type lowRank struct {
	*part
	rank   int
	hidden []int // relations of hidden variables
	centre float64
}

func newLowRank(p *part, rank int) *lowRank {
	f := &lowRank{part: p, rank: rank}
	for k, r := range p.relations {
		if r.variable != none {
			f.hidden = append(f.hidden, k)
		}
	}
	return f
}

func (f *lowRank) start(rng *rand.Rand) []float64 {
	u := make([]float64, len(f.hidden)*f.rank*len(f.n))
	for i := range u {
		u[i] = .2 + rng.Float64()
	}
	return u
}

// columns returns V of hidden variable i, and the lengths of the columns of U∘U.
func (f *lowRank) columns(u []float64, i int) (v blas64.General, length []float64) {
	t := len(f.n)
	v, length = general(f.rank, t, make([]float64, f.rank*t)), make([]float64, t)
	for c, x := range u[i*f.rank*t : (i+1)*f.rank*t] {
		v.Data[c] = x * x
		length[c%t] = math.Hypot(length[c%t], x*x)
	}
	for c := range v.Data {
		v.Data[c] /= length[c%t]
	}
	return v, length
}

func (f *lowRank) points(u []float64) []*point {
	t := len(f.n)
	at := make([]*point, len(f.relations))
	for i, k := range f.hidden {
		v, _ := f.columns(u, i)
		for j := range v.Data {
			v.Data[j] *= f.s[j%t]
		}
		m := make([]float64, t*t)
		symmetric(t, 1-f.centre, v, m)
		outer(f.centre, f.s, m)
		at[k] = f.nearest(k, m, exact)
	}
	for _, a := range f.ands {
		m := make([]float64, t*t)
		for i := range m {
			m[i] = a.at(at[a.a].m[i], at[a.a].m[i]*at[a.b].m[i]/(f.s[i/t]*f.s[i%t]))
		}
		at[a.m] = f.nearest(a.m, m, exact)
	}
	return at
}

// evaluate returns the value, and stores its derivatives by u.
func (f *lowRank) evaluate(gradient, u []float64) (float64, error) {
	t := len(f.n)
	at := f.points(u)
	by := make([][]float64, len(at))
	for k := range by {
		by[k] = make([]float64, t*t)
	}
	_, value := f.part.evaluate(at)
	f.slopes(at, by)
	for _, a := range slices.Backward(f.ands) {
		for i, g := range by[a.m] {
			one := f.s[i/t] * f.s[i%t]
			by[a.a][i] += g * a.at(1, at[a.b].m[i]/one)
			by[a.b][i] += g * (1 + a.skew) * at[a.a].m[i] / one
		}
	}
	for i, k := range f.hidden {
		v, length := f.columns(u, i)
		byV, along := make([]float64, len(v.Data)), make([]float64, t)
		for c := range byV {
			row, j := v.Data[c/t*t:c/t*t+t], c%t
			for l, x := range row {
				byV[c] += 2 * (1 - f.centre) * x * f.s[l] * by[k][l*t+j] * f.s[j]
			}
			along[j] += v.Data[c] * byV[c]
		}
		for c, x := range v.Data {
			at := i*f.rank*t + c
			gradient[at] = 2 * u[at] * (byV[c] - x*along[c%t]) / length[c%t]
		}
	}
	return value, nil
}

// TestExactProductSlopes compares derivatives through exact products, and through products of a
// link, with differences.
func TestExactProductSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	vectors := make([][]float64, 9)
	for i := range vectors {
		vectors[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	for name, v := range map[string][]Variable{
		"product": {{States: 2}, {States: 2}, {States: 3, Parents: []int{0, 1}, Values: pick(rng, 9, 3)}, {Parents: []int{1}, Vectors: vectors}},
		"chain":   {{States: 2}, {States: 2, Parents: []int{0}}, {States: 3, Parents: []int{1}, Values: pick(rng, 9, 3)}},
	} {
		p, err := NewProblem(v, nil, .6)
		if err != nil {
			t.Fatal(err)
		}
		f := newLowRank(p.parts[0].fresh(), 3)
		if name == "chain" {
			f.centre = .5 // a link is semidefinite
		}
		u := f.start(rng)
		g, e := make([]float64, len(u)), make([]float64, len(u))
		f.evaluate(g, u)
		for i := range e {
			e[i] = rng.NormFloat64()
		}
		at := func(h float64) float64 {
			x := make([]float64, len(u))
			floats.AddScaledTo(x, u, h, e)
			value, _ := f.evaluate(make([]float64, len(x)), x)
			return value
		}
		const h = 1e-5
		if got, want := floats.Dot(g, e), (at(h)-at(-h))/(2*h); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("%s: slope %.9g, by differences %.9g", name, got, want)
		}
	}
}

// pick returns n random values below states; each occurs.
func pick(rng *rand.Rand, n, states int) []int {
	x := make([]int, n)
	for i, row := range rng.Perm(n) {
		x[row] = rng.IntN(states)
		if i < states {
			x[row] = i
		}
	}
	return x
}

// TestLooseProducts: how far below the value with exact products the relaxed optimum is,
// with l hidden parents of one child and another child each. With exact products the value is
// never less.
func TestLooseProducts(t *testing.T) {
	for l, most := range map[int]float64{1: 1e-3, 2: .03, 3: .05, 4: .09} {
		loose, n := 0., 0
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 62))
			v := make([]Variable, l, 2*l+1)
			var parents []int
			for h := range l {
				v[h].States = 2
				parents = append(parents, h)
				v = append(v, Variable{States: 3, Parents: []int{h}, Values: pick(rng, 10, 3)})
			}
			v = append(v, Variable{States: 3, Parents: parents, Values: pick(rng, 10, 3)})
			p, err := NewProblem(v, nil, .5)
			if err != nil {
				t.Fatal(err)
			}
			relaxed, err := Splitting{Gap: 3e-4, Iterations: 3000}.Solve(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			f := newLowRank(p.parts[0].fresh(), 6-l)
			s, err := lbfgs.Minimize(f.start(rand.New(rand.NewPCG(0, 0))), nil, lbfgs.Stop{Gradient: 1e-6, Steps: 200}, f.evaluate)
			if err != nil {
				t.Fatal(err)
			}
			exact := s.Value + p.Constant()
			if exact < relaxed.Lower {
				t.Errorf("%d parents, seed %d: %g with exact products, at least %g with relaxed ones", l, seed, exact, relaxed.Lower)
			}
			loose += (exact - relaxed.Upper) / exact
			n++
		}
		t.Logf("%d parents: %.2f %% below exact products", l, 100*loose/float64(n))
		if loose /= float64(n); loose < -1e-3 || loose > most {
			t.Errorf("%d parents: relaxed optima are %g below exact products", l, loose)
		}
	}
}
