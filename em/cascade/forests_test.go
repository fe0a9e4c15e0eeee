package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

var smallForest = foresttest.Shape{Nodes: 7, Edges: 14, Tails: 4, Roots: 3, Trees: 60, Zero: .05}

// expressions returns a function that draws an expression over the parameters 0 … n−1 of
// space: products, sums and quotients.
func expressions(space *expr.Space, n int) func(rng *rand.Rand) weight {
	return func(rng *rand.Rand) weight {
		pick := func() weight { return space.Param(int32(rng.IntN(n))) }
		switch rng.IntN(6) {
		case 0:
			return space.Times(space.Const(semiring.NewScaled(.1+rng.Float64())), pick())
		case 1:
			return space.Plus(pick(), space.Times(pick(), pick()))
		case 2:
			w, _ := space.RDiv(pick(), pick())
			return w
		case 3:
			return expr.One
		}
		return pick()
	}
}

// randomTrees returns examples that are random forests, some without a tree: each with its own
// forest, or with shared forests and arguments. All expressions are in the space of params, whose
// 6 parameters are fixed.
func randomTrees(rng *rand.Rand, params *em.Params, shared bool) cascade.Derivations {
	params.Group("g", 6, em.Fixed{})
	own := expressions(params.Space(), 6)
	const examples = 8
	weights := make([]float64, examples)
	for i := range weights {
		weights[i] = .5 + rng.Float64()
	}
	trees := cascade.Derivations{Examples: examples, Weight: func(i int) float64 { return weights[i] }, Underivable: em.Skip}
	var forests []*forest.Forest[weight]
	if !shared {
		for range examples {
			forests = append(forests, foresttest.New(rng, params.Space(), smallForest, own))
		}
		trees.Forest = func(i int) (*forest.Forest[weight], error) { return forests[i], nil }
		return trees
	}
	var slots []int
	for range 3 {
		n := 1 + rng.IntN(5)
		space := cascade.NewTemplate(n)
		draw := expressions(space, n)
		if rng.IntN(2) == 0 {
			draw = func(rng *rand.Rand) weight { return space.Param(int32(rng.IntN(n))) }
		}
		forests = append(forests, foresttest.New(rng, space, smallForest, draw))
		slots = append(slots, n)
	}
	args := make([][]weight, examples)
	for i := range args {
		for range slots[i%3] {
			args[i] = append(args[i], own(rng))
		}
	}
	trees.Forest = func(i int) (*forest.Forest[weight], error) { return forests[i%3], nil }
	trees.Arguments = func(i int, dst []weight) ([]weight, error) { return append(dst, args[i]...), nil }
	return trees
}

