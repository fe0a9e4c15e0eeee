package lbfgs_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/lbfgs"
)

// quadratic returns ½·xᵀA·x − b·x for a random positive definite A of the given condition, and
// its minimum.
func quadratic(rng *rand.Rand, n int, condition float64) (func(g, x []float64) (float64, error), []float64) {
	q := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			q.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(q)
	var u mat.Dense
	qr.QTo(&u)
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		d.SetDiag(i, math.Pow(condition, float64(i)/float64(max(1, n-1))))
	}
	var a mat.Dense
	a.Product(&u, d, u.T())
	b := mat.NewVecDense(n, nil)
	for i := range n {
		b.SetVec(i, rng.NormFloat64())
	}
	var at mat.VecDense
	if err := at.SolveVec(&a, b); err != nil {
		panic(err)
	}
	return func(g, x []float64) (float64, error) {
		v, ax := mat.NewVecDense(n, x), mat.NewVecDense(n, g)
		ax.MulVec(&a, v)
		f := .5*mat.Dot(v, ax) - mat.Dot(b, v)
		ax.SubVec(ax, b)
		return f, nil
	}, at.RawVector().Data
}

func TestQuadratic(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(30)
		f, want := quadratic(rng, n, 1e4)
		s, err := lbfgs.Minimize(make([]float64, n), nil, lbfgs.Stop{Gradient: 1e-10, Evaluations: 5000}, f)
		if err != nil {
			t.Fatal(err)
		}
		if s.Norm() > 1e-9 {
			t.Errorf("seed %d: gradient %g", seed, s.Norm())
		}
		for i := range want {
			if math.Abs(s.At[i]-want[i]) > 1e-8 {
				t.Fatalf("seed %d: x%d is %.12g, want %.12g", seed, i, s.At[i], want[i])
			}
		}
	}
}

func rosenbrock(g, x []float64) (float64, error) {
	f := 0.0
	clear(g)
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		f += 100*a*a + b*b
		g[i] += -400*a*x[i] - 2*b
		g[i+1] += 200 * a
	}
	return f, nil
}

func TestRosenbrock(t *testing.T) {
	evaluations := 0
	s, err := lbfgs.Minimize([]float64{-1.2, 1, -1.2, 1}, nil, lbfgs.Stop{Gradient: 1e-9}, func(g, x []float64) (float64, error) {
		evaluations++
		return rosenbrock(g, x)
	})
	if err != nil || s.Norm() > 1e-9 {
		t.Fatalf("gradient %g, error %v", s.Norm(), err)
	}
	if evaluations > 200 {
		t.Errorf("%d evaluations", evaluations)
	}
}

// TestPenalty: the minimum with an L1 penalty satisfies the subgradient condition, with exact
// zeros.
func TestPenalty(t *testing.T) {
	zeros := 0
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 2 + rng.IntN(20)
		f, _ := quadratic(rng, n, 100)
		l1 := make([]float64, n)
		for i := range l1 {
			if rng.IntN(5) > 0 {
				l1[i] = rng.ExpFloat64()
			}
		}
		start := make([]float64, n)
		for i := range start {
			start[i] = rng.NormFloat64()
		}
		s, err := lbfgs.Minimize(start, l1, lbfgs.Stop{Gradient: 1e-9, Evaluations: 5000}, f)
		if err != nil {
			t.Fatal(err)
		}
		g := make([]float64, n)
		f(g, s.At)
		for i, x := range s.At {
			slack := math.Abs(g[i]) - l1[i]
			if x != 0 {
				slack = math.Abs(g[i] + math.Copysign(l1[i], x))
			} else {
				zeros++
			}
			if slack > 1e-6 {
				t.Errorf("seed %d: x%d = %g with gradient %g and penalty %g", seed, i, x, g[i], l1[i])
			}
		}
	}
	if zeros < 50 {
		t.Errorf("only %d zeros", zeros)
	}
}

