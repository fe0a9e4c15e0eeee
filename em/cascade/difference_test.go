package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// strengths is the law of positive numbers without a prior.
type strengths struct{ logarithms }

func (strengths) Start(theta []float64) { em.Fixed{}.Start(theta) }

func (strengths) Random(theta []float64, src rand.Source) {
	rng := rand.New(src)
	for i := range theta {
		theta[i] = math.Exp(rng.NormFloat64())
	}
}

func (strengths) Maximize(_, _ []float64) error { return errors.New("strengths have no M step") }

func (strengths) Tangent(direction, _, dx []float64) { copy(direction, dx) }

func (strengths) GradientTangent(ddx, _, _, _, dcounts []float64) { copy(ddx, dcounts) }

// logarithms is the common part of laws of positive numbers without a prior: the logarithms are
// the coordinates.
type logarithms struct{}

func (logarithms) Check([]float64) error { return nil }

func (logarithms) LogPrior([]float64) float64 { return 0 }

func (logarithms) Dim(theta []float64) int { return len(theta) }

func (logarithms) Coordinates(x, theta []float64) {
	for i, v := range theta {
		x[i] = math.Log(v)
	}
}

func (logarithms) Theta(theta, x []float64) {
	for i, v := range x {
		theta[i] = math.Exp(v)
	}
}

func (logarithms) Gradient(dx, _, counts []float64) { copy(dx, counts) }

// differences returns the conditional and the normalized likelihood.
func differences(t testing.TB, problem cascade.Problem, data cascade.Data) []*em.Difference {
	t.Helper()
	conditional, err := problem.ConditionalLikelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	normalized, err := problem.NormalizedLikelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	return []*em.Difference{conditional, normalized}
}

// acyclicMachine is a random machine whose language is finite.
func acyclicMachine(t testing.TB, params *em.Params, g *em.Group, rng *rand.Rand) *fst.FST[weight] {
	k := params.Space()
	m := fst.NewBuilder(k)
	const states = 5
	for range states {
		s := m.AddState()
		m.SetFinal(s, g.Weight(rng.IntN(g.Len())))
	}
	m.AddStart(0, k.One())
	for range 14 {
		from := rng.IntN(states - 1)
		to := from + 1 + rng.IntN(states-1-from)
		w := k.Times(g.Weight(rng.IntN(g.Len())), g.Weight(rng.IntN(g.Len())))
		m.AddArc(int32(from), arc(rng.Int32N(3), rng.Int32N(3), w, int32(to)))
	}
	return freeze(t, m)
}

// sums holds, by strings, the totals of all paths and the weights of the best paths.
type sums struct {
	pair, best map[[2]string]float64
	input      map[string]float64
	total      float64
}

func enumerate(t testing.TB, params *em.Params, f cascade.Stage, theta []float64) sums {
	t.Helper()
	m, err := cascade.Instantiate(params, f, theta, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	s := sums{pair: map[[2]string]float64{}, best: map[[2]string]float64{}, input: map[string]float64{}}
	for path := range oracle.Paths(m.Graph(), 20) {
		var in, out []int32
		for _, e := range path.Arcs {
			if l := m.In()[e]; l != epsilon {
				in = append(in, l)
			}
			if l := m.Out()[e]; l != epsilon {
				out = append(out, l)
			}
		}
		pair := [2]string{fmt.Sprint(in), fmt.Sprint(out)}
		s.pair[pair] += path.Weight
		s.best[pair] = max(s.best[pair], path.Weight)
		s.input[pair[0]] += path.Weight
		s.total += path.Weight
	}
	return s
}

// TestDifferencesByEnumeration: both kinds of normalization, complete and hidden outputs, the sum
// over all paths and the best path. Examples without a derivation are left out on both sides.
func TestDifferencesByEnumeration(t *testing.T) {
	skipped := 0
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		params := em.NewParams()
		g := params.Group("g", 6, strengths{})
		f := acyclicMachine(t, params, g, rng)
		theta := params.Random(rng)
		s := enumerate(t, params, f, theta)
		var data []cascade.Example
		var want [2][2]float64 // by kind of normalization and E step
		for range 8 {
			in, out := randomLabels(rng, 3), randomLabels(rng, 2)
			x := cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...), Weight: em.Times(1 + rng.Float64())}
			pair := [2]string{fmt.Sprint(in), fmt.Sprint(out)}
			p, best := s.pair[pair], s.best[pair]
			if rng.IntN(3) == 0 {
				x.Y = cascade.Side{}
				p, best = s.input[pair[0]], 0
				for other, w := range s.best {
					if other[0] == pair[0] {
						best = max(best, w)
					}
				}
			}
			data = append(data, x)
			if p == 0 {
				skipped++
				continue
			}
			for i, z := range []float64{s.input[pair[0]], s.total} {
				want[i][em.Marginal] += x.Weight.Float64() * math.Log(p/z)
				want[i][em.Viterbi] += x.Weight.Float64() * math.Log(best/z)
			}
		}
		for i, l := range differences(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, cascade.Data{Examples: data, Underivable: em.Skip}) {
			for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
				e, err := l.Expect(context.Background(), em.Query{Theta: theta, EStep: step})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if !closeTo(e.LogLikelihood, want[i][step], 1e-11) {
					t.Errorf("seed %d: kind %d, %v: log likelihood %.12g, want %.12g", seed, i, step, e.LogLikelihood, want[i][step])
				}
			}
		}
	}
	if skipped < 100 {
		t.Errorf("only %d examples were skipped", skipped)
	}
}

