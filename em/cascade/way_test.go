package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// observed returns examples that are mostly strings: some empty, some with a label that occurs in
// no machine, some of weight 0. A few are sets. both in 8 are pairs; the others have one known
// side.
func observed(t testing.TB, rng *rand.Rand, params *em.Params, both int) []cascade.Example {
	var data []cascade.Example
	for n := range 12 {
		x, y := randomLabels(rng, 8), randomLabels(rng, 8)
		if rng.IntN(8) == 0 {
			y = append(y, 7)
		}
		e := cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...), Name: fmt.Sprint("no. ", n), Weight: em.Times(.5 + rng.Float64())}
		switch {
		case rng.IntN(8) < both:
		case rng.IntN(8) == 0:
			set := cascade.Pattern(params, []int32{1, 2}, cascade.AnyLabel, cascade.AnyString)
			e.X, e.Y = cascade.Side{}, set
		case rng.IntN(3) == 0:
			e.Y = cascade.Side{}
		default:
			e.X = cascade.Side{}
		}
		if rng.IntN(8) == 0 {
			e.Weight = em.Times(0)
		}
		data = append(data, e)
	}
	data[0].Weight = em.Times(1)
	return data
}

// plainProblem has a machine without arcs ε:ε and without two arcs of the same labels and states:
// an acceptor, or any relation.
func plainProblem(t testing.TB, rng *rand.Rand, acceptor bool) (cascade.Problem, []float64) {
	params := em.NewParams()
	k, g := params.Space(), params.Group("g", 5, em.Fixed{})
	pick := func() weight { return k.Times(k.Const(semiring.NewScaled(rng.Float64())), g.Weight(rng.IntN(5))) }
	m := fst.NewBuilder(k)
	states := 1 + rng.IntN(5)
	for range states {
		m.SetFinal(m.AddState(), pick())
	}
	for p := range int32(states) {
		if p == 0 || rng.IntN(3) == 0 {
			m.AddStart(p, pick())
		}
		for l := range int32(9) {
			in, out := l/3, l%3
			for q := range int32(states) {
				if l > 0 && (in == out || !acceptor) && rng.IntN(2) == 0 {
					m.AddArc(p, arc(in, out, pick(), q))
				}
			}
		}
	}
	theta := make([]float64, params.Len())
	for i := range theta {
		theta[i] = .2 * rng.Float64()
		if !acceptor {
			theta[i] *= .2 // the sums over one side converge
		}
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, theta
}

// wayQueries are E steps of all sorts.
func wayQueries(rng *rand.Rand, theta []float64) map[string]em.Query {
	tangent := make([]float64, len(theta))
	for i := range tangent {
		tangent[i] = rng.NormFloat64()
	}
	return map[string]em.Query{
		"marginal":         {Theta: theta},
		"cool":             {Theta: theta, Temperature: 1.6},
		"warm":             {Theta: theta, Temperature: .8},
		"tangent":          {Theta: theta, Tangent: tangent},
		"tangent and warm": {Theta: theta, Tangent: tangent, Temperature: .8},
		"Viterbi":          {Theta: theta, EStep: em.Viterbi},
	}
}

// Lattices and blocks have the same results, for any machines, data and E step.
func TestWays(t *testing.T) {
	blocks, best := [2]int{}, [2]int{}
	for seed := range trials.Seeds(150) {
		rng := fsttest.Rand(seed)
		problem, _, theta := randomProblem(t, rng)
		pairs := int(seed & 1)
		if seed%3 == 0 {
			problem, theta = plainProblem(t, rng, pairs == 0)
		}
		if rng.IntN(3) == 0 {
			theta[rng.IntN(len(theta))] = 0
		}
		data := cascade.Data{Examples: observed(t, rng, problem.Params, 1+5*pairs), Underivable: em.Skip}
		lattices, shared := data, data
		lattices.Strategy, shared.Strategy = cascade.ByLattice, cascade.ByBlocks
		a, b := likelihood(t, problem, lattices), likelihood(t, problem, shared)
		for name, q := range wayQueries(rng, theta) {
			without := []em.Skipped{}
			for i := range data.Examples {
				if rng.IntN(6) == 0 {
					without = append(without, em.Skipped{Index: i})
				}
			}
			want, err := a.ExpectWithout(context.Background(), q, without)
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.ExpectWithout(context.Background(), q, without)
			if err != nil {
				t.Fatal(err)
			}
			if want.WithoutLattice != 0 {
				t.Fatalf("seed %d: %d examples without a lattice", seed, want.WithoutLattice)
			}
			blocks[pairs] += got.WithoutLattice
			if q.EStep == em.Viterbi {
				best[pairs] += got.WithoutLattice
			}
			if diff := differ(got, want); diff != "" {
				t.Fatalf("seed %d, %s: %s", seed, name, diff)
			}
		}
	}
	for pairs, n := range blocks {
		if n < 1000 || best[pairs] < 100 {
			t.Errorf("only %d sums over blocks, and %d best paths", n, best[pairs])
		}
	}
}

// differ returns the differences between two results of an E step beyond rounding, "" if they
// agree.
func differ(got, want *em.Expectations) string {
	near := func(got, want []float64, tolerance float64) bool {
		scale := 1.0
		for _, x := range want {
			scale = max(scale, math.Abs(x))
		}
		return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= tolerance*scale })
	}
	switch {
	case math.Abs(got.LogLikelihood-want.LogLikelihood) > 1e-12*math.Abs(want.LogLikelihood):
		return fmt.Sprintf("log likelihood %v, want %v", got.LogLikelihood, want.LogLikelihood)
	case !near(got.Counts, want.Counts, 1e-12):
		return fmt.Sprintf("counts %v, want %v", got.Counts, want.Counts)
	case !near(got.Curvature, want.Curvature, 1e-11):
		return fmt.Sprintf("curvature %v, want %v", got.Curvature, want.Curvature)
	case got.Examples != want.Examples || !slices.Equal(got.Skipped, want.Skipped):
		return fmt.Sprintf("%d examples without %v, want %d without %v", got.Examples, got.Skipped, want.Examples, want.Skipped)
	}
	return ""
}

