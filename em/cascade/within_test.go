package cascade_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// parts lists settings for sums over parts of lattices; the ones that search need a bound.
func parts() map[string]cascade.Pruning {
	return map[string]cascade.Pruning{
		"beam":            {Beam: 1e-2},
		"narrow":          {Beam: .5, States: 4},
		"wide":            {Beam: 1e-200},
		"3 best":          {K: 3},
		"searched":        {Beam: 1e-2, Whole: -1},
		"searched narrow": {Beam: .5, States: 4, Whole: -1},
		"searched wide":   {Beam: 1e-200, Whole: -1},
		"searched 3 best": {K: 3, Whole: -1},
	}
}

// The sum of a part is a lower bound, and the reported upper bound is one: compared with the sums
// of whole lattices, most of them with cycles. If the part is chosen from a whole lattice, the
// upper bound is the sum.
func TestWithinBounds(t *testing.T) {
	open, bounded, tight := 0, 0, 0
	for seed := range trials.Seeds(25) {
		rng := rand.New(rand.NewPCG(seed, 71))
		problem, data, theta := randomProblem(t, rng)
		problem.Stages[0] = withEnds(t, rng, problem.Stages[0])
		q := em.Query{Theta: theta, Choose: true, Bounds: true, Temperature: []float64{.9, 1, 2}[seed%3]}
		for i := range data {
			data[i].Name = string(rune('a' + i))
		}
		var exact []float64
		for i := range data {
			e, err := likelihood(t, problem, cascade.Data{Examples: data[i : i+1], Underivable: em.Skip, Strategy: cascade.ByLattice}).Expect(t.Context(), q)
			switch {
			case err != nil:
				exact = nil
			case len(e.Skipped) > 0:
				exact = append(exact, math.Inf(-1))
			default:
				exact = append(exact, e.LogLikelihood/data[i].Weight.Float64())
			}
			if err != nil {
				break
			}
		}
		if exact == nil {
			continue
		}
		for name, w := range parts() {
			l := likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip, Pruning: &w})
			e, err := l.Expect(t.Context(), q)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, name, err)
			}
			sum, gap := 0.0, 0.0
			known := map[int]em.Bound{}
			for _, b := range e.Bounds {
				known[b.Index] = b
				gap += b.Weight * (b.Upper - b.Lower)
			}
			if gap != e.Gap && !(math.Abs(gap-e.Gap) <= 1e-12*gap) {
				t.Errorf("seed %d, %s: gap %g, of the examples %g", seed, name, e.Gap, gap)
			}
			for i, want := range exact {
				b, ok := known[i]
				if math.IsInf(want, -1) {
					continue
				}
				if !ok { // the whole lattice was kept
					b = em.Bound{Index: i, Name: data[i].Name, Weight: data[i].Weight.Float64(), Lower: want, Upper: want}
				}
				sum += b.Weight * b.Lower
				if b.Name != data[i].Name || b.Weight != data[i].Weight.Float64() {
					t.Errorf("seed %d, %s: %+v, want %+v", seed, name, b, data[i])
				}
				if !(b.Lower <= want+1e-10 && want <= b.Upper) {
					t.Errorf("seed %d, %s, example %d: bounds %.12g and %.12g of %.12g", seed, name, i, b.Lower, b.Upper, want)
				}
				if w.Whole == 0 && math.Abs(b.Upper-want) > 2e-9 {
					t.Errorf("seed %d, %s, example %d: upper bound %.12g, the sum is %.12g", seed, name, i, b.Upper, want)
				}
				if w.Beam == 1e-200 && math.Abs(b.Lower-want) > 1e-10 {
					t.Errorf("seed %d, %s, example %d: lower bound %.12g, want the sum %.12g", seed, name, i, b.Lower, want)
				}
				if ok && w.Whole < 0 {
					switch {
					case math.IsInf(b.Upper, 1):
						open++
					case b.Upper < want+.5:
						tight++
					}
					bounded++
				}
			}
			if math.Abs(sum-e.LogLikelihood) > 1e-9*(1+math.Abs(sum)) {
				t.Errorf("seed %d, %s: log likelihood %g, of the examples %g", seed, name, e.LogLikelihood, sum)
			}
			checkKept(t, l, q, e)
		}
	}
	if open > bounded/2 || tight < bounded/4 {
		t.Errorf("%d of %d sums have no bound, %d a good one", open, bounded, tight)
	}
}