// TestDifferenceDerivatives on random cascades with cycles.
func TestDifferenceDerivatives(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		problem, data, theta := randomProblem(t, rng)
		for _, l := range differences(t, problem, cascade.Data{Examples: data, Underivable: em.Skip}) {
			q := em.Query{Theta: theta, Temperature: []float64{0, .8, 1.3}[rng.IntN(3)]}
			checkGradient(t, seed, l, q)
			checkCurvature(t, seed, rng, l, q)
			q.Tangent = problem.Params.Random(rng)
			likelihoodtest.Check(t, l, q)
		}
	}
}

// leakyProblem is noisyProblem with a separate factor below 1 on every arc: its Z is finite and
// depends on θ.
func leakyProblem(t testing.TB, law em.Law) (cascade.Problem, []cascade.Example) {
	const n = 5
	params := em.NewParams()
	k := params.Space()
	m := channel(t, params, law, n)
	weights := slices.Clone(m.Graph().Weights())
	for i, w := range weights {
		weights[i] = k.Times(w, k.Const(semiring.NewScaled(.3+.5*float64(i)/float64(len(weights)))))
	}
	m, err := m.WithWeights(weights, m.Graph().Starts(), m.Graph().Finals())
	if err != nil {
		t.Fatal(err)
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{m}}, noisyPairs(rand.New(rand.NewPCG(3, 4)), 300, n)
}

// TestDifferenceShards: the shards of a difference add up to the whole.
func TestDifferenceShards(t *testing.T) {
	problem, data := leakyProblem(t, em.Multinomial{})
	theta := problem.Params.Random(rand.New(rand.NewPCG(1, 1)))
	for _, l := range differences(t, problem, cascade.Data{Examples: data}) {
		whole, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		value, counts, examples := 0.0, make([]float64, len(theta)), 0
		for s := range l.Shards() {
			e, err := l.Expect(context.Background(), em.Query{Theta: theta, Lo: s, Hi: s + 1})
			if err != nil {
				t.Fatal(err)
			}
			value += e.LogLikelihood
			examples += e.Examples
			for i, c := range e.Counts {
				counts[i] += c
			}
		}
		if !closeTo(value, whole.LogLikelihood, 1e-12) || examples != len(data) {
			t.Errorf("log likelihood %g of %d examples in shards, %g of %d in all", value, examples, whole.LogLikelihood, len(data))
		}
		for i, c := range whole.Counts {
			if math.Abs(c-counts[i]) > 1e-9 {
				t.Errorf("count %d: %g in shards, %g in all", i, counts[i], c)
			}
		}
	}
}