// The results have the same bits for any number of workers, for a stream, and with any shards
// kept between E steps.
func TestWaysHaveTheSameBits(t *testing.T) {
	for seed := range trials.Seeds(6) {
		rng := fsttest.Rand(seed)
		problem, _, theta := randomProblem(t, rng)
		var data cascade.Data
		for range 30 {
			data.Examples = append(data.Examples, observed(t, rng, problem.Params, int(seed%8))...)
		}
		data.Underivable, data.Strategy = em.Skip, cascade.ByBlocks
		calls := 0
		streamed := cascade.Data{Stream: stream(data.Examples, &calls), Underivable: em.Skip, Strategy: cascade.ByBlocks}
		none := streamed
		none.CacheBytes = -1
		ls := []em.Likelihood{likelihood(t, problem, data), likelihood(t, problem, streamed), likelihood(t, problem, none)}
		want := map[string]*em.Expectations{}
		queries := wayQueries(rng, theta)
		for range 2 { // the E steps alternate between ways
			for name, q := range queries {
				for _, l := range ls {
					for _, workers := range []int{1, 2, 7, 64} {
						q.Workers = workers
						got, err := l.Expect(context.Background(), q)
						if err != nil {
							t.Fatal(err)
						}
						if want[name] == nil {
							want[name] = got
						}
						if !reflect.DeepEqual(got, want[name]) {
							t.Fatalf("seed %d, %s, %d workers: other bits", seed, name, workers)
						}
					}
				}
			}
		}
	}
}

// smallCipher has bigrams of a few letters before a substitution of letters, and strings of it.
func smallCipher(t testing.TB, letters, strings, length int) (cascade.Problem, []cascade.Example) {
	params := em.NewParams()
	k, rng := params.Space(), fsttest.Rand(1)
	model, sub := fst.NewBuilder(k), fst.NewBuilder(k)
	here := sub.AddState()
	sub.AddStart(here, k.One())
	sub.SetFinal(here, k.One())
	for range letters {
		model.SetFinal(model.AddState(), k.Const(semiring.NewScaled(.1)))
	}
	model.AddStart(0, k.One())
	for p := range int32(letters) {
		g := params.Group(fmt.Sprint("sub ", p), letters, em.Multinomial{})
		for c := range int32(letters) {
			model.AddArc(p, arc(epsilon, c+1, k.Const(semiring.NewScaled(.9/float64(letters))), c))
			sub.AddArc(here, arc(p+1, c+1, g.Weight(int(c)), here))
		}
	}
	var data []cascade.Example
	for range strings {
		var y []int32
		for range length {
			y = append(y, 1+rng.Int32N(int32(letters)))
		}
		data = append(data, cascade.Example{Y: cascade.Labels(y...)})
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, model), freeze(t, sub)}}, data
}

// narrow has bigrams of units, each spelled as one letter in a string, and strings of it. Paths
// of a string reach few of the units in a step. The first silent units are spelled as ε, so that
// lattices have cycles.
func narrow(t testing.TB, units, silent, letters, followers, strings, length int) (cascade.Problem, []cascade.Example) {
	params := em.NewParams()
	k, rng := params.Space(), fsttest.Rand(1)
	model, spell := fst.NewBuilder(k), fst.NewBuilder(k)
	here := spell.AddState()
	spell.AddStart(here, k.One())
	spell.SetFinal(here, k.One())
	model.AddStates(units)
	model.AddStart(0, k.One())
	next := make([][]int, units)
	for p := range units {
		next[p] = rng.Perm(units)[:followers]
		g := params.Group(fmt.Sprint("after ", p), followers+1, em.Multinomial{})
		model.SetFinal(int32(p), g.Weight(followers))
		for i, q := range next[p] {
			model.AddArc(int32(p), arc(int32(q)+1, int32(q)+1, g.Weight(i), int32(q)))
		}
		letter := int32(p%letters) + 1
		if p < silent {
			letter = epsilon
		}
		spell.AddArc(here, arc(int32(p)+1, letter, k.One(), here))
	}
	var data []cascade.Example
	for range strings {
		var y []int32
		for p := 0; len(y) < length; {
			if p = next[p][rng.IntN(followers)]; p >= silent {
				y = append(y, int32(p%letters)+1)
			}
		}
		data = append(data, cascade.Example{Y: cascade.Labels(y...)})
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, model), freeze(t, spell)}}, data
}

