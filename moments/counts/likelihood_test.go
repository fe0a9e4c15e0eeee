package counts_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
	"example.org/pathsum/moments/counts"
	"example.org/pathsum/semiring"
)

// enumerate returns the log likelihood of the annotations and the expected uses of w(a,
// b), by all strings of labels; best takes the best string alone.
func enumerate(sequences [][]int, annotations []counts.Annotation, w *mat.Dense, beta float64, best bool) (float64, []float64) {
	_, labels := w.Dims()
	log, uses := 0.0, make([]float64, len(w.RawMatrix().Data))
	for _, a := range annotations {
		region := sequences[a.Sequence][a.Lo:a.Hi]
		total, part := 0.0, make([]float64, len(uses))
		y := make([]int, len(region))
		var extend func(j int, p float64)
		extend = func(j int, p float64) {
			if j < len(region) {
				for y[j] = range labels {
					extend(j+1, p*math.Pow(w.At(region[j], y[j]), beta))
				}
				return
			}
			for k, b := range a.Labels {
				n := 0
				for _, v := range y {
					if v == b {
						n++
					}
				}
				if n != a.Counts[k] {
					return
				}
			}
			if best {
				if p <= total {
					return
				}
				total = 0
				clear(part)
			}
			total += p
			for j, v := range y {
				part[region[j]*labels+v] += p
			}
		}
		extend(0, 1)
		log += math.Log(total)
		for i, x := range part {
			uses[i] += x / total
		}
	}
	return log, uses
}

// Exact likelihoods, and those of a beam that is wide enough, are sums over all strings of
// labels with the counts.
func TestLikelihoods(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		symbols, labels := 1+r.IntN(3), 1+r.IntN(3)
		sequences, _, annotations := trial(r, symbols, labels)
		tagger := must(counts.New(symbols, labels, sequences, annotations))(t).Tagger(em.Multinomial{})
		theta := tagger.Params.Random(r)
		exact, beam := must(tagger.Exact(nil))(t), tagger.Beam(1000)
		for _, q := range []em.Query{{Theta: theta}, {Theta: theta, Temperature: .5}, {Theta: theta, EStep: em.Viterbi}} {
			beta := q.Temperature
			if beta == 0 {
				beta = 1
			}
			log, uses := enumerate(sequences, annotations, tagger.Distributions(theta), beta, q.EStep == em.Viterbi)
			for name, l := range map[string]em.Likelihood{"exact": exact, "beam": beam} {
				likelihoodtest.Check(t, l, q)
				e := must(l.Expect(t.Context(), q))(t)
				if math.Abs(e.LogLikelihood-log) > 1e-9*(1+math.Abs(log)) || e.Examples != len(annotations) {
					t.Fatalf("seed %d: %s: %g of %d, want %g", seed, name, e.LogLikelihood, e.Examples, log)
				}
				for i, x := range uses {
					if q.EStep == em.Marginal && math.Abs(e.Counts[i]-x) > 1e-9 { // else there may be ties
						t.Fatalf("seed %d: %s: uses %v, want %v", seed, name, e.Counts, uses)
					}
				}
			}
		}
		narrow := must(tagger.Beam(1).Expect(t.Context(), em.Query{Theta: theta}))(t)
		log, _ := enumerate(sequences, annotations, tagger.Distributions(theta), 1, false)
		if len(narrow.Skipped) == 0 && narrow.LogLikelihood > log+1e-9 {
			t.Fatalf("seed %d: %g with a narrow beam, exactly %g", seed, narrow.LogLikelihood, log)
		}
	}
}