// gradientNorm returns the largest derivative of the objective at theta with respect to a
// coordinate.
func gradientNorm(t *testing.T, l em.Likelihood, q em.Query) float64 {
	t.Helper()
	e, err := l.Expect(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	coordinates := coordinatesOf(t, l.Params(), q.Theta)
	g := make([]float64, coordinates.Dim())
	coordinates.Gradient(g, q.Theta, e.Counts)
	norm := 0.0
	for _, x := range g {
		norm = max(norm, math.Abs(x))
	}
	return norm
}

// TestGeneralizedEM: the objective rises to a stationary point, also with hidden data, a prior,
// and hard assignments. The result does not depend on the workers.
func TestGeneralizedEM(t *testing.T) {
	problem, data := leakyProblem(t, em.Dirichlet{Alpha: 1.5})
	data = data[:30]
	for i := range data {
		if i%3 == 0 {
			data[i].Y = cascade.Set(anything(t, problem.Params, 1, 2, 3, 4, 5))
		}
	}
	start := problem.Params.Random(rand.New(rand.NewPCG(1, 1)))
	for i, l := range differences(t, problem, cascade.Data{Examples: data}) {
		l.Steps = []int{1, 0}[i]
		for _, q := range []em.Query{{EStep: em.Marginal}, {EStep: em.Viterbi}, {Temperature: 1.5}} {
			o := em.Options{Start: start, EStep: q.EStep, Temperature: q.Temperature, Iterations: 60, Tolerance: 1e-9, Workers: 1}
			r, err := em.Fit(context.Background(), l, &o)
			if err != nil {
				t.Fatalf("kind %d, %+v: %v", i, q, err)
			}
			q.Theta = start
			before := gradientNorm(t, l, q)
			q.Theta = r.Theta
			if after := gradientNorm(t, l, q); !(after < .05*before) {
				t.Errorf("kind %d, %v, temperature %g: gradient %g after %d iterations, %g before", i, q.EStep, q.Temperature, after, r.Iterations(), before)
			}
			o.Workers, o.Iterations = 3, 5
			again, err := em.Fit(context.Background(), l, &o)
			if err != nil || !slices.Equal(again.Objective, r.Objective[:min(5, r.Iterations())]) {
				t.Errorf("kind %d, %v, temperature %g: other bits with 3 workers, error %v", i, q.EStep, q.Temperature, err)
			}
		}
	}
}

// cyclicModel is a machine with cycles on both tapes and four strengths. Z is finite if they are
// moderate.
func cyclicModel(t testing.TB) (cascade.Problem, *em.Group) {
	params := em.NewParams()
	g := params.Group("g", 4, strengths{})
	k := params.Space()
	m := fst.NewBuilder(k)
	first, second := m.AddState(), m.AddState()
	m.AddStart(first, k.One())
	m.SetFinal(first, k.One())
	m.SetFinal(second, k.One())
	m.AddArc(first, arc(1, 1, g.Weight(0), first))
	m.AddArc(first, arc(1, 2, g.Weight(1), second))
	m.AddArc(second, arc(epsilon, 2, g.Weight(2), second))
	m.AddArc(second, arc(2, epsilon, g.Weight(3), first))
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, g
}

// TestNormalizedRecovery: the strengths of a globally normalized machine with cycles are
// recovered from pairs of strings drawn from it, some of them observed in part.
func TestNormalizedRecovery(t *testing.T) {
	problem, _ := cyclicModel(t)
	truth := []float64{.4, .3, .45, .6}
	m, err := cascade.Instantiate(problem.Params, problem.Stages[0], truth, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := graph.NewSampler(m.Graph())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	var data []cascade.Example
	for i := range 4000 {
		var in, out []int32
		for _, e := range sampler.Sample(rng).Arcs {
			if l := m.In()[e]; l != epsilon {
				in = append(in, l)
			}
			if l := m.Out()[e]; l != epsilon {
				out = append(out, l)
			}
		}
		x := cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)}
		switch i % 8 {
		case 0:
			x.X = cascade.Side{}
		case 1:
			x.Y = cascade.Side{}
		}
		data = append(data, x)
	}
	checkRecovery(t, differences(t, problem, cascade.Data{Examples: data})[1], em.EM{}, []float64{.2, .2, .2, .2}, truth)
}

