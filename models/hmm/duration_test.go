package hmm_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
		top := hmm.Durations(states, explicit)
		p := em.NewParams()
		e, err := hmm.NewDiscrete(p, "emission", 2, top.Of, em.Multinomial{})
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
		law := m.Duration(state)
		for d := 1; d <= 4; d++ {
			sum := 0.0
			path := make([]int32, d+1)
			var visit func(k int)
			visit = func(k int) {
				if k <= d {
					for i, x := range top.Of {
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
		for i := range top.Of { // what may follow, and that nothing else does
			sum := 0.0
			for j := range top.Of {
				sum += m.Transition(i, j)
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("seed %d: what follows %d sums to %g", seed, i, sum)
			}
		}
	}
}

// TestDurationsAtTheEdge: stays that never end, invalid numbers, other models.
func TestDurationsAtTheEdge(t *testing.T) {
	top := hmm.Durations(1, 2)
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 2, top.Of, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, top, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	if law := m.Duration(0); !math.IsInf(law.Mean(), 1) || law.P(1) != 0 || law.P(9) != 0 {
		t.Errorf("a state that is never left: %+v, mean %g", law, law.Mean())
	}
	if x := m.Transition(1, 0); x != 0 {
		t.Errorf("back to the first sub-state: %g", x)
	}
	for _, bad := range [][2]int{{0, 1}, {1, 0}, {-1, -1}} {
		top := hmm.Durations(bad[0], bad[1])
		if top.States != 0 || top.Of != nil {
			t.Errorf("%v: %+v", bad, top)
		}
		if _, err := hmm.New(p, top, em.Multinomial{}, e); !errors.Is(err, hmm.ErrInvalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	for _, of := range [][]int{{0}, {0, 2}, {-1, 0}} {
		if _, err := hmm.New(p, hmm.Topology{States: 2, Of: of}, em.Multinomial{}, e); !errors.Is(err, hmm.ErrInvalid) {
			t.Errorf("parts of %v: %v", of, err)
		}
	}
	full, err := hmm.New(p, hmm.Topology{States: 2, Of: []int{0, 0}}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []func(){
		func() { full.Duration(0) },
		func() { full.Duration(1) },
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
	p = em.NewParams()
	plain := must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, must(hmm.NewDiscrete(p, "emission", 2, hmm.Each(2), em.Multinomial{}))))
	copy(plain.Row(1).In(plain.Theta), []float64{.2, .8})
	if law := plain.Duration(1); law.Explicit != nil || law.Tail != 1 || math.Abs(law.End-.2) > 1e-15 || math.Abs(law.Mean()-5) > 1e-12 {
		t.Errorf("a state without sub-states: %+v", law)
	}
}

// TestSetDuration: the law of the stays is the one that was set, whatever its numbers; what
// follows a stay, and other states, keep their probabilities.
func TestSetDuration(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		states, explicit := 2+rng.IntN(2), 1+rng.IntN(6)
		m, p, of := stays(t, states, explicit)
		m.Theta = p.Random(rng)
		before, state := append([]float64(nil), m.Theta...), rng.IntN(states)
		law, left := hmm.Duration{End: rng.Float64()}, 1.0
		for range rng.IntN(explicit) {
			x := left * rng.Float64()
			if rng.IntN(4) == 0 {
				x = []float64{0, left}[rng.IntN(2)] // no such stay, or none that is longer
			}
			law.Explicit = append(law.Explicit, x)
			left -= x
		}
		law.Tail = left
		switch {
		case rng.IntN(4) == 0:
			law.End = 1
		case len(law.Explicit) == explicit-1 && rng.IntN(2) == 0:
			law = hmm.Duration{Explicit: append(law.Explicit, left)} // without a tail
		}
		if err := m.SetDuration(state, law); err != nil {
			t.Fatalf("seed %d: %+v: %v", seed, law, err)
		}
		if err := p.Check(m.Theta); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		got := m.Duration(state)
		if len(got.Explicit) != explicit-1 {
			t.Errorf("seed %d: %d lengths, want %d", seed, len(got.Explicit), explicit-1)
		}
		for d := range explicit + 5 {
			if math.Abs(got.P(d)-law.P(d)) > 1e-14 {
				t.Errorf("seed %d: P(%d) = %.17g, want %.17g", seed, d, got.P(d), law.P(d))
			}
		}
		for i, s := range of {
			row, old := m.Row(i).In(m.Theta), m.Row(i).In(before)
			for k := range row {
				// All that ends goes to the others in the same proportions.
				want := row[1] / old[1] * old[k]
				if s != state {
					want = old[k]
				}
				if (k > 0 || s != state) && math.Abs(row[k]-want) > 1e-14 {
					t.Errorf("seed %d: state %d goes on with %g, had %g", seed, i, row, old)
				}
			}
		}
		if err := m.SetDuration(state, got); err != nil { // rounded
			t.Errorf("seed %d: %+v: %v", seed, got, err)
		}
	}
}

// stays returns a model of stays.
func stays(t *testing.T, states, explicit int) (m *hmm.Model[int32], p *em.Params, of []int) {
	t.Helper()
	top := hmm.Durations(states, explicit)
	p = em.NewParams()
	e := must(hmm.NewDiscrete(p, "emission", 2, top.Of, em.Multinomial{}))
	return must(hmm.New(p, top, em.Multinomial{}, e)), p, top.Of
}

// TestSetDurationRefused: impossible laws are errors and leave the parameters unchanged.
func TestSetDurationRefused(t *testing.T) {
	m, _, _ := stays(t, 2, 3)
	want := append([]float64(nil), m.Theta...)
	for message, law := range map[string]hmm.Duration{
		"length 2 has the probability -0.1":  {Explicit: []float64{.6, -.1}, Tail: .5, End: 1},
		"length 1 has the probability NaN":   {Explicit: []float64{math.NaN()}, Tail: .5, End: 1},
		"the tail has the probability -0.5":  {Explicit: []float64{1.5}, Tail: -.5, End: 1},
		"sum to 0.9, want 1":                 {Explicit: []float64{.6}, Tail: .3, End: 1},
		"with probability 1.5":               {Tail: 1, End: 1.5},
		"3 lengths with probabil":            {Explicit: []float64{.1, .2, .3}, Tail: .4, End: 1},
		"want at most 2 for 3 sub-states":    {Explicit: []float64{.1, .2, .3, .4}},
		"the stays in state 1: the probabil": {},
	} {
		if err := m.SetDuration(1, law); !errors.Is(err, hmm.ErrInvalid) || !strings.Contains(err.Error(), message) {
			t.Errorf("%+v: %v, want %s", law, err, message)
		}
	}
	if !slices.Equal(m.Theta, want) {
		t.Errorf("θ is %g, was %g", m.Theta, want)
	}
	one, _, _ := stays(t, 1, 2)
	if err := one.SetDuration(0, hmm.Duration{Tail: 1}); err != nil {
		t.Errorf("a stay for ever: %v", err)
	}
	if err := one.SetDuration(0, hmm.Duration{Tail: 1, End: .5}); !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("a stay that nothing follows: %v", err)
	}
}

// TestSetDurationTopology: a least length, sequences that end by themselves, rows that are tied.
func TestSetDurationTopology(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*hmm.Topology)
		law    hmm.Duration
		ok     bool
	}{
		"least length":        {func(t *hmm.Topology) { t.Next[0] = t.Next[0][:1] }, hmm.Duration{Explicit: []float64{0, .5}, Tail: .5, End: .5}, true},
		"below least length":  {func(t *hmm.Topology) { t.Next[0] = t.Next[0][:1] }, hmm.Duration{Explicit: []float64{.1, .4}, Tail: .5, End: .5}, false},
		"longest":             {func(t *hmm.Topology) { t.Next[2] = t.Next[2][1:] }, hmm.Duration{Explicit: []float64{.1, .4}, Tail: .5, End: 1}, true},
		"beyond the longest":  {func(t *hmm.Topology) { t.Next[2] = t.Next[2][1:] }, hmm.Duration{Explicit: []float64{.1, .4}, Tail: .5, End: .5}, false},
		"tied rows":           {func(t *hmm.Topology) { t.Row = []int{0, 0, 0, 1, 2, 3} }, hmm.Duration{Explicit: []float64{.1, .4}, Tail: .5, End: .5}, false},
		"tied, and geometric": {func(t *hmm.Topology) { t.Row = []int{0, 0, 0, 1, 2, 3} }, hmm.Duration{Tail: 1, End: .25}, true},
		"sequences end":       {func(t *hmm.Topology) { t.Ends = []int{2} }, hmm.Duration{Tail: 1, End: .25}, false},
	} {
		top := hmm.Durations(2, 3)
		c.change(&top)
		p := em.NewParams()
		e, err := hmm.NewDiscrete(p, "emission", 2, top.Of, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := hmm.New(p, top, em.Multinomial{}, e)
		if err != nil {
			t.Fatal(err)
		}
		err = m.SetDuration(0, c.law)
		if c.ok != (err == nil) || err != nil && !errors.Is(err, hmm.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := m.Duration(0); c.ok && math.Abs(got.Mean()-c.law.Mean()) > 1e-12 {
			t.Errorf("%s: %+v, want %+v", name, got, c.law)
		}
	}
}

// TestStates: sub-states are converted to states, and unknown states remain unknown.
func TestStates(t *testing.T) {
	m, _, _ := stays(t, 3, 2)
	if got, want := m.States([]int32{0, 1, -1, 5, 2}), []int32{0, 0, -1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSavedDurations: a saved model keeps its stays.
func TestSavedDurations(t *testing.T) {
	m, p, _ := stays(t, 2, 4)
	m.Theta = p.Random(rand.NewPCG(1, 4))
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	again, _, err := hmm.LoadDiscrete(&b)
	if err != nil {
		t.Fatal(err)
	}
	for state := range 2 {
		if got, want := again.Duration(state), m.Duration(state); !slices.Equal(got.Explicit, want.Explicit) || got.Tail != want.Tail || got.End != want.End {
			t.Errorf("state %d: %+v, want %+v", state, got, want)
		}
	}
}