// Regions of one position determine the labels: least squares, EM after one pass, and the relative
// frequencies are the same. Results do not depend on the number of workers.
func TestRegionsOfOne(t *testing.T) {
	r := random(5)
	var sequences, labels [][]int
	frequency := mat.NewDense(2, 3, nil)
	for range 200 {
		a, b := r.IntN(2), r.IntN(3)
		sequences, labels = append(sequences, []int{a}), append(labels, []int{b})
		frequency.Set(a, b, frequency.At(a, b)+1)
	}
	for a := range 2 {
		n := mat.Sum(frequency.RowView(a))
		for b := range 3 {
			frequency.Set(a, b, frequency.At(a, b)/n)
		}
	}
	d := must(counts.New(2, 3, sequences, counts.Simulate(labels, 3, 1, r)))(t)
	tagger := d.Tagger(em.Multinomial{})
	var bits [][]float64
	for workers := 1; workers <= 3; workers++ {
		fit := must(em.Fit(t.Context(), tagger.Beam(3), &em.Options{Iterations: 2, Workers: workers}))(t)
		bits = append(bits, fit.Theta)
		if !mat.EqualApprox(tagger.Distributions(fit.Theta), frequency, 1e-12) {
			t.Errorf("EM: %v, want %v", fit.Theta, frequency)
		}
	}
	for i := range bits[0] {
		if bits[0][i] != bits[1][i] || bits[0][i] != bits[2][i] {
			t.Errorf("workers change parameter %d", i)
		}
	}
	for _, solve := range []func(float64, counts.Stop) (*counts.Solution, error){d.LeastSquares, d.Constrained} {
		s := must(solve(0, counts.Stop{Tolerance: 1e-12, Iterations: 1000}))(t)
		if !mat.EqualApprox(s.W, frequency, 1e-9) {
			t.Errorf("least squares: %v, want %v", s.W, frequency)
		}
	}
}

// EM continues from the moments, and never decreases the likelihood.
func TestStartFromMoments(t *testing.T) {
	r := random(6)
	sequences, labels := corpus(r)
	small := func(x [][]int, mod int) [][]int {
		out := make([][]int, 60)
		for i := range out {
			for _, v := range x[i][:6] {
				out[i] = append(out[i], v%mod)
			}
		}
		return out
	}
	d := must(counts.New(8, 4, small(sequences, 8), counts.Simulate(small(labels, 4), 4, 4, r)))(t)
	s := must(d.Constrained(1e-3, counts.Stop{Tolerance: 1e-6, Iterations: 10000}))(t)
	tagger := d.Tagger(em.Dirichlet{Alpha: 1.05})
	theta := must(tagger.Theta(s.W, .05))(t)
	exact := must(tagger.Exact(nil))(t)
	fit := must(em.Fit(t.Context(), exact, &em.Options{Start: theta, Iterations: 5}))(t)
	cold := must(em.Fit(t.Context(), exact, &em.Options{Iterations: 1}))(t)
	if !(fit.Objective[0] > cold.Objective[0]) || !(fit.Last() > fit.Objective[0]) {
		t.Errorf("%v from the moments, %v without", fit.Objective, cold.Objective)
	}
}

func TestTaggerErrors(t *testing.T) {
	sequences := [][]int{{0, 1, 0, 1}}
	d := must(counts.New(2, 2, sequences, []counts.Annotation{{Hi: 4, Labels: []int{0}, Counts: []int{2}}}))(t)
	tagger := d.Tagger(em.Multinomial{})
	if _, err := tagger.Exact(&fst.Options{Limit: 3}); !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "annotation 0") {
		t.Error(err)
	}
	for name, w := range map[string]mat.Matrix{"shape": mat.NewDense(1, 2, nil), "share": mat.NewDense(2, 2, nil)} {
		if _, err := tagger.Theta(w, 2); !errors.Is(err, moments.ErrInvalid) {
			t.Error(name, err)
		}
	}
	if _, err := tagger.Theta(mat.NewDense(2, 2, []float64{2, -1, 0, 1}), 0); !errors.Is(err, em.ErrParameter) {
		t.Error(err)
	}
	beam := tagger.Beam(4)
	if _, err := beam.Expect(t.Context(), em.Query{}); !errors.Is(err, em.ErrParameter) {
		t.Error(err)
	}
	theta := []float64{0, 1, 0, 1} // label 0 never occurs
	if _, err := beam.Expect(t.Context(), em.Query{Theta: theta, Tangent: theta}); !errors.Is(err, semiring.ErrCapability) {
		t.Error(err)
	}
	if e := must(beam.Expect(t.Context(), em.Query{Theta: theta}))(t); len(e.Skipped) != 1 || e.LogLikelihood != 0 {
		t.Errorf("%+v", e)
	}
	var a, b bytes.Buffer
	beam.Fingerprint(&a)
	tagger.Beam(5).Fingerprint(&b)
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the fingerprint does not know the width")
	}
}
