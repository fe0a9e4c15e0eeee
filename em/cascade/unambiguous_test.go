package cascade_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// backwards is a random machine with cycles whose input is deterministic from the end: each state
// has at most one incoming arc per label read, or parallel ones that write different labels. So f
// reads each x along one sequence of states, for any weights. Two states that the same strings
// lead to may have any weights on their cycles.
func backwards(t testing.TB, params *em.Params, g *em.Group, rng *rand.Rand) *fst.FST[weight] {
	m := fst.NewBuilder(params.Space())
	pick := func() weight { return g.Weight(rng.IntN(g.Len())) }
	const states, labels = 4, 2
	m.AddStates(states)
	m.SetFinal(0, pick())
	for s := range int32(states) {
		if rng.IntN(2) == 0 {
			m.AddStart(s, pick())
		}
		for in := int32(1); in <= labels; in++ {
			from := rng.Int32N(states)
			for range 1 + rng.IntN(2) {
				m.AddArc(from, arc(in, rng.Int32N(3), pick(), s))
			}
		}
		if rng.IntN(3) == 0 {
			m.AddArc(s, arc(epsilon, 1+rng.Int32N(2), pick(), s))
		}
	}
	return freeze(t, m)
}

// markers is two machines of twins; one reads 1 at the end and the other 2. The ambiguity of each
// is bounded, and only the end determines which of them has read x.
func markers(t testing.TB, params *em.Params, g *em.Group, rng *rand.Rand) *fst.FST[weight] {
	m := fst.NewBuilder(params.Space())
	end := m.AddState()
	m.SetFinal(end, params.Space().One())
	for marker := int32(1); marker <= 2; marker++ {
		f := twins(t, params, g, rng)
		first := m.AddStates(f.NumStates())
		for _, s := range f.AppendStarts(nil) {
			m.AddStart(first+s.State, s.Weight)
		}
		for s := range int32(f.NumStates()) {
			for _, a := range f.AppendArcs(nil, s) {
				a.To += first
				m.AddArc(first+s, a)
			}
			if w := f.Final(s); !params.Space().IsZero(w) {
				m.AddArc(first+s, arc(marker, marker, w, end))
			}
		}
	}
	return freeze(t, m)
}

// TestNormalizeConditionalUnambiguous: a machine without a deterministic form is normalized too,
// if it reads each x in one way, or in ways with the same product along x.
func TestNormalizeConditionalUnambiguous(t *testing.T) {
	for name, model := range map[string]func(testing.TB, *em.Params, *em.Group, *rand.Rand) *fst.FST[weight]{
		"deterministic from the end": backwards, "twins before markers": markers,
	} {
		read, split, beyond := 0, 0, 0
		for seed := range trials.Seeds(16) {
			rng := rand.New(rand.NewPCG(seed, 41))
			params := em.NewParams()
			g := params.Group("g", 6, strengths{})
			f := model(t, params, g, rng)
			n := cascade.NormalizeConditional(f, &fst.Options{Limit: 3000})
			beyond += withoutDeterministic(t, f)
			theta := make([]float64, params.Len())
			for i := range theta {
				theta[i] = .1 + .8*rng.Float64()
			}
			problem := cascade.Problem{Params: params}
			sum := func(m cascade.Stage, in, out []int32) float64 {
				return numeric(t, problem, theta, []cascade.Stage{m}, in, out)
			}
			for range 25 {
				in, out := append([]int32{}, randomLabels(rng, 8)...), append([]int32{}, randomLabels(rng, 5)...)
				z := sum(f, in, nil)
				if z == 0 {
					continue
				}
				read++
				if got := sum(n, in, nil); !closeTo(got, 1, 1e-10) {
					t.Errorf("%s, seed %d: %v has %.15g over all outputs", name, seed, in, got)
				}
				got, want := sum(n, in, out), sum(f, in, out)/z
				if !closeTo(got, want, 1e-10) {
					t.Errorf("%s, seed %d: %v to %v has %g, want %g", name, seed, in, out, got, want)
				}
				if want > 0 && want < 1 {
					split++
				}
			}
		}
		if read < 50 || split < 20 || beyond < 10 {
			t.Errorf("%s: only %d inputs were read, %d pairs of them neither certain nor impossible; %d machines without a deterministic form", name, read, split, beyond)
		}
	}
}

// withoutDeterministic returns 1 if the input sums of f have no deterministic form within
// 1000 states, arcs and members.
func withoutDeterministic(t testing.TB, f *fst.FST[weight]) int {
	t.Helper()
	inputs, err := fst.Expand(fst.RemoveEpsilon(fst.ProjectIn(f)), nil)
	if err != nil {
		t.Fatal(err)
	}
	sums := fst.Determinize(inputs, &fst.Options{Limit: 1000})
	if _, err = fst.Expand(sums, nil); err != nil && !errors.Is(err, semiring.ErrLimit) {
		t.Fatal(err)
	}
	if err != nil {
		return 1
	}
	return 0
}

