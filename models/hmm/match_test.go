package hmm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/hmm"
)

// TestMatch compares with the best of all permutations.
func TestMatch(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n := 1 + rng.IntN(5)
		learnt, truth := [][]int32{{0}}, [][]int32{{int32(n - 1)}}
		for s := range 3 {
			learnt, truth = append(learnt, nil), append(truth, nil)
			for range rng.IntN(10) {
				learnt[s+1] = append(learnt[s+1], rng.Int32N(int32(n+1))-1)
				truth[s+1] = append(truth[s+1], rng.Int32N(int32(n+1))-1)
			}
		}
		m := must(hmm.Match(learnt, truth, n))
		right := func(of []int) (right, known int) {
			for s := range learnt {
				for pos, i := range learnt[s] {
					if j := truth[s][pos]; i >= 0 && j >= 0 {
						known++
						if of[i] == int(j) {
							right++
						}
					}
				}
			}
			return right, known
		}
		best := 0
		permutations(hmm.Each(n), 0, func(of []int) {
			r, _ := right(of)
			best = max(best, r)
		})
		r, known := right(m.Of)
		if r != best || m.Right != best || m.Known != known || m.Accuracy() != float64(best)/float64(known) {
			t.Errorf("seed %d: %+v has %d of %d right, want %d", seed, m, r, known, best)
		}
		if sorted := slices.Sorted(slices.Values(m.Of)); !slices.Equal(sorted, hmm.Each(n)) {
			t.Errorf("seed %d: %v is not a permutation", seed, m.Of)
		}
		for pos, i := range m.Rename(learnt[1]) {
			if was := learnt[1][pos]; was < 0 && i != -1 || was >= 0 && int(i) != m.Of[was] {
				t.Errorf("seed %d: state %d becomes %d", seed, was, i)
			}
		}
	}
}

// permutations calls visit with v in every order of its elements from k on.
func permutations(v []int, k int, visit func([]int)) {
	if k == len(v) {
		visit(v)
	}
	for i := k; i < len(v); i++ {
		v[k], v[i] = v[i], v[k]
		permutations(v, k+1, visit)
		v[k], v[i] = v[i], v[k]
	}
}

func TestMatchRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		learnt, truth [][]int32
		states        int
	}{
		"no states":      {[][]int32{{0}}, [][]int32{{0}}, 0},
		"nothing":        {nil, nil, 2},
		"nothing known":  {[][]int32{{0, -1}}, [][]int32{{-1, 1}}, 2},
		"a state of 2":   {[][]int32{{0, 2}}, [][]int32{{0, 1}}, 2},
		"a state −2":     {[][]int32{{0, 1}}, [][]int32{{0, -2}}, 2},
		"lengths differ": {[][]int32{{0, 1}}, [][]int32{{0}}, 2},
		"numbers differ": {[][]int32{{0, 1}}, nil, 2},
	} {
		if _, err := hmm.Match(c.learnt, c.truth, c.states); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Training found two states of a chain; Match assigns them to the true states.
func ExampleMatch() {
	build := func() (*hmm.Model[int32], *hmm.Poisson) {
		params := em.NewParams()
		e, err := hmm.NewPoisson(params, "n", hmm.Each(2), em.Poisson{Mean: 10})
		if err != nil {
			log.Fatal(err)
		}
		m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, e)
		if err != nil {
			log.Fatal(err)
		}
		return m, e
	}
	truth, e := build()
	for state, mean := range []float64{20, 5} {
		if err := e.SetMean(truth.Theta, state, mean); err != nil {
			log.Fatal(err)
		}
	}
	p, err := truth.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	drawn, err := p.Sample(1000, rand.NewPCG(1, 1))
	if err != nil {
		log.Fatal(err)
	}
	m, e := build()
	for state, mean := range []float64{8, 12} {
		if err := e.SetMean(m.Theta, state, mean); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := m.Fit(context.Background(), hmm.Hide(drawn), nil); err != nil {
		log.Fatal(err)
	}
	if p, err = m.Predictor(); err != nil {
		log.Fatal(err)
	}
	best, _, err := p.Best(hmm.Hide(drawn)[0])
	if err != nil {
		log.Fatal(err)
	}
	match, err := hmm.Match([][]int32{best}, [][]int32{drawn.States}, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, accuracy %.2f\n", match.Of, match.Accuracy())
	// Output: [1 0], accuracy 0.99
}
