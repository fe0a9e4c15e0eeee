package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
)

func sumOf(t testing.TB, parts ...em.Part) em.Likelihood {
	t.Helper()
	l, err := em.Sum(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func expectation(t testing.TB, l em.Likelihood, q em.Query) *em.Expectations {
	t.Helper()
	e, err := l.Expect(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSumOfPartsIsTheWhole: data in any parts have the likelihood and counts of all data
// together, also for sums of sums, over all shards and over some.
func TestSumOfPartsIsTheWhole(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 71))
		problem, _, theta := randomProblem(t, rng)
		var data []cascade.Example
		for len(data) < 300 {
			data = append(data, cascade.Example{X: cascade.Labels(randomLabels(rng, 3)...), Y: cascade.Labels(randomLabels(rng, 3)...), Weight: em.Times(.5 + rng.Float64())})
		}
		of := func(some []cascade.Example) em.Likelihood {
			return likelihood(t, problem, cascade.Data{Examples: some, Underivable: em.Skip})
		}
		i, j := 1+rng.IntN(100), 150+rng.IntN(100)
		sum := sumOf(t, em.Part{Name: "pairs", Likelihood: of(data[:i])},
			em.Part{Name: "rest", Likelihood: sumOf(t, em.Part{Likelihood: of(data[i:j])}, em.Part{Name: "last", Likelihood: of(data[j:])})})
		q := em.Query{Theta: theta, Temperature: []float64{1, .7}[rng.IntN(2)], EStep: []em.EStep{em.Marginal, em.Viterbi}[rng.IntN(2)]}
		if q.EStep == em.Marginal {
			q.Tangent = make([]float64, len(theta))
			for k := range q.Tangent {
				q.Tangent[k] = rng.NormFloat64()
			}
		}
		want, got := expectation(t, of(data), q), expectation(t, sum, q)
		if !closeTo(got.LogLikelihood, want.LogLikelihood, 1e-12) || got.Examples != len(data) || len(got.Skipped) != len(want.Skipped) {
			t.Fatalf("seed %d: %g of %d examples without %d, want %g of %d without %d", seed, got.LogLikelihood, got.Examples, len(got.Skipped), want.LogLikelihood, len(data), len(want.Skipped))
		}
		for k := range theta {
			if !closeTo(got.Counts[k], want.Counts[k], 1e-11) || q.Tangent != nil && !closeTo(got.Curvature[k], want.Curvature[k], 1e-9) {
				t.Errorf("seed %d: parameter %d has the count %g, want %g", seed, k, got.Counts[k], want.Counts[k])
			}
		}
		for n, x := range got.Skipped { // in order of the whole
			at := map[string]int{"pairs": 0, "rest/0": i, "rest/last": j}
			if first, ok := at[x.Part]; !ok || first+x.Index != want.Skipped[n].Index {
				t.Errorf("seed %d: %v was skipped, want %v", seed, x, want.Skipped[n])
			}
		}
		likelihoodtest.Check(t, sum, q)
		total := 0.0
		for lo := 0; lo < sum.Shards(); {
			hi := lo + 1 + rng.IntN(sum.Shards()-lo)
			some := q
			some.Lo, some.Hi = lo, hi
			total += expectation(t, sum, some).LogLikelihood
			lo = hi
		}
		if !closeTo(total, want.LogLikelihood, 1e-12) {
			t.Errorf("seed %d: blocks of shards add up to %g, want %g", seed, total, want.LogLikelihood)
		}
		// Another sum can leave out the examples that one skips.
		without, err := sum.(em.Excluder).ExpectWithout(context.Background(), q, got.Skipped)
		if err != nil || len(without.Skipped) > 0 || !closeTo(without.LogLikelihood, want.LogLikelihood, 1e-12) {
			t.Errorf("seed %d: %v without what was skipped (%v)", seed, without, err)
		}
	}
}

// TestSumDerivatives: weighted parts with different problems and objectives, such as differences
// and risks. Gradient and curvature agree with finite differences.
func TestSumDerivatives(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 72))
		params := em.NewParams()
		g := params.Group("g", 6, strengths{})
		first, second := acyclicMachine(t, params, g, rng), acyclicMachine(t, params, g, rng)
		theta := params.Random(rng)
		data := func(f *fst.FST[weight]) cascade.Data {
			var d cascade.Data
			for xy := range enumerate(t, params, f, theta).pair {
				if len(d.Examples) < 5 {
					d.Examples = append(d.Examples, cascade.Example{X: cascade.Labels(labelsOf(xy[0])...), Y: cascade.Labels(labelsOf(xy[1])...)})
				}
			}
			return d
		}
		one, two := cascade.Problem{Params: params, Stages: []cascade.Stage{first}}, cascade.Problem{Params: params, Stages: []cascade.Stage{second}}
		ds := differences(t, two, data(second))
		plain := likelihood(t, one, data(first))
		parts := []em.Part{{Likelihood: plain, Weight: em.Times(.5)}, {Likelihood: ds[0], Weight: em.Times(2)}, {Name: "all", Likelihood: ds[1]}}
		q := em.Query{Theta: theta}
		sum := sumOf(t, parts...)
		want := .5*expectation(t, plain, q).LogLikelihood + 2*expectation(t, ds[0], q).LogLikelihood + expectation(t, ds[1], q).LogLikelihood
		if got := expectation(t, sum, q).LogLikelihood; !closeTo(got, want, 1e-12) {
			t.Errorf("seed %d: sum %g, want %g", seed, got, want)
		}
		checkGradient(t, seed, sum, q)
		checkCurvature(t, seed, rng, sum, q)
		likelihoodtest.Check(t, sum, q)
		risk := &em.Risk{Likelihood: likelihood(t, two, data(second)), Loss: []float64{1, 0, 0, .5, 0, 0}}
		sum = sumOf(t, append(parts, em.Part{Name: "risk", Likelihood: risk, Weight: em.Times(3)})...)
		if got := expectation(t, sum, q).LogLikelihood; !closeTo(got, want+3*expectation(t, risk, q).LogLikelihood, 1e-12) {
			t.Errorf("seed %d: with a risk %g", seed, got)
		}
		checkGradient(t, seed, sum, q)
	}
}

