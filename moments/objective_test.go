package moments

import (
	"context"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
)

// sharded is a log-partition function in several shards, which are alike.
type sharded struct {
	em.Likelihood
	shards int
}

func (l sharded) Shards() int { return l.shards }

func (l sharded) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	share := float64(q.Hi-q.Lo) / float64(l.shards)
	one := q.Detached()
	one.Lo, one.Hi = 0, 1
	e, err := l.Likelihood.Expect(ctx, one)
	if err != nil {
		return nil, err
	}
	e.LogLikelihood *= share
	floats.Scale(share, e.Counts)
	floats.Scale(share, e.Curvature)
	q.Deliver(e)
	return e, nil
}

// The value, the gradient and the curvature are sums over the shards, the ridge included,
// and those of a part are derivatives of each other.
func TestObjectiveOfShards(t *testing.T) {
	f, err := NewFamily(mat.NewDense(3, 2, []float64{0, 1, 3, 0, 1, 1}), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &objective{Likelihood: sharded{f.LogPartition(10), 4}, total: []float64{20, 7}, ridge: 3}
	if err := l.check(Options{}); err != nil {
		t.Fatal(err)
	}
	theta, v := []float64{.3, -.7}, []float64{1, 2}
	expect := func(theta []float64, lo, hi int) *em.Expectations {
		e, err := l.Expect(t.Context(), em.Query{Theta: theta, Tangent: v, Lo: lo, Hi: hi})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	likelihoodtest.Check(t, l, em.Query{Theta: theta, Tangent: v})
	within := func(what string, got, want float64) {
		t.Helper()
		if d := got - want; !(d < 1e-6 && d > -1e-6) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	whole, first, rest := expect(theta, 0, 4), expect(theta, 0, 1), expect(theta, 1, 4)
	within("value", first.LogLikelihood+rest.LogLikelihood, whole.LogLikelihood)
	for j := range theta {
		within("gradient", first.Counts[j]+rest.Counts[j], whole.Counts[j])
		within("curvature", first.Curvature[j]+rest.Curvature[j], whole.Curvature[j])
	}
	const h = 1e-5
	up, down := slices.Clone(theta), slices.Clone(theta)
	floats.AddScaled(up, h, v)
	floats.AddScaled(down, -h, v)
	for _, part := range [][2]int{{0, 1}, {1, 4}, {0, 4}} {
		e, a, b := expect(theta, part[0], part[1]), expect(up, part[0], part[1]), expect(down, part[0], part[1])
		within("slope", floats.Dot(e.Counts, v), (a.LogLikelihood-b.LogLikelihood)/(2*h))
		for j := range theta {
			within("bend", e.Curvature[j], (a.Counts[j]-b.Counts[j])/(2*h))
		}
	}
}
