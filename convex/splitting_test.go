package convex_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
)

// problems returns one of each way of solving: a single part, several, products, links.
func problems(t *testing.T) map[string]*convex.Problem {
	out := make(map[string]*convex.Problem)
	for _, s := range shapes {
		v, w := s.data(rand.New(rand.NewPCG(3, 12)), 12)
		out[s.name] = newProblem(t, v, w, .8)
	}
	return out
}

// hasProducts reports whether the shape of that name has products.
func hasProducts(name string) bool {
	return slices.ContainsFunc(shapes, func(s shape) bool { return s.name == name && s.product })
}

func sameBits(a, b *convex.Result) bool {
	same := a.Status == b.Status && a.Lower == b.Lower && a.Upper == b.Upper && a.Iterations == b.Iterations
	for k := range a.Relations {
		same = same && mat.Equal(a.Relations[k].M, b.Relations[k].M)
	}
	return same
}

// TestResume stops a run at its first check, one in the middle and the last, continues from the
// checkpoint, and compares the result, bit for bit, with an uninterrupted run.
func TestResume(t *testing.T) {
	all := problems(t)
	all["many rows"] = newProblem(t, distinct(3, 80, 8, 1), nil, 1)
	for name, p := range all {
		s := convex.Splitting{Gap: 1e-6, Iterations: 45, Every: 9}
		checks := 0
		s.Observer = func(convex.Event) { checks++ }
		want := solve(t, s, p)
		for _, stop := range []int{1, (1 + checks) / 2, checks} {
			ctx, cancel := context.WithCancel(context.Background())
			seen := 0
			s.Checkpoint = filepath.Join(t.TempDir(), "state")
			s.Observer = func(convex.Event) {
				if seen++; seen == stop {
					cancel()
				}
			}
			if _, err := s.Solve(ctx, p); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: error %v", name, err)
			}
			s.Observer = nil
			if got := solve(t, s, p); !sameBits(got, want) {
				t.Errorf("%s, stopped at check %d: %v, %g, %g after %d, want %v, %g, %g after %d", name, stop,
					got.Status, got.Lower, got.Upper, got.Iterations, want.Status, want.Lower, want.Upper, want.Iterations)
			}
			cancel()
		}
	}
}

// TestResumeLonger: a run that reached its limit continues with more iterations.
func TestResumeLonger(t *testing.T) {
	p := problems(t)["naive Bayes"]
	file := filepath.Join(t.TempDir(), "state")
	first := solve(t, convex.Splitting{Gap: 1e-9, Iterations: 10, Checkpoint: file}, p)
	if first.Status != convex.IterationLimit {
		t.Errorf("status %v", first.Status)
	}
	got := solve(t, convex.Splitting{Gap: 1e-7, Iterations: 500, Checkpoint: file}, p)
	if want := solve(t, convex.Splitting{Gap: 1e-7, Iterations: 500}, p); !sameBits(got, want) {
		t.Error("other bits")
	}
}

func TestBadCheckpoint(t *testing.T) {
	ps := problems(t)
	file := filepath.Join(t.TempDir(), "state")
	solve(t, convex.Splitting{Checkpoint: file}, ps["naive Bayes"])
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte(nil), text...)
	damaged[len(damaged)-1] ^= 1
	for name, x := range map[string]struct {
		text []byte
		s    convex.Splitting
		p    *convex.Problem
	}{
		"other problem": {text, convex.Splitting{}, ps["vectors"]},
		"other set":     {text, convex.Splitting{Set: convex.Classes}, ps["naive Bayes"]},
		"damaged":       {damaged, convex.Splitting{}, ps["naive Bayes"]},
		"cut short":     {text[:len(text)/2], convex.Splitting{}, ps["naive Bayes"]},
		"foreign":       {[]byte("hello"), convex.Splitting{}, ps["naive Bayes"]},
	} {
		if err := os.WriteFile(file, x.text, 0o600); err != nil {
			t.Fatal(err)
		}
		x.s.Checkpoint = file
		if _, err := x.s.Solve(context.Background(), x.p); !errors.Is(err, convex.ErrCheckpoint) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestCanceled: the bounds of a run that was stopped at once hold, and so does its point.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, p := range problems(t) {
		want := solve(t, convex.Splitting{Gap: 1e-4}, p)
		r, err := convex.Splitting{}.Solve(ctx, p)
		if !errors.Is(err, context.Canceled) || r == nil || r.Status != convex.Canceled {
			t.Fatalf("%s: %+v, error %v", name, r, err)
		}
		if r.Lower > want.Upper || r.Upper < want.Lower || math.IsNaN(r.Upper) || math.IsInf(r.Upper, 0) {
			t.Errorf("%s: bounds %g and %g, finally %g and %g", name, r.Lower, r.Upper, want.Lower, want.Upper)
		}
		for _, x := range r.Relations {
			if math.Abs(x.At(0, 0)-1) > 1e-12 || x.At(0, 1) < 0 {
				t.Errorf("%s: relation with %g and %g", name, x.At(0, 0), x.At(0, 1))
			}
		}
	}
}

