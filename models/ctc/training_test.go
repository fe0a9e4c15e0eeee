package ctc_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// linear is a network without hidden units: scores are weights times the features of a frame.
type linear struct {
	inputs            [][]float64 // per example: frames × features
	features, columns int
	scores            []float64
}

func (n *linear) Forward(theta []float64, i int) ([]float64, error) {
	n.scores = n.scores[:0]
	for x := n.inputs[i]; len(x) > 0; x = x[n.features:] {
		for v := range n.columns {
			s := 0.0
			for f, value := range x[:n.features] {
				s += theta[v*n.features+f] * value
			}
			n.scores = append(n.scores, s)
		}
	}
	return n.scores, nil
}

func (n *linear) Backward(counts, _ []float64, i int, gradient []float64) error {
	for x := n.inputs[i]; len(x) > 0; x, gradient = x[n.features:], gradient[n.columns:] {
		for v, g := range gradient[:n.columns] {
			for f, value := range x[:n.features] {
				counts[v*n.features+f] += g * value
			}
		}
	}
	return nil
}

// recordings returns texts of the letters 1, 2, 3 and their frames, of features: each letter
// takes one to three frames of a noisy pattern, with one or two frames of silence between.
func recordings(rng *rand.Rand, n int, noise float64) (inputs [][]float64, examples []ctc.Example) {
	patterns := [][]float64{{0, 0, 0, 1}, {1, 1, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}}
	for i := range n {
		var x []float64
		add := func(letter, length int) {
			for range length {
				for _, p := range patterns[letter] {
					if p == 1 && letter > 0 {
						p += noise * rng.NormFloat64()
					}
					x = append(x, p)
				}
			}
		}
		var labels []int32
		add(0, 1)
		for range 1 + rng.IntN(4) {
			letter := 1 + rng.IntN(3)
			labels = append(labels, int32(letter))
			add(letter, 1+rng.IntN(3))
			add(0, 1+rng.IntN(2))
		}
		inputs = append(inputs, x)
		examples = append(examples, ctc.Example{Name: fmt.Sprint("recording ", i), Labels: labels})
	}
	return inputs, examples
}

// trained returns a training of a linear network for three letters and the blank.
func trained(inputs [][]float64, examples []ctc.Example) (*em.Params, ctc.Training) {
	params := em.NewParams()
	params.Group("weights", 16, em.Exponents{Mean: em.Times(0), Sigma: 10})
	return params, ctc.Training{
		Params: params, Examples: examples, ShardSize: 5,
		Network:     func() ctc.Network { return &linear{inputs: inputs, features: 4, columns: 4} },
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, inputs) },
	}
}

// TestTrain: a network that is trained through the loss reads recordings that it has not seen,
// by LBFGS as by SGD, with the same bits for any number of workers.
func TestTrain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	inputs, examples := recordings(rng, 60, .15)
	_, training := trained(inputs[:40], examples[:40])
	l := must(ctc.NewLoss(ctc.Standard(4, 3), nil))
	for _, method := range []em.Method{em.LBFGS{}, em.SGD{Rate: .5}} {
		likelihood := must(l.Likelihood(training))
		var first *em.Result
		for _, workers := range []int{1, 3} {
			r := must(em.Fit(t.Context(), likelihood, &em.Options{Method: method, Iterations: 40, Workers: workers}))
			if first == nil {
				first = r
			}
			if !slices.Equal(r.Theta, first.Theta) || !slices.Equal(r.Objective, first.Objective) {
				t.Errorf("%v: other bits with %d workers", method, workers)
			}
		}
		if start := first.Objective[0]; !(first.Last() > start/20) {
			t.Errorf("%v: from %v to %v", method, start, first.Last())
		}
		network, right := &linear{inputs: inputs, features: 4, columns: 4}, 0
		for i := 40; i < 60; i++ {
			scores := must(network.Forward(first.Theta, i))
			if slices.Equal(greedy(scores, 4), examples[i].Labels) {
				right++
			}
		}
		if right < 19 {
			t.Errorf("%v: %d of 20 recordings are read", method, right)
		}
	}
}