// checkRecovery trains from start and compares with the truth.
func checkRecovery(t *testing.T, l em.Likelihood, method em.Method, start, truth []float64) {
	t.Helper()
	r, err := em.Fit(context.Background(), l, &em.Options{Method: method, Start: start, Iterations: 300, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	if norm := gradientNorm(t, l, em.Query{Theta: r.Theta}); norm > .1 {
		t.Errorf("gradient %g after %d iterations", norm, r.Iterations())
	}
	for i, se := range standardErrors(t, l, r.Theta) {
		if !(math.Abs(r.Theta[i]-truth[i]) < 4*se) || se > .2*truth[i] {
			t.Errorf("θ%d is %.4f, want %.4f ± %.4f", i, r.Theta[i], truth[i], se)
		}
	}
}

// TestConditionalRecovery: a chain of labels over observations with strengths for neighbours and
// for labels of observations, a conditional random field, is recovered from labelings drawn given
// the observations. Some labelings have wildcards.
func TestConditionalRecovery(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 5, strengths{})
	k := params.Space()
	m := fst.NewBuilder(k)
	for range 3 { // the previous label, 0 at the start
		m.SetFinal(m.AddState(), k.One())
	}
	m.AddStart(0, k.One())
	for before := range int32(3) {
		for observed := int32(1); observed <= 3; observed++ {
			for label := int32(1); label <= 2; label++ {
				w := k.One()
				if label == 1 { // label 2 is the reference
					w = g.Weight(int(observed) - 1)
				}
				if before == label {
					w = k.Times(w, g.Weight(3))
				}
				if before == 1 && label == 2 {
					w = k.Times(w, g.Weight(4))
				}
				m.AddArc(before, arc(observed, label, w, label))
			}
		}
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	truth := []float64{3, 1, .4, 2.5, .5}
	either := cascade.Set(anything(t, params, 1, 2))
	rng := rand.New(rand.NewPCG(9, 10))
	var data []cascade.Example
	for i := range 2000 {
		in := make([]int32, 1+rng.IntN(6))
		for j := range in {
			in[j] = 1 + rng.Int32N(3)
		}
		out := outputGiven(t, problem, truth, in, rng)
		x := cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)}
		if i%5 == 0 {
			hole := rng.IntN(len(out))
			x.Y = cascade.Set(withHole(t, params, out, hole))
		}
		if i%7 == 0 {
			x.Y = either
		}
		data = append(data, x)
	}
	checkRecovery(t, differences(t, problem, cascade.Data{Examples: data})[0], em.EM{}, params.Start(), truth)
}

// withHole accepts labels with either of 1 and 2 at one position.
func withHole(t testing.TB, params *em.Params, labels []int32, hole int) *fst.FST[weight] {
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	for i, l := range labels {
		next := m.AddState()
		m.AddArc(s, arc(l, l, k.One(), next))
		if i == hole {
			m.AddArc(s, arc(3-l, 3-l, k.One(), next))
		}
		s = next
	}
	m.SetFinal(s, k.One())
	return freeze(t, m)
}

// TestPartitionDiverges: the error names the divergent sum, and in an M step such a θ only
// shortens the step.
func TestPartitionDiverges(t *testing.T) {
	problem, _ := cyclicModel(t)
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1, 1, 1, 1, 1, 1, 1, 1), Y: cascade.Labels(1, 1, 1, 1, 1, 1, 1, 1, 1)}, {X: cascade.Labels(1), Y: cascade.Labels(2, 2)}}}
	l := differences(t, problem, data)[1]
	_, err := l.Expect(context.Background(), em.Query{Theta: []float64{1, 1, 1, 1}})
	if !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
	wantIn(t, err, "normalization", "all strings")
	if strings.Contains(err.Error(), "missing") {
		t.Errorf("%v, where nothing is missing", err)
	}
	if _, err := em.Fit(context.Background(), l, &em.Options{Start: []float64{.1, .1, .1, .1}, Iterations: 20}); err != nil {
		t.Error(err)
	}
}

// opaque is a likelihood of another package.
type opaque struct{ em.Likelihood }