// withEnds returns stage with some of its states final.
func withEnds(t testing.TB, rng *rand.Rand, stage cascade.Stage) *fst.FST[weight] {
	t.Helper()
	f, err := fst.Expand(stage, nil)
	if err != nil {
		t.Fatal(err)
	}
	final := slices.Clone(f.Graph().Finals())
	for s := range final {
		if s > 0 && rng.IntN(2) == 0 {
			final[s] = expr.Zero
		}
	}
	g, err := f.WithWeights(f.Graph().Weights(), f.Graph().Starts(), final)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// checkKept asserts that an E step without a choice has the parts of the previous one.
func checkKept(t *testing.T, l em.Likelihood, q em.Query, chosen *em.Expectations) {
	t.Helper()
	q.Choose = false
	e, err := l.Expect(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if e.LogLikelihood != chosen.LogLikelihood || !slices.Equal(e.Counts, chosen.Counts) {
		t.Errorf("log likelihood %g, with the same parts %g", chosen.LogLikelihood, e.LogLikelihood)
	}
	if len(e.Bounds) > 0 && !math.IsInf(e.Gap, 1) {
		t.Errorf("gap %g where nothing was chosen", e.Gap)
	}
}

// step is an arc of a machine after some labels have been read and written.
type step struct{ read, written, arc int32 }

// Parts agree with an enumeration of all derivations: the K best ones, and all derivations made
// of the steps of the derivations within the beam. Counts are the counts of their sum.
func TestWithinByEnumeration(t *testing.T) {
	pruned := 0
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 72))
		params := em.NewParams()
		g := params.Group("g", 6, em.Fixed{})
		f := acyclicMachine(t, params, g, rng)
		theta := positiveTheta(rng, params.Len())
		for i := range theta {
			theta[i] /= 4
		}
		m, err := cascade.Instantiate(params, f, theta, semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		x, y := randomLabels(rng, 3), randomLabels(rng, 3)
		type derivation struct {
			weight float64
			steps  []step
		}
		var all []derivation
		for p := range oracle.Paths(m.Graph(), 20) {
			d := derivation{weight: p.Weight}
			var in, out []int32
			for _, e := range p.Arcs {
				d.steps = append(d.steps, step{int32(len(in)), int32(len(out)), e})
				if l := m.In()[e]; l != epsilon {
					in = append(in, l)
				}
				if l := m.Out()[e]; l != epsilon {
					out = append(out, l)
				}
			}
			if slices.Equal(in, x) && slices.Equal(out, y) {
				all = append(all, d)
			}
		}
		slices.SortFunc(all, func(a, b derivation) int { return cmp.Compare(b.weight, a.weight) })
		for _, w := range []cascade.Pruning{{K: 2}, {K: 2, Whole: -1}, {Beam: .2}, {Beam: .2, Whole: -1}} {
			within, sum := map[step]bool{}, 0.0
			for _, d := range all {
				for _, s := range d.steps {
					within[s] = within[s] || w.K == 0 && d.weight >= w.Beam*all[0].weight
				}
			}
			for k, d := range all {
				in := k < w.K
				if w.K == 0 {
					in = !slices.ContainsFunc(d.steps, func(s step) bool { return !within[s] })
				}
				if in {
					sum += d.weight
				} else {
					pruned++
				}
			}
			problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
			data := []cascade.Example{{X: cascade.Labels(x...), Y: cascade.Labels(y...)}}
			l := likelihood(t, problem, cascade.Data{Examples: data, Pruning: &w, Underivable: em.Skip})
			q := em.Query{Theta: theta}
			e := expectation(t, l, q)
			if len(all) == 0 {
				if len(e.Skipped) != 1 || w.Whole == 0 && !e.Skipped[0].Structural {
					t.Errorf("seed %d: %+v, want no derivation", seed, e.Skipped)
				}
				continue
			}
			if math.Abs(e.LogLikelihood-math.Log(sum)) > 1e-10 {
				t.Errorf("seed %d, %+v: %.12g, want %.12g", seed, w, e.LogLikelihood, math.Log(sum))
			}
			checkGradient(t, seed, l, q)
		}
	}
	if pruned < 20 {
		t.Errorf("only %d derivations were left out", pruned)
	}
}