// greedy returns the text of the best column of each frame, by Standard with the blank last.
func greedy(scores []float64, columns int) []int32 {
	var labels []int32
	last := -1
	for ; len(scores) > 0; scores = scores[columns:] {
		best := 0
		for v, s := range scores[:columns] {
			if s > scores[best] {
				best = v
			}
		}
		if best != last && best != columns-1 {
			labels = append(labels, int32(best+1))
		}
		last = best
	}
	return labels
}

// TestTrainingGradient: counts are the derivatives of the log likelihood, which is minus the
// losses times weights.
func TestTrainingGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	inputs, examples := recordings(rng, 7, .3)
	examples[2].Weight, examples[3].Weight = em.Times(2.5), em.Times(0)
	examples[4].Lattice, examples[4].Labels = fst.FromString(semiring.Scaled{}, examples[4].Labels), nil
	params, training := trained(inputs, examples)
	training.Emissions = &frames.Options{Scale: .7, Prior: []float64{.2, .2, .2, .4}}
	l := must(ctc.NewLoss(ctc.Compact(4, 3), &ctc.Options{Denominator: acceptor(rng, 3)}))
	likelihood := must(l.Likelihood(training))
	theta := params.Random(rng)
	want := fd.Gradient(nil, func(theta []float64) float64 {
		return must(em.LogLikelihood(t.Context(), likelihood, theta))
	}, theta, &fd.Settings{Formula: fd.Central})
	e := must(likelihood.Expect(t.Context(), em.Query{Theta: theta}))
	for i, x := range want {
		if !near(e.Counts[i], x, 1e-6) {
			t.Errorf("derivative %d: %v, want %v", i, e.Counts[i], x)
		}
	}
	sum, network := 0.0, &linear{inputs: inputs, features: 4, columns: 4}
	for i, x := range examples {
		scores := must(network.Forward(theta, i))
		x.Emissions = must(frames.Scores(len(scores)/4, 4, scores, training.Emissions))
		sum -= x.Weight.Float64() * must(l.Eval(x, nil))
	}
	if !near(e.LogLikelihood, sum, 1e-13) {
		t.Errorf("log likelihood %v, want %v", e.LogLikelihood, sum)
	}
}

// TestTrainFingerprint: the same training has the same fingerprint, and any change another.
func TestTrainFingerprint(t *testing.T) {
	text := func(labels ...int32) machine { return fst.FromString(semiring.Scaled{}, labels) }
	one := semiring.NewScaled(1)
	type setting struct {
		topology ctc.Topology
		options  ctc.Options
		training func(*ctc.Training)
	}
	standard := setting{topology: ctc.Standard(4, 3)}
	of := func(x setting) string {
		_, training := trained([][]float64{{1, 2, 3, 4}}, []ctc.Example{{Name: "a", Labels: []int32{1}}})
		if x.training != nil {
			x.training(&training)
		}
		var b strings.Builder
		must(0, em.Fingerprint(&b, must(must(ctc.NewLoss(x.topology, &x.options)).Likelihood(training)), nil))
		return b.String()
	}
	first, second := of(standard), of(standard)
	if first != second {
		t.Error("two fingerprints of the same training")
	}
	seen := map[string]string{first: "Standard"}
	changes := map[string]setting{
		"Compact":            {topology: ctc.Compact(4, 3)},
		"another blank":      {topology: ctc.Standard(4, 1)},
		"not stored":         {topology: ctc.Standard(600, 3)},
		"denominator":        {ctc.Standard(4, 3), ctc.Options{Denominator: text(1)}, nil},
		"other denominator":  {ctc.Standard(4, 3), ctc.Options{Denominator: text(2)}, nil},
		"weighted":           {ctc.Standard(4, 3), ctc.Options{Denominator: fst.OneState(semiring.Scaled{}, one, arc{In: 1, Out: 1, Weight: one})}, nil},
		"otherwise weighted": {ctc.Standard(4, 3), ctc.Options{Denominator: fst.OneState(semiring.Scaled{}, semiring.NewScaled(2), arc{In: 1, Out: 1, Weight: one})}, nil},
		"smoothing":          {ctc.Standard(4, 3), ctc.Options{Smoothing: text(1), SmoothingWeight: .1}, nil},
		"more smoothing":     {ctc.Standard(4, 3), ctc.Options{Smoothing: text(1), SmoothingWeight: .2}, nil},
		"another text":       {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Examples[0].Labels = []int32{2} }},
		"a lattice":          {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Examples[0].Labels, t.Examples[0].Lattice = nil, text(1) }},
		"another lattice":    {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Examples[0].Labels, t.Examples[0].Lattice = nil, text(1, 2) }},
		"a weight":           {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Examples[0].Weight = em.Times(2) }},
		"a scale":            {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Emissions = &frames.Options{Scale: .5} }},
		"a prior":            {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Emissions = &frames.Options{Prior: []float64{.1, .2, .3, .4}} }},
		"inputs":             {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Fingerprint = func(w io.Writer) { fmt.Fprint(w, "other inputs") } }},
		"inputs not written": {ctc.Standard(4, 3), ctc.Options{}, func(t *ctc.Training) { t.Fingerprint = nil }},
	}
	for name, x := range changes {
		f := of(x)
		if other, ok := seen[f]; ok {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[f] = name
	}
}