func newForests(t testing.TB, params *em.Params, trees cascade.Derivations) em.Excluder {
	l, err := trees.Likelihood(params)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// instance returns the forest of example i at θ, with weights to the power β.
func instance(t testing.TB, params *em.Params, trees cascade.Derivations, i int, theta []float64, beta float64) *forest.Forest[semiring.ScaledFloat] {
	f, err := trees.Forest(i)
	if err != nil {
		t.Fatal(err)
	}
	values, err := params.Space().EvaluateTempered(nil, params.Values(theta), beta)
	if err != nil {
		t.Fatal(err)
	}
	if trees.Arguments != nil {
		args, err := trees.Arguments(i, nil)
		if err != nil {
			t.Fatal(err)
		}
		own := make([]semiring.ScaledFloat, len(args))
		for k, h := range args {
			own[k] = values[h]
		}
		power := func(c semiring.ScaledFloat) semiring.ScaledFloat { return semiring.ScaledFromLog(beta * c.Log()) }
		values, err = expr.Map(f.Ring().(*expr.Space), semiring.Scaled{}, func(p int32) semiring.ScaledFloat { return own[p] }, power)
		if err != nil {
			t.Fatal(err)
		}
	}
	return forest.Map(f, semiring.Scaled{}, func(h weight) semiring.ScaledFloat { return values[h] })
}

func positiveTheta(rng *rand.Rand, n int) []float64 {
	theta := make([]float64, n)
	for i := range theta {
		theta[i] = .2 + rng.Float64()
	}
	return theta
}

// TestForestsByEnumeration compares likelihoods with sums over all trees and with the best tree,
// and counts and curvatures with differences.
func TestForestsByEnumeration(t *testing.T) {
	skipped := 0
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		params := em.NewParams()
		trees := randomTrees(rng, params, seed%2 == 0)
		if seed%3 == 0 {
			trees.CacheBytes = []int64{-1, 300}[rng.IntN(2)]
		}
		l := newForests(t, params, trees)
		beta := []float64{1, .7, 1.5}[rng.IntN(3)]
		q := em.Query{Theta: positiveTheta(rng, 6), Temperature: beta}
		for _, q.EStep = range []em.EStep{em.Marginal, em.Viterbi} {
			e, err := l.Expect(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			want, without := 0.0, []em.Skipped(nil)
			for i := range trees.Examples {
				f := instance(t, params, trees, i, q.Theta, beta)
				sum, best := semiring.ScaledFloat{}, semiring.ScaledFloat{}
				for _, tree := range oracle.Trees(f) {
					sum = sum.Add(tree.Weight)
					if tree.Weight.Cmp(best) > 0 {
						best = tree.Weight
					}
				}
				if q.EStep == em.Viterbi {
					sum = best
				}
				if sum.IsZero() {
					without = append(without, em.Skipped{Index: i, Weight: trees.Weight(i), Structural: true})
					continue
				}
				want += trees.Weight(i) * sum.Log()
			}
			if !closeTo(e.LogLikelihood, want, 1e-11) || e.Examples != trees.Examples {
				t.Errorf("seed %d: %v: log likelihood %.15g of %d examples, want %.15g", seed, q.EStep, e.LogLikelihood, e.Examples, want)
			}
			if !slices.Equal(e.Skipped, without) {
				t.Errorf("seed %d: skipped %v, want %v", seed, e.Skipped, without)
			}
			skipped += len(without)
		}
		q.EStep = em.Marginal
		checkGradient(t, seed, l, q)
		checkCurvature(t, seed, rng, l, q)
		if t.Failed() {
			return
		}
	}
	if skipped == 0 {
		t.Error("all examples have trees")
	}
}

// TestForestsViterbiCounts: the counts of the best trees are the derivatives of the logarithms of
// their weights with respect to the logarithms of the parameters.
func TestForestsViterbiCounts(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		params := em.NewParams()
		trees := randomTrees(rng, params, seed%2 == 0)
		l := newForests(t, params, trees)
		theta := positiveTheta(rng, 6)
		e, err := l.Expect(context.Background(), em.Query{Theta: theta, EStep: em.Viterbi})
		if err != nil {
			t.Fatal(err)
		}
		best := make([]int, trees.Examples) // index of the best tree, -1 without trees
		for i := range best {
			best[i] = -1
			top := semiring.ScaledFloat{}
			n := 0
			for _, tree := range oracle.Trees(instance(t, params, trees, i, theta, 1)) {
				if tree.Weight.Cmp(top) > 0 {
					best[i], top = n, tree.Weight
				}
				n++
			}
		}
		for p, got := range e.Counts {
			want := derivative(func(h float64) float64 {
				moved := slices.Clone(theta)
				moved[p] *= math.Exp(h)
				sum := 0.0
				for i := range best {
					n := 0
					for _, tree := range oracle.Trees(instance(t, params, trees, i, moved, 1)) {
						if n == best[i] {
							sum += trees.Weight(i) * tree.Weight.Log()
						}
						n++
					}
				}
				return sum
			})
			if !closeTo(got, want, 1e-8) {
				t.Errorf("seed %d: count of parameter %d is %.12g, that of the best trees %.12g", seed, p, got, want)
			}
		}
	}
}

// TestForestsSameBits for any number of workers and any memory.
func TestForestsSameBits(t *testing.T) {
	for seed := range trials.Seeds(10) {
		var want *em.Expectations
		for _, run := range []struct {
			workers int
			bytes   int64
		}{{1, 0}, {3, 0}, {2, -1}, {1, 500}} {
			rng := rand.New(rand.NewPCG(seed, 3))
			params := em.NewParams()
			trees := randomTrees(rng, params, seed%2 == 0)
			trees.CacheBytes = run.bytes
			q := em.Query{Theta: positiveTheta(rng, 6), Workers: run.workers, Tangent: positiveTheta(rng, 6)}
			l := newForests(t, params, trees)
			for range 2 {
				e, err := l.Expect(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = e
				}
				if e.LogLikelihood != want.LogLikelihood || e.Arcs != want.Arcs || !slices.Equal(e.Skipped, want.Skipped) ||
					!slices.Equal(e.Counts, want.Counts) || !slices.Equal(e.Curvature, want.Curvature) {
					t.Fatalf("seed %d, %+v: %+v, want %+v", seed, run, e, want)
				}
			}
		}
	}
}