// A new choice of parts never has lower sums than the previous one; a previous part stays if it
// is better.
func TestWithinKeepsTheBetter(t *testing.T) {
	stayed, moved := 0, 0
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 73))
		problem, data, theta := randomProblem(t, rng)
		other := slices.Clone(theta)
		for i := range other {
			other[i] *= math.Exp(rng.NormFloat64())
			other[i] = min(other[i], .15)
		}
		for name, w := range parts() {
			for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
				all := cascade.Data{Examples: data, Underivable: em.Skip, Pruning: &w}
				l, fresh := likelihood(t, problem, all), likelihood(t, problem, all)
				var at [4]float64
				for k, q := range []em.Query{{Theta: other, Choose: true}, {Theta: theta}, {Theta: theta, Choose: true}} {
					q.EStep = step
					at[k] = expectation(t, l, q).LogLikelihood
				}
				at[3] = expectation(t, fresh, em.Query{Theta: theta, EStep: step}).LogLikelihood
				if at[2] < max(at[1], at[3])-1e-12*math.Abs(at[2]) {
					t.Errorf("seed %d, %s, %v: %.15g, was %.15g, afresh %.15g", seed, name, step, at[2], at[1], at[3])
				}
				if step == em.Viterbi && math.Abs(at[2]-at[3]) > 1e-10 {
					t.Errorf("seed %d, %s: the best weighs %g, afresh %g", seed, name, at[2], at[3])
				}
				if at[2] > at[3]+1e-9 {
					stayed++
				}
				if at[2] > at[1]+1e-9 {
					moved++
				}
			}
		}
	}
	if stayed < 5 || moved < 5 {
		t.Errorf("parts stayed %d times, and moved %d times", stayed, moved)
	}
}

// Training on parts raises a lower bound of the likelihood, by all monotone methods, and has the
// same bits for any number of workers.
func TestWithinMonotone(t *testing.T) {
	for name, w := range parts() {
		for _, c := range []struct {
			method em.Method
			step   em.EStep
			every  int
		}{
			{em.EM{}, em.Marginal, 2}, {em.EM{}, em.Viterbi, 1}, {em.Squarem{}, em.Marginal, 1},
			{em.Incremental{Shards: 6}, em.Marginal, 2}, {em.LBFGS{}, em.Marginal, 1},
		} {
			problem, data := noisyProblem(t, em.Multinomial{})
			all := cascade.Data{Examples: data[:16], Pruning: &w}
			gaps := 0
			opts := &em.Options{Method: c.method, EStep: c.step, ChooseEvery: c.every, Iterations: 8, Tolerance: -1, Workers: 1,
				Observer: func(e em.Event) {
					if e.Gap > 0 && !math.IsInf(e.Gap, 1) {
						gaps++
					}
				}}
			r, err := problem.Fit(t.Context(), all, opts)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, c.method, err)
			}
			for i := 1; i < len(r.Objective); i++ {
				if r.Objective[i] < r.Objective[i-1]-1e-10*math.Abs(r.Objective[i]) {
					t.Errorf("%s, %v: iteration %d fell from %g to %g", name, c.method, i, r.Objective[i-1], r.Objective[i])
				}
			}
			opts.Workers = 3
			again, err := problem.Fit(t.Context(), all, opts)
			if err != nil || !sameBits(r, again) {
				t.Errorf("%s, %v: other bits with 3 workers, %v", name, c.method, err)
			}
			exact := expectation(t, likelihood(t, problem, cascade.Data{Examples: all.Examples}), em.Query{Theta: r.Theta, EStep: c.step})
			e := expectation(t, likelihood(t, problem, all), em.Query{Theta: r.Theta, EStep: c.step})
			if exact.LogLikelihood < e.LogLikelihood-1e-9 || exact.LogLikelihood > e.LogLikelihood+e.Gap+1e-9 {
				t.Errorf("%s, %v: %g is not between %g and %g", name, c.method, exact.LogLikelihood, e.LogLikelihood, e.LogLikelihood+e.Gap)
			}
			if c.step == em.Marginal && w.Beam != 1e-200 && gaps == 0 {
				t.Errorf("%s, %v: no gap was reported", name, c.method)
			}
		}
	}
}