// TestBoundsNarrow: bounds never get wider, and each contains the later ones.
func TestBoundsNarrow(t *testing.T) {
	for name, p := range problems(t) {
		for _, set := range []convex.Set{convex.Correlations, convex.Classes} {
			last := convex.Event{Lower: math.Inf(-1), Upper: math.Inf(1)}
			solve(t, convex.Splitting{Gap: 1e-7, Iterations: 1000, Set: set, Every: 3, Observer: func(e convex.Event) {
				if e.Lower > e.Upper || e.Iteration > last.Iteration && e.Part == last.Part && (e.Lower < last.Lower || e.Upper > last.Upper) {
					t.Errorf("%s, %v: bounds %g and %g at %d after %g and %g", name, set, e.Lower, e.Upper, e.Iteration, last.Lower, last.Upper)
				}
				last = e
			}}, p)
			if last.Iteration == 0 {
				t.Errorf("%s: not observed", name)
			}
		}
	}
}

// TestClasses: the tighter set has a higher optimum, which is still below the loss of any labels.
func TestClasses(t *testing.T) {
	higher := 0
	for seed := range uint64(5) {
		x, _ := sampled(rand.New(rand.NewPCG(seed, 0)), 16, 4, 2, 2)
		p := newProblem(t, naiveBayes(x, 2, []int{2, 2, 2, 2}), nil, 4)
		loose := solve(t, convex.Splitting{Gap: 1e-7, Iterations: 5000}, p)
		tight := solve(t, convex.Splitting{Gap: 1e-7, Iterations: 5000, Set: convex.Classes}, p)
		if tight.Upper < loose.Lower {
			t.Errorf("seed %d: %g over the smaller set, %g over the larger", seed, tight.Upper, loose.Lower)
		}
		if tight.Lower > loose.Upper {
			higher++
		}
		r, err := p.Round(tight.Relations, convex.Rounding{Rand: rand.NewPCG(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if r.Objective < tight.Lower {
			t.Errorf("seed %d: labels of %g below the bound %g", seed, r.Objective, tight.Lower)
		}
	}
	t.Logf("higher in %d of 5", higher)
}

// TestSeparate: parts are as if they were alone.
func TestSeparate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	one, _ := sampled(rng, 12, 2, 2, 1)
	other, _ := sampled(rng, 12, 3, 2, 1)
	a, b := naiveBayes(one, 2, []int{2, 2}), naiveBayes(other, 3, []int{2, 2, 2})
	both := append([]convex.Variable(nil), a...)
	for _, v := range b {
		v.Parents = nil
		if v.Values != nil {
			v.Parents = []int{len(a)}
		}
		both = append(both, v)
	}
	s := convex.Splitting{Gap: 1e-5}
	ra, rb, r := solve(t, s, newProblem(t, a, nil, 1)), solve(t, s, newProblem(t, b, nil, 1)), solve(t, s, newProblem(t, both, nil, 1))
	if math.Abs(r.Lower-ra.Lower-rb.Lower) > 1e-9 || math.Abs(r.Upper-ra.Upper-rb.Upper) > 1e-9 || len(r.Relations) != 2 {
		t.Errorf("bounds %g and %g, want the sums of %g and %g, %g and %g", r.Lower, r.Upper, ra.Lower, rb.Lower, ra.Upper, rb.Upper)
	}
}

// TestPartlyObserved: known pairs are as known, and raise the optimum.
func TestPartlyObserved(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 14))
		x, y := sampled(rng, 30, 4, 3, 1)
		v := naiveBayes(x, 3, []int{3, 3, 3, 3})
		s := convex.Splitting{Gap: 1e-5, Iterations: 5000}
		free := solve(t, s, newProblem(t, v, nil, 1))
		v[0].Values = append([]int(nil), y...)
		for i := 12; i < 30; i++ {
			v[0].Values[i] = convex.Hidden
		}
		p := newProblem(t, v, nil, 1)
		r := solve(t, s, p)
		if r.Status != convex.Converged || r.Upper < free.Lower {
			t.Errorf("seed %d: %v at %g, %g where nothing is known", seed, r.Status, r.Upper, free.Lower)
		}
		for i := range 12 {
			for j := range 12 {
				want := 0.0
				if y[i] == y[j] {
					want = 1
				}
				if got := r.Relations[0].At(i, j); math.Abs(got-want) > 1e-12 {
					t.Errorf("seed %d: %g for rows %d and %d, known to give %g", seed, got, i, j, want)
				}
			}
		}
		rounded, err := p.Round(r.Relations, convex.Rounding{Rand: rng})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			if rounded.Labels[0][i] != y[i] || rounded.Soft[0].At(i, y[i]) != 1 {
				t.Errorf("seed %d: label %d of row %d, known to be %d", seed, rounded.Labels[0][i], i, y[i])
			}
		}
		done, err := p.Complete([][]int{y})
		if err != nil {
			t.Fatal(err)
		}
		if done.Objective < r.Lower || rounded.Objective < r.Lower {
			t.Errorf("seed %d: labels of %g and %g below the bound %g", seed, done.Objective, rounded.Objective, r.Lower)
		}
	}
}

