package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// nested returns a tree of six tapes, in which a hidden string has two copies and one of these
// has two more, and data with some, all or no copies known.
func nested(t testing.TB, rng *rand.Rand, law em.Law) (cascade.Problem, []cascade.Example) {
	params := em.NewParams()
	b := fst.NewBuilder(params.Space())
	g := params.Group("source", 3, law)
	b.AddStart(b.AddState(), params.Space().One())
	b.AddArc(0, arc(1, 1, g.Weight(0), 0))
	b.AddArc(0, arc(2, 2, g.Weight(1), 0))
	b.SetFinal(0, g.Weight(2))
	garbled := func() []cascade.Stage {
		return []cascade.Stage{channel(t, params, law, 2)}
	}
	problem := cascade.Problem{Params: params, Edges: []cascade.Edge{
		{From: 3, To: 4, Machines: garbled()},
		{From: 0, To: 1, Machines: []cascade.Stage{freeze(t, b)}},
		{From: 1, To: 2, Machines: garbled()},
		{From: 5, To: 3, Machines: garbled()}, // in the opposite direction
		{From: 1, To: 3, Machines: garbled()},
	}}
	var data []cascade.Example
	for range 12 {
		x := cascade.Example{Tapes: make([]cascade.Side, 2+rng.IntN(5))}
		for v := 1; v < len(x.Tapes); v++ {
			if rng.IntN(2) == 0 {
				x.Tapes[v] = cascade.Labels(randomLabels(rng, 3)...)
			}
		}
		data = append(data, x)
	}
	return problem, data
}

// TestTreeMonotone: methods that must not lower their objective do not, with hard assignments and
// any hidden tapes. Strings hidden at both ends are unbounded. So training may reach loops whose
// sums are refused as inaccurate, or diverge. Squarem then takes an extrapolation back, and
// objectives are not comparable.
func TestTreeMonotone(t *testing.T) {
	runs, refused := 0, 0
	for seed := range trials.Seeds(4) {
		rng := rand.New(rand.NewPCG(seed, 24))
		problem, data := nested(t, rng, em.Multinomial{})
		start, even := problem.Params.Random(rng), problem.Params.Start()
		for i := range start {
			start[i] = .9*start[i] + .1*even[i]
		}
		for _, o := range []em.Options{{}, {EStep: em.Viterbi}, {Method: em.Squarem{}}, {Method: em.Incremental{}}, {Method: em.LBFGS{}}} {
			o.Start, o.Iterations = start, 15
			infeasible := false
			o.Observer = func(e em.Event) {
				fell := e.Step != em.RejectedStep && e.Gain < -1e-9*math.Abs(e.Objective)
				if fell || math.IsNaN(e.Gain) && e.Iteration > 0 && e.Step != em.InfeasibleStep && !infeasible {
					t.Errorf("seed %d, %v: objective %g after %v, a gain of %g", seed, o.Method, e.Objective, e.Step, e.Gain)
				}
				infeasible = e.Step == em.InfeasibleStep || infeasible && e.Step == em.RejectedStep
			}
			r, err := em.Fit(t.Context(), likelihood(t, problem, cascade.Data{Examples: data}), &o)
			if runs++; errors.Is(err, semiring.ErrInaccurate) {
				refused++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %T: %v", seed, o.Method, err)
			}
			if last := r.Last(); last < r.Objective[0]+1e-3 {
				t.Errorf("seed %d, %T: objective went from %g to %g", seed, o.Method, r.Objective[0], last)
			}
		}
	}
	if 10*refused > runs {
		t.Errorf("%d of %d runs came to sums that are refused", refused, runs)
	}
}