// By size, many strings use no lattices, and a machine that is large relative to the data is not
// compiled. An explicit choice of a way is followed.
func TestWayBySize(t *testing.T) {
	without := func(problem cascade.Problem, data cascade.Data) int {
		e, err := likelihood(t, problem, data).Expect(context.Background(), em.Query{Theta: problem.Params.Start()})
		if err != nil {
			t.Fatal(err)
		}
		return e.WithoutLattice
	}
	problem, many := smallCipher(t, 5, 50, 20)
	large, few := smallCipher(t, 30, 1, 3)
	units, spelled := narrow(t, 360, 0, 26, 340, 20_000, 8)
	alone, spelledAlone := narrow(t, 360, 0, 26, 5, 300, 8)
	cyclic, between := narrow(t, 360, 20, 26, 30, 300, 8)
	rare, betweenRare := narrow(t, 360, 2, 26, 30, 300, 8)
	for _, c := range []struct {
		name     string
		problem  cascade.Problem
		examples []cascade.Example
		way      cascade.Strategy
		want     int
	}{
		{"many strings", problem, many, cascade.BySize, 50},
		{"many strings, by lattice", problem, many, cascade.ByLattice, 0},
		{"a large machine", large, few, cascade.BySize, 0},
		{"a large machine, by blocks", large, few, cascade.ByBlocks, 1},
		{"strings that reach few states", units, spelled, cascade.BySize, 0},
		{"more of them, whose lattices have no room", units, slices.Repeat(spelled, 4), cascade.BySize, 4 * len(spelled)},
		{"strings whose lattices have cycles", cyclic, between, cascade.BySize, len(between)},
		{"strings whose lattices have cycles and few arcs", rare, betweenRare, cascade.BySize, 0},
		{"strings that have a few arcs", alone, spelledAlone, cascade.BySize, 0},
		{"sets", problem, []cascade.Example{{Weight: em.Times(2)}}, cascade.ByBlocks, 0},
	} {
		if got := without(c.problem, cascade.Data{Examples: c.examples, Strategy: c.way, Underivable: em.Skip}); got != c.want {
			t.Errorf("%s: %d examples without a lattice, want %d", c.name, got, c.want)
		}
	}
	var told []int
	opts := &em.Options{Iterations: 2, Tolerance: -1, Observer: func(e em.Event) { told = append(told, e.WithoutLattice) }}
	if fit(t, problem, many, opts); !slices.Equal(told, []int{50, 50}) {
		t.Errorf("events tell of %d examples without a lattice", told)
	}
	if _, err := problem.Likelihood(cascade.Data{Examples: many, Strategy: cascade.ByBlocks + 1}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("error %v for an unknown way", err)
	}
	if got := fmt.Sprint(cascade.BySize, cascade.ByLattice, cascade.ByBlocks, cascade.Strategy(7)); got != "by size by lattice by blocks Strategy(7)" {
		t.Errorf("ways are called %s", got)
	}
}

// An expression without a value ends an E step as with lattices: the example that needs it is
// named, and others are unaffected. An inaccurate expression is not used.
func TestWayWithoutValue(t *testing.T) {
	params := em.NewParams()
	k, g := params.Space(), params.Group("loop", 3, em.Fixed{})
	m := fst.NewBuilder(k)
	for range 3 {
		m.AddState()
	}
	m.AddStart(0, k.One())
	m.SetFinal(2, k.One())
	m.AddArc(0, arc(1, 1, g.Weight(0), 1))
	m.AddArc(0, arc(2, 2, g.Weight(0), 2))
	m.AddArc(1, arc(epsilon, epsilon, k.Plus(g.Weight(1), g.Weight(2)), 1))
	m.AddArc(1, arc(epsilon, epsilon, g.Weight(0), 2))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	for _, c := range []struct {
		label   int32
		loop    float64
		diverge bool
	}{{1, .25, false}, {1, .5, true}, {2, .5, false}, {1, .499999, false}} {
		data := cascade.Data{Examples: []cascade.Example{{Y: cascade.Labels(c.label), Name: "one"}}, Strategy: cascade.ByBlocks}
		e, err := likelihood(t, problem, data).Expect(context.Background(), em.Query{Theta: []float64{.25, c.loop, c.loop}})
		if c.diverge {
			if !errors.Is(err, semiring.ErrDiverges) {
				t.Errorf("error %v, want semiring.ErrDiverges", err)
			}
			wantIn(t, err, "one")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if without := c.loop == .25; (e.WithoutLattice == 1) != without {
			t.Errorf("loop %v: %d examples without a lattice", c.loop, e.WithoutLattice)
		}
	}
}