// broken is a network that returns scores which are no scores.
type broken struct{ scores []float64 }

func (b broken) Forward([]float64, int) ([]float64, error) {
	if b.scores == nil {
		return nil, errBroken
	}
	return b.scores, nil
}

func (b broken) Backward(_, _ []float64, _ int, _ []float64) error { return errBroken }

var errBroken = errors.New("broken")

// TestTrainRefuses: errors of a network, and invalid scores, name the example.
func TestTrainRefuses(t *testing.T) {
	l := must(ctc.NewLoss(ctc.Standard(2, 1), nil))
	for name, x := range map[string]struct {
		scores []float64
		want   error
	}{
		"an error of Forward":     {nil, errBroken},
		"an error of Backward":    {[]float64{1, 2}, errBroken},
		"no frame":                {[]float64{}, semiring.ErrShape},
		"half a frame":            {[]float64{1, 2, 3}, semiring.ErrShape},
		"NaN":                     {[]float64{1, math.NaN()}, semiring.ErrNotFinite},
		"+Inf":                    {[]float64{1, math.Inf(1)}, semiring.ErrNotFinite},
		"a text of probability 0": {[]float64{math.Inf(-1), 0}, em.ErrUnderivable},
	} {
		params := em.NewParams()
		params.Group("weights", 1, em.Exponents{})
		likelihood := must(l.Likelihood(ctc.Training{
			Params: params, Network: func() ctc.Network { return broken{x.scores} }, Examples: []ctc.Example{{Name: "the one", Labels: []int32{1}}},
		}))
		_, err := em.LogLikelihood(t.Context(), likelihood, []float64{0})
		if !errors.Is(err, x.want) || !strings.Contains(err.Error(), "the one") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTrainSkips: a text that is too long for its frames ends training, or is left out.
func TestTrainSkips(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	inputs, examples := recordings(rng, 6, .1)
	examples[4].Labels = slices.Repeat([]int32{1}, 40)
	_, training := trained(inputs, examples)
	opts := &em.Options{Method: em.LBFGS{}, Iterations: 3}
	l := must(ctc.NewLoss(ctc.Standard(4, 3), nil))
	if _, err := em.Fit(t.Context(), must(l.Likelihood(training)), opts); !errors.Is(err, ctc.ErrTooShort) {
		t.Error(err)
	}
	l = must(ctc.NewLoss(ctc.Standard(4, 3), &ctc.Options{Underivable: em.Skip}))
	r, err := em.Fit(t.Context(), must(l.Likelihood(training)), opts)
	if err != nil || len(r.Skipped) != 1 || r.Skipped[0].Index != 4 || r.Skipped[0].Name != "recording 4" || math.IsInf(r.Last(), 0) {
		t.Errorf("%+v, error %v", r, err)
	}
}