// Choosing one best derivation in each iteration is Viterbi training.
func TestWithinOneIsViterbi(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	start := problem.Params.Random(rand.NewPCG(5, 6)) // without ties
	one, err := problem.Fit(t.Context(), cascade.Data{Examples: data, Pruning: &cascade.Pruning{K: 1}}, &em.Options{Start: start, ChooseEvery: 1, Iterations: 6, Tolerance: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := fit(t, problem, data, &em.Options{Start: start, EStep: em.Viterbi, Iterations: 6, Tolerance: -1})
	for i, x := range want.Objective {
		if !closeTo(one.Objective[i], x, 1e-12) {
			t.Errorf("iteration %d: %g, want %g", i, one.Objective[i], x)
		}
	}
	for i, x := range want.Theta {
		if !closeTo(one.Theta[i], x, 1e-10) {
			t.Errorf("parameter %d: %g, want %g", i, one.Theta[i], x)
		}
	}
}

// Interleaved starts and resumed runs choose parts again; objectives are not comparable across a
// new choice.
func TestWithinTurns(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	all := cascade.Data{Examples: data[:40], Pruning: &cascade.Pruning{Beam: .3}}
	opts := &em.Options{Restarts: 5, Rand: rand.NewPCG(1, 2), Prune: em.Prune{After: 2}, Iterations: 15, Tolerance: -1, ChooseEvery: 4}
	if _, err := problem.Fit(t.Context(), all, opts); err != nil {
		t.Error(err)
	}
	opts = &em.Options{Checkpoint: t.TempDir() + "/run", Iterations: 7, Tolerance: -1}
	for range 3 {
		if _, err := problem.Fit(t.Context(), all, opts); err != nil {
			t.Error(err)
		}
		opts.Iterations += 4
	}
}

// Bounds pass through combinations of likelihoods, where they are valid.
func TestWithinComposes(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	theta := problem.Params.Start()
	some := cascade.Data{Examples: data[:20], Pruning: &cascade.Pruning{Beam: .1}}
	part := likelihood(t, problem, some)
	q := em.Query{Theta: theta, Choose: true, Bounds: true}
	e := expectation(t, part, q)
	sum := expectation(t, sumOf(t, em.Part{Name: "a", Likelihood: part, Weight: em.Times(2)},
		em.Part{Name: "b", Likelihood: likelihood(t, problem, cascade.Data{Examples: data[20:]})}), q)
	if !(e.Gap > 0) || sum.Gap != 2*e.Gap || len(sum.Bounds) != len(e.Bounds) || sum.Bounds[0].Part != "a" {
		t.Errorf("gap %g of a sum, of its part %g; %v", sum.Gap, e.Gap, sum.Bounds)
	}
	d, err := problem.ConditionalLikelihood(some)
	if err != nil {
		t.Fatal(err)
	}
	if got := expectation(t, d, q); !closeTo(got.Gap, e.Gap, 1e-12) {
		t.Errorf("gap %g of a difference, want %g", got.Gap, e.Gap)
	}
	_, err = (&em.Difference{Plus: part, Minus: likelihood(t, problem, some)}).Expect(t.Context(), q)
	wantIs(t, err, em.ErrMethod)
	loss := slices.Repeat([]float64{1}, problem.Params.Len())
	if got := expectation(t, &em.Risk{Likelihood: part, Loss: loss}, em.Query{Theta: theta}); !math.IsInf(got.Gap, 1) {
		t.Errorf("gap %g of a risk", got.Gap)
	}
	if _, err := problem.Corpus(some); err == nil {
		t.Error("parts were visited one by one")
	}
}

func TestWithinRefuses(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for _, w := range []cascade.Pruning{{}, {Beam: 1}, {Beam: -.1}, {Beam: math.NaN()}, {K: -1}, {K: 2, Beam: .1}, {K: 2, States: 3}, {Beam: .1, States: -1}} {
		_, err := problem.Likelihood(cascade.Data{Examples: data, Pruning: &w})
		wantIs(t, err, em.ErrInvalid)
	}
	_, err := problem.Likelihood(cascade.Data{Stream: stream(data, new(int)), Pruning: &cascade.Pruning{K: 1}})
	wantIs(t, err, em.ErrInvalid)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = likelihood(t, problem, cascade.Data{Examples: data, Pruning: &cascade.Pruning{K: 1}}).Expect(ctx, em.Query{Theta: problem.Params.Start()})
	wantIs(t, err, context.Canceled)

	// A search rejects weights above 1, which a whole lattice may have.
	params := em.NewParams()
	g := params.Group("g", 1, em.Fixed{})
	b := fst.NewBuilder(params.Space())
	b.AddStart(b.AddState(), expr.One)
	b.SetFinal(0, expr.One)
	b.AddArc(0, arc(1, 1, g.Weight(0), 0))
	heavy := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, b)}}
	for _, whole := range []int{0, -1} {
		e, err := likelihood(t, heavy, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1)}}, Pruning: &cascade.Pruning{Beam: .1, Whole: whole}}).
			Expect(t.Context(), em.Query{Theta: []float64{3}})
		if whole < 0 {
			wantIs(t, err, graph.ErrOrder)
		} else if err != nil || !closeTo(e.LogLikelihood, math.Log(9), 1e-12) {
			t.Errorf("%v, %v", e, err)
		}
	}

	// A tree is summed over in parts if its lattice can be made as a whole.
	rng := rand.New(rand.NewPCG(1, 1))
	tree, seen, theta := randomTree(t, rng)
	for _, whole := range []int{0, -1} {
		_, err := likelihood(t, tree, cascade.Data{Examples: []cascade.Example{{Tapes: tapes(seen)}}, Underivable: em.Skip,
			Pruning: &cascade.Pruning{K: 1, Whole: whole}}).Expect(t.Context(), em.Query{Theta: theta})
		if whole < 0 {
			wantIs(t, err, semiring.ErrLimit)
		} else if err != nil {
			t.Error(err)
		}
	}
}
