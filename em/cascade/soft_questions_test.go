package cascade_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// sameMachine fails t unless a and b have the same arcs, and the same weights up to rounding.
func sameMachine(t *testing.T, what string, a, b *fst.FST[semiring.ScaledFloat]) {
	t.Helper()
	near := func(x, y semiring.ScaledFloat) bool { return semiring.Scaled{}.Dist(x, y) <= 1e-11 }
	if !slices.Equal(a.In(), b.In()) || !slices.Equal(a.Graph().To(), b.Graph().To()) ||
		!slices.EqualFunc(a.Graph().Weights(), b.Graph().Weights(), near) || !slices.EqualFunc(a.Graph().Finals(), b.Graph().Finals(), near) {
		t.Errorf("%s: different machines of %d and %d arcs", what, a.NumArcs(), b.NumArcs())
	}
}

// TestSoftQuestions: all functions of examples have the same results as for a set.
func TestSoftQuestions(t *testing.T) {
	for seed := range trials.Seeds(12) {
		rng := fsttest.Rand(seed)
		problem, theta := seenProblem(t, rng, false)
		softly, asSets := guesses(t, rng, problem.Params)
		soft, sets := cascade.Data{Examples: softly, Underivable: em.Skip}, cascade.Data{Examples: asSets, Underivable: em.Skip}

		got, want := must(problem.Totals(t.Context(), theta, soft)), must(problem.Totals(t.Context(), theta, sets))
		for i := range want {
			if got[i].Log != want[i].Log && !closeTo(got[i].Log, want[i].Log, 1e-12) {
				t.Errorf("seed %d: total %v, want %v", seed, got[i], want[i])
			}
		}
		corpus := must(problem.Corpus(soft))
		if err := corpus.Begin(em.Query{Theta: theta}); err != nil {
			t.Fatal(err)
		}
		visitor := corpus.Visitor()
		for i := range softly {
			if uses := must(visitor.Visit(i)); uses.Total.Log() != got[i].Log {
				t.Errorf("seed %d: example %d has %v, in totals %v", seed, i, uses.Total.Log(), got[i].Log)
			}
		}
		for i := range softly {
			for tape := range 2 {
				sameMachine(t, fmt.Sprintf("seed %d, example %d, tape %d", seed, i, tape),
					must(cascade.Marginal(problem, softly[i], tape, theta)), must(cascade.Marginal(problem, asSets[i], tape, theta)))
			}
		}
		q := em.Query{Theta: theta}
		if diff := differ(withoutReasons(expectation(t, must(problem.ConditionalLikelihood(soft)), q)), withoutReasons(expectation(t, must(problem.ConditionalLikelihood(sets)), q))); diff != "" {
			t.Errorf("seed %d, conditional: %s", seed, diff)
		}
		strings := func(all []cascade.Example) cascade.Data {
			d := cascade.Data{Underivable: em.Skip}
			for _, x := range all {
				if !x.Y.Unknown() {
					d.Examples = append(d.Examples, x)
				}
			}
			return d
		}
		if seed%5 == 0 && len(strings(softly).Examples) > 0 {
			a, b := must(problem.StringLikelihood(strings(softly), nil)), must(problem.StringLikelihood(strings(asSets), nil))
			if diff := differ(withoutReasons(expectation(t, a, q)), withoutReasons(expectation(t, b, q))); diff != "" {
				t.Errorf("seed %d, strings: %s", seed, diff)
			}
		}
	}
}

// TestSoftWithin: sums over parts of the lattices of soft strings are bounds of the sums.
func TestSoftWithin(t *testing.T) {
	bounded := 0
	for seed := range trials.Seeds(12) {
		rng := rand.New(rand.NewPCG(seed, 72))
		problem, theta := seenProblem(t, rng, false)
		data, _ := guesses(t, rng, problem.Params)
		for i := range data {
			one := cascade.Data{Examples: data[i : i+1], Underivable: em.Skip}
			q := em.Query{Theta: theta, Choose: true}
			want := expectation(t, likelihood(t, problem, one), q)
			if len(want.Skipped) > 0 {
				continue
			}
			for name, w := range parts() {
				one.Pruning = &w
				got := expectation(t, likelihood(t, problem, one), q)
				bounded++
				if got.LogLikelihood > want.LogLikelihood+1e-10 || got.LogLikelihood+got.Gap < want.LogLikelihood-1e-10 {
					t.Errorf("seed %d, %s, example %d: %v and %v more do not bound %v", seed, name, i, got.LogLikelihood, got.Gap, want.LogLikelihood)
				}
				if w.Beam == 1e-200 && !closeTo(got.LogLikelihood, want.LogLikelihood, 1e-10) {
					t.Errorf("seed %d, %s, example %d: %v, want %v", seed, name, i, got.LogLikelihood, want.LogLikelihood)
				}
			}
		}
	}
	if bounded < 300 {
		t.Errorf("only %d parts", bounded)
	}
}