// labelsOf parses labels in the format of fmt.Sprint.
func labelsOf(text string) []int32 {
	out := []int32{}
	for _, c := range text {
		if c >= '0' && c <= '9' {
			out = append(out, int32(c-'0'))
		}
	}
	return out
}

// mixedData is a cascade g ∘ f with parts of all kinds: outputs of g, pairs of the cascade, its
// inputs alone and its outputs alone.
func mixedData(t testing.TB, rng *rand.Rand) (params *em.Params, parts []em.Part) {
	params = em.NewParams()
	stage := func(name string, group func(*em.Params, string, fst.Machine[weight], em.Law) cascade.Stage) cascade.Stage {
		b := fst.NewBuilder(params.Space())
		b.AddStates(2)
		b.AddStart(0, params.Space().One())
		for s := range int32(2) {
			b.SetFinal(s, params.Space().One())
			for in := int32(1); in <= 2; in++ {
				for out := int32(1); out <= 2; out++ {
					b.AddArc(s, arc(in, out, params.Space().One(), (s+in)%2))
				}
			}
		}
		return group(params, name, freeze(t, b), em.Multinomial{})
	}
	g, f := stage("g", cascade.Joint[weight]), stage("f", cascade.Conditional[weight])
	params.Groups()[0].SetStart(params.Groups()[0].In(params.Random(rng)))
	var of [4]cascade.Data
	for range 120 {
		x, y := make([]int32, 1+rng.IntN(4)), make([]int32, 0, 4)
		for i := range x {
			x[i] = 1 + rng.Int32N(2)
			y = append(y, 1+(x[i]+rng.Int32N(5)/4)%2)
		}
		all := []cascade.Example{{X: cascade.Labels(x...), Y: cascade.Labels(y...)}, {X: cascade.Labels(x...), Y: cascade.Labels(y...)}, {X: cascade.Labels(x...)}, {Y: cascade.Labels(y...)}}
		k := rng.IntN(4)
		of[k].Examples = append(of[k].Examples, all[k])
	}
	for k, name := range []string{"stage", "pairs", "inputs", "outputs"} {
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{g, f}}
		if k == 0 {
			problem.Stages = problem.Stages[:1]
		}
		parts = append(parts, em.Part{Name: name, Likelihood: likelihood(t, problem, of[k]), Weight: em.Times(1 / float64(k+1))})
	}
	return params, parts
}