// TestNormalizeConditionalUnambiguousHidden: such a stage trains like any other if its input is
// hidden; counts and curvature agree with finite differences.
func TestNormalizeConditionalUnambiguousHidden(t *testing.T) {
	trained := 0
	for seed := range trials.Seeds(15) {
		rng := rand.New(rand.NewPCG(seed, 42))
		params := em.NewParams()
		g := params.Group("g", 6, strengths{})
		n := cascade.NormalizeConditional(backwards(t, params, g, rng), &fst.Options{Limit: 3000})
		theta := make([]float64, params.Len())
		for i := range theta {
			theta[i] = .1 + .6*rng.Float64()
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{blur(t, params), n}}
		var data []cascade.Example
		for range 5 {
			in, out := append([]int32{}, randomLabels(rng, 6)...), append([]int32{}, randomLabels(rng, 6)...)
			if numeric(t, problem, theta, problem.Stages, in, out) > 0 {
				data = append(data, cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)})
			}
		}
		if len(data) == 0 {
			continue
		}
		trained++
		l := likelihood(t, problem, cascade.Data{Examples: data})
		q := em.Query{Theta: theta}
		if _, err := l.Expect(context.Background(), q); err != nil {
			t.Fatal(err)
		}
		checkGradient(t, seed, l, q)
		checkCurvature(t, seed, rng, l, q)
	}
	if trained < 8 {
		t.Errorf("only %d machines had data", trained)
	}
}

// TestNormalizeConditionalWithoutLimitOfAmbiguity: the shares of two states that all strings lead
// to converge but never become equal. So there is no deterministic form, however close they come.
func TestNormalizeConditionalWithoutLimitOfAmbiguity(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 4, strengths{})
	m := fst.NewBuilder(params.Space())
	m.AddStates(2)
	for s := range int32(2) {
		m.AddStart(s, params.Space().One())
		m.SetFinal(s, params.Space().One())
		for q := range int32(2) {
			m.AddArc(s, arc(1, 1+q, g.Weight(int(2*s+q)), q))
		}
	}
	if err := fst.Err(cascade.NormalizeConditional(freeze(t, m), &fst.Options{Limit: 500})); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("two states that lead to each other: %v", err)
	}
}

// TestNormalizeConditionalRange: a factor out of the range of float64 is an error, not an
// infinite or missing probability.
func TestNormalizeConditionalRange(t *testing.T) {
	real := semiring.Real{}
	machine := func(u, v, last float64, ends ...int32) *fst.FST[float64] {
		m := fst.NewBuilder(real)
		m.AddStates(3)
		for s, w := range []float64{u, v} {
			m.AddStart(int32(s), 1)
			m.AddArc(int32(s), fst.Arc[float64]{In: 1, Out: int32(s + 1), To: int32(s), Weight: w})
			m.AddArc(int32(s), fst.Arc[float64]{In: ends[s], Out: int32(s + 2), To: 2, Weight: last})
		}
		m.SetFinal(2, 1)
		f, err := m.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if err := fst.Err(cascade.NormalizeConditional(machine(2, 1, 1, 2, 2), nil)); !errors.Is(err, semiring.ErrLimit) || !errors.Is(err, fst.ErrTwins) {
		t.Errorf("the sum 2ⁿ + 1ⁿ: %v", err)
	}
	if err := fst.Err(cascade.NormalizeConditional(machine(2, 1, 1, 2, 3), nil)); err != nil {
		t.Errorf("weights that drift apart until the end tells which it was: %v", err)
	}
	for _, last := range []float64{1e-310, 1e308} { // 1/last is infinite or subnormal
		if err := fst.Err(cascade.NormalizeConditional(machine(.5, .5, last, 2, 3), nil)); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("last weights of %g: %v", last, err)
		}
	}
	f := cascade.NormalizeConditional(machine(.5, .5, 1e300, 2, 3), nil)
	if err := fst.Err(f); err != nil {
		t.Fatal(err)
	}
	if f.Semiring() != real {
		t.Errorf("the result is over %T", f.Semiring())
	}
}

// TestNormalizeConditionalGivesUp: for two states that all strings lead to, with a path for each
// string of states, the sums have no deterministic form. The default limit is reached in seconds.
func TestNormalizeConditionalGivesUp(t *testing.T) {
	params := em.NewParams()
	group := params.Group("hidden", 10, em.Multinomial{})
	b := fst.NewBuilder(params.Space())
	b.AddStates(2)
	b.AddStart(0, params.Space().One())
	n := 0
	next := func() weight {
		n++
		return group.Weight(n - 1)
	}
	for p := range int32(2) {
		for q := range int32(2) {
			for x := int32(1); x <= 2; x++ {
				b.AddArc(p, fst.Arc[weight]{In: x, Out: q + 1, To: q, Weight: next()})
			}
		}
		b.SetFinal(p, next())
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	if err := fst.Err(cascade.NormalizeConditional(f, nil)); !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "the limit of 150000") {
		t.Error(err)
	}
}
