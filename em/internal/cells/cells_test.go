package cells_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// machine returns a random machine whose arcs, starts and ends each have a parameter, beginning
// with parameter *params.
func machine(rng *rand.Rand, space *expr.Space, params *int32) *fst.FST[expr.W] {
	weight := func() expr.W { *params++; return space.Param(*params - 1) }
	b := fst.NewBuilder(space)
	n := 1 + rng.Int32N(3)
	for range n {
		b.SetFinal(b.AddState(), weight())
	}
	b.AddStart(0, weight())
	for range 3 * n {
		b.AddArc(rng.Int32N(n), fst.Arc[expr.W]{In: rng.Int32N(3), Out: rng.Int32N(3), Weight: weight(), To: rng.Int32N(n)})
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// addWeights adds the weights of f to used.
func addWeights(used *expr.Subset, f *fst.FST[expr.W]) {
	g := f.Graph()
	used.Add(g.Weights()...)
	used.Add(g.Finals()...)
	for _, s := range g.Starts() {
		used.Add(s.Weight)
	}
}

// lattice returns the path sum of a cascade between strings, composed as a whole.
func lattice(t *testing.T, space *expr.Space, cascade []*fst.FST[expr.W], kind cells.Kind, x cells.Strings, theta []semiring.ScaledFloat) semiring.ScaledFloat {
	t.Helper()
	values, err := space.Evaluate(nil, theta)
	if err != nil {
		t.Fatal(err)
	}
	space = space.Fork()
	var in, out fst.Machine[expr.W] = fst.FromString(space, x.In), fst.FromString(space, x.Out)
	if x.Soft != nil {
		f, err := soft.Acceptor(x.Soft, space, 1<<10)
		if err != nil {
			t.Fatal(err)
		}
		in, out = f, f
	}
	in, out = known(kind, in, out)
	var ms []fst.Machine[expr.W]
	if in != nil {
		ms = append(ms, in)
	}
	for _, m := range cascade {
		ms = append(ms, m.WithSemiring(space))
	}
	if out != nil {
		ms = append(ms, out)
	}
	m := ms[0]
	for _, next := range ms[1:] {
		c := fst.Compose(m, next)
		m = c
	}
	f, err := fst.Expand(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if values, err = space.EvaluateTempered(values, nil, 1); err != nil {
		t.Fatal(err)
	}
	sum, err := graph.PathSum(graph.Map(f.Graph(), semiring.Scaled{}, func(w expr.W) semiring.ScaledFloat { return values[w] }))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestCells: sums over strings are the path sums of composed lattices, and the expected uses of
// each parameter are the derivatives of their ln, by differences.
func TestCells(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		space, params := expr.New(), int32(0)
		var cascade []*fst.FST[expr.W]
		for range 1 + rng.IntN(2) {
			cascade = append(cascade, machine(rng, space, &params))
		}
		theta := make([]semiring.ScaledFloat, params)
		for i := range theta {
			theta[i] = semiring.NewScaled(.02 + .1*rng.Float64())
		}
		word := func() (labels []int32) {
			for range rng.IntN(4) {
				labels = append(labels, 1+rng.Int32N(2))
			}
			return labels
		}
		used := space.NewSubset()
		for _, f := range cascade {
			addWeights(used, f)
		}
		for kind := range cells.Kinds {
			of, err := cells.Compile(kind, used, cascade, 1<<16)
			if err != nil {
				continue // no derivations at all
			}
			values, err := space.Evaluate(nil, theta)
			if err != nil {
				t.Fatal(err)
			}
			if !of.Begin(values, nil, 1, false) {
				t.Fatalf("kind %d: no values", kind)
			}
			x := cells.Strings{In: word(), Out: word()}
			if kind >= cells.SoftOutput {
				x.Soft, _ = softString(rng, 1+rng.IntN(3), rng.Float64)
			}
			summer := of.Hire()
			got, _, err := summer.Sum(x, 2, false)
			if err != nil {
				t.Fatal(err)
			}
			want := lattice(t, space, cascade, kind, x, theta)
			if got.IsZero() != want.IsZero() || summer.Relates(x) == want.IsZero() {
				t.Fatalf("kind %d: %v, relates %t, want %v", kind, got, summer.Relates(x), want)
			}
			if want.IsZero() {
				continue
			}
			if d := got.Log() - want.Log(); math.Abs(d) > 1e-12 {
				t.Errorf("kind %d: ln of the sum is off by %g", kind, d)
			}
			counts := make([]float64, of.Len())
			summer.Drain(func(first int32, part, _ []float64) {
				for i, c := range part {
					counts[int(first)+i] += c
				}
			})
			uses, grad := make([]float64, len(values)), make([]float64, params)
			of.Backpropagate(expr.Dual{Value: counts}, expr.Dual{Value: uses})
			space.Backpropagate(values, uses, grad)
			k, h := rng.Int32N(params), 1e-4
			at := func(factor float64) float64 {
				moved := append([]semiring.ScaledFloat(nil), theta...)
				moved[k] = theta[k].Mul(semiring.NewScaled(factor))
				return lattice(t, space, cascade, kind, x, moved).Log()
			}
			slope := 2 * (at(1+h) - at(1-h)) / (2 * h)
			if math.Abs(grad[k]-slope) > 1e-6*(1+math.Abs(slope)) {
				t.Errorf("kind %d: parameter %d is expected %g times, by differences %g", kind, k, grad[k], slope)
			}
		}
	}
}

// TestNoWay: a cascade without derivations, and one that is too large, have no cells.
func TestNoWay(t *testing.T) {
	space := expr.New()
	b := fst.NewBuilder(space)
	b.AddStart(b.AddState(), expr.One)
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	params := int32(0)
	large := machine(rand.New(rand.NewPCG(1, 1)), space, &params)
	used := space.NewSubset()
	addWeights(used, f)
	addWeights(used, large)
	for kind := range cells.Kinds {
		if _, err := cells.Compile(kind, used, []*fst.FST[expr.W]{f}, 1<<16); err == nil {
			t.Errorf("kind %d: cells of no derivation", kind)
		}
		if _, err := cells.Compile(kind, used, []*fst.FST[expr.W]{large}, 1); err == nil {
			t.Errorf("kind %d: cells beyond the limit", kind)
		}
	}
}
