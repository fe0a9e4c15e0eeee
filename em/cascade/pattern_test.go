package cascade_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// matches reports whether w matches a pattern.
func matches(pattern, w []int32) bool {
	if len(pattern) == 0 {
		return len(w) == 0
	}
	switch l := pattern[0]; {
	case l == cascade.AnyString:
		return matches(pattern[1:], w) || len(w) > 0 && matches(pattern, w[1:])
	case len(w) == 0:
		return false
	default:
		return (l == cascade.AnyLabel || l == w[0]) && matches(pattern[1:], w[1:])
	}
}

// TestPattern compares the likelihood of a pattern with the sum over the strings that
// match it.
func TestPattern(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 8))
		params := em.NewParams()
		machine := words(t, params)
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}
		theta := params.Start()
		for i := range theta {
			theta[i] = rng.Float64()
		}
		var pattern []int32
		for range rng.IntN(4) {
			pattern = append(pattern, []int32{1, 2, cascade.AnyLabel}[rng.IntN(3)])
		}
		if rng.IntN(2) == 0 {
			at := rng.IntN(len(pattern) + 1)
			pattern = append(pattern[:at:at], append([]int32{cascade.AnyString}, pattern[at:]...)...)
		}
		want := 0.0
		for path := range machine.Paths() {
			if matches(pattern, path.In) {
				want += numeric(t, problem, theta, problem.Stages, nil, path.In)
			}
		}
		side := cascade.Pattern(params, []int32{1, 2}, pattern...)
		e, err := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{Y: side}}, Underivable: em.Skip}).
			Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		if got := math.Exp(e.LogLikelihood) * float64(1-len(e.Skipped)); math.Abs(got-want) > 1e-12*want {
			t.Errorf("seed %d: pattern %v has %g, want %g", seed, pattern, got, want)
		}
	}
}

func TestBadPattern(t *testing.T) {
	params := em.NewParams()
	for name, c := range map[string]struct{ alphabet, labels []int32 }{
		"label":      {[]int32{1}, []int32{1, -3}},
		"epsilon":    {[]int32{1}, []int32{0}},
		"alphabet":   {[]int32{0}, nil},
		"twice":      {[]int32{1, 1}, nil},
		"AnyStrings": {[]int32{1}, []int32{cascade.AnyString, 1, cascade.AnyString}},
	} {
		if err := cascade.Pattern(params, c.alphabet, c.labels...).Err(); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestIntersect: the intersection of two sides, by its probability in a problem that copies its input.
func TestIntersect(t *testing.T) {
	p := em.NewParams()
	b := fst.NewBuilder(p.Space())
	s := b.AddState()
	b.AddStart(s, p.Space().One())
	b.SetFinal(s, p.Space().One())
	for l := range int32(3) {
		b.AddArc(s, fst.Arc[weight]{In: l + 1, Out: l + 1, Weight: p.Space().Const(semiring.NewScaled(.25)), To: s})
	}
	copying, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	p.Group("none", 1, em.Fixed{})
	any := cascade.Pattern(p, []int32{1, 2, 3}, 1, cascade.AnyLabel)
	heavy := cascade.Set(copying)
	for i, test := range []struct {
		a, b cascade.Side
		want float64 // of the sum over the strings, 0 for no string
	}{
		{cascade.Side{}, cascade.Labels(1, 2), 1. / 16},
		{cascade.Labels(1, 2), cascade.Side{}, 1. / 16},
		{cascade.Labels(1, 2), cascade.Labels(1, 2), 1. / 16},
		{cascade.Labels(1, 2), cascade.Labels(2, 1), 0},
		{cascade.Labels(1, 2), any, 1. / 16},
		{any, cascade.Labels(2, 2), 0},
		{any, any, 3. / 16},
		{any, heavy, 3. / 256},
		{cascade.Labels(), heavy, 1},
	} {
		for range 2 {
			both := cascade.Intersect(p, test.a, test.b)
			l, err := cascade.Problem{Params: p, Stages: []cascade.Stage{copying}}.Likelihood(cascade.Data{
				Examples: []cascade.Example{{X: both}}, Underivable: em.Skip})
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.Expect(t.Context(), em.Query{Theta: p.Start()})
			if err != nil {
				t.Fatal(err)
			}
			got := math.Exp(e.LogLikelihood) - float64(len(e.Skipped))
			if math.Abs(got-test.want) > 1e-12 {
				t.Errorf("case %d: %g, want %g", i, got, test.want)
			}
			test.a, test.b = test.b, test.a
		}
	}
	if cascade.Intersect(em.NewParams(), cascade.Labels(1), cascade.Set(copying)).Err() == nil {
		t.Error("machines of different Spaces are intersected")
	}
}