// TestSumFit: every method trains data of several kinds at once, and its objective rises. The
// bits are the same for any number of workers, and for a run that is interrupted repeatedly and
// resumed from its checkpoint.
func TestSumFit(t *testing.T) {
	for _, m := range everyMethod {
		_, parts := mixedData(t, rand.New(rand.NewPCG(5, 73)))
		sum := sumOf(t, parts...)
		options := func(workers int, file string) *em.Options {
			return &em.Options{Method: m, Iterations: 6, Workers: workers, Checkpoint: file, Tolerance: -1}
		}
		want, err := em.Fit(t.Context(), sum, options(1, ""))
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		// Annealed objectives have different temperatures.
		if o := want.Objective; m.String() != "annealed EM" && !(o[len(o)-1] > o[0]) {
			t.Errorf("%v: objective %v", m, o)
		}
		for _, workers := range []int{2, 7} {
			if got, err := em.Fit(t.Context(), sum, options(workers, "")); err != nil || !sameBits(got, want) {
				t.Errorf("%v: other bits for %d workers (%v)", m, workers, err)
			}
		}
		file := filepath.Join(t.TempDir(), "state")
		for done, stop := false, 2; !done; stop *= 2 {
			ctx, cancel := context.WithCancel(t.Context())
			o := options(2, file)
			seen := 0
			o.Observer = func(em.Event) {
				if seen++; seen > stop {
					cancel()
				}
			}
			got, err := em.Fit(ctx, sum, o)
			if done = err == nil; done && !sameBits(got, want) {
				t.Errorf("%v: other bits after a stop", m)
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: %v", m, err)
			}
			cancel()
		}
	}
	// All parts contribute: θ is not optimal for any single part, and the standard errors are
	// those of all data.
	params, parts := mixedData(t, rand.New(rand.NewPCG(5, 73)))
	sum := sumOf(t, parts...)
	r, err := em.Fit(t.Context(), sum, &em.Options{Tolerance: 1e-13, Iterations: 3000})
	if err != nil {
		t.Fatal(err)
	}
	if norm := gradientNorm(t, sum, em.Query{Theta: r.Theta}); norm > .01 {
		t.Errorf("gradient %g at the end", norm)
	}
	if norm := gradientNorm(t, parts[1].Likelihood, em.Query{Theta: r.Theta}); norm < .1 {
		t.Errorf("gradient %g of the pairs alone", norm)
	}
	all, err := em.FisherInformation(t.Context(), sum, em.Query{Theta: r.Theta})
	if err != nil {
		t.Fatal(err)
	}
	n := len(all.Coordinates)
	added := mat.NewSymDense(n, nil)
	for _, part := range parts {
		f, err := em.FisherInformation(t.Context(), part.Likelihood, em.Query{Theta: r.Theta})
		if err != nil {
			t.Fatal(err)
		}
		f.Matrix.ScaleSym(part.Weight.Float64(), f.Matrix)
		added.AddSym(added, f.Matrix)
	}
	if n == 0 || !mat.EqualApprox(added, all.Matrix, 1e-9) {
		t.Errorf("the information of %d coordinates is not that of the parts", n)
	}
	if errors := standardErrors(t, sum, r.Theta); len(errors) != params.Len() {
		t.Errorf("standard errors %v", errors)
	}
}

// TestSumOfDifferences: the objective of a sum with a difference in it rises with generalized EM,
// and then by gradient.
func TestSumOfDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 74))
	params, parts := mixedData(t, rng)
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{chain(t, params)}}
	d := differences(t, problem, cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(p, q, p), Y: cascade.Labels(x, z)}, {X: cascade.Labels(p, p, q, p, p), Y: cascade.Labels(x, x, z)},
	}})[0]
	sum := sumOf(t, append(parts, em.Part{Name: "chain", Likelihood: d, Weight: em.Times(.5)})...)
	start := params.Start()
	for _, m := range []em.Method{em.EM{}, em.LBFGS{}} { // the second continues from the first
		r, err := em.Fit(t.Context(), sum, &em.Options{Method: m, Start: start, Iterations: 15, Tolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Objective; !slices.IsSorted(o) || !(o[len(o)-1] > o[0]) {
			t.Errorf("%v: objective %v", m, o)
		}
		start = r.Theta
	}
	if _, err := em.Fit(t.Context(), sum, &em.Options{Method: em.Stepwise{}}); !errors.Is(err, em.ErrMethod) {
		t.Errorf("stepwise EM of a difference: %v", err)
	}
	risk := &em.Risk{Likelihood: parts[0].Likelihood, Loss: make([]float64, params.Len())}
	if _, err := em.Fit(t.Context(), sumOf(t, append(parts, em.Part{Name: "risk", Likelihood: risk})...), nil); !errors.Is(err, em.ErrMethod) {
		t.Errorf("EM of a risk: %v", err)
	}
}

// TestSumErrors: invalid sums, and errors that name the part.
func TestSumErrors(t *testing.T) {
	params, parts := mixedData(t, rand.New(rand.NewPCG(7, 75)))
	_, others := mixedData(t, rand.New(rand.NewPCG(7, 75)))
	part := parts[0]
	for what, ps := range map[string][]em.Part{
		"none":             nil,
		"equal names":      {part, part},
		"a number twice":   {{Name: "1", Likelihood: part.Likelihood}, {Likelihood: part.Likelihood}},
		"a slash":          {{Name: "a/b", Likelihood: part.Likelihood}},
		"weight 0":         {{Likelihood: part.Likelihood, Weight: em.Times(0)}},
		"weight NaN":       {{Likelihood: part.Likelihood, Weight: em.Times(math.NaN())}},
		"weight ∞":         {{Likelihood: part.Likelihood, Weight: em.Times(math.Inf(1))}},
		"other parameters": {part, others[1]},
	} {
		if _, err := em.Sum(ps...); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	bad := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, fst.NewBuilder(params.Space()))}}, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
	_, err := sumOf(t, part, em.Part{Name: "lost", Likelihood: bad}).Expect(t.Context(), em.Query{Theta: params.Start()})
	if !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("a part without derivations: %v", err)
	}
	wantIn(t, err, "part lost", "example 0")
	a, b := new(bytes.Buffer), new(bytes.Buffer)
	sumOf(t, parts...).Fingerprint(a)
	heavier := slices.Clone(parts)
	heavier[2].Weight = em.Times(7)
	sumOf(t, heavier...).Fingerprint(b)
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("other weights have the same fingerprint")
	}
}