// TestTreeBits: workers, caches and streams do not change the result.
func TestTreeBits(t *testing.T) {
	problem, data := nested(t, rand.New(rand.NewPCG(1, 25)), em.Multinomial{})
	for range 4 {
		data = append(data, data...)
	}
	run := func(d cascade.Data, workers int) *em.Result {
		r, err := em.Fit(context.Background(), likelihood(t, problem, d), &em.Options{Iterations: 4, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := run(cascade.Data{Examples: data}, 1)
	stream := func(yield func(cascade.Example, error) bool) {
		for _, x := range data {
			if !yield(x, nil) {
				return
			}
		}
	}
	for i, d := range []cascade.Data{{Examples: data}, {Examples: data, CacheBytes: -1}, {Stream: cascade.Sequence(stream), CacheBytes: 10000}} {
		for _, workers := range []int{2, 7} {
			if got := run(d, workers); !sameBits(got, want) {
				t.Errorf("data %d, %d workers: other bits", i, workers)
			}
		}
	}
}

// TestCuts: an observed string on an inner tape leaves separate lattices, not their product.
func TestCuts(t *testing.T) {
	params := em.NewParams()
	problem := cascade.Problem{Params: params}
	for v := range 3 {
		problem.Edges = append(problem.Edges, cascade.Edge{From: 0, To: v + 1, Machines: []cascade.Stage{channel(t, params, em.Multinomial{}, 2)}})
	}
	s := slices.Repeat([]int32{1, 2}, 20)
	arcs := func(x cascade.Example) int64 {
		e, err := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{x}}).Expect(context.Background(), em.Query{Theta: params.Start()})
		if err != nil {
			t.Fatal(err)
		}
		return e.Arcs
	}
	all := arcs(cascade.Example{Tapes: []cascade.Side{cascade.Labels(s...), cascade.Labels(s...), cascade.Labels(s...), cascade.Labels(s...)}})
	if most := int64(3 * (3*len(s) + 10) * len(s)); all > most {
		t.Errorf("%d arcs for three pairs of strings, want at most %d", all, most)
	}
}

// TestUnbounded: the error of a sum without a value names exactly the unbounded tape.
func TestUnbounded(t *testing.T) {
	problem, _ := nested(t, rand.New(rand.NewPCG(2, 26)), em.Fixed{})
	theta := problem.Params.Start()
	in := func(e int) []float64 {
		for i, g := range problem.Params.Groups() {
			if i == e {
				return g.In(theta)
			}
		}
		return nil
	}
	// The groups are the source and the channels 3–4, 1–2, 5–3, 1–3, whose outcomes are ε:1, ε:2,
	// 1:ε, 1:1, 1:2, 2:ε, ….
	for e := 1; e <= 4; e++ {
		copy(in(e), []float64{.02, .02, .1, .2, .1, .1, .1, .2})
	}
	copy(in(0), []float64{.2, .2, .6})
	known := cascade.Labels(1, 2)
	for name, c := range map[string]struct {
		change func()
		tapes  []cascade.Side
	}{
		"strings of tape 2":           {func() { in(2)[0] = 1 }, []cascade.Side{1: known, 3: known, 4: known, 5: known}},
		"strings of tape 5":           {func() { in(3)[2] = 1 }, []cascade.Side{4: known, 2: known, 5: {}}},
		"strings of tape 0 or tape 1": {func() { in(0)[0], in(2)[2], in(4)[2] = 1.1, 1, 1 }, []cascade.Side{2: known, 3: known}},
	} {
		before := slices.Clone(theta)
		c.change()
		l := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{Tapes: []cascade.Side{known}, Weight: em.Times(0)}, {Tapes: c.tapes, Name: "bad"}}})
		_, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%s: error %v, want ErrDiverges", name, err)
		}
		wantIn(t, err, "bad", name)
		copy(theta, before)
	}
}

func TestBadTrees(t *testing.T) {
	good, _ := nested(t, rand.New(rand.NewPCG(3, 27)), em.Multinomial{})
	known := cascade.Labels(1)
	for says, c := range map[string]struct {
		change  func(p *cascade.Problem)
		example cascade.Example
	}{
		"edge 1 (tape 0 to 6): a tree of 5 edges": {func(p *cascade.Problem) { p.Edges[1].To = 6 }, cascade.Example{}},
		"edge 1 (tape -1 to 1)":                   {func(p *cascade.Problem) { p.Edges[1].From = -1 }, cascade.Example{}},
		"edge 2 (tape 1 to 1): its tapes are":     {func(p *cascade.Problem) { p.Edges[2].To = 1 }, cascade.Example{}},
		"edge 4 (tape 4 to 3): its tapes are":     {func(p *cascade.Problem) { p.Edges[4].From = 4 }, cascade.Example{}},
		"edge 3 (tape 5 to 3) has no machine":     {func(p *cascade.Problem) { p.Edges[3].Machines = nil }, cascade.Example{}},
		"machine 0 of edge 0 (tape 3 to 4) is nil": {func(p *cascade.Problem) {
			p.Edges[0].Machines = []cascade.Stage{nil}
		}, cascade.Example{}},
		"both Edges and Stages":    {func(p *cascade.Problem) { p.Stages = p.Edges[0].Machines }, cascade.Example{}},
		"example 0 has 7 tapes":    {nil, cascade.Example{Tapes: make([]cascade.Side, 7)}},
		"example 0 has X or Y":     {nil, cascade.Example{Y: known}},
		"example 0 has 1 branches": {nil, cascade.Example{Branches: []cascade.Side{known}}},
		"example 0: label 0":       {nil, cascade.Example{Tapes: []cascade.Side{cascade.Labels(0)}}},
		"example 0 has Tapes": {func(p *cascade.Problem) {
			*p = cascade.Problem{Params: p.Params, Stages: p.Edges[0].Machines}
		}, cascade.Example{Tapes: []cascade.Side{known}}},
	} {
		p := good
		p.Edges = slices.Clone(good.Edges)
		if c.change != nil {
			c.change(&p)
		}
		_, err := p.Likelihood(cascade.Data{Examples: []cascade.Example{c.example}})
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", says, err)
		}
		wantIn(t, err, says)
	}
	for _, tape := range []int{-1, 6} {
		if _, err := cascade.Marginal(good, cascade.Example{}, tape, good.Params.Start()); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
	}
	if _, err := cascade.Marginal(good, cascade.Example{X: known}, 0, good.Params.Start()); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
	if _, err := cascade.Marginal(good, cascade.Example{}, 0, nil); !errors.Is(err, em.ErrParameter) {
		t.Errorf("error %v, want ErrParameter", err)
	}
	_, err := good.ConditionalLikelihood(cascade.Data{Examples: []cascade.Example{{}}})
	if !errors.Is(err, em.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
	wantIn(t, err, "Difference")
}

