package edit_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/edit"
)

// waysTo calls visit with every sequence of edits of x into y.
func waysTo(x, y []int32, so []edit.Edit, visit func([]edit.Edit)) {
	if len(x) == 0 && len(y) == 0 {
		visit(so)
		return
	}
	if len(x) > 0 {
		waysTo(x[1:], y, append(so[:len(so):len(so)], edit.Edit{Source: x[0]}), visit)
	}
	if len(y) > 0 {
		waysTo(x, y[1:], append(so[:len(so):len(so)], edit.Edit{Target: y[0]}), visit)
	}
	if len(x) > 0 && len(y) > 0 {
		waysTo(x[1:], y[1:], append(so[:len(so):len(so)], edit.Edit{Source: x[0], Target: y[0]}), visit)
	}
}

func randomString(rng *rand.Rand, n int) []int32 {
	s := make([]int32, rng.IntN(n+1))
	for i := range s {
		s[i] = 1 + rng.Int32N(2)
	}
	return s
}

// TestFit recovers the edit probabilities that made the data.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	// The rest, .2, is to stop.
	truth := map[edit.Edit]float64{{Source: 1, Target: 2}: .4, {Source: 2, Target: 1}: .2, {Source: 1}: .1, {Target: 2}: .1}
	order := []edit.Edit{{Source: 1, Target: 2}, {Source: 2, Target: 1}, {Source: 1}, {Target: 2}}
	var data []cascade.Example
	for range 20000 {
		var x, y []int32
		for stop := false; !stop; {
			u := rng.Float64()
			stop = true
			for _, e := range order {
				if u -= truth[e]; u < 0 {
					stop = false
					if e.Source != 0 {
						x = append(x, e.Source)
					}
					if e.Target != 0 {
						y = append(y, e.Target)
					}
					break
				}
			}
		}
		data = append(data, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...)})
	}
	m, err := edit.NewJoint([]int32{1, 2}, []int32{1, 2}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m.Theta = m.Params.Random(rng)
	r, err := m.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Iterations: 300, Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	// x and y do not tell a substitution 1:2 from a deletion and an insertion,
	// but the likelihood does, in the distribution of lengths.
	for e, want := range truth {
		if got := s.Prob(e); math.Abs(got-want) > .02 {
			t.Errorf("P(%v) is %.3f, want %.3f (%v)", e, got, want, r.Status)
		}
	}
}

// TestProbOfNothing: an edit that the model does not have has probability 0.
func TestProbOfNothing(t *testing.T) {
	m := must(edit.NewJoint([]int32{1, 2}, []int32{1, 2}, em.Multinomial{}))
	if p := must(m.Predictor()).Prob(edit.Edit{Source: 7}); p != 0 {
		t.Errorf("probability %g", p)
	}
}