// TestResume: a state that was written and read back continues with the same bits.
func TestResume(t *testing.T) {
	for _, l1 := range [][]float64{nil, {.1, 0, .2, 3}} {
		start := []float64{-1.2, 1, .3, 2}
		a, b := lbfgs.New(start, l1, 3), lbfgs.New(start, l1, 3)
		g := make([]float64, 4)
		for i := range 40 {
			text, err := json.Marshal(finite(b))
			if err != nil {
				t.Fatal(err)
			}
			b = new(lbfgs.State)
			if err := json.Unmarshal(text, b); err != nil {
				t.Fatal(err)
			}
			if b.Far == math.MaxFloat64 {
				b.Far = math.Inf(1)
			}
			for _, s := range []*lbfgs.State{a, b} {
				f, _ := rosenbrock(g, s.Next())
				if _, err := s.Tell(f, g); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(a.At, b.At) || a.Value != b.Value {
				t.Fatalf("evaluation %d: other bits", i)
			}
		}
	}
}

// finite replaces the infinity, which JSON cannot represent.
func finite(s *lbfgs.State) *lbfgs.State {
	c := *s
	if math.IsInf(c.Far, 1) {
		c.Far = math.MaxFloat64
	}
	return &c
}

// TestBarrier: values that are not finite bound the step.
func TestBarrier(t *testing.T) {
	s, err := lbfgs.Minimize([]float64{10}, nil, lbfgs.Stop{Gradient: 1e-10}, func(g, x []float64) (float64, error) {
		g[0] = 1 - 1/x[0]
		return x[0] - math.Log(x[0]), nil // NaN below 0
	})
	if err != nil || math.Abs(s.At[0]-1) > 1e-9 {
		t.Errorf("minimum at %g, error %v", s.At[0], err)
	}
}

// TestSteep: a gradient that overflows along a line means that the step is too long, like a
// value.
func TestSteep(t *testing.T) {
	met := false
	s, err := lbfgs.Minimize([]float64{10}, nil, lbfgs.Stop{Gradient: 1e-10}, func(g, x []float64) (float64, error) {
		if g[0] = 1 - 1/x[0]; x[0] <= 0 {
			g[0], met = math.Inf(1), true
			return -100, nil
		}
		return x[0] - math.Log(x[0]), nil
	})
	if err != nil || !met || math.Abs(s.At[0]-1) > 1e-9 {
		t.Errorf("minimum at %g, met %v, error %v", s.At[0], met, err)
	}
}

// TestBorder: on a slope to the boundary of the domain, the best point found is kept and
// reported not to be a minimum.
func TestBorder(t *testing.T) {
	const border = 34.5
	best := 0.0
	s, err := lbfgs.Minimize([]float64{0}, nil, lbfgs.Stop{Evaluations: 1000}, func(g, x []float64) (float64, error) {
		if g[0] = -1; x[0] > border {
			return math.Inf(1), nil
		}
		best = min(best, -x[0])
		return -x[0], nil
	})
	if err != nil || s.Value > best+1e-9 || s.Value > 1e-6-border || s.Norm() != 1 || !s.Cut {
		t.Errorf("at %v, of slope %g, cut %v, best %g: %v", s.At, s.Norm(), s.Cut, best, err)
	}
}

// TestUnbounded: on an unbounded slope the minimization continues.
func TestUnbounded(t *testing.T) {
	s, err := lbfgs.Minimize([]float64{0}, nil, lbfgs.Stop{Evaluations: 50}, func(g, x []float64) (float64, error) {
		g[0] = -1
		return -x[0], nil
	})
	if err != nil || s.Value > -1e6 {
		t.Errorf("the value is %g after 50 evaluations: %v", s.Value, err)
	}
}

func TestErrors(t *testing.T) {
	nan := func(g, x []float64) (float64, error) { return math.NaN(), nil }
	if _, err := lbfgs.Minimize([]float64{1}, nil, lbfgs.Stop{}, nan); !errors.Is(err, lbfgs.ErrNotFinite) {
		t.Errorf("error %v", err)
	}
	steep := func(g, x []float64) (float64, error) { g[0] = math.Inf(1); return 0, nil }
	if _, err := lbfgs.Minimize([]float64{1}, nil, lbfgs.Stop{}, steep); !errors.Is(err, lbfgs.ErrNotFinite) {
		t.Errorf("error %v", err)
	}
	wrong := func(g, x []float64) (float64, error) { g[0] = -1; return x[0], nil }
	s := lbfgs.New([]float64{1}, nil, 0)
	g := make([]float64, 1)
	var err error
	for err == nil {
		var f float64
		f, _ = wrong(g, s.Next())
		_, err = s.Tell(f, g)
	}
	if !errors.Is(err, lbfgs.ErrStalled) {
		t.Errorf("a wrong gradient: error %v", err)
	}
	failed := errors.New("failed")
	if _, err := lbfgs.Minimize([]float64{1}, nil, lbfgs.Stop{}, func(g, x []float64) (float64, error) { return 0, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
