package bayes_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// Renaming states renames them in every probability, and the best renaming of one
// variable is found.
func TestMatch(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](200)) {
		rng := graphtest.Rand(seed)
		n := random(rng, seed%2 == 0)
		v := 0
		size := len(n.Variables()[v].States)
		of := rng.Perm(size)
		renamed := n.Relabel(v, of)
		var data []bayes.Row
		for range 30 {
			r := n.Sample(rng)
			data = append(data, r)
			other := slices.Clone(r)
			other[v] = float64(of[int(r[v])])
			if a, b := must(renamed.LogProb(r)), must(n.LogProb(other)); !near(a, b) {
				t.Fatalf("seed %d: renamed by %v: ln P = %v, want %v", seed, of, a, b)
			}
		}
		best := math.Inf(1)
		oracle.Permutations(size, func(of []int) { best = min(best, must(renamed.Relabel(v, of).LogLoss(data))) })
		matched, err := renamed.Match(data, v)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := must(matched.LogLoss(data)); !near(got, best) {
			t.Fatalf("seed %d: loss %v after matching, the best renaming has %v", seed, got, best)
		}
	}
	n := naive(2, 2)
	if _, err := n.Match([]bayes.Row{{math.NaN(), 0, 0}}, 0); !errors.Is(err, bayes.ErrInvalid) {
		t.Errorf("a row with a missing cell: %v", err)
	}
	if _, err := n.Match([]bayes.Row{{0, 0, 0}}, 3); !errors.Is(err, bayes.ErrInvalid) {
		t.Errorf("a variable that is not there: %v", err)
	}
}

// Two hidden variables are renamed together.
func TestMatchTwo(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{"g", []string{"0", "1", "2"}}, {"h", []string{"0", "1"}}, {"x", []string{"0", "1", "2"}}, {"y", []string{"0", "1"}}}, []bayes.Family{
		{Children: []int{0}, Table: []float64{.5, .3, .2}}, {Children: []int{1}, Table: []float64{.7, .3}},
		{Children: []int{2}, Parents: []int{0}, Table: []float64{.8, .1, .1, .1, .8, .1, .1, .1, .8}},
		{Children: []int{3}, Parents: []int{1}, Table: []float64{.9, .1, .2, .8}}}))
	rng := graphtest.Rand(1)
	var data []bayes.Row
	for range 200 {
		data = append(data, n.Sample(rng))
	}
	same(t, n, must(n.Relabel(0, []int{1, 2, 0}).Relabel(1, []int{1, 0}).Match(data, 0, 1)))
}