// TestDegenerate: a ridge that allows no table puts all into one class.
func TestDegenerate(t *testing.T) {
	x, _ := sampled(rand.New(rand.NewPCG(1, 0)), 20, 3, 2, 1)
	p := newProblem(t, naiveBayes(x, 2, []int{2, 2, 2}), nil, 1e9)
	if r := solve(t, convex.Splitting{Gap: 1e-7}, p); r.Status != convex.Degenerate || r.Status.String() != "degenerate: one class" {
		t.Errorf("%v with bounds %g and %g", r.Status, r.Lower, r.Upper)
	}
	// Rows that all agree are one merged row.
	same := newProblem(t, []convex.Variable{{States: 2}, {States: 2, Parents: []int{0}, Values: []int{1, 1, 1}}}, nil, 1)
	if r := solve(t, convex.Splitting{}, same); r.Status != convex.Degenerate || len(r.Relations[0].Weight) != 1 {
		t.Errorf("%v of %d merged rows", r.Status, len(r.Relations[0].Weight))
	}
}

// TestLightRidge: with a negligible ridge the bounds are far apart, but hold.
func TestLightRidge(t *testing.T) {
	x, y := sampled(rand.New(rand.NewPCG(2, 0)), 40, 4, 3, 2)
	weights := make([]float64, len(x))
	for i := range weights {
		weights[i] = 1e6
	}
	p := newProblem(t, naiveBayes(x, 3, []int{3, 3, 3, 3}), weights, 1)
	r := solve(t, convex.Splitting{Iterations: 60}, p)
	labels, err := p.Complete([][]int{y})
	if err != nil {
		t.Fatal(err)
	}
	if !(r.Lower <= r.Upper) || r.Lower > labels.Objective {
		t.Errorf("bounds %g and %g, labels of %g", r.Lower, r.Upper, labels.Objective)
	}
	checkFeasible(t, "light ridge", r)
}

func TestNames(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"Davis–Yin splitting": convex.Splitting{},
		"classes":             convex.Classes,
		"correlations":        convex.Correlations,
		"Set(7)":              convex.Set(7),
		"Status(9)":           convex.Status(9),
	} {
		if got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLooseBounds: with a large gap or few iterations, terms are not fully minimized, and the
// bounds still hold.
func TestLooseBounds(t *testing.T) {
	for name, p := range problems(t) {
		tight := solve(t, convex.Splitting{Gap: 1e-6, Iterations: 300}, p)
		for _, s := range []convex.Splitting{{Gap: .3, Iterations: 1}, {Gap: .3, Iterations: 3}, {Gap: .3}, {Gap: .1, Every: 1}} {
			r := solve(t, s, p)
			if r.Lower > tight.Upper || r.Upper < tight.Lower {
				t.Errorf("%s, gap %g: bounds %g and %g, the minimum is between %g and %g", name, s.Gap, r.Lower, r.Upper, tight.Lower, tight.Upper)
			}
			lower, upper, _, err := p.Value(r.Relations)
			if err != nil || lower > upper+1e-9 {
				t.Errorf("%s, gap %g: value %g, %g: %v", name, s.Gap, lower, upper, err)
			}
			if !hasProducts(name) && lower > r.Upper+1e-9 {
				t.Errorf("%s, gap %g: value %g of relations, said to be %g at most", name, s.Gap, lower, r.Upper)
			}
		}
	}
}

// A relation in several products has a copy for each, whose steps together are one step:
// only then do they meet at the minimum.
func TestCopiesMeetAtTheMinimum(t *testing.T) {
	s := shape{variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2}, {States: 2, Parents: []int{0, 1}}, {States: 2, Parents: []int{0, 2}}}, hidden: []int{0, 1, 2}}
	for seed := range uint64(3) {
		v, w := s.data(rand.New(rand.NewPCG(seed, 12)), 10)
		r := solve(t, convex.Splitting{Gap: 1e-5, Iterations: 1000}, newProblem(t, v, w, .8))
		if r.Status != convex.Converged {
			t.Errorf("seed %d: %v between %g and %g after %d iterations", seed, r.Status, r.Lower, r.Upper, r.Iterations)
		}
	}
}
