package graph

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// States are numbered as by a map, be they dense, far apart or first the one and then
// the other, and so after a reset.
func TestNumbering(t *testing.T) {
	for seed := range trials.Seeds(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var x numbering
		for range 3 {
			want := map[int32]int32{}
			for i := range int32(2000) {
				state := r.Int32N(i/2 + 1)
				if seed%3 == 1 && i > 500 || seed%3 == 2 {
					state = r.Int32N(100) * (math.MaxInt32 / 100)
				}
				n, fresh := x.of(state)
				m, met := want[state]
				if !met {
					m = int32(len(want))
					want[state] = m
				}
				if n != m || fresh == met || x.state(n) != state {
					t.Fatalf("seed %d: state %d has number %d, fresh %v; want %d, %v", seed, state, n, fresh, m, !met)
				}
			}
			x.reset()
		}
	}
}

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
