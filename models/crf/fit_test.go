package crf_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/crf"
)

// sampled returns data in which a0 is mostly a sign of L0, and L1 often follows.
func sampled(seed uint64, sequences int) *crf.Data {
	r := graphtest.Rand(seed)
	var all []labeled
	for range sequences {
		s := randomSequence(r, 3, r.IntN(7))
		for t := range s.labels {
			switch {
			case r.IntN(4) == 0:
				s.attributes[t] = append(s.attributes[t], attribute{"a0", 1})
				s.labels[t] = "L0"
			case t > 0 && s.labels[t-1] == "L0" && r.IntN(3) > 0:
				s.labels[t] = "L1"
			}
		}
		all = append(all, s)
	}
	return collect(all)
}

// TestConvex: all methods and starts lead to the same optimum, where the gradient is 0.
func TestConvex(t *testing.T) {
	d := sampled(1, 60)
	for _, kind := range kinds {
		l, err := newLikelihood(kind, d, em.LogLinearOptions{Sigma: 2})
		if err != nil {
			t.Fatal(err)
		}
		var best []float64
		for _, o := range []em.Options{
			{Method: em.LBFGS{}, Iterations: 500, Tolerance: -1},
			{Method: em.LBFGS{Memory: 3}, Iterations: 500, Tolerance: -1, Start: l.Params().Random(graphtest.Rand(5))},
			{Method: em.SGD{Rate: .5, Shards: l.Shards()}, Iterations: 500, Tolerance: -1},
		} {
			r, err := em.Fit(t.Context(), l, &o)
			if err != nil {
				t.Fatal(err)
			}
			// The last objective of SGD is made of older ones.
			objective := expect(t, l, em.Query{Theta: r.Theta}).LogLikelihood + l.Params().LogPrior(r.Theta)
			if best == nil {
				best = r.Theta
				e := expect(t, l, em.Query{Theta: best})
				for i, w := range best {
					if g := e.Counts[i] - w/4; math.Abs(g) > 1e-5 {
						t.Errorf("%v: the derivative of the objective by %s is %g", kind, l.Params().Name(int32(i)), g)
					}
				}
				continue
			}
			e := expect(t, l, em.Query{Theta: best})
			if want := e.LogLikelihood + l.Params().LogPrior(best); objective > want+1e-9 || objective < want-1e-3 {
				t.Errorf("%v: %v reaches %.12g, not %.12g", kind, o.Method, objective, want)
			}
		}
	}
}

// TestLaplace: under a Laplace prior the derivative of the likelihood by a weight that
// is not 0 is as large as that of the prior, elsewhere it is no larger.
func TestLaplace(t *testing.T) {
	const scale = .8
	d := sampled(2, 60)
	for _, kind := range kinds {
		l, err := newLikelihood(kind, d, em.LogLinearOptions{Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		r, err := em.Fit(t.Context(), l, &em.Options{Method: em.LBFGS{}, Iterations: 1000, Tolerance: 1e-15})
		if err != nil {
			t.Fatal(err)
		}
		e, zeros := expect(t, l, em.Query{Theta: r.Theta}), 0
		for i, w := range r.Theta {
			switch c := e.Counts[i]; {
			case w == 0:
				zeros++
				if math.Abs(c) > 1/scale+1e-5 {
					t.Errorf("%v: %s is 0 at a derivative of %g, more than %g", kind, l.Params().Name(int32(i)), c, 1/scale)
				}
			case math.Abs(c-math.Copysign(1/scale, w)) > 1e-5:
				t.Errorf("%v: %s is %g at a derivative of %g, want ±%g", kind, l.Params().Name(int32(i)), w, c, 1/scale)
			}
		}
		m, err := l.at(r.Theta)
		if err != nil {
			t.Fatal(err)
		}
		transitions := 0
		if kind != crf.Node {
			transitions = 9
		}
		if zeros < 5 || zeros > len(r.Theta)-5 || m.NumWeights() > len(r.Theta)-zeros+transitions || m.NumAttributes() == 0 {
			t.Errorf("%v: %d of %d weights are 0, the model has %d for %d attributes", kind, zeros, len(r.Theta), m.NumWeights(), m.NumAttributes())
		}
	}
}

// TestOtherData: a model can be trained on, and judge, data that it was not made for.
func TestOtherData(t *testing.T) {
	d := sampled(1, 40)
	for _, kind := range kinds {
		m := must(crf.New(kind, d, em.LogLinearOptions{Sigma: 1}))
		if _, err := m.Fit(t.Context(), d, nil); err != nil {
			t.Fatal(err)
		}
		r := graphtest.Rand(8)
		var all []labeled
		for range 20 {
			s := randomSequence(r, 3, r.IntN(5))
			for i := range s.attributes {
				s.attributes[i] = append(s.attributes[i], attribute{"unknown", 3})
			}
			all = append(all, s)
		}
		other := collect(all)
		want := 0.0
		for _, s := range all {
			want += must(must(m.Predictor()).LogProb(s.labels, s.features))
		}
		if e := expect(t, must(m.Likelihood(other)), em.Query{Theta: m.Theta}); !near(e.LogLikelihood, want, 1e-12) {
			t.Errorf("%v: log likelihood %.17g, want %.17g", kind, e.LogLikelihood, want)
		}
		if res, err := m.Fit(t.Context(), other, nil); err != nil || !(res.LogLikelihood > want) {
			t.Errorf("%v: %v, %v", kind, res, err)
		}
		if err := other.Add([]string{"L9"}, none); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Likelihood(other); !errors.Is(err, crf.ErrInvalid) {
			t.Errorf("%v: an unknown label: %v", kind, err)
		}
	}
}

// TestMoreData: data added after a model was made use the model's weights, if they exist.
func TestMoreData(t *testing.T) {
	d := sampled(1, 20)
	for _, kind := range kinds {
		m := must(crf.New(kind, d, em.LogLinearOptions{Sigma: 1}))
		if _, err := m.Fit(t.Context(), d, nil); err != nil {
			t.Fatal(err)
		}
		before := expect(t, must(m.Likelihood(d)), em.Query{Theta: m.Theta}).LogLikelihood
		s := labeled{[][]attribute{{{"a0", 1}, {"new " + kind.String(), 2}}}, []string{"L0"}}
		if err := d.Add(s.labels, s.features); err != nil {
			t.Fatal(err)
		}
		want := before + must(must(m.Predictor()).LogProb(s.labels, s.features))
		if e := expect(t, must(m.Likelihood(d)), em.Query{Theta: m.Theta}); !near(e.LogLikelihood, want, 1e-12) {
			t.Errorf("%v: log likelihood %.17g, want %.17g", kind, e.LogLikelihood, want)
		}
	}
}