// TestTreeTooLarge: the error for a lattice beyond the limit names its factors.
func TestTreeTooLarge(t *testing.T) {
	problem, _ := nested(t, rand.New(rand.NewPCG(5, 30)), em.Multinomial{})
	s := cascade.Labels(slices.Repeat([]int32{1, 2}, 10)...)
	data := cascade.Data{Examples: []cascade.Example{{Tapes: []cascade.Side{2: s, 4: s, 5: s}}}, LatticeLimit: 2000}
	_, err := likelihood(t, problem, data).Expect(context.Background(), em.Query{Theta: problem.Params.Start()})
	if !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want ErrLimit", err)
	}
	// 21 positions: at each, 1 and 2 are written by 3 arcs, and 2 arcs write ε.
	wantIn(t, err, "lattice of example 0", "edge 2 (tape 1 to 2) with 21 states and 102 arcs", "edge 4 (tape 1 to 3) with 1 states and 8 arcs")
}

// TestTreeNormalized: the normalizer of a tree is its sum over all strings of all tapes.
func TestTreeNormalized(t *testing.T) {
	for seed := range trials.Seeds(5) {
		rng := rand.New(rand.NewPCG(seed, 28))
		problem, seen, theta := randomTree(t, rng)
		data := cascade.Data{Examples: []cascade.Example{{Tapes: tapes(seen), Weight: em.Times(3)}}, Underivable: em.Skip}
		q := em.Query{Theta: theta}
		value := func(l em.Likelihood, err error) float64 {
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.Expect(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if len(e.Skipped) > 0 {
				return math.NaN()
			}
			return e.LogLikelihood
		}
		plus := value(problem.Likelihood(data))
		all := value(problem.Likelihood(cascade.Data{Examples: []cascade.Example{{}}}))
		difference, err := problem.NormalizedLikelihood(data)
		got := value(difference, err)
		if want := plus - 3*all; !math.IsNaN(want) && !closeTo(got, want, 1e-12) {
			t.Errorf("seed %d: %g, want %g", seed, got, want)
		}
		checkGradient(t, seed, difference, q)
	}
}

// TestSavedTree: a saved and loaded tree is unchanged.
func TestSavedTree(t *testing.T) {
	problem, data := nested(t, rand.New(rand.NewPCG(4, 29)), em.Multinomial{})
	m := cascade.NewModel(problem)
	if _, err := m.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Iterations: 3}); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := m.Save(&text); err != nil {
		t.Fatal(err)
	}
	saved := text.Bytes()
	back, err := cascade.Load(bytes.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	a := likelihood(t, m.Problem, cascade.Data{Examples: data})
	b := likelihood(t, back.Problem, cascade.Data{Examples: data})
	x, errX := a.Expect(context.Background(), em.Query{Theta: m.Theta})
	y, errY := b.Expect(context.Background(), em.Query{Theta: back.Theta})
	if errX != nil || errY != nil || !reflect.DeepEqual(x.Counts, y.Counts) || x.LogLikelihood != y.LogLikelihood {
		t.Errorf("%g (%v) and %g (%v)", x.LogLikelihood, errX, y.LogLikelihood, errY)
	}
	prints := map[string]bool{}
	print := func(p cascade.Problem, data []cascade.Example) {
		var text bytes.Buffer
		likelihood(t, p, cascade.Data{Examples: data}).Fingerprint(&text)
		prints[text.String()] = true
	}
	print(m.Problem, data)
	turned := m.Problem
	turned.Edges = slices.Clone(turned.Edges)
	turned.Edges[2].From, turned.Edges[2].To = 2, 1
	print(turned, data)
	data = slices.Clone(data)
	data[0].Tapes = []cascade.Side{1: cascade.Labels(1), 4: cascade.Labels(2)}
	print(m.Problem, data)
	if len(prints) != 3 {
		t.Errorf("%d fingerprints, want 3", len(prints))
	}
	bad := bytes.Replace(saved, []byte(`"from":3,`), []byte(`"from":9,`), 1)
	if _, err := cascade.Load(bytes.NewReader(bad)); !errors.Is(err, em.ErrFormat) {
		t.Errorf("error %v, want ErrFormat", err)
	}
}
