package frames

import (
	"math"
	"testing"

	"example.org/pathsum/semiring"
)

// TestTwoFrames: two frames of (a .4, blank .6), read as a, as "a" by CTC: .64.
func TestTwoFrames(t *testing.T) {
	e, err := Probabilities(2, 3, []float64{.4, 0, .6, .4, 0, .6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// States: before, in a, after.
	g, err := New(3, 3, []Arc{{0, 0, 2}, {0, 1, 0}, {1, 1, 0}, {1, 2, 2}, {2, 2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	one, zero := semiring.NewScaled(1), semiring.NewScaled(0)
	if err := g.SetWeights(Weights{
		Initial: []semiring.ScaledFloat{one, zero, zero},
		Arc:     []semiring.ScaledFloat{one, one, one, one, one},
		Final:   []semiring.ScaledFloat{zero, one, one},
	}); err != nil {
		t.Fatal(err)
	}
	gamma := make([]float64, 6)
	total, err := g.Counts(e, 1, Parts{}, gamma, new(Scratch))
	if err != nil || math.Abs(total.Float64()-.64) > 1e-15 {
		t.Fatal(total, err)
	}
	if math.Abs(gamma[0]-.4/.64) > 1e-15 || math.Abs(gamma[5]-.24/.64) > 1e-15 {
		t.Error(gamma)
	}
}
