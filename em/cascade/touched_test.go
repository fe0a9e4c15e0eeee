package cascade_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/likelihoodtest"
)

// wide is a channel of n symbols and as many stages, with further arcs in the last one whose
// symbols do not occur, each with a parameter.
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

// TestTouched: how many parameters there are that no example touches changes no bit of
// what is expected of the others.
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
				l := likelihood(t, large, cascade.Data{Examples: data, CacheBytes: cache, Way: cascade.ByLattice})
				likelihoodtest.Check(t, l, q)
				got, err := l.Expect(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				k := small.Params.Len()
				if q.Theta = theta[:k]; q.Tangent != nil {
					q.Tangent = tangent[:k]
				}
				want, err := likelihood(t, small, cascade.Data{Examples: data, Way: cascade.ByLattice}).Expect(t.Context(), q)
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

// TestTouchedAfterFailure: an E step that fails leaves nothing behind for the next.
func TestTouchedAfterFailure(t *testing.T) {
	p := wide(t, 3, 1, 3000)
	data := noisyPairs(rand.New(rand.NewPCG(3, 3)), 100, 3)
	data[99] = cascade.Example{X: cascade.Labels(1)} // with insertions without end
	l := likelihood(t, p, cascade.Data{Examples: data, Way: cascade.ByLattice})
	good := p.Params.Start()
	fixed := em.Query{Theta: good, Workers: 1}
	want, err := l.Expect(t.Context(), fixed)
	if err != nil {
		t.Fatal(err)
	}
	loud := slices.Clone(good)
	g := p.Params.Groups()[0]
	clear(g.In(loud))
	g.In(loud)[2] = 1 // insert one symbol for ever
	if _, err := l.Expect(t.Context(), em.Query{Theta: loud, Workers: 1}); err == nil {
		t.Fatal("no error")
	}
	got, err := l.Expect(t.Context(), fixed)
	if err != nil || !slices.Equal(got.Counts, want.Counts) {
		t.Errorf("other bits after an error, %v", err)
	}
}
