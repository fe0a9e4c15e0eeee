package numbering_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/internal/numbering"
)

// States are numbered as by a map, whether they are dense, sparse or first dense and then sparse,
// also after a reset.
func TestNumbering(t *testing.T) {
	for seed := range trials.Seeds(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var x numbering.Table
		for range 3 {
			want := map[int32]int32{}
			for i := range int32(2000) {
				state := r.Int32N(i/2 + 1)
				if seed%3 == 1 && i > 500 || seed%3 == 2 {
					state = r.Int32N(100) * (math.MaxInt32 / 100)
				}
				n, fresh := x.Of(state)
				m, met := want[state]
				if !met {
					m = int32(len(want))
					want[state] = m
				}
				if n != m || fresh == met || x.State(n) != state {
					t.Fatalf("seed %d: state %d has number %d, fresh %v; want %d, %v", seed, state, n, fresh, m, !met)
				}
			}
			x.Reset()
		}
	}
}
