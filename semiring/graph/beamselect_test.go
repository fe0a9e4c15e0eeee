package graph

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The first n are those that sorting puts first, ties among them.
func TestSelectBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		score := make([]float64, r.IntN(40))
		states := make([]int32, len(score))
		for i := range score {
			score[i], states[i] = float64(r.IntN(1+r.IntN(40))), int32(i)
		}
		want := slices.Clone(states)
		slices.SortFunc(want, func(x, y int32) int { return cmp.Or(cmp.Compare(score[y], score[x]), cmp.Compare(x, y)) })
		r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
		n := r.IntN(len(states) + 1)
		selectBest(states, score, n)
		slices.Sort(states[:n])
		slices.Sort(want[:n])
		if !slices.Equal(states[:n], want[:n]) {
			t.Fatalf("%d of %v: %v, want %v", n, score, states[:n], want[:n])
		}
	}
}