// withoutReasons returns e without the reasons why examples were skipped.
func withoutReasons(e *em.Expectations) *em.Expectations {
	for i := range e.Skipped {
		e.Skipped[i].Reason = ""
	}
	return e
}

// TestSoftBySize: soft strings use no lattices, unless few labels are possible and paths reach
// few of many states.
func TestSoftBySize(t *testing.T) {
	units, spelled := narrow(t, 200, 0, 26, 4, 50, 8)
	soften := func(least float64) (data []cascade.Example) {
		labels := make([]int32, 26)
		for v := range labels {
			labels[v] = int32(v) + 1
		}
		for _, x := range spelled {
			y, _ := x.Y.Labels()
			g := guess{labels: labels}
			for _, l := range y {
				weight := slices.Repeat([]float64{least}, len(labels))
				weight[l-1] = 1
				g.weight = append(g.weight, weight)
			}
			data = append(data, cascade.Example{Y: g.side(t)})
		}
		return data
	}
	for _, c := range []struct {
		least float64
		way   cascade.Strategy
		want  int
	}{{1e-3, cascade.BySize, 50}, {0, cascade.BySize, 0}, {0, cascade.ByBlocks, 50}, {1e-3, cascade.ByLattice, 0}} {
		l := likelihood(t, units, cascade.Data{Examples: soften(c.least), Strategy: c.way})
		if got := expectation(t, l, em.Query{Theta: units.Params.Start()}); got.WithoutLattice != c.want {
			t.Errorf("other labels of weight %g, %v: %d examples without a lattice, want %d", c.least, c.way, got.WithoutLattice, c.want)
		}
	}
}

// TestSoftTree: tapes of a tree are soft, leaves and inner ones.
func TestSoftTree(t *testing.T) {
	tried := 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 12))
		problem, seen, theta := randomTree(t, rng)
		a, b := tapes(seen), tapes(seen)
		for v := range a {
			if rng.IntN(2) == 0 {
				g := randomGuess(rng, 2)
				g.labels = []int32{1, 2, 7}[:len(g.labels)]
				a[v], b[v] = g.side(t), g.set(t, problem.Params)
			}
		}
		one := func(sides []cascade.Side) cascade.Data {
			return cascade.Data{Examples: []cascade.Example{{Tapes: sides}}, Underivable: em.Skip}
		}
		l, err := problem.Likelihood(one(a))
		if err != nil {
			continue // a machine without labels on a tape
		}
		tried++
		for name, q := range wayQueries(rng, theta) {
			if diff := differ(withoutReasons(expectation(t, l, q)), withoutReasons(expectation(t, likelihood(t, problem, one(b)), q))); diff != "" {
				t.Fatalf("seed %d, %s: %s", seed, name, diff)
			}
		}
	}
	if tried < 25 {
		t.Errorf("only %d trees", tried)
	}
}

