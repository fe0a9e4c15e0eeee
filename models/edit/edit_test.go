package edit_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
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

func newModels(t *testing.T, rng *rand.Rand) map[string]*edit.Model {
	t.Helper()
	joint, err := edit.NewJoint([]int32{1, 2}, []int32{1, 2}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	conditional, err := edit.NewConditional([]int32{1, 2}, []int32{1, 2}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	joint.Theta, conditional.Theta = joint.Params.Random(rng), conditional.Params.Random(rng)
	return map[string]*edit.Model{"joint": joint, "conditional": conditional}
}

// TestScores compares LogProb and Best with enumeration.
func TestScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 30 {
		for name, m := range newModels(t, rng) {
			s, err := m.Predictor()
			if err != nil {
				t.Fatal(err)
			}
			// The stop weight is what one edit more costs, taken from the empty pair.
			empty, err := s.LogProb(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			x, y := randomString(rng, 4), randomString(rng, 4)
			sum, best := 0.0, 0.0
			waysTo(x, y, nil, func(way []edit.Edit) {
				p := math.Exp(empty)
				for _, e := range way {
					p *= s.Prob(e)
				}
				sum += p
				best = max(best, p)
			})
			got, err := s.LogProb(x, y)
			if err != nil || math.Abs(got-math.Log(sum)) > 1e-10 {
				t.Errorf("%s: ln P(%v, %v) is %g (%v), want %g", name, x, y, got, err, math.Log(sum))
			}
			way, err := s.Best(x, y)
			if err != nil || math.Abs(way.LogProb-math.Log(best)) > 1e-10 || math.Abs(way.Prob()-best) > 1e-10*best {
				t.Errorf("%s: best way %v (%v), want ln P %g", name, way, err, math.Log(best))
			}
			var in, out int
			for _, e := range way.Edits {
				if e.Source != fst.Epsilon {
					in++
				}
				if e.Target != fst.Epsilon {
					out++
				}
			}
			if in != len(x) || out != len(y) {
				t.Errorf("%s: best way %v does not edit %v into %v", name, way, x, y)
			}
		}
	}
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

func TestBadAlphabet(t *testing.T) {
	for _, in := range [][]int32{{0}, {-1}, {1, 1}} {
		if _, err := edit.NewJoint(in, []int32{1}, em.Multinomial{}); err == nil {
			t.Errorf("alphabet %v: no error", in)
		}
		if _, err := edit.NewConditional([]int32{1}, in, em.Multinomial{}); err == nil {
			t.Errorf("alphabet %v: no error", in)
		}
	}
}

// TestUnknownSymbol: what the model cannot edit has probability 0.
func TestUnknownSymbol(t *testing.T) {
	s, err := newModels(t, rand.New(rand.NewPCG(1, 1)))["joint"].Predictor()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.LogProb([]int32{7}, nil); err != nil || !math.IsInf(p, -1) {
		t.Errorf("ln P is %g (%v), want -Inf", p, err)
	}
	if way, err := s.Best([]int32{7}, nil); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("best way %v (%v), want ErrUnderivable", way, err)
	}
	if edits, err := s.Posteriors([]int32{7}, nil); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("edits %v (%v), want ErrUnderivable", edits, err)
	}
	if p := s.Prob(edit.Edit{Source: 7}); p != 0 {
		t.Errorf("P of an edit that is not there: %g", p)
	}
}
