package nbest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/nbest"
)

// A model finds two targets, and a second opinion puts the longer word first.
func ExampleReranker() {
	r := &nbest.Reranker{
		First: guesses(.6, .4),
		Score: func(_, y []int32, logProb float64) (float64, error) { return logProb + float64(y[0]), nil },
	}
	list, err := r.Best(context.Background(), []int32{1}, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		fmt.Printf("%d: %.2f\n", c.Labels, c.LogProb)
	}
	// Output:
	// [2]: 1.08
	// [1]: 0.49
}

// TestReranked: the list is the best by score of the first model's list, sorted here by scores
// that were looked up one by one.
func TestReranked(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		probs, bonus := map[int32]float64{}, map[int32]float64{}
		for y := range int32(8) {
			probs[1+y], bonus[1+y] = rng.Float64(), rng.NormFloat64()
		}
		bonus[3] = math.Inf(-1)
		first := tables{1: probs}
		r := &nbest.Reranker{First: first, Depth: 1 + rng.IntN(8), Score: func(_, y []int32, p float64) (float64, error) { return p + bonus[y[0]], nil }}
		for n := range 9 {
			found, err := first.Best(t.Context(), []int32{1}, max(n, r.Depth))
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for _, c := range found {
				if s := c.LogProb + bonus[c.Labels[0]]; s > math.Inf(-1) {
					want = append(want, s)
				}
			}
			slices.Sort(want)
			slices.Reverse(want)
			want = want[:min(n, len(want))]
			got, err := r.Best(t.Context(), []int32{1}, n)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%d targets, want %d, %v", len(got), len(want), err)
			}
			for i, c := range got {
				p, err := r.LogProb([]int32{1}, c.Labels)
				if c.LogProb != want[i] || p != c.LogProb || err != nil {
					t.Errorf("target %d has the score %g and %g by itself, want %g, %v", i, c.LogProb, p, want[i], err)
				}
			}
		}
	}
}

func TestRerankedErrors(t *testing.T) {
	bad := errors.New("bad")
	fails := func(_, _ []int32, _ float64) (float64, error) { return 0, bad }
	r := &nbest.Reranker{First: guesses(.6, .4), Score: fails}
	if _, err := r.Best(t.Context(), []int32{1}, 1); !errors.Is(err, bad) {
		t.Errorf("error %v of the score", err)
	}
	if _, err := r.LogProb([]int32{1}, []int32{1}); !errors.Is(err, bad) {
		t.Errorf("error %v of the score of a pair", err)
	}
	r.Depth = -1
	if _, err := r.Best(t.Context(), []int32{1}, 1); !errors.Is(err, nbest.ErrInvalid) {
		t.Errorf("error %v of a negative depth", err)
	}
}