// TestSoftAndMore: Intersect contains the strings that a soft side and another side allow.
func TestSoftAndMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	problem, theta := seenProblem(t, rng, false)
	g := guess{labels: []int32{2, 1}, weight: [][]float64{{.3, .7}, {.5, .5}, {1, .2}}}
	pattern := cascade.Pattern(problem.Params, []int32{1, 2}, cascade.AnyLabel, 2, cascade.AnyString)
	both, want := cascade.Intersect(problem.Params, g.side(t), pattern), 0.0
	if both.Err() != nil || both.String() == "anything" {
		t.Fatal(both)
	}
	q := em.Query{Theta: theta}
	total := func(side cascade.Side) float64 {
		return math.Exp(must(problem.Totals(t.Context(), theta, cascade.Data{Examples: []cascade.Example{{Y: side}}}))[0].Log)
	}
	g.all(func(labels []int32, weight float64) {
		if labels[1] == 2 {
			want += weight * total(cascade.Labels(labels...))
		}
	})
	e := expectation(t, likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{Y: both}}}), q)
	if !closeTo(math.Exp(e.LogLikelihood), want, 1e-12) {
		t.Errorf("%v, want %v", math.Exp(e.LogLikelihood), want)
	}
	if got := total(cascade.Intersect(problem.Params, cascade.Labels(1, 2, 2), g.side(t))); !closeTo(got, .7*.5*total(cascade.Labels(1, 2, 2)), 1e-12) {
		t.Errorf("a string and a soft one have %v", got)
	}
}

// TestFramesOfLabels: a machine with a blank reads two frames, a with .4 and blank with .6 each.
// It writes "a" with .64 and the empty string with .36. A model of the text after it gets counts
// of both.
func TestFramesOfLabels(t *testing.T) {
	const blank = 3
	params := em.NewParams()
	k, g := params.Space(), params.Group("text", 2, em.Multinomial{})
	m, text := fst.NewBuilder(k), fst.NewBuilder(k)
	m.AddStates(3) // after a blank, a, b
	m.AddStart(0, k.One())
	text.AddStates(2)
	text.AddStart(0, k.One())
	text.SetFinal(0, g.Weight(0))
	text.SetFinal(1, k.One())
	text.AddArc(0, arc(1, 1, g.Weight(1), 1))
	for p := range int32(3) {
		m.SetFinal(p, k.One())
		m.AddArc(p, arc(blank, epsilon, k.One(), 0))
		for l := int32(1); l < blank; l++ {
			out := l
			if p == l {
				out = epsilon
			}
			m.AddArc(p, arc(l, out, k.One(), l))
		}
	}
	x := guess{labels: []int32{1, 2, 3}, weight: [][]float64{{.4, 0, .6}, {.4, 0, .6}}}.side(t)
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	for text, want := range map[string]float64{"\x01": .64, "": .36, "\x02": 0, "\x01\x01": 0} {
		total := must(problem.Totals(t.Context(), params.Start(), cascade.Data{Examples: []cascade.Example{{X: x, Y: cascade.Text(text)}}, Underivable: em.Skip}))
		if got := math.Exp(total[0].Log); math.Abs(got-want) > 1e-15 {
			t.Errorf("%q has %v, want %v", text, got, want)
		}
	}
	problem.Stages = append(problem.Stages, freeze(t, text))
	e := expectation(t, likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{X: x}}, Strategy: cascade.ByBlocks}), em.Query{Theta: []float64{.25, .75}})
	z := .25*.36 + .75*.64
	if e.WithoutLattice != 1 || !closeTo(e.LogLikelihood, math.Log(z), 1e-14) || !closeTo(e.Counts[0], .25*.36/z, 1e-14) || !closeTo(e.Counts[1], .75*.64/z, 1e-14) {
		t.Errorf("%d without a lattice, log likelihood %v, counts %v", e.WithoutLattice, e.LogLikelihood, e.Counts)
	}
}

// TestSoftFingerprint: other emissions or labels have another fingerprint.
func TestSoftFingerprint(t *testing.T) {
	problem, _ := seenProblem(t, rand.New(rand.NewPCG(1, 6)), false)
	g := guess{labels: []int32{1, 2}, weight: [][]float64{{.3, .7}, {.5, .5}}}
	print := func(g guess) string {
		var b bytes.Buffer
		likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{Y: g.side(t)}}}).Fingerprint(&b)
		return b.String()
	}
	all := map[string]bool{print(g): true}
	if !all[print(g)] {
		t.Error("the same data have another fingerprint")
	}
	for _, g := range []guess{
		{labels: []int32{2, 1}, weight: g.weight},
		{labels: g.labels, weight: [][]float64{{.3, .7}, {.5, .500001}}},
		{labels: g.labels, weight: g.weight[:1]},
	} {
		all[print(g)] = true
	}
	if len(all) != 4 {
		t.Errorf("%d fingerprints, want 4", len(all))
	}
}
