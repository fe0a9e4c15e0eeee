package cascade_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/expr"
)

// wide is a channel of n symbols with the given number of stages. The last stage has further arcs
// with symbols that do not occur, each with a parameter.
func wide(t testing.TB, n int32, stages, arcs int) cascade.Problem {
	p := cascade.Problem{Params: em.NewParams()}
	for range stages {
		p.Stages = append(p.Stages, channel(t, p.Params, em.Multinomial{}, n))
	}
	g := p.Params.Group("never", arcs, em.Multinomial{})
	b := fst.NewBuilder(p.Params.Space())
	s := b.AddState()
	b.AddStart(s, p.Params.Space().One())
	b.SetFinal(s, p.Params.Space().One())
	last := p.Stages[stages-1]
	for _, a := range last.AppendArcs(nil, 0) {
		b.AddArc(s, a)
	}
	for i := range arcs {
		b.AddArc(s, arc(n+1+int32(i), n+1+int32(i), g.Weight(i), s))
	}
	p.Stages[stages-1] = freeze(t, b)
	return p
}

// TestTouched: the number of parameters that no example uses does not change a bit of the
// expectations of the others.
func TestTouched(t *testing.T) {
	const n = 3
	for stages := 1; stages <= 2; stages++ {
		rng := rand.New(rand.NewPCG(7, uint64(stages)))
		data := noisyPairs(rng, 200, n)
		small, large := wide(t, n, stages, 0), wide(t, n, stages, 3000)
		theta := large.Params.Random(rng)
		tangent := large.Params.Random(rng)
		for _, cache := range []int64{0, -1} {
			for _, q := range []em.Query{{}, {EStep: em.Viterbi}, {Temperature: .7}, {Tangent: tangent}, {Tangent: tangent, Temperature: 2}} {
				q.Theta, q.Workers = theta, 2
				l := likelihood(t, large, cascade.Data{Examples: data, CacheBytes: cache, Strategy: cascade.ByLattice})
				likelihoodtest.Check(t, l, q)
				got, err := l.Expect(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				k := small.Params.Len()
				if q.Theta = theta[:k]; q.Tangent != nil {
					q.Tangent = tangent[:k]
				}
				want, err := likelihood(t, small, cascade.Data{Examples: data, Strategy: cascade.ByLattice}).Expect(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if got.LogLikelihood != want.LogLikelihood || !slices.Equal(got.Counts[:k], want.Counts) ||
					q.Tangent != nil && !slices.Equal(got.Curvature[:k], want.Curvature) {
					t.Errorf("%d stages, cache %d, %+v: other bits", stages, cache, q.EStep)
				}
				if slices.ContainsFunc(got.Counts[k:], func(x float64) bool { return x != 0 }) {
					t.Errorf("%d stages: counts of what never occurs", stages)
				}
			}
		}
	}
}

// TestTouchedAfterFailure: a failed E step does not affect the next.
func TestTouchedAfterFailure(t *testing.T) {
	p := wide(t, 3, 1, 3000)
	data := noisyPairs(rand.New(rand.NewPCG(3, 3)), 100, 3)
	data[99] = cascade.Example{X: cascade.Labels(1)} // with unlimited insertions
	l := likelihood(t, p, cascade.Data{Examples: data, Strategy: cascade.ByLattice})
	good := p.Params.Start()
	fixed := em.Query{Theta: good, Workers: 1}
	want, err := l.Expect(t.Context(), fixed)
	if err != nil {
		t.Fatal(err)
	}
	loud := slices.Clone(good)
	g := p.Params.Groups()[0]
	clear(g.In(loud))
	g.In(loud)[2] = 1 // insert one symbol forever
	if _, err := l.Expect(t.Context(), em.Query{Theta: loud, Workers: 1}); err == nil {
		t.Fatal("no error")
	}
	got, err := l.Expect(t.Context(), fixed)
	if err != nil || !slices.Equal(got.Counts, want.Counts) {
		t.Errorf("other bits after an error, %v", err)
	}
}

// grow makes expressions in the Space of p, as composing its machines would.
func grow(p *em.Params, rng *rand.Rand) {
	space := p.Space()
	for range 1 + rng.IntN(20) {
		a, b := expr.W(rng.IntN(space.Len())), expr.W(rng.IntN(space.Len()))
		if rng.IntN(2) == 0 {
			space.Times(a, b)
		} else {
			space.Plus(a, b)
		}
	}
}

// near fails t unless both E steps have the same expectations.
func near(t *testing.T, what string, got, want *em.Expectations) {
	t.Helper()
	close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
	if !close(got.LogLikelihood, want.LogLikelihood) || len(got.Skipped) != len(want.Skipped) {
		t.Fatalf("%s: %v nats, %d skipped; want %v, %d", what, got.LogLikelihood, len(got.Skipped), want.LogLikelihood, len(want.Skipped))
	}
	for i := range want.Counts {
		if !close(got.Counts[i], want.Counts[i]) {
			t.Fatalf("%s: count %d is %v, want %v", what, i, got.Counts[i], want.Counts[i])
		}
	}
	for i := range want.Curvature {
		if !close(got.Curvature[i], want.Curvature[i]) {
			t.Fatalf("%s: curvature %d is %v, want %v", what, i, got.Curvature[i], want.Curvature[i])
		}
	}
}

// TestSpaceGrows: expressions made in the Params' Space between E steps do not change the
// expectations of a likelihood, from lattices composed before and after, and from cells.
func TestSpaceGrows(t *testing.T) {
	kinds := map[string]cascade.Data{
		"lattices":        {Strategy: cascade.ByLattice},
		"lattices again":  {Strategy: cascade.ByLattice, CacheBytes: -1},
		"some lattices":   {Strategy: cascade.ByLattice, CacheBytes: 2000},
		"by cost":         {},
		"parts":           {Pruning: &cascade.Pruning{Beam: .1}},
		"parts, searched": {Pruning: &cascade.Pruning{Beam: .1, Whole: -1}},
	}
	compared := 0
	for seed := range trials.Seeds(40) {
		for name, data := range kinds {
			name = fmt.Sprintf("seed %d, %s", seed, name)
			prepared := func() (em.Likelihood, em.Query) {
				problem, examples, theta := randomProblem(t, rand.New(rand.NewPCG(seed, 91)))
				data.Examples, data.Underivable = examples, em.Skip
				q := em.Query{Theta: theta, Workers: 1, Choose: data.Pruning != nil}
				if data.Pruning == nil {
					q.Tangent = make([]float64, len(theta))
					for i := range q.Tangent {
						q.Tangent[i] = float64(i%3) - 1
					}
				}
				return likelihood(t, problem, data), q
			}
			l, q := prepared()
			want, err := l.Expect(t.Context(), q)
			if err != nil {
				continue // a cycle diverges
			}
			compared++
			l, q = prepared()
			rng := rand.New(rand.NewPCG(seed, 92))
			first := q
			first.Hi = 1 + rng.IntN(l.Shards())
			if _, err := l.Expect(t.Context(), first); err != nil {
				t.Fatal(name, err)
			}
			for range 3 {
				grow(l.Params(), rng)
				got, err := l.Expect(t.Context(), q)
				if err != nil {
					t.Fatal(name, err)
				}
				near(t, name, got, want)
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d compared", compared)
	}
}

// TestSpaceGrowsVisited is TestSpaceGrows for examples that are visited one by one.
func TestSpaceGrowsVisited(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 93))
		c, _, theta := visited(t, rng, int(seed%3), []int64{0, -1, 2000}[rng.IntN(3)])
		v := c.Visitor()
		var before []cascade.Uses
		for n := range 3 {
			if err := c.Begin(em.Query{Theta: theta}); err != nil {
				t.Fatal(seed, err)
			}
			for i := range c.Examples() {
				if n == 0 && i > 0 && rng.IntN(2) == 0 {
					before = append(before, cascade.Uses{}) // its shard is made later
					continue
				}
				if c.Example(i).Weight == 0 {
					before = append(before, cascade.Uses{})
					continue
				}
				uses, err := v.Visit(i)
				if err != nil {
					t.Fatal(seed, err)
				}
				if n == 0 {
					before = append(before, cascade.Uses{Total: uses.Total, Counts: append([]float64{}, uses.Counts...)})
					continue
				}
				if want := before[i]; want.Counts != nil {
					if math.Abs(uses.Total.Log()-want.Total.Log()) > 1e-9 && !want.Total.IsZero() ||
						len(uses.Counts) != len(want.Counts) || math.Abs(floats.Sum(uses.Counts)-floats.Sum(want.Counts)) > 1e-9*(1+floats.Norm(want.Counts, 1)) {
						t.Fatalf("seed %d: example %d has %v and counts %v, before %v and %v", seed, i, uses.Total, uses.Counts, want.Total, want.Counts)
					}
				}
			}
			grow(c.Params(), rng)
		}
	}
}