// coinForests returns forests of n tosses of one of two coins, with known sides: a node per coin.
func coinForests(params *em.Params, tosses [][2]int) cascade.Derivations {
	which, side := params.Group("which", 2, em.Multinomial{}), [2]*em.Group{}
	for c := range side {
		side[c] = params.Group(fmt.Sprint("side", c), 2, em.Multinomial{})
		side[c].SetStart([]float64{.4 + .3*float64(c), .6 - .3*float64(c)})
	}
	space := cascade.NewTemplate(4)
	product := func(p, q int32) weight { return space.Times(space.Param(p), space.Param(q)) }
	f, err := forest.New(space, []int32{0, 2}, []int32{0, 0, 0}, nil,
		[]weight{product(0, 1), product(2, 3)}, []forest.Root[weight]{{Node: 0, Weight: expr.One}})
	if err != nil {
		panic(err)
	}
	return cascade.Derivations{
		Examples: len(tosses),
		Forest:   func(int) (*forest.Forest[weight], error) { return f, nil },
		Arguments: func(i int, dst []weight) ([]weight, error) {
			for c := range side {
				sides := expr.One
				for s, n := range tosses[i] {
					for range n {
						sides = params.Space().Times(sides, side[c].Weight(s))
					}
				}
				dst = append(dst, which.Weight(c), sides)
			}
			return dst, nil
		},
	}
}

var tosses = [][2]int{{5, 5}, {9, 1}, {8, 2}, {4, 6}, {7, 3}}

// TestForestsFit checks the example of two coins of Do and Batzoglou 2008, with the
// choice between them trained too, against EM by hand, and that a checkpoint continues
// only the same run.
func TestForestsFit(t *testing.T) {
	params := em.NewParams()
	l := newForests(t, params, coinForests(params, tosses))
	file := t.TempDir() + "/checkpoint"
	r, err := em.Fit(context.Background(), l, &em.Options{Iterations: 20, Tolerance: -1, Checkpoint: file})
	if err != nil {
		t.Fatal(err)
	}
	pi, heads := [2]float64{.5, .5}, [2]float64{.4, .7}
	for range 20 {
		var uses, up, all [2]float64
		for _, x := range tosses {
			var w [2]float64
			for c := range w {
				w[c] = pi[c] * math.Pow(heads[c], float64(x[0])) * math.Pow(1-heads[c], float64(x[1]))
			}
			for c := range w {
				p := w[c] / (w[0] + w[1])
				uses[c], up[c], all[c] = uses[c]+p, up[c]+p*float64(x[0]), all[c]+p*float64(x[0]+x[1])
			}
		}
		for c := range pi {
			pi[c], heads[c] = uses[c]/float64(len(tosses)), up[c]/all[c]
		}
	}
	want := []float64{pi[0], pi[1], heads[0], 1 - heads[0], heads[1], 1 - heads[1]}
	if !slices.EqualFunc(r.Theta, want, func(a, b float64) bool { return closeTo(a, b, 1e-12) }) {
		t.Errorf("θ %v, want %v", r.Theta, want)
	}
	other := em.NewParams()
	changed := slices.Clone(tosses)
	changed[2] = [2]int{7, 3}
	_, err = em.Fit(context.Background(), newForests(t, other, coinForests(other, changed)), &em.Options{Iterations: 21, Tolerance: -1, Checkpoint: file})
	if !errors.Is(err, em.ErrCheckpoint) {
		t.Errorf("error %v for the checkpoint of other data, want ErrCheckpoint", err)
	}
	if _, err := em.Fit(context.Background(), l, &em.Options{Iterations: 21, Tolerance: -1, Checkpoint: file}); err != nil {
		t.Error(err)
	}
}

// TestForestsDifference: examples that Plus skips are left out of Minus.
func TestForestsDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	params := em.NewParams()
	plus := randomTrees(rng, params, true)
	all := plus
	all.Underivable = em.Fail
	all.Forest = func(i int) (*forest.Forest[weight], error) { return forestOfOne(params, i), nil }
	all.Arguments = nil
	d := &em.Difference{Plus: newForests(t, params, plus), Minus: newForests(t, params, all)}
	checkGradient(t, 7, d, em.Query{Theta: positiveTheta(rng, 6)})
}