func TestDifferenceErrors(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	theta := problem.Params.Start()
	expect := func(d *em.Difference) error {
		_, err := d.Expect(context.Background(), em.Query{Theta: theta})
		return err
	}
	all := likelihood(t, problem, cascade.Data{Examples: data})
	few := likelihood(t, problem, cascade.Data{Examples: data[:3]})
	if err := expect(&em.Difference{Plus: all, Minus: few}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("other shards: error %v", err)
	}
	other, _ := noisyProblem(t, em.Multinomial{})
	if err := expect(&em.Difference{Plus: all, Minus: likelihood(t, other, cascade.Data{Examples: data})}); !errors.Is(err, em.ErrInvalid) || !strings.Contains(err.Error(), "other Params") {
		t.Errorf("other parameters: error %v", err)
	}
	if err := expect(&em.Difference{Plus: all, Minus: opaque{all}}); err != nil {
		t.Errorf("nothing skipped: error %v", err)
	}
	skipping := slices.Clone(data)
	skipping[1].Y, skipping[1].Name = cascade.Labels(99), "odd one"
	plus := likelihood(t, problem, cascade.Data{Examples: skipping, Underivable: em.Skip})
	err := expect(&em.Difference{Plus: plus, Minus: opaque{all}})
	if !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("skipped in Plus: error %v", err)
	}
	wantIn(t, err, "odd one")
	err = expect(&em.Difference{Plus: all, Minus: plus})
	if !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("skipped in Minus: error %v", err)
	}
	wantIn(t, err, "odd one")
	for _, l := range differences(t, problem, cascade.Data{Examples: skipping}) {
		if err := expect(l); !errors.Is(err, em.ErrUnderivable) {
			t.Errorf("policy Fail: error %v", err)
		}
	}
	if _, err := problem.ConditionalLikelihood(cascade.Data{}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("no data: error %v", err)
	}
	if _, err := problem.NormalizedLikelihood(cascade.Data{}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("no data: error %v", err)
	}
}

// TestLogLinearDifference: with complete data the conditional likelihood of a log-linear machine
// is concave. Generalized EM and L-BFGS reach the same strengths under a Gaussian and under a
// Laplace prior. The zeros of the Laplace prior are exact and have no standard error.
func TestLogLinearDifference(t *testing.T) {
	for _, options := range []em.LogLinearOptions{{Sigma: 1}, {Scale: .2}} {
		params := em.NewParams()
		boolean := fsttest.Frozen(fst.Map(channel(t, em.NewParams(), em.Fixed{}, 3), semiring.Boolean{}, func(weight) bool { return true }))
		m := cascade.GlobalLogLinear(params, "g", boolean, func(_ int32, e *fst.Arc[bool]) []em.Feature {
			switch {
			case e == nil:
				return nil
			case e.In == epsilon: // keeps the sum finite
				return []em.Feature{{Name: "insertion", Value: em.Times(4)}}
			}
			return []em.Feature{{Name: fmt.Sprint("shift ", (e.Out-e.In+4)%4)}, {Name: fmt.Sprint("out ", e.Out)}}
		}, options)
		var data []cascade.Example
		rng := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			in := 1 + rng.Int32N(3)
			out := in%3 + 1
			if rng.IntN(4) == 0 {
				out = 1 + rng.Int32N(3)
			}
			data = append(data, cascade.Example{X: cascade.Labels(in), Y: cascade.Labels(out)})
		}
		l := differences(t, cascade.Problem{Params: params, Stages: []cascade.Stage{m}}, cascade.Data{Examples: data})[0]
		start := params.Start()
		for i := range start {
			start[i] = -1
		}
		var ends [][]float64
		for _, method := range []em.Method{em.EM{}, em.LBFGS{}} {
			r, err := em.Fit(context.Background(), l, &em.Options{Method: method, Start: start, Iterations: 2000, Tolerance: 1e-14})
			if err != nil {
				t.Fatalf("%+v: %v: %v", options, method, err)
			}
			ends = append(ends, r.Theta)
		}
		zeros := []int(nil)
		for i, w := range ends[0] {
			if math.Abs(w-ends[1][i]) > 1e-4 {
				t.Errorf("%+v: %s is %.8f by EM, %.8f by L-BFGS", options, params.Name(int32(i)), w, ends[1][i])
			}
			if w == 0 {
				zeros = append(zeros, i)
			}
		}
		if (options.Scale > 0) != (len(zeros) > 0) {
			t.Errorf("%+v: zeros %v", options, zeros)
		}
		f := information(t, l, ends[0])
		if !slices.Equal(f.LeftOut, zeros) {
			t.Errorf("%+v: left out %v, zeros %v", options, f.LeftOut, zeros)
		}
	}
}
