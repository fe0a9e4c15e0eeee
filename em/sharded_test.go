package em_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
)

// spread is a likelihood of 5 parameters in 7 shards; visit says what each contributes.
func spread(visit func(shard int, t *em.Tally)) em.Sharded[int, struct{}] {
	p := em.NewParams()
	p.Group("g", 5, em.Multinomial{})
	return em.Sharded[int, struct{}]{
		Package:     "spread",
		Params:      p,
		Shards:      7,
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, "spread") },
		Viterbi:     true, Tempered: true, Curved: true,
		Begin: func(_ em.Query, without []em.Skipped) (int, error) { return len(without), nil },
		Hire:  func() *struct{} { return nil },
		Visit: func(_ context.Context, _ *struct{}, _, shard int, t *em.Tally) error {
			visit(shard, t)
			return nil
		},
	}
}

// TestShardedForms: counts come to the same bits whether they are dense, by number, or by
// runs of numbers, for any number of workers.
func TestShardedForms(t *testing.T) {
	count := func(shard, i int) float64 { return 1 / float64(3+5*shard+i) }
	forms := []func(shard int, t *em.Tally){
		func(shard int, t *em.Tally) {
			t.Zeros(5, true)
			for i := range 5 {
				t.Counts[i], t.Curvature[i] = count(shard, i), -count(shard, i)
			}
		},
		func(shard int, t *em.Tally) {
			for i := 4; i >= 0; i-- {
				t.From = append(t.From, int32(i))
				t.Counts, t.Curvature = append(t.Counts, count(shard, i)), append(t.Curvature, -count(shard, i))
			}
		},
		func(shard int, t *em.Tally) {
			t.Zeros(5, true)
			t.From, t.Row = []int32{3, 0}, []int32{0, 2, 5}
			for k, i := range []int{3, 4, 0, 1, 2} {
				t.Counts[k], t.Curvature[k] = count(shard, i), -count(shard, i)
			}
		},
	}
	for n, form := range forms {
		l := spread(func(shard int, t *em.Tally) {
			form(shard, t)
			t.Examples, t.Arcs = 2, 3
			t.Add(em.Skipped{Index: 2 * shard, Weight: 2}, semiring.NewScaled(math.E))
		}).Likelihood()
		for _, workers := range []int{1, 2, 3, 7} {
			q := em.Query{Theta: l.Params().Start(), Tangent: make([]float64, 5), Lo: 1, Workers: workers}
			e, err := l.Expect(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, 5)
			for shard := 1; shard < 7; shard++ {
				for i := range want {
					want[i] += count(shard, i)
				}
			}
			for i := range e.Curvature {
				e.Curvature[i] = -e.Curvature[i]
			}
			if !slices.Equal(e.Counts, want) || !slices.Equal(e.Curvature, want) || e.Examples != 12 || e.Arcs != 18 || e.LogLikelihood != 12 {
				t.Errorf("form %d, %d workers: %+v, want counts %v", n, workers, e, want)
			}
		}
	}
}

func wantIs(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// TestShardedRefuses: what is not offered is refused, and examples without a derivation are
// an error or skipped.
func TestShardedRefuses(t *testing.T) {
	s := spread(func(shard int, t *em.Tally) {
		t.Examples = 1
		t.Add(em.Skipped{Index: shard, Weight: 1}, semiring.NewScaled(float64(shard%3)))
	})
	expect := func(q em.Query) (*em.Expectations, error) {
		q.Theta = s.Params.Start()
		return s.Likelihood().Expect(t.Context(), q)
	}
	_, err := expect(em.Query{})
	wantIs(t, err, em.ErrUnderivable)
	wantIn(t, err, "spread: ", "3 of 7 examples, the first is example 0")
	s.Underivable = em.Skip
	e, err := expect(em.Query{})
	if err != nil || len(e.Skipped) != 3 || e.Skipped[2].Index != 6 {
		t.Errorf("%+v, error %v", e, err)
	}
	s.Viterbi, s.Tempered, s.Curved = false, false, false
	for _, q := range []em.Query{{EStep: em.Viterbi}, {Temperature: .5}, {Tangent: make([]float64, 5)}} {
		_, err := expect(q)
		wantIs(t, err, semiring.ErrCapability)
	}
	s.Finish = func(_ int, e *em.Expectations) error {
		e.LogLikelihood = math.Inf(1)
		return nil
	}
	_, err = expect(em.Query{})
	wantIs(t, err, em.ErrInvalid)

	s.Finish = func(without int, e *em.Expectations) error {
		e.Examples -= without
		return nil
	}
	e, err = s.Excluder().ExpectWithout(t.Context(), em.Query{Theta: s.Params.Start()}, make([]em.Skipped, 2))
	if err != nil || e.Examples != 5 {
		t.Errorf("%+v, error %v", e, err)
	}
}

// TestCut: shards follow each other and hold all examples.
func TestCut(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 1000, 300_000} {
		c, at := em.NewCut(n), 0
		for i := range c.Shards() {
			lo, hi := c.Shard(i)
			if lo != at || hi <= lo {
				t.Fatalf("%d examples: shard %d is %d to %d, want it from %d", n, i, lo, hi, at)
			}
			at = hi
		}
		if at != n {
			t.Errorf("%d examples: shards of %d", n, at)
		}
	}
}
