package hmm_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/hmm"
)

// TestDurations: the probability of a stay is the sum of those of all sequences of sub-states
// that begin with it, each computed by the model from an otherwise unseen sequence.
func TestDurations(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		states, explicit := 2+rng.IntN(2), 1+rng.IntN(3)
		top, of := hmm.Durations(states, explicit)
		p := em.NewParams()
		e, err := hmm.NewDiscrete(p, "emission", 2, of, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := hmm.New(p, top, em.Multinomial{}, e)
		if err != nil {
			t.Fatal(err)
		}
		m.Theta = p.Random(rng)
		s, err := m.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		state := rng.IntN(states)
		law := m.Duration(of, state)
		for d := 1; d <= 4; d++ {
			sum := 0.0
			path := make([]int32, d+1)
			var visit func(k int)
			visit = func(k int) {
				if k <= d {
					for i, x := range of {
						if (x == state) == (k < d) {
							path[k] = int32(i)
							visit(k + 1)
						}
					}
					return
				}
				unseen := hmm.Sequence[int32]{States: path}
				for range path {
					unseen.Observations = append(unseen.Observations, hmm.Missing)
				}
				// A path of probability 0 adds nothing.
				if logP, err := s.LogProb(unseen); err == nil {
					sum += math.Exp(logP)
				}
			}
			visit(0)
			begin := m.Initial().In(m.Theta)[state]
			if got := law.P(d); math.Abs(got-sum/begin) > 1e-12 {
				t.Errorf("seed %d: P(%d) = %.15g, by enumeration %.15g", seed, d, got, sum/begin)
			}
		}
		total, mean, d := 0.0, 0.0, 1
		for ; total < 1-1e-13 && d < 1e6; d++ {
			total += law.P(d)
			mean += float64(d) * law.P(d)
		}
		if math.Abs(total-1) > 1e-9 || law.P(0) != 0 || math.Abs(law.Mean()-mean) > 1e-6*mean {
			t.Errorf("seed %d: probabilities sum to %g, the mean is %g, want %g", seed, total, law.Mean(), mean)
		}
		for i := range of { // what may follow, and that nothing else does
			sum := 0.0
			for j := range of {
				sum += m.Transition(i, j)
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("seed %d: what follows %d sums to %g", seed, i, sum)
			}
		}
	}
}

// TestDurationsAtTheEdge: stays that never end, numbers that make no sense, other models.
func TestDurationsAtTheEdge(t *testing.T) {
	top, of := hmm.Durations(1, 2)
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 2, of, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, top, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	if law := m.Duration(of, 0); !math.IsInf(law.Mean(), 1) || law.P(1) != 0 || law.P(9) != 0 {
		t.Errorf("a state that is never left: %+v, mean %g", law, law.Mean())
	}
	if x := m.Transition(1, 0); x != 0 {
		t.Errorf("back to the first sub-state: %g", x)
	}
	for _, bad := range [][2]int{{0, 1}, {1, 0}, {-1, -1}} {
		top, of := hmm.Durations(bad[0], bad[1])
		if top.States != 0 || of != nil {
			t.Errorf("%v: %+v, %v", bad, top, of)
		}
		if _, err := hmm.New(p, top, em.Multinomial{}, e); !errors.Is(err, hmm.ErrInvalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	full, err := hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []func(){
		func() { full.Duration([]int{0, 0}, 0) },
		func() { full.Duration([]int{0, 0}, 1) },
		func() { full.Duration([]int{0}, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the law of a stay in no chain")
				}
			}()
			call()
		}()
	}
}