// forestOfOne returns a forest of one edge, of weight θᵢ.
func forestOfOne(params *em.Params, i int) *forest.Forest[weight] {
	f, err := forest.New(params.Space(), []int32{0, 1}, []int32{0, 0}, nil,
		[]weight{params.Space().Param(int32(i % 6))}, []forest.Root[weight]{{Node: 0, Weight: expr.One}})
	if err != nil {
		panic(err)
	}
	return f
}

func TestForestsErrors(t *testing.T) {
	params := em.NewParams()
	good := coinForests(params, tosses)
	l := newForests(t, params, good)
	for says, change := range map[string]func(x *cascade.Derivations){
		"no examples":              func(x *cascade.Derivations) { x.Examples = 0 },
		"no function":              func(x *cascade.Derivations) { x.Forest = nil },
		"unknown policy":           func(x *cascade.Derivations) { x.Underivable = 7 },
		"example 3 has weight -1":  func(x *cascade.Derivations) { x.Weight = func(i int) float64 { return 2 - float64(i) } },
		"of a weight > 0":          func(x *cascade.Derivations) { x.Weight = func(int) float64 { return 0 } },
		"example 0 has weight NaN": func(x *cascade.Derivations) { x.Weight = func(i int) float64 { return math.NaN() } },
		"not of the Params' Space": func(x *cascade.Derivations) { x.Arguments = nil },
		"example 0 (first): invalid input: it has no forest": func(x *cascade.Derivations) { x.Forest, x.Name = noForest, func(int) string { return "first" } },
		"not expressions of a template": func(x *cascade.Derivations) {
			x.Forest = func(i int) (*forest.Forest[weight], error) { return forestOfOne(params, i), nil }
		},
		"1 arguments, another example with th": func(x *cascade.Derivations) {
			x.Arguments = func(i int, dst []weight) ([]weight, error) { return append(dst, make([]weight, max(1, 4-3*i))...), nil }
		},
		"argument 1 is not an expression": func(x *cascade.Derivations) {
			x.Arguments = func(_ int, dst []weight) ([]weight, error) { return append(dst, 1, 1<<20, 1, 1), nil }
		},
		"5 arguments, but the template has": func(x *cascade.Derivations) {
			x.Arguments = func(_ int, dst []weight) ([]weight, error) { return append(dst, 1, 1, 1, 1, 1), nil }
		},
		"example 0: invalid input\ngone": func(x *cascade.Derivations) {
			x.Forest = func(int) (*forest.Forest[weight], error) { return nil, gone }
		},
	} {
		x := good
		change(&x)
		if says[0] == '5' {
			// One parameter beyond the template's arguments comes after products.
			x.Forest = coinForests(em.NewParams(), tosses).Forest
		}
		_, err := x.Likelihood(params)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", says, err)
		}
		wantIn(t, err, says)
	}
	bad := good
	bad.Arguments = func(_ int, dst []weight) ([]weight, error) { return append(dst, expr.Zero, 1, expr.Zero, 1), nil }
	_, err := newForests(t, params, bad).Expect(context.Background(), em.Query{Theta: params.Start()})
	if !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("error %v, want ErrUnderivable", err)
	}
	wantIn(t, err, "5 of 5 examples (numbered from 0), the first is example 0")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Expect(ctx, em.Query{Theta: params.Start()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := l.Expect(context.Background(), em.Query{Theta: params.Start()[1:]}); !errors.Is(err, em.ErrParameter) {
		t.Errorf("error %v, want ErrParameter", err)
	}
	var a, b bytes.Buffer
	l.Fingerprint(&a)
	newForests(t, params, bad).Fingerprint(&b)
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("other arguments have the same fingerprint")
	}
}

var gone = errors.Join(em.ErrInvalid, errors.New("gone"))

func noForest(int) (*forest.Forest[weight], error) { return nil, nil }

// TestForestsAllocateNothing per example, for any number of examples.
func TestForestsAllocateNothing(t *testing.T) {
	allocations := func(n int) float64 {
		params := em.NewParams()
		many := slices.Repeat(tosses, n)
		l := newForests(t, params, coinForests(params, many))
		q := em.Query{Theta: params.Start(), Workers: 1, Hi: 1}
		expect := func() {
			if _, err := l.Expect(context.Background(), q); err != nil {
				t.Fatal(err)
			}
		}
		expect()
		return testing.AllocsPerRun(20, expect)
	}
	if few, many := allocations(20), allocations(2000); many > few {
		t.Errorf("%v allocations for few examples, %v for many", few, many)
	}
}
