package moments_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

// beyond returns how many widths total is beyond what n examples can have, in the direction of
// θ: the values of y are the corners of the polytope, so that it is found by trying all.
func beyond(phi *mat.Dense, n float64, total, theta []float64) float64 {
	m, _ := phi.Dims()
	best, worst := math.Inf(-1), math.Inf(1)
	for y := range m {
		score := n * floats.Dot(phi.RawRowView(y), theta)
		best, worst = max(best, score), min(worst, score)
	}
	return (floats.Dot(total, theta) - best) / (best - worst)
}

// Fit adds a remark, with the distance, if and only if statistics are more than half of their width
// outside, for any number of examples and any ridge.
func TestRemarkOutside(t *testing.T) {
	remarked, silent := 0, 0
	for seed := range trials.Seeds(100) {
		r := random(seed)
		m, d := 2+r.IntN(5), 1+r.IntN(3)
		phi := normal(r, m, d)
		f, n := must(moments.NewFamily(phi, nil))(t), math.Exp(4*r.NormFloat64())
		total := make([]float64, d)
		for i := range total {
			total[i] = 2 * n * r.NormFloat64()
		}
		ridge := math.Exp(r.NormFloat64())
		fit := must(moments.Fit(context.Background(), f.LogPartition(n), total, &moments.Options{Ridge: ridge}))(t)
		far := beyond(phi, n, total, fit.Theta)
		if math.Abs(far-.5) < 1e-6 {
			continue
		}
		if far < .5 {
			silent++
			if fit.Remarks != nil {
				t.Errorf("seed %d: %g widths outside: remarks %q", seed, far, fit.Remarks)
			}
			continue
		}
		remarked++
		want := fmt.Sprintf("by %.3g times the width of that, in the direction of θ", far)
		if len(fit.Remarks) != 1 || !strings.Contains(fit.Remarks[0], want) {
			t.Errorf("seed %d: remarks %q, want one that says %s", seed, fit.Remarks, want)
		}
	}
	if remarked < 10 || silent < 10 {
		t.Errorf("%d remarks and %d fits without, want more of both", remarked, silent)
	}
}

// A total over many answers with the log-partition function of one answer leads to a remark. Noise
// of the same answers does not, although it may be outside, as in a quarter of small surveys.
func TestRemarkForgottenNumber(t *testing.T) {
	f := family(t, [][]float64{{1, 0}, {0, 1}, {0, 0}})
	die := must(moments.RandomizedResponse(.5, []float64{1. / 3, 1. / 3, 1. / 3}))(t)
	beta := moments.Table[int](must(die.Invert(f))(t))
	outside := 0
	for seed := range trials.Seeds(50) {
		r := random(seed)
		answers := make([]int, 50)
		for i := range answers { // in truth .05, .9, .05
			answers[i] = slices.Index([]bool{r.Float64() < .19, r.Float64() < .76, true}, true)
		}
		total, n, err := beta.Total(2, slices.All(answers))
		if err != nil {
			t.Fatal(err)
		}
		fit := must(moments.Fit(context.Background(), f.LogPartition(float64(n)), total, nil))(t)
		if fit.Remarks != nil {
			t.Errorf("seed %d: remarks on noise: %q", seed, fit.Remarks)
		}
		if must(fit.Margin(context.Background()))(t) > 0 {
			outside++
		}
		fit = must(moments.Fit(context.Background(), f.LogPartition(1), total, nil))(t)
		if len(fit.Remarks) != 1 || !strings.HasSuffix(fit.Remarks[0], "are both sums over as many examples?") {
			t.Errorf("seed %d: remarks %q on a total of %d answers for one", seed, fit.Remarks, n)
		}
	}
	if outside == 0 {
		t.Error("no total was outside")
	}
}

// Statistics that are the same for all y have no width, and a likelihood may not provide a best y:
// nothing is remarked on.
func TestRemarkUnknown(t *testing.T) {
	one := family(t, [][]float64{{1}, {1}})
	fit := must(moments.Fit(context.Background(), one.LogPartition(1), []float64{5}, nil))(t)
	if fit.Remarks != nil {
		t.Errorf("a constant: remarks %q", fit.Remarks)
	}
	f := family(t, [][]float64{{1}, {0}})
	fit = must(moments.Fit(context.Background(), sums{f.LogPartition(1)}, []float64{5}, nil))(t)
	if fit.Remarks != nil {
		t.Errorf("a likelihood without best y: remarks %q", fit.Remarks)
	}
}

// sums is a likelihood that supports only marginal E steps.
type sums struct{ em.Likelihood }

func (s sums) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	if q.EStep != em.Marginal {
		return nil, em.ErrMethod
	}
	return s.Likelihood.Expect(ctx, q)
}
